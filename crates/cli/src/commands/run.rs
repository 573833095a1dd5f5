//! `ctm run`.

use crate::args::RunCommand;
use crate::isa::File;
use crate::options::{FrameArgs, RunArgs, Uniform};
use crate::report::Message;
use crate::run::Frames;
use crate::{Console, Failure};
use ctm_array::FileKind;
use ctm_codegen::EngineName;
use std::path::PathBuf;

/// Runs a program and writes its outputs.
pub fn run(command: &RunCommand, console: &mut Console) -> Result<(), Failure> {
    require_no_outputs(command)?;
    check_frames(&command.run.frames)?;
    warn_of_idle_options(command, console);
    let (isa, file) = File::read(&command.program, console)?;
    let runner = command.isa_options.runner(isa)?;
    if let Some((option, name)) = command.run.first_name().filter(|_| !runner.takes_names(&file)) {
        let message = format!("{option}: inputs and constants of this program have numbers, and no names");
        let number: Option<u8> = name.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok();
        let value = option.split_once('=').map_or("FILE", |(_, value)| value);
        return Err(Failure::Usage(Message::error(message).help(match number {
            Some(number) => format!("write {number}={value}"),
            None => "shaders in source (.frag, .glsl, .wgsl, .ps) have names".to_owned(),
        })));
    }
    if !runner.takes_names(&file) && command.run.frames.uniforms.is_empty() {
        Frames::of(&command.run.frames).warn_of_same(console);
    }
    runner.run(file, &command.run, console)
}

/// Refuses outputs of a run that does not take place.
fn require_no_outputs(command: &RunCommand) -> Result<(), Failure> {
    match command.results().writes.first() {
        Some(file) if command.run.execution.emit.is_some() => {
            let message = format!(
                "--emit shows the program and does not run it, so that '{}' would receive nothing",
                file.display()
            );
            Err(Failure::Usage(
                Message::error(message).help("leave the output out; --emit STAGE=FILE writes the stage to a file"),
            ))
        }
        _ => Ok(()),
    }
}

/// Refuses what differs from frame to frame where there is one frame.
fn check_frames(frames: &FrameArgs) -> Result<(), Failure> {
    let varies = |text: &&String| text.split_once('=').is_some_and(|(_, value)| Uniform::varies(value));
    if let Some(uniform) = frames.uniforms.iter().find(varies).filter(|_| frames.frames.is_none()) {
        let message = format!("--uniform {uniform} differs from frame to frame, but there is one frame only");
        return Err(Failure::Usage(Message::error(message).help("--frames N makes several")));
    }
    Ok(())
}

/// Warns of options that do nothing beside the others.
fn warn_of_idle_options(command: &RunCommand, console: &mut Console) {
    let RunArgs { tonemap, execution, .. } = &command.run;
    let is_picture = |path: &PathBuf| matches!(FileKind::of(path), Ok(FileKind::Png | FileKind::Apng));
    let engine = execution.engine.unwrap_or_else(EngineName::fastest);
    let makes_code = !matches!(engine, EngineName::Reference | EngineName::Interp) && execution.follow.is_none();
    for (option, is_idle, why, help) in [
        (
            "--tonemap",
            tonemap.is_some() && !command.results().writes.iter().any(is_picture),
            "no output is a picture",
            "it says what pictures show; other files have the values as they are",
        ),
        (
            "--repeat",
            execution.repeat > 1 && !execution.stats && execution.emit.is_none(),
            "all runs leave the same, and nobody asks how long they take",
            "add --stats",
        ),
        (
            "--repeat",
            execution.repeat > 1 && execution.emit.is_some(),
            "--emit does not run the program",
            "leave it out",
        ),
        (
            "--check-code",
            execution.check_code && !makes_code,
            "the engine makes no machine code",
            "--engine jit does, where this machine can",
        ),
    ] {
        if is_idle {
            console.report(&Message::warning(format!("{option} has no effect: {why}")).help(help));
        }
    }
}
