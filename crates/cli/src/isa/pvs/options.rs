//! The options that vertex programs have for themselves: none.

use super::run;
use crate::execution::NamedFiles;
use crate::isa::{File, Runner};
use crate::options::RunArgs;
use crate::{Console, Failure};
use clap::Args;

/// Options of vertex programs.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct PvsArgs {}

impl Runner for PvsArgs {
    fn run(&self, file: File, args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
        run::run(file, args, console)
    }

    fn files(&self, args: &RunArgs) -> NamedFiles {
        NamedFiles::of_inputs(args, |file| file)
    }
}
