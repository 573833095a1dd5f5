//! Assignments in assignments, `a.xy += a.yx += b`: naga's reader reads the left side of an operator before it assigns the right side, and takes no
//! channels of a matrix's column there. They are statements of their own, the last one first: `{ a.yx += b; a.xy += a.yx; }`.

use super::brackets::{begins_statement, partners, place};
use super::effects::{functions, has_effects, is_assignment};
use super::lex::Token;

/// Rewrites such statements.
pub(super) fn chains(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let ends = |token: &Token<'_>| token.text.ends_with(';');
    if !tokens.split(ends).any(|statement| statement.iter().filter(|token| is_assignment(token)).count() > 1) {
        return tokens;
    }
    let (partners, functions) = (partners(&tokens), functions(&tokens));
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let chain = if begins_statement(&tokens, &partners, at) { chain(&tokens, &partners, at) } else { None };
        let Some((operators, end)) = chain else {
            out.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let starts: Vec<usize> = std::iter::once(at).chain(operators.iter().map(|operator| operator + 1)).collect();
        let inner = &tokens[starts[1]..operators[operators.len() - 1]];
        let indices = inner.iter().enumerate().filter(|(_, token)| token.is("[")).map(|(open, _)| starts[1] + open);
        let twice = indices.filter_map(|open| Some(&tokens[open..partners[open]?]));
        let plain =
            operators.iter().all(|&operator| tokens[operator].is("=")) && !inner.iter().any(|token| token.is("."));
        if plain || twice.into_iter().any(|index| has_effects(index, &functions)) {
            out.extend_from_slice(&tokens[at..=end]);
            at = end + 1;
            continue;
        }
        let place = tokens[at].at;
        out.push(Token::mark("{", place));
        for number in (0..operators.len()).rev() {
            let value_end = operators.get(number + 1).copied().unwrap_or(end);
            out.extend_from_slice(&tokens[starts[number]..value_end]);

            out.push(Token::mark(";", place));
        }
        out.push(Token::mark("}", place));
        at = end + 1;
    }
    out
}

/// The operators of two or more assignments that a statement is, and where its `;` is. Each but the last has a place on its right side too.
fn chain(tokens: &[Token<'_>], partners: &[Option<usize>], start: usize) -> Option<(Vec<usize>, usize)> {
    let mut operators = Vec::new();
    let mut at = start;
    let end = loop {
        let token = tokens.get(at)?;
        match &*token.text {
            ";" => break at,
            "(" | "[" | "{" => at = partners[at]?,
            ")" | "]" | "}" | "?" | "," => return None,
            _ if is_assignment(token) => operators.push(at),
            _ => {}
        }
        at += 1;
    };
    let starts = std::iter::once(start).chain(operators.iter().map(|operator| operator + 1));
    let are_places =
        operators.iter().zip(starts).all(|(&operator, start)| place(tokens, partners, operator) == Some(start));
    (operators.len() > 1 && are_places).then_some((operators, end))
}
