//! Programs in their exact form: group by group, as the reference runs them.

use super::bind;
use crate::lift::{self, Lifted, LiftedForm, NotLifted, Specialisation};
use crate::reference::{Lane, LaneKind, run_group, split_incomplete_quads};
use crate::{CondLocation, ConditionalUnit, Job, MAX_GROUP_WIDTH, RunError, RunOptions, RunStats, WriteMode};
use ctm_engine::interp::{Code, Group, Program};
use ctm_engine::schedule::Schedule;
use ctm_engine::{Stop, Workers};
use ctm_follow::InstructionPlace;
use ctm_lane::budget::{Halt, Meter};
use ctm_lane::domain::{Layout, QUAD};
use ctm_lane::effort::Effort;
use ctm_lane::simplify_within;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Steps after which a group may be in an infinite loop, which the reference recognises.
const EXACT_STEP_LIMIT: u64 = 1 << 20;

/// The form that follows the group.
pub(super) struct ExactForm {
    lifted: Lifted,
    code: Code,
    workers: Workers,
}

impl ExactForm {
    /// The form of a program, unless that is too large.
    pub fn new(
        program: &crate::Program,
        specialisation: &Specialisation,
        workers: &Workers,
        effort: &Effort,
    ) -> Result<Self, NotLifted> {
        let mut lifted = lift::lift_within(program, specialisation, LiftedForm::Exact, effort)?;
        simplify_within(&mut lifted.function, effort);
        Ok(ExactForm { code: Code::new(&lifted.function), lifted, workers: workers.clone() })
    }

    /// Runs the job.
    pub fn run(&self, job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
        let uses_quads = self.lifted.uses_quads;
        let width = group_width(options, uses_quads);
        let layout = Layout::new(job.domain, width);
        let conditional = ConditionalUnit::new(&job.conditional, job.memory);
        let groups = |number: u64| {
            let mut covered = 0;
            let lane = |(i, j)| {
                let inside = job.domain.contains(i, j);
                covered += u64::from(inside);
                let runs = inside && conditional.request(CondLocation::Pe, i, j, job.conditional.pe_value);
                Lane { i, j, kind: if runs { LaneKind::Runs } else { LaneKind::Uncovered } }
            };
            let mut lanes: Vec<Lane> = layout.positions(number).map(lane).collect();
            let incomplete = if uses_quads { split_incomplete_quads(&mut lanes) } else { Vec::new() };
            (covered, std::iter::once(lanes).chain(incomplete))
        };
        let stats = self.run_groups(job, options, width, layout.groups(), groups)?;
        Ok(RunStats { out_of_range: stats.out_of_range | conditional.out_of_range(), ..stats })
    }

    /// Runs these quads of the job, each one as a group.
    pub fn run_quads(&self, quads: &[[Lane; QUAD]], job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
        let groups = |number: u64| {
            let quad = quads[number as usize].to_vec();
            (quad.iter().filter(|lane| lane.kind == LaneKind::Runs).count() as u64, std::iter::once(quad))
        };
        self.run_groups(job, options, QUAD, quads.len() as u64, groups)
    }

    /// Runs so many sets of groups of at most `width` lanes; `groups` gives each, and how many lanes of the domain it has.
    fn run_groups<I: Iterator<Item = Vec<Lane>>>(
        &self,
        job: &Job,
        options: &RunOptions,
        width: usize,
        sets: u64,
        groups: impl Fn(u64) -> (u64, I) + Sync,
    ) -> Result<RunStats, RunError> {
        let bindings = bind(job, &self.lifted);
        let program = Program::new(&self.code, &bindings);
        let umrt = job.program.info.write_mode == WriteMode::Umrt;
        let threads = self.workers.threads(options.threads, sets);
        let schedule = Schedule::<RunError>::new(options, job.domain.lanes());
        let unmapped = AtomicBool::new(false);
        schedule.meter.reserve(Group::bytes(&program, width + QUAD) * threads as u64)?;
        let stats = schedule.work(&self.workers, threads, (sets, width as u64), || {
            // The program writes nothing before a group ends, so a group that takes long can be run again.
            let step_limit = if umrt { options.step_limit } else { options.step_limit.min(EXACT_STEP_LIMIT) };
            let mut worker = None;
            let (groups, unmapped, program, meter) = (&groups, &unmapped, &program, &schedule.meter);
            move |numbers: Range<u64>, stats: &mut RunStats| {
                let group = |width| -> Result<Group, Halt> {
                    Ok(Group::new(program, width, step_limit, meter)?
                        .with_counts(options.counts, &InstructionPlace::from))
                };
                let worker = match &mut worker {
                    Some(worker) => worker,
                    none => none.insert(Worker {
                        job,
                        options,
                        meter,
                        step_limit,
                        group: group(width)?,
                        quad: if self.lifted.uses_quads { Some(group(QUAD)?) } else { None },
                    }),
                };
                let mut done = 0;
                for number in numbers {
                    let (lanes, groups) = groups(number);
                    done += lanes;
                    for lanes in groups.filter(|lanes| lanes.iter().any(|lane| lane.kind == LaneKind::Runs)) {
                        worker.run(&lanes, stats)?;
                        unmapped.fetch_or(stats.out_of_range, Relaxed);
                    }
                }
                Ok(done)
            }
        })?;
        Ok(RunStats { out_of_range: bindings.out_of_range() | unmapped.load(Relaxed), ..stats })
    }
}

/// The width of the groups of a run.
pub(super) fn group_width(options: &RunOptions, uses_quads: bool) -> usize {
    let width = options.group_width.clamp(1, MAX_GROUP_WIDTH);
    if uses_quads { width.next_multiple_of(QUAD) } else { width }
}

/// One thread's part of a run.
struct Worker<'a> {
    job: &'a Job<'a>,
    options: &'a RunOptions<'a>,
    meter: &'a Meter<'a>,
    step_limit: u64,
    group: Group<'a>,
    /// For quads with lanes that help.
    quad: Option<Group<'a>>,
}

impl Worker<'_> {
    fn run(&mut self, lanes: &[Lane], stats: &mut RunStats) -> Result<(), RunError> {
        let helps = lanes.iter().any(|lane| lane.kind == LaneKind::Helper);
        let group = match &mut self.quad {
            Some(quad) if helps => quad,
            _ => &mut self.group,
        };
        let mut runs = lanes.iter().map(|lane| lane.kind == LaneKind::Runs);
        group.set_positions(lanes.iter().map(|lane| (lane.i, lane.j)), |_, _| runs.next() == Some(true));
        group.instructions = 0;
        match group.run() {
            Ok(()) => {
                stats.instructions += group.instructions;
                stats.lanes += lanes.iter().filter(|lane| lane.kind == LaneKind::Runs).count() as u64;
                stats.groups += 1;
                Ok(())
            }
            // The reference knows infinite loops, and which lanes are live.
            Err(Stop::StepLimit { .. }) if self.job.program.info.write_mode == WriteMode::Cached => {
                debug_assert!(self.step_limit <= self.options.step_limit);
                stats.merge(&run_group(self.job, self.options, self.meter, lanes)?);
                Ok(())
            }
            Err(stop) => Err(stop.into()),
        }
    }
}
