//! `--emit`: what an engine makes of a program.

use crate::options::values::{Emit, Stage};
use crate::outputs::{OutputKind, Sink};
use crate::report::Message;
use crate::{Console, Failure};
use ctm_codegen::EngineName;
use ctm_engine::Stages;
use ctm_lane::effort::{CutShort, Effort};
use ctm_lane::run::RunOptions;
use std::fmt::Display;

/// Writes one stage as text. `stages` makes those of a job that was checked; without them, the reference runs it.
pub fn emit<E: Display>(
    Emit { stage, path }: &Emit,
    engine: EngineName,
    stages: impl FnOnce(&Effort) -> Result<Stages, E>,
    options: &RunOptions,
    console: &mut Console,
) -> Result<(), Failure> {
    let effort = options.effort();
    let stages = stages(&effort);
    require_time(&effort)?;
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
        Stage::Asm => {
            let text = engine.disassemble(&stages, &effort);
            require_time(&effort)?;
            let refused = |refusal| Message::error(format!("the program has no machine code: {refusal}"));
            text.map_err(refused)?.ok_or_else(interpreted)?
        }
    };
    if let Err(cut) = effort.check() {
        let message = format!("not all of the program is simplified: that takes {cut}");
        console.report(&Message::note(message).help("runs use the same form"));
    }
    match path {
        Some(path) => Sink::store(OutputKind::Text, [(&**path, text.as_bytes())], console),
        None => Ok(console.out.write_all(text.as_bytes())?),
    }
}

/// Ends the command where a limit that it was given came before the stages were complete.
fn require_time(effort: &Effort) -> Result<(), Failure> {
    match effort.check() {
        Ok(()) | Err(CutShort::Steps { .. }) => Ok(()),
        Err(CutShort::Halted(halt)) => Err(halt.into()),
        Err(cut @ CutShort::Memory { .. }) => {
            let message = Message::error(format!("making the program's code takes {cut}"));
            Err(Failure::Limit(message.help("raise --memory SIZE")))
        }
    }
}
