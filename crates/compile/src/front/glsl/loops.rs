//! `do` loops with `continue`, which naga's reader makes go to the next pass without a look at the condition.

use super::brackets::partners;
use super::lex::{Kind, Token};
use std::collections::HashMap;

/// `do { BODY } while (CONDITION);`
struct DoLoop {
    /// Where the `while` comes after the body.
    tail: usize,
    /// The `(` and `)` of the condition.
    condition: (usize, usize),
}

/// Writes them as `for (bool again = true; again; again = (CONDITION)) { BODY }`.
pub(super) fn do_loops(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let loops = find(&tokens);
    if loops.is_empty() {
        return tokens;
    }
    // After the `while` of each, all up to its `;` stands at the loop's head already.
    let skipped: HashMap<usize, usize> = loops.values().map(|found| (found.tail, found.condition.1 + 2)).collect();
    let mut out = Vec::with_capacity(tokens.len() + 16 * loops.len());
    let mut at = 0;
    while at < tokens.len() {
        if let Some(DoLoop { condition: (open, close), .. }) = loops.get(&at) {
            let place = tokens[at].at;
            let name = || Token::word(format!("ctm_again{at}"), place);
            let mark = |text| Token::mark(text, place);
            out.extend([Token::word("for", place), mark("("), Token::word("bool", place), name(), mark("=")]);
            out.extend([Token::word("true", place), mark(";"), name(), mark(";"), name(), mark("=")]);
            out.extend_from_slice(&tokens[*open..=*close]);
            out.push(mark(")"));
            at += 1;
        } else if let Some(&behind) = skipped.get(&at) {
            at = behind;
        } else {
            out.push(tokens[at].clone());
            at += 1;
        }
    }
    out
}

/// The loops with `continue` in their bodies, by the places of their `do`.
fn find(tokens: &[Token<'_>]) -> HashMap<usize, DoLoop> {
    let partners = partners(tokens);
    let partner = |at: usize| partners.get(at).copied().flatten();
    let (mut continues, mut before) = (0usize, Vec::with_capacity(tokens.len()));
    for token in tokens {
        before.push(continues);
        continues += usize::from(token.is("continue"));
    }
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.is(text));
    let mut loops = HashMap::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word) {
        if !token.is("do") || !is(at + 1, "{") {
            continue;
        }
        let Some(end) = partner(at + 1) else { continue };
        let (tail, begin) = (end + 1, end + 2);
        let Some(close) = partner(begin).filter(|_| is(tail, "while") && is(begin, "(")) else { continue };
        if before[end] > before[at] && is(close + 1, ";") {
            loops.insert(at, DoLoop { tail, condition: (begin, close) });
        }
    }
    loops
}
