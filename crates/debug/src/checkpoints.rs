//! States of a group that a session can go back to.

use crate::{SavedState, StepOutcome};

/// Steps between two checkpoints at first.
const SPACING: u64 = 512;
/// Bytes that checkpoints may take; then every second one goes, and the others come half as often.
const BYTES: usize = 128 << 20;
/// Checkpoints inside the interval that was replayed last.
const NEAR: u64 = 16;

/// A state of the group.
#[derive(Clone)]
pub struct Checkpoint {
    /// Steps that were made.
    pub step: u64,
    /// Words that were stored.
    pub stored: usize,
    /// What came of the last step.
    pub outcome: StepOutcome,
    /// The state.
    pub saved: SavedState,
}

/// Checkpoints of one group: evenly over all that was executed, and more of them where the session was last.
pub struct Checkpoints {
    all: Vec<Checkpoint>,
    near: Vec<Checkpoint>,
    spacing: u64,
    near_spacing: u64,
    bytes: usize,
    limit: usize,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Checkpoints {
            all: Vec::new(),
            near: Vec::new(),
            spacing: SPACING,
            near_spacing: u64::MAX,
            bytes: 0,
            limit: BYTES,
        }
    }
}

impl Checkpoints {
    /// Forgets all of them: another group starts.
    pub fn clear(&mut self) {
        *self = Checkpoints { limit: self.limit, ..Checkpoints::default() };
    }

    /// Forgets those after this step.
    pub fn truncate(&mut self, step: u64) {
        self.all.retain(|checkpoint| checkpoint.step <= step);
        self.near.retain(|checkpoint| checkpoint.step <= step);
        self.bytes = self.all.iter().map(|checkpoint| checkpoint.saved.bytes).sum();
    }

    /// The steps from this one on are about to be replayed.
    pub fn begin_replay(&mut self, from: u64, to: u64) {
        self.near_spacing = ((to - from) / NEAR).max(8);
        self.near.clear();
    }

    /// Keeps the state at this step, if it is time for a checkpoint.
    pub fn offer(&mut self, step: u64, make: impl FnOnce() -> Checkpoint) {
        let next = self.all.last().map_or(0, |last| last.step + self.spacing);
        let is_new = step >= next;
        let is_near = !is_new && step.is_multiple_of(self.near_spacing) && (self.near.len() as u64) <= NEAR;
        if is_new {
            let checkpoint = make();
            self.bytes += checkpoint.saved.bytes;
            self.all.push(checkpoint);
            if self.bytes > self.limit && self.all.len() > 2 {
                self.thin();
            }
        } else if is_near {
            self.near.push(make());
        }
    }

    /// The last one at or before a step.
    pub fn at_or_before(&self, step: u64) -> Option<&Checkpoint> {
        let known =
            self.all.partition_point(|checkpoint| checkpoint.step <= step).checked_sub(1).map(|at| &self.all[at]);
        let near = self.near.iter().filter(|near| near.step <= step).max_by_key(|near| near.step);
        match (known, near) {
            (Some(known), Some(near)) => Some(if near.step > known.step { near } else { known }),
            (known, near) => known.or(near),
        }
    }

    fn thin(&mut self) {
        let mut number = 0;
        self.all.retain(|_| {
            number += 1;
            number % 2 == 1
        });
        self.spacing *= 2;
        self.bytes = self.all.iter().map(|checkpoint| checkpoint.saved.bytes).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(step: u64) -> Checkpoint {
        Checkpoint { step, stored: 0, outcome: StepOutcome::Going, saved: SavedState::new(step, 100) }
    }

    #[test]
    fn they_get_sparser_and_the_first_one_stays() {
        let mut checkpoints = Checkpoints { limit: 1000, ..Checkpoints::default() };
        for step in 0..100_000 {
            checkpoints.offer(step, || checkpoint(step));
        }
        assert!(checkpoints.all.len() <= 11 && checkpoints.all.len() >= 5, "{}", checkpoints.all.len());
        assert_eq!(checkpoints.at_or_before(3).map(|at| at.step), Some(0));
        let last = checkpoints.at_or_before(99_999).unwrap().step;
        assert!(last >= 80_000, "{last}");
        // All are as far apart, twice as far each time that every second one went.
        let steps: Vec<u64> = checkpoints.all.iter().map(|checkpoint| checkpoint.step).collect();
        let spacing = steps[1];
        assert!(steps.iter().zip(0..).all(|(&step, number)| step == number * spacing), "{steps:?}");
        assert!(spacing.is_multiple_of(SPACING) && (spacing / SPACING).is_power_of_two(), "{spacing}");
        checkpoints.truncate(last - 1);
        assert!(checkpoints.at_or_before(99_999).unwrap().step < last);
        checkpoints.clear();
        assert_eq!((checkpoints.limit, checkpoints.all.len(), checkpoints.bytes), (1000, 0, 0));
    }

    /// Checkpoints go when they have more bytes than they may, and there are more than two.
    #[test]
    fn as_many_stay_as_may() {
        for (limit, count, left) in [(300, 3, 3), (300, 4, 2), (150, 2, 2), (150, 3, 2), (0, 2, 2)] {
            let mut checkpoints = Checkpoints { limit, ..Checkpoints::default() };
            (0..count).for_each(|number| checkpoints.offer(number * SPACING, || checkpoint(number * SPACING)));
            assert_eq!(checkpoints.all.len(), left, "{limit} {count}");
            assert_eq!(checkpoints.bytes, 100 * left);
        }
    }

    #[test]
    fn what_is_behind_a_change_is_forgotten() {
        let mut checkpoints = Checkpoints::default();
        (0..1000).for_each(|step| checkpoints.offer(step, || checkpoint(step)));
        checkpoints.begin_replay(512, 1000);
        (513..1000).for_each(|step| checkpoints.offer(step, || checkpoint(step)));
        let last = checkpoints.at_or_before(800).unwrap().step;
        assert!(last > 760, "{last}");
        checkpoints.truncate(last);
        assert_eq!(checkpoints.at_or_before(1000).unwrap().step, last);
        checkpoints.truncate(last - 1);
        assert!(checkpoints.at_or_before(1000).unwrap().step < last);
        assert!(checkpoints.at_or_before(1000).unwrap().step > 512);
    }

    #[test]
    fn replays_leave_some_between() {
        let mut checkpoints = Checkpoints::default();
        (0..2000).for_each(|step| checkpoints.offer(step, || checkpoint(step)));
        assert_eq!(checkpoints.at_or_before(1500).unwrap().step, 1024);
        checkpoints.begin_replay(1024, 1500);
        (1025..1500).for_each(|step| checkpoints.offer(step, || checkpoint(step)));
        assert!(checkpoints.at_or_before(1499).unwrap().step > 1440);
    }
}
