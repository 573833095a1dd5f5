//! A session: where it is, and how it moves.

mod seek;
mod writers;

pub use seek::{Direction, StepKind, StopReason};
pub use writers::Write;

use crate::breakpoint::Breakpoint;
use crate::checkpoints::{Checkpoint, Checkpoints};
use crate::expression::Expression;
use crate::guest::{Guest, StepOutcome};
use crate::location::Variable;
use ctm_memory::StoredWord;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Most steps that a session makes for one request, unless it is told otherwise.
const STEPS: u64 = 50_000_000;

/// A moment of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Position {
    /// The group.
    pub group: u64,
    /// Steps of the group that were made.
    pub step: u64,
}

/// Why a session cannot do what it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SessionError {
    /// There is no such lane.
    #[error("there is no lane ({0}, {1}) that runs")]
    NoLane(u32, u32),
    /// There is no such group.
    #[error("there is no group {0}")]
    NoGroup(u64),
    /// An earlier group did not end, and later ones depend on it.
    #[error("group {group} comes first and does not end: {trap}")]
    Before {
        /// The earlier group.
        group: u64,
        /// What happened there.
        trap: String,
    },
    /// The group ends before that.
    #[error("group {group} has {steps} steps")]
    Behind {
        /// The group.
        group: u64,
        /// How many steps it has.
        steps: u64,
    },
    /// It would take too many steps.
    #[error("that is more than {0} steps away: go on from here, or set a breakpoint nearer")]
    Far(u64),
    /// The request was to end before it was complete.
    #[error("it was interrupted, or takes longer than the time limit: go on from here, or raise the limit")]
    Interrupted,
    /// A cell cannot be changed.
    #[error("{0} cannot be changed")]
    Fixed(String),
}

/// A change that somebody made by hand.
#[derive(Clone, Copy, Debug)]
struct Edit {
    lane: usize,
    cell: usize,
    bits: u32,
}

/// A run that can be looked at in any order.
pub struct Session {
    guest: Box<dyn Guest>,
    position: Position,
    outcome: StepOutcome,
    checkpoints: Checkpoints,
    /// Words stored when each group started: from the first one on if groups depend on each other, else only this one.
    starts: Vec<usize>,
    /// What the journal held when it was longest.
    stored: Vec<StoredWord>,
    edits: BTreeMap<Position, Vec<Edit>>,
    focus: (u32, u32),
    /// Those of the source.
    pub(crate) variables: Vec<Variable>,
    breakpoints: BTreeMap<u32, Breakpoint>,
    next_breakpoint: u32,
    max_steps: u64,
    interrupt: Option<Arc<AtomicBool>>,
    /// Time that one request may take.
    time_limit: Option<Duration>,
    /// When that of the present request is over.
    deadline: Option<Instant>,
}

impl Session {
    /// At the start of the group of a lane. If groups depend on each other, those that come before run first; `is_over` is asked between
    /// their steps, and ends that.
    ///
    /// # Errors
    /// There is no such lane, or groups that come before do not end.
    pub fn new(guest: Box<dyn Guest>, lane: (u32, u32), is_over: &dyn Fn() -> bool) -> Result<Self, SessionError> {
        let mut session = Session {
            guest,
            position: Position { group: 0, step: 0 },
            outcome: StepOutcome::Ended,
            checkpoints: Checkpoints::default(),
            starts: Vec::new(),
            stored: Vec::new(),
            edits: BTreeMap::new(),
            focus: lane,
            variables: Vec::new(),
            breakpoints: BTreeMap::new(),
            next_breakpoint: 1,
            max_steps: STEPS,
            interrupt: None,
            time_limit: None,
            deadline: None,
        };
        let group = session.guest.group_of(lane).ok_or(SessionError::NoLane(lane.0, lane.1))?;
        session.begin(if session.guest.is_independent() { group } else { 0 });
        session.enter_unless(group, &|_| is_over())?;
        Ok(session)
    }

    /// Sets how many steps one request may make.
    pub fn set_max_steps(&mut self, steps: u64) {
        self.max_steps = steps;
    }

    /// Has runs and searches end as if they had made all the steps that they may, while this is true.
    pub fn set_interrupt(&mut self, interrupt: Arc<AtomicBool>) {
        self.interrupt = Some(interrupt);
    }

    /// Sets how long what [`begin_request`](Self::begin_request) begins may take; then it ends as if it had made all the steps that it may.
    pub fn set_time_limit(&mut self, time: Option<Duration>) {
        self.time_limit = time;
    }

    /// What is asked for from now on is another request, with a time of its own.
    pub fn begin_request(&mut self) {
        self.deadline = self.time_limit.and_then(|time| Instant::now().checked_add(time));
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    /// The run.
    pub fn guest(&self) -> &dyn Guest {
        &*self.guest
    }

    /// Where the session is.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Whether the group goes on.
    pub fn outcome(&self) -> &StepOutcome {
        &self.outcome
    }

    /// The lane that it looks at.
    pub fn focus(&self) -> (u32, u32) {
        self.focus
    }

    /// The number that a lane has in the group, if it runs there.
    pub fn lane_number(&self, at: (u32, u32)) -> Option<usize> {
        self.guest.lane_number(at)
    }

    /// Looks at another lane. If it is of another group, the session goes to that group's start.
    ///
    /// # Errors
    /// There is no such lane, or groups that come before do not end.
    pub fn set_focus(&mut self, at: (u32, u32)) -> Result<(), SessionError> {
        let group = self.guest.group_of(at).ok_or(SessionError::NoLane(at.0, at.1))?;
        self.enter(group)?;
        self.focus = at;
        Ok(())
    }

    /// Whether an expression holds in a lane now.
    pub fn holds(&self, expression: &Expression, at: (u32, u32)) -> bool {
        self.lane_number(at).is_some_and(|lane| expression.holds(&|cell| self.guest.read(lane, cell)))
    }

    /// The breakpoints by their numbers.
    pub fn breakpoints(&self) -> &BTreeMap<u32, Breakpoint> {
        &self.breakpoints
    }

    /// Adds a breakpoint, and returns its number.
    pub fn add_breakpoint(&mut self, breakpoint: Breakpoint) -> u32 {
        let number = self.next_breakpoint;
        self.next_breakpoint += 1;
        self.breakpoints.insert(number, breakpoint);
        number
    }

    /// Takes a breakpoint away, and says whether there was one.
    pub fn remove_breakpoint(&mut self, number: u32) -> bool {
        self.breakpoints.remove(&number).is_some()
    }

    /// Goes to a moment.
    ///
    /// # Errors
    /// There is none, or it is too far away; then the session is where it came to.
    pub fn go_to(&mut self, to: Position) -> Result<(), SessionError> {
        self.go_to_unless(to, &Session::is_interrupted)
    }

    /// Goes back to a moment that the session was at when a request began, also if the request has ended early.
    fn return_to(&mut self, to: Position) -> Result<(), SessionError> {
        self.go_to_unless(to, &|_| false)
    }

    /// As [`go_to`](Self::go_to), unless a function says that it is time to end.
    fn go_to_unless(&mut self, to: Position, is_over: &dyn Fn(&Session) -> bool) -> Result<(), SessionError> {
        self.enter_unless(to.group, is_over)?;
        self.keep_stored();
        let nearer = self
            .checkpoints
            .at_or_before(to.step)
            .filter(|checkpoint| to.step < self.position.step || checkpoint.step > self.position.step);
        if let Some(checkpoint) = nearer.cloned() {
            self.checkpoints.begin_replay(checkpoint.step, to.step);
            self.restore(&checkpoint);
        }
        if to.step - self.position.step > self.max_steps {
            return Err(SessionError::Far(self.max_steps));
        }
        while self.position.step < to.step {
            if is_over(self) {
                return Err(SessionError::Interrupted);
            }
            if !self.advance() {
                return Err(SessionError::Behind { group: to.group, steps: self.position.step });
            }
        }
        Ok(())
    }

    /// Goes to the end of the group.
    ///
    /// # Errors
    /// It is too far away; then the session is where it came to.
    pub fn go_to_end(&mut self) -> Result<(), SessionError> {
        self.end_unless(self.max_steps, &Session::is_interrupted).map(|_| ())
    }

    /// Goes to the end of the group in at most so many steps, unless a function says that it is time to end. Returns the steps that are left.
    fn end_unless(&mut self, steps: u64, is_over: &dyn Fn(&Session) -> bool) -> Result<u64, SessionError> {
        for made in 0..steps {
            if !self.advance() {
                return Ok(steps - made);
            }
            if is_over(self) {
                return Err(SessionError::Interrupted);
            }
        }
        if self.outcome == StepOutcome::Going { Err(SessionError::Far(self.max_steps)) } else { Ok(0) }
    }

    /// Changes what the lane that the session looks at holds, from this moment on. What came after it is forgotten.
    ///
    /// # Errors
    /// The cell cannot be changed, or the lane does not run here.
    pub fn set(&mut self, cell: usize, bits: u32) -> Result<(), SessionError> {
        let lane = self.lane_number(self.focus).ok_or(SessionError::NoLane(self.focus.0, self.focus.1))?;
        if !self.guest.write(lane, cell, bits) {
            let name = self.guest.cells().get(cell).map(crate::cell_name);
            return Err(SessionError::Fixed(name.unwrap_or_else(|| "that".into())));
        }
        let here = self.position;
        self.edits.retain(|&at, _| at.group != here.group || at.step <= here.step);
        self.edits.entry(here).or_default().push(Edit { lane, cell, bits });
        self.forget_later();
        Ok(())
    }

    /// Whether somebody changed something by hand.
    pub fn is_edited(&self) -> bool {
        !self.edits.is_empty()
    }

    /// Takes back all changes by hand. The session goes to the start of the group.
    ///
    /// # Errors
    /// Groups that come before do not end.
    pub fn clear_edits(&mut self) -> Result<(), SessionError> {
        self.edits.clear();
        let group = self.position.group;
        self.guest.memory().undo(self.starts.first().copied().unwrap_or(0));
        self.starts.clear();
        self.begin(if self.guest.is_independent() { group } else { 0 });
        self.enter(group)
    }

    /// Starts a group, after those that have run.
    fn begin(&mut self, group: u64) {
        if self.guest.is_independent() {
            self.guest.memory().undo(self.starts.first().copied().unwrap_or(0));
            self.starts.clear();
        }
        self.starts.push(self.stored_words());
        self.checkpoints.clear();
        self.stored.clear();
        self.position = Position { group, step: 0 };
        self.outcome = self.guest.start(group);
        self.arrive();
    }

    /// Goes to the start of a group, unless the session is in it already.
    fn enter(&mut self, group: u64) -> Result<(), SessionError> {
        self.enter_unless(group, &Session::is_interrupted)
    }

    /// As [`enter`](Self::enter), unless a function says that it is time to end.
    fn enter_unless(&mut self, group: u64, is_over: &dyn Fn(&Session) -> bool) -> Result<(), SessionError> {
        if group == self.position.group {
            return Ok(());
        }
        if group >= self.guest.groups() {
            return Err(SessionError::NoGroup(group));
        }
        if self.guest.is_independent() {
            self.begin(group);
        } else if group < self.position.group {
            self.guest.memory().undo(self.starts[group as usize]);
            self.starts.truncate(group as usize);
            self.begin(group);
        }
        let mut steps = self.max_steps;
        while self.position.group < group {
            steps = self.end_unless(steps, is_over)?;
            if let StepOutcome::Trapped(trap) = &self.outcome {
                return Err(SessionError::Before { group: self.position.group, trap: trap.clone() });
            }
            self.begin(self.position.group + 1);
        }
        Ok(())
    }

    /// Makes a step, and says whether there was one to make.
    fn advance(&mut self) -> bool {
        if self.outcome != StepOutcome::Going {
            return false;
        }
        self.outcome = self.guest.step();
        self.position.step += 1;
        self.arrive();
        true
    }

    /// Is at a moment for which changes by hand may be due.
    fn arrive(&mut self) {
        for edit in self.edits.get(&self.position).into_iter().flatten() {
            self.guest.write(edit.lane, edit.cell, edit.bits);
        }
        self.offer();
    }

    /// What was executed after this moment holds no longer.
    fn forget_later(&mut self) {
        self.stored.truncate(self.stored_words());
        // The checkpoint of this moment would not have the change.
        if let Some(before) = self.position.step.checked_sub(1) {
            self.checkpoints.truncate(before);
        } else {
            self.checkpoints.clear();
        }
        self.offer();
    }

    /// Keeps this moment, if it is time for a checkpoint.
    fn offer(&mut self) {
        let stored = self.stored_words();
        let Session { checkpoints, guest, position, outcome, .. } = self;
        let checkpoint = || Checkpoint { step: position.step, stored, outcome: outcome.clone(), saved: guest.save() };
        checkpoints.offer(position.step, checkpoint);
    }

    /// Words that the run has stored up to now.
    fn stored_words(&self) -> usize {
        self.guest.memory().journal().map_or(0, |journal| journal.len())
    }

    /// Keeps what the journal has, so that the session can come forward again.
    fn keep_stored(&mut self) {
        let known = self.stored.len();
        self.stored.extend(self.guest.memory().journal().map_or(Vec::new(), |journal| journal.since(known)));
    }

    fn restore(&mut self, checkpoint: &Checkpoint) {
        let now = self.stored_words();
        if checkpoint.stored <= now {
            self.guest.memory().undo(checkpoint.stored);
        } else {
            self.guest.memory().redo(&self.stored[now..checkpoint.stored]);
        }
        self.guest.restore(&checkpoint.saved);
        self.position.step = checkpoint.step;
        self.outcome = checkpoint.outcome.clone();
    }
}
