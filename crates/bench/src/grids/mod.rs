//! Grids of threads with global memory and with shared memory: the engine beside the reference, with the same bytes.

use crate::machine::Machine;
use crate::markdown;
use crate::sample::Sample;
use ctm_codegen::EngineName;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, BASE_ALIGNMENT, Space};
use ctm_sm50::launch::{Environment, Grid, Invocations, Shader, StageLaunch, StageRunner};
use ctm_sm50::reference::Reference;
use ctm_sm50::{AttributeMap, Program, text};
use serde_json::{Value, json};
use std::time::Instant;

/// A program.
struct Kernel {
    name: &'static str,
    source: &'static str,
    blocks: u32,
}

macro_rules! kernel {
    ($name:literal, $blocks:expr) => {
        Kernel {
            name: $name,
            source: include_str!(concat!("../../../../benches/sm50/", $name, ".sm50")),
            blocks: $blocks,
        }
    };
}

/// The programs. Those whose threads share memory have fewer blocks, as the reference takes long for them.
const PROGRAMS: [Kernel; 6] = [
    kernel!("saxpy", BLOCKS),
    kernel!("mixed", BLOCKS),
    kernel!("reduction", BLOCKS / 16),
    kernel!("matrix", BLOCKS / 16),
    kernel!("histogram", BLOCKS / 16),
    kernel!("bitonic", BLOCKS / 16),
];
/// Threads of a block, most blocks, and bytes of the shared memory of a block.
const BLOCK: u32 = 256;
const BLOCKS: u32 = 4096;
const THREADS: u32 = BLOCK * BLOCKS;
const SHARED: u32 = 2048;
/// Words after x.
const TABLE: u32 = 1024;
/// Where x and y are.
const X: u32 = 0x100_0000;
const Y: u32 = 0x200_0000;
/// Runs of the engine.
const ROUNDS: usize = 20;
/// How much faster the engine is to be.
const MARK: f64 = 50.0;

/// What was measured, for one program.
#[derive(Debug)]
struct Row {
    name: &'static str,
    threads: u32,
    instructions: usize,
    reference: f64,
    engine: Sample,
}

impl Row {
    fn times_as_fast(&self) -> f64 {
        self.reference / self.engine.least()
    }

    fn nanoseconds(&self) -> f64 {
        self.engine.least() * 1e9 / f64::from(self.threads)
    }
}

/// Everything that was measured.
#[derive(Debug)]
pub struct Measurement {
    machine: Machine,
    engine: EngineName,
    rows: Vec<Row>,
}

impl Measurement {
    /// Measures the fastest engine, with a thread for each processor, against the reference, which has one.
    pub fn new(progress: fn(&str)) -> Self {
        let engine = EngineName::fastest();
        let measured = |kernel: &Kernel| {
            progress(kernel.name);
            row(kernel, engine)
        };
        Measurement { machine: Machine::new(), engine, rows: PROGRAMS.iter().map(measured).collect() }
    }

    /// Whether the engine is as fast as it is to be.
    pub fn marks_are_met(&self) -> bool {
        self.rows.iter().all(|row| row.times_as_fast() >= MARK)
    }

    fn table(&self) -> String {
        let head =
            ["program", "threads", "instructions", "reference, ms", "engine, ms", "times as fast", "ns for a thread"];
        let line = |row: &Row| {
            vec![
                row.name.to_owned(),
                row.threads.to_string(),
                row.instructions.to_string(),
                format!("{:.0}", row.reference * 1e3),
                format!("{:.2}", row.engine.least() * 1e3),
                format!("{:.0}", row.times_as_fast()),
                format!("{:.1}", row.nanoseconds()),
            ]
        };
        let head = head.map(str::to_owned).to_vec();
        let lines: Vec<_> = std::iter::once(head).chain(self.rows.iter().map(line)).collect();
        markdown::table(&lines)
    }

    fn outcome(&self) -> String {
        let outcome = if self.marks_are_met() { "met" } else { "MISSED" };
        format!("{outcome}: {} runs all programs {MARK} times as fast as the reference", self.engine.name())
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        format!("{}\n{}\n", self.table(), self.outcome())
    }

    /// The page `docs/performance-sm50.md`.
    pub fn page(&self) -> String {
        let machine = self.machine.0.iter().map(|(name, value)| format!("{name}: {value}"));
        include_str!("page.md")
            .replace("{machine}", markdown::list(machine).trim_end())
            .replace("{table}", self.table().trim_end())
            .replace("{outcome}", &self.outcome())
            .replace("{rounds}", &ROUNDS.to_string())
    }

    /// For programs. Times are in seconds.
    pub fn json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "program": row.name,
                "threads": row.threads,
                "instructions": row.instructions,
                "reference_s": row.reference,
                "engine_s": row.engine.least(),
            })
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        json!({ "machine": self.machine.json(), "engine": self.engine.name(), "rows": rows })
    }
}

/// Global memory before a run.
fn memory() -> Space {
    let mut space = Space::default();
    for base in [X, Y] {
        let size = (4 * (THREADS + TABLE)).next_multiple_of(BASE_ALIGNMENT);
        let arena = Arena::new(base, size).unwrap_or_else(|error| panic!("{error}"));
        let words = (0..size / 4).map(|n| n.wrapping_mul(0x9E37_79B9) >> 9 | 0x3F80_0000);
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        arena.write_bytes(base, &bytes);
        space.map(arena).unwrap_or_else(|error| panic!("{error}"));
    }
    space
}

/// The time of a run, and the bytes of y after it.
fn run(program: &Program, blocks: u32, runner: &dyn StageRunner) -> (f64, Vec<u8>) {
    let memory = memory();
    let mut environment = Environment { memory: Some(&memory), ..Environment::default() };
    let mut bank = vec![0; 0x50];
    bank.extend([THREADS, X, Y, 0.75f32.to_bits(), X + 4 * THREADS]);
    environment.constants.set_bank(0, bank);
    let grid = Grid::new([blocks, 1, 1], [BLOCK, 1, 1]).expect("sizes of a launch");
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let shader = Shader { shared_memory: SHARED, ..Shader::from(program) };
    let launch = StageLaunch {
        grid: Some(grid),
        ..StageLaunch::new(shader, &environment, &invocations, AttributeMap::default())
    };
    let start = Instant::now();
    runner.run(&launch, &RunOptions::default()).unwrap_or_else(|stop| panic!("{stop}"));
    let time = start.elapsed().as_secs_f64();
    let mut bytes = vec![0; 4 * THREADS as usize];
    memory.read_bytes(Y, &mut bytes).unwrap_or_else(|error| panic!("{error}"));
    (time, bytes)
}

fn row(kernel: &Kernel, engine: EngineName) -> Row {
    let &Kernel { name, source, blocks } = kernel;
    let program = text::parse(source).unwrap_or_else(|errors| panic!("{name}: {errors:?}")).program;
    let executor = engine.executor().unwrap_or_else(|error| panic!("{error}"));
    let (reference, expected) = run(&program, blocks, &Reference);
    let mut sample = Sample::default();
    for round in 0..=ROUNDS {
        let (time, bytes) = run(&program, blocks, &executor);
        assert!(bytes == expected, "{name}: other bytes than the reference's");
        if round > 0 {
            sample.add(time);
        }
    }
    Row { name, threads: blocks * BLOCK, instructions: program.code.instructions().len(), reference, engine: sample }
}
