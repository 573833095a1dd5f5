//! Groups that are run step by step, from outside: for debuggers.

use super::group::{BoundJob, Group, Idle, Lane, LaneKind, Progress, State};
use super::prepare::Prepared;
use super::schedule::{parts, width};
use super::view::{Register, participation, pass, standing};
use crate::job::{Job, RunError, RunOptions, RunStats};
use ctm_engine::in_order;
use ctm_follow::{Cell, Participation, Pass, Standing};
use ctm_lane::budget::{Budget, Meter};
use ctm_lane::domain::Layout;
use std::ops::Range;
use std::sync::Arc;

/// The group of a run that is executed step by step: the same steps as those of [`run`](super::run). Whoever has it gives it the job again
/// for each step, always the same one.
pub struct Stepper {
    prepared: Arc<Prepared>,
    layout: Layout,
    step_limit: u64,
    registers: Vec<Register>,
    /// The group; it is not there while it executes.
    idle: Option<Idle>,
    rest: Rest,
}

/// What a group is beside its lanes' state.
#[derive(Clone)]
struct Rest {
    /// Lanes of the part that runs.
    lanes: Vec<Lane>,
    /// Parts of the group that have not started; the next one is the last.
    waiting: Vec<Vec<Lane>>,
    is_over: bool,
}

/// A group between two steps.
#[derive(Clone)]
pub struct Moment {
    state: State,
    steps: u64,
    rest: Rest,
}

impl Moment {
    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.state.registers.bytes() + self.rest.lanes.len() * size_of::<Lane>() + size_of::<Self>()
    }
}

impl Stepper {
    /// For the groups of a job.
    pub fn new(job: &Job, options: &RunOptions) -> Self {
        let prepared = Arc::new(Prepared::of(job));
        let machine = BoundJob::with_prepared(job, prepared.clone());
        let width = width(&machine, &in_order(job, options));
        Stepper {
            layout: Layout::new(job.domain, width),
            step_limit: options.step_limit,
            registers: Register::all(prepared.temps).collect(),
            idle: Some(Idle::new(&machine, width)),
            prepared,
            rest: Rest { lanes: Vec::new(), waiting: Vec::new(), is_over: true },
        }
    }

    /// Where the lanes of each group are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Goes to the start of a group, and says whether it has anything to execute.
    pub fn start(&mut self, job: &Job, group: u64) -> bool {
        let machine = BoundJob::with_prepared(job, self.prepared.clone());
        let (mut parts, _) = parts(&machine, job.domain, self.layout.positions(group));
        parts.reverse();
        let lanes = self.layout.positions(group).map(|(i, j)| Lane { i, j, kind: LaneKind::Uncovered }).collect();
        self.rest = Rest { lanes, waiting: parts, is_over: true };
        self.with_group(job, |group, rest, _| {
            rest.start(group);
            Ok(())
        })
        .is_ok_and(|()| !self.rest.is_over)
    }

    /// Executes the next instruction, and says whether there is one after it.
    ///
    /// # Errors
    /// It traps.
    pub fn step(&mut self, job: &Job) -> Result<bool, RunError> {
        if self.rest.is_over {
            return Ok(false);
        }
        let stepped = self.with_group(job, |group, rest, stats| {
            if group.step(stats)? == Progress::Ended {
                group.finish();
                rest.start(group);
            }
            Ok(())
        });
        self.rest.is_over |= stepped.is_err();
        stepped.map(|()| !self.rest.is_over)
    }

    fn with_group(
        &mut self,
        job: &Job,
        body: impl FnOnce(&mut Group, &mut Rest, &mut RunStats) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let Some(idle) = self.idle.take() else { return Ok(()) };
        let machine = BoundJob::with_prepared(job, self.prepared.clone());
        let options = RunOptions { step_limit: self.step_limit, ..RunOptions::default() };
        // It is looked at so rarely that it never is in one step: who steps watches the time.
        let meter = Meter::new(Budget::default(), None);
        let mut group = Group::resume(&machine, &options, &meter, idle, None);
        let result = body(&mut group, &mut self.rest, &mut RunStats::default());
        self.idle = Some(group.leave());
        result
    }

    /// The group as it is now.
    pub fn save(&self) -> Option<Moment> {
        let idle = self.idle.as_ref()?;
        Some(Moment { state: idle.state.clone(), steps: idle.steps, rest: self.rest.clone() })
    }

    /// Goes back to a moment of one of the job's groups.
    pub fn restore(&mut self, moment: &Moment) {
        if let Some(idle) = &mut self.idle {
            idle.state.clone_from(&moment.state);
            idle.steps = moment.steps;
            idle.positions.clear();
            idle.positions.extend(moment.rest.lanes.iter().map(|lane| (lane.i, lane.j)));
        }
        self.rest = moment.rest.clone();
    }

    /// The instruction that is next; none at the end.
    pub fn pc(&self) -> Option<usize> {
        self.idle.as_ref().filter(|_| !self.rest.is_over).map(|idle| idle.state.pc)
    }

    /// The lanes of the part of the group that runs.
    pub fn lanes(&self) -> &[Lane] {
        &self.rest.lanes
    }

    /// What lanes hold: temporaries, outputs, and the others.
    pub fn cells(&self) -> Vec<Cell> {
        self.registers.iter().map(|register| register.cell()).collect()
    }

    /// The cells of output registers.
    pub fn output_cells(&self) -> Range<usize> {
        let is_output = |register: &Register| matches!(register, Register::Output(..));
        let first = self.registers.iter().position(is_output).unwrap_or(0);
        first..first + self.registers.iter().filter(|register| is_output(register)).count()
    }

    /// What a lane of the group holds in a cell.
    pub fn read(&self, lane: usize, cell: usize) -> Option<u32> {
        let State { control, registers, .. } = &self.idle.as_ref()?.state;
        let register = self.registers.get(cell)?;
        (lane < registers.width()).then(|| register.read(control, registers, lane))
    }

    /// Changes what a lane of the group holds in a cell, if that is possible.
    pub fn write(&mut self, lane: usize, cell: usize, bits: u32) -> Option<()> {
        let registers = &mut self.idle.as_mut()?.state.registers;
        let register = self.registers.get(cell)?;
        (lane < registers.width() && register.write(registers, lane, bits)).then_some(())
    }

    /// Where a lane of the group stands.
    pub fn standing(&self, lane: usize) -> Standing {
        let control = self.idle.as_ref().map(|idle| &idle.state.control);
        let control = control.filter(|_| lane < self.rest.lanes.len() && !self.rest.is_over);
        control.map_or(Standing::Ended, |control| standing(control.lane(lane)))
    }

    /// Whether a lane executes the next instruction, and the channels of it that predicates hold back.
    pub fn participation(&self, lane: usize) -> (Participation, String) {
        let nothing = || (Participation::Waits(None), String::new());
        let Some(idle) = self.idle.as_ref().filter(|_| !self.rest.is_over && lane < self.rest.lanes.len()) else {
            return nothing();
        };
        let State { pc, control, registers } = &idle.state;
        let step = self.prepared.steps.get(*pc);
        step.map_or_else(nothing, |step| participation(step, control, registers, lane))
    }

    /// The innermost loop.
    pub fn pass(&self) -> Option<Pass> {
        pass(&self.idle.as_ref()?.state.control)
    }

    /// Where calls that have not returned go back to, the outermost first.
    pub fn returns(&self) -> Vec<usize> {
        self.idle.as_ref().map_or(Vec::new(), |idle| idle.state.control.returns().to_vec())
    }

    /// The pass of each open loop, from 1, and its number of passes, the outermost first.
    pub fn loops(&self) -> Vec<(u32, u32)> {
        self.idle.as_ref().map_or(Vec::new(), |idle| idle.state.control.loops().collect())
    }
}

impl Rest {
    /// Starts the next part of the group, if there is one.
    fn start(&mut self, group: &mut Group) {
        let next = self.waiting.pop();
        self.is_over = next.is_none();
        if let Some(lanes) = next {
            group.start(&lanes);
            self.lanes = lanes;
        }
    }
}
