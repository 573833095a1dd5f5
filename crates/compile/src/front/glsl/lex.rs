//! Tokens of GLSL text.

use std::borrow::Cow;

/// What kind of token it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number in any spelling.
    Number,
    /// An operator or a bracket.
    Mark,
}

/// A token with the place in the user's text that it stands for.
#[derive(Debug, Clone)]
pub(crate) struct Token<'a> {
    /// What it is.
    pub(crate) kind: Kind,
    /// How it is spelled.
    pub(crate) text: Cow<'a, str>,
    /// Byte offset into the user's text; for a token out of a macro, that of the macro's name where it is used.
    pub(crate) at: u32,
    /// Whether blank space stands in front of it.
    pub(crate) spaced: bool,
}

impl<'a> Token<'a> {
    /// A token that the user did not write.
    pub(crate) fn new(kind: Kind, text: impl Into<Cow<'a, str>>, at: u32) -> Token<'a> {
        Token { kind, text: text.into(), at, spaced: true }
    }

    /// A name that the user did not write.
    pub(crate) fn word(text: impl Into<Cow<'a, str>>, at: u32) -> Token<'a> {
        Token::new(Kind::Word, text, at)
    }

    /// An operator or bracket that the user did not write.
    pub(crate) fn mark(text: &'static str, at: u32) -> Token<'a> {
        Token::new(Kind::Mark, text, at)
    }

    /// Whether it is this word or mark.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text
    }
}

/// A line of the text without its comments: its tokens, and whether its first mark is the `#` of a directive.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    /// The tokens, for directives without the `#`.
    pub(crate) tokens: Vec<Token<'a>>,
    /// Byte offset of the `#`, if the line is a directive.
    pub(crate) directive: Option<u32>,
    /// The rest of a directive's line as it was written, for `#error`.
    pub(crate) text: &'a str,
    /// Number of the line in the user's text, from 1.
    pub(crate) number: u32,
    /// A character that no token begins with, and its place; an error unless the line is skipped.
    pub(crate) stray: Option<(char, u32)>,
}

/// The operators of more than one character, longest first.
const MARKS: [&str; 24] = [
    "<<=", ">>=", "##", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "^^", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "->", "::",
];

/// Cuts a text into lines of tokens.
///
/// # Errors
///
/// The byte offset of a comment that never ends.
pub(crate) fn lines(text: &str) -> Result<Vec<Line<'_>>, u32> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let (mut at, mut number) = (0, 1);
    while at < bytes.len() {
        let mut line = Line { tokens: Vec::new(), directive: None, text: "", number, stray: None };
        let mut spaced = false;
        let mut start = at;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\n' => {
                    at += 1;
                    number += 1;
                    break;
                }
                b'\\' if matches!(bytes.get(at + 1), Some(b'\n')) => {
                    at += 2;
                    number += 1;
                    spaced = true;
                }
                b'\\' if bytes[at..].starts_with(b"\\\r\n") => {
                    at += 3;
                    number += 1;
                    spaced = true;
                }
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    while at < bytes.len() && bytes[at] != b'\n' {
                        let continues = ["\\\n", "\\\r\n"]
                            .into_iter()
                            .find(|end| text.as_bytes()[at..].starts_with(end.as_bytes()));
                        number += u32::from(continues.is_some());
                        at += continues.map_or(1, str::len);
                    }
                }
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    let end = text[at + 2..].find("*/").ok_or(at as u32)?;
                    number += text[at..at + 2 + end].matches('\n').count() as u32;
                    at += end + 4;
                    spaced = true;
                }
                b'#' if line.tokens.is_empty() && line.directive.is_none() && line.stray.is_none() => {
                    line.directive = Some(at as u32);
                    at += 1;
                    start = at;
                }
                _ if byte.is_ascii_whitespace() => {
                    at += 1;
                    spaced = true;
                }
                _ => match token(text, at) {
                    Some((kind, end)) => {
                        line.tokens.push(Token { kind, text: Cow::Borrowed(&text[at..end]), at: at as u32, spaced });
                        at = end;
                        spaced = false;
                    }
                    None => {
                        let stray = text[at..].chars().next().unwrap_or(' ');
                        line.stray.get_or_insert((stray, at as u32));
                        at += stray.len_utf8();
                    }
                },
            }
        }
        line.text = text[start..at].trim();
        lines.push(line);
    }
    Ok(lines)
}

/// The token at a place, and where it ends.
fn token(text: &str, at: usize) -> Option<(Kind, usize)> {
    let bytes = text.as_bytes();
    let first = bytes[at];
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if first.is_ascii_alphabetic() || first == b'_' {
        let end = (at..bytes.len()).find(|&i| !word(bytes[i])).unwrap_or(bytes.len());
        return Some((Kind::Word, end));
    }
    if first.is_ascii_digit() || first == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
        let hexadecimal = bytes[at..].starts_with(b"0x") || bytes[at..].starts_with(b"0X");
        let mut end = at + 1;
        while end < bytes.len() {
            let byte = bytes[end];
            let sign = matches!(byte, b'+' | b'-') && !hexadecimal && matches!(bytes[end - 1], b'e' | b'E');
            if !(word(byte) || byte == b'.' || sign) {
                break;
            }
            end += 1;
        }
        return Some((Kind::Number, end));
    }
    if let Some(mark) = MARKS.iter().find(|mark| text[at..].starts_with(**mark)) {
        return Some((Kind::Mark, at + mark.len()));
    }
    b"+-*/%<>=!~&|^?:;,.()[]{}#".contains(&first).then_some((Kind::Mark, at + 1))
}
