//! Programs of the compiler beside those that Mesa's r300 compiler makes of the same sources.

use super::count::{self, Size};
use super::sources;
use super::speed::{self, Speed};
use super::table::{self, Entry, Table};
use crate::machine::Machine;
use crate::sample::Sample;
use ctm_testkit::shaders::compiled::{compile, job};
use ctm_testkit::shaders::{Environment, Shader};
use std::time::Instant;

/// Times that a source is compiled.
const TIMES: usize = 7;
/// The share of Mesa's instructions that programs are to have at most, in the geometric mean.
const MEAN: f64 = 0.95;
/// The same for each program.
const MOST: f64 = 1.25;
/// Milliseconds that a source is to take at most.
const TIME: f64 = 10.0;

/// What the compiler made of a source.
#[derive(Debug)]
pub struct Ours {
    /// Its instructions.
    pub size: Size,
    /// Instructions that a group of 16 lanes executes, on the average.
    pub executed: f64,
    /// Times from text to program.
    pub times: Sample,
}

/// A source.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The program, or why there is none.
    pub ours: Result<Ours, String>,
    /// What Mesa made of it.
    pub mesa: Option<Entry>,
}

/// Everything that was measured.
#[derive(Debug)]
pub struct Measurement {
    /// Where.
    pub machine: Machine,
    /// Mesa's compiler.
    pub compiler: String,
    /// The sources.
    pub rows: Vec<Row>,
    /// The kernels among them, as they run.
    pub speeds: Vec<Speed>,
}

impl Row {
    /// How many times Mesa's instructions the program has.
    pub fn size(&self) -> Option<f64> {
        let (Ok(ours), Some(Entry::Program(mesa, _))) = (&self.ours, &self.mesa) else { return None };
        Some(ours.size.instructions() as f64 / mesa.instructions() as f64)
    }

    /// How many times as many instructions its groups execute as those of Mesa's program.
    pub fn executed(&self) -> Option<f64> {
        let (Ok(ours), Some(Entry::Program(_, Some(mesa)))) = (&self.ours, &self.mesa) else { return None };
        Some(ours.executed / mesa)
    }

    /// Milliseconds from text to program.
    pub fn time(&self) -> Option<f64> {
        Some(self.ours.as_ref().ok()?.times.least() * 1e3)
    }
}

impl Measurement {
    /// Measures the GLSL sources whose names begin so. `progress` is told the name of each.
    pub fn new(only: &str, progress: impl Fn(&str)) -> Self {
        let text = std::fs::read_to_string(table::path()).unwrap_or_default();
        let table = Table::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let machine = Machine::new();
        let wanted = sources().into_iter().filter(|shader| shader.name.starts_with(only));
        let rows = wanted.map(|shader| {
            progress(&shader.name);
            Row { ours: ours(&shader), mesa: table.entries.get(&shader.name).cloned(), name: shader.name }
        });
        let rows = rows.collect();
        let speeds = speed::measure(only, progress);
        Measurement { machine, compiler: table.compiler, rows, speeds }
    }

    /// Geometric means of the sizes, and of what is executed.
    pub fn means(&self) -> [f64; 2] {
        let mean = |ratio: fn(&Row) -> Option<f64>| {
            let logarithms: Vec<f64> = self.rows.iter().filter_map(ratio).map(f64::ln).collect();
            (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
        };
        [mean(Row::size), mean(Row::executed)]
    }

    /// The marks, what is reached, and whether it is enough.
    pub fn marks(&self) -> Vec<(String, bool)> {
        let [size, executed] = self.means();
        let missing = self.rows.iter().filter(|row| row.ours.is_err()).count();
        let larger: Vec<_> = self.rows.iter().filter(|row| row.size().is_some_and(|ratio| ratio > MOST)).collect();
        let most = self.greatest(Row::size).map_or(String::new(), |(name, ratio)| format!("{ratio:.2} ({name})"));
        let (slowest, time) = self.greatest(Row::time).unwrap_or_default();
        vec![
            (format!("geometric mean of instructions at most {MEAN} of r300's: {size:.3}"), size <= MEAN),
            (
                format!("no program more than {MOST} of r300's: {} programs are, the greatest is {most}", larger.len()),
                larger.is_empty(),
            ),
            (
                format!("geometric mean of executed instructions at most {MEAN} of r300's: {executed:.3}"),
                executed <= MEAN,
            ),
            (format!("every source in less than {TIME} ms: {time:.2} ms ({slowest})"), time < TIME),
            (format!("every source compiles: {missing} do not"), missing == 0),
        ]
    }

    /// The geometric mean of our times as shares of Mesa's.
    pub fn speed(&self) -> f64 {
        let logarithms: Vec<f64> = self.speeds.iter().filter_map(Speed::ratio).map(f64::ln).collect();
        (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
    }

    fn greatest(&self, of: fn(&Row) -> Option<f64>) -> Option<(&str, f64)> {
        let values = self.rows.iter().filter_map(|row| Some((row.name.as_str(), of(row)?)));
        values.max_by(|(_, a), (_, b)| a.total_cmp(b))
    }
}

fn ours(shader: &Shader) -> Result<Ours, String> {
    let compiled = compile(shader).map_err(|error| format!("line {}: {error}", error.line()))?;
    let mut times = Sample::default();
    for _ in 0..TIMES {
        let start = Instant::now();
        let made = compile(shader);
        times.add(start.elapsed().as_secs_f64());
        drop(made);
    }
    let environment = Environment::new(shader);
    let executed = count::executed(&job(&compiled, shader, &environment)?)?;
    Ok(Ours { size: Size::of(&compiled.program.code), executed, times })
}
