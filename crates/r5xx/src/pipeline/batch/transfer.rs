//! What quads bring to a launch, and what becomes of them.

use super::buffers::Buffers;
use super::lift::{Prefetch, Wanted};
use super::planes::PlaneWords;
use super::quads::MULTIPLE;
use super::waiting::{Waiting, WaitingQuad};
use super::{BatchState, Component, DEPTH, FLAGS, Flags, OTHERS};
use crate::pairs::{Chosen, Pair};
use crate::pipeline::counts::Counts;
use crate::pipeline::pixels::Pixels;
use crate::pipeline::window::{GRID, MAX_DEPTH};
use ctm_raster::depth::Facing;
use ctm_raster::quads::{QUADS, QuadPlaces, words_of};
use ctm_x1k::fragments::{Fetch, TextureUnit};

/// The quads of a launch.
pub struct Transfer<'t> {
    pub state: &'t BatchState<'t>,
    pub pixels: &'t Pixels<'t>,
    pub buffers: &'t Buffers<'t>,
    pub waiting: &'t Waiting,
    pub quads: &'t [WaitingQuad],
    pub prefetches: &'t [Prefetch],
}

impl Transfer<'_> {
    /// Lays out what quads bring.
    pub fn lay_out(&self, inputs: &mut PlaneWords) {
        let Transfer { state, buffers, .. } = self;
        let all = 0..self.quads.len();
        if let Some(buffer) = &buffers.depth {
            buffer.read(self.quads, 0, inputs.lines(DEPTH, all.clone()));
        }
        for (buffer, key) in buffers.targets.iter().zip(&state.targets) {
            for (word, plane) in key.memory.clone().enumerate() {
                buffer.read(self.quads, word, inputs.lines(plane, all.clone()));
            }
        }
        pulp::Arch::new().dispatch(Interpolation { transfer: self, inputs });
        for prefetch in (0..).zip(self.prefetches) {
            self.fetch(prefetch, inputs);
        }
        for quad in self.quads.len()..self.quads.len().next_multiple_of(MULTIPLE) {
            inputs.set(FLAGS, quad, [[0; 2]; 2]);
        }
    }

    /// Works out what a kernel expects of a fetch.
    fn fetch(&self, (number, prefetch): (usize, &Prefetch), inputs: &mut PlaneWords) {
        let Prefetch { wanted, unit, op, unscaled, coordinates } = *prefetch;
        let plane = self.state.planes + 4 * number;
        let textures = self.state.units;
        for quad in 0..self.quads.len() {
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
        let Transfer { state, buffers, pixels, quads, .. } = self;
        let results_of = |plane| results.first(plane, quads.len());
        let flags = results_of(FLAGS);
        if let Some(depth) = &buffers.depth {
            let (new, old) = (results_of(DEPTH), inputs.first(DEPTH, quads.len()));
            // What stays as it is need not be stored.
            let chosen = |flags: Pair, new: Pair, old: Pair| {
                if new == old { Chosen::NONE } else { Chosen::with_bit(flags, Flags::TESTED.trailing_zeros()) }
            };
            let chosen = pairs_of(flags)
                .zip(pairs_of(new))
                .zip(pairs_of(old))
                .map(|((flags, new), old)| [chosen(flags[0], new[0], old[0]), chosen(flags[1], new[1], old[1])]);
            depth.write(quads, 1, |_| new, chosen);
        }
        for (buffer, key) in buffers.targets.iter().zip(&state.targets) {
            let written = |flags| Chosen::with_bit(flags, Flags::WRITTEN.trailing_zeros());
            let written = pairs_of(flags).map(|flags| flags.map(written));
            buffer.write(quads, key.results.len(), |word| results_of(key.results.start + word), written);
        }
        let covered = quads.iter().map(|quad| u64::from(quad.covered.count_ones())).sum();
        let counted =
            |line: &[Pair]| line.as_flattened().iter().map(|flags| u64::from(flags & Flags::COUNTED != 0)).sum::<u64>();
        let passed = flags.into_iter().map(counted).sum();
        let fragments = match (pixels.shades(), pixels.tests_early()) {
            (false, _) => 0,
            (true, true) => passed,
            (true, false) => covered,
        };
        Counts { pixels: covered, fragments, passed, ..Counts::default() }
    }
}

/// What primitives bring to their quads: a task that is faster on hosts with wide vectors.
struct Interpolation<'t, 'w, 'p> {
    transfer: &'t Transfer<'t>,
    inputs: &'w mut PlaneWords<'p>,
}

impl pulp::NullaryFnOnce for Interpolation<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Interpolation { transfer, inputs } = self;
        let Transfer { state, waiting, quads, buffers, .. } = transfer;
        let count = state.components.len();
        let first = OTHERS + state.targets.iter().map(|target| target.memory.len()).sum::<usize>();
        let mut places = QuadPlaces::default();
        let mut place = 0;
        let same = |quad: &WaitingQuad, next: &WaitingQuad| quad.primitive == next.primitive;
        for quads in quads.chunk_by(same).flat_map(|quads| quads.chunks(QUADS)) {
            let number = usize::from(quads[0].primitive);
            let primitive = &waiting.primitives[number];
            // Words behind those of these quads are given again, for the next ones.
            let range = place..place + words_of(quads.len());
            let positions = quads.iter().map(|quad| (quad.x, quad.y));
            places.set(GRID, &primitive.setup, primitive.perspective.as_ref(), positions.clone());
            places.depth(&primitive.depth, MAX_DEPTH, inputs.lines(FLAGS, range.clone()));
            let side = if primitive.facing == Facing::Back { Flags::BACK } else { 0 };
            let common = side | if buffers.has_depths { Flags::EXISTS } else { 0 };
            let [upper, lower] = inputs.lines(FLAGS, range.clone());
            for (quad, (upper, lower)) in quads.iter().zip(upper.iter_mut().zip(lower)) {
                let bit = |n: u8| common | (u32::from(quad.covered >> n & 1) * Flags::COVERED);
                (upper[0], upper[1]) = (upper[0] | bit(0), upper[1] | bit(1));
                (lower[0], lower[1]) = (lower[0] | bit(2), lower[1] | bit(3));
                if !buffers.has_depths {
                    for (words, exist) in [upper, lower].into_iter().zip(buffers.have_depths(quad)) {
                        words
                            .iter_mut()
                            .zip(exist)
                            .for_each(|(word, exists)| *word |= u32::from(exists) * Flags::EXISTS);
                    }
                }
            }
            for (plane, value) in (first..).zip(&waiting.values[number * count..][..count]) {
                value.at_quads(&places, positions.clone(), inputs.lines(plane, range.clone()));
            }
            place += quads.len();
        }
    }
}

/// The words of each quad: of its upper and of its lower fragments.
fn pairs_of<'a>([upper, lower]: [&'a [Pair]; 2]) -> impl Iterator<Item = [Pair; 2]> + 'a {
    upper.iter().zip(lower).map(|(upper, lower)| [*upper, *lower])
}
