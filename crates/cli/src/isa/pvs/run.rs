//! Runs a vertex program over the vertices of arrays.

use super::Loaded;
use super::data::Data;
use crate::isa::File;
use crate::isa::finding::require_no_errors;
use crate::options::RunArgs;
use crate::options::values::Vector;
use crate::progress::Progress;
use crate::report::Message;
use crate::run::counts::{Counting, Listing};
use crate::run::{
    Frames, Measured, emit, engine, float_constants, missing_constants, note_missing_code, numbered_uniforms, options,
    unused,
};
use crate::wording::one_line;
use crate::{Console, Failure};
use ctm_follow::InstructionPlace;
use ctm_lane::domain::Lanes;
use ctm_lane::run::RunOptions;
use ctm_pvs::reference::{Trap, TrapKind};
use ctm_pvs::{AddressMode, CONSTANTS, Program, RunError, SourceKind, Uses, text};

/// Runs a program and writes its outputs.
pub fn run(file: File, args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
    let cancel = console.host.interrupt();
    let loaded = Loaded::chosen(file, console)?;
    require_no_errors(&loaded)?;
    refuse_options(args)?;
    let program = &loaded.program;
    let mut constants = constants(args, program, console)?;
    let frames = Frames::of(&args.frames);
    let uniforms = numbered_uniforms(&args.frames, CONSTANTS)?;
    let mut data = Data::prepare(args, program, console)?;
    let keeps = !args.outputs.is_empty() || args.output0.is_some();
    if !keeps && !args.execution.reports() {
        console.report(&Message::note("results are not kept; add -o FILE or --output N=FILE"));
    }
    let mut results = data.memory.take_results();

    let progress = console.interactive.then(|| Progress::start(args.runs()));
    let update = |done, total| progress.iter().for_each(|progress| progress.update(done, total));
    let options = options(&args.execution, console.host, &update, &cancel);
    let (engine, executor) = engine(&args.execution)?;
    let lanes = Lanes::Line(data.vertices);
    let counting = Counting::new(&args.execution, lanes, &options, console)?;
    let options = RunOptions { counts: Counting::sink(&counting), ..options };
    if let Some(wanted) = &args.execution.emit {
        let job = data.job(program, &constants)?;
        return emit(wanted, engine, |effort| job.stages(effort), &options, console);
    }
    let failed = |error| failure(error, &loaded, options.step_limit);
    let job = data.job(program, &constants)?;
    let (compiled, mut measured) =
        Measured::compile(|| executor.compile_within(&job, &options.effort())).map_err(failed)?;
    for frame in frames.numbers() {
        for (&number, &uniform) in &uniforms {
            constants[usize::from(number)] = [frames.bits(uniform, frame); 4];
        }
        let job = data.job(program, &constants)?;
        for _ in 0..args.execution.repeat {
            progress.iter().for_each(Progress::begin_run);
            measured.run(|| compiled.run(&job, &options)).map_err(failed)?;
        }
        data.gather(job.outputs);
        results.keep(console.host, &data.memory.space, frame)?;
    }
    progress.iter().for_each(Progress::finish);
    note_missing_code(&executor, console);
    results.commit(&cancel, console)?;
    if args.execution.stats {
        measured.report(&args.execution, &executor, lanes, &options, console)?;
    }
    if let Some(counting) = counting {
        let text =
            |(at, instruction)| (InstructionPlace::from(at as u32), one_line(&text::print_instruction(instruction)));
        let steps = program.code.iter().enumerate().map(text).collect();
        counting.finish(
            &args.execution,
            &measured.stats,
            Listing { steps, address: |at| at.pc.to_string() },
            false,
            console,
        )?;
    }
    Ok(())
}

/// The constants that the program carries, under those of `--consts`, under those that have an option of their own.
pub fn constants(args: &RunArgs, program: &Program, console: &mut Console) -> Result<[[u32; 4]; CONSTANTS], Failure> {
    let mut values = program.constants.clone();
    values.extend(float_constants(console.host, args, CONSTANTS)?);
    let read = Uses::of(program).constants;
    let indexed = program
        .code
        .iter()
        .flat_map(|instruction| instruction.sources_read())
        .any(|(_, source)| source.kind == SourceKind::Constant && source.mode() != AddressMode::Absolute);
    let given = args.floats.iter().map(|constant| &constant.number);
    unused("constant", "read", given, |number| indexed || read.contains(&number), console);
    let missing = missing_constants("c", "--const", "=X,Y,Z,W", &read, |number| indexed || values.contains_key(number));
    missing.iter().for_each(|message| console.report(message));
    let mut constants = [[0; 4]; CONSTANTS];
    values.into_iter().for_each(|(number, value)| constants[usize::from(number)] = value);
    Ok(constants)
}

/// Refuses the options of `ctm run` that mean nothing for vertex programs.
pub fn refuse_options(args: &RunArgs) -> Result<(), Failure> {
    let arrays = "outputs are arrays of float32, four for each vertex";
    let given = [
        ("--mip", !args.mips.is_empty(), "inputs are arrays"),
        ("--depth-output", args.depth_output.is_some(), "vertices have positions: --output 0=FILE"),
        ("--output-format", !args.output_formats.is_empty(), arrays),
        ("--clear", args.clear != Vector::default(), "components that the program does not write are 0, 0, 0, 1"),
        ("--buffer", !args.buffers.is_empty(), "inputs are arrays: --input N=FILE"),
        ("--bottom-up", args.bottom_up.is_some(), "outputs are not pictures"),
        ("--position", args.position.is_some(), "a vertex has nothing but its inputs"),
        ("--follow", args.execution.follow.is_some(), "'ctm debug' goes through a vertex step by step"),
        ("--utilisation", args.execution.utilisation, "vertices do not diverge: conditions are predicates"),
    ];
    match given.into_iter().find(|(_, is_given, _)| *is_given) {
        Some((option, _, help)) => {
            let message = format!("{option} does not apply to vertex programs");
            Err(Failure::Usage(Message::error(message).help(help)))
        }
        None => Ok(()),
    }
}

/// Why a run failed, for people.
fn failure(error: RunError, loaded: &Loaded, step_limit: u64) -> Failure {
    let RunError::Trap { trap: Trap { kind, pc }, vertex } = error else {
        let RunError::Halted(halt) = error else { unreachable!("there are two kinds") };
        return halt.into();
    };
    let message = Message::error(format!("trap: {kind}"))
        .at(loaded.location(pc.into()))
        .with_note(format!("it happened at instruction {pc}, of vertex {vertex}"));
    Failure::Trap(match kind {
        TrapKind::StepLimit => message.help(format!(
            "a vertex executed {step_limit} instructions; if it is not an infinite loop, raise --step-limit"
        )),
        TrapKind::Depth => message.help("loops and calls nest four deep"),
        TrapKind::NoInstruction => message.help("flow control must lead to instructions that there are"),
        TrapKind::Reserved(_) | TrapKind::DualMath => message,
    })
}
