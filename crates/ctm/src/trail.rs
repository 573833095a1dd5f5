//! An observer that keeps what it sees.

use ctm_follow::{GroupEnd, LaneView, Observer, Step};

/// The steps of a lane, as many as it was made for.
#[derive(Clone, Debug)]
pub struct Trail {
    /// The steps, from the first one on.
    pub steps: Vec<Step>,
    /// What the lane held when its group was done; none if no group had the lane.
    pub end: Option<GroupEnd>,
    most: usize,
}

impl Trail {
    /// Keeps the first `most` steps.
    pub fn new(most: usize) -> Self {
        Trail { steps: Vec::new(), end: None, most }
    }
}

impl Observer for Trail {
    fn starts(&mut self, _: &LaneView) {}

    fn step(&mut self, step: &Step) {
        self.steps.push(step.clone());
    }

    fn ends(&mut self, end: &GroupEnd) {
        self.end = Some(end.clone());
    }

    fn wants_steps(&self) -> bool {
        self.steps.len() < self.most
    }
}
