//! What runs jobs: the scalar reference or an engine.

use crate::backend::{Backend, CodeCounts};
use crate::engine::{Compiled, Engine};
use crate::guest::GuestJob;
use ctm_lane::effort::Effort;
use ctm_lane::run::RunOptions;
use std::fmt;

/// Executes jobs with one engine, and keeps what it has prepared for them.
pub enum Executor {
    /// The scalar reference, which prepares nothing.
    Reference,
    /// Lane IR, interpreted or compiled.
    Engine(Engine),
}

impl Executor {
    /// The name of the scalar reference, for people.
    pub const REFERENCE: &str = "reference";

    /// The name of the engine, for people: that of the form, where machine code has several.
    pub fn name(&self) -> &'static str {
        match self {
            Executor::Reference => Self::REFERENCE,
            Executor::Engine(engine) => engine.name(),
        }
    }

    /// What makes machine code, if something does.
    pub fn backend(&self) -> Option<&dyn Backend> {
        match self {
            Executor::Reference => None,
            Executor::Engine(engine) => engine.runtime().backend(),
        }
    }

    /// What the checker found of all machine code so far.
    pub fn code_counts(&self) -> CodeCounts {
        match self {
            Executor::Reference => CodeCounts::default(),
            Executor::Engine(engine) => engine.code_counts(),
        }
    }

    /// Compiles a job's program, for this job and all that have the same specialisation key.
    ///
    /// # Errors
    /// If the job's environment does not fit its program.
    pub fn compile<J: GuestJob>(&self, job: &J) -> Result<Compiled<J::Key, J::Kernels>, J::Error> {
        self.compile_within(job, &Effort::default())
    }

    /// The same, as far as the effort goes. What is missing then, something else runs.
    ///
    /// # Errors
    /// As there.
    pub fn compile_within<J: GuestJob>(
        &self,
        job: &J,
        effort: &Effort,
    ) -> Result<Compiled<J::Key, J::Kernels>, J::Error> {
        match self {
            Executor::Reference => job.check().map(|()| Compiled { engine: None, program: None }),
            Executor::Engine(engine) => engine.compile_within(job, effort),
        }
    }

    /// The same, if that is worth it, as [`Engine::compile_if_worth`] says; `None` if the reference is to run the job.
    pub fn compile_if_worth<J: GuestJob>(
        &self,
        job: &J,
        lanes: (u64, u64),
        effort: &Effort,
    ) -> Option<Compiled<J::Key, J::Kernels>> {
        match self {
            Executor::Reference => None,
            Executor::Engine(engine) => engine.compile_if_worth(job, lanes, effort),
        }
    }

    /// Runs a job. Memory, output and errors are the same for every engine.
    ///
    /// # Errors
    /// As [`GuestJob::reference`].
    pub fn run<J: GuestJob>(&self, job: &J, options: &RunOptions) -> Result<J::Output, J::Error> {
        match self {
            Executor::Reference => job.reference(options),
            Executor::Engine(engine) => engine.run(job, options),
        }
    }

    /// The same, but the reference runs jobs whose programs are not worth it, as [`Engine::run_if_worth`] says.
    ///
    /// # Errors
    /// As there.
    pub fn run_if_worth<J: GuestJob>(
        &self,
        job: &J,
        lanes: (u64, u64),
        options: &RunOptions,
    ) -> Result<J::Output, J::Error> {
        match self {
            Executor::Reference => job.reference(options),
            Executor::Engine(engine) => engine.run_if_worth(job, lanes, options),
        }
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Executor({})", self.name())
    }
}
