//! Lanes that leave the function in the middle of the program, and come back: at barriers, and where they call for what functions do not do.
//!
//! They keep what they hold in memory, in columns with a dword for each lane. Who runs the function does what they wait for, and calls it again
//! for all lanes.
//!
//! Lanes of fragments may look at others of their quads, whose instructions come in an order. So when some call, all lanes of the group leave
//! with them, and each goes on where it was: those that wait at the head of a loop around the call do so once the others are back.

use super::machine::LiftState;
use super::specialisation::{BufferBinding, LaunchEntry};
use crate::operand::Reg;
use ctm_lane::{IntTest, Type, Value, Variable};
use std::collections::BTreeSet;

/// Columns of what a lane keeps, beside registers: where it goes on, the ways that it took, the steps, and predicates, flags and what fragments are.
pub(crate) const RESUME: u32 = 0;
pub(crate) const WAYS: u32 = 1;
const STEPS: u32 = 2;
pub(crate) const BITS: u32 = 3;
pub(crate) const FIRST_REGISTER: u32 = 4;

/// Bits of [`BITS`]: predicates, then Z, S, C and O, then whether a fragment puts nothing out, and whether it has ended.
pub(crate) const PREDICATES: u32 = 7;
pub(crate) const FLAGS: u32 = 4;
pub(crate) const HELPER_BIT: u32 = PREDICATES + FLAGS;
const ENDED_BIT: u32 = HELPER_BIT + 1;

/// [`RESUME`] of lanes that have ended. Others have 0 at the start, and one more than the number of a node later.
pub(crate) const ENDED: u32 = u32::MAX;
/// In [`RESUME`]: the lane waits at a barrier. Only of functions whose lanes call, too: those of others all come back after a barrier.
pub(crate) const WAITS: u32 = 1 << 31;
/// The lane calls for the instruction in front of the node.
pub(crate) const CALLS: u32 = 1 << 30;
/// Bits of a node's number. Above are those of the node after whose return the lane waits there.
pub(crate) const PLACE_BITS: u32 = 13;

/// What the lanes of a function keep while they are not in it.
pub(super) struct Resume {
    /// The lane's number among those that the function is called for.
    lane: Value,
    /// Lanes that have an invocation, ended or not.
    all: Value,
    /// Where the lane goes on.
    place: Variable,
    ways: Variable,
    steps: Variable,
    /// Registers that are kept.
    kept: Vec<Reg>,
    /// Lanes call, which takes as many more runs of the function between two barriers.
    calls: bool,
}

impl LiftState<'_> {
    /// Prepares lanes that come back, or begin. `kept` are the registers that the program writes; whether lanes call.
    pub fn enter(&mut self, kept: &BTreeSet<u8>, calls: bool) {
        let lane = if self.fragments.is_some() {
            let first = self.launch_entry(LaunchEntry::FirstOfCall);
            self.b.isub(self.number, first)
        } else {
            self.b.pos_x()
        };
        let [place, ways, steps] = [(); 3].map(|()| self.b.variable(Type::Lane));
        let kept = kept.iter().map(|&number| Reg(number)).collect();
        let all = self.live;
        self.resume = Some(Resume { lane, all, place, ways, steps, kept, calls });
        let (at, zero) = (self.state(RESUME, all), self.b.constant(0));
        let goes_on = if calls { self.only(at, WAITS) } else { self.plus(at, 1) };
        let goes_on = self.b.icmp(if calls { IntTest::Eq } else { IntTest::Ne }, goes_on, zero);
        self.live = self.b.mask_and(all, goes_on);
        let ways_before = if calls {
            let kept = self.state(WAYS, self.live);
            let one = self.b.constant(1);
            self.b.umax(kept, one)
        } else {
            self.b.constant(1)
        };
        let steps_before = self.state(STEPS, self.live);
        for (variable, value) in [(place, at), (ways, ways_before), (steps, steps_before)] {
            self.b.set(variable, value);
        }
        // Fragments look at registers of others that have ended.
        let holders = if self.fragments.is_some() { all } else { self.live };
        let bits = self.state(BITS, holders);
        let masks: Vec<Variable> = self.predicates.into_iter().chain(self.flags).collect();
        for (n, variable) in (0..).zip(masks) {
            let is_set = self.is_bit_set(bits, n);
            self.b.set(variable, is_set);
        }
        if let Some([helpers, ended]) = self.fragment_masks() {
            let (outside, killed) = (self.b.get(helpers), self.is_bit_set(bits, HELPER_BIT));
            let both = self.b.mask_or(outside, killed);
            self.b.set(helpers, both);
            let has_ended = self.is_bit_set(bits, ENDED_BIT);
            self.b.set(ended, has_ended);
        }
        for (column, register) in (FIRST_REGISTER..).zip(self.kept()) {
            let value = self.state(column, holders);
            self.b.set(self.registers[usize::from(register.0)], value);
        }
        self.taken = self.live;
    }

    fn is_bit_set(&mut self, bits: Value, n: u32) -> Value {
        let (bit, zero) = (self.only(bits, 1 << n), self.b.constant(0));
        self.b.icmp(IntTest::Ne, bit, zero)
    }

    fn kept(&self) -> Vec<Reg> {
        self.resume.as_ref().map_or_else(Vec::new, |resume| resume.kept.clone())
    }

    /// The lanes that go on at a place.
    pub fn resuming(&mut self, place: u32) -> Value {
        let Some(&Resume { place: at, .. }) = self.resume.as_ref() else { return self.live };
        let (at, place) = (self.b.get(at), self.b.constant(place));
        let is_here = self.b.icmp(IntTest::Eq, at, place);
        self.b.mask_and(self.live, is_here)
    }

    /// These lanes leave the function, and go on at a place.
    pub fn leave_at(&mut self, place: u32, lanes: Value) {
        if let Some(&Resume { place: at, .. }) = self.resume.as_ref() {
            let (old, place) = (self.b.get(at), self.b.constant(place));
            let new = self.b.select(lanes, place, old);
            self.b.set(at, new);
        }
    }

    /// The same at a barrier.
    pub fn wait_at(&mut self, place: u32, lanes: Value) {
        let calls = self.resume.as_ref().is_some_and(|resume| resume.calls);
        self.leave_at(if calls { place | WAITS } else { place }, lanes);
    }

    /// Notes the ways that lanes take from a branch. There is space for 31 of them.
    pub fn watch(&mut self, lanes: Value, taken: Value) {
        let Some(&Resume { ways, .. }) = self.resume.as_ref() else { return };
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
        if let Some(&Resume { steps, .. }) = self.resume.as_ref() {
            let old = self.b.get(steps);
            let more = self.plus(old, count);
            let new = self.b.select(lanes, more, old);
            self.b.set(steps, new);
        }
    }

    /// Puts what lanes keep into memory.
    pub fn leave(&mut self) {
        let Some(&Resume { all, place, ways, steps, calls, .. }) = self.resume.as_ref() else { return };
        let [place, ways, steps] = [place, ways, steps].map(|variable| self.b.get(variable));
        let limit = self.launch_entry(LaunchEntry::LaneSteps);
        let too_many = self.b.icmp(IntTest::Ugt, steps, limit);
        let too_many = self.b.mask_and(self.live, too_many);
        self.trap_in(too_many);
        let masks: Vec<Variable> = self.predicates.into_iter().chain(self.flags).collect();
        let fragments = self.fragment_masks().into_iter().flatten();
        let mut bits = self.b.constant(0);
        for (n, variable) in (0..).zip(masks.into_iter().chain(fragments)) {
            let mask = self.b.get(variable);
            let bit = self.bit(mask);
            let bit = self.shifted_left(bit, n);
            bits = self.b.or(bits, bit);
        }
        // Those that have ended before took no ways since the last barrier; who runs functions with calls knows when that was.
        self.keep_state(WAYS, ways, if calls { self.live } else { all });
        for (column, value) in [(RESUME, place), (STEPS, steps), (BITS, bits)] {
            self.keep_state(column, value, self.live);
        }
        for (column, register) in (FIRST_REGISTER..).zip(self.kept()) {
            let value = self.reg(register);
            self.keep_state(column, value, self.live);
        }
    }

    /// Columns of what lanes keep.
    pub fn state_columns(&self) -> u32 {
        let local = if self.uses_local() { self.specialisation.local_memory.div_ceil(4) } else { 0 };
        FIRST_REGISTER + self.kept().len() as u32 + local
    }

    /// The registers that lanes keep, by column.
    pub fn kept_registers(&self) -> Vec<u8> {
        self.kept().into_iter().map(|register| register.0).collect()
    }

    /// The address of a lane's dword in a column.
    fn state_place(&mut self, column: Value) -> Option<Value> {
        let &Resume { lane, .. } = self.resume.as_ref()?;
        let lanes = self.launch_entry(LaunchEntry::LanesOfCall);
        let first = self.b.imul(lanes, column);
        let dword = self.b.iadd(first, lane);
        Some(self.byte(dword))
    }

    fn state(&mut self, column: u32, lanes: Value) -> Value {
        let column = self.b.constant(column);
        self.load_state(column, lanes)
    }

    fn load_state(&mut self, column: Value, lanes: Value) -> Value {
        match self.state_place(column) {
            Some(place) => {
                let buffer = self.buffer(BufferBinding::State);
                self.b.buffer_load(buffer, place, lanes)
            }
            None => self.b.constant(0),
        }
    }

    fn keep_state(&mut self, column: u32, value: Value, lanes: Value) {
        let column = self.b.constant(column);
        self.store_state(column, value, lanes);
    }

    fn store_state(&mut self, column: Value, value: Value, lanes: Value) {
        if let Some(place) = self.state_place(column) {
            let buffer = self.buffer(BufferBinding::State);
            self.b.buffer_store(buffer, place, value, lanes);
        }
    }

    /// The column of a dword of local memory, which comes after registers.
    fn local_column(&mut self, dword: Value) -> Value {
        let first = FIRST_REGISTER + self.kept().len() as u32;
        self.plus(dword, first)
    }

    /// A dword of the lanes' local memory.
    pub fn load_local(&mut self, dword: Value) -> Value {
        match self.local {
            Some(array) => self.b.array_gather(array, dword),
            None => {
                let column = self.local_column(dword);
                self.load_state(column, self.taken)
            }
        }
    }

    /// Writes a dword of the lanes' local memory.
    pub fn store_local(&mut self, dword: Value, value: Value) {
        match self.local {
            Some(array) => self.b.array_scatter(array, dword, value, self.taken),
            None => {
                let column = self.local_column(dword);
                self.store_state(column, value, self.taken);
            }
        }
    }
}
