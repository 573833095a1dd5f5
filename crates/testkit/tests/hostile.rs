//! Programs that are made to take long become code within a budget of steps, or something else runs them.

use ctm_codegen::EngineName;
use ctm_engine::{Executor, Refusal};
use ctm_lane::budget::{Budget, DEFAULT_CODE_STEPS, Halt};
use ctm_lane::effort::{CutShort, Effort, LEAST_MEMORY};
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_sm50::launch::{Environment, Grid, Invocations, Shader, StageLaunch, Stop};
use ctm_testkit::hostile::SHAPES;
use std::sync::atomic::AtomicBool;

const BASE: u32 = 0x1_0000;
/// Instructions of the programs: enough to show what grows too fast.
const SIZE: usize = 300;

fn fastest() -> Executor {
    EngineName::fastest().executor().unwrap()
}

/// Every shape ends within the default budget, or soon after it.
#[test]
fn the_default_budget_ends_every_shape() {
    for shape in SHAPES {
        let (executor, effort) = (fastest(), Effort::default());
        shape.of(SIZE).compile(&executor, &effort);
        let (steps, counts) = (effort.steps(), executor.code_counts());
        println!("{:5} {:16} {steps:>12} steps, {:?}", shape.guest, shape.name, counts.last_refusal);
        assert!(steps < DEFAULT_CODE_STEPS + DEFAULT_CODE_STEPS / 4, "{} {}: {steps}", shape.guest, shape.name);
        assert_eq!(counts.refused, 0, "{} {}", shape.guest, shape.name);
    }
}

/// A budget that is too small ends them soon, whatever they are, and is what is said.
#[test]
fn small_budgets_end_every_shape_soon() {
    for shape in SHAPES {
        let program = shape.of(SIZE);
        for limit in [1, 1 << 10, 1 << 14] {
            let (executor, effort) = (fastest(), Effort::of_steps(limit));
            program.compile(&executor, &effort);
            let (steps, counts) = (effort.steps(), executor.code_counts());
            let is_cut = matches!(counts.last_refusal, Some(Refusal::CutShort(CutShort::Steps { .. })));
            assert!(is_cut || steps <= limit, "{} {}: {steps} of {limit}", shape.guest, shape.name);
            // A pass that begins with some steps left is not much more than the function.
            assert!(steps <= 2 * limit + (1 << 18), "{} {}: {steps} of {limit}", shape.guest, shape.name);
        }
    }
}

/// The memory that a launch of compute code leaves, or why it ends.
fn launched(executor: &Executor, program: &ctm_sm50::Program, options: &RunOptions) -> Result<Vec<u8>, Stop> {
    let mut space = Space::default();
    space.map(Arena::new(BASE, 0x1000).unwrap()).unwrap();
    let environment = Environment { memory: Some(&space), ..Environment::default() };
    let grid = Grid::new([4, 1, 1], [64, 1, 1]).unwrap();
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let launch = StageLaunch::new(Shader::from(program), &environment, &invocations, Default::default());
    executor.run(&StageLaunch { grid: Some(grid), ..launch }, options)?;
    let mut bytes = vec![0; 0x1000];
    space.read_bytes(BASE, &mut bytes).unwrap();
    Ok(bytes)
}

/// Threads that go their own ways through branches and leave what they have come to.
fn branches(count: usize) -> ctm_sm50::Program {
    let mut text =
        "S2R R0, SR_TID.X;\nS2R R1, SR_CTAID.X;\nSHL R1, R1, 6;\nIADD R0, R0, R1;\nSHL R2, R0, 2;\n".to_owned();
    for at in 0..count {
        let (a, b, to) = (3 + at * 7 % 11, 3 + at * 5 % 13, at + at * 3 % (count - at));
        text += &format!("ISETP.NE.AND P0, PT, R0, {at}, PT;\n@P0 BRA l{to};\nIADD R{a}, R{b}, R0;\nl{at}:\n");
    }
    text += "IADD R3, R3, R4;\nIADD R3, R3, R5;\nSTG [R2+0x10000], R3;\nEXIT;\n";
    ctm_sm50::text::parse(&text).unwrap_or_else(|errors| panic!("{}", errors[0].message)).program
}

fn with(budget: Budget) -> RunOptions<'static> {
    RunOptions { budget, ..RunOptions::default() }
}

#[test]
fn results_do_not_depend_on_the_budget() {
    let program = branches(60);
    let expected = launched(&Executor::Reference, &program, &RunOptions::default()).unwrap();
    assert!(expected.iter().any(|&byte| byte != 0));
    for name in EngineName::available() {
        for code_steps in [0, 1 << 12, 1 << 15, 1 << 17, 1 << 19, DEFAULT_CODE_STEPS] {
            let executor = name.executor().unwrap();
            let options = with(Budget { code_steps, ..Budget::default() });
            assert_eq!(launched(&executor, &program, &options).unwrap(), expected, "{name:?}, {code_steps} steps");
        }
    }
}

#[test]
fn what_a_run_has_cut_short_is_made_for_the_next_one() {
    let program = branches(700);
    let executor = fastest();
    let expected = launched(&Executor::Reference, &program, &RunOptions::default()).unwrap();
    let (cancel, counts) = (AtomicBool::new(true), || executor.code_counts());
    let cancelled = RunOptions { cancel: Some(&cancel), ..RunOptions::default() };
    let ended = launched(&executor, &program, &cancelled);
    assert!(matches!(ended, Err(Stop::Halted(Halt::Cancelled))), "{ended:?}");
    assert_eq!(counts().proven, 0);
    assert_eq!(counts().last_refusal, Some(Refusal::CutShort(CutShort::Halted(Halt::Cancelled))));
    let small = with(Budget { memory: 1 << 16, ..Budget::default() });
    assert_eq!(launched(&executor, &program, &small).unwrap(), expected, "by the reference");
    assert_eq!(counts().last_refusal, Some(Refusal::CutShort(CutShort::Memory { limit: LEAST_MEMORY })));
    assert_eq!((counts().cut_short, counts().proven), (2, 0));
    assert_eq!(launched(&executor, &program, &RunOptions::default()).unwrap(), expected);
    let has_code = executor.backend().is_some();
    assert_eq!((counts().cut_short, counts().proven > 0), (2, has_code));
}
