//! The assembly language of SM50.

mod instruction;
mod number;
pub(crate) mod suffix;

use crate::control::Reuse;
use crate::instruction::Instruction;

/// Spells the instruction at a byte address, as NVIDIA's disassembler does, without what ends it. Targets are numbers.
///
/// ```
/// use ctm_sm50::{Instruction, text::print_instruction};
/// assert_eq!(print_instruction(&Instruction::decode(0xeff1_ff80_0707_ff04), 8), "AST.128 a[0x70], R4");
/// ```
pub fn print_instruction(instruction: &Instruction, at: u32) -> String {
    instruction::spell(instruction, instruction::Context { at, label: None, reuse: Reuse::default() })
}
