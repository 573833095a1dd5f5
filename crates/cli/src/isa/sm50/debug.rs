//! Runs of compute code in a debugger.

use super::options::Sm50Args;
use super::run::{Kernel, thread};
use crate::isa::File;
use crate::options::RunArgs;
use crate::options::values::FollowedLane;
use crate::report::Message;
use crate::run::{Debugged, engine, lines, options};
use crate::{Console, Failure};
use ctm_debug::{Output, OutputElements};
use ctm_lane::domain::Lanes;
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
    let cancel = console.host.interrupt();
    let (kernel, memory) = Kernel::prepare(file, args, sm50, console)?;
    let lane = lane.map(|named| thread(named, &kernel.grid)).transpose()?.map_or(0, |(lane, _)| lane);
    let (space, invocations) = (memory.space()?, kernel.invocations());
    let environment = kernel.environment(0, &space);
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

/// Global memory that is of interest. Where it has as many dwords as threads, or several for each, they are taken for those of one thread after
/// the other.
fn output(range: Range<u64>, threads: u32) -> Output {
    // Global memory has addresses of 32 bits.
    let (base, bytes) = (range.start as u32, (range.end - range.start) as u32);
    let elements = match bytes / 4 {
        words if words.is_multiple_of(threads) => {
            OutputElements::Lanes { base, stride: bytes / threads, row_stride: 0, words: words / threads }
        }
        _ => OutputElements::Shared { base, bytes },
    };
    Output { name: format!("global {base:#x}"), elements }
}
