//! `ctm man`.

use crate::args::{Cli, ManArgs};
use crate::report::Message;
use crate::{Console, Failure};
use clap::{Command, CommandFactory};
use clap_mangen::Man;

/// Prints the manual page of `ctm`, or of one of its commands.
pub fn man(args: &ManArgs, console: &mut Console) -> Result<(), Failure> {
    let mut cli = Cli::command().disable_help_subcommand(true);
    // Commands get their whole names.
    cli.build();
    let mut command = &cli;
    for name in &args.command {
        command = command.find_subcommand(name).ok_or_else(|| unknown(command, name))?;
    }
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    // Examples have columns, which filled lines would not keep.
    let page = String::from_utf8_lossy(&page).replace("\n.SH EXTRA\n", "\n.SH NOTES\n.nf\n");
    Ok(console.out.write_all(page.as_bytes())?)
}

fn unknown(command: &Command, name: &str) -> Failure {
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let message = Message::error(format!("'{}' has no command '{name}'", command.get_bin_name().unwrap_or("ctm")));
    Failure::Usage(match names.as_slice() {
        [] => message,
        names => message.help(format!("its commands: {}", names.join(", "))),
    })
}
