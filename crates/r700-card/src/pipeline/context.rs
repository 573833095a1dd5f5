//! What the programs of a draw run with.

use super::DrawError;
use super::draw_memory::DrawCache;
use super::history::Probe;
use crate::programs::StageProgram;
use crate::state::State;
use ctm_card::SlowPathNote;
use ctm_engine::{Compiled, Executor, GuestJob};
use ctm_lane::domain::Lanes;
use ctm_lane::run::RunOptions;
use ctm_memory::Arena;
use ctm_r700::engine::Kernels;
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
    /// Slow ways that draws go.
    pub slow: &'a SlowPathNote,
    /// What looks at a pixel, if one is watched.
    pub probe: Option<&'a Probe<'a>>,
}

/// A program as an engine runs it.
pub type CompiledProgram = Compiled<<Job<'static> as GuestJob>::Key, <Job<'static> as GuestJob>::Kernels>;

/// The program's kernels, if an engine has some.
pub fn kernels(compiled: &CompiledProgram) -> Option<&Kernels> {
    compiled.kernels()?.as_ref().ok()
}

/// Whether no run of the program stops.
pub fn is_safe(compiled: &CompiledProgram, options: &RunOptions) -> bool {
    kernels(compiled).is_some_and(|kernels| kernels.is_safe(options))
}

/// How many lanes a job has.
pub fn lanes(job: &Job) -> u64 {
    match job.lanes {
        Lanes::Line(count) => u64::from(count),
        Lanes::Area(domain) => u64::from(domain.i1 - domain.i0 + 1) * u64::from(domain.j1 - domain.j0 + 1),
    }
}

impl DrawContext<'_> {
    /// Runs a program, and the fetch program that it calls, which have this hash: on the executor, once so many lanes have run it that preparing it there is worth it. What is drawn is the same.
    ///
    /// # Errors
    /// The program does what the machine cannot do, or the time is up.
    pub fn run(&self, job: &Job, hash: u64) -> Result<(), DrawError> {
        match self.executor_of(hash, lanes(job)) {
            Some(executor) => executor.run(job, &self.options)?,
            None => return self.run_reference(job),
        };
        Ok(())
    }

    /// Runs a program on the reference.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_reference(&self, job: &Job) -> Result<(), DrawError> {
        ctm_r700::reference::run(job, &self.options)?;
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
