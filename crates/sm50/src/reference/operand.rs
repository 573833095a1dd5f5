//! Operands of the lane that executes: registers, predicates, constants, and the modifiers of sources.

use super::warp::Warp;
use crate::codes::BoolOp;
use crate::field::key;
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::operand::{Pred, PredSource, Reg, Source, Value, WordPart};
use ctm_follow::{MemoryAccess, ValueKind, note};
use ctm_num::sm50::Flags;

const SIGN: u32 = 0x8000_0000;

impl Warp<'_> {
    /// A register.
    pub fn reg(&self, reg: Reg) -> u32 {
        self.state.registers[usize::from(reg.0)][self.lane]
    }

    /// Writes a register; RZ keeps nothing.
    pub fn set_reg(&mut self, reg: Reg, value: u32) {
        if !reg.is_zero() {
            self.state.registers[usize::from(reg.0)][self.lane] = value;
        }
    }

    /// The first register of an operand of `words` registers. A register that is not aligned is a violation, and is brought
    /// down to one that is.
    pub fn aligned(&mut self, reg: Reg, words: u8) -> Result<Reg, TrapKind> {
        let align = words.next_power_of_two();
        if reg.is_zero() || reg.0.is_multiple_of(align) {
            return Ok(reg);
        }
        self.violation(TrapKind::MisalignedReg)?;
        Ok(Reg(reg.0 & !(align - 1)))
    }

    /// Register k of a vector operand that starts at `base`: RZ throughout if that is RZ. There is none past R254.
    pub fn element(&mut self, base: Reg, k: u8) -> Result<Option<Reg>, TrapKind> {
        match base.0.checked_add(k) {
            _ if base.is_zero() => Ok(Some(Reg::RZ)),
            Some(number) if number < Reg::RZ.0 => Ok(Some(Reg(number))),
            _ => self.violation(TrapKind::OutOfRangeReg).map(|()| None),
        }
    }

    /// A pair of registers, the lower word first.
    pub fn pair(&mut self, reg: Reg) -> Result<u64, TrapKind> {
        let low = self.aligned(reg, 2)?;
        let high = self.element(low, 1)?.map_or(0, |high| self.reg(high));
        Ok(u64::from(high) << 32 | u64::from(self.reg(low)))
    }

    /// Writes a pair of registers.
    pub fn set_pair(&mut self, reg: Reg, value: u64) -> Result<(), TrapKind> {
        let low = self.aligned(reg, 2)?;
        let high = self.element(low, 1)?;
        self.set_reg(low, value as u32);
        if let Some(high) = high {
            self.set_reg(high, (value >> 32) as u32);
        }
        Ok(())
    }

    /// The lanes where a predicate holds.
    pub fn mask_of(&self, source: PredSource) -> u32 {
        self.state.mask_of(source)
    }

    /// A predicate.
    pub fn pred(&self, source: PredSource) -> bool {
        self.mask_of(source) >> self.lane & 1 != 0
    }

    /// Writes a predicate; PT keeps nothing.
    pub fn set_pred(&mut self, pred: Pred, value: bool) {
        if !pred.is_true() {
            let mask = &mut self.state.predicates[usize::from(pred.0)];
            *mask = *mask & !(1 << self.lane) | u32::from(value) << self.lane;
        }
    }

    /// The condition code before the instruction.
    pub fn condition(&self) -> Flags {
        self.state.flags[self.lane]
    }

    /// Writes a result and, if the instruction says so, the condition code.
    pub fn set_result(&mut self, instruction: &Instruction, result: u32, flags: Flags) {
        self.set_reg(instruction.dst(), result);
        self.set_flags(instruction, flags);
    }

    /// Writes the condition code, if the instruction says so.
    pub fn set_flags(&mut self, instruction: &Instruction, flags: Flags) {
        if instruction.get(key::CC) {
            self.state.flags[self.lane] = flags;
        }
    }

    /// The word of a constant bank that holds a byte offset.
    pub fn constant(&mut self, bank: u32, offset: u32) -> Result<u32, TrapKind> {
        let bank = u8::try_from(bank).ok();
        match bank.and_then(|bank| self.launch.constant(bank, offset)) {
            Some(word) => {
                let place = || format!("c[{:#x}][{offset:#x}]", bank.unwrap_or_default());
                note(&mut self.follow, self.lane, || MemoryAccess::read(place(), ValueKind::Word, [word]));
                Ok(word)
            }
            None => self.violation(TrapKind::InvalidConstAddr).map(|()| 0),
        }
    }

    /// A source as it is.
    pub fn word(&mut self, value: Value) -> Result<u32, TrapKind> {
        match value {
            Value::Reg(reg) => Ok(self.reg(reg)),
            Value::Imm(bits) => Ok(bits),
            Value::Const { bank, offset } => self.constant(bank.into(), offset.into()),
        }
    }

    /// A 64-bit source as it is. Of an immediate, and of a constant whose offset is not a multiple of 8, there is only the
    /// upper word; the lower one is 0 (hardware, second hand, of arithmetic; decision S55 of the rest).
    pub fn wide(&mut self, value: Value) -> Result<u64, TrapKind> {
        let (low, high) = match value {
            Value::Reg(reg) => return self.pair(reg),
            Value::Imm(bits) => (0, bits),
            Value::Const { bank, offset } if offset.is_multiple_of(8) => {
                (self.constant(bank.into(), offset.into())?, self.constant(bank.into(), u32::from(offset) + 4)?)
            }
            Value::Const { bank, offset } => (0, self.constant(bank.into(), offset.into())?),
        };
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    /// The part of a source that is named, zero-extended.
    pub fn part(&mut self, source: Source) -> Result<u32, TrapKind> {
        let word = self.word(source.value)?;
        Ok(match source.part {
            WordPart::Whole => word,
            WordPart::Half(half) => word >> (16 * u32::from(half)) & 0xFFFF,
            WordPart::Byte(byte) => word >> (8 * u32::from(byte)) & 0xFF,
        })
    }

    /// An integer source: its part, negated in two's complement, inverted.
    pub fn int(&mut self, source: Source) -> Result<u32, TrapKind> {
        let part = self.part(source)?;
        let value = if source.neg { part.wrapping_neg() } else { part };
        Ok(if source.inv { !value } else { value })
    }

    /// An f32 source: the modifiers work on the sign, also of NaNs.
    pub fn single(&mut self, source: Source) -> Result<u32, TrapKind> {
        let bits = self.word(source.value)?;
        let bits = if source.abs { bits & !SIGN } else { bits };
        Ok(if source.neg { bits ^ SIGN } else { bits })
    }

    /// An f64 source.
    pub fn long(&mut self, source: Source) -> Result<u64, TrapKind> {
        let (bits, sign) = (self.wide(source.value)?, u64::from(SIGN) << 32);
        let bits = if source.abs { bits & !sign } else { bits };
        Ok(if source.neg { bits ^ sign } else { bits })
    }
}

/// How two truth values combine. No instruction has the code without a meaning.
pub(super) fn combine(op: BoolOp, a: bool, b: bool) -> bool {
    match op {
        BoolOp::And => a && b,
        BoolOp::Or => a || b,
        BoolOp::Xor | BoolOp::Invalid => a != b,
    }
}
