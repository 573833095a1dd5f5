//! Random structured programs give what the per-lane oracle says, for every group width and thread count.

use ctm_engine::Executor;
use ctm_memory::{Format, Surface, Tiling};
use ctm_testkit::buffers::Buffers;
use ctm_testkit::emit::emit;
use ctm_testkit::random::Random;
use ctm_testkit::structured::{INPUT_WIDTH, Options, Structured};
use ctm_testkit::{GROUP_WIDTHS, THREADS, engines, oracle, runs_without_fallback};
use ctm_x1k::{Domain, Job, OUTPUTS, Program, RunOptions, RunStats};

/// Odd bounds, so that quads stick out on every side.
const DOMAIN: Domain = Domain { i0: 3, j0: 1, i1: 11, j1: 5 };
const KILLED: u32 = 0xDEAD_BEEF;

struct Fixture {
    buffers: Buffers,
    input: Surface,
    outputs: [Surface; OUTPUTS],
}

impl Fixture {
    fn new() -> Self {
        let mut buffers = Buffers::new(1 << 22);
        let input = buffers.allocate(INPUT_WIDTH, 1, Format::Float32_4, Tiling::Linear);
        buffers.fill(&input, INPUT_WIDTH, |x, _| [0, 0, 0, oracle::input(x).to_bits()]);
        let outputs = std::array::from_fn(|_| buffers.allocate(16, 8, Format::Float32_4, Tiling::Linear));
        Fixture { buffers, input, outputs }
    }

    /// Runs the program, and gives the statistics with the outputs of every pair; none if another engine runs it just
    /// so.
    fn run(
        &self,
        program: &Program,
        engine: &Executor,
        group_width: usize,
        threads: usize,
    ) -> Option<(RunStats, Vec<[[u32; 4]; OUTPUTS]>)> {
        let mut job = Job::new(program, DOMAIN, self.buffers.space());
        job.inputs[0] = Some(self.input);
        job.outputs = self.outputs.map(Some);
        let options = RunOptions { group_width, threads, ..RunOptions::default() };
        if !runs_without_fallback(engine, &job, &options) {
            return None;
        }
        for output in &self.outputs {
            self.buffers.fill(output, 16, |_, _| [KILLED; 4]);
        }
        let stats = engine.run(&job, &options).unwrap();
        let pairs = (DOMAIN.j0..=DOMAIN.j1).flat_map(|j| (DOMAIN.i0..=DOMAIN.i1).map(move |i| (i, j)));
        Some((stats, pairs.map(|(i, j)| self.outputs.map(|output| self.buffers.read(&output, i, j))).collect()))
    }
}

fn check_against_oracle(seed: u64, options: Options, fixture: &Fixture, engines: &[Executor]) {
    let structured = Structured::random(&mut Random::new(seed), options);
    let mut program = emit(&structured);
    program.info.full_flow_control = options.full_flow_control;
    let pairs = (DOMAIN.j0..=DOMAIN.j1).flat_map(|j| (DOMAIN.i0..=DOMAIN.i1).map(move |i| (i, j)));
    let wanted: Vec<_> = pairs
        .map(|(i, j)| match oracle::run(&structured, i, j) {
            Some(outputs) => std::array::from_fn(|output| {
                let written = program.references.outputs.contains(&(output as u8));
                [if written { outputs[output].to_bits() } else { KILLED }; 4]
            }),
            None => [[KILLED; 4]; OUTPUTS],
        })
        .collect();
    let mut instructions = None;
    for engine in engines {
        let name = engine.name();
        for width in GROUP_WIDTHS {
            for threads in THREADS {
                let Some((stats, got)) = fixture.run(&program, engine, width, threads) else { continue };
                assert_eq!(got, wanted, "seed {seed}, {name}, width {width}, {threads} threads: {structured:#?}");
                let instructions = *instructions.get_or_insert(stats.instructions);
                assert_eq!(stats.instructions, instructions, "seed {seed}, {name}, width {width}: instructions");
                assert_eq!(stats.lanes, DOMAIN.lanes());
            }
        }
    }
}

#[test]
fn full_flow_control() {
    let (fixture, engines) = (Fixture::new(), engines());
    for seed in 0..120 {
        check_against_oracle(seed, Options { full_flow_control: true, derivatives: false }, &fixture, &engines);
    }
}

#[test]
fn partial_flow_control() {
    let (fixture, engines) = (Fixture::new(), engines());
    for seed in 1000..1030 {
        check_against_oracle(seed, Options { full_flow_control: false, derivatives: false }, &fixture, &engines);
    }
}

#[test]
fn derivatives_do_not_depend_on_the_group_width() {
    let (fixture, engines) = (Fixture::new(), engines());
    for seed in 2000..2060 {
        let options = Options { full_flow_control: true, derivatives: true };
        let program = emit(&Structured::random(&mut Random::new(seed), options));
        let wanted = fixture.run(&program, &engines[0], 4, 1).map(|(_, results)| results);
        for engine in &engines {
            let name = engine.name();
            for width in GROUP_WIDTHS {
                for threads in THREADS {
                    let Some((_, got)) = fixture.run(&program, engine, width, threads) else { continue };
                    assert_eq!(Some(got), wanted, "seed {seed}, {name}, width {width}, {threads} threads");
                }
            }
        }
    }
}
