//! The commands of the `ctm` program, as functions.
//!
//! [`execute`] runs one command. Every command writes its result to [`Console::out`], messages for people to
//! [`Console::err`], and returns `()` or a [`Failure`], which decides the exit code. Only this crate turns errors
//! into text for people.
#![forbid(unsafe_code)]
// What only commands call that are left out stays in the sources.
#![cfg_attr(
    not(all(feature = "cards", feature = "debugger", feature = "shaders")),
    allow(dead_code, unused_imports, unused_variables)
)]

pub mod args;

#[cfg(any(test, not(all(feature = "cards", feature = "debugger", feature = "shaders"))))]
mod absent;
#[cfg(feature = "cards")]
mod card;
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
mod recorder;
mod report;
mod run;
mod sandbox;
mod source;
mod watch;
mod wording;

pub use args::Cli;
pub use console::Console;
pub use failure::Failure;
pub use sandbox::enter as enter_sandbox;
pub use watch::watch;

use args::{Command, ImportCommand};
use clap::error::ErrorKind;
use isa::IsaCommands;
use report::{Message, usage};

/// Runs a command, reports why it failed if it did, and returns the exit code.
pub fn execute(cli: &Cli, console: &mut Console) -> u8 {
    let sandboxed = cli.command.execution().filter(|execution| execution.is_sandboxed() && !cli.in_sandbox);
    let done = match sandboxed {
        Some(execution) => sandbox::supervise(execution, console),
        None => dispatch(cli, console)
            .and_then(|()| console.require_no_warnings())
            .and_then(|()| Ok(console.out.flush()?))
            .map(|()| 0),
    };
    match done {
        Ok(code) => code,
        Err(failure) => console.fail(failure),
    }
}

/// Reports a command line that makes no sense, as JSON if it asks for that, and gives the exit code. Help goes to standard output.
pub fn refuse(error: &clap::Error) -> u8 {
    let foreign = std::env::args_os().skip(1).filter(|argument| argument.to_str().is_none());
    let foreign: Vec<String> = foreign.map(|argument| format!("'{}'", argument.display())).collect();
    let message = match error.kind() {
        ErrorKind::InvalidUtf8 => Message::error(format!("an argument is not UTF-8: {}", foreign.join(", "))).help(
            "a file name after 'N=' must be UTF-8, unlike one that is an argument by itself: rename the file, or make a link to it",
        ),
        _ => usage(error),
    };
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        eprintln!("{}", message.json());
    } else if error.kind() == ErrorKind::InvalidUtf8 {
        anstream::eprintln!("{}", message.render());
    } else {
        // Nobody is left to be told that this cannot be printed.
        let _ = error.print();
    }
    error.exit_code() as u8
}

fn dispatch(cli: &Cli, console: &mut Console) -> Result<(), Failure> {
    match &cli.command {
        Command::Asm(args) => commands::asm(args, console),
        Command::Dis(args) => commands::dis(args, console),
        Command::Check(args) => commands::check(args, console),
        Command::Explain(args) => commands::explain(args, console),
        Command::Info(args) => commands::info(args, console),
        Command::Import(ImportCommand::Mesa(args)) => commands::import_mesa(args, console),
        Command::Import(ImportCommand::Sass(args)) => commands::import_sass(args, console),
        Command::Run(args) => commands::run(args, console),
        #[cfg(feature = "debugger")]
        Command::Debug(args) => commands::debug(args, console),
        #[cfg(feature = "debugger")]
        Command::Dap(args) => commands::dap(args, &cli.include, console),
        #[cfg(not(feature = "debugger"))]
        Command::Debug(_) | Command::Dap(_) => Err(absent::absent("its debugger", "debugger")),
        Command::Diff(args) => commands::diff(args, console),
        #[cfg(feature = "cards")]
        Command::Card(command) => card::execute(command, console),
        #[cfg(not(feature = "cards"))]
        Command::Card(_) => Err(absent::absent("its graphics cards", "cards")),
        Command::Isa(IsaCommands(command)) => command.execute(console),
        Command::Completions(args) => commands::completions(args, console),
        Command::Man(args) => commands::man(args, console),
    }
}
