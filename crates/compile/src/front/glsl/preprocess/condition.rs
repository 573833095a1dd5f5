//! Values of the conditions of `#if` and `#elif`.

use super::super::lex::{Kind, Token};
use super::{LocatedResult, PreprocessError};

/// How deep parentheses and signs may be nested.
const MAX_DEPTH: u32 = 64;

/// The value of a condition whose macros are expanded; names are zero.
///
/// # Errors
///
/// What cannot be read, with its place, or `at` for the end of the line.
pub(super) fn value(tokens: &[Token<'_>], at: u32) -> LocatedResult<i64> {
    let mut reader = Reader { tokens, next: 0, at };
    let value = reader.binary(0, 0)?;
    match reader.tokens.get(reader.next) {
        None => Ok(value),
        Some(token) => Err((PreprocessError::Condition("an operator is missing"), token.at)),
    }
}

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    next: usize,
    at: u32,
}

/// How tightly an operator binds.
fn binding(mark: &str) -> Option<u32> {
    Some(match mark {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

impl Reader<'_, '_> {
    fn binary(&mut self, least: u32, depth: u32) -> LocatedResult<i64> {
        let mut left = self.unary(depth)?;
        while let Some(token) = self.tokens.get(self.next) {
            let Some(strength) = binding(&token.text).filter(|strength| *strength > least) else { break };
            self.next += 1;
            let right = self.binary(strength, depth + 1)?;
            let shift = u32::try_from(right).unwrap_or(64);
            left = match &*token.text {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<<" => left.checked_shl(shift).unwrap_or(0),
                ">>" => left.checked_shr(shift).unwrap_or(0),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                _ if right == 0 => return Err((PreprocessError::Condition("a division by zero"), token.at)),
                "/" => left.wrapping_div(right),
                _ => left.wrapping_rem(right),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, depth: u32) -> LocatedResult<i64> {
        let Some(token) = self.tokens.get(self.next) else {
            return Err((PreprocessError::Condition("a value is missing"), self.at));
        };
        if depth > MAX_DEPTH {
            return Err((PreprocessError::Condition("it is nested too deep"), token.at));
        }
        self.next += 1;
        match (token.kind, &*token.text) {
            (Kind::Word, _) => Ok(0),
            (Kind::Number, text) => {
                integer(text).ok_or((PreprocessError::Condition("a condition needs whole numbers"), token.at))
            }
            (Kind::Mark, "(") => {
                let value = self.binary(0, depth + 1)?;
                match self.tokens.get(self.next) {
                    Some(token) if token.is(")") => {
                        self.next += 1;
                        Ok(value)
                    }
                    _ => Err((PreprocessError::Condition("a `)` is missing"), token.at)),
                }
            }
            (Kind::Mark, "!") => Ok(i64::from(self.unary(depth + 1)? == 0)),
            (Kind::Mark, "-") => Ok(self.unary(depth + 1)?.wrapping_neg()),
            (Kind::Mark, "+") => self.unary(depth + 1),
            (Kind::Mark, "~") => Ok(!self.unary(depth + 1)?),
            (Kind::Mark, _) => Err((PreprocessError::Condition("a value is missing"), token.at)),
        }
    }
}

/// A whole number as GLSL spells it.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(['u', 'U']);
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        i64::from_str_radix(digits, 16).ok()
    } else if text.len() > 1 && text.starts_with('0') {
        i64::from_str_radix(text, 8).ok()
    } else {
        text.parse().ok()
    }
}
