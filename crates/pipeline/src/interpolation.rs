//! What programs get for the quads or the pixels of a launch.

use crate::draw::{Family, TileDraw};
use crate::lines::{ComponentLines, Lines, OwnLine};
use crate::primitives::{Attribute, Components, Primitives};
use crate::runs::{places_of, runs};
use crate::surfaces::Chunk;
use crate::values::{AtPixels, Values};
use ctm_raster::covered::ShadingRate;
use ctm_raster::grid::{Grid, Point};
use ctm_raster::plane::Plane;
use ctm_raster::quads::{BlockPlaces, PixelPlaces, distances};
use ctm_raster::simd::{LANES, LaneWords, Simd, SimdTask};

/// It is laid out: a task that is faster on hosts with wide vectors.
pub(crate) struct Interpolation<'t, 'd, 'a, F: Family> {
    pub draw: &'t TileDraw<'d, 'a, F>,
    pub lines: &'t Lines<'t>,
    /// Of each pixel, the column and the row from vertex 0 of its primitive on.
    pub distances: &'t mut [OwnLine; 2],
    pub chunk: Chunk<'t>,
}

/// A component that the program reads: its number, and its lines.
type Read<'t> = (usize, ComponentLines<'t>);

impl<F: Family> SimdTask for Interpolation<'_, '_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Interpolation { draw, lines, distances, chunk } = self;
        let read: Vec<Read> = lines.inputs.iter().enumerate().filter_map(|(n, lines)| Some((n, (*lines)?))).collect();
        match chunk.rate {
            ShadingRate::Quads => of_quads(simd, draw, chunk, &read),
            ShadingRate::Pixels => of_pixels(simd, draw, chunk, &read, distances),
        }
    }
}

/// Of whole quads, block by block. Words after those of a block are given again, for the next ones.
#[inline(always)]
fn of_quads<F: Family>(simd: impl Simd, draw: &TileDraw<F>, chunk: Chunk, read: &[Read]) {
    let access = simd.access();
    for (first, block) in chunk.places_from(0) {
        let Some(primitive) = draw.primitives.get(block.primitive) else { continue };
        let corner = block.first_quad();
        let places = BlockPlaces::new(simd, F::GRID, primitive.origin, corner);
        match primitive.components {
            Components::Planes(start) => {
                let planes = draw.primitives.planes.get(start..start + draw.components).unwrap_or_default();
                for (number, lines) in read {
                    let Some(plane) = planes.get(*number) else { continue };
                    let [upper, lower] = places.normal_attribute(plane);
                    lines.set_eight(0, 2 * first, simd.array(upper), access);
                    lines.set_eight(1, 2 * first, simd.array(lower), access);
                }
            }
            Components::Attributes { first: start, divisor } => {
                let Some((attributes, divisor)) = draw.attributes(start, divisor) else { continue };
                let divided = places.divided_by(divisor);
                for (number, lines) in read {
                    let [upper, lower] = match attributes.get(*number) {
                        Some(Attribute::Varying(plane)) => divided.attribute(plane),
                        Some(Attribute::Constant(bits)) => [simd.splat(*bits); 2],
                        Some(Attribute::Numbers(plane)) => {
                            let [upper, lower] = places.numbers(plane);
                            [simd.binary32(upper), simd.binary32(lower)]
                        }
                        Some(Attribute::Reciprocals(plane)) => {
                            let ([upper, lower], one) = (places.numbers(plane), simd.number(1.0));
                            [simd.binary32(simd.div(one, upper)), simd.binary32(simd.div(one, lower))]
                        }
                        None => continue,
                    };
                    lines.set_eight(0, 2 * first, simd.array(upper), access);
                    lines.set_eight(1, 2 * first, simd.array(lower), access);
                }
            }
            Components::Values(number) => {
                let Some(values) = draw.primitives.values.get(number) else { continue };
                let divided = match values.divisor() {
                    Some(divisor) => places.divided_by(&divisor),
                    None => places,
                };
                let [upper, lower] = [0, 1].map(|row| BlockRow { places, divided, row, corner });
                let [above, below] = block.masks().map(|mask| simd.and(simd.chosen(mask), simd.splat(1)));
                for (number, lines) in read {
                    let words = values.component(simd, *number, above, &upper);
                    lines.set_eight(0, 2 * first, simd.array(words), access);
                    let words = values.component(simd, *number, below, &lower);
                    lines.set_eight(1, 2 * first, simd.array(words), access);
                }
            }
        }
    }
}

/// Of pixels that are drawn, one after the other, primitive by primitive: many pixels of blocks are not drawn.
#[inline(always)]
fn of_pixels<F: Family>(
    simd: impl Simd,
    draw: &TileDraw<F>,
    chunk: Chunk,
    read: &[Read],
    [columns, rows]: &mut [OwnLine; 2],
) {
    let access = simd.access();
    // Words after those that are drawn are given again, for the next ones: here, and below after those of a primitive.
    for run in runs(draw, chunk) {
        for (first, block) in run.places() {
            let [across, upper, lower] = distances(simd, F::GRID, run.primitive.origin, (block.x, block.y));
            let [first, second] = places_of(block, first);
            let [above, below] = block.drawn;
            columns.set(first, simd.array(simd.permuted(across, simd.pack(above))));
            rows.set(first, simd.array(upper));
            columns.set(second, simd.array(simd.permuted(across, simd.pack(below))));
            rows.set(second, simd.array(lower));
        }
    }
    for run in runs(draw, chunk) {
        match run.primitive.components {
            Components::Planes(start) => {
                let planes = draw.primitives.planes.get(start..start + draw.components).unwrap_or_default();
                for first in run.pixels.clone().step_by(LANES) {
                    let steps = [simd.words(&columns.get(first)), simd.words(&rows.get(first))];
                    let places = PixelPlaces::new(simd, F::GRID, steps);
                    for (number, lines) in read {
                        let Some(plane) = planes.get(*number) else { continue };
                        lines.set_eight(0, first, simd.array(places.normal_attribute(plane)), access);
                    }
                }
            }
            Components::Attributes { first: start, divisor } => {
                let Some((attributes, divisor)) = draw.attributes(start, divisor) else { continue };
                for first in run.pixels.clone().step_by(LANES) {
                    let steps = [simd.words(&columns.get(first)), simd.words(&rows.get(first))];
                    let linear = PixelPlaces::new(simd, F::GRID, steps);
                    let divided = linear.divided_by(divisor);
                    for (number, lines) in read {
                        let words = match attributes.get(*number) {
                            Some(Attribute::Varying(plane)) => divided.attribute(plane),
                            Some(Attribute::Constant(bits)) => simd.splat(*bits),
                            Some(Attribute::Numbers(plane)) => simd.binary32(linear.numbers(plane)),
                            Some(Attribute::Reciprocals(plane)) => {
                                simd.binary32(simd.div(simd.number(1.0), linear.numbers(plane)))
                            }
                            None => continue,
                        };
                        lines.set_eight(0, first, simd.array(words), access);
                    }
                }
            }
            Components::Values(number) => {
                let Some(values) = draw.primitives.values.get(number) else { continue };
                for first in run.pixels.clone().step_by(LANES) {
                    let steps = [columns.get(first), rows.get(first)];
                    let linear = PixelPlaces::new(simd, F::GRID, steps.each_ref().map(|steps| simd.words(steps)));
                    let divided = match values.divisor() {
                        Some(divisor) => linear.divided_by(&divisor),
                        None => linear,
                    };
                    let at = PixelRow { linear, divided, steps, origin: run.primitive.origin, grid: F::GRID };
                    for (number, lines) in read {
                        let words = values.component(simd, *number, simd.splat(1), &at);
                        lines.set_eight(0, first, simd.array(words), access);
                    }
                }
            }
        }
    }
}

impl<F: Family> TileDraw<'_, '_, F> {
    /// The attributes of a primitive from one on, and this divisor of theirs.
    #[inline(always)]
    fn attributes(&self, first: usize, divisor: usize) -> Option<(&[Attribute], &Plane)> {
        let Primitives { attributes, planes, .. } = self.primitives;
        Some((attributes.get(first..first + self.components)?, planes.get(divisor)?))
    }
}

/// A row of a block.
struct BlockRow<S: Simd> {
    places: BlockPlaces<S>,
    divided: BlockPlaces<S>,
    row: usize,
    /// The upper left pixel of the block.
    corner: (u16, u16),
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

    #[inline(always)]
    fn places(&self) -> [LaneWords; 2] {
        let (x, y) = (u32::from(self.corner.0), u32::from(self.corner.1));
        [std::array::from_fn(|n| x + n as u32), [y + self.row as u32; LANES]]
    }
}

/// Eight pixels one after the other.
struct PixelRow<S: Simd> {
    linear: PixelPlaces<S>,
    divided: PixelPlaces<S>,
    /// How far they are from vertex 0 of their primitive, in steps of the grid: columns and rows.
    steps: [LaneWords; 2],
    origin: Point,
    grid: Grid,
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

    #[inline(always)]
    fn places(&self) -> [LaneWords; 2] {
        let PixelRow { steps: [columns, rows], origin, grid, .. } = self;
        let pixel = |steps: u32, origin: i64| {
            (i64::from(steps.cast_signed()) + origin - grid.centre(0)).div_euclid(grid.per_pixel) as u32
        };
        [columns.map(|steps| pixel(steps, origin.x)), rows.map(|steps| pixel(steps, origin.y))]
    }
}
