//! `ctm run`.

use crate::args::RunCommand;
use crate::isa::File;
use crate::report::Message;
use crate::{Console, Failure};

/// Runs a program and writes its outputs.
pub fn run(command: &RunCommand, console: &mut Console) -> Result<(), Failure> {
    require_no_outputs(command)?;
    let (isa, file) = File::read(&command.program, console)?;
    command.own.runner(isa)?.run(file, &command.run, console)
}

/// Refuses outputs of a run that does not take place.
fn require_no_outputs(command: &RunCommand) -> Result<(), Failure> {
    match command.results().writes.first() {
        Some(file) if command.run.execution.emit.is_some() => {
            let message = format!(
                "--emit shows the program and does not run it, so that '{}' would receive nothing",
                file.display()
            );
            Err(Failure::Usage(
                Message::error(message).help("leave the output out; --emit STAGE=FILE writes the stage to a file"),
            ))
        }
        _ => Ok(()),
    }
}
