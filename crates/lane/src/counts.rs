//! How often each instruction of a run executed, and how many each lane executed.

use crate::budget::{Budget, Halt, allocate};
use crate::domain::{AXIS, Lanes};
use ctm_follow::InstructionPlace;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How often an instruction executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstructionCount {
    /// Executions by groups that had a lane there. It depends on which lanes form groups.
    pub executions: u64,
    /// Executions by lanes. What waits in a branch, is a helper, or is held back by a predicate of the whole instruction, does not
    /// execute it.
    pub lanes: u64,
}

impl InstructionCount {
    /// Adds what another part of the same run did.
    fn merge(&mut self, other: InstructionCount) {
        self.executions += other.executions;
        self.lanes += other.lanes;
    }
}

/// Receives the counts of the runs whose options name it. Those of a run that does not complete may be there in part.
#[derive(Debug)]
pub struct InstructionCounts {
    lanes: Lanes,
    totals: Mutex<Totals>,
}

#[derive(Debug)]
struct Totals {
    places: BTreeMap<InstructionPlace, InstructionCount>,
    lanes: Vec<u64>,
}

impl InstructionCounts {
    /// For runs over these lanes, which take 8 bytes each.
    ///
    /// # Errors
    /// [`Halt::Memory`], [`Halt::NoMemory`].
    pub fn new(lanes: Lanes, budget: &Budget) -> Result<Self, Halt> {
        budget.allows_memory(lanes.count() * size_of::<u64>() as u64)?;
        let of_lanes = allocate(usize::try_from(lanes.count()).unwrap_or(usize::MAX))?;
        Ok(InstructionCounts { lanes, totals: Mutex::new(Totals { places: BTreeMap::new(), lanes: of_lanes }) })
    }

    /// The counts of the instructions that executed.
    pub fn instructions(&self) -> BTreeMap<InstructionPlace, InstructionCount> {
        self.lock().places.clone()
    }

    /// How many instructions each lane executed: row by row, or along the line. Their sum is that of
    /// [`InstructionCount::lanes`] over all instructions.
    pub fn lanes(&self) -> Vec<u64> {
        self.lock().lanes.clone()
    }

    /// The lanes that they are for.
    pub fn over(&self) -> Lanes {
        self.lanes
    }

    fn lock(&self) -> MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the lane at (i, j), if it is one of the run.
    fn number(&self, (i, j): (u32, u32)) -> Option<usize> {
        let number = match self.lanes {
            Lanes::Area(domain) => {
                let across = u64::from(domain.i1.checked_sub(domain.i0)?) + 1;
                u64::from(j.checked_sub(domain.j0)?) * across + u64::from(i.checked_sub(domain.i0)?)
            }
            Lanes::Line(_) => u64::from(j) * u64::from(AXIS) + u64::from(i),
        };
        self.lanes.contains(i, j).then_some(number as usize)
    }
}

/// What the groups of one worker execute, one group after the other.
#[derive(Debug)]
pub struct Tally<'a> {
    counts: &'a InstructionCounts,
    places: HashMap<InstructionPlace, InstructionCount>,
    lanes: Vec<u64>,
}

impl<'a> Tally<'a> {
    /// For groups of at most `width` lanes.
    pub fn new(counts: &'a InstructionCounts, width: usize) -> Self {
        Tally { counts, places: HashMap::new(), lanes: vec![0; width] }
    }

    /// These lanes of the group, by their numbers in it, execute an instruction to which the group has come.
    pub fn add(&mut self, place: impl Into<InstructionPlace>, lanes: impl Iterator<Item = usize>) {
        let count = self.places.entry(place.into()).or_default();
        count.executions += 1;
        for lane in lanes {
            count.lanes += 1;
            self.lanes[lane] += 1;
        }
    }

    /// The group does not complete, or another executor runs it again: what it has executed does not count.
    pub fn discard(&mut self) {
        self.places.clear();
        self.lanes.fill(0);
    }

    /// The group is complete; its lanes are at these positions.
    pub fn finish(&mut self, positions: impl Iterator<Item = (u32, u32)>) {
        let mut totals = self.counts.lock();
        for (place, count) in self.places.drain() {
            totals.places.entry(place).or_default().merge(count);
        }
        for (&executed, position) in self.lanes.iter().zip(positions) {
            if let Some(number) = self.counts.number(position) {
                totals.lanes[number] += executed;
            }
        }
        self.lanes.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;

    #[test]
    fn lanes_are_counted_where_they_are() {
        let domain = Domain { i0: 2, j0: 1, i1: 4, j1: 2 };
        let counts = InstructionCounts::new(domain.into(), &Budget::default()).unwrap();
        let mut tally = Tally::new(&counts, 4);
        tally.add(7, [0, 1].into_iter());
        tally.add(7, std::iter::once(1));
        tally.finish([(2, 1), (4, 2), (5, 2), (0, 0)].into_iter());
        tally.add(7, std::iter::empty());
        tally.finish([(3, 1)].into_iter());
        assert_eq!(counts.instructions(), [(7.into(), InstructionCount { executions: 3, lanes: 3 })].into());
        assert_eq!(counts.lanes(), [1, 0, 0, 0, 0, 2]);
    }

    #[test]
    fn lanes_of_a_line_follow_each_other() {
        let counts = InstructionCounts::new(Lanes::Line(AXIS + 2), &Budget::default()).unwrap();
        let mut tally = Tally::new(&counts, 2);
        tally.add(0, 0..2);
        tally.finish([(AXIS - 1, 0), (1, 1)].into_iter());
        let lanes = counts.lanes();
        assert_eq!((lanes[AXIS as usize - 1], lanes[AXIS as usize + 1]), (1, 1));
        assert_eq!(lanes.iter().sum::<u64>(), 2);
    }

    /// What a group has executed that runs again counts once.
    #[test]
    fn what_is_discarded_does_not_count() {
        let counts = InstructionCounts::new(Lanes::Line(2), &Budget::default()).unwrap();
        let mut tally = Tally::new(&counts, 2);
        tally.add(3, 0..2);
        tally.discard();
        tally.add(5, 0..1);
        tally.finish([(0, 0), (1, 0)].into_iter());
        assert_eq!(counts.instructions(), [(5.into(), InstructionCount { executions: 1, lanes: 1 })].into());
        assert_eq!(counts.lanes(), [1, 0]);
    }
}
