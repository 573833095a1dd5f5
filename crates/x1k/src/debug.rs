//! X1K jobs in a debugger (`ctm_debug`).

use crate::conditional::Conditional;
use crate::engine::is_order_free;
use crate::interpolants::Interpolants;
use crate::job::{Constants, Domain, Job, RunOptions, StateError};
use crate::program::{INPUTS, OUTPUTS, Program};
use crate::reference::{LaneKind, Moment, Stepper};
use crate::sampled::InputSampler;
use crate::text;
use ctm_debug::{
    Extent, Frame, FrameKind, Guest, GuestView, LaneInfo, Listing, ListingRow, Output, OutputElements, SavedState,
    Session, SessionError, StepOutcome,
};
use ctm_follow::{InstructionPlace, Participation, Pass, Standing};
use ctm_memory::{AppendError, Space, Surface};
use std::collections::BTreeSet;
use std::ops::Range;
use thiserror::Error;

/// Why there is no session over a job.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DebugError {
    /// The environment does not fit the program.
    #[error(transparent)]
    State(#[from] StateError),
    /// There is no memory for a copy of the job's.
    #[error(transparent)]
    Memory(#[from] AppendError),
    /// The session cannot begin there.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// A session over a job, on a copy of its memory, at the start of the group of a lane. The listing is that of [`listing`], perhaps with
/// source lines. Of the options, the width of groups and the step limit count, and what ends a run early ends the way to the lane.
///
/// # Errors
/// The job does not fit its program, there is no memory, or there is no such lane.
pub fn session(job: &Job, options: &RunOptions, listing: Listing, lane: (u32, u32)) -> Result<Session, DebugError> {
    job.check()?;
    let mut memory = job.memory.copy()?;
    memory.record();
    let stepper = Stepper::new(job, options);
    let shown = GuestView {
        machine: "X1K",
        listing,
        memory,
        is_independent: is_order_free(job),
        cells: stepper.cells(),
        lanes: Vec::new(),
    };
    let guest = Debugged { shown, stepper, environment: Environment::of(job), program: job.program.clone() };
    Ok(Session::new(Box::new(guest), lane, &|| options.is_over())?)
}

/// The instructions of a program, each in one line, with the labels that jumps name.
pub fn listing(program: &Program) -> Listing {
    let row = |pc: usize| {
        let text = text::print_instruction_at(program, pc);
        ListingRow {
            place: InstructionPlace::from(pc as u32),
            address: pc.to_string(),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            labels: Vec::new(),
            line: None,
        }
    };
    let mut rows: Vec<ListingRow> = (0..program.code.len()).map(row).collect();
    let words = rows.iter().flat_map(|row| row.text.split(|c: char| !c.is_ascii_alphanumeric()));
    let target = |word: &str| word.strip_prefix('L')?.parse::<usize>().ok();
    let targets: BTreeSet<usize> = words.filter_map(target).collect();
    for target in targets {
        if let Some(row) = rows.get_mut(target) {
            row.labels.push(format!("L{target}"));
        }
    }
    Listing { rows, sources: Vec::new() }
}

/// A job without what it borrows.
struct Environment {
    domain: Domain,
    origin: [u32; 2],
    constants: Constants,
    interpolants: Option<Interpolants>,
    inputs: [Option<Surface>; INPUTS],
    samplers: [Option<InputSampler>; INPUTS],
    outputs: [Option<Surface>; OUTPUTS],
    out_mask: u8,
    conditional: Conditional,
    unfused: bool,
}

impl Environment {
    fn of(job: &Job) -> Self {
        Environment {
            domain: job.domain,
            origin: job.origin,
            constants: job.constants.clone(),
            interpolants: job.interpolants.clone(),
            inputs: job.inputs,
            samplers: job.samplers.clone(),
            outputs: job.outputs,
            out_mask: job.out_mask,
            conditional: job.conditional,
            unfused: job.unfused,
        }
    }

    fn job<'a>(&self, program: &'a Program, memory: &'a Space) -> Job<'a> {
        Job {
            program,
            domain: self.domain,
            origin: self.origin,
            constants: self.constants.clone(),
            interpolants: self.interpolants.clone(),
            inputs: self.inputs,
            samplers: self.samplers.clone(),
            outputs: self.outputs,
            out_mask: self.out_mask,
            conditional: self.conditional,
            unfused: self.unfused,
            memory,
        }
    }
}

/// A job as a debugger's guest.
struct Debugged {
    program: Program,
    environment: Environment,
    shown: GuestView,
    stepper: Stepper,
}

impl Debugged {
    fn take_lanes(&mut self) {
        let lanes = self.stepper.lanes().iter();
        let same = |(lane, info): (&crate::reference::Lane, &LaneInfo)| {
            (lane.i, lane.j) == info.at && (lane.kind == LaneKind::Runs) == info.runs
        };
        if lanes.len() != self.shown.lanes.len() || !lanes.clone().zip(&self.shown.lanes).all(same) {
            self.shown.lanes =
                lanes.map(|lane| LaneInfo { at: (lane.i, lane.j), runs: lane.kind == LaneKind::Runs }).collect();
        }
    }
}

impl Guest for Debugged {
    fn view(&self) -> &GuestView {
        &self.shown
    }

    fn extent(&self) -> Extent {
        let domain = self.environment.domain;
        Extent::between((domain.i0, domain.j0), (domain.i1, domain.j1))
    }

    fn groups(&self) -> u64 {
        self.stepper.layout().groups()
    }

    fn group_of(&self, (i, j): (u32, u32)) -> Option<u64> {
        self.stepper.layout().group_of(i, j)
    }

    fn outputs(&self) -> Vec<Output> {
        let outputs = self.environment.outputs.iter().enumerate();
        let output = |name: String, surface| Output { name, elements: OutputElements::Surface(surface) };
        let cond = self.environment.conditional;
        let cond = cond.surface.filter(|_| cond.write).map(|surface| output("conditional".into(), surface));
        outputs
            .filter_map(|(number, surface)| Some(output(format!("output {number}"), (*surface)?)))
            .chain(cond)
            .collect()
    }

    fn start(&mut self, group: u64) -> StepOutcome {
        let job = self.environment.job(&self.program, &self.shown.memory);
        let goes_on = self.stepper.start(&job, group);
        self.take_lanes();
        if goes_on { StepOutcome::Going } else { StepOutcome::Ended }
    }

    fn step(&mut self) -> StepOutcome {
        let job = self.environment.job(&self.program, &self.shown.memory);
        let stepped = self.stepper.step(&job);
        self.take_lanes();
        match stepped {
            Ok(true) => StepOutcome::Going,
            Ok(false) => StepOutcome::Ended,
            Err(error) => StepOutcome::Trapped(error.to_string()),
        }
    }

    fn save(&self) -> SavedState {
        let moment = self.stepper.save();
        let bytes = moment.as_ref().map_or(0, Moment::bytes);
        SavedState::new(moment, bytes)
    }

    fn restore(&mut self, saved: &SavedState) {
        if let Some(Some(moment)) = saved.get::<Option<Moment>>() {
            self.stepper.restore(moment);
            self.take_lanes();
        }
    }

    fn place(&self) -> Option<InstructionPlace> {
        self.stepper.pc().map(|pc| InstructionPlace::from(pc as u32))
    }

    fn output_cells(&self) -> Range<usize> {
        self.stepper.output_cells()
    }

    fn read(&self, lane: usize, cell: usize) -> u32 {
        self.stepper.read(lane, cell).unwrap_or(0)
    }

    fn write(&mut self, lane: usize, cell: usize, bits: u32) -> bool {
        self.stepper.write(lane, cell, bits).is_some()
    }

    fn standing(&self, lane: usize) -> Standing {
        self.stepper.standing(lane)
    }

    fn participation(&self, lane: usize) -> (Participation, String) {
        self.stepper.participation(lane)
    }

    fn pass(&self) -> Option<Pass> {
        self.stepper.pass()
    }

    fn stack(&self) -> Vec<Frame> {
        let call = |&at: &usize| Frame {
            kind: FrameKind::Call,
            text: format!("call, returns to {at}"),
            returns: Some(InstructionPlace::from(at as u32)),
        };
        let pass = |(pass, of): (u32, u32)| Frame {
            kind: FrameKind::Loop,
            text: format!("loop, pass {pass} of {of}"),
            returns: None,
        };
        self.stepper.returns().iter().map(call).chain(self.stepper.loops().into_iter().map(pass)).collect()
    }
}
