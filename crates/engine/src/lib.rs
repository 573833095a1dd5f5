//! Runs programs of guest machines as lane IR, over the lanes of a domain, on all cores.
//!
//! The engine itself knows no guest. It knows functions and what their names stand for:
//!
//! - a [`Kernel`] is a function, simplified and laid out, with machine code where a [`Backend`] makes it;
//! - a [`Launch`] is one start of it: the lanes, and [`Bindings`] of surfaces, tables and buffers. [`Kernel::run`] gives
//!   statistics or a [`Stop`];
//! - a [`Grouping`] says what lanes have to do with each other. Free kernels run as machine code, or interpreted in groups
//!   as they come; the others are interpreted in lockstep.
//!
//! # Guests
//!
//! Each guest machine has a module, which puts methods on [`Engine`]. It supplies four things:
//!
//! 1. a *key*: all that its lifted functions depend on, compared by value (the program, options, [`SurfaceFacts`] of the
//!    surfaces). The engine keeps the kernels of the last keys;
//! 2. the *lift*: from the key to a function and a [`Kernel`], or several if no form fits all runs;
//! 3. the *binding*: from one run's memory and constants to [`Bindings`], as the lift numbered surfaces, tables, buffers;
//! 4. the *traps*: from a [`Stop`] to the guest's error.
//!
//! Limits on loops are the options' step limit, which `steps` operations count; a function should not count by itself, since
//! what a count has reached depends on who is in the group.
#![deny(unsafe_code)]

pub mod backend;
mod cache;
mod choice;
pub mod fault;
pub mod interp;
#[cfg(target_arch = "x86_64")]
pub mod jit;
mod kernel;
mod launch;
mod r700;
mod recent;
mod schedule;
mod sm50;
mod stages;
mod workers;
mod x1k;

#[cfg(all(test, target_arch = "x86_64"))]
#[path = "../../testkit/src/buffers.rs"]
#[allow(dead_code, missing_docs, reason = "tests use a part")]
mod buffers;
#[cfg(all(test, target_arch = "x86_64"))]
#[path = "../../testkit/src/case.rs"]
#[allow(dead_code, missing_docs, reason = "tests use a part")]
mod case;
#[cfg(all(test, target_arch = "x86_64"))]
#[path = "../../testkit/src/expected.rs"]
#[allow(dead_code, missing_docs, reason = "tests use a part")]
mod expected;

pub use backend::{Backend, Bindings, Bound, CheckCounts, Code, Incomplete, Outcome, Source, SurfaceFacts};
pub use cache::Engine;
pub use choice::{EngineName, Executor, NoEngine};
pub use kernel::{Grouping, Kernel};
pub use launch::{Launch, Stop};
pub use stages::{Compiled, Stages};
pub use x1k::{NotCompiled, Order};

use ctm_x1k::{Job, RunError, RunOptions, RunStats};

/// Runs a job once with the interpreter.
///
/// # Errors
/// As [`ctm_x1k::reference::run`].
pub fn interpret(job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
    Engine::interpreter().run(job, options)
}
