//! `ctm-bench`: measures ctm.
#![forbid(unsafe_code)]

use clap::{Parser, Subcommand};
use ctm_bench::kernel::{Isa, KERNELS};
use ctm_bench::peers::{Measurement, Plan};
use ctm_bench::report;
use ctm_engine::{EngineName, Executor};
use std::path::PathBuf;
use std::process::ExitCode;

/// Measures ctm.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Measure,
}

#[derive(Subcommand)]
enum Measure {
    /// Kernels side by side with Mesa's llvmpipe on their source, and against the limits of this machine.
    ///
    /// Exits with 1 if a picture is not llvmpipe's, and with 2 if llvmpipe cannot be measured.
    Peers(Peers),
}

#[derive(clap::Args)]
struct Peers {
    /// The instruction set of our side
    #[arg(long, value_enum, default_value = "x1k")]
    isa: Isa,
    /// Only this kernel; may be given several times
    #[arg(long = "kernel", value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(KERNELS.map(|kernel| kernel.name)))]
    kernels: Vec<String>,
    /// The engine of our side; the fastest of this machine by default
    #[arg(long, value_name = "NAME", value_parser = engine)]
    engine: Option<EngineName>,
    /// Threads of each side; one per core by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Turns of each side
    #[arg(long, value_name = "N", default_value = "15", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write a page in Markdown too
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn engine(name: &str) -> Result<EngineName, String> {
    let names = || EngineName::ALL.map(EngineName::name).join(", ");
    let engine = EngineName::parse(name).ok_or_else(|| format!("engines are {}", names()))?;
    Executor::new(engine).map(|_| engine).map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    let Arguments { command: Measure::Peers(peers) } = Arguments::parse();
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let plan = Plan {
        isa: peers.isa,
        kernels: peers.kernels,
        engine: peers.engine.unwrap_or_else(EngineName::fastest),
        threads: peers.threads.map_or(cores, usize::from),
        rounds: peers.rounds.into(),
    };
    let measurement = match Measurement::new(plan, |what| eprintln!("measuring {what}")) {
        Ok(measurement) => measurement,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    if peers.json {
        println!("{:#}", report::json(&measurement));
    } else {
        print!("{}", report::text(&measurement));
    }
    if let Some(path) = peers.output
        && let Err(error) = std::fs::write(&path, report::page(&measurement))
    {
        eprintln!("error: {} cannot be written: {error}", path.display());
        return ExitCode::from(2);
    }
    if measurement.pictures_agree() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
