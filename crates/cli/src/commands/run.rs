//! `ctm run`.

use crate::args::RunCommand;
use crate::isa::File;
use crate::{Console, Failure};

/// Runs a program and writes its outputs.
pub fn run(command: &RunCommand, console: &mut Console) -> Result<(), Failure> {
    let (isa, file) = File::read(&command.program, console)?;
    command.own.runner(isa)?.run(file, &command.run, console)
}
