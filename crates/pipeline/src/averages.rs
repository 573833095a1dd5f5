//! The samples of pixels become the pixels of a surface that has one sample.

use crate::colour::Colours;
use crate::lines::BLOCK_PIXELS;
use crate::quad_masks::block_quads;
use crate::surfaces::{Block, BlockPlaces, Layout, SurfaceBlocks, SurfaceQuads};
use ctm_memory::RowWords;
use ctm_raster::covered::span_columns;
use ctm_raster::simd::{LANES, Simd, SimdTask};
use std::ops::Range;

/// Samples of a pixel at most.
const SAMPLES: usize = ctm_raster::coverage::MAX_SAMPLES;

/// What becomes of the samples of pixels.
pub trait SampleAverage {
    /// The words that are stored for pixels, for those of each sample. It has to be inlined.
    fn average<const N: usize>(&self, samples: &[Colours<N>]) -> Colours<N>;
}

/// Two rows of pixels: the upper one, which is even, and the columns in both.
pub type RowPair = (u32, [Range<u32>; 2]);

/// The averages of samples become the pixels of another surface, which lies elsewhere: of a layer, many pixels at a time. A task that is faster on hosts
/// with wide vectors.
pub struct AverageRows<'c, 'a, L, A> {
    /// The pixels.
    pub rows: &'c [RowPair],
    /// The layer.
    pub layer: u32,
    /// Where samples lie, one by one.
    pub from: &'c [SurfaceQuads<'a, L>],
    /// Where pixels lie.
    pub to: &'c SurfaceQuads<'a, L>,
    /// What they are.
    pub average: &'c A,
}

/// Where the blocks begin that have pixels of two rows.
pub fn block_columns(columns: &[Range<u32>; 2]) -> impl Iterator<Item = u32> + use<> {
    let all = columns.iter().filter(|columns| !columns.is_empty());
    let (left, right) =
        all.fold((u32::MAX, 0), |(left, right), columns| (left.min(columns.start), right.max(columns.end)));
    (left / LANES as u32 * LANES as u32..right).step_by(LANES)
}

/// Which pixels of the block from a column on are in two rows.
#[inline(always)]
pub fn block_pixels([upper, lower]: &[Range<u32>; 2], x: u32) -> [u8; 2] {
    [span_columns(upper.clone(), x), span_columns(lower.clone(), x)]
}

impl<L: Layout, A: SampleAverage> SimdTask for AverageRows<'_, '_, L, A> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let from: Option<Vec<SurfaceBlocks>> = self.from.iter().map(SurfaceQuads::blocks).collect();
        let blocks = from.zip(self.to.blocks());
        for (y, columns) in self.rows {
            for x in block_columns(columns) {
                let drawn = block_pixels(columns, x);
                let is_done = match &blocks {
                    Some((from, to)) => self.of_rows(simd, (from, to), (x as u16, *y as u16), drawn),
                    None => None,
                };
                if is_done.is_none() {
                    self.of_quads(&Block {
                        x: x as u16,
                        y: *y as u16,
                        primitive: 0,
                        drawn,
                        place: BlockPlaces::default(),
                    });
                }
            }
        }
    }
}

impl<L: Layout, A: SampleAverage> AverageRows<'_, '_, L, A> {
    /// Of a block whose words lie together, four by four; `None` if not all of them are there.
    #[inline(always)]
    fn of_rows(
        &self,
        simd: impl Simd,
        (from, to): (&[SurfaceBlocks], &SurfaceBlocks),
        at: (u16, u16),
        drawn: [u8; 2],
    ) -> Option<()> {
        let access = simd.access();
        let mut samples: [Colours<BLOCK_PIXELS>; SAMPLES] = [[[0; BLOCK_PIXELS]; 4]; SAMPLES];
        for (words, blocks) in samples.iter_mut().zip(from) {
            let rows = blocks.rows_at(blocks.place(at))?;
            for (words, row) in words[0].as_chunks_mut::<LANES>().0.iter_mut().zip(rows) {
                *words = row.get(access);
            }
        }
        let rows = to.rows_at(to.place(at))?;
        let [words, ..] = self.average.average(samples.get(..from.len())?);
        for ((words, row), drawn) in words.as_chunks::<LANES>().0.iter().zip(rows).zip(drawn) {
            let memory = simd.words(&row.get(access));
            let changed = simd.and(simd.xor(memory, simd.words(words)), simd.chosen(drawn));
            row.set(simd.array(simd.xor(memory, changed)), access);
        }
        Some(())
    }

    /// Of a block quad by quad.
    fn of_quads(&self, block: &Block) {
        let AverageRows { layer, from, to, average, .. } = *self;
        let quads = |surface: &SurfaceQuads<L>| block_quads(block, block.drawn, |corner| surface.place(corner, layer));
        let mut samples = [[[0; BLOCK_PIXELS]; 4]; SAMPLES];
        for (words, surface) in samples.iter_mut().zip(from) {
            for (n, (place, _)) in quads(surface).into_iter().enumerate().take(block.len()) {
                surface.read(place, n, words);
            }
        }
        let new = average.average(samples.get(..from.len()).unwrap_or_default());
        for (n, (place, mask)) in quads(to).into_iter().enumerate().take(block.len()) {
            to.write(place, n, &new, mask);
        }
    }
}
