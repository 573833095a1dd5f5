//! Systems without a sandbox: a command that asks for one is not executed.

use crate::execution::Execution;
use crate::host::Local;
use crate::report::Message;
use crate::{Cli, Console, Failure};

/// There is nothing to enter.
///
/// # Errors
/// Always.
pub fn enter(_: &Cli, _: &Local) -> Result<Local, Failure> {
    Err(none())
}

/// There is nothing that a command could run in.
///
/// # Errors
/// Always.
pub fn supervise(_: &dyn Execution, _: &mut Console) -> Result<u8, Failure> {
    Err(none())
}

fn none() -> Failure {
    let message = Message::error("sandbox: not supported on this system");
    Failure::Sandbox(message.help("--sandbox needs Linux of 64 bits; leave it out for programs that you trust"))
}
