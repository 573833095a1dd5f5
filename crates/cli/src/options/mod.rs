//! Options of the command line that instruction sets share, and how their values are spelled.

mod budget;
mod frames;
mod generator;
mod given;
mod global;
mod run;
pub mod values;

pub use budget::{BudgetArgs, Size, TimeLimit};
pub use frames::{FrameArgs, Uniform};
pub use generator::Generator;
pub use given::{DRAW, GivenOptions, RUN, RunUse};
pub use global::{KeptGlobals, with_kept_options};
pub use run::{DEFAULT_DOMAIN, ExecutionArgs, RunArgs};

use clap::Args;

/// How `ctm dis` prints a program.
#[derive(Clone, Copy, Debug, Args)]
pub struct ListingArgs {
    /// Print a table of every field of every instruction
    #[arg(long)]
    pub fields: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "fields")]
    pub json: bool,
    /// Add the address of each instruction as a comment
    #[arg(long, conflicts_with_all = ["fields", "json"])]
    pub addresses: bool,
    /// Add the dwords of each instruction as a comment
    #[arg(long, conflicts_with_all = ["fields", "json"])]
    pub words: bool,
}
