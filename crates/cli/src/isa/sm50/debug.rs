//! Runs of compute code and of fragment programs in a debugger.

use super::fragments::Fragments;
use super::options::Sm50Args;
use super::run::{Kernel, thread};
use super::{Loaded, fragments};
use crate::isa::{File, one};
use crate::options::RunArgs;
use crate::options::values::FollowedLane;
use crate::report::Message;
use crate::run::{Debugged, Memory, engine, follow, lines, options};
use crate::{Console, Failure};
use ctm_debug::{Output, OutputElements};
use ctm_lane::domain::Lanes;
use ctm_sm50::Stage;
use ctm_sm50::debug::{LaunchCopy, listing, session};
use std::ops::Range;

/// Opens a session over a run, in its first frame.
pub fn debug(
    file: File,
    args: &RunArgs,
    sm50: &Sm50Args,
    lane: Option<FollowedLane>,
    shows: bool,
    console: &mut Console,
) -> Result<Debugged, Failure> {
    let kernel = file.kernel.clone();
    let mut loaded = one(Loaded::all(file, console)?, kernel.as_deref(), |loaded| loaded)?;
    loaded.link(sm50, console)?;
    if loaded.program.header.is_some_and(|header| header.stage == Stage::Pixel) {
        return debug_fragments(loaded, args, sm50, lane, shows, console);
    }
    let cancel = console.host.interrupt();
    let (kernel, memory) = Kernel::of(loaded, args, sm50, console)?;
    let lane = lane.map(|named| thread(named, &kernel.grid)).transpose()?.map_or(0, |(lane, _)| lane);
    let (space, invocations) = (memory.space()?, kernel.invocations());
    let environment = kernel.setup.environment(0, &space);
    let launch = kernel.launch(sm50, &environment, &invocations)?;
    let quiet = |_, _| {};
    let options = options(&args.execution, console.host, &quiet, &cancel);
    let listing = lines(listing(&[launch.shader]), |row, _| kernel.loaded.origins.get(row));
    let failed = |error: &dyn std::fmt::Display| Failure::from(Message::error(error.to_string()));
    let copy = LaunchCopy::of(&launch, 0).map_err(|error| failed(&error))?;
    let outputs = memory.kept().map(|range| output(range, kernel.grid.threads())).collect();
    let session = session(vec![copy], Some(&space), outputs, &options, listing, (lane, 0));
    let session = session.map_err(|error| failed(&error))?;
    let (_, executor) = engine(&args.execution)?;
    let lanes = Lanes::Line(kernel.grid.invocations());
    Debugged::new(session, shows, lanes, options, |options| executor.run(&launch, options).ok().map(|_| None))
}

/// Opens a session over the fragments of a domain.
fn debug_fragments(
    loaded: Loaded,
    args: &RunArgs,
    sm50: &Sm50Args,
    lane: Option<FollowedLane>,
    shows: bool,
    console: &mut Console,
) -> Result<Debugged, Failure> {
    let cancel = console.host.interrupt();
    let mut memory = Memory::new(args, console.host);
    let (run, globals) = Fragments::prepare(loaded, args, sm50, &mut memory, console)?;
    let lanes = run.lanes();
    let lane = lane.map(|named| follow::lane(named, lanes, "pixel")).transpose()?.map_or((0, 0), |(lane, _)| lane);
    let (space, pixels) = (globals.space()?, run.pixels()?);
    let environment = run.setup.environment(0, &space);
    let invocations = fragments::invocations(&pixels);
    let launch = run.launch(&environment, &invocations, &pixels);
    let quiet = |_, _| {};
    let options = options(&args.execution, console.host, &quiet, &cancel);
    let listing = lines(listing(&[launch.shader]), |row, _| run.loaded.origins.get(row));
    let failed = |error: &dyn std::fmt::Display| Failure::from(Message::error(error.to_string()));
    let copy = LaunchCopy::of(&launch, 0).map_err(|error| failed(&error))?;
    let outputs = globals.kept().map(shared).collect();
    let session = session(vec![copy], Some(&space), outputs, &options, listing, lane);
    let session = session.map_err(|error| failed(&error))?;
    let (_, executor) = engine(&args.execution)?;
    Debugged::new(session, shows, lanes, options, |options| executor.run(&launch, options).ok().map(|_| None))
}

/// Global memory that is of interest, and of no lane more than of another.
fn shared(range: Range<u64>) -> Output {
    // Global memory has addresses of 32 bits.
    let (base, bytes) = (range.start as u32, (range.end - range.start) as u32);
    Output { name: format!("global {base:#x}"), elements: OutputElements::Shared { base, bytes } }
}

/// Global memory that is of interest. Where it has as many dwords as threads, or several for each, they are taken for those of one thread after
/// the other.
fn output(range: Range<u64>, threads: u32) -> Output {
    let bytes = (range.end - range.start) as u32;
    match bytes / 4 {
        words if words.is_multiple_of(threads) => {
            let (base, stride) = (range.start as u32, bytes / threads);
            let elements = OutputElements::Lanes { base, stride, row_stride: 0, words: words / threads };
            Output { elements, ..shared(range) }
        }
        _ => shared(range),
    }
}
