//! Runs lane IR over a domain.
//!
//! An [`Engine`] takes the same jobs as the reference and gives the same results, statistics and traps, faster: the program
//! is lifted to lane IR, simplified, and run by machine code where a [`Backend`] makes it, else by the interpreter.
#![deny(unsafe_code)]

pub mod backend;
mod cache;
pub mod interp;
#[cfg(target_arch = "x86_64")]
pub mod jit;
mod kernel;
mod schedule;

pub use backend::{Backend, Bindings, Code, Outcome, Source, SurfaceFacts};
pub use cache::Engine;

use ctm_x1k::{Job, RunError, RunOptions, RunStats};

/// Runs a job once with the interpreter.
///
/// # Errors
/// As [`ctm_x1k::reference::run`].
pub fn interpret(job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
    Engine::interpreter().run(job, options)
}
