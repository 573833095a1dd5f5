//! Wavefronts that are run step by step, from outside: for debuggers.

use super::control::{CodeAddress, Frame, Image};
use super::machine::BoundJob;
use super::schedule::{lanes_of, layout};
use super::view::{Register, participation, pass, standing};
use super::wavefront::{Clauses, State, Upcoming, Wave};
use crate::job::{Job, RunError};
use ctm_engine::in_order;
use ctm_follow::{Address, Cell, InstructionPlace, Participation, Pass, Standing};
use ctm_lane::budget::{Budget, Meter};
use ctm_lane::domain::Layout;
use ctm_lane::run::RunOptions;

/// The wavefront of a run that is executed step by step: the same steps as those of [`run`](super::run). Whoever has it gives it the job again
/// for each step, always the same one.
pub(crate) struct Stepper {
    layout: Layout,
    step_limit: u64,
    registers: Vec<Register>,
    clauses: Clauses,
    /// The wavefront; it is not there while it executes.
    state: Option<State>,
    /// None at the end.
    upcoming: Option<Upcoming>,
}

/// A wavefront between two steps.
#[derive(Clone)]
pub(crate) struct Moment {
    state: State,
    upcoming: Option<Upcoming>,
}

impl Moment {
    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.state.bytes()
    }
}

/// Something on the stack of a wavefront.
pub(crate) enum StackEntry {
    /// The pixels that a push saved.
    Mask(Vec<bool>),
    /// A loop: its pass, and of how many.
    Loop(u32, Option<u32>),
    /// Where a call goes on.
    Return(InstructionPlace),
}

impl Stepper {
    /// For the wavefronts of a job that was checked.
    pub fn new(job: &Job, options: &RunOptions) -> Self {
        let layout = layout(job, &in_order(job, options));
        let machine = BoundJob::new(job);
        let registers = State::new(&machine, Vec::new())
            .map_or(Vec::new(), |state| Register::all(state.registers.existing()).collect());
        Stepper {
            layout,
            step_limit: options.step_limit,
            registers,
            clauses: Clauses::default(),
            state: None,
            upcoming: None,
        }
    }

    /// Where lanes are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Goes to the start of a group, and says whether it has anything to execute.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn start(&mut self, job: &Job, group: u64) -> Result<bool, RunError> {
        let machine = BoundJob::new(job);
        self.upcoming = None;
        self.state = Some(State::new(&machine, lanes_of(job, &self.layout, group))?);
        self.with_wave(&machine, |wave| {
            let goes_on = wave.state.lanes.iter().any(|lane| lane.covered);
            Ok(goes_on.then(|| wave.upcoming()).flatten())
        })
    }

    /// Executes the next instruction, and says whether there is one after it.
    ///
    /// # Errors
    /// It traps.
    pub fn step(&mut self, job: &Job) -> Result<bool, RunError> {
        if self.upcoming.is_none() {
            return Ok(false);
        }
        self.with_wave(&BoundJob::new(job), |wave| Ok(if wave.advance()? { wave.upcoming() } else { None }))
    }

    fn with_wave(
        &mut self,
        machine: &BoundJob,
        body: impl FnOnce(&mut Wave) -> Result<Option<Upcoming>, RunError>,
    ) -> Result<bool, RunError> {
        self.upcoming = None;
        let Some(state) = self.state.take() else { return Ok(false) };
        let options = RunOptions { step_limit: self.step_limit, ..RunOptions::default() };
        // It is looked at so rarely that it never is in one step: who steps watches the time.
        let meter = Meter::new(Budget::default(), None);
        let mut follow = None;
        let mut wave = Wave::new(machine, &options, &meter, &mut self.clauses, &mut follow, state);
        let result = body(&mut wave);
        self.state = Some(wave.state);
        self.upcoming = result?;
        Ok(self.upcoming.is_some())
    }

    /// The wavefront as it is now.
    pub fn save(&self) -> Option<Moment> {
        Some(Moment { state: self.state.clone()?, upcoming: self.upcoming.clone() })
    }

    /// Goes back to a moment of one of the wavefronts.
    pub fn restore(&mut self, moment: &Moment) {
        self.state = Some(moment.state.clone());
        self.upcoming.clone_from(&moment.upcoming);
    }

    /// The instruction that is next; none at the end.
    pub fn place(&self) -> Option<InstructionPlace> {
        self.upcoming.as_ref().map(|upcoming| upcoming.place)
    }

    /// The lanes of the wavefront: where they are, and whether the job has them.
    pub fn lanes(&self) -> Vec<((u32, u32), bool)> {
        let lanes = self.state.iter().flat_map(|state| &state.lanes);
        lanes.map(|lane| ((lane.i, lane.j), lane.covered)).collect()
    }

    /// What lanes hold: registers, those of clauses, predicate, masks.
    pub fn cells(&self) -> Vec<Cell> {
        self.registers.iter().map(|register| register.cell()).collect()
    }

    /// What a lane of the wavefront holds in a cell; 0 in one that only clauses have, while none runs.
    pub fn read(&self, lane: usize, cell: usize) -> Option<u32> {
        let (state, register) = (self.state.as_ref()?, self.registers.get(cell)?);
        let clause = state.clause_registers(lane);
        (lane < state.lanes.len()).then(|| register.read(&state.control, &state.registers, clause, lane).unwrap_or(0))
    }

    /// Changes what a lane of the wavefront holds in a cell, if that is possible.
    pub fn write(&mut self, lane: usize, cell: usize, bits: u32) -> Option<()> {
        let (state, register) = (self.state.as_mut()?, self.registers.get(cell)?);
        (lane < state.lanes.len() && register.write(&mut state.registers, lane, bits)).then_some(())
    }

    /// Where a lane of the wavefront stands.
    pub fn standing(&self, lane: usize) -> Standing {
        let state = self.state.as_ref().filter(|state| self.upcoming.is_some() && lane < state.lanes.len());
        state.map_or(Standing::Ended, |state| standing(&state.control, lane))
    }

    /// Whether a lane executes the next instruction.
    pub fn participation(&self, lane: usize) -> Participation {
        match (&self.state, &self.upcoming) {
            (Some(state), Some(upcoming)) if lane < state.lanes.len() => {
                participation(&state.control, &upcoming.executing, lane)
            }
            _ => Participation::Waits(None),
        }
    }

    /// The loop that the wavefront is in.
    pub fn pass(&self) -> Option<Pass> {
        self.state.as_ref().and_then(|state| pass(&state.control))
    }

    /// What is on the stack, the lowest first.
    pub fn stack(&self) -> Vec<StackEntry> {
        let entry = |frame: &Frame| match frame {
            Frame::Mask { active, .. } => StackEntry::Mask(active.clone()),
            Frame::Loop { registers, .. } => StackEntry::Loop(registers.pass, registers.passes),
            Frame::Return { to: CodeAddress { image, pc }, .. } => {
                StackEntry::Return(Address { program: (*image == Image::Fetch).into(), pc: *pc }.into())
            }
        };
        self.state.as_ref().map_or(Vec::new(), |state| state.control.frames().iter().map(entry).collect())
    }
}
