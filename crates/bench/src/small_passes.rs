//! Many small runs of several programs in turn: what a run costs beside the kernel's own time, and whether the compilation
//! of one program waits for that of another.
//!
//! The kernel's own time grows with the rows of the domain, and the rest does not: twice the time of half of the rows, less the
//! time of all, is the rest.

use crate::guest::x1k::Start;
use crate::kernel::{Isa, KERNELS, Kernel};
use crate::machine::Machine;
use crate::markdown;
use crate::sample::Sample;
use ctm_codegen::EngineName;
use ctm_x1k::{Domain, Job, RunOptions};
use serde_json::{Value, json};
use std::time::Instant;

/// The programs that take turns.
const PROGRAMS: [&str; 3] = ["copy", "mad", "conv5"];
/// Side of surfaces and domains.
const SIDE: u32 = 64;
/// Rows of the domains.
const ROWS: [u32; 2] = [SIDE / 2, SIDE];
/// Measurements.
const ROUNDS: usize = 60;
/// Runs of each program in one measurement.
const TURNS: usize = 200;
/// Microseconds that a run may take beyond the kernel's own time.
const MARK: f64 = 5.0;

/// How a run finds its compiled program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lookup {
    /// By the handle that compiling it gave.
    Handle,
    /// By the engine's cache.
    Cache,
}

/// What was measured, for one engine.
#[derive(Debug)]
struct Row {
    engine: EngineName,
    way: Lookup,
    /// Seconds of a run for each of [`ROWS`]. The least counts, since other work on the machine only adds to it.
    run: [Sample; 2],
}

impl Row {
    /// Microseconds of a run beyond the kernel's own time.
    fn overhead(&self) -> f64 {
        let [half, whole] = self.run.each_ref().map(|run| run.least() * 1e6);
        2.0 * half - whole
    }
}

/// Everything that was measured.
#[derive(Debug)]
pub struct Measurement {
    machine: Machine,
    rows: Vec<Row>,
    /// Time that two threads take to compile two programs at once, by the time that one takes for the slower of them.
    together: Sample,
}

impl Measurement {
    /// Measures the fastest engine, on one thread.
    pub fn new(progress: fn(&str)) -> Self {
        let machine = Machine::new();
        let engine = EngineName::fastest();
        let measured = |way| {
            progress(&format!("{} by {way:?}", engine.name()));
            row(engine, way)
        };
        let rows = [Lookup::Handle, Lookup::Cache].map(measured).into();
        progress("compilation by two threads");
        Measurement { machine, rows, together: together() }
    }

    /// Whether runs cost as little as they are to.
    pub fn marks_are_met(&self) -> bool {
        self.rows.iter().all(|row| row.overhead() <= MARK)
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        let head = ["engine", "program by", "run over 64x64, us", "beyond the kernel, us"].map(str::to_owned).to_vec();
        let line = |row: &Row| {
            let whole = row.run[1].least() * 1e6;
            let way = format!("{:?}", row.way).to_lowercase();
            vec![row.engine.name().to_owned(), way, format!("{whole:.2}"), format!("{:.2}", row.overhead())]
        };
        let lines: Vec<_> = std::iter::once(head).chain(self.rows.iter().map(line)).collect();
        let outcome = if self.marks_are_met() { "met" } else { "MISSED" };
        format!(
            "{}\n{outcome}: a run takes at most {MARK} us beyond the kernel's own time\n\
             two programs compiled by two threads at once: {:.2} times as long as the slower one alone\n",
            markdown::table(&lines),
            self.together.median()
        )
    }

    /// For programs. Times are in microseconds.
    pub fn json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "engine": row.engine.name(),
                "program_by": format!("{:?}", row.way).to_lowercase(),
                "run_us": row.run[1].least() * 1e6,
                "overhead_us": row.overhead(),
            })
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        json!({ "machine": self.machine.json(), "rows": rows, "two_threads": self.together.median() })
    }
}

fn kernels() -> impl Iterator<Item = &'static Kernel> {
    KERNELS.iter().filter(|kernel| PROGRAMS.contains(&kernel.name))
}

fn starts(engine: EngineName) -> Vec<Start> {
    kernels().map(|kernel| Start::with_side(&kernel.folder(Isa::X1k), engine, SIDE)).collect()
}

fn row(engine: EngineName, way: Lookup) -> Row {
    let options = RunOptions { threads: 1, ..RunOptions::default() };
    let executor = engine.executor().unwrap_or_else(|error| panic!("{error}"));
    let starts = starts(engine);
    let jobs = ROWS.map(|rows| {
        let domain = Domain { i0: 0, j0: 0, i1: SIDE - 1, j1: rows - 1 };
        starts.iter().map(|start| Job { domain, ..start.job() }).collect::<Vec<_>>()
    });
    // Programs do not depend on domains.
    let compile = |job| executor.compile(job).unwrap_or_else(|error| panic!("{error}"));
    let programs: Vec<_> = jobs[0].iter().map(compile).collect();
    let mut run = [Sample::default(), Sample::default()];
    for round in 0..=ROUNDS {
        for (jobs, sample) in jobs.iter().zip(&mut run) {
            let start = Instant::now();
            for _ in 0..TURNS {
                for (job, program) in jobs.iter().zip(&programs) {
                    let result = match way {
                        Lookup::Handle => program.run(job, &options),
                        Lookup::Cache => executor.run(job, &options),
                    };
                    result.unwrap_or_else(|error| panic!("{error}"));
                }
            }
            if round > 0 {
                sample.add(start.elapsed().as_secs_f64() / (TURNS * jobs.len()) as f64);
            }
        }
    }
    Row { engine, way, run }
}

/// Two programs, compiled alone and together, with one engine each time.
fn together() -> Sample {
    let engine = EngineName::fastest();
    let starts = starts(engine);
    let jobs = [starts[0].job(), starts[2].job()];
    let new = || engine.executor().unwrap_or_else(|error| panic!("{error}"));
    let mut ratio = Sample::default();
    for _ in 0..ROUNDS {
        let time = |jobs: &[&Job]| {
            let executor = new();
            let start = Instant::now();
            std::thread::scope(|scope| {
                for job in jobs {
                    scope.spawn(|| drop(executor.compile(*job)));
                }
            });
            start.elapsed().as_secs_f64()
        };
        let alone = jobs.each_ref().map(|job| time(&[job]));
        ratio.add(time(&[&jobs[0], &jobs[1]]) / alone[0].max(alone[1]));
    }
    ratio
}
