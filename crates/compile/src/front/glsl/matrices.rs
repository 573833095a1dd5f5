//! Matrices of two columns and rows that are members of structures, which naga's reader refuses: they are vectors of four numbers there,
//! and matrices where they are read.

use super::brackets::{opening, partner};
use super::declarations::Declared;
use super::lex::{Kind, Token};
use super::names::Needs;
use super::reader::split;
use super::{GlslError, LocatedResult};

/// The function that makes a matrix of the vector.
const MATRIX: &str = "ctm_mat2";
/// The function that makes a vector of the matrix.
const VECTOR: &str = "ctm_vector";

/// Whether a type is such a matrix.
pub(super) fn is_half(kind: &str) -> bool {
    matches!(kind, "mat2" | "mat2x2")
}

/// Writes matrices where such members are read, and vectors where they are written.
///
/// # Errors
/// A part of such a member is written by a calculated index.
pub(super) fn members(declared: &mut Declared<'_>, needs: &mut Needs) -> LocatedResult<()> {
    if declared.halves.is_empty() {
        return Ok(());
    }
    needs.functions.extend([MATRIX, VECTOR]);
    declared.functions.extend([MATRIX.to_owned(), VECTOR.to_owned()]);
    declared.each_piece(|declared, mut tokens| {
        let mut end = tokens.len();
        while let Some(point) = (0..end).rev().find(|&at| is_member(declared, &tokens, at)) {
            access(declared, &mut tokens, point)?;
            end = point;
        }
        for at in (0..tokens.len()).rev() {
            construct(declared, &mut tokens, at);
        }
        Ok(tokens)
    })
}

/// Whether `.member` stands here, and the member is such a matrix.
fn is_member(declared: &Declared<'_>, tokens: &[Token<'_>], at: usize) -> bool {
    let is_call = tokens.get(at + 2).is_some_and(|next| next.is("("));
    let name = tokens.get(at + 1);
    tokens[at].is(".") && !is_call && name.is_some_and(|name| declared.halves.contains_key(&*name.text))
}

/// Rewrites the access to a member after a point.
fn access<'a>(declared: &Declared<'a>, tokens: &mut Vec<Token<'a>>, point: usize) -> LocatedResult<()> {
    let name = tokens[point + 1].clone();
    let (begin, mut end) = (start(tokens, point), point + 2);
    for _ in 0..declared.halves[&*name.text] {
        end = behind_index(tokens, end).unwrap_or(end);
    }
    let mark = |text| Token::mark(text, name.at);
    let word = |text| Token::word(text, name.at);
    // What follows it up to an assignment: nothing, a column, or a channel.
    let column = behind_index(tokens, end);
    let mut behind = column.unwrap_or(end);
    behind = behind_index(tokens, behind).unwrap_or(behind);
    if tokens.get(behind).is_some_and(|token| token.is(".")) {
        behind += 2;
    }
    let assigns = |token: &Token<'_>| matches!(&*token.text, "=" | "+=" | "-=" | "*=" | "/=");
    let Some(operator) = tokens.get(behind).filter(|token| assigns(token)).cloned() else {
        tokens.splice(end..end, [mark(")")]);
        tokens.splice(begin..begin, [word(MATRIX), mark("(")]);
        return Ok(());
    };
    if behind == end {
        let value_end = value_end(tokens, end + 1);
        let target = tokens[begin..end].to_vec();
        let value = tokens[end + 1..value_end].to_vec();
        let mut out = target.clone();
        out.extend([mark("="), word(VECTOR), mark("(")]);
        if let Some(sign) = ["+", "-", "*", "/"].into_iter().find(|sign| operator.text.starts_with(sign)) {
            out.extend([word(MATRIX), mark("(")]);
            out.extend(target);
            out.extend([mark(")"), mark(sign), mark("(")]);
            out.extend(value);
            out.push(mark(")"));
        } else {
            out.extend(value);
        }
        out.push(mark(")"));
        tokens.splice(begin..value_end, out);
        return Ok(());
    }
    // A column that is known is a half of the vector.
    let column = column.filter(|&column| column == end + 3).and_then(|_| match &*tokens[end + 1].text {
        "0" => Some("xy"),
        "1" => Some("zw"),
        _ => None,
    });
    let column = column.ok_or_else(|| (GlslError::MatrixMember(name.text.to_string()), name.at))?;
    tokens.splice(end..end + 3, [mark("."), word(column)]);
    // A channel of a column is one of the vector.
    let (channel, length) = match tokens.get(end + 2) {
        Some(open) if open.is("[") => (end + 3, 3),
        Some(point) if point.is(".") => (end + 3, 2),
        _ => return Ok(()),
    };
    let channel = match (&*tokens[channel].text, column) {
        ("0" | "x" | "r" | "s", "xy") => "x",
        ("1" | "y" | "g" | "t", "xy") => "y",
        ("0" | "x" | "r" | "s", "zw") => "z",
        ("1" | "y" | "g" | "t", "zw") => "w",
        _ => return Err((GlslError::MatrixMember(name.text.to_string()), name.at)),
    };
    tokens.splice(end + 1..end + 2 + length, [word(channel)]);
    Ok(())
}

/// Wraps the arguments of a structure's constructor that are such members.
fn construct<'a>(declared: &Declared<'a>, tokens: &mut Vec<Token<'a>>, at: usize) {
    let Some(members) = declared.layouts.get(&*tokens[at].text) else { return };
    let is_new = at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is("struct"));
    if is_new || !tokens.get(at + 1).is_some_and(|next| next.is("(")) {
        return;
    }
    let Some(close) = partner(tokens, at + 1) else { return };
    let arguments: Vec<(usize, usize)> = {
        let mut begin = at + 2;
        let lengths = split(&tokens[at + 2..close]).into_iter().map(<[Token<'_>]>::len);
        lengths
            .map(|length| {
                let argument = (begin, begin + length);
                begin += length + 1;
                argument
            })
            .collect()
    };
    if arguments.len() != members.len() {
        return;
    }
    let place = tokens[at].at;
    for (&(begin, end), (name, _)) in arguments.iter().zip(members).rev() {
        if declared.halves.get(name) == Some(&0) {
            tokens.splice(end..end, [Token::mark(")", place)]);
            tokens.splice(begin..begin, [Token::word(VECTOR, place), Token::mark("(", place)]);
        }
    }
}

/// Where the expression begins whose member comes after a point: `a[i].b`, `f(x)`.
pub(super) fn start(tokens: &[Token<'_>], point: usize) -> usize {
    let mut at = point;
    while let Some(before) = at.checked_sub(1) {
        match &*tokens[before].text {
            ")" | "]" => {
                let Some(open) = opening(tokens, before) else { return at };
                at = open;
                // A name in front of a bracket belongs to it.
                if at > 0 && tokens[at - 1].kind == Kind::Word && !tokens[at - 1].is("return") {
                    at -= 1;
                } else if tokens[open].is("[") {
                    continue;
                }
            }
            _ if tokens[before].kind == Kind::Word => at = before,
            _ => return at,
        }
        if at > 0 && tokens[at - 1].is(".") {
            at -= 1;
        } else {
            return at;
        }
    }
    at
}

/// The place after an index that stands here, if one does.
fn behind_index(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    tokens.get(at).filter(|token| token.is("["))?;
    Some(partner(tokens, at)? + 1)
}

/// Where the value of an assignment ends.
pub(super) fn value_end(tokens: &[Token<'_>], begin: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(begin) {
        match &*token.text {
            "(" | "[" => depth += 1,
            ")" | "]" if depth == 0 => return at,
            ")" | "]" => depth -= 1,
            "," | ";" if depth == 0 => return at,
            _ => {}
        }
    }
    tokens.len()
}
