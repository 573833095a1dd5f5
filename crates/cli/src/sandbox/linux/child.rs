//! The child: gives up everything but the socket, then does what the command says.

use super::filter;
use super::limits;
use super::remote::Remote;
use crate::failure::cause;
use crate::host::{Host, Local};
use crate::report::Message;
use crate::{Cli, Failure};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};

/// Locks this process up for good. Its standard input is the socket to the supervisor, which becomes its host.
///
/// # Errors
/// The kernel does not have what that takes, or refuses it.
pub fn enter(cli: &Cli, local: &Local) -> Result<Remote, Failure> {
    lock(cli, local).map_err(|error| {
        let message = format!("sandbox: the kernel refuses to set it up: {}", cause(&error));
        let help = "--sandbox needs seccomp filters, which Linux has since 3.17 unless it is built without them";
        Failure::Sandbox(Message::error(message).help(help))
    })
}

fn lock(cli: &Cli, local: &Local) -> io::Result<Remote> {
    let channel = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let machine = local.memory();
    confine(channel.as_raw_fd(), cli.command.execution().map_or(0, |execution| execution.budget().memory(local)))?;
    Ok(Remote::new(channel, machine))
}

/// Leaves this process, which must have one thread, the channel and what computing takes; its runs may take so many bytes of memory.
pub fn confine(channel: RawFd, budget: u64) -> io::Result<()> {
    limits::apply(budget)?;
    // What the superuser may do beyond files: poison memory, change limits and namespaces.
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    filter::apply(channel)
}
