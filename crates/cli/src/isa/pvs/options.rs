//! The options that vertex programs have for themselves: none.

use super::{debug, run};
use crate::execution::NamedFiles;
use crate::isa::{File, Runner};
use crate::options::RunArgs;
use crate::options::values::FollowedLane;
use crate::run::Debugged;
use crate::{Console, Failure};
use clap::Args;
use ctm_array::FileSpec;

/// Options of vertex programs.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct PvsArgs {}

impl Runner for PvsArgs {
    fn run(&self, file: File, args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
        run::run(file, args, console)
    }

    fn debug(
        &self,
        file: File,
        args: &RunArgs,
        lane: Option<FollowedLane>,
        shows: bool,
        console: &mut Console,
    ) -> Result<Debugged, Failure> {
        debug::debug(file, args, lane, shows, console)
    }

    fn files(&self, args: &RunArgs) -> NamedFiles {
        NamedFiles::of_inputs(&args.inputs, &args.mips, |text| Some(FileSpec::parse(text).ok()?.path))
    }
}
