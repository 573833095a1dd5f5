//! What quads bring to a launch, and what becomes of them.

use super::buffers::Buffers;
use super::early::Tested;
use super::lift::{Prefetch, PrefetchedValue};
use super::pending::{Block, Chunk, Components, InPlanes, Primitives};
use super::planes::{Lines, PlaneWords};
use super::renderer::MULTIPLE;
use super::{Component, DEPTH, FLAGS, Flags, Key, TileState};
use crate::pairs::Pair;
use crate::pipeline::pixels::Pixels;
use crate::pipeline::window::{GRID, MAX_DEPTH};
use ctm_card::DrawCounts;
use ctm_raster::depth::Facing;
use ctm_raster::quads::BlockPlaces;
use ctm_raster::simd::{LaneWords, Simd, SimdTask, dispatch};
use ctm_x1k::fragments::{Fetch, TextureUnit};

/// The quads of a launch.
pub struct Transfer<'t> {
    pub state: &'t TileState<'t>,
    pub pixels: &'t Pixels<'t>,
    pub buffers: &'t Buffers<'t>,
    pub key: &'t Key,
    pub primitives: &'t Primitives,
    pub chunk: Chunk<'t>,
    pub prefetches: &'t [Prefetch],
}

impl Transfer<'_> {
    /// Lays out what quads bring.
    pub fn lay_out(&self, inputs: &mut PlaneWords) {
        dispatch(Interpolation { transfer: self, inputs });
        for prefetch in (0..).zip(self.prefetches) {
            self.fetch(prefetch, inputs);
        }
    }

    /// Works out what a kernel expects of a fetch.
    fn fetch(&self, (number, prefetch): (usize, &Prefetch), inputs: &mut PlaneWords) {
        let Prefetch { wanted, unit, op, unscaled, coordinates } = *prefetch;
        let plane = self.state.planes + 4 * number;
        let textures = self.state.units;
        for quad in self.chunk.range() {
            let mut vectors = [[0; 4]; 4];
            for (channel, component) in coordinates.into_iter().enumerate() {
                let values = match component {
                    Component::Constant(bits) => [[bits; 2]; 2],
                    Component::Plane(plane) => inputs.get(plane, quad),
                };
                vectors
                    .iter_mut()
                    .zip(values.into_iter().flatten())
                    .for_each(|(vector, value)| vector[channel] = value);
            }
            let (dx, dy) = ([[0; 4]; 4], [[0; 4]; 4]);
            let fetch = Fetch { unit, op, unscaled, coordinates: vectors, dx, dy };
            let texels = match wanted {
                PrefetchedValue::Texel => textures.fetch(&fetch),
                PrefetchedValue::Level => {
                    let levels = textures.unit(unit).map_or([0; 4], |texture| texture.levels_of_detail(&fetch));
                    levels.map(|level| [level, 0, 0, 0])
                }
            };
            for channel in 0..4 {
                let [a, b, c, d] = texels.map(|texel| texel[channel]);
                inputs.set(plane + channel, quad, [[a, b], [c, d]]);
            }
        }
    }

    /// Stores what became of quads that the kernel has tested.
    pub fn store(&self, inputs: &PlaneWords, results: &PlaneWords) -> DrawCounts {
        let Transfer { key, buffers, pixels, chunk, .. } = self;
        let mut counts = DrawCounts::default();
        for (first, block) in chunk.places() {
            let quads = first..first + block.len();
            let results = |plane| results.span(plane, quads.clone());
            let flags = results(FLAGS);
            let [tested, passed, written] =
                [Flags::TESTED, Flags::COUNTED, Flags::WRITTEN].map(|flag| flagged(flags, flag));
            if let Some(depth) = &buffers.depth {
                let (new, old) = (results(DEPTH), inputs.span(DEPTH, quads.clone()));
                // What stays as it is need not be stored.
                let changed = |line: usize| tested[line] & different(new[line], old[line]);
                depth.write(block, 1, |_| new, [0, 1].map(changed));
            }
            let tested = Tested { covered: block.pixel_count() as u64, passed: pixels_of(passed) };
            counts.add_pixels(tested.counts(pixels));
            for (buffer, target) in buffers.targets.iter().zip(&key.targets) {
                buffer.write(block, target.results.len(), |word| results(target.results.start + word), written);
            }
        }
        counts
    }
}

/// How many bits are set.
fn pixels_of(masks: [u8; 2]) -> u64 {
    u16::from_le_bytes(masks).count_ones().into()
}

/// Bit n: word n has this flag; of each line.
fn flagged(lines: [&[Pair]; 2], flag: u32) -> [u8; 2] {
    let bits = |line: &[Pair]| {
        (0..).zip(line.as_flattened()).fold(0, |bits, (n, word)| bits | u8::from(word & flag != 0) << n)
    };
    lines.map(bits)
}

/// Bit n: word n differs.
fn different(line: &[Pair], other: &[Pair]) -> u8 {
    let words = line.as_flattened().iter().zip(other.as_flattened());
    (0..).zip(words).fold(0, |bits, (n, (word, other))| bits | u8::from(word != other) << n)
}

/// What quads bring: a task that is faster on hosts with wide vectors.
struct Interpolation<'t, 'w, 'p> {
    transfer: &'t Transfer<'t>,
    inputs: &'w mut PlaneWords<'p>,
}

impl SimdTask for Interpolation<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Interpolation { transfer, inputs } = self;
        let Transfer { state, key, primitives, chunk, buffers, .. } = transfer;
        let is_tested = key.is_tested;
        let count = state.components;
        let (range, planes) = (chunk.range(), state.first_value()..);
        for (first, block) in chunk.places() {
            let quads = first..first + block.len();
            if let Some(buffer) = buffers.depth.as_ref().filter(|_| !is_tested) {
                buffer.read(block, 0, inputs.lines(DEPTH, quads.clone()));
            }
            for (buffer, target) in buffers.targets.iter().zip(&key.targets) {
                for (word, plane) in target.memory.clone().enumerate() {
                    buffer.read(block, word, inputs.lines(plane, quads.clone()));
                }
            }
            let primitive = &primitives.all[usize::from(block.primitive)];
            let mut places = BlockPlaces::new(simd, GRID, primitive.origin, block.first_quad());
            if let Some(divisor) = &primitive.divisor {
                places = places.divided_by(divisor);
            }
            // Words after those of these quads are given again, for the next ones.
            let mut set = |plane, [upper, lower]: [LaneWords; 2]| {
                inputs.set_eight(plane, 0, 2 * first, upper);
                inputs.set_eight(plane, 1, 2 * first, lower);
            };
            if !is_tested {
                let [upper, lower] = places.depths(&primitive.depth, MAX_DEPTH);
                set(FLAGS, [simd.array(upper), simd.array(lower)]);
            }
            match primitive.components {
                Components::Planes(first) => {
                    for (plane, value) in planes.clone().zip(&primitives.planes[first..first + count]) {
                        let [upper, lower] = places.normal_attribute(value);
                        set(plane, [simd.array(upper), simd.array(lower)]);
                    }
                }
                Components::Values(first) => {
                    for (plane, value) in planes.clone().zip(&primitives.values[first..first + count]) {
                        set(plane, value.at_block(simd, &places, block.first_quad()));
                    }
                }
            }
            if !is_tested {
                transfer.add_flags(block, primitive.facing, inputs.lines(FLAGS, quads));
            }
        }
        for quad in (0..range.start).chain(range.end..range.end.next_multiple_of(MULTIPLE)) {
            inputs.set(FLAGS, quad, [[0; 2]; 2]);
        }
    }
}

impl Transfer<'_> {
    /// Adds to depths what else is known of fragments.
    fn add_flags(&self, block: &Block, facing: Facing, lines: Lines) {
        let (side, masks) = (if facing == Facing::Back { Flags::BACK } else { 0 }, block.masks());
        for ((x, y), (n, line)) in block.pixels() {
            let exists = self.buffers.has_depths || self.buffers.has_depth(x, y);
            let covered = masks[line] >> n & 1 != 0;
            lines[line].as_flattened_mut()[n] |=
                side | if exists { Flags::EXISTS } else { 0 } | if covered { Flags::COVERED } else { 0 };
        }
    }
}
