//! Whether code for more groups at a time does better than code for fewer.
//!
//! A piece of code takes the time of its instructions, or of the longest chain of those that wait for each other; groups side by side fill what is left
//! of the latter, but take registers from each other.

use crate::allocate::Allocation;
use crate::groups::Groups;

/// How much of an instruction's time an access to the frame takes, which most instructions do as a part of their own.
const FRAME_ACCESS: f32 = 0.35;
/// Share of the instructions of groups one after the other below which groups side by side share much.
const SHARING: f32 = 0.9;
/// How much more often a group accesses the frame, at most, where groups that share much are worth it, and how much of the time they take at most.
const MORE_ACCESSES: f32 = 1.1;
const SHORTER_IN_STEP: f32 = 0.96;
/// How much of the time code for more groups takes at most where passes of loops do not wait for each other: groups that go on together until the last
/// lane leaves do more in vain.
const SHORTER: f32 = 0.92;
/// The same of three groups, which are fewer to go on together.
const SHORTER_OF_THREE: f32 = 0.975;

/// What code is measured by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InterleaveCost {
    /// Instructions that a processor begins with in a cycle ([`Target::width`](crate::target::Target::width)).
    pub width: f32,
    /// If there are loops, cycles that code takes at least, as their passes wait for each other ([`waiting`](crate::recurrence_latency::waiting)).
    pub waiting: Option<f32>,
    /// How many more accesses to the frame for each instruction a second group may take.
    pub spare: f32,
    /// If all groups go the same way through the code, the instructions that one of them executes.
    pub in_step: Option<f32>,
}

impl InterleaveCost {
    /// Cycles of what code has to do, without waiting.
    fn cycles(&self, allocation: &Allocation) -> f32 {
        (allocation.executed + FRAME_ACCESS * allocation.frame_accesses) / self.width
    }

    fn waits(&self, allocation: &Allocation) -> bool {
        self.waiting.is_some_and(|waiting| waiting > self.cycles(allocation))
    }

    /// Whether code for more groups may do better than this for several: this waits, or has registers left.
    pub fn leaves_time(&self, several: &Allocation) -> bool {
        self.waits(several) || several.frame_accesses < several.executed / 10.0
    }

    /// The same where it does not: groups share much, and do nothing in vain.
    pub fn shares(&self, several: &Allocation, groups: Groups) -> bool {
        self.in_step.is_some_and(|alone| several.executed < SHARING * groups.count() as f32 * alone)
    }

    /// Whether code for more groups accesses the frame seldom enough, where code for as many groups one after the other does so this often.
    pub fn fits(&self, more: &Allocation, before: f32) -> bool {
        more.frame_accesses - before < more.executed * self.spare
    }

    /// Whether code for more groups does better than this for fewer.
    pub fn is_better(&self, (more, groups): (&Allocation, Groups), (fewer, before): (&Allocation, Groups)) -> bool {
        let waits = self.waits(fewer);
        let least = self.waiting.unwrap_or(0.0);
        let times = groups.count() as f32 / before.count() as f32;
        let share = least.max(self.cycles(more)) / (times * least.max(self.cycles(fewer)));
        if before == Groups::ONE {
            return self.fits(more, times * fewer.frame_accesses) || waits && share < SHORTER;
        }
        let needs_registers = more.frame_accesses > MORE_ACCESSES * times * fewer.frame_accesses;
        let shorter = match groups.count() {
            _ if waits => 1.0,
            _ if self.in_step.is_some() && !needs_registers => SHORTER_IN_STEP,
            _ if !self.leaves_time(fewer) => 0.0,
            3 => SHORTER_OF_THREE,
            _ => SHORTER,
        };
        share < shorter
    }
}
