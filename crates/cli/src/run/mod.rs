//! `ctm run`: a program over a domain.

mod constants;
mod emit;
mod measure;
mod memory;
mod trace;

use crate::args::run::{DEFAULT_DOMAIN, FlowControl, MadRule, RunArgs};
use crate::args::values::Position;
use crate::failure::no_engine;
use crate::isa::x1k::Loaded;
use crate::progress::Progress;
use crate::report::Message;
use crate::sink::Sink;
use crate::{Console, Failure, interrupt};
use ctm_engine::{EngineName, Executor};
use ctm_x1k::{Job, Program, RunError, RunOptions, Trap, TrapKind};
use measure::measure;
use memory::Data;

/// Runs a program and writes its outputs.
pub fn run(args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
    let cancel = interrupt::flag();
    let mut loaded = Loaded::read(&args.program, console)?;
    adjust(&mut loaded.program, args)?;
    loaded.require_legal()?;
    let domain = args.domain.unwrap_or(DEFAULT_DOMAIN);
    let program = &loaded.program;
    let constants = constants::gather(args, program, console)?;
    let data = Data::prepare(args, program, domain, console)?;
    if args.domain.is_none() {
        console.tell(&Message::note(format!("the domain is {domain}; --domain WxH gives another")));
    }

    let job = Job {
        constants,
        inputs: data.inputs,
        outputs: data.outputs,
        conditional: data.conditional,
        unfused: args.mad == MadRule::Unfused,
        ..Job::new(program, domain.into(), &data.memory)
    };
    let progress = console.interactive.then(Progress::start);
    let update = |done, total| progress.iter().for_each(|progress| progress.update(done, total));
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let options = RunOptions {
        group_width: args.group.map_or(RunOptions::default().group_width, usize::from),
        threads: args.threads.map_or_else(cores, usize::from),
        step_limit: args.step_limit,
        progress: Some(&update),
        cancel: Some(&cancel),
    };
    let engine = args.engine.unwrap_or_else(EngineName::fastest);
    let executor = Executor::new(engine).map_err(no_engine)?;
    if let Some(wanted) = &args.emit {
        return emit::emit(wanted, engine, &job, &options, console);
    }
    if let Some(path) = &args.emit_trace {
        data.clear(args.clear);
        Sink::store(path, &trace::record(&job, &options)?.to_bytes())?;
    }
    let measured = measure(&executor, args.repeat, &job, &options, || data.clear(args.clear))
        .map_err(|error| failure(error, &loaded, options.step_limit))?;
    progress.iter().for_each(Progress::finish);

    if measured.stats.out_of_range {
        console.tell(&Message::warning("an access left the memory of the device: it read 0 or wrote nothing"));
    }
    data.write(args, &cancel)?;
    if args.stats {
        measured.report(args, domain, &options, console)?;
    }
    Ok(())
}

/// Puts the program information of the command line in place of the program's own.
fn adjust(program: &mut Program, args: &RunArgs) -> Result<(), Failure> {
    let info = &mut program.info;
    if let Some(Position(register)) = args.position {
        info.position = register;
    }
    if let Some(flow) = args.flow {
        info.full_flow_control = flow == FlowControl::Full;
    }
    info.zero_times_anything |= args.zero_times_anything;
    info.start = args.start.unwrap_or(info.start);
    info.end = args.end.unwrap_or(info.end);
    let (start, end, last) = (info.start, info.end, program.code.len().saturating_sub(1));
    if (args.start.is_some() || args.end.is_some()) && (start > end || usize::from(end) > last) {
        let message =
            format!("--start and --end select instructions {start} to {end}, but the program has 0 to {last}");
        return Err(Failure::Usage(Message::error(message)));
    }
    Ok(())
}

/// Why a run failed, for people.
fn failure(error: RunError, loaded: &Loaded, step_limit: u64) -> Failure {
    match error {
        RunError::Cancelled => Failure::Interrupted,
        RunError::State(error) => Message::error(error.to_string()).into(),
        RunError::Trap(Trap { kind, pc, i, j }) => {
            let message = Message::error(format!("trap: {kind}"))
                .at(loaded.place(pc))
                .fact(format!("it happened at instruction {pc}, in the group of lane (i, j) = ({i}, {j})"));
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
            format!("a group executed {step_limit} instructions; if that is no endless loop, raise --step-limit")
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
