//! Random programs on every engine: memory, statistics and traps have to be those of the reference.

use crate::buffers::Buffers;
use crate::emit::emit;
use crate::random::Random;
use crate::structured::{Options, Structured};
use crate::{ENGINES, Engine, generate};
use ctm_memory::{Bounds, Format, Surface, Tiling, View};
use ctm_x1k::{
    CondLocation, CondTest, Conditional, Domain, IntConstant, Job, OUTPUTS, Program, RunError, RunOptions, RunStats,
    WriteMode,
};

/// Columns and rows of every surface.
const SIDE: u32 = 16;

/// Memory and counters for checks one after the other.
pub struct Differential {
    buffers: Buffers,
    inputs: [Surface; 2],
    /// One surface of each kind for outputs and the conditional buffer.
    written: Vec<[Surface; OUTPUTS + 1]>,
    completed: u64,
    trapped: u64,
}

impl Default for Differential {
    fn default() -> Self {
        Self::new()
    }
}

/// What came of a run.
type Result_ = Result<RunStats, RunError>;

impl Differential {
    /// Memory with inputs full of numbers of every kind.
    pub fn new() -> Self {
        let mut buffers = Buffers::new(1 << 23);
        let mut random = Random::new(1);
        let inputs =
            [(Format::Float32_4, Tiling::Linear), (Format::Float32_1, Tiling::Tiled)].map(|(format, tiling)| {
                let surface = buffers.allocate(SIDE, SIDE, format, tiling);
                buffers.fill(&surface, SIDE, |_, _| std::array::from_fn(|_| random.float()));
                surface
            });
        let kinds = Format::ALL.iter().flat_map(|&format| [(format, Tiling::Linear), (format, Tiling::Tiled)]);
        let written: Vec<_> = kinds
            .map(|(format, tiling)| std::array::from_fn(|_| buffers.allocate(SIDE, SIDE, format, tiling)))
            .collect();
        Differential { buffers, inputs, written, completed: 0, trapped: 0 }
    }

    /// How many runs completed, and how many trapped.
    pub fn summary(&self) -> String {
        format!("{} completed, {} trapped", self.completed, self.trapped)
    }

    /// Makes the program and the environment of this seed, and runs it on every engine. Gives the difference, if there is
    /// one.
    ///
    /// # Errors
    /// With what differs.
    pub fn check(&mut self, seed: u64) -> Result<(), String> {
        let mut random = Random::new(seed);
        let program = program(&mut random);
        let options = RunOptions {
            group_width: random.pick(&[1, 2, 3, 4, 7, 16, 48, 64]),
            threads: 1,
            step_limit: random.pick(&[100, 1000, 20_000]),
            ..RunOptions::default()
        };
        let (i0, j0) = (random.below(4) as u32, random.below(4) as u32);
        let domain = Domain { i0, j0, i1: i0 + random.below(12) as u32, j1: j0 + random.below(6) as u32 };
        let umrt = program.info.write_mode == WriteMode::Umrt;
        let clear = random.float();
        let [kind, cond_kind] = [0; 2].map(|_| random.below(self.written.len()));
        let kind = if umrt { 4 } else { kind };
        // FLOAT32_1, UINT16_1 and UINT8_4 can be tested.
        let cond_kind = cond_kind % 6;
        let conditional = match random.below(4) {
            0 => Conditional {
                test: random.pick(&CondTest::ALL),
                location: random.pick(&[CondLocation::Dpp, CondLocation::Pe]),
                write: random.one_in(2),
                surface: Some(self.written[cond_kind][OUTPUTS]),
                pe_value: random.float(),
            },
            _ => Conditional { pe_value: random.float(), ..Conditional::default() },
        };
        let surfaces: Vec<Surface> =
            self.written[kind][..OUTPUTS].iter().copied().chain([self.written[cond_kind][OUTPUTS]]).collect();
        let job = Job {
            inputs: std::array::from_fn(|number| {
                self.inputs.get(number).map(|input| Surface { superfine: random.one_in(4), ..*input })
            }),
            outputs: std::array::from_fn(|number| Some(self.written[kind][number])),
            out_mask: if random.one_in(4) { random.below(16) as u8 } else { 0xF },
            conditional,
            unfused: random.one_in(4),
            ..Job::new(&program, domain, self.buffers.space())
        };
        let mut wanted: Option<(Result_, Vec<[u32; 4]>)> = None;
        for (name, engine) in ENGINES {
            let got = self.run(engine, &job, &options, &surfaces, clear);
            match &wanted {
                None => wanted = Some(got),
                Some((result, _)) if *result != got.0 => {
                    return Err(format!("seed {seed}, {name}: {:?}, not {result:?}", got.0));
                }
                Some((_, memory)) => {
                    if let Some(at) = (0..memory.len()).find(|&at| memory[at] != got.1[at]) {
                        let (surface, element) = (at as u32 / (SIDE * SIDE), at as u32 % (SIDE * SIDE));
                        return Err(format!(
                            "seed {seed}, {name}: ({}, {}) of surface {surface} is {:08X?}, not {:08X?}",
                            element % SIDE,
                            element / SIDE,
                            got.1[at],
                            memory[at]
                        ));
                    }
                }
            }
        }
        match wanted {
            Some((Ok(_), _)) => self.completed += 1,
            _ => self.trapped += 1,
        }
        Ok(())
    }

    fn run(
        &self,
        engine: Engine,
        job: &Job,
        options: &RunOptions,
        surfaces: &[Surface],
        clear: u32,
    ) -> (Result_, Vec<[u32; 4]>) {
        let views: Vec<View> =
            surfaces.iter().map(|surface| View::new(self.buffers.space(), *surface, Bounds::Drop)).collect();
        let places = || (0..i64::from(SIDE)).flat_map(|y| (0..i64::from(SIDE)).map(move |x| (x, y)));
        for view in &views {
            places().for_each(|(x, y)| view.store_raw(x, y, [clear; 4]));
        }
        let result = engine(job, options);
        let memory = views.iter().flat_map(|view| places().map(|(x, y)| view.load_raw(x, y)));
        (result, memory.collect())
    }
}

fn program(random: &mut Random) -> Program {
    let mut program = match random.below(4) {
        0 => {
            let count = 1 + random.below(20);
            generate::straight(random, count)
        }
        1 => {
            let count = 1 + random.below(30);
            generate::program(random, count)
        }
        _ => {
            let full_flow_control = random.one_in(2);
            let options = Options { full_flow_control, derivatives: random.one_in(4) };
            let structured = Structured::random(random, options);
            let mut program = emit(&structured);
            program.info.full_flow_control = full_flow_control;
            program
        }
    };
    if random.one_in(2) {
        program.info.zero_times_anything = true;
    }
    if random.one_in(8) {
        program.info.early_exit = true;
        for instruction in &mut program.code {
            instruction.common.last = random.one_in(8);
        }
    }
    if random.one_in(4) {
        program.info.full_flow_control = true;
    }
    if random.one_in(4) {
        program.info.cond_value_from_program = true;
    }
    if program.info.position.is_none() {
        program.info.position = Some(0);
    }
    for int in 0..4 {
        program.constants.ints.entry(int).or_insert_with(|| IntConstant {
            count: random.below(5) as u8,
            init: random.bits() as u8,
            step: random.bits() as i8,
        });
    }
    program
}
