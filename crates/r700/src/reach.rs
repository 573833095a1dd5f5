//! How lanes of a job may meet in memory.

use crate::job::{Bindings, Input, Items, Job};
use crate::resource::{Region, Texels};
use crate::target::ExportTarget;
use crate::uses::Uses;
use ctm_lane::domain::{AXIS, Domain, Lanes};
use ctm_memory::{Aliasing, Reach, Surface};
use std::ops::Range;

fn bytes(region: &Region) -> Range<u64> {
    let base = u64::from(region.base);
    base..base + u64::from(region.length)
}

/// The columns and rows that lanes are in, from (0, 0).
fn extent(lanes: Lanes) -> (u32, u32) {
    match lanes {
        Lanes::Area(domain) => (domain.i1.saturating_add(1), domain.j1.saturating_add(1)),
        Lanes::Line(count) => (count.min(AXIS), count.div_ceil(AXIS)),
    }
}

/// Any lanes.
pub const ANY: Lanes = Lanes::Area(Domain { i0: 0, j0: 0, i1: AXIS - 1, j1: AXIS - 1 });

/// How these lanes may meet in memory in a job.
pub fn aliasing(job: &Job, lanes: Lanes) -> Option<Aliasing> {
    let mut reach = Reach::of(job.memory);
    let (targets, memories) = (&job.targets, &job.memories);
    let (columns, rows) = extent(lanes);
    let channels = targets.colour_channels.iter().flatten().flatten();
    let surfaces = targets.colours.iter().chain([&targets.depth]).flatten().chain(channels);
    surfaces.for_each(|surface| reach.write_elements(surface, columns, rows));
    own_parts(job, &mut reach);
    let writes_reduction = memories.reduction.is_some() && job.any_uses(|uses| uses.writes_reduction);
    let writes_export = memories.export.is_some() && job.any_uses(|uses| uses.writes_export);
    for (memory, is_written) in [(memories.reduction, writes_reduction), (memories.export, writes_export)] {
        match memory {
            Some(memory) if is_written => {
                reach.share(Aliasing::Anywhere);
                reach.write(bytes(&memory));
            }
            Some(memory) => reach.read(bytes(&memory)),
            None => {}
        }
    }
    resources(&job.bindings, &mut reach);
    resources(&job.alternate, &mut reach);
    for input in job.inputs.values() {
        let surface = |surface: &Surface| surface.range_of_input();
        match input {
            Input::Surface(of_vectors) => reach.read(surface(of_vectors)),
            Input::Channels(surfaces) => surfaces.iter().for_each(|of_channel| reach.read(surface(of_channel))),
            Input::Buffer(region) => reach.read(bytes(region)),
            Input::Position | Input::PositionFrom(_) | Input::Vertex { .. } | Input::Value(_) | Input::Gradient(_) => {}
        }
    }
    reach.aliasing()
}

/// Memory of which each lane has a part by its number.
fn own_parts(job: &Job, reach: &mut Reach) {
    let (targets, memories) = (&job.targets, &job.memories);
    let vectors = targets.positions.iter().chain(&targets.parameters).flatten();
    let items = memories.streams.iter().chain([&memories.ring]).flatten();
    let of_lanes: Vec<&Region> =
        vectors.chain(items.chain(&memories.strips).map(|Items { region, .. }| region)).collect();
    // Pixels that whole-quad mode brings in may have the number of another one.
    if !of_lanes.is_empty() && job.any_uses(|uses| uses.whole_quads) && job.any_uses(|uses| writes_own(job, uses)) {
        reach.share(Aliasing::Anywhere);
    }
    // Strips without space all are the first one.
    if memories.strips.is_some_and(|strips| strips.item_dwords == 0) && job.any_uses(|uses| uses.emits) {
        reach.share(Aliasing::Anywhere);
    }
    of_lanes.into_iter().chain(&targets.valid).for_each(|region| reach.write(bytes(region)));
}

/// Whether a program writes something that lanes have by their numbers.
fn writes_own(job: &Job, uses: &Uses) -> bool {
    let (targets, memories) = (&job.targets, &job.memories);
    let exports = uses.exports.iter().any(|export| match *export {
        ExportTarget::Position(number) => targets.positions[number].is_some(),
        ExportTarget::Parameter(number) => targets.parameters[number].is_some(),
        ExportTarget::Colour(_) | ExportTarget::Depth => false,
    });
    let streams = uses.streams.iter().zip(&memories.streams);
    let has_stream = streams.into_iter().any(|(written, items)| !written.is_empty() && items.is_some());
    let has_ring = uses.writes_ring && memories.ring.is_some();
    exports || has_stream || has_ring || uses.emits && memories.strips.is_some()
}

/// What instructions name by number is read.
fn resources(bindings: &Bindings, reach: &mut Reach) {
    bindings.kcache.iter().flatten().for_each(|region| reach.read(bytes(region)));
    bindings.buffers.values().for_each(|buffer| reach.read(bytes(&buffer.region)));
    for texture in bindings.textures.values() {
        match &texture.texels {
            Texels::Surfaces(levels) => levels.iter().for_each(|level| reach.read(level.range_of_all())),
            Texels::Vectors { region, .. } => reach.read(bytes(region)),
        }
    }
}
