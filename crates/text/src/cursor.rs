//! The parser's place in the tokens: looking, taking, complaining.

use crate::diagnostic::{Cause, Diagnostic, Origin, Severity, SourceFile, excerpt, list, nearest};
use crate::lexer::{Lexed, MOST_DIAGNOSTICS, Token, TokenKind};
use crate::number::parse_float;
use std::fmt;
use std::sync::Arc;

/// Says that a diagnostic has been made: what was being read is invalid.
#[derive(Clone, Copy, Debug)]
pub struct Reported;

/// A stretch of text that a diagnostic can point at.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Index of its text among the files.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
}

impl Span {
    /// From the start of this to the end of `last`, as far as they are in one file.
    pub fn to(self, last: Span) -> Span {
        if last.file == self.file && last.end >= self.end { Span { end: last.end, ..self } } else { self }
    }
}

impl From<Token> for Span {
    fn from(token: Token) -> Span {
        Span { file: token.file, start: token.start, end: token.end }
    }
}

/// A place in the tokens.
pub struct Cursor {
    files: Vec<Arc<SourceFile>>,
    tokens: Vec<Token>,
    at: usize,
    /// What has been complained about.
    pub diagnostics: Vec<Diagnostic>,
}

impl Cursor {
    /// A cursor at the first token.
    pub fn new(lexed: Lexed) -> Self {
        Cursor { files: lexed.files, tokens: lexed.tokens, at: 0, diagnostics: lexed.diagnostics }
    }

    /// The token `ahead` places further.
    pub fn look(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    /// The token that is here.
    pub fn peek(&self) -> Token {
        self.look(0)
    }

    /// True if nothing is left.
    pub fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    /// Takes the token that is here.
    pub fn take(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// The token that was taken last.
    pub fn last(&self) -> Token {
        self.tokens[self.at.saturating_sub(1)]
    }

    /// What a token says.
    pub fn text(&self, token: Token) -> &str {
        &self.files[token.file as usize].text[token.start as usize..token.end as usize]
    }

    /// True if this symbol is here.
    pub fn is_symbol(&self, symbol: u8) -> bool {
        self.peek().kind == TokenKind::Symbol(symbol)
    }

    /// True if this word is here; case is not significant.
    pub fn is_word(&self, word: &str) -> bool {
        self.word_ahead(0).is_some_and(|text| text.eq_ignore_ascii_case(word))
    }

    /// The word `ahead` places further, if a word is there.
    pub fn word_ahead(&self, ahead: usize) -> Option<&str> {
        let token = self.look(ahead);
        (token.kind == TokenKind::Word).then(|| self.text(token))
    }

    /// Takes this symbol, if it is here.
    pub fn accept_symbol(&mut self, symbol: u8) -> bool {
        let there = self.is_symbol(symbol);
        if there {
            self.take();
        }
        there
    }

    /// Takes this word, if it is here.
    pub fn accept_word(&mut self, word: &str) -> bool {
        let there = self.is_word(word);
        if there {
            self.take();
        }
        there
    }

    /// Takes a symbol that must be here; `what` says what it would be part of.
    pub fn expect_symbol(&mut self, symbol: u8, what: impl fmt::Display) -> Result<(), Reported> {
        if self.accept_symbol(symbol) {
            return Ok(());
        }
        Err(self.expected(&format!("`{}` {what}", symbol as char), ""))
    }

    /// Takes a word that must be here; `what` says what it would be.
    pub fn expect_word(&mut self, what: &str, help: &str) -> Result<Token, Reported> {
        if self.peek().kind == TokenKind::Word { Ok(self.take()) } else { Err(self.expected(what, help)) }
    }

    /// Takes a word that must be one of these names; gives its place among them.
    pub fn expect_name(&mut self, what: &str, names: &[&str]) -> Result<usize, Reported> {
        if self.peek().kind != TokenKind::Word {
            return Err(self.expected(what, &format!("it can be {}", list(names))));
        }
        let token = self.take();
        let place = names.iter().position(|name| name.eq_ignore_ascii_case(self.text(token)));
        place.ok_or(()).map_err(|()| self.unknown_word(token, what, names))
    }

    /// Complains that something else is here.
    pub fn expected(&mut self, what: &str, help: &str) -> Reported {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Word | TokenKind::Symbol(_) => format!("`{}`", excerpt(self.text(token))),
        };
        self.error(Cause::Syntax, token, format!("expected {what}, found {found}"), help)
    }

    /// Complains about a word that is none of the candidates.
    pub fn unknown_word(&mut self, token: Token, what: &str, candidates: &[&str]) -> Reported {
        let word = self.text(token);
        let help = match nearest(word, candidates.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if candidates.len() <= 20 => format!("it can be {}", list(candidates)),
            None => String::new(),
        };
        let message = format!("unknown {} `{}`", bare(what), excerpt(word));
        self.error(Cause::UnknownWord, token, message, &help)
    }

    /// Reports an error.
    pub fn error(&mut self, cause: Cause, span: impl Into<Span>, message: impl Into<String>, help: &str) -> Reported {
        self.report(Severity::Error, cause, span.into(), message.into(), help);
        Reported
    }

    /// Reports a warning.
    pub fn warning(&mut self, cause: Cause, span: impl Into<Span>, message: impl Into<String>, help: &str) {
        self.report(Severity::Warning, cause, span.into(), message.into(), help);
    }

    /// The place of a stretch of text, for whoever has no tokens.
    pub fn origin(&self, span: Span) -> Origin {
        Origin { file: self.files[span.file as usize].clone(), span: span.start as usize..span.end as usize }
    }

    fn report(&mut self, severity: Severity, cause: Cause, span: Span, message: String, help: &str) {
        let Origin { file, span } = self.origin(span);
        let help = (!help.is_empty()).then(|| help.to_owned());
        self.diagnostics.push(Diagnostic { cause, severity, file: file.clone(), span: span.clone(), message, help });
        // The rest is not looked at, so that there is no program, even if these are all warnings.
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        if self.diagnostics.len() == MOST_DIAGNOSTICS && !self.diagnostics.iter().any(is_error) {
            let (cause, severity) = (Cause::TooLong, Severity::Error);
            let message = format!("{MOST_DIAGNOSTICS} warnings; the rest of the text was not looked at");
            self.diagnostics.push(Diagnostic { cause, severity, file, span, message, help: None });
        }
    }

    /// A whole number of at most `max`, decimal or hexadecimal. One that is too large is reported and read as 0.
    pub fn number(&mut self, what: &str, max: u32) -> Result<u32, Reported> {
        let token = self.peek();
        if token.kind != TokenKind::Word || !self.text(token).as_bytes()[0].is_ascii_digit() {
            return Err(self.expected(&format!("{what}, a number from 0 to {max}"), ""));
        }
        self.take();
        let text = self.text(token);
        let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (text, 10),
        };
        if digits.is_empty() || !digits.bytes().all(|digit| (digit as char).is_digit(radix)) {
            let message = format!("`{}` is not a whole number", excerpt(text));
            return Err(self.error(Cause::Syntax, token, message, &format!("{what} is a number from 0 to {max}")));
        }
        match u32::from_str_radix(digits, radix) {
            Ok(value) if value <= max => Ok(value),
            _ => {
                let message = format!("{} {} is out of range (0 to {max})", bare(what), excerpt(text));
                self.error(Cause::Range, token, message, "");
                Ok(0)
            }
        }
    }

    /// Takes what looks like a number: digits, with letters, a point and the sign of an exponent among them.
    pub fn numeral(&mut self) -> Option<(String, Span)> {
        let first = self.peek();
        let text = &self.files[first.file as usize].text[first.start as usize..];
        let length = float_length(text.as_bytes());
        if first.kind != TokenKind::Word || length == 0 {
            return None;
        }
        let spelled = text[..length].to_owned();
        let end = first.start + length as u32;
        while !self.at_end() && self.peek().file == first.file && self.peek().start < end {
            self.take();
        }
        Some((spelled, Span { end, ..first.into() }))
    }

    /// A number as [`parse_float`] reads it: bits of a binary32.
    pub fn float(&mut self, what: &str) -> Result<(u32, Span), Reported> {
        let first = self.peek();
        let negative = self.accept_symbol(b'-');
        let number = self.peek();
        let sign = u32::from(negative) << 31;
        if self.accept_word("inf") {
            return Ok((sign | f32::INFINITY.to_bits(), Span::from(first).to(number.into())));
        }
        if !negative && self.accept_word("nan") {
            return Ok((parse_float("nan").unwrap_or_default(), number.into()));
        }
        let Some((spelled, span)) = self.numeral() else {
            return Err(self.expected(what, "write a number such as `0.5`, `-1e3`, `inf`, or its bits, `0x3F000000`"));
        };
        let span = Span::from(first).to(span);
        // Bits have no sign.
        let signed = if negative { format!("-{spelled}") } else { spelled.clone() };
        let bits = parse_float(&signed).map(|bits| bits & !sign);
        match bits {
            Some(bits) if f32::from_bits(bits) != f32::INFINITY || is_bits(&spelled) => Ok((sign | bits, span)),
            Some(_) => {
                let message = format!("{} {} is out of range", bare(what), excerpt(&signed));
                self.error(Cause::Range, span, message, "the largest number is 3.4028235e38; write `inf` for infinity");
                Ok((0, span))
            }
            None => {
                let message = format!("`{}` is not a number", excerpt(&spelled));
                Err(self.error(Cause::Syntax, span, message, "bits are `0x` and up to 8 digits, without a sign"))
            }
        }
    }
}

/// A noun without its article.
fn bare(what: &str) -> &str {
    ["a ", "an ", "the "].iter().find_map(|article| what.strip_prefix(article)).unwrap_or(what)
}

/// Whether a number is spelled as the bits of a binary32, which may be those of an infinity.
fn is_bits(spelled: &str) -> bool {
    spelled.get(..2).is_some_and(|begin| begin.eq_ignore_ascii_case("0x")) && !spelled.contains(['p', 'P'])
}

/// Length of the number that begins a text: words, a point between them, a sign after an `e`, or a `p` if it is hexadecimal.
fn float_length(text: &[u8]) -> usize {
    let mut at = 0;
    let mut point = false;
    let hexadecimal = text.len() > 1 && text[0] == b'0' && matches!(text[1], b'x' | b'X');
    if !text.first().is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    while let Some(&byte) = text.get(at) {
        let exponent = if hexadecimal { b'p' } else { b'e' };
        let exponent_sign = matches!(byte, b'-' | b'+')
            && text[at - 1].eq_ignore_ascii_case(&exponent)
            && text.get(at + 1).is_some_and(u8::is_ascii_digit);
        let goes_on = |next: &u8| if hexadecimal { next.is_ascii_hexdigit() } else { next.is_ascii_digit() };
        let is_point = byte == b'.' && !point && text.get(at + 1).is_some_and(goes_on);
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || exponent_sign || is_point) {
            break;
        }
        point |= is_point;
        at += 1;
    }
    at
}
