//! Fragment programs on every engine: the same outputs as the reference's, whether lanes keep to themselves or look at others of their quad.

use ctm_lane::run::RunOptions;
use ctm_sm50::launch::{Environment, Invocations, Mode, Shader, StageLaunch, StageRunner};
use ctm_sm50::text;
use ctm_sm50::textures::HANDLE_BANK;
use ctm_testkit::hunt::tally::Tally;
use ctm_testkit::random::Random;
use ctm_testkit::sm50::comparison::ComparingRunner;
use ctm_testkit::sm50::{fragments, grids, textures};

#[test]
fn fragments_of_windows() {
    agree(300, false);
}

#[test]
fn fragments_that_sample_textures() {
    agree(150, true);
}

/// Runs so many programs on all engines.
fn agree(count: u64, sample: bool) {
    let runner = ComparingRunner::new();
    let mut completed = 0;
    for seed in 0..count {
        let random = &mut Random::new(seed);
        let code = fragments::program(random, sample);
        let program = text::parse(&code).unwrap_or_else(|errors| panic!("{code}\n{errors:?}")).program;
        let memory = grids::memory(random);
        let mode = random.pick(&[Mode::Strict, Mode::Lenient]);
        let (textures, handles) = textures::textures(random);
        let mut environment = Environment { memory: Some(&memory), mode, textures, ..Environment::default() };
        environment.constants.set_bank(HANDLE_BANK, handles);
        let maps = program.header.expect("a header").pixel;
        let pixels = fragments::pixels(random, &maps);
        let invocations = Invocations { count: pixels.invocations(), columns: None };
        let launch = StageLaunch {
            pixels: Some(&pixels),
            ..StageLaunch::new(Shader::from(&program), &environment, &invocations, Default::default())
        };
        let options = RunOptions { step_limit: 4000, ..ctm_testkit::untimed() };
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runner.run(&launch, &options)));
        completed += u32::from(ran.unwrap_or_else(|_| panic!("seed {seed}:\n{code}")).is_ok());
    }
    let mut tally = Tally::default();
    runner.count(&mut tally);
    let compiled = runner.compiled();
    assert!(
        u64::from(completed) > count / 2 && compiled as u64 > count / 2,
        "{completed}, {compiled} compiled: {:?}",
        tally.refused
    );
}
