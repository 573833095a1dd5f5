//! Shared parts of the tests of ctm: memory with surfaces in it, programs with known results, generators of random programs,
//! an oracle, and the runner of the filetests.
//!
//! Nothing here is published, and mistakes in test data panic with a message that says where.
#![deny(unsafe_code)]

pub mod buffers;
pub mod c_calls;
pub mod card;
pub mod case;
pub mod differential;
pub mod emit;
pub mod expected;
pub mod filetest;
pub mod forms;
pub mod generate;
pub mod hostile;
pub mod hunt;
#[cfg(target_arch = "x86_64")]
pub mod lane;
mod languages;
pub mod literal;
pub mod mutate;
pub mod oracle;
pub mod picture;
mod ps;
pub mod pvs;
pub mod r700;
pub mod random;
pub mod sampled;
pub mod shaders;
pub mod sm50;
pub mod structured;
pub mod targets;
pub mod texels;
pub mod writers;

use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_lane::budget::Budget;
use ctm_lane::run::RunOptions;
use std::path::{Path, PathBuf};

/// Every engine that this host has, the reference first; all of them have to give the same results.
pub fn engines() -> Vec<Executor> {
    EngineName::available().filter_map(|name| name.executor().ok()).collect()
}

/// Options without a limit on time: what a check finds must not depend on the load of the machine.
pub fn untimed() -> RunOptions<'static> {
    RunOptions { budget: Budget { group_time: None, ..Budget::default() }, ..RunOptions::default() }
}

/// Whether an engine runs an X1K job as machine code.
pub fn is_compiled(engine: &Executor, job: &ctm_x1k::Job, options: &RunOptions) -> bool {
    matches!(engine, Executor::Engine(engine) if engine.compiles(job, options).is_ok())
}

/// Whether an engine has a way of its own to run an X1K job. What machine code does not run, all engines leave to the
/// same interpreter, or the reference.
pub fn runs_without_fallback(engine: &Executor, job: &ctm_x1k::Job, options: &RunOptions) -> bool {
    let makes_code = !matches!(engine, Executor::Reference) && engine.name() != EngineName::Interp.name();
    !makes_code || is_compiled(engine, job, options)
}

/// The group widths that every test program runs with: one lane, one quad, and two real machines' widths.
pub const GROUP_WIDTHS: [usize; 4] = [1, 4, 16, 48];

/// The thread counts that every test program runs with.
pub const THREADS: [usize; 2] = [1, 2];

/// A path inside the project.
pub fn project_path(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
