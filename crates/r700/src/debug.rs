//! R700 jobs in a debugger (`ctm_debug`). Groups are wavefronts; instructions are those of the control flow, and the groups and fetches of
//! clauses.

use crate::job::{
    Bindings, FLOW_CONSTANTS, Input, Items, Job, LoopConstant, Memories, StateError, Targets, VECTOR_BYTES,
};
use crate::program::Program;
use crate::reference::{Moment, StackEntry, Stepper};
use crate::resource::Region;
use crate::stack::Wavefront;
use crate::text;
use crate::uses::Known;
use ctm_debug::{
    Extent, Frame, FrameKind, Guest, GuestView, LaneInfo, Listing, ListingRow, Output, OutputElements, SavedState,
    Session, SessionError, StepOutcome,
};
use ctm_engine::GuestJob;
use ctm_follow::{InstructionPlace, Participation, Pass, Standing};
use ctm_lane::domain::{AXIS, Lanes};
use ctm_lane::run::RunOptions;
use ctm_memory::{AppendError, Space};
use std::collections::BTreeMap;
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
/// source lines. Of the options, the width of groups and the step limit count, and what ends a run
/// early ends the way to the lane.
///
/// # Errors
/// The job does not fit its program, there is no memory, or there is no such lane.
pub fn session(job: &Job, options: &RunOptions, listing: Listing, lane: (u32, u32)) -> Result<Session, DebugError> {
    job.check()?;
    let mut memory = job.memory.copy()?;
    memory.record();
    let stepper = Stepper::new(job, options);
    let shown = GuestView {
        machine: "R700",
        listing,
        memory,
        is_independent: job.order().is_none(),
        cells: stepper.cells(),
        lanes: Vec::new(),
    };
    let guest = Debugged {
        shown,
        stepper,
        environment: Environment::of(job),
        program: job.program.clone(),
        fetch_program: job.fetch_program.cloned(),
    };
    Ok(Session::new(Box::new(guest), lane, &|| options.is_over())?)
}

/// The instructions of a program, and of the fetch program that it calls, by their addresses: those of the control flow, then the groups and
/// fetches of clauses. The operations of a group are divided by semicolons.
pub fn listing(program: &Program, fetch_program: Option<&Program>) -> Listing {
    let programs = [Some(program), fetch_program].into_iter().flatten().zip(0..);
    let rows = programs.flat_map(|(program, number)| {
        text::steps(program).into_iter().map(move |(place, text)| {
            let place = InstructionPlace { at: ctm_follow::Address { program: number, ..place.at }, ..place };
            let lines: Vec<String> =
                text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
            let prefix = if number == 0 { "" } else { "fs:" };
            let address = format!("{prefix}{}", place.at.pc);
            ListingRow { place, address, text: lines.join("; "), labels: Vec::new(), line: None }
        })
    });
    let mut rows: Vec<ListingRow> = rows.collect();
    rows.sort_by_key(|row| row.place);
    Listing { rows, sources: Vec::new() }
}

/// A job without what it borrows.
struct Environment {
    lanes: Lanes,
    inputs: BTreeMap<u8, Input>,
    bools: [bool; FLOW_CONSTANTS],
    loops: [LoopConstant; FLOW_CONSTANTS],
    bindings: Bindings,
    alternate: Bindings,
    base_vertex: u32,
    start_instance: u32,
    semantics: Vec<u8>,
    targets: Targets,
    memories: Memories,
    quad_derivatives: bool,
    clamp_gpr: bool,
    kill_stops_pixel: bool,
    wavefront: Wavefront,
}

impl Environment {
    fn of(job: &Job) -> Self {
        Environment {
            lanes: job.lanes,
            inputs: job.inputs.clone(),
            bools: job.bools,
            loops: job.loops,
            bindings: job.bindings.clone(),
            alternate: job.alternate.clone(),
            base_vertex: job.base_vertex,
            start_instance: job.start_instance,
            semantics: job.semantics.clone(),
            targets: job.targets.clone(),
            memories: job.memories.clone(),
            quad_derivatives: job.quad_derivatives,
            clamp_gpr: job.clamp_gpr,
            kill_stops_pixel: job.kill_stops_pixel,
            wavefront: job.wavefront,
        }
    }

    fn job<'a>(&self, program: &'a Program, fetch_program: Option<&'a Program>, memory: &'a Space) -> Job<'a> {
        Job {
            program,
            known: Known::of(program),
            fetch_program,
            known_fetch: None,
            lanes: self.lanes,
            inputs: self.inputs.clone(),
            bools: self.bools,
            loops: self.loops,
            bindings: self.bindings.clone(),
            alternate: self.alternate.clone(),
            base_vertex: self.base_vertex,
            start_instance: self.start_instance,
            semantics: self.semantics.clone(),
            targets: self.targets.clone(),
            memories: self.memories.clone(),
            quad_derivatives: self.quad_derivatives,
            clamp_gpr: self.clamp_gpr,
            kill_stops_pixel: self.kill_stops_pixel,
            wavefront: self.wavefront,
            memory,
        }
    }
}

/// A job as a debugger's guest.
struct Debugged {
    program: Program,
    fetch_program: Option<Program>,
    environment: Environment,
    shown: GuestView,
    stepper: Stepper,
}

impl Debugged {
    /// Goes on with the stepper.
    fn advance(&mut self, go: impl FnOnce(&mut Stepper, &Job) -> Result<bool, crate::job::RunError>) -> StepOutcome {
        let job = self.environment.job(&self.program, self.fetch_program.as_ref(), &self.shown.memory);
        match go(&mut self.stepper, &job) {
            Ok(true) => StepOutcome::Going,
            Ok(false) => StepOutcome::Ended,
            Err(error) => StepOutcome::Trapped(error.to_string()),
        }
    }

    fn take_lanes(&mut self) {
        self.shown.lanes = self.stepper.lanes().into_iter().map(|(at, runs)| LaneInfo { at, runs }).collect();
    }
}

impl Guest for Debugged {
    fn view(&self) -> &GuestView {
        &self.shown
    }

    fn extent(&self) -> Extent {
        match self.environment.lanes {
            Lanes::Area(domain) => Extent::between((domain.i0, domain.j0), (domain.i1, domain.j1)),
            Lanes::Line(count) => Extent { first: (0, 0), columns: count.min(AXIS), rows: count.div_ceil(AXIS) },
        }
    }

    fn groups(&self) -> u64 {
        self.stepper.layout().groups()
    }

    fn group_of(&self, (i, j): (u32, u32)) -> Option<u64> {
        self.stepper.layout().group_of(i, j)
    }

    fn outputs(&self) -> Vec<Output> {
        let Targets { colours, colour_channels, depth, positions, parameters, valid } = &self.environment.targets;
        let Memories { ring, streams, reduction, export, strips, .. } = &self.environment.memories;
        let surfaces = (0..).zip(colours).filter_map(|(number, colour)| Some((format!("colour {number}"), (*colour)?)));
        let channels = (0..).zip(colour_channels).filter_map(|(number, surfaces)| Some((number, (*surfaces)?)));
        let channels = channels.flat_map(|(number, surfaces)| {
            let name = move |channel: char| format!("colour {number}, channel {channel}");
            ['x', 'y', 'z', 'w'].into_iter().map(name).zip(surfaces)
        });
        let surfaces = surfaces.chain(channels).chain(depth.map(|depth| ("depth".into(), depth)));
        let surfaces = surfaces.map(|(name, surface)| Output { name, elements: OutputElements::Surface(surface) });
        // Lanes of a line are in rows of so many.
        let lanes = |base, stride: u32| OutputElements::Lanes {
            base,
            stride,
            row_stride: u64::from(stride) * u64::from(AXIS),
            words: stride / 4,
        };
        let vector =
            |name: String, region: Option<Region>| Some(Output { name, elements: lanes(region?.base, VECTOR_BYTES) });
        let positions =
            (0..).zip(positions).filter_map(|(number, region)| vector(format!("position {number}"), *region));
        let parameters =
            (0..).zip(parameters).filter_map(|(number, region)| vector(format!("parameter {number}"), *region));
        let items = |name: String, items: Option<Items>| {
            let Items { region: Region { base, .. }, item_dwords } = items?;
            Some(Output { name, elements: lanes(base, 4 * item_dwords) })
        };
        let streams = (0..).zip(streams).filter_map(|(number, stream)| items(format!("stream {number}"), *stream));
        let rings = [items("ring".into(), *ring), items("strips".into(), *strips)].into_iter().flatten();
        let shared = |name: &str, region: Option<Region>| {
            let Region { base, length: bytes } = region?;
            Some(Output { name: name.into(), elements: OutputElements::Shared { base, bytes } })
        };
        let shared = [shared("reduction", *reduction), shared("export", *export), shared("valid", *valid)];
        let shared = shared.into_iter().flatten();
        surfaces.chain(positions).chain(parameters).chain(rings).chain(streams).chain(shared).collect()
    }

    fn start(&mut self, group: u64) -> StepOutcome {
        let outcome = self.advance(|stepper, job| stepper.start(job, group));
        self.take_lanes();
        outcome
    }

    fn step(&mut self) -> StepOutcome {
        self.advance(Stepper::step)
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
        self.stepper.place()
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
        (self.stepper.participation(lane), String::new())
    }

    fn pass(&self) -> Option<Pass> {
        self.stepper.pass()
    }

    fn stack(&self) -> Vec<Frame> {
        let frame = |entry: StackEntry| match entry {
            StackEntry::Mask(active) => {
                let count = active.iter().filter(|&&active| active).count();
                Frame { kind: FrameKind::Branch, text: format!("mask of {count} active pixels"), returns: None }
            }
            StackEntry::Loop(pass, passes) => {
                let of = passes.map_or(String::new(), |passes| format!(" of {passes}"));
                Frame { kind: FrameKind::Loop, text: format!("loop, pass {pass}{of}"), returns: None }
            }
            StackEntry::Return(place) => {
                let text = format!("call, returns to {}", place.at.pc);
                Frame { kind: FrameKind::Call, text, returns: Some(place) }
            }
        };
        self.stepper.stack().into_iter().map(frame).collect()
    }
}
