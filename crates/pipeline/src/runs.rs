//! The blocks of a launch that runs for pixels, primitive by primitive, as no two pixels of a primitive are the same.

use crate::draw::{Family, TileDraw};
use crate::primitives::Primitive;
use crate::surfaces::{Block, Chunk};
use ctm_raster::covered::ShadingRate;
use std::ops::Range;

/// Where the pixels of both rows of a block begin in lines, of which the first one is this.
#[inline(always)]
pub fn places_of(block: &Block, first: usize) -> [usize; 2] {
    [first, first + block.drawn[0].count_ones() as usize]
}

/// The blocks of a primitive that follow each other in a launch.
pub struct BlockRun<'w> {
    pub primitive: &'w Primitive,
    blocks: &'w [Block],
    /// The number of the first one in the launch.
    first: usize,
    /// Where their pixels are in lines.
    pub pixels: Range<usize>,
}

impl<'w> BlockRun<'w> {
    /// The blocks with their numbers in the launch, and with where the first pixel of each is.
    #[inline(always)]
    pub fn places(&self) -> impl Iterator<Item = (usize, (usize, &'w Block))> {
        let own = Chunk { blocks: self.blocks, rate: ShadingRate::Pixels, count: self.pixels.len() };
        (self.first..).zip(own.places_from(self.pixels.start))
    }
}

/// The primitives of a launch in their order, each with its blocks.
#[inline(always)]
pub fn runs<'w, F: Family>(draw: &'w TileDraw<F>, chunk: Chunk<'w>) -> impl Iterator<Item = BlockRun<'w>> {
    let (mut next, mut number) = (0, 0);
    chunk.blocks.chunk_by(|one, other| one.primitive == other.primitive).filter_map(move |blocks| {
        let (first_pixel, first) = (next, number);
        next += blocks.iter().map(Block::pixel_count).sum::<usize>();
        number += blocks.len();
        let primitive = draw.primitives.get(blocks.first()?.primitive)?;
        Some(BlockRun { primitive, blocks, first, pixels: first_pixel..next })
    })
}
