//! What a text may be before it is given to naga, whose readers recurse over its structure.

use super::read::ReadError;

/// Most bytes of a text.
const MAX_BYTES: usize = 1 << 20;
/// How deep brackets may be nested.
const MAX_DEPTH: usize = 100;
/// Most operators and commas of one statement.
const MAX_OPERATORS: usize = 4000;
/// Most signs in front of one value.
const MAX_SIGNS: usize = 50;
/// Most `else if` of one choice.
const MAX_CHOICES: usize = 200;

/// Refuses a text that would need too much of the stack, with the byte offset where. Comments end lines or are closed.
pub(super) fn check(text: &str) -> Result<(), (ReadError, usize)> {
    let limit = |what, limit, at| Err((ReadError::Limit { what, limit }, at));
    if text.len() > MAX_BYTES {
        return limit("bytes", MAX_BYTES, 0);
    }
    let bytes = text.as_bytes();
    let (mut depth, mut operators, mut signs, mut choices) = (0usize, 0, 0, 0);
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"//") {
            at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with(b"/*") {
            at += comment(rest);
            continue;
        }
        match rest[0] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match rest[0] {
            b';' | b'{' | b'}' => operators = 0,
            b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'&' | b'|' | b'^' | b'?' | b'.' | b'[' | b'('
            | b',' => operators += 1,
            _ => {}
        }
        match rest[0] {
            b'-' | b'+' | b'!' | b'~' | b'*' | b'&' | b'<' => signs += 1,
            byte if byte.is_ascii_whitespace() => {}
            _ => signs = 0,
        }
        if rest.starts_with(b"else") && !at.checked_sub(1).is_some_and(|before| is_word(bytes[before])) {
            choices += 1;
        }
        if depth == 0 {
            choices = 0;
        }
        if depth > MAX_DEPTH {
            return limit("brackets inside of each other", MAX_DEPTH, at);
        }
        if operators > MAX_OPERATORS {
            return limit("operators in one statement", MAX_OPERATORS, at);
        }
        if signs > MAX_SIGNS {
            return limit("operators in front of one value", MAX_SIGNS, at);
        }
        if choices > MAX_CHOICES {
            return limit("uses of `else` in one function", MAX_CHOICES, at);
        }
        at += 1;
    }
    Ok(())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The length of a comment, which WGSL nests.
fn comment(bytes: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}
