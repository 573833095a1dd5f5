//! What the program gets for the quads of a launch.

use super::primitives::Components;
use super::surfaces::Chunk;
use super::worker::{Shared, set_eight, vectors};
use crate::pipeline::attributes::{Axis, Gradients, Value};
use crate::pipeline::pixels::GRID;
use crate::pipeline::stage::Regions;
use ctm_raster::plane::{AttributePlane, Plane};
use ctm_raster::quads::BlockPlaces;
use ctm_raster::simd::{Simd, SimdTask};

/// It is laid out: a task that is faster on hosts with wide vectors.
pub struct Interpolation<'t, 'd, 'a> {
    pub shared: &'t Shared<'d, 'a>,
    pub regions: &'t Regions,
    pub chunk: Chunk<'t>,
}

impl SimdTask for Interpolation<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Interpolation { shared, regions, chunk } = self;
        let access = simd.access();
        let inputs: Vec<_> = regions.inputs.iter().map(|&region| vectors(shared.arena, region)).collect();
        for (first, block) in chunk.places_from(0) {
            let Some(primitive) = shared.primitive(block) else { continue };
            let places = BlockPlaces::new(simd, GRID, primitive.origin, block.first_quad());
            // Vectors after those of these quads are given again, for the next ones.
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
                    let divided = match gradients.perspective.divisor() {
                        Some(divisor) => places.divided_by(&divisor),
                        None => places,
                    };
                    let covered = block.masks().map(|mask| simd.and(simd.chosen(mask), simd.splat(1)));
                    let rows = [0, 1].map(|row| BlockRow { places, divided, row });
                    for (words, value) in inputs.iter().zip(&gradients.values) {
                        let Some(words) = words else { continue };
                        for (row, first) in [upper, lower].into_iter().enumerate() {
                            let mut vectors = [simd.splat(0); 4];
                            for (component, words) in vectors.iter_mut().enumerate() {
                                let of = (gradients, value, component);
                                *words = component_of(simd, of, covered[row], &rows[row]);
                            }
                            set_eight(words, first, &simd.vectors(vectors), access);
                        }
                    }
                }
            }
        }
    }
}

/// What planes give at eight pixels. Its functions are inlined wherever they are used: closures are not, where there are several uses, and are compiled without
/// the host's vectors then.
pub trait AtPixels<S: Simd> {
    /// The numbers of a plane.
    fn numbers(&self, plane: &Plane) -> S::Numbers;
    /// The bits of an attribute, without perspective if it is `linear`.
    fn attribute(&self, plane: &Plane, linear: bool) -> S::Words;
}

/// A row of a block.
struct BlockRow<S: Simd> {
    places: BlockPlaces<S>,
    divided: BlockPlaces<S>,
    row: usize,
}

impl<S: Simd> AtPixels<S> for BlockRow<S> {
    #[inline(always)]
    fn numbers(&self, plane: &Plane) -> S::Numbers {
        self.places.numbers(plane)[self.row]
    }

    #[inline(always)]
    fn attribute(&self, plane: &Plane, linear: bool) -> S::Words {
        if linear { self.places.attribute(plane)[self.row] } else { self.divided.attribute(plane)[self.row] }
    }
}

/// A component of a value at eight pixels of one sample, of which those are covered where `covered` is 1 rather than 0. As [`Gradients::vectors`] gives it.
#[inline(always)]
pub fn component_of<S: Simd>(
    simd: S,
    (gradients, value, component): (&Gradients, &Value, usize),
    covered: S::Words,
    at: &impl AtPixels<S>,
) -> S::Words {
    let component = component % 4;
    match value {
        Value::Constant(value) => simd.splat(value[component]),
        // With one sample, all places inside of a pixel are its centre.
        Value::Varying { planes, linear, .. } => match &planes[component] {
            AttributePlane::Constant(bits) => simd.splat(*bits),
            AttributePlane::Varying(plane) => at.attribute(plane, *linear),
        },
        Value::Position { .. } => simd.binary32(match component {
            0 => at.numbers(&gradients.axis(Axis::Column)),
            1 => at.numbers(&gradients.axis(Axis::Row)),
            2 => at.numbers(&gradients.depth),
            _ => simd.div(simd.number(1.0), at.numbers(gradients.inverse())),
        }),
        Value::Face { component: at, face } if component == at % 4 => simd.splat(*face),
        Value::Face { .. } if component == 2 => covered,
        Value::Face { .. } | Value::Sample => simd.splat(0),
        Value::Sprite { selects, flipped, corners: [low, high] } => {
            let (axis, low, high) = match selects[component] {
                0 => return simd.splat(0),
                1 => return simd.splat(1f32.to_bits()),
                2 => (Axis::Column, low.x, high.x),
                _ => (Axis::Row, low.y, high.y),
            };
            // The numbers are exact, and are divided as binary32 numbers: the quotient is rounded once.
            let Plane { value, dx, dy } = gradients.axis(axis);
            let per_pixel = GRID.per_pixel as f64;
            let (dx, dy) = (dx * per_pixel, dy * per_pixel);
            let from_low = at.numbers(&Plane { value: value * per_pixel - low as f64, dx, dy });
            let part = simd.rounded(simd.div(from_low, simd.number((high - low).max(1) as f64)));
            match (axis, flipped) {
                (Axis::Row, true) => simd.binary32(simd.add(simd.number(1.0), simd.mul(simd.number(-1.0), part))),
                (Axis::Column | Axis::Row, _) => simd.binary32(part),
            }
        }
    }
}
