//! Random programs on every engine: memory, statistics and traps have to be those of the reference.

use crate::buffers::Buffers;
use crate::emit::{emit, full};
use crate::random::Random;
use crate::structured::{Options, Structured};
use crate::{engines, generate, has_own_way, is_compiled};
use ctm_engine::Executor;
use ctm_memory::{Bounds, Format, Surface, Tiling, View};
use ctm_x1k::{
    CondLocation, CondTest, Conditional, Domain, IntConstant, Job, MAX_INSTRUCTIONS, OUTPUTS, Program, RunError,
    RunOptions, RunStats, WriteMode,
};

/// Columns of every surface: more than two groups of machine code.
const WIDTH: u32 = 40;
/// Rows of every surface.
const HEIGHT: u32 = 8;

/// Engines, memory for them, and counters, for checks one after the other.
#[derive(Debug)]
pub struct Differential {
    engines: Vec<Executor>,
    buffers: Buffers,
    /// Inputs full of numbers of every kind, and inputs of ordinary numbers with few others.
    inputs: [[Surface; 2]; 2],
    /// One surface of each kind for outputs and the conditional buffer.
    written: Vec<[Surface; OUTPUTS + 1]>,
    completed: u64,
    trapped: u64,
    compiled: u64,
    engine_runs: u64,
}

impl Default for Differential {
    fn default() -> Self {
        Self::new()
    }
}

/// What came of a run: its result, and memory if that is defined.
#[derive(Debug, PartialEq)]
struct Outcome {
    result: Result<RunStats, RunError>,
    /// The elements of each surface, row after row.
    memory: Option<Vec<Vec<[u32; 4]>>>,
}

impl Differential {
    /// Memory with inputs full of numbers of every kind.
    pub fn new() -> Self {
        let mut buffers = Buffers::new(1 << 23);
        let mut random = Random::new(1);
        let inputs = [1, 50].map(|rarity| {
            [(Format::Float32_4, Tiling::Linear), (Format::Float32_1, Tiling::Tiled)].map(|(format, tiling)| {
                let surface = buffers.allocate(WIDTH, HEIGHT, format, tiling);
                buffers.fill(&surface, WIDTH, |_, _| {
                    let is_any = random.one_in(rarity);
                    std::array::from_fn(|_| if is_any { random.float() } else { random.number() })
                });
                surface
            })
        });
        let kinds = Format::ALL.iter().flat_map(|&format| [(format, Tiling::Linear), (format, Tiling::Tiled)]);
        let written: Vec<_> = kinds
            .map(|(format, tiling)| std::array::from_fn(|_| buffers.allocate(WIDTH, HEIGHT, format, tiling)))
            .collect();
        Differential {
            engines: engines(),
            buffers,
            inputs,
            written,
            completed: 0,
            trapped: 0,
            compiled: 0,
            engine_runs: 0,
        }
    }

    /// How many programs completed, how many trapped, how many of both ran as machine code, and how many runs engines made
    /// of them.
    pub fn summary(&self) -> String {
        let Differential { completed, trapped, compiled, engine_runs, .. } = self;
        format!("{completed} completed, {trapped} trapped, {compiled} as machine code, {engine_runs} runs of engines")
    }

    /// The share of programs that ran as machine code.
    pub fn compiled(&self) -> f64 {
        self.compiled as f64 / (self.completed + self.trapped) as f64
    }

    /// Makes a program and an environment of these random numbers, and runs it on every engine.
    ///
    /// # Errors
    /// With what differs.
    pub fn check(&mut self, mut random: Random) -> Result<(), String> {
        let random = &mut random;
        let write_mode = if random.one_in(16) { WriteMode::Umrt } else { WriteMode::Cached };
        let kind = Kind::of(random, write_mode);
        let program = program(random, kind, write_mode);
        let [out_kind, cond_kind] = [0; 2].map(|_| random.below(self.written.len()));
        let out_kind = match write_mode {
            WriteMode::Cached => out_kind,
            // Immediate writes are single floats.
            WriteMode::Umrt => 2 * Format::ALL.iter().position(|&format| format == Format::Float32_1).unwrap_or(0),
        };
        // The conditional buffer has one channel, or four of a byte.
        let cond_kind = cond_kind % 6;
        let mut outputs: [Surface; OUTPUTS] = std::array::from_fn(|number| self.written[out_kind][number]);
        let cond_buffer = self.written[cond_kind][OUTPUTS];
        let mut inputs = random.pick(&self.inputs).map(|input| Surface { superfine: random.one_in(4), ..input });
        // What overlaps is worked through in the order of the domain, by one thread.
        let overlaps = random.one_in(24);
        if overlaps {
            match random.below(3) {
                0 => inputs[1] = outputs[0],
                1 => inputs[0] = Surface { base: outputs[1].base + 2048, ..outputs[1] },
                _ => outputs[1] = outputs[0],
            }
        }
        if random.one_in(32) {
            // The rows at the end are in no memory.
            let end = self.buffers.space().arenas().iter().map(|arena| arena.base() + arena.size()).max();
            outputs[0].base = end.unwrap_or_default() - 2048;
        }
        let conditional = match random.below(4) {
            0 => Conditional {
                test: random.pick(&CondTest::ALL),
                location: if random.one_in(4) { CondLocation::Pe } else { CondLocation::Dpp },
                write: random.one_in(2),
                surface: Some(cond_buffer),
                pe_value: float_or_nan(random),
            },
            _ => Conditional { pe_value: random.float(), ..Conditional::default() },
        };
        let options = RunOptions {
            group_width: random.pick(&[1, 2, 3, 4, 7, 16, 48, 64]),
            threads: if overlaps { 1 } else { random.pick(&[1, 2, 3]) },
            step_limit: match kind {
                Kind::AnyJumps => random.pick(&[100, 1000, 20_000]),
                _ if random.one_in(12) => random.pick(&[100, 1000]),
                _ => RunOptions::default().step_limit,
            },
            ..RunOptions::default()
        };
        let (i0, j0) = (random.below(4) as u32, random.below(4) as u32);
        let columns = random.pick(&[8, 20, WIDTH as usize + 4]);
        let columns = if random.one_in(3) { columns } else { 1 + random.below(columns) };
        let rows = if random.one_in(16) { 1 } else { 2 + random.below(6) };
        let domain = Domain { i0, j0, i1: i0 + columns as u32 - 1, j1: j0 + rows as u32 - 1 };
        let job = Job {
            inputs: std::array::from_fn(|number| inputs.get(number).copied()),
            outputs: outputs.map(Some),
            out_mask: if random.one_in(4) { random.below(16) as u8 } else { 0xF },
            conditional,
            unfused: random.one_in(4),
            ..Job::new(&program, domain, self.buffers.space())
        };
        let clear = float_or_nan(random);
        let written: Vec<Surface> = outputs.into_iter().chain([cond_buffer]).collect();
        let run = |engine| self.run(engine, &job, &options, &written, clear);
        let (reference, others) = self.engines.split_first().ok_or("no engine")?;
        let wanted = run(reference);
        let mut engine_runs = 0;
        for engine in others.iter().filter(|engine| has_own_way(engine, &job, &options)) {
            engine_runs += 1;
            let got = run(engine);
            if wanted != got {
                let RunOptions { group_width, threads, step_limit, .. } = options;
                return Err(format!(
                    "{}, width {group_width}, {threads} threads, limit {step_limit}, {domain:?}: {}",
                    engine.name(),
                    difference(&wanted, &got)
                ));
            }
        }
        self.engine_runs += engine_runs;
        self.compiled += u64::from(others.iter().any(|engine| is_compiled(engine, &job, &options)));
        match wanted.result {
            Ok(_) => self.completed += 1,
            Err(_) => self.trapped += 1,
        }
        Ok(())
    }

    fn run(&self, engine: &Executor, job: &Job, options: &RunOptions, written: &[Surface], clear: u32) -> Outcome {
        let views = written.iter().map(|surface| View::new(self.buffers.space(), *surface, Bounds::Drop));
        let views: Vec<View> = views.collect();
        // The columns between width and pitch too.
        let places = |view: &View| {
            let pitch = i64::from(view.surface().pitch);
            (0..i64::from(HEIGHT)).flat_map(move |y| (0..pitch).map(move |x| (x, y)))
        };
        for view in &views {
            places(view).for_each(|(x, y)| view.store_raw(x, y, [clear; 4]));
        }
        let result = engine.run(job, options);
        // After a trap it is open which groups of other threads ran.
        let defined = result.is_ok() || options.threads == 1;
        let memory = || views.iter().map(|view| places(view).map(|(x, y)| view.load_raw(x, y)).collect()).collect();
        Outcome { memory: defined.then(memory), result }
    }
}

/// The first thing that is not as it should be.
fn difference(wanted: &Outcome, got: &Outcome) -> String {
    if wanted.result != got.result {
        return format!("{:?}, not {:?}", got.result, wanted.result);
    }
    let surfaces = wanted.memory.iter().flatten().zip(got.memory.iter().flatten());
    let mut elements = surfaces.enumerate().flat_map(|(surface, (wanted, got))| {
        let pitch = wanted.len() / HEIGHT as usize;
        wanted.iter().zip(got).enumerate().map(move |(at, pair)| (surface, at % pitch, at / pitch, pair))
    });
    let differs = elements.find(|(.., (wanted, got))| wanted != got);
    differs.map_or_else(String::new, |(surface, x, y, (wanted, got))| {
        format!("({x}, {y}) of surface {surface} is {got:08X?}, not {wanted:08X?}")
    })
}

/// Kinds of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// See [`generate::picture`].
    Picture,
    /// See [`generate::straight`].
    Straight,
    /// IFs, loops and subroutines.
    Structured,
    /// The same, as long as code can be.
    Full,
    /// Jumps from anywhere to anywhere.
    AnyJumps,
}

impl Kind {
    fn of(random: &mut Random, write_mode: WriteMode) -> Self {
        match random.below(8) {
            0 => Kind::AnyJumps,
            1 => Kind::Straight,
            _ if write_mode == WriteMode::Umrt => Kind::Straight,
            2..=4 if random.one_in(64) => Kind::Full,
            2..=4 => Kind::Structured,
            _ => Kind::Picture,
        }
    }
}

/// What conditional values and their buffer have: the unit has a rule of its own for NaNs.
fn float_or_nan(random: &mut Random) -> u32 {
    if random.one_in(4) { 0x7FC0_0000 } else { random.float() }
}

fn program(random: &mut Random, kind: Kind, write_mode: WriteMode) -> Program {
    let mut program = match kind {
        Kind::Picture => {
            let count = 1 + random.below(12);
            generate::picture(random, count)
        }
        Kind::Straight => {
            let count = 1 + random.below(20);
            generate::straight(random, count, write_mode)
        }
        Kind::AnyJumps => {
            let count = 1 + random.below(30);
            generate::program(random, count, write_mode)
        }
        Kind::Structured | Kind::Full => {
            let full_flow_control = kind == Kind::Full || !random.one_in(4);
            let options = Options { full_flow_control, derivatives: random.one_in(4) };
            let structured = match kind {
                Kind::Full => full(random, options, MAX_INSTRUCTIONS),
                _ => Structured::random(random, options),
            };
            let mut program = emit(&structured);
            program.info.full_flow_control = full_flow_control;
            program
        }
    };
    if random.one_in(2) {
        program.info.zero_times_anything = true;
    }
    if random.one_in(12) {
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
