//! Blocks of pixels of several samples: which samples a primitive covers.

use crate::coverage::{ConvexPolygon, MAX_SAMPLES, quad_spans};
use crate::covered::{Block, FOUR, span_columns};
use crate::grid::{Grid, Point, Rect};
use crate::narrow::NarrowRows;
use crate::simd::{LANES, Simd, SimdTask, dispatch};
use std::ops::Range;

/// Samples of the pixels of a block. Of each sample, bit n: that of pixel n of the upper, or of the lower row.
pub type SampleMasks = [[u8; 2]; MAX_SAMPLES];

/// The pixels of which there is a sample.
#[inline(always)]
pub fn pixels_of(masks: &SampleMasks) -> [u8; 2] {
    masks.iter().fold([0; 2], |[upper, lower], sample| [upper | sample[0], lower | sample[1]])
}

/// How many samples these are.
pub fn count_samples(masks: &[SampleMasks]) -> u64 {
    dispatch(Counting(masks))
}

/// The same as a task, as not all hosts count bits by an instruction.
struct Counting<'m>(&'m [SampleMasks]);

impl SimdTask for Counting<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self, _: impl Simd) -> u64 {
        let mut count = 0;
        for masks in self.0 {
            for rows in masks {
                count += u64::from(u16::from_le_bytes(*rows).count_ones());
            }
        }
        count
    }
}

/// Both rows of each sample.
type Rows<R> = [[R; 2]; MAX_SAMPLES];

/// What primitives cover of the samples of rows, two of them at a time: memory that is used again.
#[derive(Default)]
pub struct SampleRows {
    /// Of few columns: bit n is column n from a first one on.
    masks: Vec<Rows<u64>>,
    spans: Vec<Rows<Range<u32>>>,
}

/// Adds the blocks of a primitive, as [`add_blocks`](crate::covered::add_blocks) does, and the samples of each, which lie at `places` inside of pixels.
#[inline(always)]
pub fn add_sample_blocks<S: Simd, P: Default>(
    simd: S,
    (grid, places): (Grid, &[Point]),
    shape: &ConvexPolygon,
    (part, last): (Rect, u32),
    primitive: u16,
    rows: &mut SampleRows,
    mut add: impl FnMut(Block<P>, SampleMasks),
) {
    if part.is_empty() {
        return;
    }
    let top = part.top & !1;
    let count = (part.bottom - top).div_ceil(2) as usize;
    let block = |x: u32, y: u32, drawn| Block { x: x as u16, y: y as u16, primitive, drawn, place: P::default() };
    let of_samples = Coverage { simd, grid, places, shape, part, last };
    rows.masks.clear();
    rows.masks.resize(count, Rows::default());
    if let Some(first) = of_samples.narrow::<3>(&mut rows.masks).or_else(|| of_samples.narrow::<4>(&mut rows.masks)) {
        for (y, row) in (top..).step_by(2).zip(&rows.masks) {
            let mut rest = row.iter().flatten().fold(0, |all, row| all | row);
            while rest != 0 {
                let x = (first + rest.trailing_zeros() / FOUR * FOUR).min(last);
                let place = x - first;
                let of_block = rest & 0xFF_u64.wrapping_shl(place);
                rest &= !of_block;
                let masks = row.map(|rows| rows.map(|row| ((row & of_block) >> place) as u8));
                add(block(x, y, pixels_of(&masks)), masks);
            }
        }
        return;
    }
    rows.spans.clear();
    rows.spans.resize_with(count, Rows::default);
    for (sample, place) in places.iter().enumerate().take(MAX_SAMPLES) {
        for (y, spans) in quad_spans(grid, shape, &part, *place) {
            rows.spans[((y - top) / 2) as usize][sample] = spans;
        }
    }
    for (y, row) in (top..).step_by(2).zip(&rows.spans) {
        let covered = || row.iter().flatten().filter(|columns| !columns.is_empty());
        let Some(first) = covered().map(|columns| columns.start).min() else { continue };
        let end = covered().map(|columns| columns.end).max().unwrap_or_default();
        for from in (first / FOUR * FOUR..end).step_by(LANES) {
            let x = from.min(last);
            let masks = row
                .each_ref()
                .map(|rows| rows.each_ref().map(|columns| span_columns(columns.start.max(from)..columns.end, x)));
            add(block(x, y, pixels_of(&masks)), masks);
        }
    }
}

/// A shape whose samples are looked for.
struct Coverage<'s, S> {
    simd: S,
    grid: Grid,
    places: &'s [Point],
    shape: &'s ConvexPolygon,
    part: Rect,
    last: u32,
}

impl<S: Simd> Coverage<'_, S> {
    /// Notes the columns of each sample, and gives the first one, as [`NarrowRows`] does; `None` if there are too many.
    #[inline(always)]
    fn narrow<const EDGES: usize>(&self, rows: &mut [Rows<u64>]) -> Option<u32> {
        let Coverage { simd, grid, places, shape, part, last } = *self;
        let mut first = None;
        for (sample, place) in places.iter().enumerate().take(MAX_SAMPLES) {
            // Whether that can be depends on the shape and the part only.
            let narrow = NarrowRows::<S, EDGES>::new(simd, grid, shape, part, *place, last)?;
            first = Some(narrow.first());
            for (y, masks) in narrow {
                rows[((y - part.top / 2 * 2) / 2) as usize][sample] = masks;
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::{EdgeRule, extent, quads};
    use crate::covered::last_block;
    use crate::outline::{LineEnds, line};
    use crate::simd::Portable;
    use std::collections::BTreeMap;

    struct Blocks<'s> {
        grid: Grid,
        places: &'s [Point],
        shape: &'s ConvexPolygon,
        part: Rect,
        last: u32,
    }

    impl SimdTask for &Blocks<'_> {
        type Output = Vec<(Block, SampleMasks)>;

        #[inline(always)]
        fn run(self, simd: impl Simd) -> Self::Output {
            let Blocks { grid, places, shape, part, last } = *self;
            let (mut all, mut rows) = (Vec::new(), SampleRows::default());
            add_sample_blocks(simd, (grid, places), shape, (part, last), 7, &mut rows, |block, masks| {
                all.push((block, masks));
            });
            all
        }
    }

    #[test]
    fn blocks_have_the_samples_of_quads() {
        let (mut narrow, mut wide) = (0, 0);
        ctm_cases::check(6000, |u| {
            let grid = Grid { per_pixel: *u.choose(&[12, 16, 256])? };
            let per_pixel = grid.per_pixel;
            // A tile, and a shape around it.
            let (left, top) = (64 * u.int_in_range(0..=3)?, 2 * u.int_in_range(0..=40)?);
            let clip =
                Rect { left, top, right: left + u.int_in_range(1..=128)?, bottom: top + u.int_in_range(1..=40)? };
            let size = *u.choose(&[8, 40, 70, 300])?;
            let mut point = || {
                let (x, y) = (
                    u.int_in_range(-per_pixel * size..=2 * per_pixel * size)?,
                    u.int_in_range(-per_pixel * size..=2 * per_pixel * size)?,
                );
                Ok(Point { x: per_pixel * i64::from(left) + x, y: per_pixel * i64::from(top) + y })
            };
            let points = [point()?, point()?, point()?];
            let shape = if u.ratio(1, 4)? {
                ConvexPolygon::new(&line(points[0], points[1], 40, LineEnds::Perpendicular), EdgeRule::TOP_LEFT)
            } else {
                ConvexPolygon::new(&points, EdgeRule::TOP_LEFT)
            };
            let Some(shape) = shape else { return Ok(()) };
            let ((first, last), (low, high)) = extent(grid, &shape, &clip);
            if first > last || low > high {
                return Ok(());
            }
            let part = Rect { left: first as u32, right: last as u32 + 1, top: low as u32, bottom: high as u32 + 1 };
            let mut places = Vec::new();
            for _ in 0..u.int_in_range(1..=8)? {
                let (x, y) = (u.int_in_range(0..=per_pixel - 1)?, u.int_in_range(0..=per_pixel - 1)?);
                places.push(Point { x, y });
            }
            let last = last_block(clip.left, clip.right);
            let task = Blocks { grid, places: &places, shape: &shape, part, last };
            let blocks = dispatch(&task);
            assert_eq!(blocks, (&task).run(Portable));
            let mut found: BTreeMap<(u32, u32), u8> = BTreeMap::new();
            for (block, masks) in &blocks {
                assert_eq!((block.drawn, block.primitive), (pixels_of(masks), 7));
                assert!(u32::from(block.x) <= last && block.x.is_multiple_of(4) && block.y.is_multiple_of(2));
                for (sample, rows) in masks.iter().enumerate() {
                    for (row, n) in [0, 1].into_iter().flat_map(|row| (0..8).map(move |n| (row, n))) {
                        if rows[row] >> n & 1 != 0 {
                            let pixel = (u32::from(block.x) + n, u32::from(block.y) + row as u32);
                            let covered = found.entry(pixel).or_default();
                            assert_eq!(*covered >> sample & 1, 0, "{pixel:?} twice");
                            *covered |= 1 << sample;
                        }
                    }
                }
            }
            let mut expected = BTreeMap::new();
            quads(grid, &shape, &clip, &places, |quad| {
                for (n, covered) in (0..).zip(quad.coverage).filter(|(_, covered)| *covered != 0) {
                    expected.insert((quad.x + n % 2, quad.y + n / 2), covered);
                }
            });
            assert_eq!(found, expected, "{shape:?} {clip:?} {places:?}");
            let masks: Vec<_> = blocks.iter().map(|(_, masks)| *masks).collect();
            assert_eq!(count_samples(&masks), found.values().map(|covered| u64::from(covered.count_ones())).sum());
            *if part.right - part.left > 64 { &mut wide } else { &mut narrow } += expected.len();
            Ok(())
        });
        assert!(narrow > 10_000 && wide > 10_000, "{narrow} and {wide} pixels");
    }
}
