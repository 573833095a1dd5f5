//! Pixels of a block as quads, each with a mask: for buffers and rules for which there is nothing faster.

use crate::surfaces::Block;
use ctm_raster::quads::BLOCK;

/// The quads of a block from its first one with a pixel that is drawn on: where each is, and bit n for its pixel n, row by row, of such a mask.
#[inline(always)]
pub fn block_quads(block: &Block, drawn: [u8; 2], place: impl Fn((u32, u32)) -> u64) -> [(u64, u8); BLOCK] {
    let mut quads = [(0, 0); BLOCK];
    let (x, y) = block.first_quad();
    let first = block.first();
    for (n, quad) in quads.iter_mut().enumerate().take(block.len()) {
        let [upper, lower] = drawn.map(|drawn| drawn >> (2 * (first + n)) & 3);
        *quad = (place((u32::from(x) + 2 * n as u32, y.into())), upper | lower << 2);
    }
    quads
}

/// The upper left pixels of these quads.
#[inline(always)]
pub fn corners_of(block: &Block) -> impl Iterator<Item = (u32, u32)> + Clone {
    let (x, y) = block.first_quad();
    (0..block.len() as u32).map(move |n| (u32::from(x) + 2 * n, u32::from(y)))
}

/// The opposite: which pixels of a block these masks say.
#[inline(always)]
pub fn drawn_of(block: &Block, quads: &[(u64, u8); BLOCK]) -> [u8; 2] {
    let mut drawn = [0; 2];
    let first = block.first();
    for (n, (_, mask)) in quads.iter().enumerate().take(block.len()) {
        let shift = 2 * (first + n);
        drawn[0] |= (mask & 3) << shift;
        drawn[1] |= (mask >> 2) << shift;
    }
    drawn
}
