//! What follows the program before colours are stored: pixels that it kills, the alpha test, and depth and stencil tests that do not come before it.

use crate::depth::IncomingQuads;
use crate::draw::{Family, TileDraw};
use crate::lines::{BLOCK_PIXELS, ComponentLines, Lines};
use crate::quad_masks::{block_quads, corners_of, drawn_of};
use crate::surfaces::{Block, Chunk};
use ctm_memory::ScalarAccess;

/// Which pixels of the blocks of a launch pass.
pub(crate) struct LateTests<'w, 'd, 'a, F: Family> {
    pub draw: &'w TileDraw<'d, 'a, F>,
    pub lines: &'w Lines<'w>,
    pub chunk: Chunk<'w>,
}

impl<F: Family> pulp::NullaryFnOnce for LateTests<'_, '_, '_, F> {
    type Output = Vec<[u8; 2]>;

    #[inline(always)]
    fn call(self) -> Vec<[u8; 2]> {
        let mut left = Vec::with_capacity(self.chunk.blocks.len());
        for (first, block) in self.chunk.places_from(0) {
            left.push(self.passed(block, first));
        }
        left
    }
}

impl<F: Family> LateTests<'_, '_, '_, F> {
    /// The pixels of a block that pass, of which this is the first quad.
    #[inline(always)]
    fn passed(&self, block: &Block, first: usize) -> [u8; 2] {
        let LateTests { draw, lines, .. } = self;
        let Some(primitive) = draw.primitives.get(block.primitive) else { return [0; 2] };
        let values = |lines: &ComponentLines| lines.quads(block, first, ScalarAccess);
        let mut quads = block_quads(block, block.drawn, |_| 0);
        if let Some(valid) = &lines.valid {
            keep(&mut quads, &values(valid), |valid| valid != 0);
        }
        if let Some(test) = &draw.rules.alpha {
            let alphas = lines.colour(0).map_or([0; BLOCK_PIXELS], |colour| values(&colour[3]));
            keep(&mut quads, &alphas, |alpha| test.passes(alpha));
        }
        if let Some(tests) = draw.depth.as_ref().filter(|_| !draw.rules.early) {
            let keys = match &lines.depth {
                Some(depth) => tests.keys_of(&values(depth), primitive.range),
                None => tests.keys(F::GRID, primitive, corners_of(block)),
            };
            let references = lines.stencil.as_ref().map(|lines| values(lines).map(|stencil| stencil as u8));
            for ((at, _), corner) in quads.iter_mut().zip(corners_of(block)) {
                *at = tests.quads.place(corner, primitive.layer);
            }
            let incoming = IncomingQuads { keys, references, facing: primitive.facing };
            tests.test_quads(&incoming, &mut quads[..block.len()]);
        }
        drawn_of(block, &quads)
    }
}

/// Keeps the pixels of quads for whose words this holds.
#[inline(always)]
fn keep(quads: &mut [(u64, u8)], words: &[u32; BLOCK_PIXELS], holds: impl Fn(u32) -> bool) {
    for ((_, mask), words) in quads.iter_mut().zip(words.as_chunks::<4>().0) {
        *mask &= (0..4).fold(0, |bits, pixel| bits | u8::from(holds(words[pixel])) << pixel);
    }
}
