//! Sessions over R700 jobs of all kinds.

use crate::debugger::lane_trace::{LaneTrace, bytes, check, check_whole, each};
use ctm_debug::SessionError;
use ctm_lane::domain::{AXIS, Lanes};
use ctm_lane::run::RunOptions;
use ctm_r700::debug::{self, DebugError};
use ctm_r700::{Job, reference};
use ctm_testkit::r700::environment::Memory;
use ctm_testkit::r700::jobs::{ProgramKind, with_job};
use ctm_testkit::random::Random;

/// The steps of a session over a job, if there is one.
fn session(job: &Job, options: &RunOptions, random: &mut Random) -> Option<u64> {
    let lanes: Vec<(u32, u32)> = match job.lanes {
        Lanes::Area(domain) => {
            (domain.j0..=domain.j1).flat_map(|j| (domain.i0..=domain.i1).map(move |i| (i, j))).collect()
        }
        Lanes::Line(count) => (0..count).map(|n| (n % AXIS, n / AXIS)).collect(),
    };
    let before = bytes(job.memory);
    let open = |lane| debug::session(job, options, debug::listing(job.program, job.fetch_program), lane);
    let lane = lanes[random.below(lanes.len())];
    let (lane, session) = match open(lane) {
        // A group before the lane's traps.
        Err(DebugError::Session(SessionError::Before { .. })) => (lanes[0], open(lanes[0])),
        session => (lane, session),
    };
    let mut session = match session {
        // What was changed in a program may no longer fit.
        Err(DebugError::State(_)) => return None,
        session => session.unwrap_or_else(|error| panic!("{error}")),
    };
    assert!(bytes(job.memory) == before, "a session has memory of its own");
    let mut way = LaneTrace::default();
    let run = reference::run_observed(job, options, lane, &mut way);
    if way.start.is_empty() || session.lane_number(lane).is_none() {
        return None;
    }
    let steps = check(&mut session, Some(&way), random);
    if run.is_ok() {
        check_whole(&mut session, job.memory);
    }
    Some(steps)
}

#[test]
fn sessions_over_r700() {
    let mut memory = Memory::new();
    each("R700", 140, |seed| {
        let kind = ProgramKind::ALL[seed as usize % ProgramKind::ALL.len()];
        let random = Random::new(2_000_000 + seed);
        with_job(kind, random, &mut memory, |job, _, options| {
            session(job, &options[seed as usize % 2], &mut Random::new(seed))
        })
    });
}
