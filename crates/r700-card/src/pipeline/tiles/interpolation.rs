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
                    for (words, value) in inputs.iter().zip(&gradients.values) {
                        let Some(words) = words else { continue };
                        let [above, below] = [0, 1].map(|row: usize| {
                            [0, 1, 2, 3].map(|component| {
                                let numbers = |plane: &Plane| places.numbers(plane)[row];
                                let attribute = |plane: &Plane, linear: bool| {
                                    if linear { places.attribute(plane)[row] } else { divided.attribute(plane)[row] }
                                };
                                let of = (gradients, value, component);
                                component_of(simd, of, covered[row], numbers, attribute)
                            })
                        });
                        set_eight(words, upper, &simd.vectors(above), access);
                        set_eight(words, lower, &simd.vectors(below), access);
                    }
                }
            }
        }
    }
}

/// A component of a value at eight pixels of one sample: where planes have these numbers, attributes (without perspective: `true`) these bits, and `covered` is 1
/// or 0. As [`Gradients::vectors`] gives it.
#[inline(always)]
pub fn component_of<S: Simd>(
    simd: S,
    (gradients, value, component): (&Gradients, &Value, usize),
    covered: S::Words,
    numbers: impl Fn(&Plane) -> S::Numbers,
    attribute: impl Fn(&Plane, bool) -> S::Words,
) -> S::Words {
    let component = component % 4;
    match value {
        Value::Constant(value) => simd.splat(value[component]),
        // With one sample, all places inside of a pixel are its centre.
        Value::Varying { planes, linear, .. } => match &planes[component] {
            AttributePlane::Constant(bits) => simd.splat(*bits),
            AttributePlane::Varying(plane) => attribute(plane, *linear),
        },
        Value::Position { .. } => simd.binary32(match component {
            0 => numbers(&gradients.axis(Axis::Column)),
            1 => numbers(&gradients.axis(Axis::Row)),
            2 => numbers(&gradients.depth),
            _ => simd.div(simd.number(1.0), numbers(gradients.inverse())),
        }),
        Value::Face { component: at, face } if component == at % 4 => simd.splat(*face),
        Value::Face { .. } if component == 2 => covered,
        Value::Face { .. } | Value::Sample => simd.splat(0),
        Value::Sprite { selects, flipped, corners: [low, high] } => {
            // The numbers are exact, and are divided as binary32 numbers: the quotient is rounded once.
            let part = |axis: Axis, low: i64, high: i64| {
                let Plane { value, dx, dy } = gradients.axis(axis);
                let per_pixel = GRID.per_pixel as f64;
                let (dx, dy) = (dx * per_pixel, dy * per_pixel);
                let at = numbers(&Plane { value: value * per_pixel - low as f64, dx, dy });
                simd.rounded(simd.div(at, simd.number((high - low).max(1) as f64)))
            };
            let across = || part(Axis::Column, low.x, high.x);
            let down = || part(Axis::Row, low.y, high.y);
            match selects[component] {
                0 => simd.splat(0),
                1 => simd.splat(1f32.to_bits()),
                2 => simd.binary32(across()),
                _ if *flipped => simd.binary32(simd.add(simd.number(1.0), simd.mul(simd.number(-1.0), down()))),
                _ => simd.binary32(down()),
            }
        }
    }
}
