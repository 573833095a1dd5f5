//! What the program gets for the pixels of a launch.

use super::{Line, OwnLine, line_of, places_of, runs, set_eight};
use crate::pipeline::pixels::GRID;
use crate::pipeline::stage::Lines;
use crate::pipeline::tiles::interpolation::{AtPixels, component_of};
use crate::pipeline::tiles::primitives::Components;
use crate::pipeline::tiles::surfaces::Chunk;
use crate::pipeline::tiles::worker::Shared;
use ctm_raster::plane::Plane;
use ctm_raster::quads::{PixelPlaces, distances};
use ctm_raster::simd::{LANES, Simd, SimdTask};

/// It is laid out: a task that is faster on hosts with wide vectors.
pub struct Interpolation<'t, 'd, 'a> {
    pub shared: &'t Shared<'d, 'a>,
    pub lines: &'t Lines,
    pub distances: &'t mut [OwnLine; 2],
    pub chunk: Chunk<'t>,
}

/// A component that the program reads.
struct ReadComponent<'t> {
    /// The number of its input among those of registers.
    number: usize,
    component: usize,
    /// The number of its plane among those of a primitive.
    plane: usize,
    line: Line<'t>,
}

impl SimdTask for Interpolation<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Interpolation { shared, lines, distances: [columns, rows], chunk } = self;
        let access = simd.access();
        let kernels = shared.kernels();
        let mut read: Vec<ReadComponent> = Vec::new();
        for (number, (register, lines)) in shared.stage.inputs.registers().zip(&lines.inputs).enumerate() {
            for (component, line) in lines.iter().enumerate() {
                if kernels.is_none_or(|kernels| kernels.reads_channel(register, component))
                    && let Some(line) = line_of(shared.arena, *line)
                {
                    read.push(ReadComponent { number, component, plane: 4 * number + component, line });
                }
            }
        }
        // Words after those that are drawn are given again, for the next ones: here, and below after those of a primitive.
        for run in runs(shared, chunk) {
            for (first, block) in run.places() {
                let [across, upper, lower] = distances(simd, GRID, run.primitive.origin, (block.x, block.y));
                let [first, second] = places_of(block, first);
                let [above, below] = block.drawn;
                columns.set(first, simd.array(simd.permuted(across, simd.pack(above))));
                rows.set(first, simd.array(upper));
                columns.set(second, simd.array(simd.permuted(across, simd.pack(below))));
                rows.set(second, simd.array(lower));
            }
        }
        let all = shared.planes();
        for run in runs(shared, chunk) {
            match run.primitive.components {
                Components::Planes(start) => {
                    let planes = shared.primitives.planes.get(start..start + all).unwrap_or_default();
                    for first in run.pixels.clone().step_by(LANES) {
                        let places = places_at(simd, [columns, rows], first);
                        for ReadComponent { plane, line, .. } in &read {
                            let Some(plane) = planes.get(*plane) else { continue };
                            set_eight(line, first, simd.array(places.normal_attribute(plane)), access);
                        }
                    }
                }
                Components::Gradients(number) => {
                    let Some(gradients) = shared.primitives.gradients.get(number) else { continue };
                    for first in run.pixels.clone().step_by(LANES) {
                        let linear = places_at(simd, [columns, rows], first);
                        let divided = match gradients.perspective.divisor() {
                            Some(divisor) => linear.divided_by(&divisor),
                            None => linear,
                        };
                        let at = PixelRow { linear, divided };
                        for ReadComponent { number, component, line, .. } in &read {
                            let Some(value) = gradients.values.get(*number) else { continue };
                            let words = component_of(simd, (gradients, value, *component), simd.splat(1), &at);
                            set_eight(line, first, simd.array(words), access);
                        }
                    }
                }
            }
        }
    }
}

/// Eight pixels one after the other.
struct PixelRow<S: Simd> {
    linear: PixelPlaces<S>,
    divided: PixelPlaces<S>,
}

impl<S: Simd> AtPixels<S> for PixelRow<S> {
    #[inline(always)]
    fn numbers(&self, plane: &Plane) -> S::Numbers {
        self.linear.numbers(plane)
    }

    #[inline(always)]
    fn attribute(&self, plane: &Plane, linear: bool) -> S::Words {
        if linear { self.linear.attribute(plane) } else { self.divided.attribute(plane) }
    }
}

/// The places of eight pixels from one on.
#[inline(always)]
fn places_at<S: Simd>(simd: S, [columns, rows]: [&OwnLine; 2], first: usize) -> PixelPlaces<S> {
    PixelPlaces::new(simd, GRID, [simd.words(&columns.get(first)), simd.words(&rows.get(first))])
}
