//! The child: gives up everything but the socket, then does what the command says.

use super::filter;
use super::limits;
use super::remote::Remote;
use crate::failure::cause;
use crate::host::{Host, Local};
use crate::report::Message;
use crate::{Cli, Failure};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Locks this process up for good. Its standard input is the socket to the supervisor, which becomes its host.
///
/// # Errors
/// The kernel does not have what that takes, or refuses it.
pub fn enter(cli: &Cli, local: &Local) -> Result<Remote, Failure> {
    lock(cli, local).map_err(|error| {
        let message = format!("sandbox: the kernel does not allow to set it up: {}", cause(&error));
        let help = "--sandbox needs seccomp filters, which Linux has since 3.17 unless it is built without them";
        Failure::Sandbox(Message::error(message).help(help))
    })
}

fn lock(cli: &Cli, local: &Local) -> io::Result<Remote> {
    let channel = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let machine = local.memory();
    limits::apply(cli.command.execution().map_or(0, |execution| execution.budget().memory(local)))?;
    filter::apply(channel.as_raw_fd())?;
    Ok(Remote::new(channel, machine))
}
