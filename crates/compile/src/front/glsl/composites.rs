//! Operations on matrices, arrays and structures that naga's reader lacks, as others that it has.

use super::declarations::{Declared, Reader, sizes};
use super::lex::Token;

/// A type: its name and the sizes of an array of it, as far as they are plain numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    name: String,
    sizes: Vec<Option<usize>>,
}

/// The type of what a declaration in naga's form, `type name[size] = ...;`, declares.
pub(super) fn shape(tokens: &[Token<'_>]) -> Shape {
    let mut sizes = Vec::new();
    let mut at = 2;
    while tokens.get(at).is_some_and(|token| token.is("[")) {
        let single = tokens.get(at + 2).is_some_and(|token| token.is("]"));
        sizes.push(tokens.get(at + 1).filter(|_| single).and_then(|token| token.text.parse().ok()));
        at += tokens[at..].iter().position(|token| token.is("]")).map_or(tokens.len(), |end| end + 1);
    }
    // naga's order is that from the inside out.
    sizes.reverse();
    Shape { name: tokens.first().map_or_else(String::new, |token| token.text.to_string()), sizes }
}

impl<'a> Declared<'a> {
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

    /// `m[i].xy = v;`, channels of a column of a matrix, by a variable: `vec2 t = m[i].xy; t = v; m[i][0] = t[0]; ...`.
    fn column(&self, tokens: &[Token<'a>]) -> Option<(Vec<Token<'a>>, usize)> {
        let matrix = self.variables.get(&*tokens[0].text).filter(|shape| shape.name.starts_with("mat"))?;
        let (indices, rest) = sizes(&tokens[1..]);
        let [point, swizzle, assign, ..] = rest else { return None };
        let assigns = matches!(&*assign.text, "=" | "+=" | "-=" | "*=" | "/=");
        if indices.len() != matrix.sizes.len() + 1 || !point.is(".") || swizzle.text.len() < 2 || !assigns {
            return None;
        }
        let channels = |set: &str| swizzle.text.chars().map(|channel| set.find(channel)).collect::<Option<Vec<_>>>();
        let channels = ["xyzw", "rgba", "stpq"].into_iter().find_map(channels)?;
        let mut reader = Reader { tokens: &rest[3..], next: 0 };
        let value = reader.until(";").ok()?;
        let (at, column) = (tokens[0].at, &tokens[..tokens.len() - rest.len()]);
        let mut out = vec![Token::word(format!("vec{} ctm_column =", channels.len()), at)];
        out.extend_from_slice(column);
        out.extend([
            point.clone(),
            swizzle.clone(),
            Token::mark(";", at),
            Token::word("ctm_column", at),
            assign.clone(),
        ]);
        out.extend_from_slice(value);
        out.push(Token::mark(";", at));
        for (i, channel) in channels.into_iter().enumerate() {
            out.extend_from_slice(column);
            out.push(Token::word(format!("[{channel}] = ctm_column[{i}];"), at));
        }
        Some((out, tokens.len() - rest.len() + 3 + reader.next))
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
