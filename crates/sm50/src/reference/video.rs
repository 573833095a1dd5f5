//! The video instructions: arithmetic on parts of words.
//!
//! Source: PTX's manual on `vadd`, `vmin`, `vset`, `vshl`, `vabsdiff`, `vmad` and `vabsdiff4`, whose operands these instructions have.

use super::warp::Warp;
use crate::codes::{ByteSigns, IntCondition, Merge, SelectA, SelectB, UnsignedResult, VideoImm, VmadShift};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::operand::WordPart;
use crate::table::VideoOp;
use ctm_num::sm50::Flags;
use std::ops::RangeInclusive;

/// A part of a word, extended.
fn extended(word: u32, part: WordPart, signed: bool) -> i64 {
    let (from, bits) = match part {
        WordPart::Whole => (0, 32),
        WordPart::Half(half) => (16 * u32::from(half), 16),
        WordPart::Byte(byte) => (8 * u32::from(byte), 8),
    };
    let unused = 64 - bits;
    let upper = u64::from(word) >> from << unused;
    if signed { upper.cast_signed() >> unused } else { (upper >> unused).cast_signed() }
}

/// The numbers of so many bits.
fn range(bits: u32, signed: bool) -> RangeInclusive<i64> {
    if signed { -(1 << (bits - 1))..=(1 << (bits - 1)) - 1 } else { 0..=(1 << bits) - 1 }
}

fn clamped(value: i64, range: RangeInclusive<i64>) -> i64 {
    value.clamp(*range.start(), *range.end())
}

fn compares(condition: IntCondition, a: i64, b: i64) -> bool {
    match condition {
        IntCondition::F => false,
        IntCondition::Lt => a < b,
        IntCondition::Eq => a == b,
        IntCondition::Le => a <= b,
        IntCondition::Gt => a > b,
        IntCondition::Ne => a != b,
        IntCondition::Ge => a >= b,
        IntCondition::T => true,
    }
}

/// Whether operand B has a sign.
fn signed_b(instruction: &Instruction) -> bool {
    if instruction.has(FieldId::VIDEO_B) {
        instruction.get(key::VIDEO_B).signed()
    } else {
        instruction.get(key::VIDEO_IMM) == VideoImm::S16
    }
}

impl Warp<'_> {
    pub fn video(&mut self, op: VideoOp, instruction: &Instruction) -> Result<(), TrapKind> {
        use VideoOp::*;
        let part = instruction.get(key::VIDEO_A);
        let (a_source, b_source) = (instruction.a(), instruction.b());
        let a = extended(self.word(a_source.value)?, part.part(), part.signed());
        let b_part =
            if instruction.has(FieldId::VIDEO_B) { instruction.get(key::VIDEO_B).part() } else { WordPart::Half(0) };
        let b = extended(self.word(b_source.value)?, b_part, signed_b(instruction));
        let sign = |negative: bool, value: i64| if negative { -value } else { value };
        let one = i64::from(instruction.get(key::PO));
        let signed = match op {
            Vadd | Vmnmx | Vshl | Vshr => instruction.get(key::UNSIGNED_RESULT) == UnsignedResult::Signed,
            Vabsdiff | Vabsdiff4 => instruction.get(key::SD),
            Vmad => part.signed() || signed_b(instruction),
            Vset | Vsetp => false,
        };
        // Words without a sign, whatever the type says.
        let count = if instruction.get(key::W) { b as u32 & 31 } else { (b as u32).min(32) };
        let result = match op {
            Vadd => sign(a_source.neg, a) + sign(b_source.neg, b) + one,
            Vmnmx => {
                if instruction.get(key::MX) {
                    a.max(b)
                } else {
                    a.min(b)
                }
            }
            Vset => i64::from(compares(instruction.get(key::INT_CONDITION), a, b)),
            Vshl => a << count,
            Vshr => a >> count,
            Vabsdiff => (a - b).abs(),
            Vmad => {
                // Products of whole words and sums with them need more than 64 bits.
                let product = i128::from(sign(a_source.neg, a)) * i128::from(b) + i128::from(one);
                return self.video_product(instruction, signed, product);
            }
            Vabsdiff4 => return self.byte_differences(instruction),
            Vsetp => {
                self.deliver(false, instruction, compares(instruction.get(key::INT_CONDITION), a, b));
                return Ok(());
            }
        };
        let c = self.word(instruction.c().value)?;
        let merge = instruction.get(key::MERGE);
        let bits = match merge {
            Merge::H1 | Merge::H0 => 16,
            Merge::B0 | Merge::B2 => 8,
            Merge::Acc | Merge::Min | Merge::Max | Merge::None => 32,
        };
        let result = if instruction.get(key::SAT) { clamped(result, range(bits, signed)) } else { result };
        let word = result as u32;
        let third = extended(c, WordPart::Whole, signed);
        let whole = extended(word, WordPart::Whole, signed);
        let into = |mask: u32, from: u32| c & !(mask << from) | (word & mask) << from;
        let merged = match merge {
            Merge::H1 => into(0xffff, 16),
            Merge::H0 => into(0xffff, 0),
            Merge::B0 => into(0xff, 0),
            Merge::B2 => into(0xff, 16),
            Merge::Acc => word.wrapping_add(c),
            Merge::Min => whole.min(third) as u32,
            Merge::Max => whole.max(third) as u32,
            Merge::None => word,
        };
        self.set_result(instruction, merged, Flags::of(merged));
        Ok(())
    }

    fn video_product(&mut self, instruction: &Instruction, signed: bool, product: i128) -> Result<(), TrapKind> {
        let c = instruction.c();
        let third = extended(self.word(c.value)?, WordPart::Whole, signed);
        let sum = product + if c.neg { -i128::from(third) } else { i128::from(third) };
        let shift = match instruction.get(key::VMAD_SHIFT) {
            VmadShift::None | VmadShift::Invalid => 0,
            VmadShift::Shr7 => 7,
            VmadShift::Shr15 => 15,
        };
        let shifted = sum >> shift;
        let range = range(32, signed);
        let saturated = shifted.clamp((*range.start()).into(), (*range.end()).into());
        let result = if instruction.get(key::SAT) { saturated } else { shifted } as u32;
        self.set_result(instruction, result, Flags::of(result));
        Ok(())
    }

    /// VABSDIFF4: bytes of A and B are numbered together, those of B from 4 on.
    fn byte_differences(&mut self, instruction: &Instruction) -> Result<(), TrapKind> {
        let (a, b) = (self.reg(instruction.reg(key::RA)), self.reg(instruction.reg(key::RB)));
        let (select_a, select_b) = (instruction.get(key::SELECT_A), instruction.get(key::SELECT_B));
        let imm = select_b == SelectB::Imm;
        let b = if imm { u32::from(instruction.reg(key::RB).0) * 0x0101_0101 } else { b };
        let all: [u8; 8] = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
        let byte = |digits: &str, lane: usize| {
            let digit = digits.bytes().rev().nth(lane).map_or(0, |digit| usize::from(digit.wrapping_sub(b'0')));
            all[digit & 7]
        };
        let (digits_a, digits_b) = (digits_of_a(select_a), if imm { "7654" } else { digits_of_b(select_b) });
        let signs = instruction.get(key::BYTE_SIGNS);
        let (a_signed, b_signed) =
            (matches!(signs, ByteSigns::S8U8 | ByteSigns::S8S8), matches!(signs, ByteSigns::U8S8 | ByteSigns::S8S8));
        let value = |byte: u8, signed: bool| extended(byte.into(), WordPart::Byte(0), signed);
        let lanes = instruction.value(FieldId::BYTE_LANES);
        let (acc, sat) = (instruction.get(key::ACC), instruction.get(key::SAT));
        let c = self.word(instruction.c().value)?;
        let mut result = c;
        for lane in (0..4).filter(|lane| lanes >> lane & 1 != 0) {
            let difference = (value(byte(digits_a, lane), a_signed) - value(byte(digits_b, lane), b_signed)).abs();
            let difference =
                if sat { clamped(difference, range(8, instruction.get(key::SD))) } else { difference } as u32;
            result = if acc {
                result.wrapping_add(difference)
            } else {
                result & !(0xff << (8 * lane)) | (difference & 0xff) << (8 * lane)
            };
        }
        self.set_result(instruction, result, Flags::of(result));
        Ok(())
    }
}

/// The bytes of A as digits, the highest byte first.
fn digits_of_a(select: SelectA) -> &'static str {
    match select.name() {
        "" => "3210",
        name => &name[1..],
    }
}

/// The bytes of B as digits, the highest byte first.
fn digits_of_b(select: SelectB) -> &'static str {
    match select.name() {
        "" => "7654",
        name => &name[1..],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::VideoPart;

    #[test]
    fn parts_are_extended() {
        assert_eq!(extended(0x80ff_8001, WordPart::Byte(3), true), -128);
        assert_eq!(extended(0x80ff_8001, WordPart::Byte(2), false), 255);
        assert_eq!(extended(0x80ff_8001, WordPart::Half(0), true), -0x7fff);
        assert_eq!(extended(0x80ff_8001, VideoPart::U32.part(), false), 0x80ff_8001);
        assert_eq!(clamped(300, range(8, true)), 127);
        assert_eq!(clamped(-1, range(32, false)), 0);
    }
}
