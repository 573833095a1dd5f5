//! Blocks whose threads share memory and wait for each other.
//!
//! The function runs from one barrier to the next: lanes that come to a barrier keep their registers in memory and leave, and who runs the
//! function calls it again for all lanes of the block. Between barriers the order of lanes does not matter as long as none accesses a
//! word of shared memory that another one writes, but in atomic ways that commute. Each word has two marks, who wrote it and who read it since the
//! last barrier; where lanes meet, the launch is one for the reference.
//!
//! A warp comes to a barrier once, so its lanes have to come together. Branches whose lanes may not wait for each other before a barrier are
//! watched: each lane keeps which ways it took since the last one, and who runs the function compares them.

use super::global::{Change, instruction_store};
use super::machine::LiftState;
use super::memory::registers;
use super::specialisation::{BufferBinding, LaunchEntry};
use super::{NotLifted, Walked};
use crate::codes::{AtomOp, Cast, MemorySize, SharedType};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::table::{AtomicOp, SharedOp};
use ctm_lane::{Builder, IntTest, Type, Value};

/// Bits of a mark that say who set it; the others count barriers.
pub(crate) const OWNER_BITS: u32 = 12;
/// Several lanes.
const MANY: u32 = (1 << OWNER_BITS) - 1;
/// Atomic accesses of the first kind.
const ATOMIC: u32 = 1 << (OWNER_BITS - 1);

/// The blocks of lanes.
pub(super) struct Block {
    /// Where the lane's block has its shared memory, by word.
    first: Value,
    /// Marks of this lane, and of none, since the last barrier. (Lanes that come in the order of warps need none.)
    marks: Option<[Value; 2]>,
}

impl LiftState<'_> {
    /// Prepares lanes that share memory with their blocks; whether they come in the order of warps.
    pub fn enter_block(&mut self, in_order: bool) {
        let lane = self.b.pos_x();
        let (thread, _) = self.thread_and_block();
        let invocations = self.launch_entry(LaunchEntry::BlockInvocations);
        let block = self.b.udiv(lane, invocations);
        let words = self.b.constant(self.specialisation.shared_memory.div_ceil(4));
        let first = self.b.imul(block, words);
        let none = self.launch_entry(LaunchEntry::Phase);
        let owner = self.plus(thread, 1);
        let own = self.b.or(none, owner);
        self.block = Some(Block { first, marks: (!in_order).then_some([own, none]) });
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
        self.block.as_ref().and_then(|block| block.marks)
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

    /// ATOMS. Where nobody looks at what words held, and they commute, the order of lanes does not matter.
    pub fn shared_atomic(&mut self, op: AtomicOp, instruction: &Instruction) -> Walked<()> {
        let (ty, update) = (instruction.get(key::SHARED_TYPE), instruction.get(key::ATOM_OP));
        let is_signed = ty == SharedType::S32;
        let change = match op {
            AtomicOp::AtomsCas if instruction.get(key::CAST) == Cast::Cas => Some(Change::Compare),
            AtomicOp::Atoms if is_signed || ty == SharedType::U32 => Change::of(update, is_signed),
            AtomicOp::Atoms | AtomicOp::AtomsCas | AtomicOp::Atom | AtomicOp::AtomCas | AtomicOp::Red => None,
        };
        let Some(change) = change.filter(|_| instruction.atom_words() == 1) else {
            return Err(NotLifted::SharedMemory);
        };
        let register = self.reg(instruction.reg(key::RA));
        let offset = instruction.signed(FieldId::WORD_OFFSET) << 2;
        let address = self.plus(register, offset.cast_unsigned());
        let at = self.shared_place(address, 4)?;
        let operand = self.reg(instruction.reg(key::RB));
        match (change, self.marks()) {
            (Change::Commuting(_, combine), Some([own, none])) if instruction.dst().is_zero() => {
                // Those of other kinds do not commute with it.
                let kind = self.b.constant(ATOMIC | (update as u32) << 1 | u32::from(is_signed));
                let mark = self.b.or(none, kind);
                self.require_mark(BufferBinding::Writers, at, mark, none);
                self.require_mark(BufferBinding::Readers, at, none, none);
                let writers = self.buffer(BufferBinding::Writers);
                self.b.buffer_store(writers, at, mark, self.taken);
                let (turns, shared) =
                    (Turns { claims: BufferBinding::Claims, at, own }, self.buffer(BufferBinding::Shared));
                self.in_turns(turns, self.taken, |m, lanes| {
                    let old = m.b.buffer_load(shared, at, lanes);
                    let new = combine(&mut m.b, old, operand);
                    m.b.buffer_store(shared, at, new, lanes);
                });
            }
            _ => {
                // The order is that of warps, and in them that of lanes.
                self.depends = true;
                let store = self.reg(instruction_store(op, instruction));
                let held = self.change_one_by_one(change, &[(BufferBinding::Shared, at, self.taken)], [operand, store]);
                self.set_reg(instruction.dst(), held);
            }
        }
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
