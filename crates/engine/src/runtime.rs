//! What kernels are made and run with.

use crate::backend::{Backend, CodeCounts, Refusal};
use crate::workers::Workers;
use ctm_lane::effort::Effort;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A backend and threads: what kernels are made and run with. Every [`Engine`](crate::Engine) has one.
#[derive(Default)]
pub struct Runtime {
    backend: Option<Arc<dyn Backend>>,
    workers: Workers,
    missing: Mutex<Missing>,
}

/// How often making code was cut short, and why there was no code the last time.
#[derive(Default)]
struct Missing {
    cut_short: u64,
    last: Option<Refusal>,
}

impl Runtime {
    /// Kernels are interpreted.
    pub fn interpreter() -> Self {
        Self::default()
    }

    /// Kernels become machine code of this backend where it can make it.
    pub fn with_backend(backend: Box<dyn Backend>) -> Self {
        Runtime { backend: Some(backend.into()), ..Self::default() }
    }

    /// What makes machine code.
    pub fn backend(&self) -> Option<&dyn Backend> {
        self.backend.as_deref()
    }

    /// The same, for who makes machine code later.
    pub(crate) fn shared_backend(&self) -> Option<&Arc<dyn Backend>> {
        self.backend.as_ref()
    }

    /// Takes note of code that was not made for want of effort.
    pub fn note_cut(&self, effort: &Effort) {
        if let Some(cut) = effort.take_cut() {
            let mut missing = self.missing();
            missing.cut_short += 1;
            missing.last = Some(cut.into());
        }
    }

    /// Takes note of code that the backend did not make. What an effort had no more for, the effort itself [says](Self::note_cut).
    pub(crate) fn note_refusal(&self, refusal: Refusal) {
        match refusal {
            Refusal::CutShort(_) => {}
            Refusal::Unsupported | Refusal::Frame { .. } | Refusal::Unproven | Refusal::NoMemory => {
                self.missing().last = Some(refusal);
            }
        }
    }

    fn missing(&self) -> MutexGuard<'_, Missing> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts of all code so far.
    pub fn code_counts(&self) -> CodeCounts {
        let counts = self.backend().map_or_else(CodeCounts::default, |backend| backend.code_counts());
        let missing = self.missing();
        CodeCounts {
            cut_short: counts.cut_short + missing.cut_short,
            last_refusal: missing.last.or(counts.last_refusal),
            ..counts
        }
    }

    /// The threads that runs share.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }
}
