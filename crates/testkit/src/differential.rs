//! Random programs on every engine: memory, statistics and traps have to be those of the reference.

use crate::emit::{emit, full};
use crate::filetest::directive::{Contents, Expectation, Expected, OutputPlacement, Run, SurfaceSpec};
use crate::filetest::{Bench, Checked};
use crate::generate;
use crate::hunt::tally::{Tally, add, one_more};
use crate::random::Random;
use crate::sampled::Sampled;
use crate::structured::{Options, Structured};
use ctm_memory::{Format, Surface, Tiling};
use ctm_x1k::text::print_program;
use ctm_x1k::{
    AlphaOp, Body, CondLocation, CondTest, Conditional, Domain, FlowOp, IntConstant, MAX_INSTRUCTIONS, OUTPUTS,
    Program, RgbOp, RunError, RunOptions, TexOp, WriteMode,
};
use std::collections::BTreeMap;

/// Columns and rows of the usual surface: more than two groups of machine code.
const USUAL: (u32, u32) = (40, 8);
/// Those of the others: smaller than most domains, and larger.
const SIDES: [(u32, u32); 7] = [(8, 3), (16, 16), (64, 2), (4, 40), (24, 1), (48, 9), (16, 5)];

/// Engines with their memory, and counters, for checks one after the other.
#[derive(Debug, Default)]
pub struct Differential {
    bench: Bench,
    completed: u64,
    trapped: u64,
    compiled: u64,
    /// Of these, programs that sample inputs.
    sampled: u64,
    engine_runs: u64,
    /// Traps by kind, why programs did not run as machine code, and programs with each operation.
    traps: BTreeMap<String, u64>,
    refused: BTreeMap<String, u64>,
    operations: BTreeMap<String, u64>,
}

/// A program, and what it runs on.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The program.
    pub program: Program,
    /// Its run.
    pub run: Run,
}

impl Draft {
    /// Makes a program and an environment of these random numbers.
    pub fn random(random: &mut Random) -> Self {
        let write_mode = if random.one_in(16) { WriteMode::Umrt } else { WriteMode::Cached };
        let kind = Kind::of(random, write_mode);
        let program = program(random, kind, write_mode);
        let rarity = random.pick(&[1, 50]);
        let seed = random.below(4) as u64;
        let inputs = program.references.inputs.iter().map(|&number| {
            let spec = match number {
                0 if !random.one_in(3) => spec(USUAL, Format::Float32_4, Tiling::Linear),
                1 if !random.one_in(3) => spec(USUAL, Format::Float32_1, Tiling::Tiled),
                _ => any_spec(random),
            };
            let spec = SurfaceSpec { superfine: random.one_in(4), ..spec };
            (usize::from(number), Contents::Random(spec, seed, rarity))
        });
        let mut inputs: Vec<(usize, Contents)> = inputs.collect();
        let usual = any_spec(random);
        let outputs = (0..OUTPUTS).map(|number| {
            let mut spec = match random.below(3) {
                0 => any_spec(random),
                1 => self::spec(USUAL, usual.format, usual.tiling),
                _ => usual,
            };
            if write_mode == WriteMode::Umrt {
                // Immediate writes are single floats.
                spec = self::spec((spec.width, spec.height), Format::Float32_1, spec.tiling);
            }
            (number, OutputPlacement::Own(spec))
        });
        let mut outputs: Vec<(usize, OutputPlacement)> = outputs.collect();
        let overlaps = random.one_in(16);
        if overlaps {
            alias(random, &mut inputs, &mut outputs);
        }
        if random.one_in(32)
            && let OutputPlacement::Own(spec) = outputs[0].1
        {
            outputs[0].1 = OutputPlacement::End(spec);
        }
        let conditional = match random.below(4) {
            0 => Conditional {
                test: random.pick(&CondTest::ALL),
                location: if random.one_in(4) { CondLocation::Pe } else { CondLocation::Dpp },
                write: random.one_in(2),
                surface: None,
                pe_value: float_or_nan(random),
            },
            _ => Conditional { pe_value: random.float(), ..Conditional::default() },
        };
        // The conditional buffer has one channel, or four of a byte.
        let cond_format = random.pick(&[Format::Float32_1, Format::Uint16_1, Format::Uint8_4]);
        let cond_spec = any_spec(random);
        let cond_spec = spec((cond_spec.width, cond_spec.height), cond_format, cond_spec.tiling);
        let cond_buffer = match outputs[0].1 {
            // Another format would not be tested.
            OutputPlacement::Own(spec) if overlaps && random.one_in(4) && spec.format == cond_format => {
                Contents::Output(0, 0)
            }
            _ => Contents::Random(cond_spec, seed, rarity),
        };
        let cond_buffer = Some(cond_buffer);
        let (i0, j0) = (random.below(4) as u32, random.below(4) as u32);
        let columns = random.pick(&[8, 20, USUAL.0 as usize + 4]);
        let columns = if random.one_in(3) { columns } else { 1 + random.below(columns) };
        let rows = if random.one_in(16) { 1 } else { 2 + random.below(6) };
        let domain = Domain { i0, j0, i1: i0 + columns as u32 - 1, j1: j0 + rows as u32 - 1 };
        let sampled = sampled(random, &mut inputs);
        let run = Run {
            inputs,
            sampled,
            outputs,
            clear: float_or_nan(random),
            out_mask: if random.one_in(4) { random.below(16) as u8 } else { 0xF },
            conditional,
            cond_buffer,
            unfused: random.one_in(4),
            step_limit: match kind {
                Kind::AnyJumps => random.pick(&[100, 1000, 20_000]),
                _ if random.one_in(12) => random.pick(&[100, 1000]),
                _ => RunOptions::default().step_limit,
            },
            widths: Some(vec![random.pick(&[1, 2, 3, 4, 7, 16, 48, 64])]),
            threads: Some(vec![random.pick(&[1, 1, 1, 2, 3])]),
            expectations: vec![Expectation { line: 0, what: Expected::Agreement }],
            ..Run::new(domain)
        };
        Draft { program, run }
    }

    /// The filetest that asks for agreement.
    pub fn filetest(&self) -> String {
        format!("{}\n{}\n--; expect agreement\n", print_program(&self.program), self.run)
    }
}

/// Lets things share memory: inputs and outputs, two outputs, all of it or the rows after the first ones.
fn alias(random: &mut Random, inputs: &mut [(usize, Contents)], outputs: &mut [(usize, OutputPlacement)]) {
    let bytes = |random: &mut Random| random.pick(&[0, 0, 2048, 4096]);
    for _ in 0..1 + random.below(2) {
        match random.below(3) {
            0 => {
                let number = 1 + random.below(outputs.len() - 1);
                let of = random.below(number);
                outputs[number].1 = OutputPlacement::Output(of, bytes(random));
            }
            _ if inputs.is_empty() => {}
            _ => {
                let (number, of) = (random.below(inputs.len()), random.below(outputs.len()));
                inputs[number].1 = Contents::Output(of, bytes(random));
            }
        }
    }
}

/// A surface with a pitch that its tiling allows.
fn spec((width, height): (u32, u32), format: Format, tiling: Tiling) -> SurfaceSpec {
    let width = width.next_multiple_of(Surface::pitch_granule(tiling, format).max(4));
    SurfaceSpec { width, height, format, tiling, superfine: false }
}

fn any_spec(random: &mut Random) -> SurfaceSpec {
    let sides = if random.one_in(3) { USUAL } else { random.pick(&SIDES) };
    spec(sides, random.pick(&Format::ALL), random.pick(&[Tiling::Linear, Tiling::Linear, Tiling::Tiled]))
}

/// Has some programs sample inputs as textures; these get surfaces that hold those.
fn sampled(random: &mut Random, inputs: &mut [(usize, Contents)]) -> Vec<(usize, Sampled)> {
    if !random.one_in(3) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for (number, contents) in inputs {
        if let Contents::Random(spec, seed, rarity) = *contents
            && !random.one_in(4)
        {
            let sampled = Sampled::random(random);
            *contents = Contents::Random(sampled.surface(0, spec.format, spec.tiling), seed, rarity);
            all.push((*number, sampled));
        }
    }
    all
}

impl Differential {
    /// All engines of this host.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many programs completed, how many trapped, how many of both ran as machine code, and how many runs engines made
    /// of them.
    pub fn summary(&self) -> String {
        let Differential { completed, trapped, compiled, engine_runs, .. } = self;
        format!("{completed} completed, {trapped} trapped, {compiled} as machine code, {engine_runs} runs of engines")
    }

    /// Adds the counters to those of a hunt.
    pub fn count(&self, tally: &mut Tally) {
        tally.programs += self.completed + self.trapped;
        tally.compiled += self.compiled;
        tally.trapped += self.trapped;
        add(&mut tally.refused, &self.refused);
        add(&mut tally.traps, &self.traps);
        self.bench.forms().count(tally);
        let names = RgbOp::ALL.iter().map(|op| format!("rgb {op:?}"));
        let names = names.chain(AlphaOp::ALL.iter().map(|op| format!("alpha {op:?}")));
        let names = names.chain(TexOp::ALL.iter().map(|op| format!("tex {op:?}")));
        for name in names.chain(FlowOp::ALL.iter().map(|op| format!("flow {op:?}"))) {
            let count = self.operations.get(&name).copied().unwrap_or_default();
            tally.operations.insert(name, count);
        }
    }

    /// How many programs that sample inputs ran as machine code.
    pub fn sampled(&self) -> u64 {
        self.sampled
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
        self.check_draft(&Draft::random(&mut random)).map(drop)
    }

    /// Runs a draft on every engine.
    ///
    /// # Errors
    /// With what differs.
    pub fn check_draft(&mut self, Draft { program, run }: &Draft) -> Result<Checked, String> {
        let first = |numbers: &Option<Vec<usize>>| numbers.as_ref().and_then(|numbers| numbers.first().copied());
        let options = RunOptions {
            group_width: first(&run.widths).unwrap_or(16),
            threads: first(&run.threads).unwrap_or(1),
            step_limit: run.step_limit,
            ..crate::untimed()
        };
        let checked = self.bench.agreement(program, run, &options)?;
        self.engine_runs += checked.runs;
        match checked.compiled {
            Ok(()) => {
                self.compiled += 1;
                self.sampled += u64::from(!run.sampled.is_empty());
            }
            Err(reason) => one_more(&mut self.refused, reason.to_string()),
        }
        match &checked.result {
            Ok(_) => self.completed += 1,
            Err(error) => {
                self.trapped += 1;
                let kind = match error {
                    RunError::Trap(trap) => format!("{:?}", trap.kind),
                    RunError::State(_) | RunError::Halted(_) => error.to_string(),
                };
                one_more(&mut self.traps, kind);
            }
        }
        for instruction in &program.code {
            let names = match &instruction.body {
                Body::Alu(alu) | Body::Out(alu) => {
                    [Some(format!("rgb {:?}", alu.rgb.op)), Some(format!("alpha {:?}", alu.alpha.op))]
                }
                Body::Flow(flow) => [Some(format!("flow {:?}", flow.op)), None],
                Body::Tex(tex) => [Some(format!("tex {:?}", tex.op)), None],
            };
            names.into_iter().flatten().for_each(|name| one_more(&mut self.operations, name));
        }
        Ok(checked)
    }
}

/// Kinds of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// See [`generate::picture`].
    Picture,
    /// See [`generate::lookups`].
    Lookups,
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
            // As long as code can be, and as slow.
            2..=4 if random.one_in(1024) => Kind::Full,
            2..=4 => Kind::Structured,
            5 | 6 => Kind::Lookups,
            _ => Kind::Picture,
        }
    }
}

/// What conditional values and their buffer have: the unit has a rule of its own for NaNs.
fn float_or_nan(random: &mut Random) -> u32 {
    if random.one_in(4) { 0x7FC0_0000 } else { random.float() }
}

/// Instructions of a program that is not long.
const MOST_INSTRUCTIONS: usize = 80;

/// A structured program, mostly a short one: those that are long take most of the time.
fn structured(random: &mut Random, options: Options) -> Program {
    loop {
        let program = emit(&Structured::random(random, options));
        if program.code.len() <= MOST_INSTRUCTIONS || random.one_in(32) {
            return program;
        }
    }
}

fn program(random: &mut Random, kind: Kind, write_mode: WriteMode) -> Program {
    let mut program = match kind {
        Kind::Picture => {
            let count = 1 + random.below(12);
            generate::picture(random, count)
        }
        Kind::Lookups => generate::lookups(random),
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
            let mut program = match kind {
                Kind::Full => emit(&full(random, options, MAX_INSTRUCTIONS)),
                _ => structured(random, options),
            };
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
    if random.one_in(6) {
        program.info.interpolants = std::array::from_fn(|_| random.one_in(3).then(|| random.below(8) as u8));
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
