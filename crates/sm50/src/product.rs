//! The parts of words that `IMADSP` multiplies and adds.

use crate::codes::{SpA, SpB, SpC};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;

/// A part of a word, extended to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its lowest bit.
    pub from: u32,
    /// Number of its bits.
    pub bits: u32,
    /// It has a sign.
    pub signed: bool,
}

impl Part {
    const fn new(from: u32, bits: u32, signed: bool) -> Self {
        Part { from, bits, signed }
    }

    /// That of operand A.
    pub fn of_a(instruction: &Instruction) -> Self {
        match instruction.get(key::SP_A) {
            SpA::U32 => Part::new(0, 32, false),
            SpA::S32 => Part::new(0, 32, true),
            SpA::U24 => Part::new(0, 24, false),
            SpA::S24 => Part::new(0, 24, true),
            SpA::U16H0 => Part::new(0, 16, false),
            SpA::S16H0 => Part::new(0, 16, true),
            SpA::U16H1 => Part::new(16, 16, false),
            SpA::S16H1 => Part::new(16, 16, true),
        }
    }

    /// That of operand B.
    pub fn of_b(instruction: &Instruction) -> Self {
        match instruction.get(key::SP_B) {
            SpB::U24 => Part::new(0, 24, false),
            SpB::S24 => Part::new(0, 24, true),
            SpB::U16H0 => Part::new(0, 16, false),
            SpB::S16H0 => Part::new(0, 16, true),
        }
    }

    /// That of operand C, which has a sign if a factor has.
    pub fn of_c(instruction: &Instruction) -> Self {
        let signed = (instruction.value(FieldId::SP_A) | instruction.value(FieldId::SP_B)) & 1 != 0;
        match instruction.get(key::SP_C) {
            SpC::B32 | SpC::Invalid => Part::new(0, 32, signed),
            SpC::B24 => Part::new(0, 24, signed),
            SpC::H0 => Part::new(0, 16, signed),
        }
    }

    /// The part of a word.
    pub fn of(self, word: u32) -> u32 {
        let unused = 32 - self.bits;
        let upper = word << (unused - self.from);
        if self.signed { (upper.cast_signed() >> unused).cast_unsigned() } else { upper >> unused }
    }
}
