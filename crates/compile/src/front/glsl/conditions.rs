//! Statements that naga's reader lacks: loops whose conditions declare a variable, and a `switch` whose last label has no statement.

use super::brackets::partners;
use super::lex::{Kind, Token};
use super::reader::split_at;
use std::collections::HashMap;

/// A loop whose condition declares.
struct DeclaringLoop<'t, 'a> {
    /// The `(` and `)` of its head.
    head: (usize, usize),
    /// What stands in the head in front of the condition and after it; nothing of `while`.
    start: &'t [Token<'a>],
    step: &'t [Token<'a>],
    /// The type of the variable, perhaps with qualifiers, its name, and its value.
    kind: &'t [Token<'a>],
    name: &'t Token<'a>,
    value: &'t [Token<'a>],
    /// Where the statement after the loop begins.
    end: usize,
}

/// Writes loops with such conditions as others, and `break` after last labels.
pub(super) fn plain(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let partners = partners(&tokens);
    let partner = |at: usize| partners.get(at).copied().flatten();
    let mut loops = HashMap::new();
    // How many braces close in front of a token, and where a `switch` ends with a label.
    let mut closes: HashMap<usize, usize> = HashMap::new();
    let mut labels = HashMap::new();
    for (at, token) in tokens.iter().enumerate() {
        match &*token.text {
            "while" | "for" => {
                if let Some(found) = declaring(&tokens, &partners, at) {
                    *closes.entry(found.end).or_default() += 1;
                    loops.insert(at, found);
                }
            }
            "switch" => {
                let close = partner(at + 1).and_then(|head| partner(head + 1));
                if let Some(close) = close.filter(|&close| tokens[close - 1].is(":")) {
                    labels.insert(close, token.at);
                }
            }
            _ => {}
        }
    }
    if loops.is_empty() && labels.is_empty() {
        drop(loops);
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len() + 16 * (loops.len() + labels.len()));
    let mut at = 0;
    while at <= tokens.len() {
        let place = tokens[at.min(tokens.len() - 1)].at;
        out.extend((0..closes.get(&at).copied().unwrap_or(0)).map(|_| Token::mark("}", place)));
        if let Some(&place) = labels.get(&at) {
            out.extend([Token::word("break", place), Token::mark(";", place)]);
        }
        if let Some(found) = loops.get(&at) {
            found.write(place, &mut out);
            at = found.head.1 + 1;
            continue;
        }
        out.extend(tokens.get(at).cloned());
        at += 1;
    }
    out
}

impl<'a> DeclaringLoop<'_, 'a> {
    /// The head of a loop without a condition, whose body begins with the declaration. A step that reads the variable needs it in front of the
    /// loop. One brace is open afterwards.
    fn write(&self, place: u32, out: &mut Vec<Token<'a>>) {
        let (mark, word) = (|text| Token::mark(text, place), |text| Token::word(text, place));
        if self.step.iter().any(|token| token.is(&self.name.text)) {
            out.push(mark("{"));
            out.extend_from_slice(self.kind);
            out.extend([self.name.clone(), mark(";"), word("for"), mark("(")]);
            out.extend_from_slice(self.start);
            out.extend([mark(";"), self.name.clone(), mark("="), mark("(")]);
            out.extend_from_slice(self.value);
            out.extend([mark(")"), mark(";")]);
            out.extend_from_slice(self.step);
            out.push(mark(")"));
            return;
        }
        out.extend([word("for"), mark("(")]);
        out.extend_from_slice(self.start);
        out.extend([mark(";"), mark(";")]);
        out.extend_from_slice(self.step);
        out.extend([mark(")"), mark("{")]);
        out.extend_from_slice(self.kind);
        out.extend([self.name.clone(), mark("=")]);
        out.extend_from_slice(self.value);
        out.extend([
            mark(";"),
            word("if"),
            mark("("),
            mark("!"),
            self.name.clone(),
            mark(")"),
            word("break"),
            mark(";"),
        ]);
    }
}

/// The loop that begins at an index, if its condition declares.
fn declaring<'t, 'a>(tokens: &'t [Token<'a>], partners: &[Option<usize>], at: usize) -> Option<DeclaringLoop<'t, 'a>> {
    let open = at + 1;
    let close = partners.get(open).copied().flatten().filter(|_| tokens[open].is("("))?;
    let head = &tokens[open + 1..close];
    let parts = split_at(head, ";");
    let (start, condition, step) = match parts[..] {
        [condition] if tokens[at].is("while") => (&head[..0], condition, &head[..0]),
        [start, condition, step] if tokens[at].is("for") => (start, condition, step),
        _ => return None,
    };
    let equals = condition.iter().position(|token| token.is("="))?;
    let [kind @ .., name] = &condition[..equals] else { return None };
    let are_words = condition[..equals].iter().all(|token| token.kind == Kind::Word);
    if kind.is_empty() || !are_words {
        return None;
    }
    let end = statement_end(tokens, partners, close + 1)?;
    Some(DeclaringLoop { head: (open, close), start, step, kind, name, value: &condition[equals + 1..], end })
}

/// Where the statement ends that begins at an index.
fn statement_end(tokens: &[Token<'_>], partners: &[Option<usize>], mut at: usize) -> Option<usize> {
    let mut choices = 0;
    loop {
        let token = tokens.get(at)?;
        at = match &*token.text {
            "if" | "for" | "while" | "switch" => {
                choices += usize::from(token.is("if"));
                partners.get(at + 1).copied().flatten()? + 1
            }
            // Its condition follows the body as a statement of its own.
            "do" => statement_end_of_do(tokens, partners, at)?,
            "{" => partners[at]? + 1,
            _ => semicolon(tokens, partners, at)? + 1,
        };
        if matches!(&*token.text, "if" | "for" | "while" | "switch") {
            continue;
        }
        let goes_on = choices > 0 && tokens.get(at).is_some_and(|next| next.is("else"));
        if !goes_on {
            return Some(at);
        }
        choices -= 1;
        at += 1;
    }
}

/// The same of `do { ... } while (...);`.
fn statement_end_of_do(tokens: &[Token<'_>], partners: &[Option<usize>], at: usize) -> Option<usize> {
    tokens.get(at + 1).filter(|token| token.is("{"))?;
    Some(semicolon(tokens, partners, partners[at + 1]? + 1)? + 1)
}

/// The `;` that ends what begins at an index.
fn semicolon(tokens: &[Token<'_>], partners: &[Option<usize>], mut at: usize) -> Option<usize> {
    loop {
        match &*tokens.get(at)?.text {
            ";" => return Some(at),
            "(" | "[" | "{" => at = partners[at]? + 1,
            ")" | "]" | "}" => return None,
            _ => at += 1,
        }
    }
}
