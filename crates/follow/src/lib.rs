//! What one lane of a run goes through, step by step: what a reference executor reports to an [`Observer`], whatever its guest
//! machine.
//!
//! A guest says what the lane holds, and where it stands, before and after an instruction ([`LaneView`]). What the instruction
//! changed is found here by comparison, so that no instruction can forget to report it. What it read from memory, or wrote
//! there, no view shows: the guest notes that where it happens ([`Follow::note`]).
//!
//! [`words`] says it in words.
#![forbid(unsafe_code)]

mod divergence;
mod follow;
mod step;
pub mod words;

pub use divergence::{ListedStep, divergence, last_write};
pub use follow::{Follow, FollowedLanes, Paused, note};
pub use step::{Address, Change, Event, GroupEnd, InstructionPlace, MemoryAccess, Next, Participation, Step, StepPart};

/// Who receives the reports.
pub trait Observer {
    /// The lane's group starts, and this is what the lane holds.
    fn starts(&mut self, view: &LaneView);

    /// The group has made a step. None comes after the one in which the lane ends.
    fn step(&mut self, step: &Step);

    /// The group is done.
    fn ends(&mut self, end: &GroupEnd);

    /// Whether more steps are wanted. Those that are not are only counted, and do not come.
    fn wants_steps(&self) -> bool {
        true
    }
}

/// How the bits of a value are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A binary32 number.
    Float,
    /// A signed integer.
    Integer,
    /// 0 or 1.
    Truth,
    /// A float or an integer: the machine does not know.
    Word,
}

impl ValueKind {
    /// Its name for machines: `float`, `integer`, `truth`, `word`.
    pub const fn name(self) -> &'static str {
        match self {
            ValueKind::Float => "float",
            ValueKind::Integer => "integer",
            ValueKind::Truth => "truth",
            ValueKind::Word => "word",
        }
    }
}

/// Something that a lane holds: a channel of a register, a predicate, a loop index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The register's name, in which `#` stands for its number.
    pub pattern: &'static str,
    /// The register's number.
    pub number: u16,
    /// The channel, where registers have channels.
    pub channel: Option<char>,
    /// What it holds.
    pub kind: ValueKind,
    /// It repeats results that may go to a register, too.
    pub echoes: bool,
}

impl Cell {
    /// The name of the register that the cell belongs to.
    pub fn register(&self) -> String {
        self.pattern.replace('#', &self.number.to_string())
    }
}

/// Where a lane stands in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It executes.
    Active,
    /// It waits in a branch, with its branch counter where the machine counts.
    Branch(Option<u32>),
    /// It has left the pass of a loop.
    Continue,
    /// It has left a loop.
    Break,
    /// It waits for the others where they meet.
    Meeting,
    /// It takes part in nothing any more.
    Ended,
}

impl Standing {
    /// Its name for machines: `active`, `branch`, `continue`, `break`, `meeting`, `ended`.
    pub const fn name(self) -> &'static str {
        match self {
            Standing::Active => "active",
            Standing::Branch(_) => "branch",
            Standing::Continue => "continue",
            Standing::Break => "break",
            Standing::Meeting => "meeting",
            Standing::Ended => "ended",
        }
    }
}

/// The loop that a group is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// How many loops are open.
    pub depth: u32,
    /// The pass of the innermost one, from 1.
    pub number: u32,
    /// Its passes, if it counts them.
    pub of: Option<u32>,
}

/// What a lane holds and where it stands, between two instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneView {
    /// Everything it holds, always in the same order.
    pub cells: Vec<(Cell, u32)>,
    /// Where it stands.
    pub standing: Standing,
    /// Active lanes of its group.
    pub active: u32,
    /// The innermost loop.
    pub pass: Option<Pass>,
}

impl LaneView {
    /// What it holds but zeros, as changes of a lane that holds nothing.
    pub fn nonzero(&self) -> Vec<Change> {
        self.cells.iter().filter(|(_, bits)| *bits != 0).map(|&(cell, bits)| Change { cell, bits }).collect()
    }
}
