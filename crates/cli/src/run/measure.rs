//! Executing a job, with time.

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
pub struct Measured {
    /// What a run did; all runs do the same.
    pub stats: RunStats,
    /// How long it took to prepare the program. The reference executes decoded instructions as they are.
    compile_time: Duration,
    /// How long each run took, in ascending order.
    times: Vec<Duration>,
}

/// Runs a job `repeat` times; `reset` prepares memory before each and is not timed.
pub fn measure<P, E>(
    repeat: u32,
    prepare: impl FnOnce() -> Result<P, E>,
    reset: impl Fn(),
    mut run: impl FnMut(&P) -> Result<RunStats, E>,
) -> Result<Measured, E> {
    let start = Instant::now();
    let program = prepare()?;
    let mut measured = Measured { stats: RunStats::default(), compile_time: start.elapsed(), times: Vec::new() };
    for _ in 0..repeat {
        reset();
        let start = Instant::now();
        measured.stats = run(&program)?;
        measured.times.push(start.elapsed());
    }
    measured.times.sort();
    Ok(measured)
}

impl Measured {
    /// The median time of a run.
    fn median(&self) -> Duration {
        let middle = self.times.len() / 2;
        match self.times.len() % 2 {
            0 => (self.times[middle - 1] + self.times[middle]) / 2,
            _ => self.times[middle],
        }
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
        let seconds = self.median().as_secs_f64();
        let rate = if seconds > 0.0 { instructions as f64 / seconds } else { 0.0 };
        let compile_seconds = self.compile_time.as_secs_f64();
        let engine = executor.name();
        let CodeCounts { proven, explicit, refused, access_time, byte_time, .. } = executor.code_counts();
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
                "groups": groups,
                "compile_seconds": compile_seconds,
                "code_checks": {
                    "proven": proven, "explicit": explicit, "refused": refused, "seconds": check_seconds,
                },
                "run_seconds": seconds,
                "run_seconds_min": self.times[0].as_secs_f64(),
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
        writeln!(out, "compile time    {:.3} ms", compile_seconds * 1e3)?;
        if proven + explicit + refused > 0 {
            let checked = format!("{proven} proven, {explicit} with explicit bounds, {refused} refused");
            writeln!(out, "code checks     {checked}, in {:.3} ms", check_seconds * 1e3)?;
        }
        writeln!(out, "run time        {:.3} ms{runs}", seconds * 1e3)?;
        writeln!(out, "speed           {:.1} million instructions per second, over all lanes", rate / 1e6)
    }
}
