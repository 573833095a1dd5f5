//! What the program gets for the pixels of a launch.

use super::{BlockRun, Line, OwnLine, line_of, places_of, runs, set_eight};
use crate::pipeline::attributes::{Gradients, Value};
use crate::pipeline::pixels::GRID;
use crate::pipeline::stage::Lines;
use crate::pipeline::tiles::interpolation::quad_of;
use crate::pipeline::tiles::primitives::Components;
use crate::pipeline::tiles::surfaces::{Block, Chunk};
use crate::pipeline::tiles::worker::Shared;
use ctm_memory::Access;
use ctm_raster::plane::AttributePlane;
use ctm_raster::quads::{PixelPlaces, distances};
use ctm_raster::simd::{Eight, LANES, Simd, Task};

/// It is laid out: a task that is faster on hosts with wide vectors.
pub struct Interpolation<'t, 'd, 'a, A> {
    pub shared: &'t Shared<'d, 'a>,
    pub lines: &'t Lines,
    pub distances: &'t mut [OwnLine; 2],
    pub chunk: Chunk<'t>,
    /// How memory is accessed.
    pub access: A,
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

impl<A: Access> Task for Interpolation<'_, '_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Interpolation { shared, lines, distances: [columns, rows], chunk, access } = self;
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
        // Words behind those that are drawn are given again, for the next ones: here, and below behind those of a primitive.
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
                        for ReadComponent { number, component, line, .. } in &read {
                            let Some(value) = gradients.values.get(*number) else { continue };
                            if let Some(words) = at_pixels(simd, value, *component, [&linear, &divided]) {
                                set_eight(line, first, simd.array(words), access);
                            }
                        }
                    }
                    for (number, value) in gradients.values.iter().enumerate() {
                        if !is_at_pixels(value) {
                            set_block_by_block(simd, (shared, &run), gradients, (number, value), &read, access);
                        }
                    }
                }
            }
        }
    }
}

/// The places of eight pixels from one on.
#[inline(always)]
fn places_at<S: Simd>(simd: S, [columns, rows]: [&OwnLine; 2], first: usize) -> PixelPlaces<S> {
    PixelPlaces::new(simd, GRID, [simd.words(&columns.get(first)), simd.words(&rows.get(first))])
}

/// Whether a value is calculated for many pixels together.
fn is_at_pixels(value: &Value) -> bool {
    match value {
        Value::Constant(_) | Value::Varying { .. } => true,
        Value::Position { .. } | Value::Face { .. } | Value::Sample | Value::Sprite { .. } => false,
    }
}

/// A component of such a value at places: the linear ones, and those of attributes with perspective.
#[inline(always)]
fn at_pixels<S: Simd>(
    simd: S,
    value: &Value,
    component: usize,
    [linear_places, places]: [&PixelPlaces<S>; 2],
) -> Option<S::Words> {
    match value {
        Value::Constant(value) => Some(simd.splat(*value.get(component)?)),
        // With one sample, all places inside of a pixel are its centre.
        Value::Varying { planes, linear, .. } => {
            let places = if *linear { linear_places } else { places };
            match planes.get(component)? {
                AttributePlane::Constant(bits) => Some(simd.splat(*bits)),
                AttributePlane::Varying(plane) => Some(places.attribute(plane)),
            }
        }
        Value::Position { .. } | Value::Face { .. } | Value::Sample | Value::Sprite { .. } => None,
    }
}

/// Lays out the components of any other value of a register.
#[inline(always)]
fn set_block_by_block(
    simd: impl Simd,
    (shared, run): (&Shared, &BlockRun),
    gradients: &Gradients,
    (number, value): (usize, &Value),
    read: &[ReadComponent],
    access: impl Access,
) {
    for (first, block) in run.places() {
        let [upper, lower] = pixel_by_pixel(shared, gradients, value, block);
        let [first, second] = places_of(block, first);
        let [above, below] = block.drawn;
        let (above, below) = (simd.pack(above), simd.pack(below));
        for ReadComponent { number: of, component, line, .. } in read {
            if *of == number {
                let (upper, lower) = (simd.words(&upper[component % 4]), simd.words(&lower[component % 4]));
                set_eight(line, first, simd.array(simd.permuted(upper, above)), access);
                set_eight(line, second, simd.array(simd.permuted(lower, below)), access);
            }
        }
    }
}

/// The components of a value in both rows of a block.
fn pixel_by_pixel(shared: &Shared, gradients: &Gradients, value: &Value, block: &Block) -> [[Eight; 4]; 2] {
    let mut rows = [[[0; LANES]; 4]; 2];
    for quad in 0..block.len() {
        let vectors = gradients.vectors(value, &quad_of(block, quad), &shared.stage.samples);
        for (pixel, vector) in vectors.into_iter().enumerate() {
            let column = 2 * (block.first() + quad) + pixel % 2;
            for (words, word) in rows[pixel / 2].iter_mut().zip(vector) {
                words[column % LANES] = word;
            }
        }
    }
    rows
}
