//! Programs that use more than their run may: every engine ends them soon, and with the same error.

use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_lane::budget::{Budget, Halt};
use ctm_lane::domain::Domain;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_memory::{Arena, Format, Space, Surface, Tiling};
use ctm_r700::LoopConstant;
use ctm_sm50::launch::{Environment, Grid, Invocations, Shader, StageLaunch, StageRunner as _, Stop};
use ctm_sm50::pipeline::{Capture, Draw, DrawError};
use ctm_sm50::reference::Reference;
use ctm_x1k::IntConstant;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

const BASE: u32 = 0x1000_0000;
/// When runs have to end, and when they have ended even on machines that do much else: these programs go on for minutes.
const SOON: Duration = Duration::from_millis(100);
const LATE: Duration = Duration::from_secs(20);

/// Why a run did not complete.
#[derive(Debug, PartialEq)]
enum Ended {
    Halted(Halt),
    Otherwise(String),
}

impl From<ctm_x1k::RunError> for Ended {
    fn from(error: ctm_x1k::RunError) -> Self {
        match error {
            ctm_x1k::RunError::Halted(halt) => Ended::Halted(halt),
            error => Ended::Otherwise(error.to_string()),
        }
    }
}

impl From<ctm_r700::RunError> for Ended {
    fn from(error: ctm_r700::RunError) -> Self {
        match error {
            ctm_r700::RunError::Halted(halt) => Ended::Halted(halt),
            error => Ended::Otherwise(error.to_string()),
        }
    }
}

impl From<DrawError> for Ended {
    fn from(error: DrawError) -> Self {
        match error {
            DrawError::Stop(Stop::Halted(halt)) => Ended::Halted(halt),
            error => Ended::Otherwise(error.to_string()),
        }
    }
}

type Run = fn(EngineName, bool, &RunOptions) -> Result<RunStats, Ended>;

/// What is run: for a short time, or nearly for ever.
const RUNS: [(&str, Run); 5] =
    [("X1K", x1k), ("X1K in lockstep", x1k_lockstep), ("X1K with quads", x1k_quads), ("R700", r700), ("SM50", sm50)];

fn space() -> Space {
    let mut space = Space::default();
    space.map(Arena::new(BASE, 0x100_0000).unwrap()).unwrap();
    space
}

/// Many lanes for a long time, few for a short one.
fn square(is_long: bool) -> Domain {
    let side = if is_long { 256 } else { 42 };
    Domain::of_size(side, side).unwrap()
}

/// Three loops in each other: 255 to the power of 3 passes, or 27.
fn x1k_loops(
    name: EngineName,
    is_long: bool,
    options: &RunOptions,
    (body, end, domain): (&str, &str, Domain),
    is_compiled: bool,
) -> Result<RunStats, Ended> {
    let text = format!(
        ".flow full
        REP i[0]; REP i[1]; REP i[2]; {body} ENDREP; ENDREP; ENDREP; {end}"
    );
    let program = ctm_x1k::text::parse(&text).unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    let space = space();
    let mut job = ctm_x1k::Job::new(&program, domain, &space);
    let (tiling, format) = (Tiling::Linear, Format::Float32_1);
    job.outputs[0] = Some(Surface { base: BASE, pitch: 256, height: 256, tiling, superfine: false, format });
    let count = if is_long { 255 } else { 3 };
    (0..3).for_each(|n| job.constants.ints[n] = IntConstant { count, init: 0, step: 1 });
    let executor = name.executor().unwrap();
    if let Executor::Engine(engine) = &executor {
        let has_code = name == EngineName::JitAvx2 || name == EngineName::JitAvx512;
        assert_eq!(engine.compiles(&job, options).is_ok(), is_compiled && has_code);
    }
    Ok(executor.run(&job, options)?)
}

const OUT: &str = "OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAX src0.rgb src0.rgb ;";
const ADD: &str = "src0.rgb = temp[1] : temp[1].r = MAD src0.r__ src0.1__ src0.1__ ;";

fn x1k(name: EngineName, is_long: bool, options: &RunOptions) -> Result<RunStats, Ended> {
    x1k_loops(name, is_long, options, (ADD, OUT, square(is_long)), true)
}

/// Immediate writes are executed group by group.
fn x1k_lockstep(name: EngineName, is_long: bool, options: &RunOptions) -> Result<RunStats, Ended> {
    let body =
        format!("{ADD} OUT : umrt[same_idx].rgb = MAX src0.000 src0.000, umrt[same_idx].a = MAX src0.0 src0.0 ;");
    x1k_loops(name, is_long, options, (&body, "OUT TEX_SEM_WAIT : ;", square(is_long)), false)
}

/// A domain that cuts quads is run in two parts.
fn x1k_quads(name: EngineName, is_long: bool, options: &RunOptions) -> Result<RunStats, Ended> {
    let body = format!("{ADD} src0.rgb = temp[1] : temp[1].g = MDH src0.rrr -src0.111 src0.rrr ;");
    x1k_loops(name, is_long, options, (&body, OUT, Domain { i0: 1, j0: 1, ..square(is_long) }), true)
}

fn r700(name: EngineName, is_long: bool, options: &RunOptions) -> Result<RunStats, Ended> {
    let text = "
.gprs 2
.stack 1
LOOP_START CF_CONST(0) FAIL_JUMP_ADDR(done)
again:
ALU:
  x: ADD R1.x, R1.x, 1.0f
JUMP ADDR(on)
on:
LOOP_END CF_CONST(0) PASS_JUMP_ADDR(again)
done:
EXP_DONE: PIX0, R1.xxxx
END_OF_PROGRAM
";
    let endless = text.replace("LOOP_START CF_CONST(0)", "LOOP_START_DX10").replace("LOOP_END CF_CONST(0)", "LOOP_END");
    let text = if is_long { &endless } else { text };
    let program = ctm_r700::text::parse(text).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    let space = space();
    let mut job = ctm_r700::Job::new(&program, square(is_long), &space);
    let (tiling, format) = (Tiling::Linear, Format::Float32_4);
    job.targets.colours[0] = Some(Surface { base: BASE, pitch: 256, height: 256, tiling, superfine: false, format });
    job.loops[0] = LoopConstant { count: 20, init: 0, step: 1 };
    let executor = name.executor().unwrap();
    if let Executor::Engine(engine) = &executor {
        let has_code = name == EngineName::JitAvx2 || name == EngineName::JitAvx512;
        assert_eq!(engine.compiles(&job, &RunOptions::default()).is_ok(), has_code);
    }
    Ok(executor.run(&job, options)?)
}

/// A draw of several launches.
fn sm50(name: EngineName, is_long: bool, options: &RunOptions) -> Result<RunStats, Ended> {
    // Steps of 2 never come to 1.
    let end = if is_long { 1 } else { 20 };
    let text = format!(
        ".stage vertex
.omap 0x70
MOV R0, RZ;
again:
IADD32I R0, R0, 2;
ISETP.NE.U32.AND P0, PT, R0, {end}, PT;
@P0 BRA again;
AST a[0x70], R0;
EXIT;"
    );
    draw(name, &text, options, if is_long { 100_000 } else { 600 })
}

fn draw(name: EngineName, text: &str, options: &RunOptions, vertices: u32) -> Result<RunStats, Ended> {
    let program = ctm_sm50::text::parse(text).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    let capture = [Capture { address: 0x70, words: 1 }];
    let draw = Draw { capture: &capture, instances: 3, ..Draw::new(Shader::from(&program), vertices) };
    let executor = name.executor().unwrap();
    Ok(draw.run(&executor, options)?.report.stats)
}

/// Runs everything that is nearly infinite on every engine; it has to end as `expected` says.
fn end_all(options: impl Fn() -> RunOptions<'static>, expected: impl Fn(Halt) -> bool) {
    for engine in EngineName::available() {
        for (what, run) in RUNS {
            for threads in [1, 2] {
                let start = Instant::now();
                let result = run(engine, true, &RunOptions { step_limit: u64::MAX, threads, ..options() });
                let elapsed = start.elapsed();
                let Err(Ended::Halted(halt)) = result else { panic!("{engine:?}, {what}: {result:?}") };
                assert!(expected(halt), "{engine:?}, {what}: {halt}");
                assert!(elapsed < LATE, "{engine:?}, {what}: {elapsed:?}");
                println!("{:10} {what:16} {threads} threads: {:?} late", engine.name(), elapsed.saturating_sub(SOON));
            }
        }
    }
}

fn with(budget: Budget) -> RunOptions<'static> {
    RunOptions { budget, ..RunOptions::default() }
}

#[test]
fn runs_end_at_their_deadline() {
    let budget = || Budget { deadline: Some(Instant::now() + SOON), group_time: None, ..Budget::default() };
    end_all(|| with(budget()), |halt| halt == Halt::Deadline);
}

#[test]
fn groups_that_take_too_long_end_the_run() {
    let budget = Budget { group_time: Some(SOON), ..Budget::default() };
    let is_right = |halt| matches!(halt, Halt::GroupTime { limit, x, y } if limit == SOON && x < 65536 && y < 256);
    for engine in EngineName::available() {
        for (what, run) in [("R700", r700 as Run), ("SM50", sm50)] {
            let start = Instant::now();
            let result = run(engine, true, &RunOptions { step_limit: u64::MAX, ..with(budget) });
            let Err(Ended::Halted(halt)) = result else { panic!("{engine:?}, {what}: {result:?}") };
            assert!(is_right(halt), "{engine:?}, {what}: {halt}");
            assert!(start.elapsed() < LATE, "{engine:?}, {what}: {:?}", start.elapsed());
        }
    }
}

#[test]
fn runs_are_cancelled_in_the_middle_of_a_group() {
    for engine in EngineName::available() {
        for (what, run) in RUNS {
            let cancel = AtomicBool::new(false);
            let (result, late) = std::thread::scope(|scope| {
                let raise = scope.spawn(|| {
                    std::thread::sleep(SOON);
                    cancel.store(true, Relaxed);
                    Instant::now()
                });
                let options = RunOptions { cancel: Some(&cancel), step_limit: u64::MAX, ..RunOptions::default() };
                let result = run(engine, true, &options);
                (result, raise.join().unwrap().elapsed())
            });
            assert_eq!(result, Err(Ended::Halted(Halt::Cancelled)), "{engine:?}, {what}");
            assert!(late < LATE, "{engine:?}, {what}: {late:?}");
        }
    }
}

#[test]
fn the_instruction_budget_is_exact_everywhere() {
    for (what, run) in RUNS {
        let expected = run(EngineName::Reference, false, &RunOptions::default()).unwrap();
        for engine in EngineName::available() {
            for threads in [1, 2, 3] {
                let limited = |instructions| {
                    let budget = Budget { instructions, ..Budget::default() };
                    run(engine, false, &RunOptions { threads, ..with(budget) })
                };
                let instructions = expected.instructions;
                assert_eq!(limited(instructions), Ok(expected), "{engine:?}, {what}");
                for fewer in [instructions - 1, instructions / 2, 0] {
                    let halted = Err(Ended::Halted(Halt::Instructions));
                    assert_eq!(limited(fewer), halted, "{engine:?}, {what}, {fewer} of {instructions}");
                }
            }
        }
    }
}

#[test]
fn endless_groups_meet_the_instruction_budget() {
    let budget = Budget { instructions: 1 << 20, group_time: None, ..Budget::default() };
    for engine in EngineName::available() {
        for (what, run) in RUNS {
            let start = Instant::now();
            let result = run(engine, true, &RunOptions { step_limit: u64::MAX, ..with(budget) });
            assert_eq!(result, Err(Ended::Halted(Halt::Instructions)), "{engine:?}, {what}");
            println!("{:10} {what:16} {:?}", engine.name(), start.elapsed());
        }
    }
}

#[test]
fn four_loops_in_each_other_end_by_default() {
    let text = format!(
        ".flow full
        REP i[0]; REP i[1]; REP i[2]; REP i[3]; {ADD} ENDREP; ENDREP; ENDREP; ENDREP; {OUT}"
    );
    let program = ctm_x1k::text::parse(&text).unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    let space = space();
    let mut job = ctm_x1k::Job::new(&program, Domain::of_size(64, 64).unwrap(), &space);
    let (tiling, format) = (Tiling::Linear, Format::Float32_4);
    job.outputs[0] = Some(Surface { base: BASE, pitch: 64, height: 64, tiling, superfine: false, format });
    (0..4).for_each(|n| job.constants.ints[n] = IntConstant { count: 255, init: 0, step: 1 });
    for engine in EngineName::available() {
        let budget = Budget { group_time: Some(SOON), ..Budget::default() };
        let start = Instant::now();
        let result = engine.executor().unwrap().run(&job, &with(budget));
        let halted = matches!(result, Err(ctm_x1k::RunError::Halted(Halt::GroupTime { .. })));
        assert!(halted, "{engine:?}: {result:?}");
        assert!(start.elapsed() < LATE, "{engine:?}: {:?}", start.elapsed());
    }
}

#[test]
fn memory_is_bounded() {
    let text = ".stage vertex\n.omap 0x70\nAST a[0x70], RZ;\nEXIT;";
    let of = |bytes| with(Budget { memory: bytes, ..Budget::default() });
    for engine in EngineName::available() {
        let small = draw(engine, text, &of(1 << 16), 100_000);
        assert!(matches!(small, Err(Ended::Halted(Halt::Memory { limit, .. })) if limit == 1 << 16), "{small:?}");
        assert!(draw(engine, text, &of(1 << 26), 100_000).is_ok());
    }

    // Scratch memory of R700, by the reference: 4 GiB in all.
    let program = ctm_r700::text::parse("EXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM\n").unwrap().program;
    let space = space();
    let mut job = ctm_r700::Job::new(&program, Domain::of_size(32, 2).unwrap(), &space);
    job.memories.scratch_elements = 1 << 22;
    let result = Executor::Reference.run(&job, &of(1 << 30)).map_err(Ended::from);
    assert_eq!(result, Err(Ended::Halted(Halt::Memory { wanted: 1 << 32, limit: 1 << 30 })));

    // Local memory of SM50.
    let program = ctm_sm50::text::parse(".stage none\nSTL [RZ], R0; EXIT;").unwrap().program;
    let (environment, grid) = (Environment::default(), Grid::new([1; 3], [1024, 1, 1]).unwrap());
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let local = |bytes| {
        let shader = Shader { local_memory: bytes, ..Shader::from(&program) };
        let launch = StageLaunch::new(shader, &environment, &invocations, Default::default());
        Reference.run(&StageLaunch { grid: Some(grid), ..launch }, &RunOptions::default())
    };
    assert!(matches!(local(u32::MAX), Err(Stop::Halted(Halt::Memory { .. }))));
    assert!(local(512 << 10).is_ok());
}
