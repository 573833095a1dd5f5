//! `ctm completions`.

use crate::args::{Cli, CompletionsArgs};
use crate::{Console, Failure};
use clap::CommandFactory;

/// Prints the script that completes command lines of `ctm` in a shell.
pub fn completions(args: &CompletionsArgs, console: &mut Console) -> Result<(), Failure> {
    // The generator panics when its writer fails, so it gets memory to write to.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ctm", &mut script);
    Ok(console.out.write_all(&script)?)
}
