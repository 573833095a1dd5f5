//! Global memory, which all lanes of a launch share.
//!
//! Lanes may read and write in any order, as long as none accesses what another one writes. Whether that is so is known after the launch:
//! for each register that addresses are made of, and for loads and stores by themselves, lanes keep the first and the last byte that they
//! accessed, and put both into a log ([`crate::footprint`]). Who runs the function reads it, and has the reference run the launch again if
//! lanes met.

use super::machine::LiftState;
use super::memory::registers;
use super::specialisation::{BufferBinding, LaunchEntry};
use super::{NotLifted, Walked};
use crate::codes::MemorySize;
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::operand::Reg;
use crate::table::GlobalOp;
use ctm_lane::{IntTest, Type, Value, Variable};

/// Accesses whose addresses are told apart, at most.
const MOST_FOOTPRINTS: usize = 32;

/// What lanes access by one kind of instruction with addresses from one register.
#[derive(Clone, Copy)]
pub(super) struct Footprint {
    pub op: GlobalOp,
    base: Reg,
    /// The first byte, and the last one; of lanes that access nothing, the last one comes first.
    first: Variable,
    last: Variable,
}

impl LiftState<'_> {
    /// LD, ST, LDG and STG.
    pub fn global_memory(&mut self, op: GlobalOp, instruction: &Instruction) -> Walked<()> {
        let size = instruction.get(key::MEMORY_SIZE);
        let Some(arenas) = self.specialisation.arenas else { return Err(NotLifted::GlobalMemory) };
        if op.stores() && size.bytes() < 4 {
            return Err(NotLifted::GlobalMemory);
        }
        let address = self.global_address(instruction, size);
        self.keep(op, instruction.reg(key::RA), address, size)?;
        // Of each arena: the lanes with addresses there, and where in it.
        let mut places = Vec::new();
        let mut somewhere = self.b.mask_constant(false);
        for arena in 0..arenas {
            let [base, bytes] =
                [LaunchEntry::ArenaBase(arena), LaunchEntry::ArenaBytes(arena)].map(|entry| self.launch_entry(entry));
            let place = self.b.isub(address, base);
            // No arena has fewer bytes than an access.
            let last = self.plus(bytes, size.bytes().wrapping_neg());
            let inside = self.b.icmp(IntTest::Ule, place, last);
            let lanes = self.b.mask_and(self.taken, inside);
            somewhere = self.b.mask_or(somewhere, lanes);
            places.push((BufferBinding::Global(arena), place, lanes));
        }
        let nowhere = self.b.mask_not(somewhere);
        self.trap_where(nowhere);
        match op {
            GlobalOp::Ld | GlobalOp::Ldg => {
                let always = self.b.mask_constant(true);
                self.set_pred(instruction.pred(key::PD), always);
                self.load_global(instruction, size, address, &places);
            }
            GlobalOp::St | GlobalOp::Stg => self.store_global(instruction, size, &places),
        }
        Ok(())
    }

    fn load_global(
        &mut self,
        instruction: &Instruction,
        size: MemorySize,
        address: Value,
        places: &[(BufferBinding, Value, Value)],
    ) {
        let words: Vec<Variable> = (0..registers(size)).map(|_| self.b.variable(Type::Lane)).collect();
        let zero = self.b.constant(0);
        words.iter().for_each(|&word| self.b.set(word, zero));
        for &(buffer, place, lanes) in places {
            self.where_any(lanes, |m| {
                let buffer = m.buffer(buffer);
                // Bytes and halves come from the word that they are in.
                let place = m.only(place, !3);
                for (&word, k) in words.iter().zip(0..) {
                    let at = m.plus(place, 4 * k);
                    let (old, loaded) = (m.b.get(word), m.b.buffer_load(buffer, at, lanes));
                    let both = m.b.or(old, loaded);
                    m.b.set(word, both);
                }
            });
        }
        let shift = self.shift_in_word(address);
        self.load(instruction.dst(), size, |m, k| {
            let word = m.b.get(words[k as usize]);
            m.b.shr(word, shift)
        });
    }

    fn store_global(&mut self, instruction: &Instruction, size: MemorySize, places: &[(BufferBinding, Value, Value)]) {
        let base = self.aligned(instruction.dst(), registers(size));
        let values: Vec<Value> = (0..registers(size))
            .map(|k| {
                let reg = self.element(base, k);
                self.reg(reg)
            })
            .collect();
        for &(buffer, place, lanes) in places {
            self.where_any(lanes, |m| {
                let buffer = m.buffer(buffer);
                for (&value, k) in values.iter().zip(0..) {
                    let at = m.plus(place, 4 * k);
                    m.b.buffer_store(buffer, at, value, lanes);
                }
            });
        }
    }

    /// Does something, unless it is for no lane.
    fn where_any(&mut self, lanes: Value, act: impl FnOnce(&mut Self)) {
        let (some, next) = (self.b.new_block(), self.b.new_block());
        self.b.branch_any(lanes, (some, &[]), (next, &[]));
        self.b.seal(some);
        self.b.switch_to(some);
        act(self);
        self.b.jump(next, &[]);
        self.b.seal(next);
        self.b.switch_to(next);
    }

    /// The byte address of an access, which is below 2^32 and a multiple of the size.
    fn global_address(&mut self, instruction: &Instruction, size: MemorySize) -> Value {
        let register = instruction.reg(key::RA);
        let offset = instruction.signed(FieldId::OFFSET);
        let [low, high] =
            if instruction.get(key::E) { self.pair(register) } else { [self.reg(register), self.b.constant(0)] };
        let address = self.plus(low, offset.cast_unsigned());
        // The carry out of the lower word, or the borrow, in all bits.
        let (one, none, all) = (self.b.constant(1), self.b.constant(0), self.b.constant(u32::MAX));
        let high = if offset < 0 {
            let borrows = self.b.icmp(IntTest::Ugt, address, low);
            let borrow = self.b.select(borrows, all, none);
            self.b.iadd(high, borrow)
        } else {
            let carries = self.b.icmp(IntTest::Ult, address, low);
            let carry = self.b.select(carries, one, none);
            self.b.iadd(high, carry)
        };
        let too_far = self.b.icmp(IntTest::Ne, high, none);
        self.trap_where(too_far);
        let rest = self.only(address, size.bytes() - 1);
        let misaligned = self.b.icmp(IntTest::Ne, rest, none);
        self.trap_where(misaligned);
        address
    }

    /// Keeps what an access reads or writes.
    fn keep(&mut self, op: GlobalOp, base: Reg, address: Value, size: MemorySize) -> Walked<()> {
        let known = self.footprints.iter().find(|footprint| footprint.op == op && footprint.base == base).copied();
        let footprint = match known {
            Some(footprint) => footprint,
            None if self.footprints.len() == MOST_FOOTPRINTS => return Err(NotLifted::TooLarge),
            None => {
                let [first, last] = [0; 2].map(|_| self.b.variable(Type::Lane));
                let footprint = Footprint { op, base, first, last };
                self.footprints.push(footprint);
                footprint
            }
        };
        // Variables are 0 at first: the first byte is kept inverted, so that this is the last one that there is.
        let last_byte = self.plus(address, size.bytes() - 1);
        let first_byte = self.not(address);
        for (variable, byte) in [(footprint.first, first_byte), (footprint.last, last_byte)] {
            let old = self.b.get(variable);
            let further = self.b.umax(old, byte);
            let new = self.b.select(self.taken, further, old);
            self.b.set(variable, new);
        }
        Ok(())
    }

    /// Puts what lanes accessed into the log.
    pub fn log_footprints(&mut self) {
        let columns: Vec<Variable> =
            self.footprints.iter().flat_map(|footprint| [footprint.first, footprint.last]).collect();
        for (column, variable) in (0..).zip(columns) {
            let (buffer, value) = (self.buffer(BufferBinding::Footprints), self.b.get(variable));
            let (count, column) = (self.launch_entry(LaunchEntry::Invocations), self.b.constant(column));
            let start = self.b.imul(count, column);
            let dword = self.b.iadd(start, self.number);
            let address = self.byte(dword);
            // Of several calls, the log has all.
            let value = if self.block.is_some() {
                let before = self.b.buffer_load(buffer, address, self.live);
                self.b.umax(before, value)
            } else {
                value
            };
            self.b.buffer_store(buffer, address, value, self.live);
        }
    }
}
