//! An engine: a backend, and the kernels of the programs that it ran last.

use crate::backend::Backend;
use crate::kernel::{Kernel, Key};
use crate::schedule;
use ctm_x1k::{Job, RunError, RunOptions, RunStats, StateError};
use std::sync::{Arc, Mutex};

/// Kernels that an engine keeps.
const KEPT: usize = 64;

/// Runs jobs, and keeps what it has prepared for them.
#[derive(Default)]
pub struct Engine {
    backend: Option<Box<dyn Backend>>,
    /// The kernel that was used last comes last.
    kernels: Mutex<Vec<Arc<Kernel>>>,
}

impl Engine {
    /// The portable engine.
    pub fn interpreter() -> Self {
        Self::default()
    }

    /// An engine that runs machine code of this backend where it can, and interprets where not.
    pub fn with_backend(backend: Box<dyn Backend>) -> Self {
        Engine { backend: Some(backend), kernels: Mutex::default() }
    }

    /// The engine that makes machine code for this host; `None` if no backend can.
    pub fn jit() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        return Some(Self::with_backend(Box::new(crate::jit::Jit::new()?)));
        #[cfg(not(target_arch = "x86_64"))]
        return None;
    }

    /// The name of the engine, for people.
    pub fn name(&self) -> &'static str {
        self.backend.as_ref().map_or("interp", |backend| backend.name())
    }

    /// Makes everything that running the job needs, so that the run itself does not have to.
    ///
    /// # Errors
    /// If the job's environment does not fit its program.
    pub fn prepare(&self, job: &Job) -> Result<(), StateError> {
        job.check()?;
        self.kernel(job);
        Ok(())
    }

    /// Runs the job. Memory, statistics and errors are those of [`ctm_x1k::reference::run`], bit for bit.
    ///
    /// # Errors
    /// As there.
    pub fn run(&self, job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
        job.check()?;
        schedule::run(&self.kernel(job), job, options)
    }

    fn kernel(&self, job: &Job) -> Arc<Kernel> {
        let key = Key::new(job);
        let mut kernels = self.kernels.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let known = kernels.iter().rposition(|kernel| kernel.key == key);
        let kernel = match known {
            Some(at) => kernels.remove(at),
            None => Arc::new(Kernel::new(key, job.program, self.backend.as_deref())),
        };
        kernels.push(kernel.clone());
        if kernels.len() > KEPT {
            kernels.remove(0);
        }
        kernel
    }
}
