//! The `ctm` program: reads the command line and hands it to the library.
#![forbid(unsafe_code)]

use clap::Parser;
use ctm_cli::{Cli, Console};
use std::io::{self, BufWriter, IsTerminal};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut err = anstream::stderr();
    let interactive = io::stderr().is_terminal();
    let colours = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    ctm_cli::execute(&cli, &mut Console { out: &mut out, err: &mut err, interactive, colours }).into()
}
