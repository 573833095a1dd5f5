//! Collects the history of a pixel while draws go on.

use super::{DrawHistory, Listing, PixelEvent, PixelWatch, PrimitiveHistory, ProgramRun, TargetHistory};
use ctm_follow::{GroupEnd, LaneView, Observer, Step};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// A pixel, and what has happened to it so far.
#[derive(Debug)]
pub struct PixelLog {
    watch: PixelWatch,
    draws: RefCell<Vec<DrawHistory>>,
}

impl PixelLog {
    /// For a pixel.
    pub fn new(watch: PixelWatch) -> Self {
        PixelLog { watch, draws: RefCell::default() }
    }

    /// Column and row of the pixel.
    pub fn pixel(&self) -> (u32, u32) {
        (self.watch.x, self.watch.y)
    }

    /// Takes what has happened. Draws that do nothing to the pixel are not in it.
    pub fn take(&mut self) -> Vec<DrawHistory> {
        std::mem::take(self.draws.get_mut())
    }
}

/// The history of a draw while it goes on.
#[derive(Debug)]
pub struct DrawLog<'a> {
    pixel_log: &'a PixelLog,
    /// Where the draw begins, and its targets.
    draw: (usize, Vec<TargetHistory>),
    /// Its place in the log's list, once something has happened.
    place: Cell<Option<usize>>,
    /// The primitive that is drawn.
    primitive: RefCell<PrimitiveHistory>,
}

impl<'a> DrawLog<'a> {
    /// For a draw that begins at this dword, and writes these buffers.
    pub fn new(pixel_log: &'a PixelLog, at: usize, targets: Vec<TargetHistory>) -> Self {
        DrawLog { pixel_log, draw: (at, targets), place: Cell::default(), primitive: RefCell::default() }
    }

    /// Column and row of the pixel.
    pub fn pixel(&self) -> (u32, u32) {
        self.pixel_log.pixel()
    }

    /// Whether runs of programs are shown step by step.
    pub fn follows(&self) -> bool {
        self.pixel_log.watch.steps > 0
    }

    /// A primitive of the draw comes next.
    pub fn begin_primitive(&self, primitive: PrimitiveHistory) {
        *self.primitive.borrow_mut() = primitive;
    }

    /// The primitive that is drawn.
    pub fn primitive(&self) -> PrimitiveHistory {
        self.primitive.borrow().clone()
    }

    /// Something happens. Gives the number of the event in the draw.
    pub fn push(&self, event: PixelEvent) -> usize {
        let mut draws = self.pixel_log.draws.borrow_mut();
        let place = self.place.get().unwrap_or_else(|| {
            let (at, targets) = self.draw.clone();
            draws.push(DrawHistory { at, targets, events: Vec::new() });
            draws.len() - 1
        });
        self.place.set(Some(place));
        draws[place].events.push(event);
        draws[place].events.len() - 1
    }

    /// Events of the draw so far.
    pub fn events(&self) -> usize {
        self.place.get().map_or(0, |place| self.pixel_log.draws.borrow()[place].events.len())
    }

    /// Completes the events from this one on.
    pub fn complete(&self, from: usize, complete: impl FnMut(&mut PixelEvent)) {
        if let Some(place) = self.place.get() {
            let mut draws = self.pixel_log.draws.borrow_mut();
            draws[place].events.iter_mut().skip(from).for_each(complete);
        }
    }

    /// Completes an event.
    pub fn amend(&self, event: usize, amend: impl FnOnce(&mut PixelEvent)) {
        if let Some(place) = self.place.get() {
            self.pixel_log.draws.borrow_mut()[place].events.get_mut(event).map(amend);
        }
    }

    /// What keeps the steps of a run.
    pub fn step_log(&self) -> StepLog {
        StepLog { steps_left: self.pixel_log.watch.steps, ..StepLog::default() }
    }
}

/// Keeps what it observes.
#[derive(Debug, Default)]
pub struct StepLog {
    steps_left: u64,
    start: Option<LaneView>,
    steps: Vec<Step>,
    end: Option<GroupEnd>,
}

impl StepLog {
    /// The run of a lane of this name through the program with this listing, if it ran.
    pub fn run(self, listing: &Arc<Listing>, lane: String) -> Option<ProgramRun> {
        let (start, end) = self.start.zip(self.end)?;
        Some(ProgramRun { listing: Arc::clone(listing), lane, start, steps: self.steps, end })
    }
}

impl Observer for StepLog {
    fn starts(&mut self, view: &LaneView) {
        self.start = Some(view.clone());
    }

    fn step(&mut self, step: &Step) {
        self.steps_left -= 1;
        self.steps.push(step.clone());
    }

    fn ends(&mut self, end: &GroupEnd) {
        self.end = Some(end.clone());
    }

    fn wants_steps(&self) -> bool {
        self.steps_left > 0
    }
}
