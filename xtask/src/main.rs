//! Builds what cargo alone does not: `cargo run -p xtask -- web`.
#![forbid(unsafe_code)]

mod relaxed;
mod web;

use clap::{Parser, Subcommand};

/// Builds parts of the project that cargo alone does not.
#[derive(Parser)]
#[command(name = "xtask")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The browser page, into web/dist: the engine as WebAssembly, and the page around it
    Web(web::WebArgs),
}

fn main() -> anyhow::Result<()> {
    match Args::parse().command {
        Command::Web(args) => web::build(&args),
    }
}
