//! Operations on matrices, arrays and structures that naga's reader lacks, as others that it has.

use super::declarations::Declared;
use super::lex::{Kind, Token};
use super::reader::{Reader, sizes};

/// A type: its name and the sizes of an array of it, as far as they are plain numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    name: String,
    sizes: Vec<Option<usize>>,
}

impl Shape {
    /// The name of the type, or of that of an array's elements.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// How many elements an array has, for each of its indices.
    pub(super) fn elements(&self) -> Vec<Option<usize>> {
        self.sizes.clone()
    }
}

/// Most numbers of one variable or structure: naga's reader calculates sizes in bytes of 32 bits, and breaks down over larger ones.
pub(super) const MAX_NUMBERS: usize = 1 << 20;

/// How many numbers a basic type has.
fn basic_numbers(name: &str) -> usize {
    let digits: Vec<usize> = name.bytes().filter(u8::is_ascii_digit).map(|digit| usize::from(digit - b'0')).collect();
    match *digits {
        [size] if name.starts_with("mat") => size * size,
        [columns, rows] => columns * rows,
        [size] => size,
        _ => 1,
    }
}

/// Constructors of arrays of arrays, `float[2][3](...)`, with their sizes in naga's order, from the inside out.
pub(super) fn constructors(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        out.push(token.clone());
        at += 1;
        if token.kind != Kind::Word || !tokens.get(at).is_some_and(|next| next.is("[")) {
            continue;
        }
        let (sizes, rest) = sizes(&tokens[at..]);
        if sizes.len() > 1 && rest.first().is_some_and(|next| next.is("(")) {
            for size in sizes.iter().rev() {
                out.push(Token::mark("[", token.at));
                out.extend_from_slice(size);
                out.push(Token::mark("]", token.at));
            }
            at = tokens.len() - rest.len();
        }
    }
    out
}

impl<'a> Declared<'a> {
    /// The type of what a declaration in naga's form, `type name[size] = ...;`, declares.
    pub(super) fn shape(&self, tokens: &[Token<'_>]) -> Shape {
        let mut sizes = Vec::new();
        let mut at = 2;
        let size = |token: &Token<'_>| token.text.parse().ok().or_else(|| self.sizes.get(&*token.text).copied());
        while tokens.get(at).is_some_and(|token| token.is("[")) {
            let single = tokens.get(at + 2).is_some_and(|token| token.is("]"));
            sizes.push(tokens.get(at + 1).filter(|_| single).and_then(size));
            at += tokens[at..].iter().position(|token| token.is("]")).map_or(tokens.len(), |end| end + 1);
        }
        // naga's order is that from the inside out.
        sizes.reverse();
        Shape { name: tokens.first().map_or_else(String::new, |token| token.text.to_string()), sizes }
    }

    /// How many numbers a variable holds, if these are not too many. Sizes that are calculated count as one.
    pub(super) fn numbers(&self, shape: &Shape) -> Option<usize> {
        let one = self.numbers.get(&shape.name).copied().unwrap_or_else(|| basic_numbers(&shape.name));
        let all = shape.sizes.iter().flatten().try_fold(one, |all, &size| all.checked_mul(size));
        all.filter(|&all| all <= MAX_NUMBERS)
    }

    /// Writes one token, or a form that naga lacks as one that it has; how many tokens that was.
    pub(super) fn bridged(&mut self, tokens: &[Token<'a>], before: Option<&Token<'a>>) -> usize {
        let begins = before.is_none_or(|before| matches!(&*before.text, ";" | "{" | "}" | ")" | "else"));
        if begins && let Some((text, count)) = self.column(tokens) {
            self.tokens.push(Token::mark("{", tokens[0].at));
            self.push(&text);
            self.mark("}", tokens[0].at);
            return count;
        }
        self.tokens.push(tokens[0].clone());
        1
    }

    /// `m[i].xy = v;`, channels of a column of a matrix, by a variable: `vec2 t = m[i].xy; t = v; m[i][0] = t[0]; ...`. So are `m[i].xy++;` and
    /// `++m[i].xy;`.
    fn column(&self, tokens: &[Token<'a>]) -> Option<(Vec<Token<'a>>, usize)> {
        let counts = |token: &Token<'_>| matches!(&*token.text, "++" | "--");
        let (first, of_place) = if counts(&tokens[0]) { (Some(&tokens[0]), &tokens[1..]) } else { (None, tokens) };
        let matrix = self.variables.get(&*of_place.first()?.text).filter(|shape| shape.name.starts_with("mat"))?;
        let (indices, rest) = sizes(&of_place[1..]);
        let [point, swizzle, after @ ..] = rest else { return None };
        if indices.len() != matrix.sizes.len() + 1 || !point.is(".") || swizzle.text.len() < 2 {
            return None;
        }
        let (at, column) = (tokens[0].at, &of_place[..of_place.len() - rest.len()]);
        let one = [Token::new(Kind::Number, "1.0", at)];
        let mut reader = Reader { tokens: after, next: 0 };
        let assigns = |token: &Token<'_>| matches!(&*token.text, "=" | "+=" | "-=" | "*=" | "/=");
        let (assign, value) = match (first, after.first()?) {
            (None, assign) if assigns(assign) => {
                reader.next = 1;
                (assign.clone(), reader.until(";").ok()?)
            }
            (None, count) | (Some(count), _) if counts(count) => {
                reader.next = usize::from(first.is_none());
                if !reader.is(";") {
                    return None;
                }
                reader.next += 1;
                (Token::mark(if count.is("++") { "+=" } else { "-=" }, at), &one[..])
            }
            _ => return None,
        };
        let channels = |set: &str| swizzle.text.chars().map(|channel| set.find(channel)).collect::<Option<Vec<_>>>();
        let channels = ["xyzw", "rgba", "stpq"].into_iter().find_map(channels)?;
        let mut out = vec![Token::word(format!("vec{} ctm_column =", channels.len()), at)];
        out.extend_from_slice(column);
        out.extend([point.clone(), swizzle.clone(), Token::mark(";", at), Token::word("ctm_column", at), assign]);
        out.extend_from_slice(value);
        out.push(Token::mark(";", at));
        for (i, channel) in channels.into_iter().enumerate() {
            out.extend_from_slice(column);
            out.push(Token::word(format!("[{channel}] = ctm_column[{i}];"), at));
        }
        Some((out, tokens.len() - after.len() + reader.next))
    }

    /// `a == b` of two structures or arrays: the same of all their parts.
    pub(super) fn equality(&self, tokens: &[Token<'a>]) -> Option<String> {
        let [a, equals, b, rest @ ..] = tokens else { return None };
        let (shape, other) = (self.variables.get(&*a.text)?, self.variables.get(&*b.text)?);
        let goes_on = rest.first().is_some_and(|next| next.is(".") || next.is("["));
        let composite = !shape.sizes.is_empty() || self.layouts.contains_key(&shape.name);
        if !(equals.is("==") || equals.is("!=")) || shape != other || goes_on || !composite {
            return None;
        }
        let mut terms = Vec::new();
        self.terms(&a.text, &b.text, shape, 0, &mut terms)?;
        let not = if equals.is("!=") { "!" } else { "" };
        Some(format!("({not}({}))", terms.join(" && ")))
    }

    fn terms(&self, a: &str, b: &str, shape: &Shape, depth: usize, terms: &mut Vec<String>) -> Option<()> {
        if depth > 8 || terms.len() > 256 {
            return None;
        }
        if let Some((size, inner)) = shape.sizes.split_first() {
            let inner = Shape { name: shape.name.clone(), sizes: inner.to_vec() };
            for i in 0..(*size)?.min(257) {
                self.terms(&format!("{a}[{i}]"), &format!("{b}[{i}]"), &inner, depth + 1, terms)?;
            }
        } else if let Some(members) = self.layouts.get(&shape.name) {
            for (member, shape) in members {
                self.terms(&format!("{a}.{member}"), &format!("{b}.{member}"), shape, depth + 1, terms)?;
            }
        } else {
            terms.push(format!("{a} == {b}"));
        }
        Some(())
    }
}
