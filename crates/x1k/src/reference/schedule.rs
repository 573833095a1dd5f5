//! Cuts a domain into groups, and runs them on threads.

use super::group::{Group, Machine, Place, Role};
use crate::job::{Domain, Job, MAX_GROUP_WIDTH, RunError, RunOptions, RunStats};
use crate::program::WriteMode;
use ctm_follow::{Follow, Observer};
use ctm_lane::budget::Watch;
use ctm_lane::domain::{Layout, QUAD};
use ctm_lane::run::on_threads;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Most lanes that a worker takes at once.
const BAND_LANES: u64 = 4096;
/// Bands per thread, at least, so that threads finish at about the same time.
const BANDS_PER_THREAD: u64 = 8;

/// Runs the job.
///
/// Memory and results are the same for every group width and thread count, as long as the program does not read what
/// other lanes of the same run write, and no two lanes write the same place. Programs with immediate writes (UMRT) run
/// on one thread, group after group, so that with them the thread count never matters.
///
/// # Errors
///
/// [`RunError::State`] if the environment does not fit the program (nothing has run then), [`RunError::Trap`] with the
/// trap of the lowest group that trapped, [`RunError::Halted`] if the run was cancelled or its budget was used up.
pub fn run(job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
    run_following(job, options, None)
}

/// As [`run`], on one thread, and tells an observer what the lane at this column and row goes through.
///
/// # Errors
/// As [`run`].
pub fn run_observed(
    job: &Job,
    options: &RunOptions,
    lane: (u32, u32),
    observer: &mut dyn Observer,
) -> Result<RunStats, RunError> {
    run_following(job, options, Some((lane, observer)))
}

fn run_following(
    job: &Job,
    options: &RunOptions,
    observed: Option<((u32, u32), &mut dyn Observer)>,
) -> Result<RunStats, RunError> {
    job.check()?;
    let machine = Machine::new(job);
    let mut width = options.group_width.clamp(1, MAX_GROUP_WIDTH);
    if machine.prepared.uses_quads {
        width = width.next_multiple_of(QUAD);
    }
    let layout = Layout::new(job.domain, width);
    let threads = match options.threads {
        _ if observed.is_some() || job.program.info.write_mode == WriteMode::Umrt => 1,
        0 => std::thread::available_parallelism().map_or(1, |threads| threads.get()),
        threads => threads,
    };
    let threads = threads.min(layout.groups().try_into().unwrap_or(usize::MAX)).max(1);
    let watch = Watch::new(options);
    let run = Run {
        machine: &machine,
        options,
        watch: &watch,
        layout,
        width,
        threads,
        next_group: AtomicU64::new(0),
        outcome: Mutex::default(),
    };
    if threads == 1 {
        run.work(observed.map(|(lane, observer)| Follow::new(lane, observer)));
    } else {
        on_threads(threads, || run.work(None));
    }
    let outcome = run.outcome.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    match outcome.failure {
        Some((_, error)) => Err(error),
        None => Ok(RunStats { out_of_range: machine.out_of_range(), ..outcome.stats }),
    }
}

/// Runs one group of a run that is watched: these lanes, with these parts. Requests of conditional execution have been made
/// before; what it executes is not charged.
///
/// # Errors
/// As [`run`].
pub fn run_group(job: &Job, options: &RunOptions, watch: &Watch, places: &[Place]) -> Result<RunStats, RunError> {
    let machine = Machine::new(job);
    let mut stats = RunStats::default();
    Group::new(&machine, options, watch, places.len(), None).run(places, &mut stats)?;
    Ok(RunStats { out_of_range: machine.out_of_range(), ..stats })
}

/// What the workers of a run share.
struct Run<'a> {
    machine: &'a Machine<'a>,
    options: &'a RunOptions<'a>,
    watch: &'a Watch<'a>,
    layout: Layout,
    width: usize,
    threads: usize,
    /// The first group that no worker has taken.
    next_group: AtomicU64,
    outcome: Mutex<Outcome>,
}

#[derive(Default)]
struct Outcome {
    stats: RunStats,
    /// Pairs of the domain in finished bands.
    done: u64,
    /// The failure of the lowest group that failed.
    failure: Option<(u64, RunError)>,
}

impl<'a> Run<'a> {
    /// Takes bands of groups until none is left. Groups after a failed one need not run, those before it do.
    fn work(&self, follow: Option<Follow<'a>>) {
        let group = Group::new(self.machine, self.options, self.watch, self.width, follow);
        let mut worker = Worker { machine: self.machine, group };
        let groups = self.layout.groups();
        let fair = groups / (self.threads as u64 * BANDS_PER_THREAD);
        let band_groups = fair.clamp(1, (BAND_LANES / self.width as u64).max(1));
        loop {
            let first = self.next_group.fetch_add(band_groups, Relaxed);
            if first >= groups || self.has_failed_before(first) {
                return;
            }
            self.run_band(&mut worker, first..(first + band_groups).min(groups));
        }
    }

    fn run_band(&self, worker: &mut Worker, band: Range<u64>) {
        let mut stats = RunStats::default();
        let mut done = 0;
        let failure = self.run_groups(worker, band, &mut stats, &mut done).err();
        let mut outcome = self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        outcome.stats.merge(&stats);
        outcome.done += done;
        let done = outcome.done;
        if let Some((group, _)) = &failure
            && outcome.failure.as_ref().is_none_or(|(earlier, _)| group < earlier)
        {
            outcome.failure = failure;
        }
        drop(outcome);
        if let Some(progress) = self.options.progress {
            progress(done, self.machine.job.domain.lanes());
        }
    }

    /// Runs groups up to the first that fails, and says which that is.
    fn run_groups(
        &self,
        worker: &mut Worker,
        band: Range<u64>,
        stats: &mut RunStats,
        done: &mut u64,
    ) -> Result<(), (u64, RunError)> {
        let first = band.start;
        self.watch.look().map_err(|halt| (first, halt.into()))?;
        for group in band {
            let positions = self.layout.positions(group);
            *done += worker.run_group(self.machine.job.domain, positions, stats).map_err(|error| (group, error))?;
        }
        self.watch.charge(stats.instructions).map_err(|halt| (first, halt.into()))
    }

    fn has_failed_before(&self, group: u64) -> bool {
        let outcome = self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        outcome.failure.as_ref().is_some_and(|(failed, _)| *failed < group)
    }
}

/// One thread's part.
struct Worker<'a> {
    machine: &'a Machine<'a>,
    group: Group<'a>,
}

impl Worker<'_> {
    /// Runs one group and gives the number of its pairs that are in the domain.
    fn run_group(
        &mut self,
        domain: Domain,
        positions: impl Iterator<Item = (u32, u32)>,
        stats: &mut RunStats,
    ) -> Result<u64, RunError> {
        let mut covered = 0;
        let mut places: Vec<Place> = positions
            .map(|(i, j)| {
                let inside = domain.contains(i, j);
                covered += u64::from(inside);
                let role = if inside && self.machine.lets_run(i, j) { Role::Runs } else { Role::Uncovered };
                Place { i, j, role }
            })
            .collect();
        let incomplete =
            if self.machine.prepared.uses_quads { split_incomplete_quads(&mut places) } else { Vec::new() };
        for places in std::iter::once(&places[..]).chain(incomplete.iter().map(|quad| &quad[..])) {
            if places.iter().any(|place| place.role == Role::Runs) {
                self.group.run(places, stats)?;
            }
        }
        Ok(covered)
    }
}

/// Takes the quads out of a group in which some lanes run and some do not; the latter help there.
pub fn split_incomplete_quads(places: &mut [Place]) -> Vec<Vec<Place>> {
    let mut incomplete = Vec::new();
    for quad in places.chunks_exact_mut(QUAD) {
        let running = quad.iter().filter(|place| place.role == Role::Runs).count();
        if running == 0 || running == QUAD {
            continue;
        }
        let role = |place: &Place| if place.role == Role::Runs { Role::Runs } else { Role::Helps };
        incomplete.push(quad.iter().map(|place| Place { role: role(place), ..*place }).collect());
        quad.iter_mut().for_each(|place| place.role = Role::Uncovered);
    }
    incomplete
}
