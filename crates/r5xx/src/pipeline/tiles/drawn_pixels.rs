//! Where no fragment looks at others of its quad, and tests come before, kernels run for the pixels that are drawn and no others: one after the
//! other, in the order of blocks, those of a block's upper row before those of the lower one.

use super::TileState;
use super::pending::{Chunk, Components, InPlanes, Primitives};
use super::planes::{COLUMNS, PlaneWords};
use crate::pipeline::window::GRID;
use ctm_raster::quads::BlockPlaces;
use ctm_raster::simd::{LANES, LaneWords, Simd, SimdTask, dispatch};

/// The row of planes with all pixels.
pub const ROW: usize = 0;

/// The pixels of a launch.
pub struct DrawnPixels<'t> {
    pub state: &'t TileState<'t>,
    pub primitives: &'t Primitives,
    pub chunk: Chunk<'t>,
}

impl DrawnPixels<'_> {
    /// Lays out what primitives bring.
    pub fn lay_out(&self, inputs: &mut PlaneWords) {
        dispatch(Interpolation { drawn: self, inputs });
    }
}

/// Sets eight words of a line from one on.
#[inline(always)]
fn set_eight(line: &mut [u32; COLUMNS], first: usize, words: LaneWords) {
    if let Some(place) = line.get_mut(first..).and_then(|words| words.first_chunk_mut()) {
        *place = words;
    }
}

/// What primitives bring: a task that is faster on hosts with wide vectors.
struct Interpolation<'t, 'w, 'p> {
    drawn: &'t DrawnPixels<'t>,
    inputs: &'w mut PlaneWords<'p>,
}

impl SimdTask for Interpolation<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Interpolation { drawn: DrawnPixels { state, primitives, chunk, .. }, inputs } = self;
        let count = state.components;
        let planes = state.first_value()..state.first_value() + count;
        for (first, block) in chunk.places() {
            let primitive = &primitives.all[usize::from(block.primitive)];
            let place = (block.x, block.y);
            let places = BlockPlaces::new(simd, GRID, primitive.origin, place);
            let [above, below] = block.drawn;
            let second = first + above.count_ones() as usize;
            let (above, below) = (simd.pack(above), simd.pack(below));
            // After a launch there is a margin.
            let (first, second) = (first.min(COLUMNS - LANES), second.min(COLUMNS - LANES));
            // Words after those that are drawn are given again, for the next ones.
            match primitive.components {
                Components::Planes(first_plane) => {
                    let values = &primitives.planes[first_plane..first_plane + count];
                    for (line, value) in inputs.line(planes.clone(), ROW).zip(values) {
                        let [upper, lower] = places.normal_attribute(value);
                        set_eight(line, first, simd.array(simd.permuted(upper, above)));
                        set_eight(line, second, simd.array(simd.permuted(lower, below)));
                    }
                }
                Components::Values(first_value) => {
                    let places = match &primitive.divisor {
                        Some(divisor) => places.divided_by(divisor),
                        None => places,
                    };
                    let values = &primitives.values[first_value..first_value + count];
                    for (line, value) in inputs.line(planes.clone(), ROW).zip(values) {
                        let [upper, lower] = value.at_block(simd, &places, place);
                        let (upper, lower) = (simd.words(&upper), simd.words(&lower));
                        set_eight(line, first, simd.array(simd.permuted(upper, above)));
                        set_eight(line, second, simd.array(simd.permuted(lower, below)));
                    }
                }
            }
        }
    }
}
