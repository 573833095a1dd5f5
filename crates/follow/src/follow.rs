//! What a group of lanes carries along while one lane of the run is followed.

use crate::{
    Address, Cell, Event, GroupEnd, LaneView, MemoryAccess, Next, Observer, Participation, Standing, Step, StepPart,
};

/// Which lanes are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowedLanes {
    /// The lane at this column and row; where lanes have a number, that and 0.
    Lane(u32, u32),
    /// The first lane of each group.
    EachGroup,
}

impl From<(u32, u32)> for FollowedLanes {
    fn from((i, j): (u32, u32)) -> Self {
        FollowedLanes::Lane(i, j)
    }
}

impl From<u32> for FollowedLanes {
    fn from(number: u32) -> Self {
        FollowedLanes::Lane(number, 0)
    }
}

impl FollowedLanes {
    fn is(self, (i, j): (u32, u32)) -> bool {
        matches!(self, FollowedLanes::EachGroup) || self == FollowedLanes::Lane(i, j)
    }
}

/// The way of one lane. Groups that the lane is not in carry it along, too, and nothing happens.
pub struct Follow<'o> {
    who: FollowedLanes,
    observer: &'o mut dyn Observer,
    /// Lanes of the group that runs.
    lanes: u32,
    /// The lane in the group that runs.
    lane: Option<usize>,
    before: Option<(Event, LaneView)>,
    results: Vec<Cell>,
    accesses: Vec<MemoryAccess>,
    /// The instruction that made the lane wait.
    left: Option<Address>,
    steps: u64,
}

impl<'o> Follow<'o> {
    /// Reports to this observer on these lanes.
    pub fn new(who: FollowedLanes, observer: &'o mut dyn Observer) -> Self {
        let (results, accesses) = (Vec::new(), Vec::new());
        Follow { who, observer, lanes: 0, lane: None, before: None, results, accesses, left: None, steps: 0 }
    }

    /// A group with these lanes starts, of which some do not run. The views of the lane say at which place in it.
    pub fn start(&mut self, lanes: impl Iterator<Item = Option<(u32, u32)>>, view: impl FnOnce(usize) -> LaneView) {
        (self.lanes, self.lane, self.left, self.steps) = (0, None, None, 0);
        for (number, lane) in lanes.enumerate().filter_map(|(number, lane)| Some((number, lane?))) {
            self.lanes += 1;
            self.lane = self.lane.or_else(|| self.who.is(lane).then_some(number));
        }
        if let Some(lane) = self.lane {
            self.observer.starts(&view(lane));
        }
    }

    /// The group stops between two instructions, and another one may start, or go on.
    pub fn pause(&mut self) -> Paused {
        Paused { lanes: self.lanes, lane: self.lane.take(), left: self.left, steps: self.steps }
    }

    /// A group goes on where it stopped.
    pub fn resume(&mut self, paused: Paused) {
        Paused { lanes: self.lanes, lane: self.lane, left: self.left, steps: self.steps } = paused;
    }

    /// An instruction is about to execute, or a part of it.
    pub fn before(&mut self, part: StepPart, at_start: impl FnOnce(usize) -> (Event, LaneView)) {
        self.results.clear();
        self.accesses.clear();
        self.before = self.lane.filter(|_| self.observer.wants_steps()).map(at_start);
        self.steps += u64::from(self.lane.is_some() && part != StepPart::End);
    }

    /// The instruction writes these cells, which the lane leaves in memory at its end.
    pub fn results(&mut self, of_lane: impl FnOnce(usize) -> Vec<Cell>) {
        if let (Some(lane), true) = (self.lane, self.before.is_some()) {
            self.results = of_lane(lane);
        }
    }

    /// A lane reads or writes memory.
    pub fn note(&mut self, lane: usize, access: impl FnOnce() -> MemoryAccess) {
        if self.lane == Some(lane) {
            self.accesses.push(access());
        }
    }

    /// It has executed, or trapped.
    pub fn after(&mut self, next: impl FnOnce() -> Next, view: impl FnOnce(usize) -> LaneView) {
        let wrote = (std::mem::take(&mut self.results), std::mem::take(&mut self.accesses));
        let (Some(lane), Some((mut event, before))) = (self.lane, self.before.take()) else { return };
        let after = view(lane);
        if before.standing != Standing::Active && event.participation != Participation::Executes {
            event.participation = Participation::Waits(self.left);
        }
        if before.standing == Standing::Active && after.standing != Standing::Active {
            self.left = Some(event.at);
        }
        let step = Step::new(self.steps, event, next(), wrote, &before, &after);
        if before.standing != Standing::Ended && !step.is_idle_end() {
            self.observer.step(&step);
        }
    }

    /// The group is done; what was noted since its last instruction belongs to its end.
    pub fn end(&mut self, trap: Option<String>, view: impl FnOnce(usize) -> LaneView) {
        if let Some(lane) = self.lane.take() {
            let writes = std::mem::take(&mut self.accesses);
            self.observer.ends(&GroupEnd { view: view(lane), writes, lanes: self.lanes, steps: self.steps, trap });
        }
    }
}

/// A group that has stopped while others run, see [`Follow::pause`].
#[derive(Clone, Copy, Debug)]
pub struct Paused {
    lanes: u32,
    lane: Option<usize>,
    left: Option<Address>,
    steps: u64,
}

/// [`Follow::note`], if a lane is followed.
pub fn note(follow: &mut Option<Follow>, lane: usize, access: impl FnOnce() -> MemoryAccess) {
    if let Some(follow) = follow {
        follow.note(lane, access);
    }
}
