//! An engine: a backend, and what it has prepared.

use crate::backend::{Backend, CheckCounts};
use crate::recent::Recent;
use crate::workers::Workers;
use crate::{r700, sm50, x1k};

/// Runs programs of the guest machines, and keeps what it has prepared for them. What an engine does with the programs of
/// a machine is told in the machine's module.
#[derive(Default)]
pub struct Engine {
    backend: Option<Box<dyn Backend>>,
    pub(crate) workers: Workers,
    pub(crate) x1k: Recent<x1k::Key, x1k::Kernels>,
    pub(crate) r700: Recent<r700::Key, Option<r700::Ready>>,
    pub(crate) sm50: Recent<ctm_sm50::lift::Facts, Option<sm50::Ready>>,
}

impl Engine {
    /// The portable engine.
    pub fn interpreter() -> Self {
        Self::default()
    }

    /// An engine that runs machine code of this backend where it can, and interprets where not.
    pub fn with_backend(backend: Box<dyn Backend>) -> Self {
        Engine { backend: Some(backend), ..Self::default() }
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

    /// What the checker found of all machine code so far.
    pub fn check_counts(&self) -> CheckCounts {
        self.backend.as_ref().map_or_else(CheckCounts::default, |backend| backend.check_counts())
    }

    /// What makes its machine code.
    pub(crate) fn backend(&self) -> Option<&dyn Backend> {
        self.backend.as_deref()
    }
}
