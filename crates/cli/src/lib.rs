//! The commands of the `ctm` program, as functions.
//!
//! [`execute`] runs one command. Every command writes its result to [`Console::out`], tells people what they need to
//! know on [`Console::err`], and returns `()` or a [`Failure`], which decides the exit code. Only this crate turns errors
//! into text for people.
#![forbid(unsafe_code)]

pub mod args;

mod commands;
mod console;
mod draw;
mod failure;
pub mod files;
mod interrupt;
mod isa;
mod progress;
pub mod report;
mod run;
mod sink;
mod source;
mod wording;

pub use args::Cli;
pub use console::Console;
pub use failure::Failure;

use args::{Command, ImportCommand};
use report::Message;

/// How many errors of one file people are told.
const MOST_MESSAGES: usize = 20;

/// Runs a command, tells why it failed if it did, and returns the exit code.
pub fn execute(cli: &Cli, console: &mut Console) -> u8 {
    let done = dispatch(&cli.command, console).and_then(|()| Ok(console.out.flush()?));
    match done {
        Ok(()) => 0,
        Err(failure) => {
            let code = failure.exit_code();
            // What was printed so far goes out first; if it cannot, the failure has already been decided.
            let _ = console.out.flush();
            let messages = failure.into_messages();
            messages.iter().take(MOST_MESSAGES).for_each(|message| console.tell(message));
            if let Some(more) = messages.len().checked_sub(MOST_MESSAGES).filter(|more| *more > 0) {
                console.tell(&Message::note(format!("{more} more like these are not shown")));
            }
            code
        }
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
        Command::Draw(args) => commands::draw(args, console),
        Command::Replay(args) => commands::replay(args, console),
        Command::Completions(args) => commands::completions(args, console),
    }
}
