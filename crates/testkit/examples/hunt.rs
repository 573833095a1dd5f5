//! Hunts for differences between engines, and for inputs that break a promise:
//!
//! ```text
//! hunt [--minutes N] [--isa x1k|r700|sm50|lane] [--target NAME] [--only PREFIX] [--seed S] [--threads T] [--count N]
//!      [--hang SECONDS] [--shrink SECONDS] [--out DIR] [--json]
//! hunt --check FILE [--target NAME] [--only NAME]
//! ```
//!
//! Without `--isa`, `--target` and `--only`, everything is hunted. The seed is new each time, and printed. `--count` is the
//! most that each worker checks of each entry. A check that calculates for longer than `--hang`, or stands still for as long, is
//! a find, as is one that panics or ends its process. Finds are shrunk, each for as long as `--shrink` says, and written to the folder of `--out`: programs as
//! filetests, inputs of fuzz targets as they are. The exit code is 1 if there are any, and 2 if no hunt is possible.
//!
//! `--check` runs what is in such a file. The option `--worker` is for the processes that a hunt starts.

use ctm_testkit::hunt::{program, subject};
use std::process::ExitCode;

fn main() -> ExitCode {
    program::run(subject::entries)
}
