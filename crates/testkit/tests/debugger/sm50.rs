//! Sessions over SM50 launches: all stages of draws, and grids of threads with global memory.

use crate::debugger::lane_trace::{LaneTrace, check, check_whole, each};
use ctm_debug::{Session, SessionError};
use ctm_lane::run::RunOptions;
use ctm_memory::Space;
use ctm_sm50::debug::{DebugError, LaunchCopy, listing, session};
use ctm_sm50::launch::{Environment, Invocations, LaunchReport, Mode, Shader, StageLaunch, StageRunner, Stop};
use ctm_sm50::reference::Reference;
use ctm_sm50::text;
use ctm_testkit::random::Random;
use ctm_testkit::sm50::grids;
use ctm_testkit::sm50::jobs::{DrawKind, draft};
use std::sync::{Mutex, PoisonError};

/// A launch as it is before it runs, and the way of one of its invocations.
struct Seen {
    copy: LaunchCopy,
    invocation: u32,
    way: LaneTrace,
}

/// Runs launches by the reference, with a copy of each and the way of one of its invocations.
struct Watching<'s> {
    programs: &'s [Shader<'s>],
    seen: Mutex<(Random, Vec<Seen>)>,
}

impl StageRunner for Watching<'_> {
    fn run(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (random, launches) = &mut *seen;
        let program = self.programs.iter().position(|shader| shader.stage() == launch.shader.stage());
        let program = program.expect("a program of the draw") as u8;
        let copy = LaunchCopy::of(launch, program).expect("memory");
        let invocation = random.below(launch.invocations.count.max(1) as usize) as u32;
        let mut way = LaneTrace::default();
        let ran = Reference.run_observed(launch, options, invocation, &mut way);
        way.steps.iter_mut().for_each(|(place, _)| place.at.program = program);
        launches.push(Seen { copy, invocation, way });
        ran
    }
}

/// The steps of a session over the launches of a draw, if it has launches.
fn of_draw(kind: DrawKind, random: &mut Random) -> Option<u64> {
    let (draft, _) = draft(kind, Random::new(random.bits().into()));
    let shaders: Vec<Shader> = draft.programs.iter().map(Shader::from).collect();
    let seen = Mutex::new((Random::new(random.bits().into()), Vec::new()));
    let watching = Watching { programs: &shaders, seen };
    // What stops a draw is in its last launch.
    let _ = draft.run(&watching);
    let (_, launches) = watching.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    let chosen = random.below(launches.len().max(1));
    let Seen { invocation, way, .. } = launches.get(chosen).filter(|seen| !seen.way.start.is_empty())?;
    let options = RunOptions { step_limit: draft.step_limit, ..ctm_testkit::untimed() };
    let copies = launches.iter().map(|seen| seen.copy.clone()).collect();
    let lane = (*invocation, chosen as u32);
    let session = session(copies, None, Vec::new(), &options, listing(&shaders), lane);
    let mut session = session.unwrap_or_else(|error| panic!("{error}"));
    Some(check(&mut session, Some(way), random))
}

/// The steps of a session over a grid.
fn of_grid(random: &mut Random) -> u64 {
    let (grid, code, memory) = (grids::grid(random), grids::kernel(random), grids::memory(random));
    let program = text::parse(&code).unwrap_or_else(|errors| panic!("{code}\n{errors:?}")).program;
    let mode = random.pick(&[Mode::Strict, Mode::Lenient]);
    let environment = Environment { memory: Some(&memory), mode, ..Environment::default() };
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let shader = Shader::from(&program);
    let launch =
        StageLaunch { grid: Some(grid), ..StageLaunch::new(shader, &environment, &invocations, Default::default()) };
    let options = RunOptions { step_limit: 4000, ..ctm_testkit::untimed() };
    let open = |memory: &Space, thread| -> Result<Session, DebugError> {
        session(vec![LaunchCopy::of(&launch, 0)?], Some(memory), Vec::new(), &options, listing(&[shader]), (thread, 0))
    };
    let thread = random.below(grid.threads() as usize) as u32;
    let (thread, session) = match open(&memory, thread) {
        // A warp before the thread's traps.
        Err(DebugError::Session(SessionError::Before { .. })) => (0, open(&memory, 0)),
        session => (thread, session),
    };
    let mut session = session.unwrap_or_else(|error| panic!("{error}\n{code}"));
    let mut way = LaneTrace::default();
    let run = Reference.run_observed(&launch, &options, grid.invocation_of(thread), &mut way);
    let steps = check(&mut session, Some(&way), random);
    if run.is_ok() {
        check_whole(&mut session, &memory);
    }
    steps
}

#[test]
fn sessions_over_sm50() {
    each("SM50", 120, |seed| {
        let random = &mut Random::new(3_000_000 + seed);
        // Of six programs one is of each kind of draw, and one of a grid.
        match DrawKind::ALL.get(seed as usize % (DrawKind::ALL.len() + 1)) {
            Some(&kind) => of_draw(kind, random),
            None => Some(of_grid(random)),
        }
    });
}
