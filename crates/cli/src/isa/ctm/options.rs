//! The options of `ctm replay`.

use super::replay::replay;
use crate::execution::{Execution, NamedFiles};
use crate::isa::IsaCommand;
use crate::options::BudgetArgs;
use crate::options::values::engine;
use crate::{Console, Failure};
use clap::{Args, ValueHint, value_parser};
use ctm_codegen::EngineName;
use ctm_x1k::MAX_GROUP_WIDTH;
use std::path::PathBuf;
use std::time::Duration;

/// `ctm replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm run blur.x1k --input 0=photo.png --domain 64x64 --emit-trace blur.ctmtrace
  ctm replay blur.ctmtrace
  CTM_TRACE=client.ctmtrace ./client      a client of libctm leaves a trace
  ctm replay client.ctmtrace --strict

A trace has the memory, the command buffers and the results of a CTM device.
The exit code is 0 if all results are the same, and 1 if something differs or
the file is not a trace. Limits are those of each program that a trace starts, and
one that reaches them gives another error than the trace has.")]
pub struct ReplayArgs {
    /// Trace file
    #[arg(value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub trace: PathBuf,
    /// Let caches keep what they hold until a command says otherwise, and report commands that are missing
    #[arg(long)]
    pub strict: bool,
    /// What executes programs; all give the same bits [default: jit where this machine can, else interp]
    #[arg(long, value_name = "NAME", value_parser = engine())]
    pub engine: Option<EngineName>,
    /// Lanes that run in lockstep, 1 to 256 [default: as in the trace]
    #[arg(long, value_name = "W", value_parser = value_parser!(u16).range(1..=MAX_GROUP_WIDTH as i64))]
    pub group: Option<u16>,
    /// Threads [default: as in the trace]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Run in a process of its own that can open no file, reach no network and start no program (Linux); results are the same
    #[arg(long)]
    pub sandbox: bool,
    /// What each program that the trace starts may use.
    #[command(flatten)]
    pub budget: BudgetArgs,
}

impl Execution for ReplayArgs {
    fn is_sandboxed(&self) -> bool {
        self.sandbox
    }

    fn is_json(&self) -> bool {
        false
    }

    fn budget(&self) -> &BudgetArgs {
        &self.budget
    }

    fn files(&self) -> NamedFiles {
        let mut files = NamedFiles::default();
        files.read([&self.trace]);
        files
    }

    /// A trace starts as many runs as it likes, each with a time of its own.
    fn time_limit(&self) -> Option<Duration> {
        None
    }
}

impl IsaCommand for ReplayArgs {
    fn execute(&self, console: &mut Console) -> Result<(), Failure> {
        replay(self, console)
    }
}
