//! Shared parts of the runs of all instruction sets: engines and options, memory with files, measurement, following a lane.

pub mod counts;
mod debug;
mod emit;
pub mod follow;
mod frames;
mod measure;
mod memory;
mod results;
pub mod sampling;
mod target;
mod texture;
pub mod utilisation;

pub use debug::{Debugged, lines, picture, require_terminal};
pub use emit::emit;
pub use frames::{Frames, file as frame_file, numbered_uniforms, uniforms};
pub use measure::Measured;
pub use memory::{
    Memory, cut_output, float_constants, missing_constants, no_such_output, not_an_output, output_files,
    require_inputs, unused,
};
pub use results::ResultSettings;
pub use target::OutputFiles;
pub use texture::{TextureKind, TextureLevel, TextureSpec};

use crate::failure::no_engine;
use crate::host::Host;
use crate::options::ExecutionArgs;
use crate::options::values::Numbered;
use crate::report::Message;
use crate::{Console, Failure};
use ctm_codegen::EngineName;
use ctm_engine::{Executor, GuestJob};
use ctm_lane::run::RunOptions;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// The engine of the command line, else the fastest; to follow a lane, the reference; to count, the interpreter.
pub fn engine(args: &ExecutionArgs) -> Result<(EngineName, Executor), Failure> {
    let name = match (args.follow, args.engine) {
        (Some(_), None) => EngineName::Reference,
        (None, None) if args.counts || args.heat.is_some() => EngineName::Interp,
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

/// Says that code of a program was not made, or not all of it, if that is so, and why.
pub fn note_missing_code(executor: &Executor, console: &mut Console) {
    if let Some(refusal) = executor.code_counts().last_refusal {
        let message = format!("the program runs without machine code, or without some of it: {refusal}");
        console.report(&Message::note(message).help("results are the same, but take longer"));
    }
}

/// How to run.
pub fn options<'a>(
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
        counts: None,
    }
}

/// The options that a job runs with: where lanes meet in memory, these have an order, which is said, and why.
pub fn in_order<'a, J: GuestJob>(
    job: &J,
    options: &RunOptions<'a>,
    args: &ExecutionArgs,
    console: &mut Console,
) -> RunOptions<'a> {
    let Some(aliasing) = job.order() else { return *options };
    let options = ctm_engine::in_order(job, options);
    let groups = match options.group_width {
        1 => "one by one".into(),
        width => format!("in groups of {width}"),
    };
    let message = Message::note(format!("lanes run {groups}, in their order, on one thread: {aliasing}"));
    let given = [("--group", args.group.is_some()), ("--threads", args.threads.is_some_and(|threads| threads > 1))];
    console.report(&match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => message.help(format!("{option} has no effect here: results would depend on it")),
        None => message,
    });
    options
}

/// Values by number, below `limit`; none may be given twice.
pub fn once_each<'a, T, const COUNT: usize>(
    what: &str,
    given: &'a [Numbered<T, COUNT>],
    limit: usize,
) -> Result<BTreeMap<u8, &'a T>, Failure> {
    let mut values = BTreeMap::new();
    for Numbered { number, value } in given {
        if usize::from(*number) >= limit {
            let message = format!("{what} {number} is out of range (0 to {})", limit - 1);
            return Err(Failure::Usage(Message::error(message)));
        }
        if values.insert(*number, value).is_some() {
            return Err(Failure::Usage(Message::error(format!("{what} {number} is given twice"))));
        }
    }
    Ok(values)
}
