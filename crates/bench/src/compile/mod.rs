//! How long programs take from words to machine code: decoding, lifting, simplification, selection, allocation, encoding.

mod programs;
mod report;

pub use report::{json, page, text};

use crate::machine::Machine;
use crate::sample::Sample;
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use std::time::Instant;

/// Times that machine code is made of a program for each engine, after a first time that does not count.
const TIMES: usize = 15;
/// The share of the time of all programs together that the check of accesses, which all code has, is to take at most.
const ACCESS_CHECK: f64 = 0.05;

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A kernel of `benches`.
    Kernel,
    /// A program of `tests/corpus`.
    Corpus,
    /// Made to be as long as X1K allows.
    Full,
}

/// What one program took.
#[derive(Debug)]
pub struct Row {
    /// Its instruction set.
    pub isa: &'static str,
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Bytes of its code.
    pub bytes: usize,
    /// For each engine; none if it does not become machine code.
    pub times: Vec<Option<Times>>,
}

/// How long machine code takes to be made.
#[derive(Debug, Default)]
pub struct Times {
    /// Seconds, as engines make it without being asked for anything.
    pub all: Sample,
    /// The shares of these that it takes to show that accesses stay inside their memory.
    pub access_check: Sample,
    /// What an engine that checks the bytes too takes for that, as shares of the time without.
    pub byte_check: Sample,
}

/// Everything that was measured.
#[derive(Debug)]
pub struct Measurement {
    /// Where.
    pub machine: Machine,
    /// For which machine code.
    pub engines: Vec<EngineName>,
    /// The programs.
    pub rows: Vec<Row>,
}

impl Measurement {
    /// Measures all forms of machine code that this host can run, of programs whose instruction set and name begin with `only`. `progress` is told
    /// the name of what was measured.
    pub fn new(only: &str, progress: fn(&str)) -> Self {
        let forms = [EngineName::JitAvx512, EngineName::JitAvx2];
        let engines: Vec<_> = forms.into_iter().filter(|&name| name.executor().is_ok()).collect();
        let machine = Machine::new();
        let rows = programs::measure(&engines, only, progress);
        Measurement { machine, engines, rows }
    }

    /// Whether every program is as fast as it is to be.
    pub fn marks_are_met(&self) -> bool {
        self.rows.iter().all(Row::meets_mark) && self.access_check() <= ACCESS_CHECK
    }

    /// The share of the time of all programs and engines together that the check of accesses takes.
    pub fn access_check(&self) -> f64 {
        let times = || self.rows.iter().flat_map(|row| row.times.iter().flatten());
        let checked: f64 = times().map(|times| times.all.median() * times.access_check.median()).sum();
        checked / times().map(|times| times.all.median()).sum::<f64>()
    }

    /// The medians of the shares that the checks of accesses and of bytes take, of all programs and engines.
    pub fn checks(&self) -> [Sample; 2] {
        let mut samples = <[Sample; 2]>::default();
        for shares in self.rows.iter().flat_map(Row::checks) {
            samples.iter_mut().zip(shares).for_each(|(sample, share)| sample.add(share));
        }
        samples
    }
}

impl Row {
    /// The longest of the engines' medians, in milliseconds.
    pub fn slowest(&self) -> f64 {
        self.times.iter().flatten().map(|times| times.all.median() * 1e3).fold(0.0, f64::max)
    }

    /// Milliseconds within which the program is to be machine code.
    pub fn mark(&self) -> f64 {
        match self.origin {
            Origin::Kernel | Origin::Corpus => 5.0,
            Origin::Full => 50.0,
        }
    }

    /// Whether the program is made in time for every engine.
    pub fn meets_mark(&self) -> bool {
        self.slowest() < self.mark()
    }

    /// The medians of the shares of the time that the checks of accesses and of bytes take, for each engine.
    pub fn checks(&self) -> impl Iterator<Item = [f64; 2]> {
        self.times.iter().flatten().map(|times| [&times.access_check, &times.byte_check].map(Sample::median))
    }
}

/// The times of what makes machine code with an engine that has prepared nothing yet.
fn times(engine: EngineName, make: impl Fn(&Executor)) -> Times {
    let mut times = Times::default();
    for time in 0..=TIMES {
        let executor = engine.executor().unwrap_or_else(|error| panic!("{error}"));
        let start = Instant::now();
        make(&executor);
        let seconds = start.elapsed().as_secs_f64();
        let checking = engine.checked_executor().unwrap_or_else(|error| panic!("{error}"));
        make(&checking);
        if time != 0 {
            times.all.add(seconds);
            times.access_check.add(executor.code_counts().access_time.as_secs_f64() / seconds);
            times.byte_check.add(checking.code_counts().byte_time.as_secs_f64() / seconds);
        }
    }
    times
}
