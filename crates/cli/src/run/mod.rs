//! `ctm run`: a program over a domain, or over vertices. One module for each instruction set, and what they share.

mod emit;
mod follow;
mod measure;
mod memory;
mod r700;
mod sm50;
mod x1k;

pub use r700::texture_file;

use crate::args::Isa;
use crate::args::run::{ExecutionArgs, RunArgs};
use crate::args::values::Numbered;
use crate::failure::no_engine;
use crate::host::Host;
use crate::isa::{File, ctm};
use crate::report::Message;
use crate::{Console, Failure};
use clap::ValueEnum;
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_lane::run::RunOptions;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Runs a program and writes its outputs.
pub fn run(args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
    let file = File::read(&args.program, console)?;
    let given = [(Isa::X1k, args.x1k.is_some()), (Isa::R700, args.r700.is_some()), (Isa::Sm50, args.sm50.is_some())];
    if let Some((isa, _)) = given.into_iter().find(|&(isa, is_given)| is_given && isa != file.isa) {
        return Err(foreign_options(isa));
    }
    match file.isa {
        Isa::X1k => x1k::run(file, args, console),
        Isa::R700 => r700::run(file, args, console),
        Isa::Sm50 => sm50::run(file, args, console),
        Isa::Ctm => Err(ctm::no_program()),
    }
}

/// The engine of the command line, else the fastest; to follow a lane, the reference.
fn engine(args: &ExecutionArgs) -> Result<(EngineName, Executor), Failure> {
    let name = match (args.follow, args.engine) {
        (Some(_), None) => EngineName::Reference,
        (Some(_), Some(name)) if name != EngineName::Reference => {
            let message = format!("--follow shows what the reference executes, and --engine asks for {}", name.name());
            return Err(Failure::Usage(
                Message::error(message).help("leave --engine out: all engines give the same bits"),
            ));
        }
        (_, name) => name.unwrap_or_else(EngineName::fastest),
    };
    let make = if args.check_code { EngineName::checked_executor } else { EngineName::executor };
    Ok((name, make(name).map_err(no_engine)?))
}

/// How to run.
fn options<'a>(
    args: &ExecutionArgs,
    host: &dyn Host,
    progress: &'a (dyn Fn(u64, u64) + Sync),
    cancel: &'a AtomicBool,
) -> RunOptions<'a> {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
    RunOptions {
        group_width: args.group.map_or(RunOptions::default().group_width, usize::from),
        threads: args.threads.map_or_else(cores, usize::from),
        step_limit: args.step_limit,
        budget: args.budget.limits(host).start(),
        progress: Some(progress),
        cancel: Some(cancel),
    }
}

/// Options that another instruction set has.
fn foreign_options(of: Isa) -> Failure {
    let of = of.to_possible_value().map_or_else(String::new, |value| value.get_name().to_uppercase());
    let message = format!("options of {of} programs are given, but this is none");
    Failure::Usage(Message::error(message).help(format!("'ctm run --help' lists them under '{of}'")))
}

/// Values by number, below `limit`; none may be given twice.
fn once_each<'a, T, const COUNT: usize>(
    what: &str,
    given: &'a [Numbered<T, COUNT>],
    limit: usize,
) -> Result<BTreeMap<u8, &'a T>, Failure> {
    let mut values = BTreeMap::new();
    for Numbered { number, value } in given {
        if usize::from(*number) >= limit {
            let message = format!("there is no {what} {number}; the number before '=' must be 0 to {}", limit - 1);
            return Err(Failure::Usage(Message::error(message)));
        }
        if values.insert(*number, value).is_some() {
            return Err(Failure::Usage(Message::error(format!("{what} {number} is given twice"))));
        }
    }
    Ok(values)
}

/// Refuses to write two results to one file.
fn different_files<'a>(host: &dyn Host, paths: impl Iterator<Item = &'a Path>) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    for path in paths {
        if !seen.insert(host.place(path)) {
            let message = format!("'{}' is to receive more than one output", path.display());
            return Err(Failure::Usage(Message::error(message).help("give each output a file of its own")));
        }
    }
    Ok(())
}
