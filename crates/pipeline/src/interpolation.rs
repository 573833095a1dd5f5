//! What programs get for the quads or the pixels of a launch.

use crate::draw::{Family, TileDraw};
use crate::lines::{ComponentLines, Lines, OwnLine};
use crate::primitives::{Attribute, Components, Primitives};
use crate::runs::{places_of, runs};
use crate::samples::{SamplePattern, SampledChunk, samples_of};
use crate::values::{AtPixels, PixelPlace, Values};
use ctm_raster::coverage::MAX_SAMPLES;
use ctm_raster::covered::ShadingRate;
use ctm_raster::grid::{Grid, Point};
use ctm_raster::plane::Plane;
use ctm_raster::quads::{BlockPlaces, PixelPlaces, distances};
use ctm_raster::sample_blocks::SampleMasks;
use ctm_raster::simd::{LANES, LaneWords, Simd, SimdTask};

/// It is laid out: a task that is faster on hosts with wide vectors.
pub(crate) struct Interpolation<'t, 'd, 'a, F: Family> {
    pub draw: &'t TileDraw<'d, 'a, F>,
    pub lines: &'t Lines<'t>,
    /// Of each pixel, the column and the row from vertex 0 of its primitive on.
    pub distances: &'t mut [OwnLine; 2],
    pub sampled: SampledChunk<'t>,
    /// The sample that the program runs for, if it runs for each.
    pub sample: Option<usize>,
}

/// A component that the program reads: its number, and its lines.
type Read<'t> = (usize, ComponentLines<'t>);

impl<F: Family> SimdTask for Interpolation<'_, '_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Interpolation { draw, lines, distances, sampled, sample } = self;
        let read: Vec<Read> = lines.inputs.iter().enumerate().filter_map(|(n, lines)| Some((n, (*lines)?))).collect();
        let place = sample.and_then(|sample| draw.samples.places.get(sample).copied());
        let at = ShadedPlace {
            number: sample.unwrap_or_default() as u32,
            place: place.unwrap_or(F::GRID.pixel_centre(0, 0)),
        };
        match sampled.chunk.rate {
            ShadingRate::Quads => of_quads(simd, draw, sampled, &read, at),
            ShadingRate::Pixels => of_pixels(simd, draw, sampled, (&read, distances), at),
        }
    }
}

/// Where the program runs: the number of a sample, and where it is inside of pixels; or 0 and their centre.
#[derive(Clone, Copy)]
struct ShadedPlace {
    number: u32,
    place: Point,
}

/// Of whole quads, block by block. Words after those of a block are given again, for the next ones.
#[inline(always)]
fn of_quads<F: Family>(simd: impl Simd, draw: &TileDraw<F>, sampled: SampledChunk, read: &[Read], at: ShadedPlace) {
    let access = simd.access();
    for (number, (first, block)) in sampled.chunk.places_from(0).enumerate() {
        let Some(primitive) = draw.primitives.get(block.primitive) else { continue };
        let corner = block.first_quad();
        let places = BlockPlaces::new(simd, F::GRID, primitive.origin, corner, at.place);
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
            Components::Values(own) => {
                let Some(values) = draw.primitives.values.get(own) else { continue };
                let divisor = values.divisor();
                let divided = match &divisor {
                    Some(divisor) => places.divided_by(divisor),
                    None => places,
                };
                let masks = sampled.covered.get(number).copied().unwrap_or_else(|| samples_of(block.drawn, 1));
                let quads = BlockQuads {
                    places,
                    divided,
                    divisor: divisor.as_ref(),
                    masks: &masks,
                    first: block.first() as u32,
                    origin: primitive.origin,
                    corner,
                    sample: at.number,
                };
                let (upper, above) = quads.row::<F>(simd, draw.samples, 0);
                let (lower, below) = quads.row::<F>(simd, draw.samples, 1);
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
    SampledChunk { chunk, .. }: SampledChunk,
    (read, [columns, rows]): (&[Read], &mut [OwnLine; 2]),
    at: ShadedPlace,
) {
    let access = simd.access();
    // Words after those that are drawn are given again, for the next ones: here, and below after those of a primitive.
    for run in runs(draw, chunk) {
        for (_, (first, block)) in run.places() {
            let [across, upper, lower] = distances(simd, F::GRID, run.primitive.origin, (block.x, block.y), at.place);
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
                    let row = PixelRow { linear, divided, steps, origin: run.primitive.origin, grid: F::GRID, at };
                    for (number, lines) in read {
                        let words = values.component(simd, *number, simd.splat(1), &row);
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

/// Of eight pixels, the bits of the samples that are covered, by which pixels each sample is covered of.
#[inline(always)]
fn covered<S: Simd>(simd: S, samples: SamplePattern, masks: &[u8; MAX_SAMPLES]) -> S::Words {
    let mut covered = simd.splat(0);
    for (sample, mask) in masks.iter().enumerate().take(samples.count()) {
        covered = simd.or(covered, simd.and(simd.chosen(*mask), simd.splat(1 << sample)));
    }
    covered
}

/// How far the [centroids](PixelPlace::Centroid) of eight pixels from this one on are from the origin, in steps of the grid: columns and rows; `None` if
/// all of them are centres.
#[inline(always)]
fn centroids<S: Simd, F: Family>(
    simd: S,
    samples: SamplePattern,
    masks: &[u8; MAX_SAMPLES],
    origin: Point,
    corner: (u16, u16),
) -> Option<[S::Words; 2]> {
    let masks = masks.get(..samples.count()).unwrap_or(masks);
    // Pixels of which a sample is covered, but not all.
    let [some, all] = masks.iter().fold([0, u8::MAX], |[some, all], mask| [some | mask, all & mask]);
    let mut left = some & !all;
    if left == 0 || samples.iterates {
        return None;
    }
    let centre = F::GRID.pixel_centre(0, 0);
    let [mut columns, mut rows, _] = distances(simd, F::GRID, origin, corner, centre);
    for (mask, place) in masks.iter().zip(samples.places) {
        let [x, y] = [place.x - centre.x, place.y - centre.y].map(|step| simd.splat((step as i32).cast_unsigned()));
        let first = simd.chosen(left & mask);
        columns = simd.add_words(columns, simd.and(x, first));
        rows = simd.add_words(rows, simd.and(y, first));
        left &= !mask;
    }
    Some([columns, rows])
}

/// The quads of a block, whose primitive has values of its own.
struct BlockQuads<'t, S: Simd> {
    places: BlockPlaces<S>,
    divided: BlockPlaces<S>,
    divisor: Option<&'t Plane>,
    /// Sample by sample, the pixels of both rows that are covered.
    masks: &'t SampleMasks,
    /// The first quad that is drawn.
    first: u32,
    /// Vertex 0 of the primitive.
    origin: Point,
    /// The upper left pixel of the first quad that is drawn.
    corner: (u16, u16),
    sample: u32,
}

impl<S: Simd> BlockQuads<'_, S> {
    /// A row, and the samples of its pixels that are covered. A closure would not be [sure](ctm_raster::simd) to have the host's vectors.
    #[inline(always)]
    fn row<F: Family>(&self, simd: S, samples: SamplePattern, row: usize) -> (BlockRow<S>, S::Words) {
        let Self { places, divided, corner, sample, .. } = *self;
        let masks = self.masks.map(|rows| rows[row].checked_shr(2 * self.first).unwrap_or_default());
        let corner_of_row = (corner.0, corner.1 + row as u16);
        let centroids = match centroids::<_, F>(simd, samples, &masks, self.origin, corner_of_row) {
            None => None,
            Some(steps) => {
                let places = PixelPlaces::new(simd, F::GRID, steps);
                let divided = match self.divisor {
                    Some(divisor) => places.divided_by(divisor),
                    None => places,
                };
                Some([places, divided])
            }
        };
        (BlockRow { places, divided, centroids, row, corner, sample }, covered(simd, samples, &masks))
    }
}

/// A row of a block.
struct BlockRow<S: Simd> {
    places: BlockPlaces<S>,
    divided: BlockPlaces<S>,
    /// Centroids, without and with perspective, if they may be elsewhere.
    centroids: Option<[PixelPlaces<S>; 2]>,
    row: usize,
    /// The upper left pixel of the block.
    corner: (u16, u16),
    sample: u32,
}

impl<S: Simd> AtPixels<S> for BlockRow<S> {
    #[inline(always)]
    fn numbers(&self, plane: &Plane, place: PixelPlace) -> S::Numbers {
        match (place, &self.centroids) {
            (PixelPlace::Centroid, Some([places, _])) => places.numbers(plane),
            (PixelPlace::Centroid | PixelPlace::Centre, _) => self.places.numbers(plane)[self.row],
        }
    }

    #[inline(always)]
    fn attribute(&self, plane: &Plane, linear: bool, place: PixelPlace) -> S::Words {
        match (place, &self.centroids) {
            (PixelPlace::Centroid, Some([places, divided])) => (if linear { places } else { divided }).attribute(plane),
            (PixelPlace::Centroid | PixelPlace::Centre, _) => {
                (if linear { &self.places } else { &self.divided }).attribute(plane)[self.row]
            }
        }
    }

    #[inline(always)]
    fn sample(&self) -> u32 {
        self.sample
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
    at: ShadedPlace,
}

impl<S: Simd> AtPixels<S> for PixelRow<S> {
    #[inline(always)]
    fn numbers(&self, plane: &Plane, _: PixelPlace) -> S::Numbers {
        self.linear.numbers(plane)
    }

    #[inline(always)]
    fn attribute(&self, plane: &Plane, linear: bool, _: PixelPlace) -> S::Words {
        if linear { self.linear.attribute(plane) } else { self.divided.attribute(plane) }
    }

    #[inline(always)]
    fn sample(&self) -> u32 {
        self.at.number
    }

    #[inline(always)]
    fn places(&self) -> [LaneWords; 2] {
        let PixelRow { steps: [columns, rows], origin, grid, at: ShadedPlace { place, .. }, .. } = self;
        let pixel =
            |steps: u32, inside: i64| (i64::from(steps.cast_signed()) + inside).div_euclid(grid.per_pixel) as u32;
        let inside = [origin.x - place.x, origin.y - place.y];
        [columns.map(|steps| pixel(steps, inside[0])), rows.map(|steps| pixel(steps, inside[1]))]
    }
}
