//! How often the instructions of a run executed.

use ctm_follow::InstructionPlace;
use ctm_lane::counts::{self, InstructionCount};

/// How often each instruction of a run executed, and how many each lane executed: what
/// [`Kernel::count`](crate::Kernel::count) and [`Threads::count`](crate::Threads::count) give. A profile and a picture of
/// divergence are made of it.
///
/// The interpreter counts programs of X1K and R700, on each engine but the reference; what it does not run, and threads of SM50, the
/// reference counts. All count the same. A run with counts takes 1.5 to 2.5 times as long as one that is interpreted without.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// All instructions in the order of [`Program::listing`](crate::Program::listing), also those that did not execute.
    pub instructions: Vec<Counted>,
    /// How many instructions each lane executed: row by row over the domain, or thread by thread. The sum is that of
    /// [`InstructionCount::lanes`] over all instructions.
    pub lanes: Vec<u64>,
}

/// An instruction with its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counted {
    /// Where it stands.
    pub place: InstructionPlace,
    /// Its text; of a group of R700, a line for each slot. Empty where a program executes words that are none of the instructions
    /// that its listing has.
    pub text: String,
    /// How often it executed.
    pub count: InstructionCount,
}

impl Counts {
    pub(crate) fn new(listing: Vec<(InstructionPlace, String)>, counts: &counts::InstructionCounts) -> Self {
        let mut executed = counts.instructions();
        let count = |(place, text)| Counted { place, text, count: executed.remove(&place).unwrap_or_default() };
        let mut instructions: Vec<Counted> = listing.into_iter().map(count).collect();
        let unlisted = executed.into_iter().map(|(place, count)| Counted { place, text: String::new(), count });
        instructions.extend(unlisted);
        Counts { instructions, lanes: counts.lanes() }
    }
}
