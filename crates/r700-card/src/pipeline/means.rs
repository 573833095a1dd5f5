//! What the programs of a draw run with.

use super::DrawError;
use super::history::Probe;
use super::workspace::Scratch;
use ctm_engine::Executor;
use ctm_lane::domain::Lanes;
use ctm_lane::run::RunOptions;
use ctm_memory::Arena;
use ctm_r700::{Job, Program};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What programs run with.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// The card's memory.
    pub memory: &'a Arc<Arena>,
    /// What executes programs that run for many lanes.
    pub executor: &'a Executor,
    /// What outlives draws.
    pub scratch: &'a Scratch,
    /// Limits.
    pub options: RunOptions<'static>,
    /// What looks at a pixel, if one is watched.
    pub probe: Option<&'a Probe<'a>>,
}

impl Means<'_> {
    /// Runs a program: on the executor, once so many lanes have run it that preparing it there is worth it. What is drawn is the same.
    ///
    /// # Errors
    /// The program does what the machine cannot do, or the time is up.
    pub fn run(&self, job: &Job) -> Result<(), DrawError> {
        let lanes = match job.lanes {
            Lanes::Line(count) => u64::from(count),
            Lanes::Area(domain) => u64::from(domain.i1 - domain.i0 + 1) * u64::from(domain.j1 - domain.j0 + 1),
        };
        match self.executor_of(job.program, job.fetch_program, lanes) {
            Some(executor) => executor.run(job, &self.options)?,
            None => ctm_r700::reference::run(job, &self.options)?,
        };
        Ok(())
    }

    /// The executor, if so many more lanes make it worth it to prepare a program there; otherwise the reference runs it.
    pub fn executor_of(&self, program: &Program, fetch: Option<&Program>, lanes: u64) -> Option<&Executor> {
        self.scratch.is_worth_it(hash(program, fetch), lanes).then_some(self.executor)
    }
}

fn hash(program: &Program, fetch: Option<&Program>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&program.code, fetch.map(|fetch| &fetch.code)).hash(&mut hasher);
    hasher.finish()
}
