//! The options that X1K programs have for themselves.

use crate::args::values::{Boolean, Integers, Numbered};
use clap::{Args, ValueEnum, ValueHint};
use ctm_array::FileSpec;
use ctm_x1k::{BOOL_CONSTANTS, INT_CONSTANTS};
use std::path::PathBuf;

/// Options of X1K programs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "X1K programs")]
pub struct X1kArgs {
    /// File that receives the conditional values (one float32 channel)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub cond_output: Option<FileSpec>,
    /// Value of integer constant N: passes, first aL [default: 0], step of aL [default: 1]
    #[arg(long = "iconst", value_name = "N=COUNT,INIT,STEP")]
    pub ints: Vec<Numbered<Integers, INT_CONSTANTS>>,
    /// Value of boolean constant N
    #[arg(long = "bconst", value_name = "N=true|false")]
    pub bools: Vec<Numbered<Boolean, BOOL_CONSTANTS>>,
    /// First instruction, in place of the program's own
    #[arg(long, value_name = "N")]
    pub start: Option<u16>,
    /// Last instruction, in place of the program's own
    #[arg(long, value_name = "N")]
    pub end: Option<u16>,
    /// Flow control, in place of the program's own: full has loops and calls, partial has not
    #[arg(long, value_name = "KIND")]
    pub flow: Option<FlowControl>,
    /// Zero times infinity or NaN is zero
    #[arg(long)]
    pub zero_times_anything: bool,
    /// Rounding of multiply-add: once at the end (fused) or after each step
    #[arg(long, value_name = "RULE", default_value = "fused")]
    pub mad: MadRule,
    /// Before the run, run the program on the CTM device too, and record all of it for 'ctm replay'
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub emit_trace: Option<PathBuf>,
}

/// `--flow`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FlowControl {
    /// Loops, calls, 32 levels of branches
    Full,
    /// Branches only, 6 levels
    Partial,
}

/// `--mad`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MadRule {
    /// One rounding
    #[default]
    Fused,
    /// A rounding after the multiplication and one after the addition
    Unfused,
}
