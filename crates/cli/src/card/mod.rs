//! `ctm card`: programs that draw on a card in software, and what their drivers submit to it.

pub mod constants;
mod dis;
#[cfg(target_os = "linux")]
mod doctor;
mod execution;
mod history;
mod info;
mod machine;
mod mesa;
mod replay;
mod start;
mod stats;
mod trace;

use crate::args::CardCommand;
use crate::{Console, Failure};

/// Runs one of its commands.
pub fn execute(command: &CardCommand, console: &mut Console) -> Result<(), Failure> {
    match command {
        CardCommand::Run(args) => start::run(args, console),
        CardCommand::Record(args) => start::record(args, console),
        #[cfg(target_os = "linux")]
        CardCommand::Doctor(args) => doctor::doctor(args, console),
        CardCommand::Info(args) => info::info(args, console),
        CardCommand::Dis(args) => dis::dis(args, console),
        CardCommand::Replay(args) => replay::replay(args, console),
        CardCommand::Stats(args) => stats::stats(args, console),
    }
}
