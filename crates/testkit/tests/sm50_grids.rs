//! Grids of threads with global memory, on every engine: the same bytes as the reference leaves, whether threads keep to themselves or meet.

use ctm_lane::run::RunOptions;
use ctm_sm50::launch::{Environment, Grid, Invocations, Mode, Shader, StageLaunch, StageRunner};
use ctm_sm50::text;
use ctm_testkit::hunt::tally::Tally;
use ctm_testkit::random::Random;
use ctm_testkit::sm50::comparison::ComparingRunner;
use ctm_testkit::sm50::grids;

/// Runs a program over a grid by all of them.
fn run(runner: &ComparingRunner, code: &str, grid: Grid, mode: Mode, random: &mut Random) -> bool {
    let program = text::parse(code).unwrap_or_else(|errors| panic!("{code}\n{errors:?}")).program;
    let memory = grids::memory(random);
    let stores = grids::stores(random);
    let mut environment = Environment { memory: Some(&memory), stores, mode, ..Environment::default() };
    if random.one_in(2) {
        environment.constants.set_bank(0, vec![0; random.below(100)]);
    }
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let shader = Shader { shared_memory: grids::SHARED, ..Shader::from(&program) };
    let launch =
        StageLaunch { grid: Some(grid), ..StageLaunch::new(shader, &environment, &invocations, Default::default()) };
    runner.run(&launch, &RunOptions { step_limit: 4000, ..ctm_testkit::untimed() }).is_ok()
}

#[test]
fn grids_of_threads() {
    let runner = ComparingRunner::new();
    let mut completed = 0;
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let grid = grids::grid(random);
        let mode = random.pick(&[Mode::Strict, Mode::Lenient]);
        let code = grids::kernel(random);
        completed += u32::from(run(&runner, &code, grid, mode, random));
    }
    let mut tally = Tally::default();
    runner.count(&mut tally);
    let (launches, compiled) = (runner.launches(), runner.compiled());
    assert!(
        launches == 200 && compiled > 150 && completed > 125,
        "{completed}, {compiled} compiled: {:?}",
        tally.refused
    );
}

#[test]
fn threads_that_change_words() {
    let runner = ComparingRunner::new();
    let mut completed = 0;
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let grid = grids::grid(random);
        let mode = random.pick(&[Mode::Strict, Mode::Lenient]);
        let code = grids::atomic_kernel(random);
        completed += u32::from(run(&runner, &code, grid, mode, random));
    }
    let mut tally = Tally::default();
    runner.count(&mut tally);
    let (launches, compiled) = (runner.launches(), runner.compiled());
    assert!(
        launches == 400 && compiled > 200 && completed > 300,
        "{completed}, {compiled} compiled: {:?}",
        tally.refused
    );
}

#[test]
fn blocks_that_share_memory() {
    let runner = ComparingRunner::new();
    let mut completed = 0;
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let size = |random: &mut Random, most: usize| 1 + random.below(most) as u32;
        let grid = Grid::new([size(random, 3), 1, 1], [size(random, 120), 1, 1]).expect("a grid");
        let mode = random.pick(&[Mode::Strict, Mode::Lenient]);
        let code = grids::block_kernel(random);
        completed += u32::from(run(&runner, &code, grid, mode, random));
    }
    assert!(runner.launches() == 200 && completed > 100, "{completed}");
}
