//! What executes programs.

use crate::Error;
use ctm_codegen::EngineName;
use ctm_engine::{Executor, GuestJob};
use ctm_lane::budget::{Cancel, Limits};
use ctm_lane::run::RunOptions;
use ctm_sm50::pipeline::{Draw, Drawn};
use std::fmt;
use std::sync::Arc;

/// Executes programs on all cores, keeps those that it has compiled, and limits each run. Clones share what is kept.
#[derive(Clone, Debug)]
pub struct Engine {
    executor: Arc<Executor>,
    limits: Limits,
    threads: usize,
    cancel: Option<Arc<dyn Cancel>>,
    progress: Option<Progress>,
}

impl Engine {
    /// The fastest engine of this host: machine code, else the interpreter.
    pub fn fastest() -> Self {
        let executor = EngineName::fastest().executor();
        Self::of(executor.unwrap_or_else(|_| Executor::Engine(ctm_engine::Engine::interpreter())))
    }

    /// The engine with this name. All engines give the same bits.
    ///
    /// # Errors
    /// This host cannot run its machine code.
    pub fn named(name: EngineName) -> Result<Self, Error> {
        Ok(Self::of(name.executor()?))
    }

    fn of(executor: Executor) -> Self {
        Engine { executor: Arc::new(executor), limits: Limits::DEFAULT, threads: 0, cancel: None, progress: None }
    }

    /// The same engine with other limits than [`Limits::DEFAULT`] for each run.
    pub fn with_limits(self, limits: Limits) -> Self {
        Engine { limits, ..self }
    }

    /// The same engine with so many threads for each run; 0 is one for each core, as at first.
    pub fn with_threads(self, threads: usize) -> Self {
        Engine { threads, ..self }
    }

    /// The same engine, whose runs end soon after this says so: a flag, or what somebody is asked for.
    pub fn with_cancel(self, cancel: Arc<impl Cancel + 'static>) -> Self {
        Engine { cancel: Some(cancel), ..self }
    }

    /// The same engine, whose runs call this now and then, from any of their threads, with the lanes (of a draw the primitives) that are done
    /// and those in all.
    pub fn with_progress(self, progress: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        Engine { progress: Some(Progress(Arc::new(progress))), ..self }
    }

    /// Its name; of machine code, that of the form.
    pub fn name(&self) -> &'static str {
        self.executor.name()
    }

    /// What each run may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Runs a job of a machine, with everything that can be said of one.
    ///
    /// # Errors
    /// Those of the machine.
    pub fn run<J: GuestJob>(&self, job: &J) -> Result<J::Output, J::Error> {
        self.executor.run(job, &self.options())
    }

    /// Draws with the programs of an SM50 pipeline. [`Program::shader`](crate::Program::shader) makes a stage of a program.
    ///
    /// # Errors
    /// The programs do not fit together, one of them traps, or a limit is reached.
    pub fn draw(&self, draw: &Draw) -> Result<Drawn, Error> {
        let RunOptions { budget, threads, cancel, progress, .. } = self.options();
        let options = RunOptions { budget, threads, cancel, progress, ..Draw::options() };
        Ok(draw.run(&*self.executor, &options)?)
    }

    /// What executes jobs.
    pub(crate) fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Options of a run that begins now.
    pub(crate) fn options(&self) -> RunOptions<'_> {
        let (budget, threads, cancel) = (self.limits.start(), self.threads, self.cancel.as_deref());
        let progress = self.progress.as_ref().map(|Progress(progress)| &**progress as _);
        RunOptions { budget, threads, cancel, progress, ..RunOptions::default() }
    }
}

/// Who is told how far a run is.
#[derive(Clone)]
struct Progress(Arc<dyn Fn(u64, u64) + Send + Sync>);

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::fastest()
    }
}
