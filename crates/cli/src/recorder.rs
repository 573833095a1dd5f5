//! What a run leaves, kept for a command that runs programs to compare them.

use ctm_array::Array;
use ctm_follow::{Address, ListedStep, MemoryAccess};
use std::cell::RefCell;

/// What the lanes of a run have in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Each its element, at its column and row.
    Positions,
    /// Each its row.
    Rows,
    /// What they write to global memory from this address on: the elements of one row.
    Words(u32),
}

/// An output of a run.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name, for people.
    pub name: String,
    /// Where lanes are in it.
    pub layout: Layout,
    /// What it holds.
    pub array: Array,
}

/// The steps of the lane that was followed.
#[derive(Clone, Debug)]
pub struct FollowedSteps {
    /// As many as were wanted.
    pub steps: Vec<ListedStep>,
    /// What it wrote to memory after them, at its end.
    pub end: Vec<MemoryAccess>,
    /// An address in text.
    pub address: fn(Address) -> String,
}

/// Receives what a run leaves.
#[derive(Debug, Default)]
pub struct Recorder {
    outputs: RefCell<Vec<Output>>,
    followed_steps: RefCell<Option<FollowedSteps>>,
}

impl Recorder {
    /// Keeps an output.
    pub fn keep(&self, output: Output) {
        self.outputs.borrow_mut().push(output);
    }

    /// Keeps a step of the lane that is followed.
    pub fn step(&self, step: ListedStep, address: fn(Address) -> String) {
        self.followed_steps
            .borrow_mut()
            .get_or_insert_with(|| FollowedSteps { steps: Vec::new(), end: Vec::new(), address })
            .steps
            .push(step);
    }

    /// Keeps what the lane that is followed wrote at its end.
    pub fn end(&self, writes: &[MemoryAccess]) {
        self.followed_steps.borrow_mut().iter_mut().for_each(|followed_steps| followed_steps.end = writes.to_vec());
    }

    /// The outputs so far.
    pub fn take_outputs(&self) -> Vec<Output> {
        self.outputs.take()
    }

    /// What the lane went through, if it was followed and ran.
    pub fn take_steps(&self) -> Option<FollowedSteps> {
        self.followed_steps.take()
    }
}
