//! Executing a job, with time.

use super::utilisation;
use crate::Console;
use crate::options::ExecutionArgs;
use crate::wording::number_of;
use ctm_engine::{CodeCounts, Executor};
use ctm_lane::domain::Lanes;
use ctm_lane::run::{RunOptions, RunStats};
use serde_json::json;
use std::io;
use std::time::{Duration, Instant};

/// What came of a job that ran one or more times.
#[derive(Default)]
pub struct Measured {
    /// What the last run did.
    pub stats: RunStats,
    /// Instructions that it issued, times the lanes that they were issued to, if that was counted.
    pub issued: Option<u64>,
    /// How long it took to prepare the program. The reference executes decoded instructions as they are.
    compile_time: Duration,
    /// How long each run took.
    times: Vec<Duration>,
}

impl Measured {
    /// Prepares a program.
    ///
    /// # Errors
    /// Those of `compile`.
    pub fn compile<P, E>(compile: impl FnOnce() -> Result<P, E>) -> Result<(P, Self), E> {
        let start = Instant::now();
        let program = compile()?;
        Ok((program, Measured { compile_time: start.elapsed(), ..Measured::default() }))
    }

    /// Runs it once.
    ///
    /// # Errors
    /// Those of `run`.
    pub fn run<E>(&mut self, run: impl FnOnce() -> Result<RunStats, E>) -> Result<(), E> {
        let start = Instant::now();
        self.stats = run()?;
        self.times.push(start.elapsed());
        Ok(())
    }

    /// The median time of a run, and the shortest.
    fn times(&self) -> (Duration, Duration) {
        let mut times = self.times.clone();
        times.sort();
        let middle = times.len() / 2;
        let median = match times.len() % 2 {
            0 => (times[middle - 1] + times[middle]) / 2,
            _ => times[middle],
        };
        (median, times[0])
    }

    /// Prints what was executed and how fast.
    pub fn report(
        &self,
        args: &ExecutionArgs,
        executor: &Executor,
        over: Lanes,
        options: &RunOptions,
        console: &mut Console,
    ) -> io::Result<()> {
        let RunStats { lanes, instructions, groups, .. } = self.stats;
        let (median, shortest) = self.times();
        let seconds = median.as_secs_f64();
        let rate = if seconds > 0.0 { instructions as f64 / seconds } else { 0.0 };
        let compile_seconds = self.compile_time.as_secs_f64();
        let engine = executor.name();
        let CodeCounts { proven, explicit, refused, cut_short, access_time, byte_time, .. } = executor.code_counts();
        let check_seconds = (access_time + byte_time).as_secs_f64();
        if args.json {
            let (name, size) = match over {
                Lanes::Area(domain) => ("domain", json!([domain.i1 - domain.i0 + 1, domain.j1 - domain.j0 + 1])),
                Lanes::Line(count) => ("vertices", json!(count)),
            };
            return console.json(&json!({
                "engine": engine,
                "threads": options.threads,
                "group_width": options.group_width,
                name: size,
                "lanes": lanes,
                "instructions": instructions,
                "issued": self.issued,
                "utilisation": utilisation::utilisation(instructions, self.issued),
                "groups": groups,
                "compile_seconds": compile_seconds,
                "code_checks": {
                    "proven": proven, "explicit": explicit, "refused": refused, "cut_short": cut_short,
                    "seconds": check_seconds,
                },
                "run_seconds": seconds,
                "run_seconds_min": shortest.as_secs_f64(),
                "repeat": self.times.len(),
                "instructions_per_second": rate,
            }));
        }
        let out = &mut *console.out;
        let runs =
            if self.times.len() == 1 { String::new() } else { format!(" (median of {} runs)", self.times.len()) };
        let threads = number_of(options.threads, "thread");
        let ran = format!("{} in {}", number_of(lanes as usize, "lane"), number_of(groups as usize, "group"));
        let over = match over {
            Lanes::Area(domain) => {
                format!("domain          {}x{}", domain.i1 - domain.i0 + 1, domain.j1 - domain.j0 + 1)
            }
            Lanes::Line(count) => format!("vertices        {count}"),
        };
        writeln!(out, "engine          {engine}, {threads}, groups of {}", options.group_width)?;
        writeln!(out, "{over}: {ran}")?;
        writeln!(out, "instructions    {instructions}, {:.1} per lane", instructions as f64 / lanes.max(1) as f64)?;
        utilisation::line(instructions, self.issued).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out, "compile time    {:.3} ms", compile_seconds * 1e3)?;
        if proven + explicit + refused > 0 {
            let checked = format!("{proven} proven, {explicit} with explicit bounds, {refused} refused");
            writeln!(out, "code checks     {checked}, in {:.3} ms", check_seconds * 1e3)?;
        }
        writeln!(out, "run time        {:.3} ms{runs}", seconds * 1e3)?;
        writeln!(out, "speed           {:.1} million instructions per second, over all lanes", rate / 1e6)
    }
}
