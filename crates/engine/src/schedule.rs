//! Running jobs: bands of the domain over threads.

use crate::backend::Code;
use crate::interp::{Group, Program, Stop};
use crate::kernel::{Kernel, Prepared, Way, bind, way};
use ctm_x1k::reference::{Layout, Place, QUAD, Role, run_group, split_incomplete_quads};
use ctm_x1k::{
    CondLocation, ConditionalUnit, Domain, Job, MAX_GROUP_WIDTH, RunError, RunOptions, RunStats, Trap, TrapKind,
    WriteMode, lift, reference,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Lanes of the interpreter's groups where it is free to choose.
const FREE_WIDTH: usize = 128;
/// Most lanes that a worker takes at once.
const BAND_LANES: u64 = 1 << 14;
/// Bands per thread, at least, so that threads finish at about the same time.
const BANDS_PER_THREAD: u64 = 16;
/// Steps after which a group may be in an endless loop, which the reference recognises.
const PATIENCE: u64 = 1 << 20;

/// Runs the job with this kernel. The job has been checked.
pub(crate) fn run(kernel: &Kernel, job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
    let mut width = options.group_width.clamp(1, MAX_GROUP_WIDTH);
    let way = way(job);
    if let (Way::Free, Some(free)) = (way, &kernel.free)
        && is_free(job, options, free)
    {
        if free.lifted.uses_quads {
            width = width.next_multiple_of(QUAD);
        }
        return run_free(kernel, free, job, options, width);
    }
    match kernel.exact() {
        Some(exact) if way != Way::Reference => {
            if exact.lifted.uses_quads {
                width = width.next_multiple_of(QUAD);
            }
            run_exact(exact, job, options, width)
        }
        _ => reference::run(job, options),
    }
}

/// Whether the free form is the program, for the constants of this job, and cannot reach the step limit.
fn is_free(job: &Job, options: &RunOptions, free: &Prepared) -> bool {
    let count = |int: u8| job.constants.ints[usize::from(int)].count;
    free.lifted.max_steps(count) <= options.step_limit
}

fn threads(options: &RunOptions, bands: u64) -> usize {
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, |threads| threads.get()),
        threads => threads,
    };
    threads.min(bands.try_into().unwrap_or(usize::MAX)).max(1)
}

/// What the workers of a run share.
struct Shared<'a> {
    options: &'a RunOptions<'a>,
    pairs: u64,
    next: AtomicU64,
    outcome: Mutex<Outcome>,
}

#[derive(Default)]
struct Outcome {
    stats: RunStats,
    done: u64,
    /// The failure of the lowest band that failed.
    failure: Option<(u64, RunError)>,
}

impl<'a> Shared<'a> {
    fn new(options: &'a RunOptions<'a>, pairs: u64) -> Self {
        Shared { options, pairs, next: AtomicU64::new(0), outcome: Mutex::default() }
    }

    /// Lets threads take bands until none is left. `worker` makes what a thread needs, and gives what runs a band: the pairs
    /// of the domain in it.
    fn work<'s, W, F>(&'s self, threads: usize, bands: u64, worker: W) -> Result<RunStats, RunError>
    where
        W: Fn() -> F + Sync + 's,
        F: FnMut(u64, &mut RunStats) -> Result<u64, RunError>,
    {
        let work = || {
            let mut run = worker();
            loop {
                let band = self.next.fetch_add(1, Relaxed);
                if band >= bands || self.has_failed_before(band) {
                    return;
                }
                let mut stats = RunStats::default();
                let cancelled = self.options.cancel.is_some_and(|cancel| cancel.load(Relaxed));
                let result = if cancelled { Err(RunError::Cancelled) } else { run(band, &mut stats) };
                self.finish_band(band, &stats, result);
            }
        };
        if threads == 1 {
            work();
        } else {
            std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
        }
        let outcome = std::mem::take(&mut *self.lock());
        match outcome.failure {
            Some((_, error)) => Err(error),
            None => Ok(outcome.stats),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn has_failed_before(&self, band: u64) -> bool {
        self.lock().failure.as_ref().is_some_and(|(failed, _)| *failed < band)
    }

    fn finish_band(&self, band: u64, stats: &RunStats, result: Result<u64, RunError>) {
        let mut outcome = self.lock();
        outcome.stats.merge(stats);
        match result {
            Ok(pairs) => outcome.done += pairs,
            Err(error) if outcome.failure.as_ref().is_none_or(|(earlier, _)| band < *earlier) => {
                outcome.failure = Some((band, error));
            }
            Err(_) => {}
        }
        let done = outcome.done;
        drop(outcome);
        if let Some(progress) = self.options.progress {
            progress(done, self.pairs);
        }
    }
}

/// The rows of quads of a domain, in bands.
struct Bands {
    domain: Domain,
    /// Rows of a band, an even number.
    rows: u32,
}

impl Bands {
    fn new(domain: Domain, threads: usize) -> Self {
        let fair = domain.lanes() / (threads as u64 * BANDS_PER_THREAD);
        let lanes = fair.clamp(1, BAND_LANES);
        let across = u64::from(domain.i1 - domain.i0 + 1);
        let rows = (lanes / across).clamp(2, 4096) as u32;
        Bands { domain, rows: rows & !1 }
    }

    fn count(&self) -> u64 {
        u64::from((self.domain.j1 - (self.domain.j0 & !1)) / self.rows + 1)
    }

    fn band(&self, number: u64) -> Domain {
        let first = (self.domain.j0 & !1) + number as u32 * self.rows;
        Domain { j0: first.max(self.domain.j0), j1: (first + self.rows - 1).min(self.domain.j1), ..self.domain }
    }
}

fn run_free(
    kernel: &Kernel,
    free: &Prepared,
    job: &Job,
    options: &RunOptions,
    width: usize,
) -> Result<RunStats, RunError> {
    let domain = job.domain;
    if domain.is_empty() {
        return Ok(RunStats::default());
    }
    let aligned = [domain.i0, domain.j0, domain.i1 + 1, domain.j1 + 1].iter().all(|side| side.is_multiple_of(2));
    if free.lifted.uses_quads && !aligned {
        // Quads at the edge are groups of their own.
        return match kernel.exact() {
            Some(exact) => run_exact(exact, job, options, width),
            None => reference::run(job, options),
        };
    }
    let bindings = bind(job, &free.lifted);
    let program = Program::new(&free.code, &bindings);
    let threads = threads(options, domain.lanes().div_ceil(FREE_WIDTH as u64));
    let bands = Bands::new(domain, threads);
    let shared = Shared::new(options, domain.lanes());
    let stats = shared.work(threads.min(bands.count() as usize), bands.count(), || {
        let mut group = None;
        let (program, bindings, bands) = (&program, &bindings, &bands);
        move |band: u64, stats: &mut RunStats| {
            let rectangle = bands.band(band);
            stats.lanes += rectangle.lanes();
            if let Some(machine) = &free.machine {
                stats.instructions += Code::run(machine.as_ref(), bindings, rectangle).instructions;
                return Ok(rectangle.lanes());
            }
            let group =
                group.get_or_insert_with(|| Group::new(program, FREE_WIDTH, options.step_limit, options.cancel));
            group.instructions = 0;
            let layout = Layout::new(rectangle, FREE_WIDTH);
            for number in 0..layout.groups() {
                fill(group, layout.positions(number).map(|(i, j)| (i, j, rectangle.contains(i, j))));
                match group.run() {
                    Ok(()) => {}
                    Err(Stop::Cancelled) => return Err(RunError::Cancelled),
                    Err(Stop::Trap { code, pc, lane }) => return Err(trap(code, pc, (group.x[lane], group.y[lane]))),
                }
            }
            stats.instructions += group.instructions;
            Ok(rectangle.lanes())
        }
    })?;
    Ok(RunStats {
        groups: covered_groups(&Layout::new(domain, width), domain, width),
        out_of_range: program.out_of_range(),
        ..stats
    })
}

/// Number of groups with a lane in the domain.
fn covered_groups(layout: &Layout, domain: Domain, width: usize) -> u64 {
    let has_lane = |group: &u64| layout.positions(*group).any(|(i, j)| domain.contains(i, j));
    // Four lanes in a row always have one in the domain. The last group may have fewer.
    let doubtful = if width >= QUAD { layout.groups().saturating_sub(1) } else { 0 };
    doubtful + (doubtful..layout.groups()).filter(has_lane).count() as u64
}

/// Puts lanes into a group; those that are left over are not covered.
fn fill(group: &mut Group, lanes: impl Iterator<Item = (u32, u32, bool)>) {
    let mut count = 0;
    for (lane, (i, j, covered)) in lanes.enumerate() {
        (group.x[lane], group.y[lane]) = (i, j);
        group.covered[lane] = if covered { u32::MAX } else { 0 };
        count = lane + 1;
    }
    group.covered[count..].fill(0);
}

fn trap(code: Option<u16>, pc: u32, (i, j): (u32, u32)) -> RunError {
    let kind = code.and_then(lift::trap_kind).unwrap_or(TrapKind::StepLimit);
    RunError::Trap(Trap { kind, pc: pc as usize, i, j })
}

fn run_exact(exact: &Prepared, job: &Job, options: &RunOptions, width: usize) -> Result<RunStats, RunError> {
    let layout = Layout::new(job.domain, width);
    let bindings = bind(job, &exact.lifted);
    let program = Program::new(&exact.code, &bindings);
    let conditional = ConditionalUnit::new(&job.conditional, job.memory);
    let umrt = job.program.info.write_mode == WriteMode::Umrt;
    let threads = if umrt { 1 } else { threads(options, layout.groups()) };
    let fair = layout.groups() / (threads as u64 * BANDS_PER_THREAD);
    let band_groups = fair.clamp(1, (BAND_LANES / width as u64).max(1));
    let bands = layout.groups().div_ceil(band_groups);
    let shared = Shared::new(options, job.domain.lanes());
    let uses_quads = exact.lifted.uses_quads;
    let unmapped = std::sync::atomic::AtomicBool::new(false);
    let stats = shared.work(threads, bands, || {
        // The program writes nothing before a group ends, so a group that takes long can be run again.
        let patience = if umrt { options.step_limit } else { options.step_limit.min(PATIENCE) };
        let lanes = if uses_quads { width.next_multiple_of(QUAD) } else { width };
        let mut worker = Exact {
            job,
            options,
            patience,
            group: Group::new(&program, lanes, patience, options.cancel),
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
        fill(group, places.iter().map(|place| (place.i, place.j, place.role == Role::Runs)));
        group.instructions = 0;
        match group.run() {
            Ok(()) => {
                stats.instructions += group.instructions;
                stats.lanes += places.iter().filter(|place| place.role == Role::Runs).count() as u64;
                stats.groups += 1;
                Ok(())
            }
            Err(Stop::Cancelled) => Err(RunError::Cancelled),
            // The reference knows endless loops, and which lanes are live.
            Err(Stop::Trap { code: None, .. }) if self.job.program.info.write_mode == WriteMode::Cached => {
                debug_assert!(self.patience <= self.options.step_limit);
                stats.merge(&run_group(self.job, self.options, places)?);
                Ok(())
            }
            Err(Stop::Trap { code, pc, lane }) => Err(trap(code, pc, (group.x[lane], group.y[lane]))),
        }
    }
}
