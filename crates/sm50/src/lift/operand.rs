//! Operands: registers, predicates, constants, and the modifiers of sources.

use super::machine::LiftState;
use super::specialisation::TableBinding;
use crate::codes::BoolOp;
use crate::field::key;
use crate::instruction::Instruction;
use crate::operand::{Pred, PredSource, Reg, Source, Value as Operand, WordPart};
use ctm_lane::{IntTest, Value};

pub(super) const SIGN: u32 = 0x8000_0000;

/// The words of a 64-bit value, the low one first.
pub(super) type Pair = [Value; 2];

impl LiftState<'_> {
    /// A register.
    pub fn reg(&mut self, reg: Reg) -> Value {
        if reg.is_zero() { self.b.constant(0) } else { self.b.get(self.registers[usize::from(reg.0)]) }
    }

    /// Writes a register in the lanes for which the instruction executes; RZ keeps nothing.
    pub fn set_reg(&mut self, reg: Reg, value: Value) {
        if !reg.is_zero() {
            self.written.insert(reg.0);
            let variable = self.registers[usize::from(reg.0)];
            let old = self.b.get(variable);
            let new = self.b.select(self.taken, value, old);
            self.b.set(variable, new);
        }
    }

    /// The first register of an operand of `words` registers.
    pub fn aligned(&mut self, reg: Reg, words: u8) -> Reg {
        if !reg.is_zero() && !reg.0.is_multiple_of(words.next_power_of_two()) {
            self.trap();
        }
        reg
    }

    /// Register k of a vector operand that starts at `base`: RZ throughout if that is RZ.
    pub fn element(&mut self, base: Reg, k: u8) -> Reg {
        match base.0.checked_add(k) {
            _ if base.is_zero() => Reg::RZ,
            Some(number) if number < Reg::RZ.0 => Reg(number),
            _ => {
                self.trap();
                Reg::RZ
            }
        }
    }

    /// A pair of registers.
    pub fn pair(&mut self, reg: Reg) -> Pair {
        let low = self.aligned(reg, 2);
        let high = self.element(low, 1);
        [self.reg(low), self.reg(high)]
    }

    /// Writes a pair of registers.
    pub fn set_pair(&mut self, reg: Reg, [low_word, high_word]: Pair) {
        let low = self.aligned(reg, 2);
        let high = self.element(low, 1);
        self.set_reg(low, low_word);
        self.set_reg(high, high_word);
    }

    /// The lanes where a predicate holds.
    pub fn pred(&mut self, source: PredSource) -> Value {
        if source.pred.is_true() {
            return self.b.mask_constant(!source.not);
        }
        let mask = self.b.get(self.predicates[usize::from(source.pred.0)]);
        if source.not { self.b.mask_not(mask) } else { mask }
    }

    /// Writes a predicate; PT keeps nothing.
    pub fn set_pred(&mut self, pred: Pred, value: Value) {
        if !pred.is_true() {
            let variable = self.predicates[usize::from(pred.0)];
            let old = self.b.get(variable);
            let new = self.b.mask_select(self.taken, value, old);
            self.b.set(variable, new);
        }
    }

    /// Z, S, C, O before the instruction.
    pub fn condition(&mut self) -> [Value; 4] {
        self.flags.map(|flag| self.b.get(flag))
    }

    /// Writes the condition code, if the instruction says so.
    pub fn set_flags(&mut self, instruction: &Instruction, flags: impl FnOnce(&mut Self) -> [Value; 4]) {
        if instruction.get(key::CC) {
            let flags = flags(self);
            self.keep_flags(flags);
        }
    }

    /// Writes the condition code.
    pub fn keep_flags(&mut self, flags: [Value; 4]) {
        for (variable, value) in self.flags.into_iter().zip(flags) {
            let old = self.b.get(variable);
            let new = self.b.mask_select(self.taken, value, old);
            self.b.set(variable, new);
        }
    }

    /// The flags of a result that is not a sum.
    pub fn plain_flags(&mut self, result: Value) -> [Value; 4] {
        let none = self.b.mask_constant(false);
        [self.is_zero(result), self.is_negative(result), none, none]
    }

    /// Writes a result, and its flags if the instruction says so.
    pub fn set_result(&mut self, instruction: &Instruction, result: Value) {
        self.set_flags(instruction, |m| m.plain_flags(result));
        self.set_reg(instruction.dst(), result);
    }

    pub fn is_zero(&mut self, value: Value) -> Value {
        let zero = self.b.constant(0);
        self.b.icmp(IntTest::Eq, value, zero)
    }

    pub fn is_negative(&mut self, value: Value) -> Value {
        let zero = self.b.constant(0);
        self.b.icmp(IntTest::Slt, value, zero)
    }

    pub fn not(&mut self, value: Value) -> Value {
        let ones = self.b.constant(u32::MAX);
        self.b.xor(value, ones)
    }

    /// a + constant.
    pub fn plus(&mut self, value: Value, constant: u32) -> Value {
        let constant = self.b.constant(constant);
        self.b.iadd(value, constant)
    }

    /// Only the bits of the constant.
    pub fn only(&mut self, value: Value, constant: u32) -> Value {
        let constant = self.b.constant(constant);
        self.b.and(value, constant)
    }

    pub fn shifted_right(&mut self, value: Value, by: u32) -> Value {
        let by = self.b.constant(by);
        self.b.shr(value, by)
    }

    pub fn shifted_left(&mut self, value: Value, by: u32) -> Value {
        let by = self.b.constant(by);
        self.b.shl(value, by)
    }

    /// The word of a constant bank that holds a byte offset.
    pub fn constant(&mut self, bank: u8, offset: u32) -> Value {
        match self.specialisation.bank(bank.into()) {
            Some(words) if offset / 4 < words && !self.specialisation.is_missing(bank, offset / 4) => {
                let table = self.bank_table(bank, words);
                self.b.table_splat(table, offset / 4)
            }
            _ if self.specialisation.has_open_banks => self.b.constant(0),
            _ => {
                self.trap();
                self.b.constant(0)
            }
        }
    }

    pub fn bank_table(&mut self, bank: u8, words: u32) -> ctm_lane::Table {
        self.table(TableBinding::Bank(bank), words.next_power_of_two())
    }

    /// A source as it is.
    pub fn word(&mut self, value: Operand) -> Value {
        match value {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Imm(bits) => self.b.constant(bits),
            Operand::Const { bank, offset } => self.constant(bank, offset.into()),
        }
    }

    /// A 64-bit source as it is. Of an immediate, and of a constant that is not aligned, there is only the upper word.
    pub fn wide(&mut self, value: Operand) -> Pair {
        match value {
            Operand::Reg(reg) => self.pair(reg),
            Operand::Imm(bits) => [self.b.constant(0), self.b.constant(bits)],
            Operand::Const { bank, offset } if offset.is_multiple_of(8) => {
                [self.constant(bank, offset.into()), self.constant(bank, u32::from(offset) + 4)]
            }
            Operand::Const { bank, offset } => [self.b.constant(0), self.constant(bank, offset.into())],
        }
    }

    /// The part of a source that is named, zero-extended.
    pub fn part(&mut self, source: Source) -> Value {
        let word = self.word(source.value);
        let (shift, mask) = match source.part {
            WordPart::Whole => return word,
            WordPart::Half(half) => (16 * u32::from(half), 0xFFFF),
            WordPart::Byte(byte) => (8 * u32::from(byte), 0xFF),
        };
        let word = self.shifted_right(word, shift);
        self.only(word, mask)
    }

    /// An integer source: its part, negated in two's complement, inverted.
    pub fn int(&mut self, source: Source) -> Value {
        let mut value = self.part(source);
        if source.neg {
            let zero = self.b.constant(0);
            value = self.b.isub(zero, value);
        }
        if source.inv { self.not(value) } else { value }
    }

    /// A 32-bit float source: the modifiers work on the sign, also of NaNs.
    pub fn single(&mut self, source: Source) -> Value {
        let bits = self.word(source.value);
        self.signed_bits(source, bits)
    }

    /// A 64-bit float source.
    pub fn long(&mut self, source: Source) -> Pair {
        let [low, high] = self.wide(source.value);
        [low, self.signed_bits(source, high)]
    }

    fn signed_bits(&mut self, source: Source, bits: Value) -> Value {
        let bits = if source.abs { self.b.abs(bits) } else { bits };
        if source.neg { self.b.neg(bits) } else { bits }
    }

    /// How two truth values combine. No instruction has the code without a meaning.
    pub fn combine(&mut self, op: BoolOp, a: Value, b: Value) -> Value {
        match op {
            BoolOp::And => self.b.mask_and(a, b),
            BoolOp::Or => self.b.mask_or(a, b),
            BoolOp::Xor | BoolOp::Invalid => self.b.mask_xor(a, b),
        }
    }
}
