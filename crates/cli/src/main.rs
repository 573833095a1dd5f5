//! The `ctm` program: reads the command line and hands it to the library.
#![forbid(unsafe_code)]

use clap::Parser;
use ctm_cli::host::Local;
use ctm_cli::{Cli, Console, enter_sandbox};
use ctm_memory::Reserving;
use std::io::{self, BufWriter, IsTerminal};
use std::process::ExitCode;

/// A host without memory is an error with a message, which takes memory.
#[global_allocator]
static ALLOCATOR: Reserving = Reserving::new();

fn main() -> ExitCode {
    // A host that has no memory for it now tells so where more is asked for.
    ALLOCATOR.hold();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ctm_cli::refuse(&error).into(),
    };
    // Without it, such faults end the process.
    ctm_codegen::fault::install();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut err = anstream::stderr();
    let interactive = io::stderr().is_terminal() && !cli.in_sandbox;
    let colours = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    let local = Local::new(cli.include.clone());
    let mut console = Console {
        out: &mut out,
        err: &mut err,
        host: &local,
        interactive,
        colours,
        json: cli.command.is_json(),
        strict: cli.strict,
        refused: 0,
    };
    if cli.command.is_watched() && !cli.in_sandbox {
        return ctm_cli::watch(&cli, &local, &mut console).into();
    }
    if !cli.in_sandbox {
        return ctm_cli::execute(&cli, &mut console).into();
    }
    match enter_sandbox(&cli, &local) {
        Ok(host) => ctm_cli::execute(&cli, &mut Console { host: &host, ..console }).into(),
        Err(failure) => console.fail(failure).into(),
    }
}
