//! Pixels that are copied: bit for bit, depths of four bytes to a target that shows them; and samples, of which averages become pixels.

use crate::layout::SurfaceQuads;
use ctm_memory::RowWords;
use ctm_pipeline::{Colours, RowPair, SampleAverage, block_columns, block_pixels};
use ctm_raster::multisample::mean;
use ctm_raster::pixel::PixelFormat;
use ctm_raster::simd::{LANES, Simd, SimdTask};
use std::ops::Range;

/// The pixels of some rows of a layer of one surface become those of another, which lies elsewhere: a task that is faster on hosts with wide vectors.
pub struct CopyRows<'c> {
    /// The pixels.
    pub rows: &'c [RowPair],
    pub layer: u32,
    pub from: &'c SurfaceQuads<'c>,
    pub to: &'c SurfaceQuads<'c>,
}

impl SimdTask for CopyRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let CopyRows { rows, layer, from, to } = self;
        let access = simd.access();
        let Some((from_blocks, to_blocks)) = from.blocks().zip(to.blocks()) else {
            for (y, columns) in rows {
                for x in block_columns(columns) {
                    copy_quads((from, to), layer, (x, *y), block_pixels(columns, x));
                }
            }
            return;
        };
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
            for (y, columns) in rows {
                for x in block_columns(columns).filter(|x| !whole.contains(x)) {
                    let drawn = block_pixels(columns, x);
                    let at = (x as u16, *y as u16);
                    let places = (from_blocks.rows_at(from_blocks.place(at)), to_blocks.rows_at(to_blocks.place(at)));
                    let (Some(source), Some(target)) = places else {
                        copy_quads((from, to), layer, (x, *y), drawn);
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

/// Averages of samples of a format as pixels of another one. Of integers, the first sample does.
pub struct FormatAverage<'f> {
    pub from: &'f PixelFormat,
    pub to: &'f PixelFormat,
}

impl SampleAverage for FormatAverage<'_> {
    #[inline(always)]
    fn average<const N: usize>(&self, samples: &[Colours<N>]) -> Colours<N> {
        let FormatAverage { from, to } = self;
        let averages = match samples {
            [first, ..] if from.is_integer() => from.decode_each(first),
            _ => {
                let mut sums = [[0.0; N]; 4];
                for words in samples {
                    let colours = from.decode_each(words);
                    let both = sums.as_flattened_mut().iter_mut().zip(colours.as_flattened());
                    both.for_each(|(sum, bits)| *sum += f32::from_bits(*bits));
                }
                let count = samples.len() as f32;
                sums.map(|sums| sums.map(|sum| mean(sum, count)))
            }
        };
        to.encode_each(&averages)
    }
}

/// The columns of whole blocks that are in all rows, if these are those of whole tiles.
fn common_columns(rows: &[RowPair]) -> Range<u32> {
    if rows.len() < LANES / 2 {
        return 0..0;
    }
    let all = rows.iter().flat_map(|(_, rows)| rows);
    let common = all.fold(0..u32::MAX, |common, columns| common.start.max(columns.start)..common.end.min(columns.end));
    common.start.next_multiple_of(LANES as u32)..common.end / LANES as u32 * LANES as u32
}

/// The quads of a block, as far as they are there.
#[inline(never)]
fn copy_quads((from, to): (&SurfaceQuads, &SurfaceQuads), layer: u32, (x, y): (u32, u32), [upper, lower]: [u8; 2]) {
    for square in 0..LANES as u32 / 2 {
        let corner = (x + 2 * square, y);
        let mask = upper >> (2 * square) & 3 | (lower >> (2 * square) & 3) << 2;
        let mut words = [[0; 4]; 4];
        from.read(from.place(corner, layer), 0, &mut words);
        to.write(to.place(corner, layer), 0, &words, mask);
    }
}
