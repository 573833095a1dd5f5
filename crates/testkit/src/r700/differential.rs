//! Random R700 jobs on every engine: memory, statistics and errors have to be those of the reference.

use crate::engines;
use crate::r700::environment::Memory;
use ctm_engine::Executor;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_memory::{Bounds, Surface};
use ctm_r700::lift::{Facts, NotLifted, lift};
use ctm_r700::text::print_program;
use ctm_r700::{Job, RunError, reference};

/// Engines, and counters.
#[derive(Debug)]
pub struct Differential {
    engines: Vec<Executor>,
    /// Jobs so far.
    pub jobs: u64,
    /// Those whose programs are not lifted.
    pub not_lifted: u64,
    /// Those that engines run themselves, as no lane depends on others.
    pub free: u64,
    /// Those of them that machine code runs.
    pub compiled: u64,
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
        Differential { engines, jobs: 0, not_lifted: 0, free: 0, compiled: 0, trapped: 0 }
    }

    /// Whether engines run the job themselves.
    ///
    /// # Errors
    /// Why it is not lifted.
    pub fn is_free(job: &Job) -> Result<bool, NotLifted> {
        let whole = |_: &Surface, _: Bounds| false;
        let lifted = lift(job.program, job.fetch_program, &Facts::of(job, &whole))?;
        let sound = ctm_lane::verify(&lifted.function);
        assert!(sound.is_ok(), "{sound:?}\n{}", print_program(job.program));
        Ok(lifted.is_free)
    }

    /// How the jobs so far were run.
    pub fn summary(&self) -> String {
        let Differential { jobs, not_lifted, free, compiled, trapped, .. } = self;
        let dependent = jobs - free - not_lifted;
        format!(
            "{compiled} as machine code, {} interpreted, {dependent} with lanes that depend on others, {not_lifted} not \
             lifted; {trapped} trapped",
            free - compiled
        )
    }

    /// Runs the job with each of the options on every engine.
    ///
    /// What engines run themselves is the same for all options, if nothing traps: so the lift claims. The reference is
    /// asked first whether that is true, as engines can only differ from it if it is not.
    ///
    /// # Errors
    /// With what differs.
    pub fn check(&mut self, job: &Job, memory: &Memory, options: &[RunOptions]) -> Result<(), String> {
        self.jobs += 1;
        let is_free = Self::is_free(job);
        self.not_lifted += u64::from(is_free.is_err());
        if is_free != Ok(true) {
            return Ok(());
        }
        self.free += 1;
        let compiles = |engine: &Executor| matches!(engine, Executor::Engine(engine) if engine.compiles_r700(job));
        self.compiled += u64::from(self.engines.iter().any(compiles));
        let expected: Vec<Outcome> =
            options.iter().map(|options| outcome(memory, || reference::run(job, options))).collect();
        self.trapped += u64::from(expected.iter().any(|(result, _)| result.is_err()));
        let mut completed = options.iter().zip(&expected).filter_map(|(options, (result, contents))| {
            // Groups are all that may differ.
            let stats = RunStats { groups: 0, ..*result.as_ref().ok()? };
            Some((options, (Ok(stats), contents.clone())))
        });
        if let Some((_, first)) = completed.next() {
            for (options, found) in completed {
                compare(job, options, "a false claim that lanes are free: the reference", &found, &first)?;
            }
        }
        for (options, expected) in options.iter().zip(&expected) {
            for engine in &self.engines {
                compare(job, options, engine.name(), &outcome(memory, || engine.run_r700(job, options)), expected)?;
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
