//! Cuts a job into wavefronts, and runs them on threads.

use super::machine::BoundJob;
use super::wavefront::{self, Clauses, Lane};
use crate::job::{Job, RunError};
use ctm_engine::schedule::Schedule;
use ctm_engine::{Workers, in_order};
use ctm_follow::{Follow, FollowedLanes, Observer};
use ctm_lane::domain::{Layout, QUAD};
use ctm_lane::run::{MAX_GROUP_WIDTH, RunOptions, RunStats};
use std::ops::Range;

/// Runs the job, in groups of whole quads.
///
/// Memory and results are the same for every group width and thread count, as long as jumps skip only what no waiting pixel needs: where
/// lanes meet in memory, the job [keeps an order](in_order).
///
/// # Errors
/// [`RunError::State`] if the environment does not fit the program (nothing has run then), [`RunError::Trap`] with the
/// trap of the lowest group that trapped, [`RunError::Halted`] if the run was cancelled or its budget was used up.
pub fn run(job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
    run_following(job, options, None)
}

/// As [`run`], on one thread, and reports to an observer what a lane goes through: one at a column and row, or one of each group.
///
/// # Errors
/// As [`run`].
pub fn run_observed(
    job: &Job,
    options: &RunOptions,
    lane: impl Into<FollowedLanes>,
    observer: &mut dyn Observer,
) -> Result<RunStats, RunError> {
    run_following(job, options, Some(Follow::new(lane.into(), observer)))
}

/// Lanes of a group.
fn width(options: &RunOptions) -> usize {
    options.group_width.clamp(1, MAX_GROUP_WIDTH).next_multiple_of(QUAD)
}

/// The groups of a job.
pub(super) fn layout(job: &Job, options: &RunOptions) -> Layout {
    Layout::new(job.lanes, width(options))
}

/// The lanes of a group.
pub(super) fn lanes_of(job: &Job, layout: &Layout, group: u64) -> Vec<Lane> {
    layout.positions(group).map(|(i, j)| Lane { i, j, covered: job.lanes.contains(i, j) }).collect()
}

fn run_following(job: &Job, options: &RunOptions, follow: Option<Follow>) -> Result<RunStats, RunError> {
    job.check()?;
    let options = &in_order(job, options);
    let machine = BoundJob::new(job);
    let layout = layout(job, options);
    let is_observed = follow.is_some();
    let workers = Workers::default();
    let threads = if is_observed { 1 } else { workers.threads(options.threads, layout.groups()) };
    let schedule = Schedule::<RunError>::new(options, job.lanes.count());
    schedule.meter.reserve(u64::from(job.memories.scratch_elements) * 16 * (width(options) * threads) as u64)?;
    let worker = |mut follow| {
        let mut clauses = Clauses::default();
        let (machine, layout, meter) = (&machine, &layout, &schedule.meter);
        move |mut groups: Range<u64>, stats: &mut RunStats| {
            groups.try_fold(0, |done, group| {
                let lanes = lanes_of(job, layout, group);
                let covered = lanes.iter().filter(|lane| lane.covered).count() as u64;
                if covered > 0 {
                    wavefront::run(machine, options, meter, &mut clauses, &mut follow, lanes, stats)?;
                }
                Ok(done + covered)
            })
        }
    };
    let stats = match is_observed {
        true => schedule.work_here(layout.groups(), worker(follow)),
        false => schedule.work(&workers, threads, (layout.groups(), width(options) as u64), || worker(None)),
    }?;
    Ok(RunStats { out_of_range: machine.out_of_range(), ..stats })
}
