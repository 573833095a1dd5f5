//! `ctm debug`.

use crate::args::DebugCommand;
use crate::isa::File;
use crate::options::{RUN, RunUse};
use crate::run::{Debugged, require_terminal};
use crate::{Console, Failure};

/// Opens a debugger in the terminal.
pub fn debug(command: &DebugCommand, console: &mut Console) -> Result<(), Failure> {
    command.given.require_kept(RUN, RunUse::Screen)?;
    require_terminal()?;
    open(command, true, console)?.show(console)
}

/// Opens the session that a command line asks for, perhaps with what is shown beside it.
pub fn open(command: &DebugCommand, shows: bool, console: &mut Console) -> Result<Debugged, Failure> {
    let (isa, file) = File::read(&command.program, console)?;
    let runner = command.isa_options.runner(isa)?;
    let mut debugged = runner.debug(file, &command.run, command.lane, shows, console)?;
    debugged.session.set_time_limit(command.run.execution.budget.time());
    Ok(debugged)
}
