//! What making code of a program may use, and how passes keep to it.
//!
//! Programs decide how long their lift, simplification and machine code take. So everything that is made of a program counts what it does in
//! *steps*, each of which is about the work of a pass on one instruction, and ends early when an [`Effort`] has none left: a simplification is then
//! one that was not made, and code that is not complete is not there, so that the interpreter or the reference runs the program. Results do not
//! depend on it.
//!
//! Steps are counted alike on every host. Whether a program becomes code is decided by the program, unless a limit of the run that
//! waits for the code comes first: its deadline, its memory, or who cancels it ([`CutShort::is_of_run`]). What such a limit has cut short is that run's alone.

use crate::budget::{Budget, Cancel, DEFAULT_CODE_STEPS, Halt, Meter};
use crate::clock::Instant;
use crate::function::Function;
use std::cell::Cell;
use thiserror::Error;

/// Bytes that a value of a function comes to in all that is made of it at a time, about.
pub const VALUE_BYTES: u64 = 1 << 9;
/// Bytes that making code may take whatever the run has: small programs become code then, and the run itself says what it lacks.
pub const LEAST_MEMORY: u64 = 16 << 20;
/// Steps between two looks at the clock: some tenths of a millisecond.
const LOOK_STEPS: u64 = 1 << 13;

/// Why something was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CutShort {
    /// It takes more steps than it may.
    #[error("more than {limit} steps")]
    Steps {
        /// Steps that it may take.
        limit: u64,
    },
    /// It takes more memory than the run has, and more than [`LEAST_MEMORY`].
    #[error("more than {limit} bytes of memory")]
    Memory {
        /// Bytes that it may take.
        limit: u64,
    },
    /// The run that waits for it is over.
    #[error("more time than the run has: {0}")]
    Halted(Halt),
}

impl CutShort {
    /// Whether another run with the same program may have its code.
    pub fn is_of_run(self) -> bool {
        match self {
            CutShort::Steps { .. } => false,
            CutShort::Memory { .. } | CutShort::Halted(_) => true,
        }
    }
}

/// What making code of a program may use, and what it has used.
#[derive(Debug)]
pub struct Effort<'a> {
    limit: u64,
    /// `u64::MAX` if nobody has said.
    memory: u64,
    deadline: Option<Instant>,
    cancel: Option<&'a dyn Cancel>,
    steps: Cell<u64>,
    /// The count of steps at which the clock, or the limit of steps, is looked at next; 0 if there is nothing more to use.
    next_look: Cell<u64>,
    /// Why nothing more is made.
    over: Cell<Option<CutShort>>,
    /// Why something was not made, until somebody takes note of that.
    report: Cell<Option<CutShort>>,
}

impl Default for Effort<'_> {
    /// For code that no run waits for.
    fn default() -> Self {
        Effort::of_steps(DEFAULT_CODE_STEPS)
    }
}

impl<'a> Meter<'a> {
    /// What code may use that is made while the run goes on.
    pub fn effort(&self) -> Effort<'a> {
        Effort::new(&self.budget, self.cancel)
    }
}

impl<'a> Effort<'a> {
    /// For a run with this budget, and who may cancel it.
    pub fn new(budget: &Budget, cancel: Option<&'a dyn Cancel>) -> Self {
        let Budget { code_steps, deadline, memory, instructions: _, group_time: _ } = *budget;
        Effort { memory: memory.max(LEAST_MEMORY), deadline, cancel, ..Effort::of_steps(code_steps) }
    }

    /// So many steps.
    pub fn of_steps(limit: u64) -> Self {
        Effort {
            limit,
            memory: u64::MAX,
            deadline: None,
            cancel: None,
            steps: Cell::new(0),
            next_look: Cell::new(0),
            over: Cell::new(None),
            report: Cell::new(None),
        }
    }

    /// Notes steps; gives whether there is more to use.
    #[inline]
    pub fn spend(&self, steps: usize) -> bool {
        let all = self.steps.get().saturating_add(steps as u64);
        self.steps.set(all);
        all < self.next_look.get() || self.look()
    }

    /// Whether so many steps are left.
    pub fn affords(&self, steps: usize) -> bool {
        if self.steps.get().saturating_add(steps as u64) > self.limit {
            self.stop(CutShort::Steps { limit: self.limit });
        }
        self.over.get().is_none()
    }

    /// Whether a function of so many values may be made.
    pub fn has_memory_for(&self, values: usize) -> bool {
        if (values as u64).saturating_mul(VALUE_BYTES) > self.memory {
            self.stop(CutShort::Memory { limit: self.memory });
        }
        self.over.get().is_none()
    }

    /// Looks at the clock and at the limit of steps; gives whether there is more to use.
    #[inline(never)]
    pub fn look(&self) -> bool {
        if self.is_over() {
            return false;
        }
        let steps = self.steps.get();
        if steps > self.limit {
            self.stop(CutShort::Steps { limit: self.limit });
        }
        if self.cancel.is_some_and(|cancel| cancel.is_cancelled()) {
            self.stop(CutShort::Halted(Halt::Cancelled));
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.stop(CutShort::Halted(Halt::Deadline));
        }
        if self.is_over() {
            return false;
        }
        self.next_look.set(steps.saturating_add(LOOK_STEPS).min(self.limit.saturating_add(1)));
        true
    }

    /// Whether there is nothing more to use.
    pub fn is_over(&self) -> bool {
        self.over.get().is_some()
    }

    /// Gives why there is nothing more to use, if that is so.
    ///
    /// # Errors
    /// The limit that came first.
    pub fn check(&self) -> Result<(), CutShort> {
        self.over.get().map_or(Ok(()), Err)
    }

    /// Whether that is so because of a limit of the run.
    pub fn is_cut_by_run(&self) -> bool {
        self.over.get().is_some_and(CutShort::is_of_run)
    }

    /// Why something was not made, if that is so, and nobody has asked before.
    pub fn take_cut(&self) -> Option<CutShort> {
        self.report.take()
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Three quarters of what is left, for what can be missing. Give it [back](Self::take_back) afterwards.
    pub fn share(&self) -> Effort<'a> {
        let left = self.limit.saturating_sub(self.steps.get());
        let &Effort { memory, deadline, cancel, .. } = self;
        Effort { memory, deadline, cancel, over: self.over.clone(), ..Effort::of_steps(left / 4 * 3) }
    }

    /// Notes what a share has used. That its steps were too few ends nothing else.
    pub fn take_back(&self, share: &Effort) {
        self.report.set(self.report.get().or(share.report.get()));
        self.spend(share.steps.get().try_into().unwrap_or(usize::MAX));
        match share.over.get() {
            Some(cut) if cut.is_of_run() => self.stop(cut),
            Some(_) | None => {}
        }
    }

    /// What one pass over a function may use of it: as much as a pass does that takes a time of n log n, and some more.
    pub fn patience(&self, function: &Function) -> Patience<'_> {
        let size = function.size();
        Patience { effort: self, left: Cell::new(PATIENCE * size * (size.max(2).ilog2() as usize) + LEAST_PATIENCE) }
    }

    fn stop(&self, cut: CutShort) {
        if self.over.get().is_none() {
            self.over.set(Some(cut));
            self.next_look.set(0);
            self.report.set(self.report.get().or(Some(cut)));
        }
    }
}

/// Steps that a pass may take for each instruction, and each halving of their number, and those of small functions.
const PATIENCE: usize = 16;
const LEAST_PATIENCE: usize = 1 << 16;

/// What one pass may use. A pass that has no patience left stops, and the others go on.
pub struct Patience<'e> {
    effort: &'e Effort<'e>,
    left: Cell<usize>,
}

impl Patience<'_> {
    /// Notes steps; gives whether the pass may go on.
    pub fn spend(&self, steps: usize) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(steps));
        self.effort.spend(steps.min(left)) && steps <= left
    }

    /// Whether there is none left.
    pub fn is_over(&self) -> bool {
        self.left.get() == 0 || self.effort.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn steps_are_exact_and_stay_over() {
        let effort = Effort::of_steps(10);
        assert!(effort.spend(7) && effort.affords(3) && effort.spend(3) && !effort.is_over() && effort.check().is_ok());
        assert!(!Effort::of_steps(10).affords(11));
        assert!(!effort.spend(1) && !effort.spend(0) && !effort.has_memory_for(0));
        assert!(!effort.is_cut_by_run());
        assert_eq!(effort.check(), Err(CutShort::Steps { limit: 10 }));
        assert_eq!((effort.take_cut(), effort.take_cut()), (Some(CutShort::Steps { limit: 10 }), None));
    }

    #[test]
    fn the_run_comes_first() {
        let cancel = AtomicBool::new(true);
        let budget = Budget { memory: 2 * LEAST_MEMORY, ..Budget::default() };
        let (effort, most) = (Effort::new(&budget, None), (2 * LEAST_MEMORY / VALUE_BYTES) as usize);
        assert!(effort.has_memory_for(most) && !effort.has_memory_for(most + 1) && effort.is_cut_by_run());
        assert!(Effort::new(&Budget { memory: 0, ..budget }, None).has_memory_for(most / 2));
        assert!(!Effort::new(&budget, Some(&cancel)).spend(1));
        let late = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        let effort = Effort::new(&late, None);
        assert!(!effort.look());
        assert_eq!(effort.take_cut(), Some(CutShort::Halted(Halt::Deadline)));
    }

    #[test]
    fn a_share_that_is_over_leaves_the_rest() {
        let effort = Effort::of_steps(100);
        let share = effort.share();
        assert!(share.spend(75) && !share.spend(1));
        effort.take_back(&share);
        assert!(!effort.is_over() && effort.spend(24) && !effort.spend(1));
        assert_eq!(effort.take_cut(), Some(CutShort::Steps { limit: 75 }));
    }

    /// A share has the limits of the run, and what a limit of the run ends is over.
    #[test]
    fn a_share_is_of_the_same_run() {
        let (yes, least) = (AtomicBool::new(true), (LEAST_MEMORY / VALUE_BYTES) as usize);
        let small = Effort::new(&Budget { memory: 0, ..Budget::default() }, None);
        let share = small.share();
        assert!(share.has_memory_for(least) && !share.has_memory_for(least + 1));
        small.take_back(&share);
        assert_eq!(small.check(), Err(CutShort::Memory { limit: LEAST_MEMORY }));
        assert!(small.share().is_over(), "it is over for shares too");
        assert!(!Effort::new(&Budget::default(), Some(&yes)).share().spend(1));
        let late = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        assert!(!Effort::new(&late, None).share().spend(1));
        assert!(!Meter::new(late, None).effort().spend(1));
        assert!(!Meter::new(Budget::default(), Some(&yes)).effort().spend(1));
    }

    #[test]
    fn a_pass_without_patience_stops_alone() {
        let effort = Effort::default();
        let patience = effort.patience(&Function::default());
        assert!(!patience.is_over() && patience.spend(LEAST_PATIENCE) && !patience.spend(1) && patience.is_over());
        assert!(!effort.is_over() && effort.take_cut().is_none());
    }
}
