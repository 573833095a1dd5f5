//! SM50 launches in a debugger (`ctm_debug`): compute code, and stages of pipelines.
//!
//! Groups are warps, or the warps of a block if these may meet, those of one launch after those of the one before. A lane has the number of its thread, or of its invocation, as its column,
//! and the number of its launch as its row. Where the first launch is one of fragments in a window, lanes are its pixels.

use crate::attributes::{Emissions, NoMemory, Records, WORDS, Words, name};
use crate::field::key;
use crate::header::{AttributeMap, Header, Stage};
use crate::images::Images;
use crate::instruction::Instruction;
use crate::launch::{
    Column, Constants, Environment, Grid, Invocations, Mode, NO_INVOCATION, Pixels, Primitives, Shader, StageLaunch,
    Stop, WARP,
};
use crate::program::{Code, Program};
use crate::reference::{Moment, Stepper, Token, warps_together};
use crate::table::Class;
use crate::text::print_instructions;
use crate::textures::Textures;
use ctm_debug::{
    Extent, Frame, FrameKind, Guest, GuestView, LaneInfo, Listing, ListingRow, Output, OutputElements, SavedState,
    Session, SessionError, StepOutcome,
};
use ctm_follow::{Address, InstructionPlace, Participation, Pass, Standing};
use ctm_lane::run::RunOptions;
use ctm_memory::{AppendError, Space};
use thiserror::Error;

/// Why there is no session over launches.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DebugError {
    /// There is no memory for a copy of what launches write.
    #[error(transparent)]
    Attributes(#[from] NoMemory),
    /// There is no memory for a copy of global memory, or no addresses for that of the launches.
    #[error(transparent)]
    Memory(#[from] AppendError),
    /// The session cannot begin there.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// A launch as it is before it runs, with a copy of what it writes.
#[derive(Clone, Debug)]
pub struct LaunchCopy {
    program: u8,
    header: Option<Header>,
    code: Code,
    local_memory: u32,
    shared_memory: u32,
    textures: Textures,
    images: Images,
    constants: Constants,
    y_direction: u32,
    mode: Mode,
    invocations: Invocations,
    inputs: Option<Records>,
    primitives: Option<Primitives>,
    patches: Option<Records>,
    outputs: Option<Records>,
    surviving: AttributeMap,
    emissions: Option<Emissions>,
    pixels: Option<Pixels>,
    grid: Option<Grid>,
    /// Warps of a group.
    together: u32,
}

impl LaunchCopy {
    /// Copies a launch but its global memory. `program` is the number that its program has in the [`listing`].
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn of(launch: &StageLaunch, program: u8) -> Result<Self, NoMemory> {
        let copy = |words: &Words| Words::of(&words.to_vec());
        let records = |records: Option<&Records>| {
            records.map(|records| Ok(records.with_words(copy(records.words())?))).transpose()
        };
        let StageLaunch { shader, environment, .. } = *launch;
        let mut constants = environment.constants.clone();
        let own = shader.banks.into_iter().flat_map(Constants::numbers).chain([Program::CONSTANT_BANK]);
        for number in own {
            if let Some(words) = launch.bank(number) {
                constants.set_bank(number, words.to_vec());
            }
        }
        Ok(LaunchCopy {
            program,
            header: shader.header,
            code: shader.code.clone(),
            local_memory: shader.local_memory,
            shared_memory: shader.shared_memory,
            textures: environment.textures.clone(),
            images: environment.images.clone(),
            constants,
            y_direction: environment.y_direction,
            mode: environment.mode,
            invocations: launch.invocations.clone(),
            inputs: records(launch.inputs)?,
            primitives: launch.primitives.cloned(),
            patches: records(launch.patches)?,
            outputs: records(launch.outputs)?,
            surviving: launch.surviving,
            emissions: launch.emissions.map(|log| Ok(log.with_words(copy(log.words())?))).transpose()?,
            pixels: launch
                .pixels
                .map(|pixels| Ok(pixels.clone().with_results(copy(pixels.result_words())?)))
                .transpose()?,
            grid: launch.grid,
            together: warps_together(launch),
        })
    }

    fn shader(&self) -> Shader<'_> {
        Shader {
            header: self.header,
            code: &self.code,
            local_memory: self.local_memory,
            shared_memory: self.shared_memory,
            constants: &[],
            banks: None,
        }
    }

    fn environment<'a>(&self, memory: Option<&'a Space>) -> Environment<'a> {
        let Self { y_direction, mode, .. } = *self;
        let (textures, images) = (self.textures.clone(), self.images.clone());
        Environment { constants: self.constants.clone(), memory, stores: None, y_direction, textures, images, mode }
    }

    fn launch<'a>(&'a self, environment: &'a Environment<'a>) -> StageLaunch<'a> {
        StageLaunch {
            inputs: self.inputs.as_ref(),
            primitives: self.primitives.as_ref(),
            patches: self.patches.as_ref(),
            outputs: self.outputs.as_ref(),
            emissions: self.emissions.as_ref(),
            pixels: self.pixels.as_ref(),
            grid: self.grid,
            ..StageLaunch::new(self.shader(), environment, &self.invocations, self.surviving)
        }
    }

    /// Maps what it writes into a space, after all else there. Gives the addresses.
    fn map_into(&self, space: &mut Space) -> Result<Places, AppendError> {
        let mut map = |words: Option<&Words>| words.map_or(Ok(0), |words| words.map_into(space));
        Ok(Places {
            patches: map(self.patches.as_ref().map(Records::words))?,
            outputs: map(self.outputs.as_ref().map(Records::words))?,
            emissions: map(self.emissions.as_ref().map(Emissions::words))?,
            pixels: map(self.pixels.as_ref().map(Pixels::result_words))?,
        })
    }

    /// Has what it writes where the space has it, so that stores are recorded there.
    fn bind(&mut self, space: &Space, Places { patches, outputs, emissions, pixels }: Places) {
        for (records, base) in [(&mut self.patches, patches), (&mut self.outputs, outputs)] {
            *records = records.take().map(|records| records.with_words(records.words().within(space, base)));
        }
        self.emissions = self.emissions.take().map(|log| log.with_words(log.words().within(space, emissions)));
        self.pixels = self.pixels.take().map(|all| {
            let words = all.result_words().within(space, pixels);
            all.with_results(words)
        });
    }

    /// Columns and rows of the window of fragments, if it has one.
    fn window(&self) -> Option<(u32, u32)> {
        self.pixels.as_ref()?.size()
    }

    /// What it leaves at these addresses.
    fn leaves(&self, Places { patches, outputs, pixels, .. }: Places) -> Vec<Output> {
        let mut all: Vec<Output> = self.fragments(pixels).collect();
        let of_vertices = self.outputs.iter().flat_map(|records| {
            let vertices = match self.stage() {
                Stage::Geometry => self.header.map_or(0, |header| header.max_output_vertex_count.into()),
                _ => 1,
            };
            let slot = move |address| Some((address, records.slots().slot(address)?));
            (0..4 * WORDS as u32).step_by(4).filter_map(slot).map(move |(address, slot)| Output {
                name: name(address),
                elements: OutputElements::Lanes {
                    base: outputs + 4 * slot * records.count(),
                    stride: 4 * vertices,
                    row_stride: 0,
                    words: vertices,
                },
            })
        });
        all.extend(of_vertices);
        // Patches are written by tessellation initialisation alone.
        if let (Some(records), Stage::TessellationInit) = (&self.patches, self.stage()) {
            let elements = OutputElements::Shared { base: patches, bytes: records.buffer().length() };
            all.push(Output { name: "patches".into(), elements });
        }
        all
    }

    /// What its fragments put out: a word of each pixel for each register.
    fn fragments(&self, base: u32) -> impl Iterator<Item = Output> {
        let maps = self.header.map(|header| header.pixel).unwrap_or_default();
        let name = move |register: u32| {
            if maps.sample_mask_register() == Some(register) {
                return Some("sample mask".to_owned());
            }
            if maps.depth_register() == Some(register) {
                return Some("depth".to_owned());
            }
            let colour = maps.colours().nth(register as usize / 4)?;
            Some(format!("colour {colour}.{}", ["r", "g", "b", "a"][register as usize % 4]))
        };
        let pixels = self.pixels.iter().filter_map(|pixels| Some((pixels, pixels.size()?)));
        pixels.flat_map(move |(pixels, size)| {
            // The first word of an invocation says whether the others hold something.
            let place = move |register: u32| base + 4 * (register + 1) * pixels.invocations();
            (0..pixels.registers()).filter_map(move |register| {
                Some(Output { name: name(register)?, elements: OutputElements::Quads { base: place(register), size } })
            })
        })
    }

    fn stage(&self) -> Stage {
        self.shader().stage()
    }

    fn has_global_stores(&self) -> bool {
        let stores = |instruction: &Instruction| matches!(instruction.op().class(), Class::Global(op) if op.stores());
        self.code.instructions().iter().any(stores)
    }

    /// One more than the highest register that instructions name, with those of the widest operand.
    fn registers(&self) -> u8 {
        let named = self.code.instructions().iter().flat_map(|instruction| {
            [key::RD, key::RA, key::RB, key::RC]
                .map(|key| instruction.reg(key))
                .into_iter()
                .filter(|reg| !reg.is_zero())
        });
        named.map(|reg| reg.0 | 3).max().map_or(0, |last| last.saturating_add(1))
    }
}

/// Where the memory is that a launch writes; 0 for what it does not have.
#[derive(Clone, Copy)]
struct Places {
    patches: u32,
    outputs: u32,
    emissions: u32,
    pixels: u32,
}

/// What stands in front of addresses of a stage of pipelines: short, since listings are narrow.
fn prefix(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vs:",
        Stage::TessellationInit => "tcs:",
        Stage::Tessellation => "tes:",
        Stage::Geometry => "gs:",
        Stage::Pixel => "fs:",
        _ => "",
    }
}

/// The instructions of programs, each in one line: those of the first one, then those of the next. Where there are several, `vs:`, `tcs:`, `tes:` or
/// `gs:` stands in front of addresses.
pub fn listing(programs: &[Shader]) -> Listing {
    let rows = programs.iter().zip(0..).flat_map(|(shader, program)| {
        let prefix = if programs.len() > 1 { prefix(shader.stage()) } else { "" };
        let lines = print_instructions(shader.code).into_iter().enumerate();
        lines.map(move |(index, (label, text))| {
            let pc = Code::address(index);
            ListingRow {
                place: Address { program, pc }.into(),
                address: format!("{prefix}{pc:04x}"),
                text,
                labels: label.into_iter().collect(),
                line: None,
            }
        })
    });
    Listing { rows: rows.collect(), sources: Vec::new() }
}

/// A session over launches, on a copy of their global memory, at the start of the warp of a lane. The listing is that of [`listing`], perhaps with
/// source lines; `outputs` are what is of interest of global memory. Of the options, the step limit counts, and what ends a run
/// early ends the way to the lane.
///
/// Each launch starts with what it was copied with: what is changed by hand in one does not reach the next.
///
/// # Errors
/// There is no memory, or there is no such lane.
pub fn session(
    mut launches: Vec<LaunchCopy>,
    memory: Option<&Space>,
    outputs: Vec<Output>,
    options: &RunOptions,
    listing: Listing,
    lane: (u32, u32),
) -> Result<Session, DebugError> {
    let mut space = memory.map_or(Ok(Space::default()), Space::copy)?;
    let places: Vec<_> = launches.iter().map(|launch| launch.map_into(&mut space)).collect::<Result<_, _>>()?;
    space.record();
    let mut first_groups = vec![0];
    for (launch, places) in launches.iter_mut().zip(&places) {
        launch.bind(&space, *places);
        let groups = launch.invocations.warps().div_ceil(launch.together);
        first_groups.push(first_groups.last().copied().unwrap_or(0) + u64::from(groups));
    }
    let environment = Environment::default();
    let all: Vec<StageLaunch> = launches.iter().map(|launch| launch.launch(&environment)).collect();
    let registers = launches.iter().map(LaunchCopy::registers).max().unwrap_or(0);
    let stepper = Stepper::new(&all, registers, options);
    let shown = GuestView {
        machine: "SM50",
        listing,
        memory: space,
        is_independent: memory.is_none() || !launches.iter().any(LaunchCopy::has_global_stores),
        cells: stepper.cells(),
        lanes: Vec::new(),
    };
    let guest = Debugged {
        outputs: launches.iter().zip(places).map(|(launch, places)| launch.leaves(places)).collect(),
        shared: outputs,
        has_memory: memory.is_some(),
        shown,
        current: 0,
        launches,
        first_groups,
        stepper,
    };
    Ok(Session::new(Box::new(guest), lane, &|| options.is_over())?)
}

/// Launches as a debugger's guest.
struct Debugged {
    launches: Vec<LaunchCopy>,
    /// The first group of each launch, and their number.
    first_groups: Vec<u64>,
    has_memory: bool,
    /// What each launch leaves in attribute memory.
    outputs: Vec<Vec<Output>>,
    /// What they leave in global memory.
    shared: Vec<Output>,
    shown: GuestView,
    /// The launch that the group is of.
    current: usize,
    stepper: Stepper,
}

impl Debugged {
    /// Does something with the stepper and the launch that the group is of.
    fn with_launch<R>(&mut self, body: impl FnOnce(&mut Stepper, &StageLaunch) -> R) -> Option<R> {
        let copy = self.launches.get(self.current)?;
        let environment = copy.environment(self.has_memory.then_some(&self.shown.memory));
        Some(body(&mut self.stepper, &copy.launch(&environment)))
    }
}

impl Guest for Debugged {
    fn view(&self) -> &GuestView {
        &self.shown
    }

    fn extent(&self) -> Extent {
        if let Some((columns, rows)) = self.launches.first().and_then(LaunchCopy::window) {
            return Extent { first: (0, 0), columns, rows };
        }
        let columns = |launch: &LaunchCopy| launch.grid.map_or(launch.invocations.count, |grid| grid.threads());
        let columns = self.launches.iter().map(columns).max().unwrap_or(0);
        Extent { first: (0, 0), columns, rows: self.launches.len() as u32 }
    }

    fn groups(&self) -> u64 {
        self.first_groups.last().copied().unwrap_or(0)
    }

    fn group_of(&self, (lane, launch): (u32, u32)) -> Option<u64> {
        if let Some(pixels) = self.launches.first()?.pixels.as_ref().filter(|pixels| pixels.size().is_some()) {
            return Some(u64::from(pixels.invocation((lane, launch))? / WARP));
        }
        let copy = self.launches.get(launch as usize)?;
        let invocation = match copy.grid {
            Some(grid) => grid.invocation_of((lane < grid.threads()).then_some(lane)?),
            None => lane,
        };
        let exists = copy.invocations.get(Column::Primitive, invocation) != NO_INVOCATION;
        exists.then(|| self.first_groups[launch as usize] + u64::from(invocation / (WARP * copy.together)))
    }

    fn outputs(&self) -> Vec<Output> {
        self.outputs.get(self.current).into_iter().flatten().chain(&self.shared).cloned().collect()
    }

    fn start(&mut self, group: u64) -> StepOutcome {
        self.current = self.first_groups.partition_point(|&first| first <= group).saturating_sub(1);
        let Some(first) = self.first_groups.get(self.current) else { return StepOutcome::Ended };
        let number = (group - first) as u32;
        let started = self.with_launch(|stepper, launch| stepper.start(launch, number));
        let lanes = self.stepper.lanes().into_iter();
        let lanes = match self.launches.get(self.current) {
            Some(launch) => lanes
                .map(|(invocation, runs)| {
                    let number = launch.grid.map_or(invocation, |grid| grid.thread_number(invocation));
                    let at = match &launch.pixels {
                        Some(pixels) if pixels.size().is_some() => pixels.pixel(invocation),
                        Some(_) | None => (number, self.current as u32),
                    };
                    LaneInfo { at, runs }
                })
                .collect(),
            None => Vec::new(),
        };
        self.shown.lanes = lanes;
        outcome(started)
    }

    fn step(&mut self) -> StepOutcome {
        outcome(self.with_launch(Stepper::step))
    }

    fn save(&self) -> SavedState {
        let moment = self.stepper.save();
        let bytes = moment.as_ref().map_or(0, Moment::bytes);
        SavedState::new(moment, bytes)
    }

    fn restore(&mut self, saved: &SavedState) {
        if let Some(Some(moment)) = saved.get::<Option<Moment>>() {
            self.stepper.restore(moment);
        }
    }

    fn place(&self) -> Option<InstructionPlace> {
        let launch = self.launches.get(self.current)?;
        let pc = self.stepper.pc()?;
        // The address of a control word is that of the instruction after it.
        let pc = launch.code.index_at(pc).map_or(pc, Code::address);
        Some(Address { program: launch.program, pc }.into())
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
        let participation = match self.launches.get(self.current) {
            Some(launch) => self.stepper.participation(&launch.code, lane),
            None => Participation::Waits(None),
        };
        (participation, String::new())
    }

    fn pass(&self) -> Option<Pass> {
        None
    }

    fn stack(&self) -> Vec<Frame> {
        let program = self.launches.get(self.current).map_or(0, |launch| launch.program);
        let frame = |(kind, mask, pc): (Token, u32, u32)| {
            let (kind, what) = match kind {
                Token::Sync => (FrameKind::Branch, "SSY"),
                Token::Break => (FrameKind::Loop, "PBK"),
                Token::Continue => (FrameKind::Loop, "PCNT"),
                Token::Call => (FrameKind::Call, "call"),
                Token::LongJump => (FrameKind::Branch, "PLONGJMP"),
                Token::Divergence => (FrameKind::Branch, "divergence"),
            };
            let text = format!("{what}, lanes {mask:#010x} go on at {pc:04x}");
            Frame { kind, text, returns: Some(Address { program, pc }.into()) }
        };
        self.stepper.tokens().into_iter().map(frame).collect()
    }
}

/// What came of a step, if there is a launch at all.
fn outcome(stepped: Option<Result<bool, Stop>>) -> StepOutcome {
    match stepped {
        Some(Ok(true)) => StepOutcome::Going,
        Some(Ok(false)) | None => StepOutcome::Ended,
        Some(Err(stop)) => StepOutcome::Trapped(stop.to_string()),
    }
}
