//! What quads bring to a launch, and what becomes of them.

use super::buffers::{Buffer, Buffers};
use super::early::{Tested, pixels_of};
use super::lift::{Prefetch, Wanted};
use super::planes::PlaneWords;
use super::quads::MULTIPLE;
use super::waiting::{Launch, Primitives, Span};
use super::{BatchState, Component, DEPTH, FLAGS, Flags, Key};
use crate::pairs::{FOUR, Pair};
use crate::pipeline::pixels::Pixels;
use crate::pipeline::window::{GRID, MAX_DEPTH};
use ctm_card::Counts;
use ctm_memory::{Access, ByVector, InPairs};
use ctm_raster::bytes::ByteColours;
use ctm_raster::depth::Facing;
use ctm_raster::quads::{Lines, SPAN, SpanPlaces, words_of};
use ctm_x1k::fragments::{Fetch, TextureUnit};

/// The quads of a launch.
pub struct Transfer<'t> {
    pub state: &'t BatchState<'t>,
    pub pixels: &'t Pixels<'t>,
    pub buffers: &'t Buffers<'t>,
    pub key: &'t Key,
    /// Of each colour buffer, how colours are written that the kernel has only rounded.
    pub colours: &'t [Option<ByteColours>],
    pub primitives: &'t Primitives,
    pub launch: Launch<'t>,
    pub prefetches: &'t [Prefetch],
}

impl Transfer<'_> {
    /// Lays out what quads bring.
    pub fn lay_out(&self, inputs: &mut PlaneWords) {
        pulp::Arch::new().dispatch(Interpolation { transfer: self, inputs });
        for prefetch in (0..).zip(self.prefetches) {
            self.fetch(prefetch, inputs);
        }
    }

    /// Works out what a kernel expects of a fetch.
    fn fetch(&self, (number, prefetch): (usize, &Prefetch), inputs: &mut PlaneWords) {
        let Prefetch { wanted, unit, op, unscaled, coordinates } = *prefetch;
        let plane = self.state.planes + 4 * number;
        let textures = self.state.units;
        for quad in 0..self.launch.quads {
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
                Wanted::Texel => textures.fetch(&fetch),
                Wanted::Level => {
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

    /// Stores what became of quads.
    pub fn store(&self, inputs: &PlaneWords, results: &PlaneWords) -> Counts {
        if self.key.is_tested {
            match ByVector::new() {
                Some(access) => pulp::Arch::new().dispatch(Storing { transfer: self, results, access }),
                None => pulp::Arch::new().dispatch(Storing { transfer: self, results, access: InPairs }),
            }
            return Counts::default();
        }
        let Transfer { key, buffers, pixels, launch, .. } = self;
        let mut counts = Counts::default();
        for (first, span) in launch.places() {
            let quads = first..first + span.len();
            let results = |plane| results.span(plane, quads.clone());
            let flags = results(FLAGS);
            let [tested, passed, written] =
                [Flags::TESTED, Flags::COUNTED, Flags::WRITTEN].map(|flag| flagged(flags, flag));
            if let Some(depth) = &buffers.depth {
                let (new, old) = (results(DEPTH), inputs.span(DEPTH, quads.clone()));
                // What stays as it is need not be stored.
                let changed = |line: usize| tested[line] & different(new[line], old[line]);
                depth.write(span, 1, |_| new, [0, 1].map(changed));
            }
            let tested = Tested { covered: pixels_of(span.drawn), passed: pixels_of(passed) };
            counts.add_pixels(tested.counts(pixels));
            for (buffer, target) in buffers.targets.iter().zip(&key.targets) {
                buffer.write(span, target.results.len(), |word| results(target.results.start + word), written);
            }
        }
        counts
    }
}

/// What is stored of pixels that passed all tests: a task that is faster on hosts with wide vectors.
struct Storing<'t, 'w, 'p, A> {
    transfer: &'t Transfer<'t>,
    results: &'w PlaneWords<'p>,
    access: A,
}

impl<A: Access> pulp::NullaryFnOnce for Storing<'_, '_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Storing { transfer: Transfer { key, colours, buffers, launch, .. }, results, access } = self;
        let mut moved = [[[0; 2]; SPAN]; 2];
        for (first, span) in launch.places() {
            for (buffer, (target, colours)) in buffers.targets.iter().zip(key.targets.iter().zip(*colours)) {
                let plane = target.results.start;
                let (Buffer::Pairs(pairs), Some(colours)) = (buffer, colours) else {
                    let words = |word| results.span(plane + word, first..first + span.len());
                    buffer.write(span, target.results.len(), words, span.drawn);
                    continue;
                };
                // Words are accessed four at a time, and a quad may come before.
                let before = usize::from(span.x) % FOUR / 2;
                let quads = (before + span.len()).next_multiple_of(FOUR / 2);
                let Some(pairs) = pairs.span((span.x - 2 * before as u16, span.y), quads) else { continue };
                let count = words_of(quads).min(SPAN);
                let lines = match first.checked_sub(before) {
                    Some(first) => results.span(plane, first..first + count),
                    None => {
                        let own = results.span(plane, first..first + count - before);
                        moved.iter_mut().zip(own).for_each(|(line, own)| line[before..count].copy_from_slice(own));
                        moved.each_ref().map(|line| &line[..count])
                    }
                };
                pairs.write_colours(lines, span.drawn.map(|mask| mask << (2 * before)), colours, access);
            }
        }
    }
}

/// Bit n: word n has this flag; of each line.
fn flagged(lines: [&[Pair]; 2], flag: u32) -> [u64; 2] {
    let bits = |line: &[Pair]| {
        (0..).zip(line.as_flattened()).fold(0, |bits, (n, word)| bits | u64::from(word & flag != 0) << n)
    };
    lines.map(bits)
}

/// Bit n: word n differs.
fn different(line: &[Pair], other: &[Pair]) -> u64 {
    let words = line.as_flattened().iter().zip(other.as_flattened());
    (0..).zip(words).fold(0, |bits, (n, (word, other))| bits | u64::from(word != other) << n)
}

/// What quads bring: a task that is faster on hosts with wide vectors.
struct Interpolation<'t, 'w, 'p> {
    transfer: &'t Transfer<'t>,
    inputs: &'w mut PlaneWords<'p>,
}

impl pulp::NullaryFnOnce for Interpolation<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Interpolation { transfer, inputs } = self;
        let Transfer { state, key, primitives, launch, buffers, .. } = transfer;
        let is_tested = key.is_tested;
        let count = state.components.len();
        let mut places = SpanPlaces::default();
        for (first, span) in launch.places() {
            let quads = first..first + span.len();
            if let Some(buffer) = buffers.depth.as_ref().filter(|_| !is_tested) {
                buffer.read(span, 0, inputs.lines(DEPTH, quads.clone()));
            }
            for (buffer, target) in buffers.targets.iter().zip(&key.targets) {
                for (word, plane) in target.memory.clone().enumerate() {
                    buffer.read(span, word, inputs.lines(plane, quads.clone()));
                }
            }
            let number = usize::from(span.primitive);
            let primitive = &primitives.all[number];
            places.set(GRID, primitive.origin, (span.x, span.y), span.len());
            if let Some(divisor) = &primitive.divisor {
                places.divide(divisor);
            }
            // Words behind those of these quads are given again, for the next ones.
            let range = first..first + words_of(span.len());
            if !is_tested {
                places.depths(&primitive.depth, MAX_DEPTH).all(inputs.lines(FLAGS, range.clone()));
                transfer.add_flags(span, primitive.facing, inputs.lines(FLAGS, quads));
            }
            let values = &primitives.values[number * count..][..count];
            for (plane, value) in (state.first_value()..).zip(values) {
                value.at_span(&places, (span.x, span.y), inputs.lines(plane, range.clone()));
            }
        }
        for quad in launch.quads..launch.quads.next_multiple_of(MULTIPLE) {
            inputs.set(FLAGS, quad, [[0; 2]; 2]);
        }
    }
}

impl Transfer<'_> {
    /// Adds to depths what else is known of fragments.
    fn add_flags(&self, span: &Span, facing: Facing, lines: Lines) {
        let side = if facing == Facing::Back { Flags::BACK } else { 0 };
        for ((x, y), (n, line)) in span.pixels() {
            let exists = self.buffers.has_depths || self.buffers.has_depth(x, y);
            let covered = span.drawn[line] >> n & 1 != 0;
            lines[line].as_flattened_mut()[n] |=
                side | if exists { Flags::EXISTS } else { 0 } | if covered { Flags::COVERED } else { 0 };
        }
    }
}
