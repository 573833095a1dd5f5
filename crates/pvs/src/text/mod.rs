//! The assembly language of PVS: text to programs and back.
//!
//! Instructions look as those of the public R500 vertex programs of today: `temp[1].x = VE_DOT const[0].xyzw input[0].xyzw ;`.
//! `docs/pvs-assembly.md` describes the language. [`parse`] and [`print_program`] are inverse: what is printed reads as the
//! same program, word for word.
//!
//! ```
//! let text = "
//!     .const c0 = 2.0, 2.0, 2.0, 1.0
//!     out[0].xyzw = VE_MUL input[0] const[0] ;
//! ";
//! let program = ctm_pvs::text::parse(text).unwrap().program;
//! let printed = ctm_pvs::text::print_program(&program);
//! assert_eq!(ctm_pvs::text::parse(&printed).unwrap().program, program);
//! ```

mod assemble;
mod directives;
mod instruction;
mod print;
#[cfg(test)]
pub(crate) mod vocabulary;

pub use ctm_text::{Diagnostic, Loader, SourceFile};
pub use print::{PrintOptions, print_instruction, print_program, print_program_with};

use crate::program::Program;
use ctm_text::{Cursor, Dialect, lex};

/// How the language looks.
const DIALECT: Dialect = Dialect {
    // Lines of `#` are comments in the programs of today; `#include` is not one.
    comments: &["--", "# ", "##"],
    block_comment: None,
    symbols: b"()[].,:;=|-+!",
    limit: "a program has 1024 instructions at most",
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
