//! Runs a program over a domain, or over vertices.

mod data;
mod debug;
mod texture;

pub use debug::debug;

use super::options::R700Args;
use super::{Loaded, dump};
use crate::isa::finding::require_no_errors;
use crate::isa::{File, Isa, one};
use crate::options::RunArgs;
use crate::progress::Progress;
use crate::report::{Location, Message};
use crate::run::counts::{Counting, Listing};
use crate::run::follow::{self, Follower, Guest};
use crate::run::utilisation::Issued;
use crate::run::{Frames, Measured, emit, engine, in_order, note_missing_code, numbered_uniforms, options};
use crate::{Console, Failure};
use ctm_follow::{Address, FollowedLanes, InstructionPlace, StepPart};
use ctm_lane::domain::{AXIS, Lanes};
use ctm_lane::effort::Effort;
use ctm_lane::run::RunOptions;
use ctm_object::probe::Language;
use ctm_r700::{RunError, Stage, Trap, TrapKind, reference, text};
use ctm_text::Origin;
use data::{CONSTANTS, Data, lanes};
use std::collections::HashMap;
use std::path::Path;

/// Runs a program and writes what it exports.
pub fn run(file: File, args: &RunArgs, r700: &R700Args, console: &mut Console) -> Result<(), Failure> {
    let cancel = console.host.interrupt();
    let programs = Programs::load(file, r700, console)?;
    let lanes = lanes(args, r700, programs.main.program.info.stage, console)?;
    let followed = args.execution.follow.map(|named| follow::lane(named, lanes, "vertex")).transpose()?;
    let frames = Frames::of(&args.frames);
    let uniforms = numbered_uniforms(&args.frames, CONSTANTS)?;
    let mut data = Data::prepare(args, r700, &programs, lanes, console)?;
    let keeps = !args.outputs.is_empty() || args.output0.is_some() || args.depth_output.is_some() || r700.keeps();
    if !keeps && !args.execution.reports() {
        console.report(&Message::note("results are not kept; add --output N=FILE or another output"));
    }
    let mut results = data.memory.take_results();
    let mut job = data.job(&programs);

    let progress = (console.interactive && followed.is_none()).then(|| Progress::start(args.runs()));
    let update = |done, total| progress.iter().for_each(|progress| progress.update(done, total));
    let options = options(&args.execution, console.host, &update, &cancel);
    let (engine, executor) = engine(&args.execution)?;
    let counting = Counting::new(&args.execution, lanes, &options, console)?;
    let options = RunOptions { counts: Counting::sink(&counting), ..options };
    let options = in_order(&job, &options, &args.execution, console);
    if let Some(wanted) = &args.execution.emit {
        job.check().map_err(|error| Message::error(error.to_string()))?;
        let stages = |effort: &Effort| ctm_r700::engine::stages(&job, executor.backend().is_some(), effort);
        return emit(wanted, engine, stages, &options, console);
    }
    let host = console.host;
    let failed = |error| programs.failure(error, lanes, options.step_limit);
    let mut follower = followed.map(|(at, name)| (at, Follower::new(programs.guest(name), &args.execution, console)));
    let mut run = || -> Result<Measured, Failure> {
        let (compiled, mut measured) =
            Measured::compile(|| executor.compile_within(&job, &options.effort())).map_err(failed)?;
        for frame in frames.numbers() {
            for (&number, &uniform) in &uniforms {
                job.bindings.constants[usize::from(number)] = [frames.bits(uniform, frame); 4];
            }
            for _ in 0..args.execution.repeat {
                results.clear(&data.memory.space);
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
        let listing = Listing { steps: programs.steps(), address };
        counting.finish(&args.execution, &measured.stats, listing, args.bottom_up.unwrap_or(false), console)?;
    }
    Ok(())
}

/// The programs of a run.
struct Programs {
    main: Loaded,
    /// What CALL_FS enters.
    fetch: Option<Loaded>,
}

fn read_fetch_program(path: &Path, console: &mut Console) -> Result<Loaded, Failure> {
    let mut loaded =
        one(Loaded::all(File::of(path, Isa::of_language(Language::R700), console)?, console)?, None, |loaded| loaded)?;
    loaded.program.info.stage = Stage::Fetch;
    Ok(loaded)
}

impl Programs {
    /// Loads the program of a file, and the fetch program that an option, or the name of the file, gives for it.
    fn load(file: File, r700: &R700Args, console: &mut Console) -> Result<Self, Failure> {
        let (path, kernel) = (file.path.clone(), file.kernel.clone());
        let mut main = one(Loaded::all(file, console)?, kernel.as_deref(), |loaded| loaded)?;
        if let Some(stage) = r700.stage {
            main.program.info.stage = stage.into();
        }
        let beside =
            dump::fetch_program(&path).filter(|beside| main.calls_fetch_program() && console.host.exists(beside));
        let fetch = match (&r700.fetch_program, beside) {
            (Some(given), _) => Some(read_fetch_program(given, console)?),
            (None, Some(beside)) => {
                let message = format!("the fetch program is '{}', as its name says", beside.display());
                console.report(&Message::note(message));
                Some(read_fetch_program(&beside, console)?)
            }
            (None, None) => None,
        };
        require_no_errors(&main)?;
        fetch.iter().try_for_each(|fetch| require_no_errors(fetch))?;
        Ok(Programs { main, fetch })
    }

    /// Where an instruction stands in a source text.
    fn origin(&self, Address { program, pc }: Address) -> Option<&Origin> {
        let loaded = if program == 0 { Some(&self.main) } else { self.fetch.as_ref() };
        loaded?.origins.get(&pc)
    }

    /// The steps that groups make, with their texts: those of the program, then those of the fetch program.
    fn steps(&self) -> Vec<(InstructionPlace, String)> {
        text::steps_with_fetch(&self.main.program, self.fetch.as_ref().map(|fetch| &fetch.program))
    }

    /// How the steps of a lane are shown.
    fn guest(&self, lane: String) -> Guest<'_> {
        let texts: HashMap<InstructionPlace, String> = self.steps().into_iter().collect();
        let text = move |at: Address, part: StepPart| {
            let text = texts.get(&InstructionPlace { at, in_clause: part == StepPart::Clause }).cloned();
            match part {
                StepPart::End => format!("  end of {}", text.unwrap_or_default()),
                _ => text.unwrap_or_else(|| "an instruction that no path to here shows".into()),
            }
        };
        Guest { text: Box::new(text), address, width: 66, lane }
    }

    /// Why a run failed, for people.
    fn failure(&self, error: RunError, lanes: Lanes, step_limit: u64) -> Failure {
        let Trap { kind, location, i, j } = match error {
            RunError::Halted(halt) => return halt.into(),
            RunError::State(error) => return Message::error(error.to_string()).into(),
            RunError::Trap(trap) => trap,
        };
        let program = if location.in_fetch_program { self.fetch.as_ref() } else { Some(&self.main) };
        let at = program
            .map_or(Location::File(self.main.name.clone()), |program| program.location(location.pc, location.slot));
        let lane = match lanes {
            Lanes::Area(_) => format!("lane (i, j) = ({i}, {j})"),
            Lanes::Line(_) => format!("vertex {}", j * AXIS + i),
        };
        let message = Message::error(format!("trap: {kind}"))
            .at(at)
            .with_note(format!("it happened at {location}, in the group of {lane}"));
        Failure::Trap(match remedy(kind, step_limit) {
            Some(remedy) => message.help(remedy),
            None => message,
        })
    }
}

fn address(Address { program, pc }: Address) -> String {
    if program == 0 { pc.to_string() } else { format!("fs:{pc}") }
}

/// What to do about a trap.
fn remedy(kind: TrapKind, step_limit: u64) -> Option<String> {
    Some(match kind {
        TrapKind::StepLimit => {
            format!("a group executed {step_limit} instructions; if it is not an infinite loop, raise --step-limit")
        }
        TrapKind::BadAddress => "execution must reach an instruction with EOP; a jump or call led past it".into(),
        TrapKind::ClauseOutOfRange => "the clause must lie in the image, and fetch clauses at even addresses".into(),
        TrapKind::StackOverflow => {
            "raise STACK_SIZE ('.stack N' in assembly); 'ctm check' computes what is needed".into()
        }
        TrapKind::StackUnderflow | TrapKind::StackMismatch | TrapKind::NoLoop => {
            "'ctm check' follows all paths and shows where they go wrong".into()
        }
        TrapKind::GprOutOfRange => "raise the number of registers ('.gprs N' in assembly)".into(),
        TrapKind::WrongStage => "run it as the stage that it was made for".into(),
        TrapKind::BadOpcode
        | TrapKind::GroupIllegal(_)
        | TrapKind::ConstOutOfRange { .. }
        | TrapKind::Unsupported(_) => return None,
    })
}
