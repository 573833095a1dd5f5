//! Blocks whose threads share memory and wait for each other.
//!
//! The function runs from one barrier to the next: lanes that come to a barrier keep their registers in memory and leave, and who runs the
//! function calls it again for all lanes of the block. Between barriers the order of lanes does not matter as long as none accesses a
//! word of shared memory that another one writes, but in atomic ways that commute. Each word has two marks, who wrote it and who read it since the
//! last barrier; where lanes meet, the launch is one for the reference.
//!
//! A warp comes to a barrier once, so its lanes have to come together. Branches whose lanes may not wait for each other before a barrier are
//! watched: each lane keeps which ways it took since the last one, and who runs the function compares them.

use super::machine::LiftState;
use super::memory::registers;
use super::specialisation::{BufferBinding, LaunchEntry};
use super::{NotLifted, Walked};
use crate::codes::{AtomOp, MemorySize, SharedType};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::operand::Reg;
use crate::table::{AtomicOp, SharedOp};
use ctm_lane::{Builder, IntTest, Type, Value, Variable};
use std::collections::BTreeSet;

/// Columns of what a lane keeps from barrier to barrier, beside registers: where it goes on, the ways that it took, the steps, and predicates and
/// flags.
pub(crate) const RESUME: u32 = 0;
pub(crate) const WAYS: u32 = 1;
const STEPS: u32 = 2;
const BITS: u32 = 3;
const FIRST_REGISTER: u32 = 4;

/// [`RESUME`] of lanes that have ended. Others have 0 at the start, and one more than the number of the node after a barrier.
pub(crate) const ENDED: u32 = u32::MAX;

/// Bits of a mark that say who set it; the others count barriers.
pub(crate) const OWNER_BITS: u32 = 12;
/// Several lanes.
const MANY: u32 = (1 << OWNER_BITS) - 1;
/// Atomic accesses of the first kind.
const ATOMIC: u32 = 1 << (OWNER_BITS - 1);

/// The lanes of blocks.
pub(super) struct Block {
    /// The lane's number among those that the function is called for.
    lane: Value,
    /// Lanes that have a thread, ended or not.
    threads: Value,
    /// Where its block's shared memory begins, by word.
    first: Value,
    /// Marks of this lane, and of none, since the last barrier.
    own: Value,
    none: Value,
    /// Where the lane goes on.
    resume: Variable,
    ways: Variable,
    steps: Variable,
    /// Registers that are kept.
    kept: Vec<Reg>,
}

impl LiftState<'_> {
    /// Prepares lanes that go on after a barrier. `kept` are the registers that the program writes.
    pub fn enter_block(&mut self, kept: &BTreeSet<u8>) {
        let lane = self.b.pos_x();
        let (thread, _) = self.thread_and_block();
        let invocations = self.launch_entry(LaunchEntry::BlockInvocations);
        let block = self.b.udiv(lane, invocations);
        let words = self.b.constant(self.specialisation.shared_memory.div_ceil(4));
        let first = self.b.imul(block, words);
        let none = self.launch_entry(LaunchEntry::Phase);
        let owner = self.plus(thread, 1);
        let own = self.b.or(none, owner);
        let [resume, ways, steps] = [(); 3].map(|()| self.b.variable(Type::Lane));
        let kept = kept.iter().map(|&number| Reg(number)).collect();
        let threads = self.live;
        self.block = Some(Block { lane, threads, first, own, none, resume, ways, steps, kept });
        let (place, ended) = (self.state(RESUME, threads), self.b.constant(ENDED));
        let goes_on = self.b.icmp(IntTest::Ne, place, ended);
        self.live = self.b.mask_and(threads, goes_on);
        let (one, steps_before) = (self.b.constant(1), self.state(STEPS, self.live));
        for (variable, value) in [(resume, place), (ways, one), (steps, steps_before)] {
            self.b.set(variable, value);
        }
        let bits = self.state(BITS, self.live);
        let masks: Vec<Variable> = self.predicates.into_iter().chain(self.flags).collect();
        for (n, variable) in (0..).zip(masks) {
            let (bit, zero) = (self.only(bits, 1 << n), self.b.constant(0));
            let is_set = self.b.icmp(IntTest::Ne, bit, zero);
            self.b.set(variable, is_set);
        }
        for (column, register) in (FIRST_REGISTER..).zip(self.kept()) {
            let value = self.state(column, self.live);
            self.b.set(self.registers[usize::from(register.0)], value);
        }
        self.taken = self.live;
    }

    fn kept(&self) -> Vec<Reg> {
        self.block.as_ref().map_or_else(Vec::new, |block| block.kept.clone())
    }

    /// The lanes that go on at a node after a barrier, or at the start.
    pub fn resuming(&mut self, place: u32) -> Value {
        let Some(&Block { resume, .. }) = self.block.as_ref() else { return self.live };
        let (resume, place) = (self.b.get(resume), self.b.constant(place));
        let is_here = self.b.icmp(IntTest::Eq, resume, place);
        self.b.mask_and(self.live, is_here)
    }

    /// These lanes leave the function, and go on at a place.
    pub fn leave_at(&mut self, place: u32, lanes: Value) {
        if let Some(&Block { resume, .. }) = self.block.as_ref() {
            let (old, place) = (self.b.get(resume), self.b.constant(place));
            let new = self.b.select(lanes, place, old);
            self.b.set(resume, new);
        }
    }

    /// Notes the ways that lanes take from a branch. There is space for 31 of them.
    pub fn watch(&mut self, lanes: Value, taken: Value) {
        let Some(&Block { ways, .. }) = self.block.as_ref() else { return };
        let old = self.b.get(ways);
        let full = self.is_negative(old);
        let full = self.b.mask_and(lanes, full);
        self.trap_in(full);
        let (next, bit) = (self.shifted_left(old, 1), self.bit(taken));
        let next = self.b.or(next, bit);
        let new = self.b.select(lanes, next, old);
        self.b.set(ways, new);
    }

    /// Counts steps of lanes over all calls.
    pub fn count_steps(&mut self, count: u32, lanes: Value) {
        if let Some(&Block { steps, .. }) = self.block.as_ref() {
            let old = self.b.get(steps);
            let more = self.plus(old, count);
            let new = self.b.select(lanes, more, old);
            self.b.set(steps, new);
        }
    }

    /// Puts what lanes keep into memory.
    pub fn leave_block(&mut self) {
        let Some(&Block { threads, resume, ways, steps, .. }) = self.block.as_ref() else { return };
        let [resume, ways, steps] = [resume, ways, steps].map(|variable| self.b.get(variable));
        let limit = self.launch_entry(LaunchEntry::LaneSteps);
        let too_many = self.b.icmp(IntTest::Ugt, steps, limit);
        let too_many = self.b.mask_and(self.live, too_many);
        self.trap_in(too_many);
        let mut bits = self.b.constant(0);
        let masks: Vec<Variable> = self.predicates.into_iter().chain(self.flags).collect();
        for (n, variable) in (0..).zip(masks) {
            let mask = self.b.get(variable);
            let bit = self.bit(mask);
            let bit = self.shifted_left(bit, n);
            bits = self.b.or(bits, bit);
        }
        // Those that have ended before took no ways since.
        self.keep_state(WAYS, ways, threads);
        for (column, value) in [(RESUME, resume), (STEPS, steps), (BITS, bits)] {
            self.keep_state(column, value, self.live);
        }
        for (column, register) in (FIRST_REGISTER..).zip(self.kept()) {
            let value = self.reg(register);
            self.keep_state(column, value, self.live);
        }
    }

    /// Columns of what lanes keep.
    pub fn state_columns(&self) -> u32 {
        FIRST_REGISTER + self.kept().len() as u32
    }

    fn state_place(&mut self, column: u32) -> Option<Value> {
        let &Block { lane, .. } = self.block.as_ref()?;
        let (lanes, column) = (self.launch_entry(LaunchEntry::LanesOfCall), self.b.constant(column));
        let first = self.b.imul(lanes, column);
        let dword = self.b.iadd(first, lane);
        Some(self.byte(dword))
    }

    fn state(&mut self, column: u32, lanes: Value) -> Value {
        match self.state_place(column) {
            Some(place) => {
                let buffer = self.buffer(BufferBinding::State);
                self.b.buffer_load(buffer, place, lanes)
            }
            None => self.b.constant(0),
        }
    }

    fn keep_state(&mut self, column: u32, value: Value, lanes: Value) {
        if let Some(place) = self.state_place(column) {
            let buffer = self.buffer(BufferBinding::State);
            self.b.buffer_store(buffer, place, value, lanes);
        }
    }

    /// The byte address of an access' first word in the shared memory of all blocks.
    fn shared_place(&mut self, address: Value, size: u32) -> Walked<Value> {
        let Some(&Block { first, .. }) = self.block.as_ref() else { return Err(NotLifted::SharedMemory) };
        let rest = self.only(address, size - 1);
        let zero = self.b.constant(0);
        let misaligned = self.b.icmp(IntTest::Ne, rest, zero);
        self.trap_where(misaligned);
        match self.specialisation.shared_memory.checked_sub(size) {
            Some(last) => {
                let last = self.b.constant(last);
                let outside = self.b.icmp(IntTest::Ugt, address, last);
                self.trap_where(outside);
            }
            None => self.trap(),
        }
        let word = self.shifted_right(address, 2);
        let word = self.b.iadd(first, word);
        Ok(self.byte(word))
    }

    /// LDS and STS.
    pub fn shared_memory(&mut self, op: SharedOp, instruction: &Instruction) -> Walked<()> {
        let size = instruction.get(key::MEMORY_SIZE);
        let register = self.reg(instruction.reg(key::RA));
        let address = self.plus(register, instruction.signed(FieldId::OFFSET).cast_unsigned());
        let place = self.shared_place(address, size.bytes())?;
        let shift = self.shift_in_word(address);
        match op {
            SharedOp::Lds => self.load(instruction.dst(), size, |m, k| {
                let at = m.plus(place, 4 * k);
                m.mark_read(at);
                let buffer = m.buffer(BufferBinding::Shared);
                let word = m.b.buffer_load(buffer, at, m.taken);
                m.b.shr(word, shift)
            }),
            SharedOp::Sts => {
                let base = self.aligned(instruction.dst(), registers(size));
                for k in 0..registers(size) {
                    let reg = self.element(base, k);
                    let (value, at) = (self.reg(reg), self.plus(place, 4 * u32::from(k)));
                    self.mark_written(at);
                    let value = self.in_word(size, value, at, shift);
                    let buffer = self.buffer(BufferBinding::Shared);
                    self.b.buffer_store(buffer, at, value, self.taken);
                }
            }
        }
        Ok(())
    }

    /// The word at a place, with the bytes that a store replaces.
    fn in_word(&mut self, size: MemorySize, value: Value, at: Value, shift: Value) -> Value {
        if size.bytes() >= 4 {
            return value;
        }
        let mask = (1 << (8 * size.bytes())) - 1;
        let (value, mask) = (self.only(value, mask), self.b.constant(mask));
        let (value, mask) = (self.b.shl(value, shift), self.b.shl(mask, shift));
        let buffer = self.buffer(BufferBinding::Shared);
        let old = self.b.buffer_load(buffer, at, self.taken);
        let outside = self.not(mask);
        let kept = self.b.and(old, outside);
        self.b.or(kept, value)
    }

    /// The marks of this lane and of none.
    fn marks(&self) -> Option<[Value; 2]> {
        self.block.as_ref().map(|block| [block.own, block.none])
    }

    /// Leaves the launch to the reference where a word has a mark since the last barrier that is not this one.
    fn require_mark(&mut self, marks: BufferBinding, at: Value, mark: Value, none: Value) -> Value {
        let buffer = self.buffer(marks);
        let found = self.b.buffer_load(buffer, at, self.taken);
        let is_new = self.b.icmp(IntTest::Uge, found, none);
        let is_other = self.b.icmp(IntTest::Ne, found, mark);
        let meets = self.b.mask_and(is_new, is_other);
        self.trap_where(meets);
        found
    }

    /// Lanes read a word: nobody else may have written it.
    fn mark_read(&mut self, at: Value) {
        let Some([own, none]) = self.marks() else { return };
        self.require_mark(BufferBinding::Writers, at, own, none);
        let readers = self.buffer(BufferBinding::Readers);
        let found = self.b.buffer_load(readers, at, self.taken);
        let (many, is_old) = (self.b.constant(MANY), self.b.icmp(IntTest::Ult, found, none));
        let many = self.b.or(none, many);
        let is_own = self.b.icmp(IntTest::Eq, found, own);
        let alone = self.b.mask_or(is_old, is_own);
        let mark = self.b.select(alone, own, many);
        self.b.buffer_store(readers, at, mark, self.taken);
        // Of lanes that read one word at a time, only the last one finds its mark.
        let found = self.b.buffer_load(readers, at, self.taken);
        let lost = self.b.icmp(IntTest::Ne, found, mark);
        let lost = self.b.mask_and(self.taken, lost);
        self.b.buffer_store(readers, at, many, lost);
    }

    /// Lanes write a word: nobody else may have read or written it.
    fn mark_written(&mut self, at: Value) {
        let Some([own, none]) = self.marks() else { return };
        self.require_mark(BufferBinding::Writers, at, own, none);
        self.require_mark(BufferBinding::Readers, at, own, none);
        let writers = self.buffer(BufferBinding::Writers);
        self.b.buffer_store(writers, at, own, self.taken);
        let found = self.b.buffer_load(writers, at, self.taken);
        let lost = self.b.icmp(IntTest::Ne, found, own);
        self.trap_where(lost);
    }

    /// ATOMS whose result nobody reads, and that commute.
    pub fn shared_atomic(&mut self, op: AtomicOp, instruction: &Instruction) -> Walked<()> {
        let (ty, update) = (instruction.get(key::SHARED_TYPE), instruction.get(key::ATOM_OP));
        let is_signed = ty == SharedType::S32;
        let combine = commuting(update, is_signed);
        let is_plain = op == AtomicOp::Atoms && instruction.dst().is_zero() && (is_signed || ty == SharedType::U32);
        let (Some(combine), Some([own, none])) = (combine.filter(|_| is_plain), self.marks()) else {
            return Err(NotLifted::SharedMemory);
        };
        let register = self.reg(instruction.reg(key::RA));
        let offset = instruction.signed(FieldId::WORD_OFFSET) << 2;
        let address = self.plus(register, offset.cast_unsigned());
        let at = self.shared_place(address, 4)?;
        // Those of other kinds do not commute with it.
        let kind = self.b.constant(ATOMIC | (update as u32) << 1 | u32::from(is_signed));
        let mark = self.b.or(none, kind);
        self.require_mark(BufferBinding::Writers, at, mark, none);
        self.require_mark(BufferBinding::Readers, at, none, none);
        let writers = self.buffer(BufferBinding::Writers);
        self.b.buffer_store(writers, at, mark, self.taken);
        let operand = self.reg(instruction.reg(key::RB));
        let (turns, shared) = (Turns { claims: BufferBinding::Claims, at, own }, self.buffer(BufferBinding::Shared));
        self.in_turns(turns, self.taken, |m, lanes| {
            let old = m.b.buffer_load(shared, at, lanes);
            let new = combine(&mut m.b, old, operand);
            m.b.buffer_store(shared, at, new, lanes);
        });
        Ok(())
    }

    /// Lanes that name one word come one after the other.
    pub(super) fn in_turns(&mut self, turns: Turns, lanes: Value, act: impl FnOnce(&mut Self, Value)) {
        let Turns { claims, at, own } = turns;
        let waiting = self.b.variable(Type::Mask);
        self.b.set(waiting, lanes);
        let [turn, next] = [(); 2].map(|()| self.b.new_block());
        self.b.branch_any(lanes, (turn, &[]), (next, &[]));
        self.b.switch_to(turn);
        let (claims, lanes) = (self.buffer(claims), self.b.get(waiting));
        self.b.buffer_store(claims, at, own, lanes);
        let found = self.b.buffer_load(claims, at, lanes);
        let is_own = self.b.icmp(IntTest::Eq, found, own);
        let chosen = self.b.mask_and(lanes, is_own);
        act(self, chosen);
        let others = self.b.mask_andnot(lanes, chosen);
        self.b.set(waiting, others);
        self.b.branch_any(others, (turn, &[]), (next, &[]));
        self.b.seal(turn);
        self.b.seal(next);
        self.b.switch_to(next);
    }
}

/// Where lanes say whose turn it is, and by what they are known there.
#[derive(Clone, Copy)]
pub(super) struct Turns {
    pub claims: BufferBinding,
    pub at: Value,
    pub own: Value,
}

/// How an atomic operation on integers combines what a word holds with an operand, if the order of several does not matter.
pub(super) fn commuting(op: AtomOp, is_signed: bool) -> Option<fn(&mut Builder, Value, Value) -> Value> {
    use AtomOp::*;
    match op {
        Add => Some(Builder::iadd),
        Min if is_signed => Some(Builder::smin),
        Max if is_signed => Some(Builder::smax),
        Min => Some(Builder::umin),
        Max => Some(Builder::umax),
        And => Some(Builder::and),
        Or => Some(Builder::or),
        Xor => Some(Builder::xor),
        Inc | Dec | Exch | SafeAdd | Invalid9 | Invalid11 | Invalid12 | Invalid13 | Invalid14 | Invalid15 => None,
    }
}
