//! `ctm debug`, `ctm dap`.

use crate::isa::{IsaOptions, ProgramArgs};
use crate::options::values::FollowedLane;
use crate::options::{GivenOptions, RunArgs};
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// `ctm debug`.
#[derive(Debug, Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  ctm debug mandelbrot.x1k --lane 256,200
  ctm debug blur.elf --domain 640x480 --input 0=photo.png --lane 10,10
  ctm debug plasma.frag --domain 256x256
  ctm debug transform.r700 --vertices 36 --interp 1=positions.npy --lane 7
  ctm debug transform.pvs --input 0=positions.npy --lane 7
The session works on a copy of memory, and writes no file. '?' shows all keys."
)]
pub struct DebugCommand {
    /// What the command line gives.
    #[command(flatten)]
    pub given: GivenOptions,
    /// The program.
    #[command(flatten)]
    pub program: ProgramArgs,
    /// The lane that is looked at first: the one at column I and row J, or vertex, primitive or thread N [default: the first one]
    #[arg(long, value_name = "I,J|N")]
    pub lane: Option<FollowedLane>,
    /// What it runs over, and how.
    #[command(flatten)]
    pub run: RunArgs,
    /// The options that instruction sets have for themselves.
    #[command(flatten)]
    pub isa_options: IsaOptions,
}

/// `ctm dap`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm dap                  speaks to an editor that has started it
  ctm dap --port 4711      waits for editors at port 4711 of this machine
  ctm dap --socket PATH    waits for editors at a socket that only this user can connect to
A launch request has 'program', and may have 'lane' (\"256,200\"), 'args' (options as those of 'ctm run', a list of words),
'stopOnEntry' (true) and 'allGroups' (false: a run ends with the lane's group). docs/debugger.md has more.")]
pub struct DapArgs {
    /// Wait for editors at this port of this machine, which all of its users can connect to, instead of standard input and output
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Wait for editors at this socket in the file system, which is made, and which this user alone can connect to
    #[arg(long, value_name = "PATH", conflicts_with = "port", value_hint = ValueHint::FilePath)]
    pub socket: Option<PathBuf>,
}
