//! Cuts a domain into groups, and runs them on threads.

use super::group::{BoundJob, Group, Lane, LaneKind};
use crate::job::{Domain, Job, MAX_GROUP_WIDTH, RunError, RunOptions, RunStats};
use ctm_engine::schedule::Schedule;
use ctm_engine::{Workers, in_order};
use ctm_follow::{Follow, FollowedLanes, Observer};
use ctm_lane::budget::Meter;
use ctm_lane::domain::{Layout, QUAD};
use std::ops::Range;

/// Runs the job.
///
/// Memory and results are the same for every group width and thread count: where lanes meet in memory, the job [keeps an order](in_order).
///
/// # Errors
///
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
    run_following(job, options, Some((lane.into(), observer)))
}

fn run_following(
    job: &Job,
    options: &RunOptions,
    observed: Option<(FollowedLanes, &mut dyn Observer)>,
) -> Result<RunStats, RunError> {
    job.check()?;
    let options = &in_order(job, options);
    let machine = BoundJob::new(job);
    let width = width(&machine, options);
    let layout = Layout::new(job.domain, width);
    let workers = Workers::default();
    let threads = if observed.is_some() { 1 } else { workers.threads(options.threads, layout.groups()) };
    let schedule = Schedule::<RunError>::new(options, job.domain.lanes());
    let worker = |follow| {
        let group = Group::new(&machine, options, &schedule.meter, width, follow);
        let mut worker = Worker { machine: &machine, group };
        let layout = &layout;
        move |mut groups: Range<u64>, stats: &mut RunStats| {
            groups.try_fold(0, |lanes, group| Ok(lanes + worker.run_group(job.domain, layout.positions(group), stats)?))
        }
    };
    let stats = match observed {
        Some((lane, observer)) => schedule.work_here(layout.groups(), worker(Some(Follow::new(lane, observer)))),
        None => schedule.work(&workers, threads, (layout.groups(), width as u64), || worker(None)),
    }?;
    Ok(RunStats { out_of_range: machine.out_of_range(), ..stats })
}

/// Lanes of a group.
pub(super) fn width(machine: &BoundJob, options: &RunOptions) -> usize {
    let width = options.group_width.clamp(1, MAX_GROUP_WIDTH);
    if machine.prepared.uses_quads { width.next_multiple_of(QUAD) } else { width }
}

/// Runs one group of a run that is watched: these lanes, with these parts. Requests of conditional execution have been made
/// before; what it executes is not charged.
///
/// # Errors
/// As [`run`].
pub fn run_group(job: &Job, options: &RunOptions, meter: &Meter, lanes: &[Lane]) -> Result<RunStats, RunError> {
    let machine = BoundJob::new(job);
    let mut stats = RunStats::default();
    Group::new(&machine, options, meter, lanes.len(), None).run(lanes, &mut stats)?;
    Ok(RunStats { out_of_range: machine.out_of_range(), ..stats })
}

/// One thread's part.
struct Worker<'a> {
    machine: &'a BoundJob<'a>,
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
        let (parts, covered) = parts(self.machine, domain, positions);
        for lanes in &parts {
            self.group.run(lanes, stats)?;
        }
        Ok(covered)
    }
}

/// The lanes at these positions, in the parts that run one after the other, and how many of them are in the domain. Makes the requests of
/// conditional execution.
pub(super) fn parts(
    machine: &BoundJob,
    domain: Domain,
    positions: impl Iterator<Item = (u32, u32)>,
) -> (Vec<Vec<Lane>>, u64) {
    let mut covered = 0;
    let mut lanes: Vec<Lane> = positions
        .map(|(i, j)| {
            let inside = domain.contains(i, j);
            covered += u64::from(inside);
            let kind = if inside && machine.lets_run(i, j) { LaneKind::Runs } else { LaneKind::Uncovered };
            Lane { i, j, kind }
        })
        .collect();
    let incomplete = if machine.prepared.uses_quads { split_incomplete_quads(&mut lanes) } else { Vec::new() };
    let runs = |part: &Vec<Lane>| part.iter().any(|lane| lane.kind == LaneKind::Runs);
    (std::iter::once(lanes).chain(incomplete).filter(runs).collect(), covered)
}

/// Takes the quads out of a group in which some lanes run and some do not; the latter help there.
pub fn split_incomplete_quads(lanes: &mut [Lane]) -> Vec<Vec<Lane>> {
    let mut incomplete = Vec::new();
    for quad in lanes.chunks_exact_mut(QUAD) {
        let running = quad.iter().filter(|lane| lane.kind == LaneKind::Runs).count();
        if running == 0 || running == QUAD {
            continue;
        }
        let kind = |lane: &Lane| if lane.kind == LaneKind::Runs { LaneKind::Runs } else { LaneKind::Helper };
        incomplete.push(quad.iter().map(|lane| Lane { kind: kind(lane), ..*lane }).collect());
        quad.iter_mut().for_each(|lane| lane.kind = LaneKind::Uncovered);
    }
    incomplete
}
