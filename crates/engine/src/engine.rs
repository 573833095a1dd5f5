//! An engine: a backend, threads, and compiled programs.

use crate::backend::{Backend, CodeCounts};
use crate::cache::{CacheStats, Program, ProgramCache};
use crate::guest::GuestJob;
use crate::order::{in_order, keep};
use crate::runtime::Runtime;
use ctm_lane::effort::Effort;
use ctm_lane::run::RunOptions;
use std::sync::Arc;

/// Runs programs of guest machines, and keeps what it has compiled. Clones share everything.
#[derive(Clone, Default)]
pub struct Engine {
    parts: Arc<Parts>,
}

#[derive(Default)]
struct Parts {
    runtime: Runtime,
    programs: ProgramCache,
}

impl Engine {
    /// The name of the portable engine, for people.
    pub const INTERPRETER: &str = "interp";

    /// The portable engine.
    pub fn interpreter() -> Self {
        Self::default()
    }

    /// An engine that runs machine code of this backend where it can, and interprets where not.
    pub fn with_backend(backend: Box<dyn Backend>) -> Self {
        Engine { parts: Arc::new(Parts { runtime: Runtime::with_backend(backend), ..Parts::default() }) }
    }

    /// The name of the engine, for people.
    pub fn name(&self) -> &'static str {
        self.runtime().backend().map_or(Self::INTERPRETER, |backend| backend.name())
    }

    /// What the checker found of all machine code so far.
    pub fn code_counts(&self) -> CodeCounts {
        self.runtime().code_counts()
    }

    /// What the cache of compiled programs has done so far, and what it holds.
    pub fn cache_stats(&self) -> CacheStats {
        self.parts.programs.stats()
    }

    /// What its kernels are made and run with.
    pub fn runtime(&self) -> &Runtime {
        &self.parts.runtime
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
        job.check()?;
        let program = self.program(job, effort);
        if let Some(program) = &program {
            job.prepare(&program.kernels, self.runtime(), effort);
        }
        Ok(Compiled { engine: Some(self.clone()), program })
    }

    /// The same, if the job's program is there, or jobs with its key have had so many lanes in all: of this one, and at which number compiling it is
    /// worth it; `None` if it is not, or only the reference runs the job.
    pub fn compile_if_worth<J: GuestJob>(
        &self,
        job: &J,
        lanes: (u64, u64),
        effort: &Effort,
    ) -> Option<Compiled<J::Key, J::Kernels>> {
        let program = self.parts.programs.get_if_worth::<J>(job.key().ok()?, lanes, self.runtime(), effort)?;
        job.prepare(&program.kernels, self.runtime(), effort);
        Some(Compiled { engine: Some(self.clone()), program: Some(program) })
    }

    /// Runs a job; its program is compiled if no job with the same specialisation key was run before, or too long ago.
    /// Memory, output and errors are those of [`GuestJob::reference`], bit for bit.
    ///
    /// # Errors
    /// As there.
    pub fn run<J: GuestJob>(&self, job: &J, options: &RunOptions) -> Result<J::Output, J::Error> {
        job.check()?;
        match self.program(job, &options.effort()) {
            Some(program) => self.run_program(job, &program.kernels, options),
            None => job.reference(options),
        }
    }

    /// The same, but the reference runs the job as long as jobs with its key have had less than so many lanes in all: of this one, and at which
    /// number compiling the program is worth it.
    ///
    /// # Errors
    /// As there.
    pub fn run_if_worth<J: GuestJob>(
        &self,
        job: &J,
        lanes: (u64, u64),
        options: &RunOptions,
    ) -> Result<J::Output, J::Error> {
        job.check()?;
        let program = |key| self.parts.programs.get_if_worth::<J>(key, lanes, self.runtime(), &options.effort());
        match job.key().ok().and_then(program) {
            Some(program) => self.run_program(job, &program.kernels, options),
            None => job.reference(options),
        }
    }

    /// Whether machine code runs the job, as long as its program does not trap. What it does not run is left to the
    /// interpreter or the reference.
    ///
    /// # Errors
    /// Why it does not.
    pub fn compiles<J: GuestJob>(&self, job: &J, options: &RunOptions) -> Result<(), J::NotCompiled> {
        let key = job.key()?;
        let effort = Effort::of_steps(options.budget.code_steps);
        let program = self.parts.programs.get::<J>(key, self.runtime(), &effort);
        let program = program.expect("what has neither deadline nor limit of memory is not cut short by one");
        job.is_compiled(&program.kernels, &in_order(job, options), self.runtime())
    }

    fn run_program<J: GuestJob>(
        &self,
        job: &J,
        kernels: &J::Kernels,
        options: &RunOptions,
    ) -> Result<J::Output, J::Error> {
        let order = job.order();
        job.run(kernels, order, &keep::<J>(order, options), self.runtime())
    }

    /// The compiled program of a job; `None` if the reference runs it.
    fn program<J: GuestJob>(&self, job: &J, effort: &Effort) -> Option<Arc<Program<J::Key, J::Kernels>>> {
        self.parts.programs.get::<J>(job.key().ok()?, self.runtime(), effort)
    }
}

/// A compiled program: a handle, cheap to clone, with which jobs run without a look into the engine's cache, from any
/// thread. The cache may let go of the program meanwhile.
pub struct Compiled<K, V> {
    /// None if the reference runs all jobs.
    pub(crate) engine: Option<Engine>,
    /// None if the reference runs the job that the program was compiled for.
    pub(crate) program: Option<Arc<Program<K, V>>>,
}

impl<K, V> Clone for Compiled<K, V> {
    fn clone(&self) -> Self {
        Compiled { engine: self.engine.clone(), program: self.program.clone() }
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> Compiled<K, V> {
    /// What the engine made of the program; `None` if the reference runs it.
    pub fn kernels(&self) -> Option<&V> {
        self.program.as_ref().map(|program| &program.kernels)
    }

    /// Whether a job has the key of the job that the program was compiled for.
    pub fn fits<J: GuestJob<Key = K, Kernels = V>>(&self, job: &J) -> bool {
        let matches = |program: &Arc<Program<K, V>>| job.key().is_ok_and(|key| J::matches(&key, &program.key));
        self.program.as_ref().is_some_and(matches)
    }

    /// Runs a job, as [`Engine::run`] does: at once if it has the key of the job that the program was compiled for. For
    /// another one the engine's cache is asked.
    ///
    /// # Errors
    /// As [`GuestJob::reference`].
    pub fn run<J>(&self, job: &J, options: &RunOptions) -> Result<J::Output, J::Error>
    where
        J: GuestJob<Key = K, Kernels = V>,
    {
        match (self.run_fitting(job, options), &self.engine) {
            (Some(done), _) => done,
            (None, Some(engine)) => engine.run(job, options),
            (None, None) => job.reference(options),
        }
    }

    /// Runs a job that has the key of the job that the program was compiled for; nothing happens if it has another one.
    ///
    /// # Errors
    /// As [`GuestJob::reference`].
    pub fn run_fitting<J>(&self, job: &J, options: &RunOptions) -> Option<Result<J::Output, J::Error>>
    where
        J: GuestJob<Key = K, Kernels = V>,
    {
        let (engine, program) = self.engine.as_ref().zip(self.program.as_ref().filter(|_| self.fits(job)))?;
        Some(job.check().and_then(|()| engine.run_program(job, &program.kernels, options)))
    }
}
