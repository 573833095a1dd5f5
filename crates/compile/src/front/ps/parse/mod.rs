//! Text to [`Shader`].

mod declaration;
mod instruction;
mod nesting;
mod operand;

use super::ast::{Shader, Statement};
use super::version::{SPELLINGS, Version};
use ctm_text::{
    Cause, Cursor, Diagnostic, Dialect, MOST_DIAGNOSTICS, Reported, Severity, SourceFile, TokenKind, excerpt, lex,
};
use nesting::Nesting;
use std::collections::BTreeMap;

const DIALECT: Dialect = Dialect {
    comments: &["//", ";"],
    block_comment: Some(["/*", "*/"]),
    symbols: b"()[].,-+!=",
    limit: "a program has 512 instructions at most",
};

/// Most instructions of a text.
const MOST_INSTRUCTIONS: usize = 4096;

/// A text that has been read.
pub struct Parsed {
    /// What it says.
    pub shader: Shader,
    /// The tokens, with what there is to complain about so far; all warnings.
    pub cursor: Cursor,
}

impl Parsed {
    /// What was read, if nothing is wrong with it.
    pub(super) fn without_errors(self) -> Result<Self, Vec<Diagnostic>> {
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        if self.cursor.diagnostics.iter().any(is_error) { Err(self.cursor.diagnostics) } else { Ok(self) }
    }
}

/// Reads a text and checks each line of it.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn parse(name: &str, text: &str) -> Result<Parsed, Vec<Diagnostic>> {
    let main = SourceFile { name: name.to_owned(), text: text.to_owned() };
    let lexed = lex(&DIALECT, main, &mut |_, _| Err("shaders have no files to include".to_owned()));
    let mut parser = Parser::new(Cursor::new(lexed));
    // Without a version nothing else can be checked.
    if parser.version().is_ok() {
        parser.lines();
    }
    parser.finish()
}

/// What has been read so far.
struct Parser {
    cursor: Cursor,
    shader: Shader,
    nesting: Nesting,
    instructions: usize,
    lines: Lines,
}

/// Line numbers of places that are asked for in order.
struct Lines {
    at: usize,
    line: u32,
}

impl Lines {
    /// The line of a byte of the text, not before the one that was asked for last.
    fn of(&mut self, text: &str, at: usize) -> u32 {
        let passed = text.as_bytes().get(self.at..at).unwrap_or_default();
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.at = self.at.max(at);
        self.line
    }
}

impl Parser {
    fn new(cursor: Cursor) -> Self {
        let shader = Shader {
            version: Version::Ps30,
            inputs: BTreeMap::new(),
            samplers: BTreeMap::new(),
            floats: BTreeMap::new(),
            integers: BTreeMap::new(),
            booleans: BTreeMap::new(),
            body: Vec::new(),
            subroutines: BTreeMap::new(),
        };
        Parser { cursor, shader, nesting: Nesting::default(), instructions: 0, lines: Lines { at: 0, line: 1 } }
    }

    fn version(&mut self) -> Result<(), Reported> {
        let help = "the first line names the version: `ps_2_0`, `ps_2_x` or `ps_3_0`";
        let token = self.cursor.expect_word("a version", help)?;
        let word = self.cursor.text(token).to_owned();
        let found = SPELLINGS.iter().find(|(spelling, _)| spelling.eq_ignore_ascii_case(&word));
        let Some(&(_, version)) = found else {
            let lower = word.to_ascii_lowercase();
            let message = match &lower {
                word if word.starts_with("vs_") => "this is a vertex shader".to_owned(),
                word if word.starts_with("ps_1") => "version 1 of pixel shaders is not supported".to_owned(),
                _ => format!("unknown pixel shader version `{}`", excerpt(&word)),
            };
            return Err(self.cursor.error(Cause::UnknownWord, token, message, help));
        };
        self.shader.version = version;
        Ok(())
    }

    fn lines(&mut self) {
        while !self.cursor.at_end() && self.cursor.diagnostics.len() < MOST_DIAGNOSTICS {
            if self.cursor.accept_word("end") {
                if !self.cursor.at_end() {
                    let next = self.cursor.peek();
                    self.cursor.error(Cause::Misplaced, next, "nothing follows `end`", "");
                }
                break;
            }
            let first = self.cursor.peek();
            // Lines mean nothing, but where something is wrong, the next one goes on.
            if self.line().is_err() {
                if self.cursor.peek().start == first.start {
                    self.cursor.take();
                }
                while !self.cursor.at_end() && !self.cursor.peek().first_of_line {
                    self.cursor.take();
                }
            }
            if self.instructions > MOST_INSTRUCTIONS {
                let message = format!("more than {MOST_INSTRUCTIONS} instructions");
                self.cursor.error(Cause::TooLong, first, message, DIALECT.limit);
                break;
            }
        }
    }

    /// One line: a declaration, a constant, or an instruction.
    fn line(&mut self) -> Result<(), Reported> {
        let first = self.cursor.peek();
        if first.kind == TokenKind::Word {
            let word = self.cursor.text(first).to_ascii_lowercase();
            if word == "dcl" || word.starts_with("dcl_") {
                return self.declaration();
            }
            if matches!(word.as_str(), "def" | "defi" | "defb") {
                return self.constant(&word);
            }
        }
        self.instructions += 1;
        self.instruction()
    }

    /// The line of the text that a token stands on.
    fn line_of(&mut self, token: ctm_text::Token) -> u32 {
        let file = self.cursor.origin(token.into()).file;
        self.lines.of(&file.text, token.start as usize)
    }

    fn add(&mut self, statement: Statement) {
        self.nesting.add(statement);
    }

    fn finish(mut self) -> Result<Parsed, Vec<Diagnostic>> {
        self.end_of_text();
        Parsed { shader: self.shader, cursor: self.cursor }.without_errors()
    }
}
