//! Sets of what a lane holds: channels of temporaries, predicate bits, the ALU result.

use crate::effects::{Read, TempWrite};
use crate::instruction::Operand;
use crate::program::TEMPS;

/// A set of register channels, predicate bits, and the ALU result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits([u64; WORDS]);

const WORDS: usize = TEMPS * 4 / 64 + 1;
/// The last word holds what is not a temporary.
const OTHER: usize = WORDS - 1;
const ALU_RESULT: u64 = 1 << 4;

impl Bits {
    /// Nothing.
    pub const EMPTY: Bits = Bits([0; WORDS]);
    /// Everything.
    pub const FULL: Bits = Bits([u64::MAX; WORDS]);

    /// Every channel of every temporary.
    pub fn all_temps() -> Bits {
        let mut bits = Bits::FULL;
        bits.0[OTHER] = 0;
        bits
    }

    /// These channels of one temporary; a number beyond the last is taken modulo 128.
    pub fn temp(index: u8, channels: u8) -> Bits {
        let mut bits = Bits::EMPTY;
        let position = usize::from(index) % TEMPS * 4;
        bits.0[position / 64] = u64::from(channels & 0xF) << (position % 64);
        bits
    }

    /// These predicate bits.
    pub fn predicates(channels: u8) -> Bits {
        let mut bits = Bits::EMPTY;
        bits.0[OTHER] = (channels & 0xF).into();
        bits
    }

    /// The ALU result.
    pub fn alu_result() -> Bits {
        let mut bits = Bits::EMPTY;
        bits.0[OTHER] = ALU_RESULT;
        bits
    }

    /// What a write with a known place covers.
    pub fn written(write: &TempWrite) -> Bits {
        if write.relative { Bits::EMPTY } else { Bits::temp(write.index, write.channels) }
    }

    /// What a read with a known place takes; nothing for constants.
    pub fn read(read: &Read) -> Bits {
        match read.operand {
            Operand::Temp { index, relative: false } => Bits::temp(index, read.channels),
            Operand::Temp { .. } | Operand::Const { .. } | Operand::Inline(_) => Bits::EMPTY,
        }
    }

    /// The channels of a temporary that are in the set.
    pub fn channels_of(&self, index: u8) -> u8 {
        let position = usize::from(index) % TEMPS * 4;
        (self.0[position / 64] >> (position % 64)) as u8 & 0xF
    }

    /// The predicate bits that are in the set.
    pub fn predicate_channels(&self) -> u8 {
        self.0[OTHER] as u8 & 0xF
    }

    /// True if the ALU result is in the set.
    pub fn has_alu_result(&self) -> bool {
        self.0[OTHER] & ALU_RESULT != 0
    }

    /// True for the empty set.
    pub fn is_empty(&self) -> bool {
        *self == Bits::EMPTY
    }

    fn with(self, other: Bits, combine: impl Fn(u64, u64) -> u64) -> Bits {
        let mut bits = self;
        for (word, other) in bits.0.iter_mut().zip(other.0) {
            *word = combine(*word, other);
        }
        bits
    }

    /// What is in both.
    pub fn and(self, other: Bits) -> Bits {
        self.with(other, |a, b| a & b)
    }

    /// What is in one or the other.
    pub fn or(self, other: Bits) -> Bits {
        self.with(other, |a, b| a | b)
    }

    /// What is in this but not in the other.
    pub fn without(self, other: Bits) -> Bits {
        self.with(other, |a, b| a & !b)
    }

    /// The temporaries in the set, spelled `temp[3].rg, temp[7].a`.
    pub fn spell_temps(&self) -> String {
        let registers = (0..TEMPS as u8).map(|index| (index, self.channels_of(index)));
        let spelled = registers.filter(|(_, channels)| *channels != 0);
        spelled
            .map(|(index, channels)| format!("temp[{index}].{}", super::legal::channel_letters(channels)))
            .collect::<Vec<_>>()
            .join(", ")
    }
}
