//! Runs in a debugger.

use super::Loaded;
use super::data::Data;
use super::run::{constants, refuse_options};
use crate::isa::File;
use crate::isa::finding::require_no_errors;
use crate::options::RunArgs;
use crate::options::values::FollowedLane;
use crate::report::Message;
use crate::run::{Debugged, Frames, engine, follow, lines, numbered_uniforms, options};
use crate::{Console, Failure};
use ctm_lane::domain::Lanes;
use ctm_pvs::CONSTANTS;
use ctm_pvs::debug::{listing, session};

/// Opens a session over a run, in its first frame.
pub fn debug(
    file: File,
    args: &RunArgs,
    lane: Option<FollowedLane>,
    shows: bool,
    console: &mut Console,
) -> Result<Debugged, Failure> {
    let cancel = console.host.interrupt();
    let loaded = Loaded::chosen(file, console)?;
    require_no_errors(&loaded)?;
    refuse_options(args)?;
    let mut constants = constants(args, &loaded.program, console)?;
    let frames = Frames::of(&args.frames);
    for (number, uniform) in numbered_uniforms(&args.frames, CONSTANTS)? {
        constants[usize::from(number)] = [frames.bits(uniform, 0); 4];
    }
    let data = Data::prepare(args, &loaded.program, console)?;
    let lanes = Lanes::Line(data.vertices);
    let lane = lane.map(|named| follow::lane(named, lanes, "vertex")).transpose()?.map_or((0, 0), |(lane, _)| lane);
    let quiet = |_, _| {};
    let options = options(&args.execution, console.host, &quiet, &cancel);
    let job = data.job(&loaded.program, &constants)?;
    let listing = lines(listing(&loaded.program), |row, _| loaded.origins.get(row));
    let session = session(&job, &options, listing, lane);
    let session = session.map_err(|error| Message::error(error.to_string()))?;
    let (_, executor) = engine(&args.execution)?;
    Debugged::new(session, shows, lanes, options, |options| executor.run(&job, options).ok().map(|_| None))
}
