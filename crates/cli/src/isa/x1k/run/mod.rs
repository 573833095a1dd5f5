//! Runs a program over a domain.

mod buffers;
mod constants;
mod debug;
mod inputs;
mod memory;
mod trace;
mod varyings;

pub use crate::run::sampling::file as input_file;
pub use debug::debug;
pub use varyings::VaryingValue;

use super::Loaded;
use super::options::{FlowControl, MadRule, X1kArgs};
use super::shader::{self, MovingUniforms, UniformContext};
use crate::isa::finding::require_no_errors;
use crate::isa::{File, one};
use crate::options::values::Position;
use crate::options::{DEFAULT_DOMAIN, RunArgs};
use crate::outputs::{OutputKind, Sink};
use crate::progress::Progress;
use crate::report::Message;
use crate::run::counts::{Counting, Listing};
use crate::run::follow::{self, Follower, Guest};
use crate::run::utilisation::Issued;
use crate::run::{Frames, Measured, emit, engine, in_order, note_missing_code, numbered_uniforms, options};
use crate::wording::one_line;
use crate::{Console, Failure};
use buffers::{Buffer, Pass, Surfaces};
use ctm_compile::front::Interface;
use ctm_follow::{FollowedLanes, InstructionPlace};
use ctm_lane::effort::Effort;
use ctm_x1k::{
    FLOAT_CONSTANTS, Interpolants, Job, NoPlane, Program, RunError, RunOptions, Trap, TrapKind, reference, text,
};
use memory::Data;

/// Runs a program and writes its outputs.
pub fn run(file: File, args: &RunArgs, x1k: &X1kArgs, console: &mut Console) -> Result<(), Failure> {
    let cancel = console.host.interrupt();
    if args.depth_output.is_some() {
        let message = Message::error("--depth-output does not apply to X1K programs");
        return Err(Failure::Usage(message.help("they put out colours: --output N=FILE")));
    }
    let loaded = load(file, args, x1k, console)?;
    let domain = args.domain.unwrap_or(DEFAULT_DOMAIN);
    let program = &loaded.program;
    let interface = loaded.interface.as_ref();
    let (mut constants, numbered) = constants::gather(args, x1k, program, interface, console)?;
    let lanes = ctm_lane::domain::Domain::from(domain).into();
    let followed = args.execution.follow.map(|named| follow::lane(named, lanes, "lane")).transpose()?;
    let frames = Frames::of(&args.frames);
    let uniforms = numbered_uniforms(&args.frames, FLOAT_CONSTANTS)?;
    let bottom_up = is_bottom_up(args, interface);
    let buffers = Buffer::load_all(args, x1k, console)?;
    let mut data = Data::prepare(args, x1k, program, interface, &buffers, domain, console)?;
    let surfaces = Surfaces::new(&buffers, domain, &mut data.memory)?;
    let passes = Pass::prepare_all(&buffers, args, domain, &mut data.memory, console)?;
    let keeps = !args.outputs.is_empty() || args.output0.is_some() || x1k.cond_output.is_some();
    if !keeps && !args.execution.reports() {
        console.report(&Message::note("results are not kept; add -o FILE or --output N=FILE"));
    }
    if bottom_up && args.bottom_up.is_none() && keeps {
        let message = Message::note("row 0 is the lowest of pictures, as the shader expects it");
        console.report(&message.help("--bottom-up=false makes it the first one"));
    }
    let moving = match interface {
        Some(interface) => {
            let is_others = |name: &str| buffers.iter().any(|buffer| shader::has_uniform(&buffer.interface, name));
            let (sizes, numbered) = (&data.inputs.sizes, &numbered);
            let surroundings = UniformContext { interface, sizes, numbered, is_others: &is_others };
            Some(shader::fill(&surroundings, &mut constants, args, domain, console)?)
        }
        None => None,
    };
    if buffers.is_empty() && moving.as_ref().is_some_and(MovingUniforms::is_empty) && uniforms.is_empty() {
        frames.warn_of_same(console);
    }
    let vertices = varyings::vertices(&x1k.varyings, program, interface, domain, console)?;
    let no_plane = |error: NoPlane| Failure::Usage(Message::error(format!("--varying: {error}")));
    let interpolants = vertices.as_ref().map(Interpolants::through).transpose().map_err(no_plane)?;
    let mut results = data.memory.take_results();
    if interface.is_some() {
        results.show_as_displays_do();
    }
    let trace = x1k.emit_trace.as_deref().map(|path| Sink::open(console.host, path, OutputKind::Trace)).transpose()?;
    if args.domain.is_none() && args.execution.emit.is_none() {
        console.report(&Message::note(format!("the domain is {domain}; --domain WxH gives another")));
    }

    let mut job = Job {
        constants,
        interpolants,
        inputs: data.inputs.surfaces,
        samplers: data.inputs.samplers.clone(),
        outputs: data.outputs,
        conditional: data.conditional,
        unfused: x1k.mad == MadRule::Unfused,
        ..Job::new(program, domain.into(), &data.memory.space)
    };
    surfaces.bind(&mut job, &data.inputs, buffers.len(), 0);
    let progress = (console.interactive && followed.is_none()).then(|| Progress::start(args.runs()));
    let update = |done, total| progress.iter().for_each(|progress| progress.update(done, total));
    let options = options(&args.execution, console.host, &update, &cancel);
    let (engine, executor) = engine(&args.execution)?;
    let counting = Counting::new(&args.execution, lanes, &options, console)?;
    let options = RunOptions { counts: Counting::sink(&counting), ..options };
    let options = in_order(&job, &options, &args.execution, console);
    if job.has_samplers() && x1k.emit_trace.is_some() {
        let message = "the CTM device has no samplers, and an input has one";
        return Err(Failure::Usage(
            Message::error(message).help("leave --emit-trace out, or the kind after the input"),
        ));
    }
    if let Some(wanted) = &args.execution.emit {
        job.check().map_err(|error| Message::error(error.to_string()))?;
        let stages = |effort: &Effort| ctm_x1k::engine::stages(&job, &options, effort);
        return emit(wanted, engine, stages, &options, console);
    }
    if let Some(mut file) = trace {
        results.clear(&data.memory.space);
        let trace = trace::record(&job, vertices.as_ref(), &options, args.execution.budget.limits(console.host))?;
        file.write(&trace.to_bytes())?;
        Sink::commit([file], console)?;
    }
    let host = console.host;
    let failed = |error| failure(error, &loaded, options.step_limit);
    let mut follower = followed.map(|(at, name)| (at, Follower::new(guest(program, name), &args.execution, console)));
    // Other runs leave again what they find. Clearing in between would take what they work on out of the caches.
    let reads_results = job.conditional.needs_buffer() || job.read_surfaces().any(|input| results.overlap(input));
    let mut run = || -> Result<Measured, Failure> {
        let (compiled, mut measured) =
            Measured::compile(|| executor.compile_within(&job, &options.effort())).map_err(failed)?;
        for frame in frames.numbers() {
            for (&number, &uniform) in &uniforms {
                job.constants.floats[usize::from(number)] = [frames.bits(uniform, frame); 4];
            }
            moving.iter().for_each(|moving| moving.set(frames, frame, &mut job.constants));
            Pass::run_all(&passes, &surfaces, &job, frames, frame, &executor, &options).map_err(buffer_failed)?;
            surfaces.bind(&mut job, &data.inputs, buffers.len(), frame);
            for run in 0..args.execution.repeat {
                if run == 0 || reads_results {
                    results.clear(&data.memory.space);
                }
                progress.iter().for_each(Progress::begin_run);
                let ran = measured.run(|| match &mut follower {
                    Some((at, follower)) => reference::run_observed(&job, &options, *at, follower),
                    None => compiled.run(&job, &options),
                });
                ran.map_err(failed)?;
            }
            results.keep(host, &data.memory.space, frame)?;
        }
        if args.execution.utilisation {
            let mut issued = Issued::default();
            results.clear(&data.memory.space);
            progress.iter().for_each(Progress::begin_run);
            let options = RunOptions { counts: None, ..options };
            reference::run_observed(&job, &options, FollowedLanes::EachGroup, &mut issued).map_err(failed)?;
            measured.issued = Some(issued.0);
        }
        Ok(measured)
    };
    let measured = run();
    let idle = follower.map(|(_, follower)| follower.finish()).transpose()?.flatten();
    idle.iter().for_each(|message| console.report(message));
    let measured = measured?;
    progress.iter().for_each(Progress::finish);
    note_missing_code(&executor, console);

    if measured.stats.out_of_range {
        console.report(&Message::warning("an access left the memory of the device: it read 0 or wrote nothing"));
    }
    results.commit(&cancel, console)?;
    if args.execution.stats {
        measured.report(&args.execution, &executor, lanes, &options, console)?;
    }
    if let Some(counting) = counting {
        counting.finish(&args.execution, &measured.stats, listing(program), bottom_up, console)?;
    }
    Ok(())
}

/// Whether row 0 is the lowest of pictures: the command line says so, or else the shader expects it.
fn is_bottom_up(args: &RunArgs, interface: Option<&Interface>) -> bool {
    args.bottom_up.unwrap_or_else(|| interface.is_some_and(|interface| interface.is_bottom_up))
}

/// Loads the one program of a file.
fn load(file: File, args: &RunArgs, x1k: &X1kArgs, console: &mut Console) -> Result<Loaded, Failure> {
    load_with(file, args, x1k, false, console)
}

/// The same, perhaps with the variables of its source.
fn load_with(
    file: File,
    args: &RunArgs,
    x1k: &X1kArgs,
    variables: bool,
    console: &mut Console,
) -> Result<Loaded, Failure> {
    let kernel = file.kernel.clone();
    let mut compiling = x1k.compiling(args, console)?;
    compiling.shading.variables = variables;
    compiling.require_meaning(file.language)?;
    let mut loaded = one(Loaded::all(file, &compiling, console)?, kernel.as_deref(), |loaded| loaded)?;
    adjust(&mut loaded.program, args, x1k)?;
    require_no_errors(&loaded)?;
    Ok(loaded)
}

/// Its instructions, as counts are shown beside them.
fn listing(program: &Program) -> Listing {
    let text = |at: usize| (InstructionPlace::from(at as u32), one_line(&text::print_instruction_at(program, at)));
    Listing { steps: (0..program.code.len()).map(text).collect(), address: |at| at.pc.to_string() }
}

/// How its steps are shown.
fn guest(program: &Program, lane: String) -> Guest<'_> {
    Guest {
        text: Box::new(|at, _| one_line(&text::print_instruction_at(program, at.pc as usize))),
        address: |at| at.pc.to_string(),
        width: 68,
        lane,
    }
}

/// Puts the program information of the command line in place of the program's own.
fn adjust(program: &mut Program, args: &RunArgs, x1k: &X1kArgs) -> Result<(), Failure> {
    let info = &mut program.info;
    if let Some(Position(register)) = args.position {
        info.position = register;
    }
    if let Some(flow) = x1k.flow {
        info.full_flow_control = flow == FlowControl::Full;
    }
    info.zero_times_anything |= x1k.zero_times_anything;
    info.start = x1k.start.unwrap_or(info.start);
    info.end = x1k.end.unwrap_or(info.end);
    let (start, end, last) = (info.start, info.end, program.code.len().saturating_sub(1));
    if (x1k.start.is_some() || x1k.end.is_some()) && (start > end || usize::from(end) > last) {
        let message =
            format!("--start and --end select instructions {start} to {end}, but the program has 0 to {last}");
        return Err(Failure::Usage(Message::error(message)));
    }
    Ok(())
}

/// Why the shader of a buffer failed, for people.
fn buffer_failed((buffer, error): (&str, RunError)) -> Failure {
    let about = |message: Message| message.with_note(format!("it is the shader of the buffer {buffer}"));
    match error {
        RunError::Halted(halt) => halt.into(),
        RunError::State(error) => about(Message::error(error.to_string())).into(),
        RunError::Trap(trap) => Failure::Trap(about(Message::error(format!("trap: {}", trap.kind)))),
    }
}

/// Why a run failed, for people.
fn failure(error: RunError, loaded: &Loaded, step_limit: u64) -> Failure {
    match error {
        RunError::Halted(halt) => halt.into(),
        RunError::State(error) => Message::error(error.to_string()).into(),
        RunError::Trap(Trap { kind, pc, i, j }) => {
            let message = Message::error(format!("trap: {kind}"))
                .at(loaded.location(pc))
                .with_note(format!("it happened at instruction {pc}, in the group of lane (i, j) = ({i}, {j})"));
            Failure::Trap(match remedy(kind, step_limit, loaded.program.info.full_flow_control) {
                Some(remedy) => message.help(remedy),
                None => message,
            })
        }
    }
}

/// What to do about a trap.
fn remedy(kind: TrapKind, step_limit: u64, full_flow_control: bool) -> Option<String> {
    let full = if full_flow_control { "" } else { ", or allow more with --flow full" };
    Some(match kind {
        TrapKind::StepLimit => {
            format!("a group executed {step_limit} instructions; if it is not an infinite loop, raise --step-limit")
        }
        TrapKind::AddressStackOverflow => format!("nest at most 4 calls with full flow control{full}"),
        TrapKind::LoopStackOverflow => format!("nest at most 4 loops with full flow control{full}"),
        TrapKind::BranchCounterOverflow => {
            format!("branches nest 6 deep with partial and 32 deep with full flow control{full}")
        }
        TrapKind::AddressStackEmpty => "every RETURN needs a CALL before it".into(),
        TrapKind::LoopStackEmpty => "loop ends, BREAK and CONTINUE belong inside a loop".into(),
        TrapKind::PcOutsideCode => "execution must reach the end address; a jump led past it".into(),
        TrapKind::ReservedOperation => return None,
    })
}
