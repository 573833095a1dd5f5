//! What kernels are made and run with.

use crate::backend::{Backend, CodeCounts};
use crate::workers::Workers;
use ctm_lane::effort::{CutShort, Effort};
use std::sync::{Arc, Mutex, PoisonError};

/// A backend and threads: what kernels are made and run with. Every [`Engine`](crate::Engine) has one.
#[derive(Default)]
pub struct Runtime {
    backend: Option<Arc<dyn Backend>>,
    workers: Workers,
    cuts: Mutex<Cuts>,
}

/// How often making code was cut short, and why the last time.
#[derive(Default)]
struct Cuts {
    count: u64,
    last: Option<CutShort>,
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
            let mut cuts = self.cuts.lock().unwrap_or_else(PoisonError::into_inner);
            cuts.count += 1;
            cuts.last = Some(cut);
        }
    }

    /// Counts of all code so far.
    pub fn code_counts(&self) -> CodeCounts {
        let counts = self.backend().map_or_else(CodeCounts::default, |backend| backend.code_counts());
        let cuts = self.cuts.lock().unwrap_or_else(PoisonError::into_inner);
        CodeCounts { cut_short: counts.cut_short + cuts.count, last_cut: cuts.last.or(counts.last_cut), ..counts }
    }

    /// The threads that runs share.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }
}
