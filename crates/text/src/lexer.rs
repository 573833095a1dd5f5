//! Text to tokens, with `#include`.

use crate::diagnostic::{Cause, Diagnostic, Severity, SourceFile, excerpt, list};
use std::ops::Range;
use std::sync::Arc;

/// How a language looks.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// What begins a comment, up to the end of its line.
    pub comments: &'static [&'static str],
    /// What begins and ends a comment that may have several lines, if the language has such.
    pub block_comment: Option<[&'static str; 2]>,
    /// The punctuation that it uses.
    pub symbols: &'static [u8],
    /// How large programs are, for those who write too much.
    pub limit: &'static str,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Letters, digits and underscores.
    Word,
    /// One character of punctuation.
    Symbol(u8),
    /// The end of the whole text.
    End,
}

/// A token: a kind and a range of the text.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Index of its text among the files.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
    /// It is the first of its line.
    pub first_of_line: bool,
}

/// Gives the text that an `#include` names.
///
/// It gets the name of the file that includes and the name in quotes, and gives back the name and the text of what is
/// meant, or a reason why not. Two names that stand for the same text should come back as one, so that files that include
/// themselves are found.
pub type Loader<'l> = dyn FnMut(&str, &str) -> Result<SourceFile, String> + 'l;

/// After this many diagnostics the rest of a text is not looked at.
pub const MOST_DIAGNOSTICS: usize = 256;
/// Files that may include each other this deep.
const DEEPEST_INCLUDE: usize = 64;
/// Inclusions in all.
const MOST_INCLUDES: usize = 10_000;
/// Most bytes of text, each included file counted as often as it is included. Whoever reads texts from files refuses longer
/// ones by their size.
pub const MAX_TEXT: usize = 1 << 24;

/// All tokens of a text and what it includes, ending in [`TokenKind::End`].
pub struct Lexed {
    /// The texts; the main one first.
    pub files: Vec<Arc<SourceFile>>,
    /// The tokens.
    pub tokens: Vec<Token>,
    /// What is wrong with them.
    pub diagnostics: Vec<Diagnostic>,
}

struct Lexer<'l, 'f> {
    dialect: &'static Dialect,
    loader: &'l mut Loader<'f>,
    lexed: Lexed,
    /// Files being read, outermost first.
    open: Vec<u32>,
    text_left: usize,
    includes_left: usize,
    /// There was more text than is allowed, or there were more problems than are reported: nothing more is read.
    is_over: bool,
}

/// Takes a text apart.
pub fn lex(dialect: &'static Dialect, main: SourceFile, loader: &mut Loader<'_>) -> Lexed {
    let lexed = Lexed { files: vec![Arc::new(main)], tokens: Vec::new(), diagnostics: Vec::new() };
    let mut lexer = Lexer {
        dialect,
        loader,
        lexed,
        open: Vec::new(),
        text_left: MAX_TEXT,
        includes_left: MOST_INCLUDES,
        is_over: false,
    };
    lexer.file(0);
    let end = u32::try_from(lexer.lexed.files[0].text.len()).unwrap_or(0);
    let end = Token { kind: TokenKind::End, file: 0, start: end, end, first_of_line: true };
    lexer.lexed.tokens.push(end);
    lexer.lexed
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Lexer<'_, '_> {
    fn error(&mut self, file: u32, span: Range<usize>, cause: Cause, message: String, help: &str) {
        let file = self.lexed.files[file as usize].clone();
        let help = (!help.is_empty()).then(|| help.to_owned());
        self.lexed.diagnostics.push(Diagnostic { cause, severity: Severity::Error, file, span, message, help });
        self.is_over |= self.lexed.diagnostics.len() >= MOST_DIAGNOSTICS;
    }

    fn comments_help(&self) -> String {
        format!("comments begin with {}", list(self.dialect.comments))
    }

    fn file(&mut self, file: u32) {
        let source = self.lexed.files[file as usize].clone();
        let text = source.text.as_bytes();
        if text.len() > self.text_left {
            let message = format!("more than {} MiB of text", MAX_TEXT >> 20);
            self.error(file, 0..0, Cause::TooLong, message, self.dialect.limit);
            self.is_over = true;
            return;
        }
        self.text_left -= text.len();
        self.open.push(file);
        let mut at = 0;
        let mut first_of_line = true;
        while at < text.len() && !self.is_over {
            let start = at;
            let byte = text[at];
            at += 1;
            match byte {
                b'\n' => first_of_line = true,
                b' ' | b'\t' | b'\r' => {}
                _ if self.dialect.comments.iter().any(|begin| text[start..].starts_with(begin.as_bytes())) => {
                    at = line_end(text, at);
                }
                _ if self.begins_block(&text[start..]) => at = self.block_comment(file, start),
                b'#' => at = self.include(file, start),
                _ => {
                    let kind = match byte {
                        _ if is_word(byte) => TokenKind::Word,
                        _ if self.dialect.symbols.contains(&byte) => TokenKind::Symbol(byte),
                        _ => TokenKind::End,
                    };
                    // Letters of other alphabets belong to the word that they are in.
                    if !matches!(kind, TokenKind::Symbol(_)) {
                        at = end_of(text, at, |byte| is_word(byte) || !byte.is_ascii());
                    }
                    if kind == TokenKind::End || !source.text[start..at].is_ascii() {
                        let message = format!("unexpected `{}`", excerpt(&source.text[start..at]).escape_debug());
                        self.error(file, start..at, Cause::Character, message, &self.comments_help());
                        continue;
                    }
                    let (start, end) = (start as u32, at as u32);
                    self.lexed.tokens.push(Token { kind, file, start, end, first_of_line });
                    first_of_line = false;
                }
            }
        }
        self.open.pop();
    }

    fn begins_block(&self, text: &[u8]) -> bool {
        self.dialect.block_comment.is_some_and(|[begin, _]| text.starts_with(begin.as_bytes()))
    }

    /// Gives the place after the comment that begins at `start`.
    fn block_comment(&mut self, file: u32, start: usize) -> usize {
        let [begin, end] = self.dialect.block_comment.unwrap_or_default();
        let text = &self.lexed.files[file as usize].text;
        if let Some(length) = text[start + begin.len()..].find(end) {
            return start + begin.len() + length + end.len();
        }
        let all = text.len();
        let (message, help) = ("this comment has no end".to_owned(), format!("it ends with `{end}`"));
        self.error(file, start..start + begin.len(), Cause::Syntax, message, &help);
        all
    }

    /// Reads `#include "name"` from the `#` on, lexes the file, and gives the place after it.
    fn include(&mut self, file: u32, start: usize) -> usize {
        let source = self.lexed.files[file as usize].clone();
        let text = source.text.as_bytes();
        let word_end = end_of(text, start + 1, is_word);
        let quote = end_of(text, word_end, |byte| byte == b' ' || byte == b'\t');
        let stop = line_end(text, quote);
        if &text[start + 1..word_end] != b"include" || text.get(quote) != Some(&b'"') {
            let message = "only `#include \"file\"` begins with `#`".to_owned();
            self.error(file, start..stop, Cause::Include, message, &self.comments_help());
            return stop;
        }
        let Some(length) = text[quote + 1..stop].iter().position(|&byte| byte == b'"') else {
            let message = "the name of the included file has no closing quote".to_owned();
            self.error(file, quote..stop, Cause::Include, message, "write `#include \"file\"`");
            return stop;
        };
        let name = &source.text[quote + 1..quote + 1 + length];
        let after = quote + length + 2;
        let span = quote..after;
        if self.open.len() >= DEEPEST_INCLUDE {
            let message = format!("files include each other more than {DEEPEST_INCLUDE} deep");
            self.error(file, span, Cause::Include, message, "");
            return after;
        }
        if self.includes_left == 0 {
            let message = format!("more than {MOST_INCLUDES} inclusions");
            self.error(file, span, Cause::TooLong, message, self.dialect.limit);
            self.is_over = true;
            return after;
        }
        self.includes_left -= 1;
        match (self.loader)(&source.name, name) {
            Err(reason) => self.error(file, span, Cause::Include, format!("cannot include `{name}`: {reason}"), ""),
            Ok(found) if self.open.iter().any(|&open| self.lexed.files[open as usize].name == found.name) => {
                let message = format!("`{}` includes itself", found.name);
                self.error(file, span, Cause::Include, message, "a file cannot be part of itself");
            }
            Ok(found) => {
                // A file that is included again shares its text.
                let known = self.lexed.files.iter().position(|file| **file == found);
                let index = known.unwrap_or_else(|| {
                    self.lexed.files.push(Arc::new(found));
                    self.lexed.files.len() - 1
                });
                self.file(index as u32);
            }
        }
        after
    }
}

fn end_of(text: &[u8], from: usize, inside: impl Fn(u8) -> bool) -> usize {
    text[from..].iter().position(|&byte| !inside(byte)).map_or(text.len(), |length| from + length)
}

fn line_end(text: &[u8], from: usize) -> usize {
    end_of(text, from, |byte| byte != b'\n')
}
