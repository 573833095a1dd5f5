//! Declarations cut into their parts: brackets and what stands in them, lists, names with sizes and values.

use super::lex::{Kind, Token};
use super::{GlslError, LocatedResult};

/// Tokens that are taken one after the other.
pub(super) struct Reader<'t, 'a> {
    pub(super) tokens: &'t [Token<'a>],
    pub(super) next: usize,
}

impl<'t, 'a> Reader<'t, 'a> {
    pub(super) fn peek(&self) -> Option<&'t Token<'a>> {
        self.tokens.get(self.next)
    }

    pub(super) fn at(&self) -> u32 {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |token| token.at)
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.is(text))
    }

    /// Takes a bracket and all up to its partner.
    pub(super) fn group(&mut self) -> LocatedResult<&'t [Token<'a>]> {
        let start = self.next;
        let mut depth = 0;
        while let Some(token) = self.peek() {
            self.next += 1;
            match &*token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(&self.tokens[start..self.next]);
                    }
                }
                _ => {}
            }
        }
        Err((GlslError::OpenBracket(self.tokens[start].text.to_string()), self.tokens[start].at))
    }

    /// Takes all up to the mark, which stands outside of brackets, and the mark.
    pub(super) fn until(&mut self, mark: &str) -> LocatedResult<&'t [Token<'a>]> {
        let start = self.next;
        while let Some(token) = self.peek() {
            if token.is(mark) {
                self.next += 1;
                return Ok(&self.tokens[start..self.next - 1]);
            }
            match &*token.text {
                "(" | "[" | "{" => _ = self.group()?,
                ")" | "]" | "}" => return Err((GlslError::Missing(mark.to_owned()), token.at)),
                _ => self.next += 1,
            }
        }
        Err((GlslError::Missing(mark.to_owned()), self.at()))
    }
}

/// One name of a declaration.
pub(super) struct Declarator<'t, 'a> {
    pub(super) name: &'t Token<'a>,
    pub(super) sizes: Vec<&'t [Token<'a>]>,
    pub(super) value: Option<&'t [Token<'a>]>,
}

/// Splits a list at its commas outside of brackets.
pub(super) fn split<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    split_at(tokens, ",")
}

/// Splits tokens at a mark outside of brackets.
pub(super) fn split_at<'t, 'a>(tokens: &'t [Token<'a>], mark: &str) -> Vec<&'t [Token<'a>]> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0);
    for (i, token) in tokens.iter().enumerate() {
        match &*token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            text if text == mark && depth == 0 => {
                parts.push(&tokens[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts
}

/// The insides of bracket groups at the start of a list, and what follows.
pub(super) fn sizes<'t, 'a>(tokens: &'t [Token<'a>]) -> (Vec<&'t [Token<'a>]>, &'t [Token<'a>]) {
    let mut sizes = Vec::new();
    let mut reader = Reader { tokens, next: 0 };
    while reader.is("[") {
        let Ok(group) = reader.group() else { break };
        sizes.push(&group[1..group.len() - 1]);
    }
    (sizes, &tokens[reader.next..])
}

/// The name of a declaration that these tokens are, at a place if there are none.
pub(super) fn declarator<'t, 'a>(tokens: &'t [Token<'a>], at: u32) -> LocatedResult<Declarator<'t, 'a>> {
    let Some(name) = tokens.first().filter(|token| token.kind == Kind::Word) else {
        return Err((GlslError::Name, tokens.first().map_or(at, |token| token.at)));
    };
    let (sizes, rest) = sizes(&tokens[1..]);
    let value = match rest.first() {
        None => None,
        Some(token) if token.is("=") => Some(&rest[1..]),
        Some(token) => return Err((GlslError::Unexpected(token.text.to_string()), token.at)),
    };
    Ok(Declarator { name, sizes, value })
}

/// How many values a list in parentheses or braces has: `float[](1.0, 2.0)`, `{1, 2}`.
pub(super) fn elements(value: &[Token<'_>]) -> Option<usize> {
    let open = value.iter().position(|token| token.is("(") || token.is("{"))?;
    let mut reader = Reader { tokens: value, next: open };
    let group = reader.group().ok()?;
    (group.len() > 2 && reader.next == value.len()).then(|| split(&group[1..group.len() - 1]).len())
}
