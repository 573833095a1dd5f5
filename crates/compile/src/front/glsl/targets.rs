//! Targets of assignments with operators whose indices have effects, `a[i++] += x`: naga's reader evaluates them twice, so their
//! indices are evaluated in front of the assignment, `(ctm_index0 = int(i++), a[ctm_index0] += x)`.

use super::lazy::functions;
use super::lex::{Kind, Token};
use std::collections::HashSet;

/// Rewrites such assignments.
pub(super) fn targets(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    if !tokens.iter().any(has_operator) {
        return tokens;
    }
    let rewrites = rewrites(&tokens);
    if rewrites.is_empty() {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len() + 16 * rewrites.len());
    let names: usize = rewrites.iter().map(|rewrite| rewrite.indices.len()).sum();
    for number in 0..names {
        out.extend([Token::word("int", 0), index(number, 0), Token::mark(";", 0)]);
    }
    let mut writer = Writer { tokens: &tokens, rewrites: &rewrites, next: 0, number: 0, out };
    writer.up_to(tokens.len());
    writer.out
}

/// Whether it is an assignment with an operator.
fn has_operator(token: &Token<'_>) -> bool {
    matches!(&*token.text, "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=")
}

fn index<'a>(number: usize, at: u32) -> Token<'a> {
    Token::word(format!("ctm_index{number}"), at)
}

/// An assignment: where it begins and ends, and the brackets of its target's indices, outermost first.
struct Rewrite {
    start: usize,
    end: usize,
    indices: Vec<(usize, usize)>,
}

/// The assignments to be rewritten, in the order of their beginnings.
fn rewrites(tokens: &[Token<'_>]) -> Vec<Rewrite> {
    let functions = functions(tokens);
    let partners = partners(tokens);
    let mut rewrites = Vec::new();
    for (operator, token) in tokens.iter().enumerate().filter(|(_, token)| has_operator(token)) {
        let Some((start, indices)) = target(tokens, &partners, operator) else { continue };
        let effects = indices.iter().any(|&(open, close)| has_effects(&tokens[open..close], &functions));
        if effects && token.kind == Kind::Mark {
            rewrites.push(Rewrite { start, end: end(tokens, &partners, operator), indices });
        }
    }
    rewrites.sort_by_key(|rewrite| rewrite.start);
    rewrites
}

/// Partners of brackets, both ways.
fn partners(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match &*token.text {
            "(" | "[" | "{" => open.push(at),
            ")" | "]" | "}" => {
                if let Some(begin) = open.pop() {
                    (partners[begin], partners[at]) = (Some(at), Some(begin));
                }
            }
            _ => {}
        }
    }
    partners
}

/// Where the target of an operator begins, and its indices.
fn target(tokens: &[Token<'_>], partners: &[Option<usize>], operator: usize) -> Option<(usize, Vec<(usize, usize)>)> {
    let mut indices = Vec::new();
    let mut at = operator.checked_sub(1)?;
    loop {
        match &*tokens[at].text {
            "]" => {
                let open = partners[at]?;
                indices.push((open, at));
                at = open.checked_sub(1)?;
            }
            _ if tokens[at].kind == Kind::Word => match at.checked_sub(1).map(|before| &*tokens[before].text) {
                Some(".") => at = at.checked_sub(2)?,
                _ => {
                    indices.reverse();
                    return Some((at, indices));
                }
            },
            _ => return None,
        }
    }
}

/// Where the assignment of an operator ends: in front of what no assignment holds.
fn end(tokens: &[Token<'_>], partners: &[Option<usize>], operator: usize) -> usize {
    let (mut at, mut choices) = (operator + 1, 0);
    while let Some(token) = tokens.get(at) {
        match &*token.text {
            "," | ";" | ")" | "]" | "}" => return at,
            ":" if choices == 0 => return at,
            "?" => choices += 1,
            ":" => choices -= 1,
            "(" | "[" | "{" => at = partners[at].unwrap_or(tokens.len()),
            _ => {}
        }
        at += 1;
    }
    tokens.len()
}

fn has_effects(tokens: &[Token<'_>], functions: &HashSet<String>) -> bool {
    tokens.windows(2).any(|pair| {
        let calls = pair[1].is("(") && functions.contains(&*pair[0].text);
        calls || has_operator(&pair[1]) || matches!(&*pair[1].text, "=" | "++" | "--")
    })
}

struct Writer<'t, 'a> {
    tokens: &'t [Token<'a>],
    rewrites: &'t [Rewrite],
    /// The next token.
    next: usize,
    /// The next number of an index.
    number: usize,
    out: Vec<Token<'a>>,
}

impl Writer<'_, '_> {
    /// Writes all tokens in front of an index. Assignments in them begin and end there.
    fn up_to(&mut self, end: usize) {
        while self.next < end {
            match self.rewrites.first().filter(|rewrite| rewrite.start == self.next) {
                Some(rewrite) => {
                    self.rewrites = &self.rewrites[1..];
                    self.assignment(rewrite);
                }
                None => {
                    self.out.push(self.tokens[self.next].clone());
                    self.next += 1;
                }
            }
        }
    }

    fn assignment(&mut self, rewrite: &Rewrite) {
        let at = self.tokens[rewrite.start].at;
        let mark = |text| Token::mark(text, at);
        let first = self.number;
        self.number += rewrite.indices.len();
        self.out.push(mark("("));
        for (number, &(open, close)) in rewrite.indices.iter().enumerate() {
            self.out.extend([index(first + number, at), mark("="), Token::word("int", at), mark("(")]);
            self.next = open + 1;
            self.up_to(close);
            self.out.extend([mark(")"), mark(",")]);
        }
        // The target with those in the place of its indices.
        self.next = rewrite.start;
        for (number, &(open, close)) in rewrite.indices.iter().enumerate() {
            self.out.extend_from_slice(&self.tokens[self.next..=open]);
            self.out.push(index(first + number, at));
            self.next = close;
        }
        self.up_to(rewrite.end);
        self.out.push(mark(")"));
    }
}
