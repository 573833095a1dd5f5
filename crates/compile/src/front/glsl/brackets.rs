//! Structure of tokens: partners of brackets, places, and where statements begin.

use super::lex::{Kind, Token};

fn step(token: &Token<'_>) -> i32 {
    match &*token.text {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// The index of the bracket that closes the one at an index.
pub(super) fn partner(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0;
    let closes = |token: &Token<'_>| {
        depth += step(token);
        depth == 0
    };
    Some(open + tokens.get(open..)?.iter().position(closes)?)
}

/// The index of the bracket that opens the one at an index.
pub(super) fn opening(tokens: &[Token<'_>], close: usize) -> Option<usize> {
    let mut depth = 0;
    let opens = |token: &Token<'_>| {
        depth += step(token);
        depth == 0
    };
    tokens.get(..=close)?.iter().rposition(opens)
}

/// Partners of all brackets, both ways.
pub(super) fn partners(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match step(token) {
            1 => open.push(at),
            -1 => {
                if let Some(begin) = open.pop() {
                    (partners[begin], partners[at]) = (Some(at), Some(begin));
                }
            }
            _ => {}
        }
    }
    partners
}

/// Where the place begins that ends in front of an index: `a.b[i].c`. `None` if what stands there is not one.
pub(super) fn place(tokens: &[Token<'_>], partners: &[Option<usize>], end: usize) -> Option<usize> {
    let mut at = end.checked_sub(1)?;
    loop {
        if tokens[at].is("]") {
            at = partners[at]?.checked_sub(1)?;
            continue;
        }
        if tokens[at].kind != Kind::Word {
            return None;
        }
        match at.checked_sub(1) {
            Some(point) if tokens[point].is(".") => at = point.checked_sub(1)?,
            _ => return Some(at),
        }
    }
}

/// Whether a statement begins at an index: after another one, or after the head of an `if` or a loop.
pub(super) fn begins_statement(tokens: &[Token<'_>], partners: &[Option<usize>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    match &*tokens[before].text {
        ";" | "{" | "}" | "else" | "do" => true,
        ")" => {
            let head = partners[before].and_then(|open| open.checked_sub(1));
            head.is_some_and(|head| matches!(&*tokens[head].text, "if" | "for" | "while"))
        }
        _ => false,
    }
}
