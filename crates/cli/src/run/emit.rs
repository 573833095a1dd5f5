//! `--emit`: what an engine makes of the program.

use crate::args::values::{Emit, Stage};
use crate::report::Message;
use crate::sink::Sink;
use crate::{Console, Failure};
use ctm_engine::{EngineName, Stages};
use ctm_x1k::{Job, RunOptions};

/// Writes one stage as text.
pub fn emit(
    Emit { stage, path }: &Emit,
    engine: EngineName,
    job: &Job,
    options: &RunOptions,
    console: &mut Console,
) -> Result<(), Failure> {
    job.check().map_err(|error| Message::error(error.to_string()))?;
    let stages = Stages::of_x1k(job, options).map_err(|error| {
        Message::error(format!("the program has no lane IR, so that engine reference runs it: {error}"))
    })?;
    let interpreted = || {
        Message::error("the program is not compiled for this job, but interpreted").help(
            "machine code needs a program whose lanes do not depend on each other's order, and whose loops end by themselves",
        )
    };
    let text = match stage {
        Stage::Lane => stages.lifted.to_string(),
        Stage::LaneOpt => stages.general.to_string(),
        Stage::LaneInterior => stages.compiled.as_ref().ok_or_else(interpreted)?.interior.to_string(),
        Stage::Asm if matches!(engine, EngineName::Reference | EngineName::Interp) => {
            let message = format!("engine {} makes no machine code", engine.name());
            return Err(Failure::Usage(Message::error(message).help("use --engine jit")));
        }
        Stage::Asm => stages.machine_code(engine).ok_or_else(interpreted)?,
    };
    match path {
        Some(path) => Ok(Sink::store(path, text.as_bytes())?),
        None => Ok(console.out.write_all(text.as_bytes())?),
    }
}
