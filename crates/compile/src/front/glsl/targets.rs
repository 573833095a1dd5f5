//! Places whose indices have effects and that are read and written: `a[i++] += x`, and `f(a[i++])` where the function changes its argument. naga's reader
//! evaluates such an index twice, so it is evaluated in front: `(ctm_index0 = int(i++), a[ctm_index0] += x)`.

use super::brackets::{begins_statement, partner, partners, place};
use super::effects::{functions, has_effects, is_compound};
use super::lex::{Kind, Token};
use super::reader::split;
use std::collections::HashMap;

/// Rewrites such assignments and calls.
pub(super) fn targets(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let rewrites = rewrites(&tokens);
    if rewrites.is_empty() {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len() + 16 * rewrites.len());
    let names: usize = rewrites.values().map(|rewrite| rewrite.indices.len()).sum();
    for number in 0..names {
        out.extend([Token::word("int", 0), index(number, 0), Token::mark(";", 0)]);
    }
    let mut writer = Writer { tokens: &tokens, rewrites: &rewrites, next: 0, number: 0, out };
    writer.up_to(tokens.len());
    writer.out
}

fn index<'a>(number: usize, at: u32) -> Token<'a> {
    Token::word(format!("ctm_index{number}"), at)
}

/// An assignment or a call: where it ends, and the brackets of the indices in front of that, in the order of the text.
struct Rewrite {
    end: usize,
    indices: Vec<(usize, usize)>,
    /// It is a statement of its own, since it has no value.
    is_statement: bool,
}

/// Functions that change arguments.
struct Changing {
    /// Which ones they change.
    parameters: Vec<bool>,
    /// They return nothing.
    is_void: bool,
}

/// The assignments and calls to be rewritten, by where they begin.
fn rewrites(tokens: &[Token<'_>]) -> HashMap<usize, Rewrite> {
    let (functions, partners, changing) = (functions(tokens), partners(tokens), changing(tokens));
    let mut rewrites = HashMap::new();
    let has =
        |indices: &[(usize, usize)]| indices.iter().any(|&(open, close)| has_effects(&tokens[open..close], &functions));
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match &*token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if is_compound(token) && token.kind == Kind::Mark {
            let Some((start, indices)) = target(tokens, &partners, at) else { continue };
            if has(&indices) {
                rewrites.insert(start, Rewrite { end: end(tokens, &partners, at), indices, is_statement: false });
            }
        } else if depth > 0
            && let Some(function) = changing.get(&*token.text)
        {
            let is_call = tokens.get(at + 1).is_some_and(|next| next.is("("));
            let Some(close) = partners.get(at + 1).copied().flatten().filter(|_| is_call) else { continue };
            let indices = changed(tokens, &partners, at + 2, close, &function.parameters);
            let is_statement = function.is_void;
            let ends = tokens.get(close + 1).is_some_and(|next| next.is(";"));
            let fits = !is_statement || ends && begins_statement(tokens, &partners, at);
            if has(&indices) && fits {
                rewrites.insert(at, Rewrite { end: close + 1 + usize::from(is_statement), indices, is_statement });
            }
        }
    }
    rewrites
}

/// The functions of a text with parameters that they write.
fn changing(tokens: &[Token<'_>]) -> HashMap<String, Changing> {
    let mut found: HashMap<String, Changing> = HashMap::new();
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match &*token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            "(" if depth == 0 && at >= 2 && tokens[at - 1].kind == Kind::Word => {
                let Some(close) = partner(tokens, at) else { continue };
                let writes = |part: &[Token<'_>]| part.iter().any(|token| token.is("inout") || token.is("out"));
                let parameters: Vec<bool> = split(&tokens[at + 1..close]).into_iter().map(writes).collect();
                let is_void = tokens[at - 2].is("void");
                let function = found.entry(tokens[at - 1].text.to_string());
                let function = function.or_insert(Changing { parameters: Vec::new(), is_void });
                let count = function.parameters.len().max(parameters.len());
                function.parameters.resize(count, false);
                for (changed, this) in function.parameters.iter_mut().zip(parameters) {
                    *changed |= this;
                }
            }
            _ => {}
        }
    }
    found.retain(|_, function| function.parameters.contains(&true));
    found
}

/// The indices of the arguments that a call changes.
fn changed(
    tokens: &[Token<'_>],
    partners: &[Option<usize>],
    first: usize,
    close: usize,
    parameters: &[bool],
) -> Vec<(usize, usize)> {
    let mut indices = Vec::new();
    let mut start = first;
    for (argument, is_changed) in split(&tokens[first..close]).into_iter().zip(parameters) {
        let end = start + argument.len();
        if let Some((begin, found)) = target(tokens, partners, end)
            && *is_changed
            && begin == start
        {
            indices.extend(found);
        }
        start = end + 1;
    }
    indices
}

/// Where the place that ends in front of an index begins, and its indices.
fn target(tokens: &[Token<'_>], partners: &[Option<usize>], end: usize) -> Option<(usize, Vec<(usize, usize)>)> {
    let start = place(tokens, partners, end)?;
    let mut indices = Vec::new();
    let mut at = start;
    while at < end {
        if let Some(close) = partners[at].filter(|_| tokens[at].is("[")) {
            indices.push((at, close));
            at = close;
        }
        at += 1;
    }
    Some((start, indices))
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

struct Writer<'t, 'a> {
    tokens: &'t [Token<'a>],
    rewrites: &'t HashMap<usize, Rewrite>,
    /// The next token.
    next: usize,
    /// The next number of an index.
    number: usize,
    out: Vec<Token<'a>>,
}

impl Writer<'_, '_> {
    /// Writes all tokens in front of an index. Assignments and calls in them begin and end there.
    fn up_to(&mut self, end: usize) {
        while self.next < end {
            match self.rewrites.get(&self.next) {
                Some(rewrite) => self.rewrite(rewrite),
                None => self.token(),
            }
        }
    }

    fn token(&mut self) {
        self.out.push(self.tokens[self.next].clone());
        self.next += 1;
    }

    fn rewrite(&mut self, rewrite: &Rewrite) {
        let start = self.next;
        let at = self.tokens[start].at;
        let mark = |text| Token::mark(text, at);
        let (open, comma, close) = if rewrite.is_statement { ("{", ";", "}") } else { ("(", ",", ")") };
        let first = self.number;
        self.number += rewrite.indices.len();
        self.out.push(mark(open));
        for (number, &(open, close)) in rewrite.indices.iter().enumerate() {
            self.out.extend([index(first + number, at), mark("="), Token::word("int", at), mark("(")]);
            self.next = open + 1;
            self.up_to(close);
            self.out.extend([mark(")"), mark(comma)]);
        }
        // The place with those in the place of its indices.
        self.next = start;
        self.token();
        for (number, &(open, close)) in rewrite.indices.iter().enumerate() {
            self.up_to(open + 1);
            self.out.push(index(first + number, at));
            self.next = close;
        }
        self.up_to(rewrite.end);
        self.out.push(mark(close));
    }
}
