//! `--emit`: what an engine makes of a program.

use crate::options::values::{Emit, Stage};
use crate::outputs::{Form, Sink};
use crate::report::Message;
use crate::{Console, Failure};
use ctm_codegen::EngineName;
use ctm_engine::Stages;
use std::fmt::Display;

/// Writes one stage as text. `stages` are those of a job that was checked; without them, the reference runs it.
pub fn emit(
    Emit { stage, path }: &Emit,
    engine: EngineName,
    stages: Result<Stages, impl Display>,
    console: &mut Console,
) -> Result<(), Failure> {
    let stages = stages.map_err(|error| {
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
        Stage::Asm => engine.disassemble(&stages).ok_or_else(interpreted)?,
    };
    match path {
        Some(path) => Sink::store(Form::Text, [(&**path, text.as_bytes())], console),
        None => Ok(console.out.write_all(text.as_bytes())?),
    }
}
