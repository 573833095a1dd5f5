//! Coverage of shapes with few columns: both rows of quads at a time, many columns together, in 32 bits.

use crate::coverage::ConvexPolygon;
use crate::grid::{Grid, Point, Rect};
use crate::simd::{LANES, Simd};

/// Columns of a mask.
const COLUMNS: u32 = u64::BITS;
/// Sub-pixels that a shape has at most in each direction: so many, with what is looked at around it, have edge functions of 32 bits.
const EXTENT: i64 = 30_000;

/// The pixels that a shape with so many edges at most covers in few columns, two rows at a time from the top.
pub struct NarrowRows<S: Simd, const EDGES: usize> {
    simd: S,
    /// Of each edge: its values at the first pixels of the upper row.
    values: [S::Words; EDGES],
    /// What the lower row, the next two rows, and the next columns that are computed together add to them.
    down: [S::Words; EDGES],
    next: [S::Words; EDGES],
    right: [S::Words; EDGES],
    first: u32,
    /// How many columns are looked at.
    count: u32,
    /// The upper row, and the row after the last one.
    y: u32,
    bottom: u32,
    /// The pixels that are wanted, of the upper row and of those below it.
    upper: u64,
    wanted: u64,
}

impl<S: Simd, const EDGES: usize> NarrowRows<S, EDGES> {
    /// Of the samples at this place inside of pixels, in a part of the rectangle of all pixels that have one of the shape's places. Masks begin with a
    /// column that is a multiple of 4, or with `latest` if that is before it and at most 12 columns from those that are wanted. `None` if the shape
    /// has more edges, if it is too large, or if there are too many columns.
    #[inline(always)]
    pub fn new(simd: S, grid: Grid, shape: &ConvexPolygon, part: Rect, place: Point, latest: u32) -> Option<Self> {
        let ((low, high), edges) = (shape.bounds(), shape.edges());
        let is_small = high.x - low.x <= EXTENT && high.y - low.y <= EXTENT;
        let first = (part.left / 4 * 4).min(latest);
        let count = part.right.wrapping_sub(first);
        if part.is_empty() || !is_small || edges.len() > EDGES || count > COLUMNS {
            return None;
        }
        let wanted = u64::MAX << (part.left - first) & u64::MAX >> (COLUMNS - count);
        let y = part.top & !1;
        let zero = simd.splat(0);
        let mut rows = NarrowRows {
            simd,
            values: [zero; EDGES],
            down: [zero; EDGES],
            next: [zero; EDGES],
            right: [zero; EDGES],
            first,
            count,
            y,
            bottom: part.bottom,
            upper: if y == part.top { wanted } else { 0 },
            wanted,
        };
        // Edge functions are computed modulo 2^32.
        let per_pixel = grid.per_pixel as i32;
        let at = |pixel: u32, place: i64| (pixel as i32).wrapping_mul(per_pixel).wrapping_add(place as i32);
        let (x, y) = (at(first, place.x), at(y, place.y));
        for (n, edge) in edges.iter().enumerate().take(EDGES) {
            let value = edge.a.wrapping_mul(x).wrapping_add(edge.b.wrapping_mul(y)).wrapping_add(edge.c as i32);
            let (across, down) = (edge.a.wrapping_mul(per_pixel), edge.b.wrapping_mul(per_pixel));
            let splat = |value: i32| value.cast_unsigned();
            rows.values[n] = simd.progression(value, across);
            rows.down[n] = simd.splat(splat(down));
            rows.next[n] = simd.splat(splat(down.wrapping_mul(2)));
            rows.right[n] = simd.splat(splat(across.wrapping_mul(LANES as i32)));
        }
        Some(rows)
    }

    /// The column of bit 0 of masks.
    #[inline(always)]
    pub fn first(&self) -> u32 {
        self.first
    }
}

/// Two rows with covered pixels: the upper one, which is even, and bit n of each for the pixel in column n from the first one on.
type MaskRows = (u32, [u64; 2]);

impl<S: Simd, const EDGES: usize> Iterator for NarrowRows<S, EDGES> {
    type Item = MaskRows;

    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "one number for several arrays, which are vectors of one edge")]
    fn next(&mut self) -> Option<MaskRows> {
        let simd = self.simd;
        while self.y < self.bottom {
            let y = self.y;
            let mut values = self.values;
            // The signs of values: negative ones are outside.
            let mut outside = [0; 2];
            let mut column = 0;
            loop {
                let (mut upper, mut lower) = (values[0], simd.add_words(values[0], self.down[0]));
                for n in 1..EDGES {
                    upper = simd.or(upper, values[n]);
                    lower = simd.or(lower, simd.add_words(values[n], self.down[n]));
                }
                outside[0] |= u64::from(simd.bits(upper)).wrapping_shl(column);
                outside[1] |= u64::from(simd.bits(lower)).wrapping_shl(column);
                column += LANES as u32;
                if column >= self.count {
                    break;
                }
                for n in 0..EDGES {
                    values[n] = simd.add_words(values[n], self.right[n]);
                }
            }
            for n in 0..EDGES {
                self.values[n] = simd.add_words(self.values[n], self.next[n]);
            }
            self.y = y + 2;
            let upper = self.upper & !outside[0];
            self.upper = self.wanted;
            let lower = if y + 1 < self.bottom { self.wanted & !outside[1] } else { 0 };
            if upper | lower != 0 {
                return Some((y, [upper, lower]));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::{EdgeOrientation, EdgeRule, extent, quad_spans};
    use crate::outline::{LineEnds, line};
    use crate::simd::{SimdTask, dispatch};

    struct Covered<'s> {
        grid: Grid,
        shape: &'s ConvexPolygon,
        part: Rect,
        latest: u32,
    }

    impl Covered<'_> {
        #[inline(always)]
        fn all<S: Simd, const EDGES: usize>(&self, simd: S) -> Option<(u32, Vec<MaskRows>)> {
            let rows = NarrowRows::<S, EDGES>::new(
                simd,
                self.grid,
                self.shape,
                self.part,
                self.grid.pixel_centre(0, 0),
                self.latest,
            )?;
            Some((rows.first(), rows.collect()))
        }
    }

    impl SimdTask for Covered<'_> {
        type Output = Option<(u32, Vec<MaskRows>)>;

        fn run(self, simd: impl Simd) -> Self::Output {
            self.all::<_, 3>(simd).or_else(|| self.all::<_, 4>(simd))
        }
    }

    #[test]
    fn narrow_shapes_cover_what_their_spans_are() {
        let mut found = 0;
        ctm_cases::check(15_000, |u| {
            let (left, top) = (u.int_in_range(0..=200)?, u.int_in_range(0..=200)?);
            let grid = Grid { per_pixel: *u.choose(&[12, 16, 256])? };
            let (per_pixel, size) = (grid.per_pixel, *u.choose(&[8, 40, 70, 3000])?);
            let mut point = || {
                let (x, y) = (
                    u.int_in_range(-per_pixel * size..=2 * per_pixel * size)?,
                    u.int_in_range(-per_pixel * size..=2 * per_pixel * size)?,
                );
                Ok(Point { x: per_pixel * left + x, y: per_pixel * top + y })
            };
            let points = [point()?, point()?, point()?];
            let (orientation, [l, r, t, b]) =
                (*u.choose(&[EdgeOrientation::XMajor, EdgeOrientation::YMajor])?, u.arbitrary()?);
            let rule = EdgeRule { orientation, left: l, right: r, top: t, bottom: b };
            let shape = if u.ratio(1, 3)? {
                ConvexPolygon::new(&line(points[0], points[1], u.int_in_range(1..=100)?, LineEnds::Perpendicular), rule)
            } else {
                ConvexPolygon::new(&points, rule)
            };
            let Some(shape) = shape else { return Ok(()) };
            let (left, top) = (left as u32, top as u32);
            let clip =
                Rect { left, top, right: left + u.int_in_range(1..=64)?, bottom: top + u.int_in_range(1..=100)? };
            let ((left, right), (top, bottom)) = extent(grid, &shape, &clip);
            if left > right || top > bottom {
                return Ok(());
            }
            let part = Rect { left: left as u32, top: top as u32, right: right as u32 + 1, bottom: bottom as u32 + 1 };
            let latest = (clip.right.next_multiple_of(4).saturating_sub(8)).max(clip.left & !3);
            let task = || Covered { grid, shape: &shape, part, latest };
            let all = dispatch(task());
            assert_eq!(all, task().run(crate::simd::Portable));
            let Some((first, rows)) = all else { return Ok(()) };
            found += 1;
            assert!(first.is_multiple_of(4) && first <= latest, "{first}");
            let mask = |span: std::ops::Range<u32>| span.fold(0, |mask, x| mask | 1u64 << (x - first));
            let expected: Vec<_> = quad_spans(grid, &shape, &clip, grid.pixel_centre(0, 0))
                .map(|(y, spans)| (y, spans.map(mask)))
                .collect();
            assert_eq!(rows, expected, "{shape:?} {clip:?}");
            Ok(())
        });
        assert!(found > 100, "{found}");
    }
}
