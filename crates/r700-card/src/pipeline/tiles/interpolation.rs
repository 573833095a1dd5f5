//! What the program gets for the quads of a launch.

use super::primitives::Components;
use super::surfaces::{Block, Chunk};
use super::worker::{Shared, place, set_eight, vectors};
use crate::pipeline::attributes::{Gradients, Pixels4, Value};
use crate::pipeline::pixels::GRID;
use crate::pipeline::stage::Regions;
use ctm_memory::Access;
use ctm_raster::plane::AttributePlane;
use ctm_raster::quads::BlockPlaces;
use ctm_raster::simd::{Simd, Task};

/// It is laid out: a task that is faster on hosts with wide vectors.
pub struct Interpolation<'t, 'd, 'a, A> {
    pub shared: &'t Shared<'d, 'a>,
    pub regions: &'t Regions,
    pub chunk: Chunk<'t>,
    /// How memory is accessed.
    pub access: A,
}

impl<A: Access> Task for Interpolation<'_, '_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Interpolation { shared, regions, chunk, access } = self;
        let inputs: Vec<_> = regions.inputs.iter().map(|&region| vectors(shared.arena, region)).collect();
        for (first, block) in chunk.places_from(0) {
            let Some(primitive) = shared.primitive(block) else { continue };
            let places = BlockPlaces::new(simd, GRID, primitive.origin, block.first_quad());
            // Vectors behind those of these quads are given again, for the next ones.
            let (upper, lower) = (2 * first, 2 * first + regions.columns);
            match primitive.components {
                Components::Planes(start) => {
                    let planes = shared.primitives.planes.get(start..).unwrap_or_default();
                    for (words, planes) in inputs.iter().zip(planes.as_chunks::<4>().0) {
                        let Some(words) = words else { continue };
                        let zero = simd.splat(0);
                        let (mut above, mut below) = ([zero; 4], [zero; 4]);
                        for (n, plane) in planes.iter().enumerate() {
                            [above[n], below[n]] = places.normal_attribute(plane);
                        }
                        set_eight(words, upper, &simd.vectors(above), access);
                        set_eight(words, lower, &simd.vectors(below), access);
                    }
                }
                Components::Gradients(number) => {
                    let Some(gradients) = shared.primitives.gradients.get(number) else { continue };
                    let linear_places = places;
                    let places = divided(&linear_places, gradients);
                    for (words, value) in inputs.iter().zip(&gradients.values) {
                        let Some(words) = words else { continue };
                        if let Some([above, below]) = at_block(simd, value, &linear_places, &places) {
                            set_eight(words, upper, &simd.vectors(above), access);
                            set_eight(words, lower, &simd.vectors(below), access);
                            continue;
                        }
                        for quad in 0..block.len() {
                            let pixels = quad_of(block, quad);
                            let vectors = gradients.vectors(value, &pixels, &shared.stage.samples);
                            for (pixel, vector) in vectors.into_iter().enumerate() {
                                if let Some(four) = words.four(4 * place(first + quad, pixel, regions.columns)) {
                                    access.set(four, vector);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The places at which attributes with perspective are taken.
#[inline(always)]
pub fn divided<S: Simd>(places: &BlockPlaces<S>, gradients: &Gradients) -> BlockPlaces<S> {
    match gradients.perspective.divisor() {
        Some(divisor) => places.divided_by(&divisor),
        None => *places,
    }
}

/// The components of a value in both rows of a block, if they are calculated for many pixels together.
#[inline(always)]
pub fn at_block<S: Simd>(
    simd: S,
    value: &Value,
    linear_places: &BlockPlaces<S>,
    places: &BlockPlaces<S>,
) -> Option<[[S::Words; 4]; 2]> {
    let zero = simd.splat(0);
    let (mut above, mut below) = ([zero; 4], [zero; 4]);
    match value {
        Value::Constant(value) => {
            for (n, bits) in value.iter().enumerate() {
                above[n] = simd.splat(*bits);
            }
            Some([above; 2])
        }
        // With one sample, all places inside of a pixel are its centre.
        Value::Varying { planes, linear, .. } => {
            let places = if *linear { linear_places } else { places };
            for (n, plane) in planes.iter().enumerate() {
                [above[n], below[n]] = match plane {
                    AttributePlane::Constant(bits) => [simd.splat(*bits); 2],
                    AttributePlane::Varying(plane) => places.attribute(plane),
                };
            }
            Some([above, below])
        }
        Value::Position { .. } | Value::Face { .. } | Value::Sample | Value::Sprite { .. } => None,
    }
}

/// A quad of a block, counted from the first one with a pixel that is drawn.
pub fn quad_of(block: &Block, quad: usize) -> Pixels4 {
    let (x, y) = block.first_quad();
    let [upper, lower] = block.masks().map(|mask| mask >> (2 * quad) & 3);
    let covered = [upper & 1, upper >> 1, lower & 1, lower >> 1];
    Pixels4 { corner: (u32::from(x) + 2 * quad as u32, y.into()), covered, sample: None }
}
