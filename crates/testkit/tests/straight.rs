//! Random straight-line programs: the reference against a literal execution of every instruction; and random programs
//! with any jumps: legal, and the same for every thread count.

use ctm_memory::{Bounds, Format, Surface, Tiling, View};
use ctm_num::x1k::MadRules;
use ctm_testkit::buffers::Buffers;
use ctm_testkit::literal::{Environment, Input, Lane};
use ctm_testkit::random::Random;
use ctm_testkit::{GROUP_WIDTHS, THREADS, engines, generate, literal};
use ctm_x1k::text::print_program;
use ctm_x1k::{Constants, Domain, Job, OUTPUTS, Program, RunError, RunOptions, TrapKind, WriteMode, check};

const SIZE: u32 = 4;
const CLEARED: u32 = 0xDEAD_BEEF;

struct Fixture {
    buffers: Buffers,
    inputs: [Surface; generate::INPUTS as usize],
    contents: Vec<Input>,
    outputs: [Surface; OUTPUTS],
}

impl Fixture {
    fn new(random: &mut Random) -> Self {
        let mut buffers = Buffers::new(1 << 21);
        let sizes = [(8, 4), (4, 5), (16, 1), (4, 9)];
        let inputs = sizes.map(|(width, height)| buffers.allocate(width, height, Format::Float32_4, Tiling::Linear));
        let mut contents = Vec::new();
        for surface in &inputs {
            let view = View::new(buffers.space(), *surface, Bounds::Drop);
            let (width, height) = (surface.pitch as usize, surface.height as usize);
            let elements: Vec<[u32; 4]> =
                (0..width * height).map(|_| std::array::from_fn(|_| random.float())).collect();
            for (n, &element) in elements.iter().enumerate() {
                view.store_raw((n % width) as i64, (n / width) as i64, element);
            }
            contents.push(Input { width, elements });
        }
        let outputs = std::array::from_fn(|_| buffers.allocate(SIZE, SIZE, Format::Float32_4, Tiling::Linear));
        Fixture { buffers, inputs, contents, outputs }
    }

    fn job<'a>(&'a self, program: &'a Program) -> Job<'a> {
        let mut job = Job::new(program, Domain::of_size(SIZE, SIZE).unwrap(), self.buffers.space());
        for output in &self.outputs {
            self.buffers.fill(output, SIZE, |_, _| [CLEARED; 4]);
        }
        job.inputs[..self.inputs.len()].copy_from_slice(&self.inputs.map(Some));
        job.outputs = self.outputs.map(Some);
        job
    }

    fn results(&self) -> Vec<[[u32; 4]; OUTPUTS]> {
        let pairs = (0..SIZE).flat_map(|j| (0..SIZE).map(move |i| (i, j)));
        pairs.map(|(i, j)| self.outputs.map(|output| self.buffers.read(&output, i, j))).collect()
    }
}

/// What the outputs hold after the program, by literal execution.
fn expected(program: &Program, contents: &[Input], unfused: bool) -> Vec<[[u32; 4]; OUTPUTS]> {
    let environment = Environment {
        floats: Constants::from(&program.constants).floats.to_vec(),
        al: program.constants.ints[&0].init.into(),
        inputs: contents.to_vec(),
        rules: MadRules { unfused, zero_times_anything: program.info.zero_times_anything },
    };
    let mut results = vec![[[CLEARED; 4]; OUTPUTS]; (SIZE * SIZE) as usize];
    for (x, y) in (0..SIZE / 2).flat_map(|y| (0..SIZE / 2).map(move |x| (2 * x, 2 * y))) {
        let positions = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
        let mut quad = positions.map(|(i, j)| {
            let mut temps = [[0; 4]; 128];
            temps[0] = [(i as f32).to_bits(), (j as f32).to_bits(), 0, 0];
            Lane { temps, outputs: [[0; 4]; 4], predicates: [false; 4], cond_value: 0, killed: false }
        });
        // The first and the last two instructions are the loop and the end.
        for instruction in &program.code[1..program.code.len() - 2] {
            literal::execute(instruction, &mut quad, &environment);
        }
        for ((i, j), lane) in positions.into_iter().zip(quad).filter(|(_, lane)| !lane.killed) {
            results[(j * SIZE + i) as usize] = lane.outputs;
        }
    }
    results
}

#[test]
fn straight_programs() {
    let mut random = Random::new(7);
    let fixture = Fixture::new(&mut random);
    let engines = engines();
    for number in 0..700 {
        let count = 1 + random.below(12);
        let program = generate::straight(&mut random, count, WriteMode::Cached);
        check::legal(&program).unwrap_or_else(|findings| panic!("program {number}: {}", findings[0].message));
        let unfused = random.one_in(4);
        let wanted = expected(&program, &fixture.contents, unfused);
        for engine in &engines {
            let group_width = random.pick(&GROUP_WIDTHS);
            let job = Job { unfused, ..fixture.job(&program) };
            let threads = random.pick(&THREADS);
            engine.run(&job, &RunOptions { group_width, threads, ..RunOptions::default() }).unwrap();
            for (pair, (got, wanted)) in fixture.results().iter().zip(&wanted).enumerate() {
                assert_eq!(
                    got,
                    wanted,
                    "program {number}, {}, width {group_width}, pair {pair}:\n{}",
                    engine.name(),
                    print_program(&program)
                );
            }
        }
    }
}

#[test]
fn programs_with_any_jumps() {
    let mut random = Random::new(8);
    let fixture = Fixture::new(&mut random);
    let engines = engines();
    let mut completed = 0;
    for number in 0..700 {
        let count = 1 + random.below(20);
        let mut program = generate::program(&mut random, count, WriteMode::Cached);
        check::legal(&program).unwrap_or_else(|findings| panic!("program {number}: {}", findings[0].message));
        program.constants.ints.extend((0..32).map(|n| (n, ctm_x1k::IntConstant { count: n % 4, init: n, step: -1 })));
        for group_width in GROUP_WIDTHS {
            let results = engines.iter().flat_map(|engine| {
                THREADS.map(|threads| {
                    let options = RunOptions { group_width, threads, step_limit: 2000, ..RunOptions::default() };
                    let result = engine.run(&fixture.job(&program), &options);
                    let memory = result.is_ok().then(|| fixture.results());
                    (result, memory)
                })
            });
            let results: Vec<_> = results.collect();
            assert!(results.iter().all(|result| *result == results[0]), "program {number}: {results:?}");
            match &results[0].0 {
                Ok(_) => completed += 1,
                Err(RunError::Trap(trap)) => {
                    assert!(!matches!(trap.kind, TrapKind::ReservedOperation), "program {number}: {trap}");
                }
                Err(error) => panic!("program {number}: {error}"),
            }
        }
    }
    assert!(completed > 500, "only {completed} runs completed");
}
