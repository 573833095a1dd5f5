//! What the programs of a draw run with.

use super::DrawError;
use super::draw_memory::DrawCache;
use super::history::Probe;
use crate::programs::StageProgram;
use crate::state::State;
use ctm_engine::Executor;
use ctm_lane::domain::Lanes;
use ctm_lane::run::RunOptions;
use ctm_memory::Arena;
use ctm_r700::{Job, Stage};
use std::sync::Arc;

/// What programs run with.
#[derive(Clone, Copy)]
pub struct DrawContext<'a> {
    /// The card's memory.
    pub memory: &'a Arc<Arena>,
    /// What executes programs that run for many lanes.
    pub executor: &'a Executor,
    /// What outlives draws.
    pub cache: &'a DrawCache,
    /// Limits.
    pub options: RunOptions<'static>,
    /// What looks at a pixel, if one is watched.
    pub probe: Option<&'a Probe<'a>>,
}

impl DrawContext<'_> {
    /// Runs a program, and the fetch program that it calls, which have this hash: on the executor, once so many lanes have run it that preparing it there is worth it. What is drawn is the same.
    ///
    /// # Errors
    /// The program does what the machine cannot do, or the time is up.
    pub fn run(&self, job: &Job, hash: u64) -> Result<(), DrawError> {
        let lanes = match job.lanes {
            Lanes::Line(count) => u64::from(count),
            Lanes::Area(domain) => u64::from(domain.i1 - domain.i0 + 1) * u64::from(domain.j1 - domain.j0 + 1),
        };
        match self.executor_of(hash, lanes) {
            Some(executor) => executor.run(job, &self.options)?,
            None => ctm_r700::reference::run(job, &self.options)?,
        };
        Ok(())
    }

    /// The executor, if so many more lanes make it worth it to prepare the program with this hash there; otherwise the reference runs it.
    pub fn executor_of(&self, hash: u64, lanes: u64) -> Option<&Executor> {
        self.cache.is_worth_it(hash, lanes).then_some(self.executor)
    }

    /// The program of a stage, with what it uses, if there is one.
    pub fn program(&self, state: &State, stage: Stage) -> Option<Arc<StageProgram>> {
        self.cache.program(&state.registers, stage, self.memory)
    }
}
