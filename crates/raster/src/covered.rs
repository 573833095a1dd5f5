//! Blocks of pixels that primitives cover: eight columns of two rows.

use crate::coverage::{ConvexPolygon, quad_spans};
use crate::grid::{Grid, Point, Rect};
use crate::narrow::NarrowRows;
use crate::simd::{LANES, Simd, SimdTask, dispatch};
use std::ops::Range;

/// Columns that blocks begin at multiples of: of pixels of four bytes, so many lie together in any layout.
pub const FOUR: u32 = 4;

/// Quads of a primitive side by side: those of a block of which pixels are drawn; and what a card knows of their place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block<P = ()> {
    /// Column of the left pixels of the block: a multiple of [`FOUR`].
    pub x: u16,
    /// Row of the upper pixels.
    pub y: u16,
    /// Their primitive, by its number among those that wait.
    pub primitive: u16,
    /// Bit n: pixel n of the upper, or of the lower row of the block is drawn.
    pub drawn: [u8; 2],
    /// Where its pixels lie, as far as that is known.
    pub place: P,
}

impl<P> Block<P> {
    /// Whether no pixel is drawn.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.drawn == [0; 2]
    }

    /// Pixels that are drawn.
    #[inline(always)]
    pub fn pixel_count(&self) -> usize {
        u16::from_le_bytes(self.drawn).count_ones() as usize
    }

    /// The first quad with a pixel that is drawn, by its number in the block.
    #[inline(always)]
    pub fn first(&self) -> usize {
        let [upper, lower] = self.drawn;
        (upper | lower).trailing_zeros() as usize / 2
    }

    /// The quads from there to the last one.
    #[inline(always)]
    pub fn len(&self) -> usize {
        let [upper, lower] = self.drawn;
        let behind = (u8::BITS - (upper | lower).leading_zeros()).div_ceil(2) as usize;
        behind.saturating_sub(self.first())
    }

    /// Column and row of the first one's upper left pixel.
    #[inline(always)]
    pub fn first_quad(&self) -> (u16, u16) {
        (self.x + 2 * self.first() as u16, self.y)
    }

    /// The quads' pixels that are drawn: bit n is pixel n from the first quad on, of the upper and of the lower row.
    #[inline(always)]
    pub fn masks(&self) -> [u8; 2] {
        self.drawn.map(|drawn| drawn.checked_shr(2 * self.first() as u32).unwrap_or_default())
    }

    /// The pixels of the quads with their places: column from the first quad on, and line.
    pub fn pixels(&self) -> impl Iterator<Item = ((u32, u32), (usize, usize))> {
        let ((x, y), columns) = (self.first_quad(), 2 * self.len());
        let (x, y) = (u32::from(x), u32::from(y));
        (0..2).flat_map(move |line| (0..columns).map(move |n| ((x + n as u32, y + line as u32), (n, line))))
    }
}

/// What programs run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShadingRate {
    /// Whole quads.
    Quads,
    /// Pixels that are drawn, one after the other: for programs in which none looks at the others of its quad.
    Pixels,
}

impl ShadingRate {
    /// How many of them a block has.
    #[inline(always)]
    fn of<P>(self, block: &Block<P>) -> usize {
        match self {
            ShadingRate::Quads => block.len(),
            ShadingRate::Pixels => block.pixel_count(),
        }
    }
}

/// Quads or pixels in their order, in launches of so many at most.
pub fn chunks<P>(blocks: &[Block<P>], rate: ShadingRate, most: usize) -> impl Iterator<Item = Chunk<'_, P>> {
    let mut rest = blocks;
    std::iter::from_fn(move || {
        let (length, count) = dispatch(Fitting { blocks: rest, rate, most });
        let (blocks, behind) = rest.split_at_checked(length)?;
        rest = behind;
        (!blocks.is_empty()).then_some(Chunk { blocks, rate, count })
    })
}

/// How many of the first blocks have so many quads or pixels at most, and how many they have: a task, as not all hosts count bits by an instruction.
struct Fitting<'b, P> {
    blocks: &'b [Block<P>],
    rate: ShadingRate,
    most: usize,
}

impl<P> SimdTask for Fitting<'_, P> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run(self, _: impl Simd) -> (usize, usize) {
        let (mut length, mut count) = (0, 0);
        for block in self.blocks {
            let more = count + self.rate.of(block);
            if more > self.most {
                break;
            }
            (length, count) = (length + 1, more);
        }
        (length, count)
    }
}

/// Pixels of blocks that are drawn.
pub fn pixels_of<P>(blocks: &[Block<P>]) -> u64 {
    dispatch(Pixels(blocks))
}

/// The same as a task.
struct Pixels<'b, P>(&'b [Block<P>]);

impl<P> SimdTask for Pixels<'_, P> {
    type Output = u64;

    #[inline(always)]
    fn run(self, _: impl Simd) -> u64 {
        let mut count = 0;
        for block in self.0 {
            count += block.pixel_count();
        }
        count as u64
    }
}

/// What runs together.
#[derive(Clone, Copy)]
pub struct Chunk<'w, P = ()> {
    /// In the order of their words.
    pub blocks: &'w [Block<P>],
    /// What the program runs for.
    pub rate: ShadingRate,
    /// How many there are.
    pub count: usize,
}

impl<'w, P: Copy> Chunk<'w, P> {
    /// The blocks, with the place of the first quad or pixel of each, from this place on.
    #[inline(always)]
    pub fn places_from(self, first: usize) -> impl Iterator<Item = (usize, &'w Block<P>)> {
        self.blocks.iter().scan(first, move |next, block| {
            let first = *next;
            *next += self.rate.of(block);
            Some((first, block))
        })
    }
}

/// Where the last block of a tile with these columns begins, so that it accesses none of the next tile, which another thread may write.
pub fn last_block(left: u32, right: u32) -> u32 {
    right.next_multiple_of(FOUR).saturating_sub(LANES as u32).max(left)
}

/// Adds the blocks of a primitive with the samples at a place inside of pixels that its shape covers in a part of the rectangle of all pixels that have
/// one of the shape's places. None begins after column `last`, as [`last_block`] gives it.
#[inline(always)]
pub fn add_blocks<S: Simd, P: Default>(
    simd: S,
    (grid, sample): (Grid, Point),
    shape: &ConvexPolygon,
    part: Rect,
    last: u32,
    primitive: u16,
    blocks: &mut Vec<Block<P>>,
) {
    if let Some(rows) = NarrowRows::<_, 3>::new(simd, grid, shape, part, sample, last) {
        add_narrow(rows, primitive, last, blocks);
    } else if let Some(rows) = NarrowRows::<_, 4>::new(simd, grid, shape, part, sample, last) {
        add_narrow(rows, primitive, last, blocks);
    } else {
        for (y, rows) in quad_spans(grid, shape, &part, sample) {
            for (x, drawn) in span_blocks(rows, last) {
                blocks.push(Block { x: x as u16, y: y as u16, primitive, drawn, place: P::default() });
            }
        }
    }
}

/// Adds the blocks of a primitive, none of which begins after column `last`.
#[inline(always)]
fn add_narrow<S: Simd, P: Default, const EDGES: usize>(
    rows: NarrowRows<S, EDGES>,
    primitive: u16,
    last: u32,
    blocks: &mut Vec<Block<P>>,
) {
    let first = rows.first();
    for (y, mut rows) in rows {
        while let Some((x, drawn)) = next_block(&mut rows, first, last) {
            blocks.push(Block { x: x as u16, y: y as u16, primitive, drawn, place: P::default() });
        }
    }
}

/// The next block with pixels of two rows, which are taken from them, not after column `last`: where it begins, and bit n for its column n, of each
/// row. Bit n of a row is column n from `first` on.
#[inline(always)]
fn next_block(rows: &mut [u64; 2], first: u32, last: u32) -> Option<(u32, [u8; 2])> {
    let [upper, lower] = *rows;
    let all = upper | lower;
    if all == 0 {
        return None;
    }
    let x = (first + all.trailing_zeros() / FOUR * FOUR).min(last);
    let place = x - first;
    let rest = (!0xFF_u64).wrapping_shl(place);
    *rows = [upper & rest, lower & rest];
    Some((x, [(upper >> place) as u8, (lower >> place) as u8]))
}

/// The blocks with these columns of two rows, none of which begins after column `last`: where that begins, and bit n for its column n, of each row.
#[inline(always)]
fn span_blocks(rows: [Range<u32>; 2], last: u32) -> impl Iterator<Item = (u32, [u8; 2])> {
    let covered = || rows.iter().filter(|row| !row.is_empty());
    let first = covered().map(|row| row.start).min().unwrap_or_default() / FOUR * FOUR;
    let end = covered().map(|row| row.end).max().unwrap_or_default();
    (first..end).step_by(LANES).map(move |from| {
        let x = from.min(last);
        let [upper, lower] = &rows;
        (x, [span_columns(upper.start.max(from)..upper.end, x), span_columns(lower.start.max(from)..lower.end, x)])
    })
}

/// Of eight columns from one on, those that are in a range: bit n is column n.
#[inline(always)]
pub fn span_columns(range: Range<u32>, x: u32) -> u8 {
    let below = |column: u32| (1u32 << column.saturating_sub(x).min(LANES as u32)) - 1;
    (below(range.end) & !below(range.start)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Checks that blocks have each column of both rows once, and none of other tiles than the one with these columns.
    fn check_blocks(
        blocks: impl Iterator<Item = (u32, [u8; 2])>,
        rows: [Range<u32>; 2],
        Range { start: left, end: right }: Range<u32>,
    ) {
        let mut found = [BTreeSet::new(), BTreeSet::new()];
        for (x, drawn) in blocks {
            assert!(x % FOUR == 0 && x >= left, "{x} of {left}..{right}");
            assert!(x + 8 <= left + 64, "{x} of {left}..{right}: the next tile's columns");
            for (found, drawn) in found.iter_mut().zip(drawn) {
                for column in (0..8).filter(|n| drawn >> n & 1 != 0) {
                    assert!(found.insert(x + column), "column {column} from {x} twice");
                }
            }
        }
        assert_eq!(found, rows.map(|row| row.collect()), "{left}..{right}");
    }

    #[test]
    fn blocks_have_each_column_once_and_none_of_other_tiles() {
        ctm_cases::check(4000, |u| {
            // A tile has 64 columns, or fewer at the end of a framebuffer.
            let left = 64 * u.int_in_range(0..=3)?;
            let right = left + if u.arbitrary()? { 64 } else { u.int_in_range(1..=63)? };
            let mut row = || {
                let start = u.int_in_range(left..=right)?;
                Ok(if u.ratio(1, 8)? { 0..0 } else { start..u.int_in_range(start..=right)? })
            };
            let rows = [row()?, row()?];
            let last = last_block(left, right);
            check_blocks(span_blocks(rows.clone(), last), rows.clone(), left..right);
            let columns = || rows.iter().filter(|row| !row.is_empty()).map(|row| row.start);
            let first = columns().min().map_or(left, |column| column / FOUR * FOUR).min(last);
            let mut masks = rows.clone().map(|row| row.fold(0, |mask, x| mask | 1 << (x - first)));
            let blocks = std::iter::from_fn(|| next_block(&mut masks, first, last));
            check_blocks(blocks, rows, left..right);
            Ok(())
        });
    }
}
