//! How functions are run, and what a run did: the same for every guest machine.

use crate::budget::{Budget, Cancel};
use crate::clock::Instant;
use crate::counts::InstructionCounts;
use crate::effort::Effort;

/// Widest group that an engine runs.
pub const MAX_GROUP_WIDTH: usize = 256;
/// Instructions that a group may execute before it traps, unless [`RunOptions`] says otherwise.
pub const DEFAULT_STEP_LIMIT: u64 = 1 << 32;

/// How to run a program. Nothing here changes the results of a program that depends on no unspecified order.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// Lanes of a group, 1 to [`MAX_GROUP_WIDTH`] (values outside are brought inside). Programs with quad operations
    /// use the next multiple of 4.
    pub group_width: usize,
    /// Worker threads; 0 is one per core.
    pub threads: usize,
    /// Instructions that a group may execute; one more traps.
    pub step_limit: u64,
    /// What the whole run may use.
    pub budget: Budget,
    /// Called now and then, from any worker, with the lanes done and the lanes in all.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    /// Ends the run soon after it says so.
    pub cancel: Option<&'a dyn Cancel>,
    /// Receives how often each instruction executed.
    pub counts: Option<&'a InstructionCounts>,
}

impl<'a> RunOptions<'a> {
    /// What making the run's code may use.
    pub fn effort(&self) -> Effort<'a> {
        Effort::new(&self.budget, self.cancel)
    }
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        RunOptions {
            group_width: 64,
            threads: 0,
            step_limit: DEFAULT_STEP_LIMIT,
            budget: Budget::default(),
            progress: None,
            cancel: None,
            counts: None,
        }
    }
}

impl RunOptions<'_> {
    /// Whether the deadline has passed, or the run was cancelled.
    pub fn is_over(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.is_cancelled())
            || self.budget.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Lanes that ran: all, less those that a guest's conditional execution skipped.
    pub lanes: u64,
    /// Instructions executed, summed over the lanes that took part in each.
    pub instructions: u64,
    /// Groups that ran.
    pub groups: u64,
    /// Some access left the mapped memory: it read 0 or wrote nothing.
    pub out_of_range: bool,
}

impl RunStats {
    /// Adds what another part of the same run did.
    pub fn merge(&mut self, other: &RunStats) {
        self.lanes += other.lanes;
        self.instructions += other.instructions;
        self.groups += other.groups;
        self.out_of_range |= other.out_of_range;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Limits;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    #[test]
    fn parts_of_a_run_add_up() {
        let mut all = RunStats { lanes: 1, instructions: 20, groups: 300, out_of_range: false };
        all.merge(&RunStats { lanes: 4, instructions: 50, groups: 600, out_of_range: true });
        assert_eq!(all, RunStats { lanes: 5, instructions: 70, groups: 900, out_of_range: true });
        all.merge(&RunStats::default());
        assert_eq!(all, RunStats { lanes: 5, instructions: 70, groups: 900, out_of_range: true });
    }

    #[test]
    fn runs_are_over_when_somebody_says_so_or_it_is_late() {
        let hour = Some(Duration::from_secs(3600));
        let budget = |run_time| Limits { run_time, ..Limits::default() }.start();
        let (yes, no) = (AtomicBool::new(true), AtomicBool::new(false));
        for (cancel, run_time, over) in [
            (None, None, false),
            (Some(&no), hour, false),
            (Some(&yes), hour, true),
            (Some(&no), Some(Duration::ZERO), true),
            (None, Some(Duration::ZERO), true),
            (Some(&yes), None, true),
        ] {
            let cancel = cancel.map(|flag: &AtomicBool| flag as &dyn Cancel);
            let options = RunOptions { cancel, budget: budget(run_time), ..RunOptions::default() };
            assert_eq!((options.is_over(), !options.effort().spend(1)), (over, over), "{cancel:?} {run_time:?}");
        }
    }
}
