//! The assembly language of SM50: text to programs and back.
//!
//! Instructions are spelled as NVIDIA's disassembler does. Control bits have CuAssembler's notation, and directives say
//! what is in the header; `docs/sm50-assembly.md` describes it all. [`parse`] and [`print_program`] are inverse: what is
//! printed reads as the same program, word for word.
//!
//! ```
//! let text = "
//!     .stage vertex
//!     ALD.128 R0, a[0x80];
//!     FMUL.FTZ R0, R0, c[0x0][0x0];
//!     AST.128 a[0x70], R0;
//!     EXIT;
//! ";
//! let program = ctm_sm50::text::parse(text).unwrap().program;
//! assert_eq!(program.code.instructions().len(), 4);
//! assert!(program.header.unwrap().omap.contains(0x7c));
//! let printed = ctm_sm50::text::print_program(&program);
//! assert_eq!(ctm_sm50::text::parse(&printed).unwrap().program, program);
//! ```

mod assemble;
mod directives;
mod fit;
mod instruction;
mod item;
mod literal;
mod number;
mod print;
mod substitutes;
#[cfg(test)]
pub(crate) mod vocabulary;

pub use ctm_text::{Cause, Diagnostic, Loader, Origin, Severity, SourceFile};
pub use print::{PrintOptions, print_instructions, print_program, print_program_with};
pub use substitutes::SUBSTITUTES;

pub(crate) use directives::header_fields;

use crate::control::Control;
use crate::header::AttributeMap;
use crate::instruction::Instruction;
use crate::program::Program;
use ctm_text::{Cursor, Dialect, lex};

/// How the language looks.
const DIALECT: Dialect = Dialect {
    comments: &["//"],
    block_comment: None,
    symbols: b"()[]{}.,:;|-+!~@",
    limit: "a program has 1048576 instructions at most",
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

/// Spells the instruction at a byte address, as NVIDIA's disassembler does, without what ends it. Targets are numbers.
///
/// ```
/// use ctm_sm50::{Instruction, text::print_instruction};
/// assert_eq!(print_instruction(&Instruction::decode(0xeff1_ff80_0707_ff04), 8), "AST.128 a[0x70], R4");
/// ```
pub fn print_instruction(instruction: &Instruction, at: u32) -> String {
    print::with_reuse(instruction, at, Control::NEUTRAL)
}

/// [`print_instruction`] with `.reuse` after the registers that the control bits keep in the operand caches.
pub fn print_controlled(instruction: &Instruction, at: u32, control: Control) -> String {
    print::with_reuse(instruction, at, control)
}

/// Spells a set of attributes as ranges of addresses: `0x70-0x7c, 0x2fc`.
pub fn print_map(map: &AttributeMap) -> String {
    directives::spell_map(map)
}
