//! The assembly language of R700: text to programs and back.
//!
//! The language is the one that AMD's shader tools list programs in, extended until every word has a spelling;
//! `docs/r700-assembly.md` describes it. [`parse`] and [`print_program`] are inverse: what is printed reads as the same
//! program, word for word.
//!
//! ```
//! let text = "
//! 00 ALU: ADDR(2) CNT(3)
//!       0  x: ADD  R1.x, R0.x, R0.y
//!          y: MUL  R1.y, |R0.z|, (0x40500000, 3.25).x
//! 01 EXP_DONE: PIX0, R1.xy01
//! END_OF_PROGRAM
//! ";
//! let program = ctm_r700::text::parse(text).unwrap().program;
//! assert_eq!(program.code[1], [0x0000_8000, 0x9420_0B08]);
//! let printed = ctm_r700::text::print_program(&program);
//! assert_eq!(ctm_r700::text::parse(&printed).unwrap().program, program);
//! ```

mod assemble;
mod control;
mod fetch;
mod groups;
mod image;
mod listing;
mod operand;
mod print;
mod slots;
mod source;
mod substitutes;
#[cfg(test)]
pub(crate) mod vocabulary;

pub use ctm_text::{Cause, Diagnostic, Loader, Origin, Severity, SourceFile};
pub use listing::{Listed, instructions, steps, steps_with_fetch};
pub use print::{PrintOptions, print_alu, print_cf, print_fetch, print_program, print_program_with};
pub use substitutes::SUBSTITUTES;

use crate::program::Program;
use ctm_text::{Cursor, Dialect, lex};
use std::collections::BTreeMap;

/// Names that other tools give operations, and the name that they have here.
pub(crate) fn aliases() -> impl Iterator<Item = (&'static str, &'static str)> {
    let alu = slots::ALIASES.into_iter().map(|(alias, op)| (alias, op.name().unwrap_or_default()));
    control::ALIASES.into_iter().chain(fetch::ALIASES).chain(alu)
}

/// How the language looks.
const DIALECT: Dialect = Dialect {
    comments: &[";"],
    block_comment: None,
    symbols: b"()[].,:*/|-+",
    limit: "the image of a program has 4194304 qwords at most",
};

/// A program made from text. Where its instructions stand goes by their qword addresses in the image.
pub type Assembled = ctm_text::Assembled<Program, BTreeMap<u32, Origin>>;

/// Assembles a text that includes no other.
///
/// # Errors
/// All that is wrong with the text, in the order in which it was found, warnings among it. At most 256 diagnostics.
pub fn parse(source: &str) -> Result<Assembled, Vec<Diagnostic>> {
    parse_with("<text>", source, &mut |_, _| Err("no files can be included here".into()))
}

/// Assembles a text with this name (for diagnostics), which may include others.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(name: &str, source: &str, loader: &mut Loader<'_>) -> Result<Assembled, Vec<Diagnostic>> {
    let main = SourceFile { name: name.to_owned(), text: source.to_owned() };
    assemble::assemble(Cursor::new(lex(&DIALECT, main, loader)))
}

/// Reads one piece of text to its end; none if anything is wrong with it.
fn single<T>(text: &str, read: impl FnOnce(&mut Cursor) -> Result<T, ctm_text::Reported>) -> Option<T> {
    let source = SourceFile { name: String::new(), text: text.to_owned() };
    let mut cursor = Cursor::new(lex(&DIALECT, source, &mut |_, _| Err(String::new())));
    let value = read(&mut cursor).ok()?;
    (cursor.at_end() && cursor.diagnostics.is_empty()).then_some(value)
}
