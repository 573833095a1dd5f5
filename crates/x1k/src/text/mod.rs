//! The assembly language of X1K: text to programs and back.
//!
//! The language is the one that the public R500 fragment-shader sources of today are written in, extended in its own
//! style until every field has a spelling; `docs/x1k-assembly.md` describes it. [`parse`] and [`print_program`] are
//! inverse: what is printed reads as the same program, word for word.
//!
//! ```
//! let text = "
//!     .const c0 = 0.5, 0.25, 0.125, 1.0
//!     TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[0].rgba = LD tex[0].rgba temp[0].rgaa ;
//!     OUT TEX_SEM_WAIT
//!     src0.rgb = temp[0], src1.rgb = const[0] :
//!       out[0].rgb = MAD src0.rgb src1.rgb src0.000,
//!       out[0].a   = MAX src0.1 src0.1 ;
//! ";
//! let program = ctm_x1k::text::parse(text).unwrap().program;
//! assert_eq!(program.code.len(), 2);
//! let printed = ctm_x1k::text::print_program(&program);
//! assert_eq!(ctm_x1k::text::parse(&printed).unwrap().program, program);
//! ```

mod arithmetic;
mod assemble;
mod condition;
mod directives;
mod flow;
mod header;
mod operand;
mod print;
mod statements;
mod substitutes;
mod texture;
#[cfg(test)]
pub(crate) mod vocabulary;

pub use ctm_text::{Cause, Diagnostic, Loader, Origin, Severity, SourceFile, spell_float};
pub use print::{PrintOptions, print_instruction, print_instruction_at, print_program, print_program_with};
pub use substitutes::SUBSTITUTES;

use crate::program::Program;
use ctm_text::{Cursor, Dialect, lex};

/// How the language looks.
const DIALECT: Dialect = Dialect {
    comments: &["--"],
    block_comment: None,
    symbols: b"()[]{}.,:;=*|-+!&^@",
    limit: "a program has 512 instructions at most",
};

/// A program made from text.
pub type Assembled = ctm_text::Assembled<Program>;

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
