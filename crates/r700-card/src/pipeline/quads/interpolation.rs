//! What the program gets for the quads of a launch.

use super::worker::{Shared, place, set_eight, vectors};
use crate::pipeline::inputs::{Pixels4, Value};
use crate::pipeline::pixels::GRID;
use crate::pipeline::stage::Regions;
use ctm_memory::Access;
use ctm_raster::covered::{Block, Launch};
use ctm_raster::plane::AttributePlane;
use ctm_raster::quads::BlockPlaces;
use ctm_raster::simd::{Simd, TOGETHER, Task};

/// It is laid out: a task that is faster on hosts with wide vectors.
pub struct Interpolation<'t, 'd, 'a, A> {
    pub shared: &'t Shared<'d, 'a>,
    pub regions: &'t Regions,
    pub launch: Launch<'t>,
    /// How memory is accessed.
    pub access: A,
}

impl<A: Access> Task for Interpolation<'_, '_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Interpolation { shared, regions, launch, access } = self;
        let inputs: Vec<_> = regions.inputs.iter().map(|&region| vectors(shared.arena, region)).collect();
        for (first, block) in launch.places_from(0) {
            let Some(primitive) = shared.primitives.get(usize::from(block.primitive)) else { continue };
            let gradients = &primitive.shaded.gradients;
            let origin = gradients.perspective.setup().origin();
            let linear_places = BlockPlaces::new(simd, GRID, origin, block.first_quad());
            let places = match gradients.perspective.divisor() {
                Some(divisor) => linear_places.divided_by(&divisor),
                None => linear_places,
            };
            // Vectors behind those of these quads are given again, for the next ones.
            let (upper, lower) = (2 * first, 2 * first + regions.columns);
            for (words, value) in inputs.iter().zip(&gradients.values) {
                let Some(words) = words else { continue };
                match value {
                    Value::Constant(value) => {
                        set_eight(words, upper, &[*value; TOGETHER], access);
                        set_eight(words, lower, &[*value; TOGETHER], access);
                    }
                    // With one sample, all places inside of a pixel are its centre.
                    Value::Varying { planes, linear, .. } => {
                        let places = if *linear { &linear_places } else { &places };
                        let zero = simd.splat(0);
                        let (mut above, mut below) = ([zero; 4], [zero; 4]);
                        for (n, plane) in planes.iter().enumerate() {
                            [above[n], below[n]] = match plane {
                                AttributePlane::Constant(bits) => [simd.splat(*bits); 2],
                                AttributePlane::Varying(plane) => places.attribute(plane),
                            };
                        }
                        set_eight(words, upper, &simd.vectors(above), access);
                        set_eight(words, lower, &simd.vectors(below), access);
                    }
                    value @ (Value::Position { .. } | Value::Face { .. } | Value::Sample | Value::Sprite { .. }) => {
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

/// A quad of a block, counted from the first one with a pixel that is drawn.
fn quad_of(block: &Block, quad: usize) -> Pixels4 {
    let (x, y) = block.first_quad();
    let [upper, lower] = block.masks().map(|mask| mask >> (2 * quad) & 3);
    let covered = [upper & 1, upper >> 1, lower & 1, lower >> 1];
    Pixels4 { corner: (u32::from(x) + 2 * quad as u32, y.into()), covered, sample: None }
}
