//! Steps, and runs to breakpoints, in both directions.
//!
//! Where a session stops is a matter of a moment and the one before it, never of where it came from. So the places are the same in both
//! directions; going back is replaying the intervals between checkpoints, the last one first.

use super::{Position, Session, SessionError};
use crate::breakpoint::Watch;
use crate::guest::{FrameKind, StepOutcome};
use ctm_follow::{InstructionPlace, Participation, Pass};
use serde::Serialize;

/// Which way a session goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To later moments.
    Forward,
    /// To earlier ones.
    Back,
}

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// One instruction of the group.
    Instruction,
    /// To the next instruction that the lane executes.
    Lane,
    /// The same, but over what calls execute.
    Over,
    /// Out of the call that the group is in.
    Out,
    /// To another source line that the lane executes.
    Line,
    /// To another pass of the loop, or out of it.
    Pass,
}

/// Why a session is where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// It has made the step that was wanted.
    Step,
    /// Breakpoints: their numbers, and what happened.
    Breakpoint(Vec<(u32, String)>),
    /// The group has ended.
    End,
    /// This has ended the group.
    Trap(String),
    /// It is at the group's start, and nothing comes before.
    Start,
    /// It has made as many steps as one request may, or taken as long, or was interrupted.
    Limit,
}

/// Sees the moments of a session one after the other, and says which are those that are sought.
trait Probe {
    /// Whether this is one. The first moment that is seen is none.
    fn see(&mut self, session: &Session) -> Option<StopReason>;
}

impl Probe for Watch {
    fn see(&mut self, session: &Session) -> Option<StopReason> {
        let hits = Watch::see(self, session.guest(), session.focus());
        (!hits.is_empty()).then_some(StopReason::Breakpoint(hits))
    }
}

/// What steps compare: place, source line, loop.
type Stand = (Option<InstructionPlace>, Option<(usize, u32)>, Option<Pass>);

/// What a step looks for.
struct Steps {
    unit: StepKind,
    /// Calls that were open where it begins.
    calls: usize,
    before: Option<Stand>,
}

fn calls(session: &Session) -> usize {
    session.guest().stack().iter().filter(|frame| frame.kind == FrameKind::Call).count()
}

impl Probe for Steps {
    fn see(&mut self, session: &Session) -> Option<StopReason> {
        let guest = session.guest();
        let executes = || {
            let lane = session.lane_number(session.focus());
            lane.is_some_and(|lane| guest.participation(lane).0 == Participation::Executes)
        };
        let place = guest.place();
        let line = place.and_then(|place| guest.listing().line(place));
        let now = (place, line, guest.pass());
        let before = self.before.replace(now)?;
        let is_sought = match self.unit {
            StepKind::Instruction => true,
            StepKind::Lane => executes(),
            StepKind::Over => calls(session) <= self.calls && executes(),
            StepKind::Out => calls(session) < self.calls,
            StepKind::Line if line.is_none() => place != before.0 && executes(),
            StepKind::Line => line != before.1 && executes(),
            StepKind::Pass => {
                let pass = |pass: Option<Pass>| pass.map(|pass| (pass.depth, pass.number));
                pass(now.2) != pass(before.2)
            }
        };
        is_sought.then_some(StopReason::Step)
    }
}

/// Stops where either of two stops.
struct Either<'p>(&'p mut dyn Probe, &'p mut dyn Probe);

impl Probe for Either<'_> {
    fn see(&mut self, session: &Session) -> Option<StopReason> {
        // Both have to see every moment.
        let (first, second) = (self.0.see(session), self.1.see(session));
        first.or(second)
    }
}

/// Stops where a function says so.
struct When<F>(F);

impl<F: FnMut(&Session) -> bool> Probe for When<F> {
    fn see(&mut self, session: &Session) -> Option<StopReason> {
        (self.0)(session).then_some(StopReason::Step)
    }
}

impl Session {
    /// Makes a step, and stops earlier at breakpoints if it is longer than an instruction. The end of the group, and its start,
    /// stop the session always.
    pub fn step(&mut self, unit: StepKind, direction: Direction) -> StopReason {
        if unit == StepKind::Instruction && direction == Direction::Back {
            let Some(step) = self.position.step.checked_sub(1) else { return StopReason::Start };
            return self.back_at(step, StopReason::Step);
        }
        let mut steps = Steps { unit, calls: calls(self), before: None };
        let mut watch = Watch::new(self.breakpoints.iter().map(|(&number, point)| (number, point)));
        match unit {
            StepKind::Instruction | StepKind::Lane => self.seek(direction, &mut steps),
            StepKind::Over | StepKind::Out | StepKind::Line | StepKind::Pass => {
                self.seek(direction, &mut Either(&mut watch, &mut steps))
            }
        }
    }

    /// Runs to the next breakpoint, or to the group's end or start.
    pub fn run(&mut self, direction: Direction) -> StopReason {
        let mut watch = Watch::new(self.breakpoints.iter().map(|(&number, point)| (number, point)));
        self.seek(direction, &mut watch)
    }

    /// As [`run`](Self::run), through the groups after this one, too; from the end of a group to the start of the next.
    ///
    /// # Errors
    /// A group that comes before does not end.
    pub fn run_groups(&mut self) -> Result<StopReason, SessionError> {
        loop {
            let reason = self.run(Direction::Forward);
            let next = self.position.group + 1;
            if reason != StopReason::End || next >= self.guest.groups() {
                return Ok(reason);
            }
            self.enter(next)?;
            let runs = |lane: &&crate::LaneInfo| lane.runs;
            if let Some(lane) = self.guest.lanes().iter().find(runs) {
                self.focus = lane.at;
            }
        }
    }

    fn seek(&mut self, direction: Direction, probe: &mut dyn Probe) -> StopReason {
        match direction {
            Direction::Forward => self.seek_forward(probe),
            Direction::Back => {
                let here = self.position.step;
                match self.last_before(here, probe) {
                    Ok(Some((step, reason))) => self.back_at(step, reason),
                    Ok(None) => self.back_at(0, StopReason::Start),
                    Err(_) => StopReason::Limit,
                }
            }
        }
    }

    fn back_at(&mut self, step: u64, reason: StopReason) -> StopReason {
        match self.go_to(Position { step, ..self.position }) {
            Ok(()) => reason,
            Err(_) => StopReason::Limit,
        }
    }

    fn seek_forward(&mut self, probe: &mut dyn Probe) -> StopReason {
        probe.see(self);
        for _ in 0..self.max_steps {
            if self.is_interrupted() || !self.advance() {
                break;
            }
            let found = probe.see(self);
            match (&self.outcome, found) {
                (StepOutcome::Trapped(trap), _) => return StopReason::Trap(trap.clone()),
                (_, Some(reason)) => return reason,
                (StepOutcome::Going | StepOutcome::Ended, None) => {}
            }
        }
        match &self.outcome {
            StepOutcome::Going => StopReason::Limit,
            StepOutcome::Ended => StopReason::End,
            StepOutcome::Trapped(trap) => StopReason::Trap(trap.clone()),
        }
    }

    /// The last moment of the group before this step that a probe seeks. The session is anywhere then.
    fn last_before(&mut self, step: u64, probe: &mut dyn Probe) -> Result<Option<(u64, StopReason)>, SessionError> {
        let mut end = step;
        let mut made = 0;
        while let Some(last) = end.checked_sub(1) {
            // What is found at a checkpoint itself is found in the interval before it.
            let Some(at) = last.checked_sub(1).and_then(|before| self.checkpoints.at_or_before(before)) else { break };
            let first = at.step;
            made += end - first;
            if made > self.max_steps {
                return Err(SessionError::Far(self.max_steps));
            }
            self.go_to(Position { step: first, ..self.position })?;
            probe.see(self);
            let mut found = None;
            while self.position.step < last && self.advance() {
                if self.is_interrupted() {
                    return Err(SessionError::Interrupted);
                }
                found = probe.see(self).map(|reason| (self.position.step, reason)).or(found);
            }
            if found.is_some() || first == 0 {
                return Ok(found);
            }
            end = first + 1;
        }
        Ok(None)
    }

    /// [`last_before`](Self::last_before) with a function.
    pub(super) fn last_when(
        &mut self,
        step: u64,
        when: impl FnMut(&Session) -> bool,
    ) -> Result<Option<u64>, SessionError> {
        Ok(self.last_before(step, &mut When(when))?.map(|(step, _)| step))
    }
}
