//! Instructions one by one: address, words, operations with their operands, what they read and write.

mod pvs;
mod r700;
mod registers;
mod sm50;
mod spelled;
mod x1k;

use crate::Program;

/// An instruction of a program, taken apart. R700 has one for each control-flow instruction, each fetch, and each slot of a group; the clause
/// of a control-flow instruction follows the first one that runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instruction {
    /// Where it stands, in the machine's units: instructions of X1K and PVS, qwords of R700, bytes of SM50.
    pub address: u32,
    /// Its dwords; of R700 without the literals of its group.
    pub words: Vec<u32>,
    /// Its text.
    pub text: String,
    /// What it does: one operation, or two of X1K, whose instructions have an RGB and an alpha unit.
    pub operations: Vec<Operation>,
    /// What it reads, channel by channel, by the names that steps of a lane show: `temp[1].r`, `R0.x`, `R2`, `P0`; constants as texts spell
    /// them. What is reached by an index has the index in its name.
    pub reads: Vec<String>,
    /// What it writes, likewise.
    pub writes: Vec<String>,
}

/// An operation with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operation {
    /// Its name, without modifiers: what `ctm explain` has a page of.
    pub name: String,
    /// Its operands as the text spells them, in order; where it has a destination, that is the first one.
    pub operands: Vec<String>,
}

impl Program {
    /// All instructions, taken apart, in the order of a listing.
    pub fn instructions(&self) -> Vec<Instruction> {
        match self {
            Program::X1k(program) => x1k::instructions(program),
            Program::R700(program) => r700::instructions(program),
            Program::Sm50(program) => sm50::instructions(&program.code),
            Program::Pvs(program) => pvs::instructions(program),
        }
    }
}
