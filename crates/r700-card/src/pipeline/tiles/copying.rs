//! Pixels that are copied: bit for bit, depths of four bytes to a target that shows them; and samples, of which averages become pixels.

use super::rectangles::columns_from;
use crate::layout::SurfaceQuads;
use ctm_memory::RowWords;
use ctm_pipeline::{BLOCK_PIXELS, Block, BlockPlaces, Colours, block_quads};
use ctm_raster::multisample::mean;
use ctm_raster::pixel::PixelFormat;
use ctm_raster::simd::{LANES, Simd, SimdTask};
use std::ops::Range;

/// The pixels of some rows of one surface become those of another, which lies elsewhere: a task that is faster on hosts with wide vectors.
pub struct CopyRows<'c> {
    /// Two rows each: the upper one, which is even, and the columns in both.
    pub rows: &'c [(u32, [Range<u32>; 2])],
    pub from: &'c SurfaceQuads<'c>,
    pub to: &'c SurfaceQuads<'c>,
}

impl SimdTask for CopyRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let CopyRows { rows, from, to } = self;
        let access = simd.access();
        let Some((from_blocks, to_blocks)) = from.blocks().zip(to.blocks()) else { return };
        let mut rest = rows;
        while let Some((y, _)) = rest.first() {
            let tile = y / LANES as u32 * LANES as u32;
            let together = rest.iter().take_while(|(y, _)| *y < tile + LANES as u32).count();
            let (rows, others) = rest.split_at(together);
            rest = others;
            // What lies together in most orders of tiles is copied together.
            let mut whole = common_columns(rows);
            for x in whole.clone().step_by(LANES) {
                let at = (x as u16, tile as u16);
                let (Some(source), Some(target)) = (from_blocks.tile(at), to_blocks.tile(at)) else {
                    whole.end = x;
                    break;
                };
                source.into_iter().zip(target).for_each(|(source, target)| target.set(source.get(access), access));
            }
            for (y, [upper, lower]) in rows {
                let all = [upper, lower].into_iter().filter(|columns| !columns.is_empty());
                let (left, right) =
                    all.fold((u32::MAX, 0), |(left, right), columns| (left.min(columns.start), right.max(columns.end)));
                for x in (left / LANES as u32 * LANES as u32..right).step_by(LANES) {
                    if whole.contains(&x) {
                        continue;
                    }
                    let drawn = [upper, lower].map(|columns| columns_from(columns, x));
                    let at = (x as u16, *y as u16);
                    let places = (from_blocks.rows_at(from_blocks.place(at)), to_blocks.rows_at(to_blocks.place(at)));
                    let (Some(source), Some(target)) = places else {
                        copy_quads(from, to, (x, *y), drawn);
                        continue;
                    };
                    for ((source, target), drawn) in source.into_iter().zip(target).zip(drawn) {
                        if drawn == 0xFF {
                            target.set(source.get(access), access);
                        } else if drawn != 0 {
                            let (new, old) = (simd.words(&source.get(access)), simd.words(&target.get(access)));
                            let changed = simd.and(simd.xor(old, new), simd.chosen(drawn));
                            target.set(simd.array(simd.xor(old, changed)), access);
                        }
                    }
                }
            }
        }
    }
}

/// The averages of samples become the pixels of another surface, which lies elsewhere: of a layer, where quads of four pixels by two rows are worked
/// out together. Of integers, the first sample does.
pub struct AverageRows<'c> {
    /// Two rows each: the upper one, which is even, and the columns in both.
    pub rows: &'c [(u32, [Range<u32>; 2])],
    pub layer: u32,
    /// What a pixel is, and its samples.
    pub from: (&'c PixelFormat, &'c [SurfaceQuads<'c>]),
    pub to: (&'c PixelFormat, &'c SurfaceQuads<'c>),
}

impl SimdTask for AverageRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Simd) {
        let AverageRows { rows, layer, from: (format, samples), to: (written, to) } = self;
        for (y, columns) in rows {
            let all = columns.iter().filter(|columns| !columns.is_empty());
            let (left, right) =
                all.fold((u32::MAX, 0), |(left, right), columns| (left.min(columns.start), right.max(columns.end)));
            for x in (left / LANES as u32 * LANES as u32..right).step_by(LANES) {
                let drawn = columns.each_ref().map(|columns| columns_from(columns, x));
                let block = Block { x: x as u16, y: *y as u16, primitive: 0, drawn, place: BlockPlaces::default() };
                let quads = |surface: &SurfaceQuads| block_quads(&block, drawn, |corner| surface.place(corner, layer));
                let colours = |surface: &SurfaceQuads| {
                    let mut words: Colours<BLOCK_PIXELS> = [[0; BLOCK_PIXELS]; 4];
                    for (n, (place, _)) in quads(surface).into_iter().enumerate().take(block.len()) {
                        surface.read(place, n, &mut words);
                    }
                    format.decode_each(&words)
                };
                let averages = match samples {
                    [first, ..] if format.is_integer() => colours(first),
                    _ => {
                        let mut sums = [[0.0; BLOCK_PIXELS]; 4];
                        for surface in samples {
                            let colours = colours(surface);
                            let both = sums.as_flattened_mut().iter_mut().zip(colours.as_flattened());
                            both.for_each(|(sum, bits)| *sum += f32::from_bits(*bits));
                        }
                        let count = samples.len() as f32;
                        sums.map(|sums| sums.map(|sum| mean(sum, count)))
                    }
                };
                let new = written.encode_each(&averages);
                for (n, (place, mask)) in quads(to).into_iter().enumerate().take(block.len()) {
                    to.write(place, n, &new, mask);
                }
            }
        }
    }
}

/// The columns of whole blocks that are in all rows, if these are those of whole tiles.
fn common_columns(rows: &[(u32, [Range<u32>; 2])]) -> Range<u32> {
    if rows.len() < LANES / 2 {
        return 0..0;
    }
    let all = rows.iter().flat_map(|(_, rows)| rows);
    let common = all.fold(0..u32::MAX, |common, columns| common.start.max(columns.start)..common.end.min(columns.end));
    common.start.next_multiple_of(LANES as u32)..common.end / LANES as u32 * LANES as u32
}

/// The quads of a block, as far as they are there.
#[cold]
fn copy_quads(from: &SurfaceQuads, to: &SurfaceQuads, (x, y): (u32, u32), [upper, lower]: [u8; 2]) {
    for square in 0..LANES as u32 / 2 {
        let corner = (x + 2 * square, y);
        let mask = upper >> (2 * square) & 3 | (lower >> (2 * square) & 3) << 2;
        let mut words = [[0; 4]; 4];
        from.read(from.place(corner, 0), 0, &mut words);
        to.write(to.place(corner, 0), 0, &words, mask);
    }
}
