//! The commands of the `ctm` program, as functions.
//!
//! [`execute`] runs one command. Every command writes its result to [`Console::out`], messages for people to
//! [`Console::err`], and returns `()` or a [`Failure`], which decides the exit code. Only this crate turns errors
//! into text for people.
#![forbid(unsafe_code)]

pub mod args;

mod commands;
mod console;
mod execution;
mod failure;
mod files;
pub mod host;
mod interrupt;
mod isa;
mod options;
mod outputs;
mod progress;
mod report;
mod run;
mod sandbox;
mod source;
mod wording;

pub use args::Cli;
pub use console::Console;
pub use failure::Failure;
pub use sandbox::enter as enter_sandbox;

use args::{Command, ImportCommand};
use isa::OwnCommands;

/// Runs a command, reports why it failed if it did, and returns the exit code.
pub fn execute(cli: &Cli, console: &mut Console) -> u8 {
    let sandboxed = cli.command.execution().filter(|execution| execution.is_sandboxed() && !cli.in_sandbox);
    let done = match sandboxed {
        Some(execution) => sandbox::supervise(execution, console),
        None => dispatch(&cli.command, console)
            .and_then(|()| console.require_no_warnings())
            .and_then(|()| Ok(console.out.flush()?))
            .map(|()| 0),
    };
    match done {
        Ok(code) => code,
        Err(failure) => console.fail(failure),
    }
}

fn dispatch(command: &Command, console: &mut Console) -> Result<(), Failure> {
    match command {
        Command::Asm(args) => commands::asm(args, console),
        Command::Dis(args) => commands::dis(args, console),
        Command::Check(args) => commands::check(args, console),
        Command::Explain(args) => commands::explain(args, console),
        Command::Info(args) => commands::info(args, console),
        Command::Import(ImportCommand::Mesa(args)) => commands::import_mesa(args, console),
        Command::Run(args) => commands::run(args, console),
        Command::Own(OwnCommands(command)) => command.execute(console),
        Command::Completions(args) => commands::completions(args, console),
    }
}
