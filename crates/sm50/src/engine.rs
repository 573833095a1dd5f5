//! SM50 launches on the engine.
//!
//! A program whose lanes do not depend on each other, or only on those of their quads, is a group-independent kernel; one whose lanes
//! exchange data in the order of warps runs in warps. Everything else is the reference's, and so is every launch that comes to a trap or to the step limit: the
//! reference knows the error, or in lenient mode the warnings. A launch whose lanes access what others write of global memory is run
//! again by the reference, with memory as it was before.

mod calls;
mod lines;
mod resuming;

pub use lines::{BoundLines, LineProgram, LineRunner};

use crate::attributes::{Records, Words};
use crate::footprint::{AccessKind, Footprints};
use crate::launch::{
    Column, LaunchConstants, LaunchReport, NO_INVOCATION, Pixels, StageLaunch, StageRunner, Stop, WARP,
};
use crate::lift::{
    self, BufferBinding, Lifted, LineBinding, NotLifted, Specialisation, TableBinding, launch_words, place_words,
};
use crate::program::Code;
use crate::reference::{KeptWords, Reference};
use ctm_engine::{Bindings, Engine, Executor, Grouping, GuestJob, Kernel, Launch, Runtime, Stop as KernelStop};
use ctm_lane::domain::Lanes;
use ctm_lane::effort::Effort;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_memory::{Aliasing, Buffer};
use ctm_num::sm50::mufu;
use resuming::LaneMemory;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;
use thiserror::Error;

/// What functions of one number are interpolated by.
static COEFFICIENTS: LazyLock<Vec<u32>> = LazyLock::new(mufu::coefficients);

impl GuestJob for StageLaunch<'_> {
    type Key = Key;
    type KeyRef<'k>
        = KeyRef<'k>
    where
        Self: 'k;
    type Kernels = Result<Kernels, NotCompiled>;
    type Output = LaunchReport;
    type Error = Stop;
    type NotCompiled = NotCompiled;

    const GROUP_WIDTH: usize = WARP as usize;

    /// Threads choose what they access of global memory, so whether they meet shows when they run: kernels find out, and the reference
    /// keeps the order of warps in any case.
    fn order(&self) -> Option<Aliasing> {
        None
    }

    fn key(&self) -> Result<KeyRef<'_>, NotCompiled> {
        let specialisation = Specialisation::of(self).ok_or(NotCompiled::Shape)?;
        Ok(KeyRef { specialisation: Cow::Owned(specialisation), code: self.shader.code })
    }

    fn to_owned(key: KeyRef<'_>) -> Key {
        Key { specialisation: key.specialisation.into_owned(), code: key.code.clone() }
    }

    fn matches(key: &KeyRef<'_>, Key { specialisation, code }: &Key) -> bool {
        *key == KeyRef { specialisation: Cow::Borrowed(specialisation), code }
    }

    fn compile(key: &Key, runtime: &Runtime, effort: &Effort) -> Result<Kernels, NotCompiled> {
        Kernels::new(key, runtime, effort)
    }

    fn bytes(kernels: &Result<Kernels, NotCompiled>) -> usize {
        kernels.as_ref().map_or(0, |kernels| kernels.kernel.bytes())
    }

    fn is_compiled(
        &self,
        kernels: &Result<Kernels, NotCompiled>,
        _: &RunOptions,
        _: &Runtime,
    ) -> Result<(), NotCompiled> {
        let kernels = kernels.as_ref().map_err(|&reason| reason)?;
        match (kernels.kernel.is_compiled(), kernels.lifted.is_independent) {
            (true, _) => Ok(()),
            (false, false) => Err(NotCompiled::Lockstep),
            (false, true) => Err(NotCompiled::Refused),
        }
    }

    fn run(
        &self,
        kernels: &Result<Kernels, NotCompiled>,
        _: Option<Aliasing>,
        options: &RunOptions,
        runtime: &Runtime,
    ) -> Result<LaunchReport, Stop> {
        match kernels {
            // Kernels let ways meet where warps do not, and count what predicates hold back.
            Ok(kernels) if options.counts.is_none() => kernels.run(self, options, runtime),
            Ok(_) | Err(_) => Reference.run(self, options),
        }
    }

    fn reference(&self, options: &RunOptions) -> Result<LaunchReport, Stop> {
        Reference.run(self, options)
    }
}

/// Why machine code does not run an SM50 launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotCompiled {
    /// Records are too short for the invocations.
    #[error("records that are too short")]
    Shape,
    /// The program cannot be lifted.
    #[error("not lifted: {0}")]
    NotLifted(NotLifted),
    /// Lanes of a warp exchange data.
    #[error("lanes depend on each other")]
    Lockstep,
    /// The engine has no backend, or its backend makes no code of the function.
    #[error("no code of the backend")]
    Refused,
}

/// Everything that a compiled program depends on.
#[derive(Clone, Debug)]
pub struct Key {
    specialisation: Specialisation,
    code: Code,
}

/// A [`Key`], borrowed from a launch. What is compared first differs most often.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct KeyRef<'k> {
    specialisation: Cow<'k, Specialisation>,
    code: &'k Code,
}

impl StageRunner for Engine {
    fn run(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop> {
        Engine::run(self, launch, options)
    }
}

impl StageRunner for Executor {
    fn run(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop> {
        Executor::run(self, launch, options)
    }
}

/// An executor that has the reference run programs until they have run for so many lanes: then preparing them is worth it.
#[derive(Debug)]
pub struct IfWorth<'a> {
    /// The executor.
    pub executor: &'a Executor,
    /// How many lanes.
    pub lanes: u64,
}

impl StageRunner for IfWorth<'_> {
    fn run(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop> {
        // Threads of grids run for longer than vertices and pixels.
        let weight = if launch.grid.is_some() { u64::from(WARP) } else { 1 };
        let lanes = u64::from(launch.invocations.count) * weight;
        self.executor.run_if_worth(launch, (lanes, self.lanes), options)
    }
}

/// A compiled program.
pub struct Kernels {
    lifted: Lifted,
    kernel: Kernel,
    /// Lanes of lines look at others of their quads.
    looks_at_quads: bool,
}

impl Kernels {
    fn new(key: &Key, runtime: &Runtime, effort: &Effort) -> Result<Self, NotCompiled> {
        let lifted = lift::lift_within(&key.code, &key.specialisation, effort);
        let mut lifted = lifted.map_err(NotCompiled::NotLifted)?;
        let function = std::mem::take(&mut lifted.function);
        let surfaces = lines::layouts(&lifted.lines, key.specialisation.pixels.as_ref());
        let looks_at_quads = !surfaces.is_empty() && lines::looks_at_quads(function.clone(), effort);
        let grouping = match lifted.is_independent {
            true if writes(&lifted.footprints) || lifted.resumes.is_some() => Grouping::Once,
            true => Grouping::Independent,
            false => Grouping::Lockstep(WARP as usize),
        };
        let kernel = Kernel::within(function, (grouping, &surfaces, None), runtime, effort);
        Ok(Kernels { lifted, kernel, looks_at_quads })
    }

    fn run(&self, launch: &StageLaunch, options: &RunOptions, runtime: &Runtime) -> Result<LaunchReport, Stop> {
        let Some(global) = GlobalMemory::of(launch, &self.lifted, options) else {
            return Reference.run(launch, options);
        };
        // Words are not changed by two threads at a time.
        let threads = if self.lifted.changes_words() { 1 } else { options.threads };
        let options = &RunOptions { threads, ..*options };
        let pixels = launch.pixels.map(|pixels| PixelWords::of(pixels, options));
        if matches!(pixels, Some(None)) {
            return Reference.run(launch, options);
        }
        let pixels = pixels.flatten();
        let own = Own { global: Some(&global), pixels: pixels.as_ref(), lanes: None };
        let written = [launch.outputs, launch.patches].into_iter().flatten();
        let before: Vec<Before> = if self.lifted.reads_back { written.map(Before::of).collect() } else { Vec::new() };
        let together = if self.lifted.is_independent { 1 } else { WARP };
        let kept = KeptWords::default();
        let ran = match &self.lifted.resumes {
            Some(plan) => self.run_resuming(plan, launch, (own, &kept), (options, runtime)),
            None => {
                let Some(bindings) = self.bind(launch, own) else { return Reference.run(launch, options) };
                let lanes = launch.pixels.map_or(Lanes::Line(launch.invocations.count), lift::lanes);
                self.attempt(&Launch { lanes, bindings, max_steps: None }, options)
            }
        };
        match ran {
            Ok(stats) if self.lifted.is_sequential || !global.lanes_meet(launch, together) => {
                let groups = launch.invocations.warps().into();
                let stats = RunStats { groups, lanes: live_lanes(launch), ..stats };
                Ok(LaunchReport { stats, ..LaunchReport::default() })
            }
            Err(KernelStop::Halted(halt)) => Err(halt.into()),
            Ok(_) | Err(KernelStop::Trap { .. } | KernelStop::StepLimit { .. }) => {
                before.iter().for_each(Before::restore);
                // What calls wrote may be what the kernel wrote before.
                launch.environment.memory.into_iter().for_each(|memory| kept.restore(memory));
                global.restore(launch);
                Reference.run(launch, options)
            }
        }
    }

    /// Runs the kernel. If nothing stops it, no warp takes more steps than the options allow.
    fn attempt(&self, start: &Launch, options: &RunOptions) -> Result<RunStats, KernelStop> {
        if !self.lifted.is_independent {
            return self.kernel.run(start, options);
        }
        // The steps of a warp are those of its parts, which go apart at worst lane by lane.
        let budget = options.step_limit / u64::from(WARP);
        if self.kernel.longest().is_some_and(|steps| steps > budget) {
            return Err(KernelStop::StepLimit { pc: 0, x: 0, y: 0 });
        }
        self.kernel.run_independent(start, options, WARP as usize, budget)
    }

    /// Binds the names of the function to the launch's constants and buffers.
    fn bind<'a>(&self, launch: &StageLaunch<'a>, own: Own<'a>) -> Option<Bindings<'a>> {
        let table = |binding: &TableBinding| match *binding {
            TableBinding::StageLaunch => Some(launch_words(launch)),
            TableBinding::Coefficients => Some(COEFFICIENTS.clone()),
            TableBinding::StoreRanges => Some(launch.environment.stores.as_ref()?.table()),
            TableBinding::Bank(bank) => {
                let mut words = launch.bank(bank).unwrap_or_default().to_vec();
                if launch.constants().is_some() && bank == LaunchConstants::BANK {
                    words.resize(words.len().max(LaunchConstants::PLACE.end as usize / 4), 0);
                    for offset in LaunchConstants::PLACE.step_by(4) {
                        words[offset as usize / 4] = launch.constant(bank, offset)?;
                    }
                }
                words.resize(words.len().next_power_of_two(), 0);
                Some(words)
            }
            binding => Some(place_words(launch, binding)),
        };
        let buffer = |binding: &BufferBinding| -> Option<Buffer<'a>> {
            Some(match binding {
                BufferBinding::Inputs => launch.inputs?.buffer(),
                BufferBinding::Outputs => launch.outputs?.buffer(),
                BufferBinding::Patches => launch.patches?.buffer(),
                BufferBinding::Indices => launch.primitives?.indices.buffer(),
                BufferBinding::Ids => launch.primitives?.ids.buffer(),
                BufferBinding::Columns => launch.invocations.columns.as_ref()?.buffer(),
                BufferBinding::Emissions => launch.emissions?.buffer(),
                BufferBinding::Global(arena) => {
                    let space = launch.environment.memory?;
                    let arena = space.arenas().get(*arena as usize)?;
                    Buffer::new(space, arena.base(), arena.size()).ok()?
                }
                BufferBinding::Bank(bank) => {
                    let memory = launch.bank_memory(*bank)?;
                    Buffer::new(launch.environment.memory?, memory.address, memory.bytes).ok()?
                }
                BufferBinding::Footprints => own.global?.log.buffer(),
                BufferBinding::Turns => own.global?.turns.buffer(),
                BufferBinding::PixelQuads => own.pixels?.quads.buffer(),
                BufferBinding::PixelValues => own.pixels?.values.buffer(),
                BufferBinding::PrimitiveValues => own.pixels?.primitives.buffer(),
                BufferBinding::PixelResults => launch.pixels?.results(),
                BufferBinding::State
                | BufferBinding::Shared
                | BufferBinding::Writers
                | BufferBinding::Readers
                | BufferBinding::Claims => own.lanes?.words(binding)?.buffer(),
                BufferBinding::Texture(word) => {
                    let handle = launch.constant(lift::handle_bank(launch.shader.stage()), 4 * u32::from(*word))?;
                    launch.environment.textures.words(handle, lift::texel_words)?.buffer()
                }
            })
        };
        let line = |binding: &LineBinding| lines::view(launch.lines?, binding);
        Some(Bindings {
            surfaces: self.lifted.lines.iter().map(line).collect::<Option<_>>()?,
            tables: self.lifted.tables.iter().map(table).collect::<Option<_>>()?,
            buffers: self.lifted.buffers.iter().map(buffer).collect::<Option<_>>()?,
        })
    }
}

/// Memory that a launch has for itself.
#[derive(Clone, Copy, Default)]
struct Own<'a> {
    global: Option<&'a GlobalMemory<'a>>,
    pixels: Option<&'a PixelWords>,
    lanes: Option<&'a LaneMemory>,
}

/// Global memory while a launch runs.
struct GlobalMemory<'l> {
    /// What each kind of access does.
    footprints: &'l [AccessKind],
    /// What lanes access.
    log: Words,
    /// Whose turn it is to change a word.
    turns: Words,
    /// The bytes of memory before the launch, by address, where it may write.
    before: Vec<(u32, Vec<u8>)>,
}

/// Whether some access writes.
fn writes(footprints: &[AccessKind]) -> bool {
    footprints.iter().any(|kind| *kind != AccessKind::Read)
}

impl Lifted {
    /// What its function does with global memory; calls keep what they write on their own.
    fn own_footprints(&self) -> &[AccessKind] {
        let calls =
            self.resumes.iter().flat_map(|plan| &plan.calls).filter(|(_, call)| call.footprint.is_some()).count();
        &self.footprints[..self.footprints.len() - calls]
    }

    /// Whether it changes words of global memory in atomic ways.
    fn changes_words(&self) -> bool {
        self.is_sequential
            || self.footprints.iter().any(|kind| matches!(kind, AccessKind::Update(..) | AccessKind::Ordered))
    }
}

impl<'l> GlobalMemory<'l> {
    /// Bytes that take about as long to copy as the reference takes for a lane.
    const BYTES_OF_A_LANE: u64 = 8 << 10;

    /// Of a launch; `None` if it may write too much memory for so few lanes, or the host has none for what has to be kept.
    fn of(launch: &StageLaunch, lifted: &'l Lifted, options: &RunOptions) -> Option<Self> {
        let lanes = u64::from(launch.invocations.count);
        let footprints = &lifted.footprints;
        let words = Footprints::columns(footprints.len()) as u64 * lanes;
        let ranges = if writes(lifted.own_footprints()) || lifted.is_sequential { written(launch) } else { Vec::new() };
        let kept: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        // The log is read from a copy.
        options.budget.allows_memory(2 * 4 * words + kept).ok()?;
        if kept > Self::BYTES_OF_A_LANE * lanes {
            return None;
        }
        let log = Words::new(words).ok()?;
        let turns = Words::new(if lifted.changes_words() { u64::from(lift::TURNS_BYTES / 4) } else { 0 }).ok()?;
        let mut before = Vec::new();
        for range in ranges {
            let mut bytes = Vec::new();
            let count = (range.end - range.start) as usize;
            bytes.try_reserve_exact(count).ok()?;
            bytes.resize(count, 0);
            // Ranges lie in arenas.
            let address = range.start as u32;
            launch.environment.memory?.read_bytes(address, &mut bytes).ok()?;
            before.push((address, bytes));
        }
        Some(GlobalMemory { footprints, log, turns, before })
    }

    /// Whether lanes, or warps, accessed what others write.
    fn lanes_meet(&self, launch: &StageLaunch, together: u32) -> bool {
        let invocations = launch.invocations.count;
        Footprints { log: &self.log, kinds: self.footprints, invocations, together }.meet()
    }

    fn restore(&self, launch: &StageLaunch) {
        let memory = launch.environment.memory;
        for (address, bytes) in &self.before {
            // They were read from there.
            _ = memory.map(|memory| memory.write_bytes(*address, bytes));
        }
    }
}

/// The memory that a launch may write: parts of arenas.
fn written(launch: &StageLaunch) -> Vec<Range<u64>> {
    let arenas = launch.environment.memory.map_or(&[][..], |memory| memory.arenas());
    let arenas = arenas.iter().map(|arena| u64::from(arena.base())..u64::from(arena.base()) + u64::from(arena.size()));
    let Some(stores) = &launch.environment.stores else { return arenas.collect() };
    let within = |arena: Range<u64>| {
        let part = move |piece: &Range<u64>| piece.start.max(arena.start)..piece.end.min(arena.end);
        stores.pieces().iter().map(part).filter(|part| !part.is_empty())
    };
    arenas.flat_map(within).collect()
}

/// What functions are given of pixels, beside their inputs as planes.
struct PixelWords {
    quads: Words,
    values: Words,
    primitives: Words,
}

impl PixelWords {
    /// Of these pixels; `None` if the host has no memory for them.
    fn of(pixels: &Pixels, options: &RunOptions) -> Option<Self> {
        let words = |make: fn(&Pixels) -> Vec<u32>| Words::of(&make(pixels)).ok();
        let lists = pixels.inputs().len() as u64 + 4;
        options.budget.allows_memory(2 * 4 * lists * u64::from(pixels.invocations())).ok()?;
        Some(PixelWords {
            quads: words(lift::quad_words)?,
            values: words(lift::pixel_values)?,
            primitives: words(lift::primitive_values)?,
        })
    }
}

/// What records held before a launch.
struct Before<'a> {
    buffer: Buffer<'a>,
    words: Vec<u32>,
}

impl<'a> Before<'a> {
    fn of(records: &'a Records) -> Self {
        let buffer = records.buffer();
        let words = (0..buffer.length()).step_by(4).map(|address| buffer.load(address)).collect();
        Before { buffer, words }
    }

    fn restore(&self) {
        for (&word, address) in self.words.iter().zip((0..).step_by(4)) {
            self.buffer.store(address, word);
        }
    }
}

/// Lanes that have an invocation.
fn live_lanes(launch: &StageLaunch) -> u64 {
    let invocations = launch.invocations;
    match (launch.grid, &invocations.columns) {
        (Some(grid), _) => grid.threads().into(),
        (None, None) => invocations.count.into(),
        (None, Some(_)) => {
            let is_live = |&lane: &u32| invocations.get(Column::Primitive, lane) != NO_INVOCATION;
            (0..invocations.count).filter(is_live).count() as u64
        }
    }
}
