//! Runs in a debugger.

use super::Programs;
use super::data::{CONSTANTS, Data, lanes};
use crate::isa::File;
use crate::isa::r700::options::R700Args;
use crate::options::RunArgs;
use crate::options::values::FollowedLane;
use crate::report::Message;
use crate::run::{Debugged, Frames, engine, follow, lines, numbered_uniforms, options, picture};
use crate::{Console, Failure};
use ctm_lane::domain::Lanes;
use ctm_r700::RunError;
use ctm_r700::debug::{DebugError, listing, session};

/// Opens a session over a run, in its first frame.
pub fn debug(
    file: File,
    args: &RunArgs,
    r700: &R700Args,
    lane: Option<FollowedLane>,
    shows: bool,
    console: &mut Console,
) -> Result<Debugged, Failure> {
    let cancel = console.host.interrupt();
    let programs = Programs::load(file, r700, console)?;
    let lanes = lanes(args, r700, programs.main.program.info.stage, console)?;
    let lane = lane.map(|named| follow::lane(named, lanes, "vertex")).transpose()?.map_or((0, 0), |(lane, _)| lane);
    let mut data = Data::prepare(args, r700, &programs, lanes, console)?;
    data.memory.take_results().clear(&data.memory.space);
    let mut job = data.job(&programs);
    let frames = Frames::of(&args.frames);
    for (number, uniform) in numbered_uniforms(&args.frames, CONSTANTS)? {
        job.bindings.constants[usize::from(number)] = [frames.bits(uniform, 0); 4];
    }
    let quiet = |_, _| {};
    let options = options(&args.execution, console.host, &quiet, &cancel);
    let listing = lines(listing(job.program, job.fetch_program), |_, row| programs.origin(row.place.at));
    let session = session(&job, &options, listing, lane).map_err(|error| match error {
        DebugError::State(error) => programs.failure(RunError::State(error), lanes, options.step_limit),
        error @ (DebugError::Memory(_) | DebugError::Session(_)) => Message::error(error.to_string()).into(),
    })?;
    let (_, executor) = engine(&args.execution)?;
    Debugged::new(session, shows, lanes, options, |options| {
        executor.run(&job, options).ok()?;
        let (Some(surface), Lanes::Area(domain)) = (job.targets.colours[0], lanes) else { return Some(None) };
        Some(Some(picture(job.memory, surface, domain)))
    })
}
