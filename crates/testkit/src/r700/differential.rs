//! Random R700 jobs on every engine: memory, statistics and errors have to be those of the reference.

use crate::engines;
use crate::r700::environment::Memory;
use ctm_engine::Executor;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_memory::{Bounds, Surface};
use ctm_r700::lift::{Facts, lift};
use ctm_r700::text::print_program;
use ctm_r700::{Job, RunError, reference};

/// Engines, and counters.
#[derive(Debug)]
pub struct Differential {
    engines: Vec<Executor>,
    /// Jobs so far.
    pub jobs: u64,
    /// Those that the engines run themselves.
    pub free: u64,
    /// Those of them that trapped.
    pub trapped: u64,
}

impl Default for Differential {
    fn default() -> Self {
        Self::new()
    }
}

type Outcome = (Result<RunStats, RunError>, Option<Vec<u8>>);

impl Differential {
    /// All engines of this host, but the reference.
    pub fn new() -> Self {
        let engines = engines().into_iter().filter(|engine| !matches!(engine, Executor::Reference)).collect();
        Differential { engines, jobs: 0, free: 0, trapped: 0 }
    }

    /// Whether engines run the job themselves.
    pub fn is_free(job: &Job) -> bool {
        let whole = |_: &Surface, _: Bounds| false;
        lift(job.program, job.fetch_program, &Facts::of(job, &whole)).is_ok_and(|lifted| {
            let sound = ctm_lane::verify(&lifted.function);
            assert!(sound.is_ok(), "{sound:?}\n{}", print_program(job.program));
            lifted.is_free
        })
    }

    /// Runs the job with each of the options on every engine. What engines run themselves has to be the same for all of
    /// them, if nothing traps.
    ///
    /// # Errors
    /// With what differs.
    pub fn check(&mut self, job: &Job, memory: &Memory, options: &[RunOptions]) -> Result<(), String> {
        self.jobs += 1;
        if !Self::is_free(job) {
            return Ok(());
        }
        self.free += 1;
        let mut first: Option<Outcome> = None;
        for options in options {
            let expected = outcome(memory, || reference::run(job, options));
            self.trapped += u64::from(expected.0.is_err());
            for engine in &self.engines {
                compare(job, options, engine.name(), &outcome(memory, || engine.run_r700(job, options)), &expected)?;
            }
            match (&expected.0, &first) {
                (Ok(stats), Some(first)) => {
                    let groups = first.0.as_ref().map_or(0, |stats| stats.groups);
                    let expected = (Ok(RunStats { groups, ..*stats }), expected.1);
                    compare(job, options, "the reference itself", &expected, first)?;
                }
                (Ok(_), None) => first = Some(expected),
                (Err(_), _) => {}
            }
        }
        Ok(())
    }
}

/// What comes of a run, and memory if that is defined.
fn outcome(memory: &Memory, run: impl FnOnce() -> Result<RunStats, RunError>) -> Outcome {
    memory.reset();
    let result = run();
    let contents = result.is_ok().then(|| memory.contents());
    (result, contents)
}

fn compare(job: &Job, options: &RunOptions, name: &str, found: &Outcome, expected: &Outcome) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let first = found.1.iter().flatten().zip(expected.1.iter().flatten()).position(|(a, b)| a != b);
    let word = first.map(|at| {
        let word = |outcome: &Outcome| outcome.1.as_ref().and_then(|bytes| bytes[at & !3..].first_chunk().copied());
        let [found, expected] = [found, expected].map(|outcome| word(outcome).map(u32::from_le_bytes));
        format!("at byte {:#x} {found:x?} instead of {expected:x?}", at & !3)
    });
    Err(format!(
        "{name}: {:?} instead of {:?}, {}\nwidth {}, {} threads, {} steps\n{job:#?}\n{}\n{}",
        found.0,
        expected.0,
        word.unwrap_or_default(),
        options.group_width,
        options.threads,
        options.step_limit,
        print_program(job.program),
        job.fetch_program.map(print_program).unwrap_or_default(),
    ))
}
