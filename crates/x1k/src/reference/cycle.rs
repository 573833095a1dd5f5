//! Infinite loops, found early.
//!
//! Loops that count end by themselves, but a JUMP backwards may go round for ever. A group whose whole state comes back
//! exactly has to repeat what it did since, up to the step limit; so that part of the way is skipped, and the trap is the
//! one that running it would have given. (Not for UMRT programs, which write memory on the way. Nobody else may change the
//! memory of a run, so a program cannot wait for the host.)

/// Watches one group for a state that comes back: Brent's method, which keeps a single earlier state.
pub(super) struct CycleDetector<S> {
    /// An earlier state, and the number of steps that had been made by then.
    earlier: Option<(S, u64)>,
    /// How many states were seen.
    seen: u64,
}

impl<S: Clone + PartialEq> CycleDetector<S> {
    pub fn new() -> Self {
        CycleDetector { earlier: None, seen: 0 }
    }

    /// Shows the state after `steps` steps. If it was there before, gives the number of steps in between.
    pub fn period(&mut self, state: &S, steps: u64) -> Option<u64> {
        if let Some((earlier, at)) = &self.earlier
            && earlier == state
        {
            return Some(steps - at);
        }
        self.seen += 1;
        if self.seen.is_power_of_two() {
            self.earlier = Some((state.clone(), steps));
        }
        None
    }
}

/// The number of steps after skipping as many whole periods as the limit allows.
pub(super) fn skip_periods(steps: u64, period: u64, limit: u64) -> u64 {
    steps + limit.saturating_sub(steps) / period * period
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps until a cycle of `period` states that begins after `lead` states is found.
    fn found_after(lead: u64, period: u64) -> (u64, u64) {
        let mut detector = CycleDetector::new();
        for steps in 0.. {
            let state = if steps < lead { steps } else { lead + (steps - lead) % period };
            if let Some(found) = detector.period(&state, steps) {
                return (steps, found);
            }
        }
        unreachable!()
    }

    #[test]
    fn cycles_are_found_with_their_period() {
        for lead in 0..40 {
            for period in 1..40 {
                let (steps, found) = found_after(lead, period);
                assert_eq!(found, period);
                assert!(steps <= 4 * (lead + period), "lead {lead}, period {period}: {steps}");
            }
        }
    }

    #[test]
    fn skipping_keeps_the_phase_and_the_limit() {
        for (steps, period, limit) in [(10, 3, 100), (10, 3, 12), (10, 3, 10), (0, 7, 1 << 32), (5, 1, 6)] {
            let after = skip_periods(steps, period, limit);
            assert_eq!((after - steps) % period, 0);
            assert!(after <= limit && limit - after < period);
        }
    }
}
