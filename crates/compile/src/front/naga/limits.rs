//! What a text may be before it is given to naga, whose readers recurse over its structure and look at no clock.

use super::read::ReadError;

/// Most bytes of a text: what takes naga longest, many branches in one function, grows with the square of them.
const MAX_BYTES: usize = 1 << 18;
/// Most functions times global variables. naga gives each function of GLSL an expression for every one, of some 150 bytes.
const MAX_PAIRS: usize = 1 << 18;
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
    // Variables outside of functions, and members of blocks, which may be such. The last byte tells a function's body from a block.
    let (mut functions, mut globals, mut in_function, mut last) = (0usize, 0usize, false, 0);
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
            b'{' if depth == 0 => {
                in_function = last == b')';
                functions += usize::from(in_function);
            }
            b';' | b',' if depth == 0 || depth == 1 && !in_function => globals += 1,
            _ => {}
        }
        if !rest[0].is_ascii_whitespace() {
            last = rest[0];
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
        if functions * globals > MAX_PAIRS {
            return limit("pairs of a function and a global variable", MAX_PAIRS, at);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn limit_of(text: &str) -> Option<&'static str> {
        match check(text) {
            Ok(()) => None,
            Err((ReadError::Limit { what, .. }, _)) => Some(what),
            Err((other, _)) => panic!("{other}"),
        }
    }

    #[test]
    fn texts_have_sizes() {
        assert_eq!(limit_of(&" ".repeat(MAX_BYTES)), None);
        assert_eq!(limit_of(&" ".repeat(MAX_BYTES + 1)), Some("bytes"));
    }

    /// Each function costs something for each global, and neither costs anything alone.
    #[test]
    fn functions_and_globals_have_a_product() {
        let text = |functions: usize, globals: &str| "void f() { int a, b; g(a, b); }\n".repeat(functions) + globals;
        let pairs = Some("pairs of a function and a global variable");
        assert_eq!(limit_of(&text(512, &"float g;\n".repeat(512))), None);
        assert_eq!(limit_of(&text(512, &"float g;\n".repeat(513))), pairs);
        assert_eq!(limit_of(&text(513, &"float g;\n".repeat(512))), pairs);
        assert_eq!(limit_of(&text(512, &format!("float a{};", ", a".repeat(512)))), pairs);
        assert_eq!(limit_of(&text(512, &format!("uniform B {{ {} }};", "float g; ".repeat(512)))), pairs);
        assert_eq!(limit_of(&text(7000, "float g;")), None);
        assert_eq!(limit_of(&"float g;\n".repeat(20_000)), None);
    }
}
