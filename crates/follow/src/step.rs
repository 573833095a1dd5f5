//! A step of a lane's group, as the observer sees it.

use crate::{Cell, LaneView, Pass, Standing, ValueKind};

/// The address of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// 0 for the program itself, 1 for the one that it calls.
    pub program: u8,
    /// The address there, in the guest's units.
    pub pc: u32,
}

impl From<u32> for Address {
    /// An address of the program itself.
    fn from(pc: u32) -> Self {
        Address { program: 0, pc }
    }
}

/// An instruction of a program: what counts and listings go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstructionPlace {
    /// Its address.
    pub at: Address,
    /// It is one of a clause, whose addresses are counted for themselves.
    pub in_clause: bool,
}

impl<A: Into<Address>> From<A> for InstructionPlace {
    /// An instruction of no clause.
    fn from(at: A) -> Self {
        InstructionPlace { at: at.into(), in_clause: false }
    }
}

/// Which part of an instruction a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepPart {
    /// All of it.
    Whole,
    /// What comes before the clause that it runs, whose instructions are steps of their own.
    Begin,
    /// An instruction of a clause.
    Clause,
    /// What comes after the clause.
    End,
}

/// What the lane does in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Participation {
    /// It executes the instruction.
    Executes,
    /// It is active, but something keeps it from executing: this.
    Skips(String),
    /// It waits, since that instruction (`None`: from the start).
    Waits(Option<Address>),
}

/// Where the group goes after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// To the following instruction.
    Following,
    /// To this one.
    Jump(Address),
    /// Nowhere: the program has ended.
    End,
    /// Nowhere: this trap has ended it.
    Trap(String),
}

/// An instruction that is about to execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Where it stands.
    pub at: Address,
    /// Which part of it.
    pub part: StepPart,
    /// Whether the lane executes it: yes, or why not although it is active. Of a lane that waits, only yes counts.
    pub participation: Participation,
    /// What of the instruction a predicate holds back in this lane: channels, slots.
    pub held: String,
    /// It is an instruction of flow control.
    pub flow: bool,
}

impl Event {
    /// The instruction.
    pub fn place(&self) -> InstructionPlace {
        InstructionPlace { at: self.at, in_clause: self.part == StepPart::Clause }
    }
}

/// What a step changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub cell: Cell,
    /// The bits there now.
    pub bits: u32,
}

/// What an instruction read from memory, or wrote there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// It was a write.
    pub write: bool,
    /// Where, in the guest's words.
    pub place: String,
    /// Coordinates there, where places have some that are not in the words.
    pub at: Vec<u32>,
    /// How the values are to be read.
    pub kind: ValueKind,
    /// What was there, or is there now.
    pub values: Vec<u32>,
}

impl MemoryAccess {
    /// A read.
    pub fn read(place: String, kind: ValueKind, values: impl Into<Vec<u32>>) -> Self {
        MemoryAccess { write: false, place, at: Vec::new(), kind, values: values.into() }
    }

    /// A write.
    pub fn write(place: String, kind: ValueKind, values: impl Into<Vec<u32>>) -> Self {
        MemoryAccess { write: true, place, at: Vec::new(), kind, values: values.into() }
    }

    /// The same at these coordinates.
    pub fn at(self, at: impl Into<Vec<u32>>) -> Self {
        MemoryAccess { at: at.into(), ..self }
    }
}

/// One step of the lane's group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its number, from 1.
    pub number: u64,
    /// Which instruction it is, and what the lane does.
    pub event: Event,
    /// Where the group goes.
    pub next: Next,
    /// What changed, in the order of the view.
    pub changes: Vec<Change>,
    /// What it wrote of the registers that the lane leaves in memory at its end, whether or not that is what was there before.
    pub results: Vec<Change>,
    /// What was read from memory and written there.
    pub accesses: Vec<MemoryAccess>,
    /// Where the lane stood before, and stands now.
    pub standing: [Standing; 2],
    /// Active lanes of the group, before and now.
    pub active: [u32; 2],
    /// The innermost loop, before and now.
    pub pass: [Option<Pass>; 2],
}

impl Step {
    pub(crate) fn new(
        number: u64,
        event: Event,
        next: Next,
        (results, accesses): (Vec<Cell>, Vec<MemoryAccess>),
        before: &LaneView,
        after: &LaneView,
    ) -> Self {
        Step {
            number,
            event,
            next,
            changes: changes(before, after),
            results: results.into_iter().filter_map(|cell| held(after, cell)).collect(),
            accesses,
            standing: [before.standing, after.standing],
            active: [before.active, after.active],
            pass: [before.pass, after.pass],
        }
    }

    /// What comes after a clause, if nothing does.
    pub(crate) fn is_idle_end(&self) -> bool {
        self.event.part == StepPart::End
            && self.changes.is_empty()
            && self.next == Next::Following
            && self.standing[0] == self.standing[1]
            && self.active[0] == self.active[1]
    }
}

/// The end of the lane's group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupEnd {
    /// What the lane holds.
    pub view: LaneView,
    /// What it wrote after its last instruction.
    pub writes: Vec<MemoryAccess>,
    /// Lanes that the group started with.
    pub lanes: u32,
    /// Steps of the group.
    pub steps: u64,
    /// What ended it before its time.
    pub trap: Option<String>,
}

/// What a cell holds, as a change.
fn held(view: &LaneView, cell: Cell) -> Option<Change> {
    view.cells.iter().find(|(known, _)| *known == cell).map(|&(cell, bits)| Change { cell, bits })
}

/// What the later of two views has otherwise.
fn changes(before: &LaneView, after: &LaneView) -> Vec<Change> {
    let pairs = before.cells.iter().zip(&after.cells);
    pairs.filter(|(before, after)| before != after).map(|(_, &(cell, bits))| Change { cell, bits }).collect()
}
