//! X1K: jobs as launches.
//!
//! A program is lifted in its free form, whose lanes may be grouped in any way, if it has one, and if nothing in the job
//! makes the order of lanes matter; that is a kernel like any other. What is left runs here: in its exact form, group by
//! group as the reference does, or by the reference itself.

use crate::backend::{Bindings, SurfaceFacts};
use crate::cache::Engine;
use crate::interp::{Code, Group, Program};
use crate::kernel::{Grouping, Kernel};
use crate::launch::{Launch, Stop};
use crate::schedule::Shared;
use crate::workers::Workers;
use ctm_lane::domain::{Layout, QUAD};
use ctm_lane::simplify;
use ctm_memory::{Bounds, Surface, View};
use ctm_x1k::lift::{self, Facts, Form, Lifted, Role as SurfaceRole};
use ctm_x1k::reference::{self, Place, Role, run_group, split_incomplete_quads};
use ctm_x1k::{
    CondLocation, CondTest, ConditionalUnit, INPUTS, Instruction, Job, MAX_GROUP_WIDTH, OUTPUTS, ProgramInfo,
    References, RunError, RunOptions, RunStats, StateError, Trap, TrapKind, WriteMode,
};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Steps after which a group may be in an endless loop, which the reference recognises.
const PATIENCE: u64 = 1 << 20;

impl Engine {
    /// Makes everything that running the job needs, so that the run itself does not have to.
    ///
    /// # Errors
    /// If the job's environment does not fit its program.
    pub fn prepare(&self, job: &Job) -> Result<(), StateError> {
        job.check()?;
        self.x1k_kernels(job);
        Ok(())
    }

    /// Runs the job. Memory, statistics and errors are those of [`ctm_x1k::reference::run`], bit for bit.
    ///
    /// # Errors
    /// As there.
    pub fn run(&self, job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
        job.check()?;
        self.x1k_kernels(job).run(job, options)
    }

    /// Whether machine code runs the job. What it does not run, every engine leaves to the interpreter or the reference.
    pub fn compiles_x1k(&self, job: &Job, options: &RunOptions) -> bool {
        let free = &self.x1k_kernels(job).free;
        free.as_ref().is_some_and(|free| is_free(job, options, &free.lifted) && free.kernel.is_compiled())
    }

    fn x1k_kernels(&self, job: &Job) -> Arc<Kernels> {
        self.x1k.get(Key::new(job), |key| Kernels::new(key, job, self))
    }
}

impl From<Stop> for RunError {
    fn from(stop: Stop) -> Self {
        let trap = |kind, pc: u32, i, j| RunError::Trap(Trap { kind, pc: pc as usize, i, j });
        match stop {
            Stop::Trap { code, pc, x, y } => trap(lift::trap_kind(code).unwrap_or(TrapKind::StepLimit), pc, x, y),
            Stop::StepLimit { pc, x, y } => trap(TrapKind::StepLimit, pc, x, y),
            Stop::Cancelled => RunError::Cancelled,
        }
    }
}

/// Everything that kernels of a program depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    code: Vec<Instruction>,
    info: ProgramInfo,
    references: References,
    pub facts: Facts,
    inputs: [Option<SurfaceFacts>; INPUTS],
    outputs: [Option<SurfaceFacts>; OUTPUTS],
    conditional: Option<SurfaceFacts>,
}

impl Key {
    pub fn new(job: &Job) -> Self {
        let facts = |surface: &Option<Surface>, bounds| {
            surface.as_ref().map(|surface| SurfaceFacts::of(job.memory, surface, bounds))
        };
        let inputs = job.inputs.each_ref().map(|surface| facts(surface, Bounds::Clamp));
        let finite = std::array::from_fn(|channel| {
            job.constants.floats.iter().all(|value| f32::from_bits(value[channel]).is_finite())
        });
        Key {
            code: job.program.code.clone(),
            info: job.program.info,
            references: job.program.references.clone(),
            facts: Facts {
                inputs: inputs.each_ref().map(|input| input.map(|facts| (facts.surface, facts.whole))),
                outputs: job.outputs.each_ref().map(Option::is_some),
                out_mask: job.out_mask,
                test: job.conditional.test,
                location: job.conditional.location,
                write: job.conditional.write,
                unfused: job.unfused,
                finite,
            },
            inputs,
            outputs: job.outputs.each_ref().map(|surface| facts(surface, Bounds::Drop)),
            conditional: facts(&job.conditional.surface, Bounds::Drop),
        }
    }

    pub fn surface(&self, role: SurfaceRole) -> Option<SurfaceFacts> {
        match role {
            SurfaceRole::Input(number) => self.inputs[number],
            SurfaceRole::Output(number) => self.outputs[number],
            SurfaceRole::Conditional => self.conditional,
        }
    }
}

/// The form whose lanes do not depend on their group.
struct FreeForm {
    lifted: Lifted,
    kernel: Kernel,
}

/// The form that follows the group.
struct ExactForm {
    lifted: Lifted,
    code: Code,
}

/// A program, ready to run on surfaces with the layouts of its key.
pub(crate) struct Kernels {
    facts: Facts,
    free: Option<FreeForm>,
    /// Made when it is wanted; `None` if the program is too large for it.
    exact: OnceLock<Option<ExactForm>>,
    workers: Workers,
}

impl Kernels {
    fn new(key: &Key, job: &Job, engine: &Engine) -> Self {
        let free = lift::lift(job.program, &key.facts, Form::Free).ok().and_then(|mut lifted| {
            let surfaces: Option<Vec<SurfaceFacts>> = lifted.surfaces.iter().map(|&role| key.surface(role)).collect();
            let function = std::mem::take(&mut lifted.function);
            let kernel = Kernel::new(function, Grouping::Free, &surfaces?, true, engine);
            Some(FreeForm { lifted, kernel })
        });
        Kernels { facts: key.facts.clone(), free, exact: OnceLock::new(), workers: engine.workers.clone() }
    }

    fn exact(&self, job: &Job) -> Option<&ExactForm> {
        let make = || {
            let mut lifted = lift::lift(job.program, &self.facts, Form::Exact).ok()?;
            simplify(&mut lifted.function);
            Some(ExactForm { code: Code::new(&lifted.function), lifted })
        };
        self.exact.get_or_init(make).as_ref()
    }

    /// Runs a job with the key that these kernels were made for. It has been checked.
    fn run(&self, job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
        if let Some(free) = &self.free
            && is_free(job, options, &free.lifted)
        {
            let max_steps = Some(max_steps(job, &free.lifted));
            let launch = Launch { lanes: job.domain.into(), bindings: bind(job, &free.lifted), max_steps };
            return Ok(free.kernel.run(&launch, options)?);
        }
        match self.exact(job) {
            Some(exact) if way(job) != Way::Reference => run_exact(exact, job, options, &self.workers),
            _ => reference::run(job, options),
        }
    }
}

/// Most steps that a group takes, with the constants of this job.
fn max_steps(job: &Job, lifted: &Lifted) -> u64 {
    lifted.max_steps(|int| job.constants.ints[usize::from(int)].count)
}

/// Whether the free form is the program for this job: the order of lanes does not matter, it does not reach the step limit,
/// and no quad is cut by the domain's edge, where quads are groups of their own.
pub(crate) fn is_free(job: &Job, options: &RunOptions, lifted: &Lifted) -> bool {
    let domain = job.domain;
    let edges = [domain.i0, domain.j0, domain.i1 + 1, domain.j1 + 1];
    let cuts = lifted.uses_quads && !domain.is_empty() && !edges.iter().all(|edge| edge.is_multiple_of(2));
    way(job) == Way::Free && !cuts && max_steps(job, lifted) <= options.step_limit
}

/// Binds the names of a function to the job's memory and constants.
fn bind<'a>(job: &Job<'a>, lifted: &Lifted) -> Bindings<'a> {
    let views = lifted.surfaces.iter().filter_map(|&role| {
        let (surface, bounds) = match role {
            SurfaceRole::Input(number) => (job.inputs[number], Bounds::Clamp),
            SurfaceRole::Output(number) => (job.outputs[number], Bounds::Drop),
            SurfaceRole::Conditional => (job.conditional.surface, Bounds::Drop),
        };
        Some(View::new(job.memory, surface?, bounds))
    });
    let constants = &job.constants;
    let mut tables: Vec<Vec<u32>> =
        (0..lift::FLOAT_TABLES).map(|channel| constants.floats.iter().map(|value| value[channel]).collect()).collect();
    let fields = |int: &ctm_x1k::IntConstant| {
        [u32::from(int.count), u32::from(int.init), i32::from(int.step).cast_unsigned(), 0]
    };
    tables.push(constants.ints.iter().flat_map(fields).collect());
    tables.push(constants.bools.iter().map(|&set| u32::from(set)).collect());
    tables.push(vec![job.conditional.pe_value]);
    Bindings { space: job.memory, surfaces: views.collect(), tables, buffers: Vec::new() }
}

/// Which of the ways to run a job gives the results of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Lanes may be grouped in any way.
    Free,
    /// The groups of the options, one instruction after the other.
    Exact,
    /// The order in which single lanes write matters.
    Reference,
}

/// Chooses the way, as far as it does not depend on the kernel.
fn way(job: &Job) -> Way {
    let umrt = job.program.info.write_mode == WriteMode::Umrt;
    let outputs = job.program.references.outputs.iter().filter_map(|&output| job.outputs[usize::from(output)]);
    let buffer = job.conditional.surface.filter(|_| job.conditional.needs_buffer());
    let written: Vec<Surface> = outputs.chain(buffer).collect();
    let pairs = |at: usize| written[..at].iter().any(|other| overlap(other, &written[at]));
    let unmapped = |surface: &Surface| !SurfaceFacts::of(job.memory, surface, Bounds::Drop).whole;
    // Where masks leave nothing of a store, the reference still notices that it leaves the memory.
    let stores_nothing = |surface: &Surface| job.out_mask & ((1 << surface.format.channels()) - 1) == 0;
    if (0..written.len()).any(pairs)
        || umrt && written.iter().any(|surface| surface.height == 0)
        || written.iter().any(|surface| stores_nothing(surface) && unmapped(surface))
    {
        return Way::Reference;
    }
    let reads_written = job.inputs.iter().flatten().any(|input| written.iter().any(|output| overlap(input, output)));
    let overlaps_itself =
        |surface: &Surface| !surface.pitch.is_multiple_of(Surface::pitch_granule(surface.tiling, surface.format));
    let executes_some = job.conditional.location == CondLocation::Pe
        && (job.conditional.write || job.conditional.test != CondTest::Always);
    if umrt || reads_written || executes_some || written.iter().any(overlaps_itself) { Way::Exact } else { Way::Free }
}

/// Whether two surfaces may share memory.
fn overlap(a: &Surface, b: &Surface) -> bool {
    let range = |surface: &Surface| {
        let height = if surface.height == 0 { 4096 } else { surface.height };
        let rounded = surface.pitch.next_multiple_of(Surface::pitch_granule(surface.tiling, surface.format));
        let bytes = Surface { height, pitch: rounded, ..*surface }.bytes();
        (u64::from(surface.base), u64::from(surface.base) + bytes)
    };
    let (a, b) = (range(a), range(b));
    // Addresses wrap at 32 bits.
    let wraps = a.1 > 1 << 32 || b.1 > 1 << 32;
    wraps || a.0 < b.1 && b.0 < a.1
}

fn run_exact(exact: &ExactForm, job: &Job, options: &RunOptions, workers: &Workers) -> Result<RunStats, RunError> {
    let width = options.group_width.clamp(1, MAX_GROUP_WIDTH);
    let width = if exact.lifted.uses_quads { width.next_multiple_of(QUAD) } else { width };
    let layout = Layout::new(job.domain, width);
    let bindings = bind(job, &exact.lifted);
    let program = Program::new(&exact.code, &bindings);
    let conditional = ConditionalUnit::new(&job.conditional, job.memory);
    let umrt = job.program.info.write_mode == WriteMode::Umrt;
    let threads = if umrt { 1 } else { workers.threads(options.threads, layout.groups()) };
    let band_groups = Shared::<RunError>::groups_of_a_band(layout.groups(), width, threads);
    let bands = layout.groups().div_ceil(band_groups);
    let shared = Shared::new(options, job.domain.lanes());
    let uses_quads = exact.lifted.uses_quads;
    let unmapped = AtomicBool::new(false);
    let stats = shared.work(workers, threads, bands, || {
        // The program writes nothing before a group ends, so a group that takes long can be run again.
        let patience = if umrt { options.step_limit } else { options.step_limit.min(PATIENCE) };
        let mut worker = Exact {
            job,
            options,
            patience,
            group: Group::new(&program, width, patience, options.cancel),
            quad: uses_quads.then(|| Group::new(&program, QUAD, patience, options.cancel)),
        };
        let (layout, conditional, unmapped) = (&layout, &conditional, &unmapped);
        move |band: u64, stats: &mut RunStats| {
            let mut done = 0;
            for number in band * band_groups..((band + 1) * band_groups).min(layout.groups()) {
                if options.cancel.is_some_and(|cancel| cancel.load(Relaxed)) {
                    return Err(RunError::Cancelled);
                }
                let mut places: Vec<Place> = layout
                    .positions(number)
                    .map(|(i, j)| {
                        let inside = job.domain.contains(i, j);
                        done += u64::from(inside);
                        let runs = inside && conditional.request(CondLocation::Pe, i, j, job.conditional.pe_value);
                        Place { i, j, role: if runs { Role::Runs } else { Role::Uncovered } }
                    })
                    .collect();
                let incomplete = if uses_quads { split_incomplete_quads(&mut places) } else { Vec::new() };
                for places in std::iter::once(&places[..]).chain(incomplete.iter().map(|quad| &quad[..])) {
                    if places.iter().any(|place| place.role == Role::Runs) {
                        worker.run(places, stats)?;
                        unmapped.fetch_or(stats.out_of_range, Relaxed);
                    }
                }
            }
            Ok(done)
        }
    })?;
    let out_of_range = program.out_of_range() | conditional.out_of_range() | unmapped.load(Relaxed);
    Ok(RunStats { out_of_range, ..stats })
}

/// One thread's part of an exact run.
struct Exact<'a> {
    job: &'a Job<'a>,
    options: &'a RunOptions<'a>,
    patience: u64,
    group: Group<'a>,
    /// For quads with lanes that help.
    quad: Option<Group<'a>>,
}

impl Exact<'_> {
    fn run(&mut self, places: &[Place], stats: &mut RunStats) -> Result<(), RunError> {
        let helps = places.iter().any(|place| place.role == Role::Helps);
        let group = match &mut self.quad {
            Some(quad) if helps => quad,
            _ => &mut self.group,
        };
        let mut runs = places.iter().map(|place| place.role == Role::Runs);
        group.place(places.iter().map(|place| (place.i, place.j)), |_, _| runs.next() == Some(true));
        group.instructions = 0;
        match group.run() {
            Ok(()) => {
                stats.instructions += group.instructions;
                stats.lanes += places.iter().filter(|place| place.role == Role::Runs).count() as u64;
                stats.groups += 1;
                Ok(())
            }
            // The reference knows endless loops, and which lanes are live.
            Err(Stop::StepLimit { .. }) if self.job.program.info.write_mode == WriteMode::Cached => {
                debug_assert!(self.patience <= self.options.step_limit);
                stats.merge(&run_group(self.job, self.options, places)?);
                Ok(())
            }
            Err(stop) => Err(stop.into()),
        }
    }
}
