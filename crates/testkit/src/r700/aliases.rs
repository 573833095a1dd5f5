//! Jobs whose things share memory: inputs that are outputs, two outputs on one memory, constants in an output, ranges that overlap.

use crate::r700::environment::Memory;
use crate::random::Random;
use ctm_memory::{BASE_ALIGNMENT, Surface, Tiling};
use ctm_r700::{Bindings, Input, Items, Job, Region, Texels};

/// Something that lies in memory.
enum Thing<'j> {
    Surface(&'j mut Surface),
    Region(&'j mut Region),
}

impl Thing<'_> {
    fn base(&self) -> u32 {
        match self {
            Thing::Surface(surface) => surface.base,
            Thing::Region(region) => region.base,
        }
    }

    /// Moves it so far after an address, if it ends in memory there.
    fn move_to(&mut self, memory: &mut Memory, base: u32, random: &mut Random) {
        match self {
            Thing::Surface(surface) => {
                let base = base / BASE_ALIGNMENT * BASE_ALIGNMENT + random.pick(&[0, 0, 1, 2]) * BASE_ALIGNMENT;
                if memory.cover(u64::from(base) + surface.bytes()) {
                    surface.base = base;
                }
            }
            Thing::Region(region) => {
                let base = base + random.pick(&[0, 0, 4, 16, 20, 256]);
                if memory.cover(u64::from(base) + u64::from(region.length)) {
                    region.base = base;
                }
            }
        }
    }
}

/// Moves a few things of a job onto what it writes.
pub(super) fn alias(random: &mut Random, memory: &mut Memory, job: &mut Job) {
    for _ in 0..1 + random.below(3) {
        let (mut things, written) = things(job);
        if written == 0 {
            return;
        }
        let base = things[random.below(written)].base();
        let moved = random.below(things.len());
        things[moved].move_to(memory, base, random);
    }
    if random.one_in(8)
        && let Some(surface) = job.targets.colours.iter_mut().flatten().next()
        && surface.tiling == Tiling::Linear
    {
        // Rows overlap.
        surface.pitch -= 4;
    }
}

/// The things of a job, and how many of them, the first ones, are written.
fn things<'j>(job: &'j mut Job) -> (Vec<Thing<'j>>, usize) {
    let (targets, memories) = (&mut job.targets, &mut job.memories);
    let channels = targets.colour_channels.iter_mut().flatten().flatten();
    let surfaces = targets.colours.iter_mut().chain([&mut targets.depth]).flatten().chain(channels);
    let mut things: Vec<Thing> = surfaces.map(Thing::Surface).collect();
    let vectors = targets.positions.iter_mut().chain(&mut targets.parameters).chain([&mut targets.valid]).flatten();
    let items = memories.streams.iter_mut().chain([&mut memories.ring, &mut memories.strips]).flatten();
    let items = items.map(|Items { region, .. }| region);
    let shared = [&mut memories.reduction, &mut memories.export].into_iter().flatten();
    things.extend(vectors.chain(items).chain(shared).map(Thing::Region));
    let written = things.len();
    for Bindings { kcache, buffers, textures, .. } in [&mut job.bindings, &mut job.alternate] {
        things.extend(kcache.iter_mut().flatten().map(Thing::Region));
        things.extend(buffers.values_mut().map(|buffer| Thing::Region(&mut buffer.region)));
        for texture in textures.values_mut() {
            match &mut texture.texels {
                Texels::Surfaces(levels) => things.extend(levels.iter_mut().map(Thing::Surface)),
                Texels::Vectors { region, .. } => things.push(Thing::Region(region)),
            }
        }
    }
    for input in job.inputs.values_mut() {
        match input {
            Input::Surface(surface) => things.push(Thing::Surface(surface)),
            Input::Channels(surfaces) => things.extend(surfaces.iter_mut().map(Thing::Surface)),
            Input::Buffer(region) => things.push(Thing::Region(region)),
            Input::Position | Input::PositionFrom(_) | Input::Vertex { .. } | Input::Value(_) | Input::Gradient(_) => {}
        }
    }
    (things, written)
}
