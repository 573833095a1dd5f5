//! What kernels are made and run with.

use crate::backend::Backend;
use crate::workers::Workers;
use std::sync::Arc;

/// A backend and threads: what kernels are made and run with. Every [`Engine`](crate::Engine) has one.
#[derive(Default)]
pub struct Runtime {
    backend: Option<Arc<dyn Backend>>,
    workers: Workers,
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

    /// The threads that runs share.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }
}
