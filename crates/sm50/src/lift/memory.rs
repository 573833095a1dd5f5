//! Constants by address, and local memory.

use super::machine::LiftState;
use super::specialisation::BufferBinding;
use crate::codes::{ConstantMode, MemorySize};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::launch::LaunchConstants;
use crate::operand::Reg;
use crate::table::LocalOp;
use ctm_lane::{IntTest, Value};

/// Registers that an access of this size takes.
pub(super) fn registers(size: MemorySize) -> u8 {
    size.bytes().div_ceil(4) as u8
}

impl LiftState<'_> {
    /// The byte address of an access, which must be a multiple of its size.
    fn address(&mut self, instruction: &Instruction, size: MemorySize) -> Value {
        let register = self.reg(instruction.reg(key::RA));
        let address = self.plus(register, instruction.signed(FieldId::OFFSET).cast_unsigned());
        let rest = self.only(address, size.bytes() - 1);
        let zero = self.b.constant(0);
        let misaligned = self.b.icmp(IntTest::Ne, rest, zero);
        self.trap_where(misaligned);
        address
    }

    /// The shift that brings the bytes at an address to the low end of their word.
    pub(super) fn shift_in_word(&mut self, address: Value) -> Value {
        let byte = self.only(address, 3);
        self.shifted_left(byte, 3)
    }

    /// What a load gives of a word whose low bits are the bytes that it reads.
    fn loaded(&mut self, size: MemorySize, word: Value) -> Value {
        let (bits, signed) = match size {
            MemorySize::U8 => (8, false),
            MemorySize::S8 => (8, true),
            MemorySize::U16 => (16, false),
            MemorySize::S16 => (16, true),
            MemorySize::B32 | MemorySize::B64 | MemorySize::B128 | MemorySize::U128 => return word,
        };
        if !signed {
            return self.only(word, (1 << bits) - 1);
        }
        let by = self.b.constant(32 - bits);
        let top = self.b.shl(word, by);
        self.b.sar(top, by)
    }

    /// Writes the registers of a load, whose words come from `read` by number.
    pub(super) fn load(&mut self, dst: Reg, size: MemorySize, mut read: impl FnMut(&mut Self, u32) -> Value) {
        let count = registers(size);
        let base = self.aligned(dst, count);
        let words: Vec<Value> = (0..u32::from(count)).map(|k| read(self, k)).collect();
        for (word, k) in words.into_iter().zip(0..count) {
            let (word, reg) = (self.loaded(size, word), self.element(base, k));
            self.set_reg(reg, word);
        }
    }

    /// LDC. The modes that take the bank from the register, too, are for the reference.
    pub fn load_constant(&mut self, instruction: &Instruction) {
        let (bank, size) = (instruction.get(key::BANK), instruction.get(key::MEMORY_SIZE));
        let segmented = instruction.get(key::CONSTANT_MODE) != ConstantMode::Plain;
        if segmented {
            return self.trap();
        }
        let address = self.address(instruction, size);
        if self.specialisation.memory_banks >> bank & 1 != 0 {
            return self.load_bank_memory(instruction, size, address);
        }
        let is_open = self.specialisation.has_open_banks;
        let Some(words) = self.specialisation.bank(bank.into()).filter(|&words| words > 0) else {
            return if is_open { self.load(instruction.dst(), size, |m, _| m.b.constant(0)) } else { self.trap() };
        };
        if bank == LaunchConstants::BANK && self.specialisation.missing_constants().is_some() {
            return self.trap();
        }
        let table = self.bank_table(bank, words);
        let shift = self.shift_in_word(address);
        self.load(instruction.dst(), size, |m, k| {
            let byte = m.plus(address, 4 * k);
            let index = m.shifted_right(byte, 2);
            let end = m.b.constant(words);
            let outside = m.b.icmp(IntTest::Uge, index, end);
            let word = m.b.table_gather(table, index);
            let word = if is_open {
                let none = m.b.constant(0);
                m.b.select(outside, none, word)
            } else {
                m.trap_where(outside);
                word
            };
            m.b.shr(word, shift)
        });
    }

    /// Constants out of memory; beyond its end they are 0.
    fn load_bank_memory(&mut self, instruction: &Instruction, size: MemorySize, address: Value) {
        let buffer = self.buffer(BufferBinding::Bank(instruction.get(key::BANK)));
        let (shift, first) = (self.shift_in_word(address), self.only(address, !3));
        self.load(instruction.dst(), size, |m, k| {
            let place = m.plus(first, 4 * k);
            let word = m.b.buffer_load(buffer, place, m.taken);
            m.b.shr(word, shift)
        });
    }

    /// LDL and STL.
    pub fn local_memory(&mut self, op: LocalOp, instruction: &Instruction) {
        let size = instruction.get(key::MEMORY_SIZE);
        let last_access = self.specialisation.local_memory.checked_sub(size.bytes());
        let Some(last) = last_access else { return self.trap() };
        let address = self.address(instruction, size);
        let last = self.b.constant(last);
        let outside = self.b.icmp(IntTest::Ugt, address, last);
        self.trap_where(outside);
        let shift = self.shift_in_word(address);
        let first = self.shifted_right(address, 2);
        if op == LocalOp::Ldl {
            return self.load(instruction.dst(), size, |m, k| {
                let place = m.plus(first, k);
                let word = m.load_local(place);
                m.b.shr(word, shift)
            });
        }
        let base = self.aligned(instruction.dst(), registers(size));
        for k in 0..registers(size) {
            let reg = self.element(base, k);
            let (value, place) = (self.reg(reg), self.plus(first, k.into()));
            let value = if size.bytes() < 4 {
                let mask = (1 << (8 * size.bytes())) - 1;
                let (value, mask) = (self.only(value, mask), self.b.constant(mask));
                let (value, mask) = (self.b.shl(value, shift), self.b.shl(mask, shift));
                let (old, outside) = (self.load_local(place), self.not(mask));
                let kept = self.b.and(old, outside);
                self.b.or(kept, value)
            } else {
                value
            };
            self.store_local(place, value);
        }
    }
}
