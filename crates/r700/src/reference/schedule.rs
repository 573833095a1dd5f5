//! Cuts a job into wavefronts, and runs them on threads.

use super::machine::Machine;
use super::wavefront::{self, Clauses, Lane};
use crate::job::{Job, RunError};
use ctm_follow::{Follow, Observer};
use ctm_lane::budget::Watch;
use ctm_lane::domain::{Layout, QUAD};
use ctm_lane::run::{MAX_GROUP_WIDTH, RunOptions, RunStats, on_threads};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Runs the job, in groups of whole quads.
///
/// Memory and results are the same for every group width and thread count, as long as no lane reads what another one of
/// the same run writes, no two lanes write the same place, and jumps skip only what no waiting pixel needs.
///
/// # Errors
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
    run_following(job, options, Some(Follow::new(lane, observer)))
}

fn run_following(job: &Job, options: &RunOptions, follow: Option<Follow>) -> Result<RunStats, RunError> {
    job.check()?;
    let machine = Machine::new(job);
    let width = options.group_width.clamp(1, MAX_GROUP_WIDTH).next_multiple_of(QUAD);
    let layout = Layout::new(job.lanes, width);
    let threads = match options.threads {
        _ if follow.is_some() => 1,
        0 => std::thread::available_parallelism().map_or(1, |threads| threads.get()),
        threads => threads,
    };
    let threads = threads.min(layout.groups().try_into().unwrap_or(usize::MAX)).max(1);
    let watch = Watch::new(options);
    watch.reserve(u64::from(job.memories.scratch_elements) * 16 * (width * threads) as u64)?;
    let run = Run {
        machine: &machine,
        options,
        watch: &watch,
        layout,
        next_group: AtomicU64::new(0),
        outcome: Mutex::default(),
    };
    if threads == 1 {
        run.work(follow);
    } else {
        on_threads(threads, || run.work(None));
    }
    let outcome = run.outcome.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    match outcome.failure {
        Some((_, error)) => Err(error),
        None => Ok(RunStats { out_of_range: machine.out_of_range(), ..outcome.stats }),
    }
}

/// What the workers of a run share.
struct Run<'a> {
    machine: &'a Machine<'a>,
    options: &'a RunOptions<'a>,
    watch: &'a Watch<'a>,
    layout: Layout,
    /// The first group that no worker has taken.
    next_group: AtomicU64,
    outcome: Mutex<Outcome>,
}

#[derive(Default)]
struct Outcome {
    stats: RunStats,
    /// The failure of the lowest group that failed.
    failure: Option<(u64, RunError)>,
}

impl Run<'_> {
    /// Takes groups until none is left. Groups after a failed one need not run, those before it do.
    fn work(&self, mut follow: Option<Follow>) {
        let mut clauses = Clauses::default();
        loop {
            let group = self.next_group.fetch_add(1, Relaxed);
            if group >= self.layout.groups() || self.has_failed_before(group) {
                return;
            }
            let lanes = self.machine.job.lanes;
            let places = self.layout.positions(group);
            let places: Vec<Lane> = places.map(|(i, j)| Lane { i, j, covered: lanes.contains(i, j) }).collect();
            let mut stats = RunStats::default();
            let run = || {
                self.watch.look()?;
                if places.iter().any(|lane| lane.covered) {
                    let Run { machine, options, watch, .. } = *self;
                    wavefront::run(machine, options, watch, &mut clauses, &mut follow, places, &mut stats)?;
                }
                Ok(self.watch.charge(stats.instructions)?)
            };
            let result = run();
            self.finish(group, &stats, result);
        }
    }

    fn finish(&self, group: u64, stats: &RunStats, result: Result<(), RunError>) {
        let mut outcome = self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        outcome.stats.merge(stats);
        if let Err(error) = result
            && outcome.failure.as_ref().is_none_or(|(earlier, _)| group < *earlier)
        {
            outcome.failure = Some((group, error));
        }
        let done = outcome.stats.lanes;
        drop(outcome);
        if let Some(progress) = self.options.progress {
            progress(done, self.machine.job.lanes.count());
        }
    }

    fn has_failed_before(&self, group: u64) -> bool {
        let outcome = self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        outcome.failure.as_ref().is_some_and(|(failed, _)| *failed < group)
    }
}
