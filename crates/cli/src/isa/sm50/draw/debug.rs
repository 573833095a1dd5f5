//! Draws in a debugger: their launches, as they were before they ran.

use super::{DrawArgs, Source, captured};
use crate::failure::no_engine;
use crate::options::values::FollowedLane;
use crate::report::Message;
use crate::run::{Debugged, lines};
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_lane::run::RunOptions;
use ctm_sm50::Stage;
use ctm_sm50::attributes::NoMemory;
use ctm_sm50::debug::{LaunchCopy, listing, session};
use ctm_sm50::launch::{LaunchReport, StageLaunch, StageRunner, Stop};
use ctm_sm50::pipeline::{Draw, DrawError};
use std::sync::{Mutex, PoisonError};

/// Launches that a session has, at most: their records are copied.
const MOST_LAUNCHES: usize = 1000;

/// Runs launches as its engine does, and keeps a copy of each.
struct Copying<'a> {
    engine: &'a Executor,
    /// The stages that have programs, in the order of the listing.
    stages: Vec<Stage>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// How many there were.
    count: usize,
    /// Stage, number of invocations, copy.
    launches: Vec<(Stage, u32, Result<LaunchCopy, NoMemory>)>,
}

impl StageRunner for Copying<'_> {
    fn run(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.count += 1;
        if seen.launches.len() < MOST_LAUNCHES {
            let stage = launch.shader.stage();
            let program = self.stages.iter().position(|of| *of == stage).unwrap_or(0);
            seen.launches.push((stage, launch.invocations.count, LaunchCopy::of(launch, program as u8)));
        }
        drop(seen);
        self.engine.run(launch, options)
    }
}

/// Opens a session over all launches of a draw, at a lane of a stage.
pub fn open(args: &DrawArgs, stage: Stage, console: &mut Console) -> Result<Debugged, Failure> {
    let cancel = console.host.interrupt();
    let source = Source::read(args, console)?;
    let capture = captured(args);
    let space = source.globals.space()?;
    let environment = source.environment(&space);
    let draw = source.draw(args, &capture, environment);
    let options = RunOptions {
        threads: args.threads.map_or(0, usize::from),
        budget: args.budget.limits(console.host).start(),
        cancel: Some(&*cancel),
        ..Draw::options()
    };
    let engine = args.engine.unwrap_or_else(EngineName::fastest).executor().map_err(no_engine)?;
    let programs = source.programs.all();
    let stages = programs.iter().map(|(stage, _)| *stage).collect();
    let copying = Copying { engine: &engine, stages, seen: Mutex::default() };
    let drawn = draw.run(&copying, &options);
    let Seen { count, launches } = copying.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    match drawn {
        Ok(_) => {}
        // The session shows why a program traps.
        Err(DrawError::Stop(Stop::Trap(_))) => {}
        Err(error) => return Err(source.programs.failure(error)),
    }
    if count > launches.len() {
        let message = format!("the draw has {}; the session has the first {MOST_LAUNCHES}", number_of(count, "launch"));
        console.report(&Message::warning(message).help("draw fewer vertices or instances"));
    }
    let of_stage = launches.iter().zip(0..).filter(|((of, ..), _)| *of == stage);
    let lane = lane(args.lane, stage, &of_stage.map(|((_, count, _), row)| (row, *count)).collect::<Vec<_>>())?;
    let listing = listing(&programs.iter().map(|(_, loaded)| (&loaded.program).into()).collect::<Vec<_>>());
    let listing = lines(listing, |_, row| {
        let (_, loaded) = programs.get(usize::from(row.place.at.program))?;
        loaded.origins.get(loaded.program.code.index_at(row.place.at.pc)?)
    });
    let failed = |error: &dyn std::fmt::Display| Failure::from(Message::error(error.to_string()));
    let copies: Result<Vec<LaunchCopy>, NoMemory> = launches.into_iter().map(|(_, _, copy)| copy).collect();
    let copies = copies.map_err(|error| failed(&error))?;
    // Memory is as it was before the draw.
    let space = source.globals.space()?;
    let session = session(copies, Some(&space), Vec::new(), &options, listing, lane).map_err(|error| failed(&error))?;
    Ok(Debugged { session, counts: Vec::new(), picture: None })
}

/// The lane that is meant: its invocation, and the number of its launch. `launches` are those of the stage: number and invocations.
fn lane(wanted: Option<FollowedLane>, stage: Stage, launches: &[(u32, u32)]) -> Result<(u32, u32), Failure> {
    let Some(&(first, _)) = launches.first() else {
        let message = format!("the draw has no launch of stage {}", stage.name());
        return Err(Failure::Usage(Message::error(message).help("--debug STAGE names a stage that has a program")));
    };
    let mut number = match wanted {
        None => return Ok((0, first)),
        Some(FollowedLane::At(invocation, launch)) => return Ok((invocation, launch)),
        Some(FollowedLane::Number(number)) => number,
    };
    for &(launch, count) in launches {
        match number.checked_sub(count) {
            Some(rest) => number = rest,
            None => return Ok((number, launch)),
        }
    }
    let count: u32 = launches.iter().map(|(_, count)| count).sum();
    let message = format!("stage {} has {}, of which 0 is the first", stage.name(), number_of(count as usize, "lane"));
    Err(Failure::Usage(Message::error(message).help("--lane N names one of them")))
}
