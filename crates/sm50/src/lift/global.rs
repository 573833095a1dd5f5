//! Global memory, which all lanes of a launch share.
//!
//! Lanes may read and write in any order, as long as none accesses what another one writes, and change words in atomic ways that commute. Whether that is so is known after the launch:
//! for each register that addresses are made of, and for loads and stores by themselves, lanes keep the first and the last byte that they
//! accessed, and put both into a log ([`crate::footprint`]). Who runs the function reads it, and has the reference run the launch again if
//! lanes met.

use super::block::{Turns, commuting};
use super::machine::LiftState;
use super::memory::registers;
use super::specialisation::{BufferBinding, LaunchEntry, TableBinding};
use super::{NotLifted, Walked};
use crate::codes::{AtomOp, AtomType, MemorySize};
use crate::field::{FieldId, key};
use crate::footprint::AccessKind;
use crate::instruction::Instruction;
use crate::operand::Reg;
use crate::stores::{BIT_SHIFT, TABLE_WORDS, WORD_SHIFT};
use crate::table::{AtomicOp, GlobalOp};
use ctm_lane::{Builder, IntTest, Type, Value, Variable};

/// Accesses whose addresses are told apart, at most.
const MOST_FOOTPRINTS: usize = 32;

/// Bytes of the words that say whose turn it is to change a word.
pub(crate) const TURNS_BYTES: u32 = 4096;

/// Where an access is: the arena, the place there, and the lanes.
type Place = (BufferBinding, Value, Value);

/// What an atomic access does to a word.
#[derive(Clone, Copy)]
pub(super) enum Change {
    /// Something whose order does not matter.
    Commuting(AccessKind, fn(&mut Builder, Value, Value) -> Value),
    Increment,
    Decrement,
    Exchange,
    Compare,
}

impl Change {
    /// What an operation does; `None` if that is left to the reference.
    pub fn of(op: AtomOp, is_signed: bool) -> Option<Change> {
        let kind = AccessKind::Update(op, is_signed && matches!(op, AtomOp::Min | AtomOp::Max));
        match op {
            AtomOp::Inc => Some(Change::Increment),
            AtomOp::Dec => Some(Change::Decrement),
            AtomOp::Exch => Some(Change::Exchange),
            AtomOp::Add
            | AtomOp::Min
            | AtomOp::Max
            | AtomOp::And
            | AtomOp::Or
            | AtomOp::Xor
            | AtomOp::SafeAdd
            | AtomOp::Invalid9
            | AtomOp::Invalid11
            | AtomOp::Invalid12
            | AtomOp::Invalid13
            | AtomOp::Invalid14
            | AtomOp::Invalid15 => commuting(op, is_signed).map(|combine| Change::Commuting(kind, combine)),
        }
    }
}

/// The register that a comparison stores; others store none.
pub(super) fn instruction_store(op: AtomicOp, instruction: &Instruction) -> Reg {
    if matches!(op, AtomicOp::AtomCas | AtomicOp::AtomsCas) { instruction.cas_store() } else { Reg::RZ }
}

/// What lanes access by one kind of instruction with addresses from one register.
#[derive(Clone, Copy)]
pub(super) struct Footprint {
    pub kind: AccessKind,
    base: Reg,
    /// The first byte, and the last one; of lanes that access nothing, the last one comes first.
    first: Variable,
    last: Variable,
}

impl LiftState<'_> {
    /// LD, ST, LDG and STG.
    pub fn global_memory(&mut self, op: GlobalOp, instruction: &Instruction) -> Walked<()> {
        let size = instruction.get(key::MEMORY_SIZE);
        if op.stores() && size.bytes() < 4 {
            return Err(NotLifted::GlobalMemory);
        }
        let address = self.global_address(instruction, size);
        let kind = if op.stores() { AccessKind::Write } else { AccessKind::Read };
        self.keep(kind, instruction.reg(key::RA), address, size)?;
        let places = self.global_places(address, size)?;
        match op {
            GlobalOp::Ld | GlobalOp::Ldg => {
                let always = self.b.mask_constant(true);
                self.set_pred(instruction.pred(key::PD), always);
                self.load_global(instruction, size, address, &places);
            }
            GlobalOp::St | GlobalOp::Stg => {
                self.require_store_range(address);
                self.store_global(instruction, size, &places);
            }
        }
        Ok(())
    }

    /// Of each arena: the lanes with addresses there, and where in it.
    fn global_places(&mut self, address: Value, size: MemorySize) -> Walked<Vec<Place>> {
        let Some(arenas) = self.specialisation.arenas else { return Err(NotLifted::GlobalMemory) };
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
        Ok(places)
    }

    /// The launch is one for the reference where lanes write memory that is not kept.
    fn require_store_range(&mut self, address: Value) {
        if !self.specialisation.has_store_ranges {
            return;
        }
        let table = self.table(TableBinding::StoreRanges, TABLE_WORDS);
        let (number, bit) = (self.shifted_right(address, WORD_SHIFT), self.shifted_right(address, BIT_SHIFT));
        let (word, bit) = (self.b.table_gather(table, number), self.only(bit, 31));
        let shifted = self.b.shr(word, bit);
        let is_kept = self.only(shifted, 1);
        let elsewhere = self.is_zero(is_kept);
        self.trap_where(elsewhere);
    }

    /// ATOM and RED, of words that are integers. Where nobody looks at what words held, the order of lanes does not matter.
    pub fn global_atomic(&mut self, op: AtomicOp, instruction: &Instruction) -> Walked<()> {
        let ty = instruction.get(key::ATOM_TYPE);
        let is_word = instruction.atom_words() == 1 && matches!(ty, AtomType::U32 | AtomType::S32);
        let change = match op {
            AtomicOp::AtomCas => Some(Change::Compare),
            AtomicOp::Atom | AtomicOp::Red => Change::of(instruction.get(key::ATOM_OP), ty == AtomType::S32),
            AtomicOp::Atoms | AtomicOp::AtomsCas => None,
        };
        let Some(change) = change.filter(|_| is_word || op == AtomicOp::AtomCas && instruction.atom_words() == 1)
        else {
            return Err(NotLifted::GlobalMemory);
        };
        let all = self.taken;
        self.taken = self.without_helpers(all);
        let address = self.global_address(instruction, MemorySize::B32);
        let places = self.global_places(address, MemorySize::B32)?;
        self.require_store_range(address);
        let is_read = op != AtomicOp::Red && !instruction.dst().is_zero();
        let data = if op == AtomicOp::Red { instruction.dst() } else { instruction.reg(key::RB) };
        let (operand, store) = (self.reg(data), self.reg(instruction_store(op, instruction)));
        match change {
            Change::Commuting(kind, combine) if !is_read => {
                self.keep(kind, instruction.reg(key::RA), address, MemorySize::B32)?;
                let turn = self.only(address, TURNS_BYTES - 4);
                let turns = Turns { claims: BufferBinding::Turns, at: turn, own: self.number };
                for &(buffer, place, lanes) in &places {
                    self.where_any(lanes, |m| {
                        let buffer = m.buffer(buffer);
                        m.in_turns(turns, lanes, |m, lanes| {
                            let old = m.b.buffer_load(buffer, place, lanes);
                            let new = combine(&mut m.b, old, operand);
                            m.b.buffer_store(buffer, place, new, lanes);
                        });
                    });
                }
            }
            Change::Commuting(..) | Change::Increment | Change::Decrement | Change::Exchange | Change::Compare => {
                (self.depends, self.is_sequential) = (true, true);
                let held = self.change_one_by_one(change, &places, [operand, store]);
                self.taken = all;
                if op != AtomicOp::Red {
                    self.set_reg(instruction.dst(), held);
                }
            }
        }
        self.taken = all;
        Ok(())
    }

    /// Changes words in the order of lanes, and gives what they held.
    pub(super) fn change_one_by_one(
        &mut self,
        change: Change,
        places: &[Place],
        [operand, store]: [Value; 2],
    ) -> Value {
        let held = self.b.variable(Type::Lane);
        let zero = self.b.constant(0);
        self.b.set(held, zero);
        for &(buffer, place, lanes) in places {
            self.where_any(lanes, |m| {
                let buffer = m.buffer(buffer);
                m.one_by_one(lanes, |m, lane| {
                    let old = m.b.buffer_load(buffer, place, lane);
                    let new = m.changed(change, old, operand, store);
                    m.b.buffer_store(buffer, place, new, lane);
                    let others = m.b.get(held);
                    let both = m.b.select(lane, old, others);
                    m.b.set(held, both);
                });
            });
        }
        self.b.get(held)
    }

    /// What a word holds after an atomic access.
    fn changed(&mut self, change: Change, old: Value, operand: Value, store: Value) -> Value {
        let (zero, one, minus_one) = (self.b.constant(0), self.b.constant(1), self.b.constant(u32::MAX));
        match change {
            Change::Commuting(_, combine) => combine(&mut self.b, old, operand),
            Change::Exchange => operand,
            Change::Compare => {
                let is_equal = self.b.icmp(IntTest::Eq, old, operand);
                self.b.select(is_equal, store, old)
            }
            Change::Increment => {
                let (wraps, next) = (self.b.icmp(IntTest::Uge, old, operand), self.b.iadd(old, one));
                self.b.select(wraps, zero, next)
            }
            Change::Decrement => {
                let (is_zero, above) = (self.is_zero(old), self.b.icmp(IntTest::Ugt, old, operand));
                let (wraps, next) = (self.b.mask_or(is_zero, above), self.b.iadd(old, minus_one));
                self.b.select(wraps, operand, next)
            }
        }
    }

    /// Lanes of a warp come one after the other, in ascending order.
    fn one_by_one(&mut self, lanes: Value, act: impl FnOnce(&mut Self, Value)) {
        let waiting = self.b.variable(Type::Mask);
        self.b.set(waiting, lanes);
        let [turn, next] = [(); 2].map(|()| self.b.new_block());
        self.b.branch_any(lanes, (turn, &[]), (next, &[]));
        self.b.switch_to(turn);
        let lanes = self.b.get(waiting);
        let (all, zero, lane) = (self.b.ballot(lanes), self.b.constant(0), self.lane());
        let inverse = self.b.isub(zero, all);
        let lowest = self.b.and(all, inverse);
        let shifted = self.b.shr(lowest, lane);
        let own = self.only(shifted, 1);
        let is_own = self.b.icmp(IntTest::Ne, own, zero);
        let chosen = self.b.mask_and(lanes, is_own);
        act(self, chosen);
        let others = self.b.mask_andnot(lanes, chosen);
        self.b.set(waiting, others);
        self.b.branch_any(others, (turn, &[]), (next, &[]));
        self.b.seal(turn);
        self.b.seal(next);
        self.b.switch_to(next);
    }

    fn load_global(&mut self, instruction: &Instruction, size: MemorySize, address: Value, places: &[Place]) {
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

    fn store_global(&mut self, instruction: &Instruction, size: MemorySize, places: &[Place]) {
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
    fn keep(&mut self, kind: AccessKind, base: Reg, address: Value, size: MemorySize) -> Walked<()> {
        let known = self.footprints.iter().find(|footprint| footprint.kind == kind && footprint.base == base).copied();
        let footprint = match known {
            Some(footprint) => footprint,
            None if self.footprints.len() == MOST_FOOTPRINTS => return Err(NotLifted::TooLarge),
            None => {
                let [first, last] = [0; 2].map(|_| self.b.variable(Type::Lane));
                let footprint = Footprint { kind, base, first, last };
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
            let value = if self.resume.is_some() {
                let before = self.b.buffer_load(buffer, address, self.live);
                self.b.umax(before, value)
            } else {
                value
            };
            self.b.buffer_store(buffer, address, value, self.live);
        }
    }
}
