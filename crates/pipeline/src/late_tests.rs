//! What follows the program before colours are stored: pixels that it kills, the alpha test, samples that alpha or the program chooses, and depth and
//! stencil tests that do not come before it.

use crate::depth::IncomingQuads;
use crate::draw::{Family, TileDraw};
use crate::lines::{BLOCK_PIXELS, ComponentLines, Lines};
use crate::quad_masks::{block_quads, corners_of, drawn_of};
use crate::samples::{SampledChunk, common, samples_of};
use crate::surfaces::Block;
use ctm_memory::ScalarAccess;
use ctm_raster::sample_blocks::SampleMasks;

/// Which samples of the blocks of a launch pass.
pub(crate) struct LateTests<'w, 'd, 'a, F: Family> {
    pub draw: &'w TileDraw<'d, 'a, F>,
    pub lines: &'w Lines<'w>,
    pub sampled: SampledChunk<'w>,
}

impl<F: Family> pulp::NullaryFnOnce for LateTests<'_, '_, '_, F> {
    type Output = Vec<SampleMasks>;

    #[inline(always)]
    fn call(self) -> Vec<SampleMasks> {
        let mut left = Vec::with_capacity(self.sampled.chunk.blocks.len());
        for (number, (first, block)) in self.sampled.chunk.places_from(0).enumerate() {
            let drawn = self.sampled.drawn.get(number).copied().unwrap_or_else(|| samples_of(block.drawn, 1));
            left.push(self.passed(block, drawn, first));
        }
        left
    }
}

impl<F: Family> LateTests<'_, '_, '_, F> {
    /// The samples of a block that pass, of which this is the first quad.
    #[inline(always)]
    fn passed(&self, block: &Block, drawn: SampleMasks, first: usize) -> SampleMasks {
        let LateTests { draw, lines, .. } = self;
        let Some(primitive) = draw.primitives.get(block.primitive) else { return SampleMasks::default() };
        let values = |lines: &ComponentLines| lines.quads(block, first, ScalarAccess);
        let alphas = || lines.colour(0).map_or([0; BLOCK_PIXELS], |colour| values(&colour[3]));
        let mut quads = block_quads(block, block.drawn, |_| 0);
        if let Some(valid) = &lines.valid {
            keep(&mut quads, &values(valid), |valid| valid != 0);
        }
        if let Some(test) = &draw.rules.alpha {
            keep(&mut quads, &alphas(), |alpha| test.passes(alpha));
        }
        let mut left = common(&drawn, &samples_of(drawn_of(block, &quads), u8::MAX));
        if draw.rules.alpha_to_mask {
            let chosen = alphas().map(|alpha| draw.samples.share(f32::from_bits(alpha)));
            left = common(&left, &chosen_samples(block, &chosen));
        }
        if let Some(mask) = &lines.mask {
            left = common(&left, &chosen_samples(block, &values(mask).map(|mask| mask as u8)));
        }
        let Some(tests) = draw.depth.as_ref().filter(|_| !draw.rules.early) else { return left };
        let exported = lines.depth.as_ref().map(|depth| tests.keys_of(&values(depth), primitive.range));
        let references = lines.stencil.as_ref().map(|lines| values(lines).map(|stencil| stencil as u8));
        for (sample, (left, quads_of_sample)) in left.iter_mut().zip(&tests.quads).enumerate() {
            if *left == [0; 2] {
                continue;
            }
            let place = draw.samples.places.get(sample).copied().unwrap_or_default();
            let keys = exported.unwrap_or_else(|| tests.keys((F::GRID, place), primitive, corners_of(block)));
            let mut tested = block_quads(block, *left, |corner| quads_of_sample.place(corner, primitive.layer));
            let incoming = IncomingQuads { keys, references, facing: primitive.facing };
            tests.test_quads(sample, &incoming, &mut tested[..block.len()]);
            *left = drawn_of(block, &tested);
        }
        left
    }
}

/// The samples of a block of which each pixel, quad by quad, has those of its mask.
fn chosen_samples(block: &Block, masks: &[u8; BLOCK_PIXELS]) -> SampleMasks {
    std::array::from_fn(|sample| {
        let mut quads = block_quads(block, [u8::MAX; 2], |_| 0);
        keep(&mut quads, &masks.map(u32::from), |mask| mask >> sample & 1 != 0);
        drawn_of(block, &quads)
    })
}

/// Keeps the pixels of quads for whose words this holds.
#[inline(always)]
fn keep(quads: &mut [(u64, u8)], words: &[u32; BLOCK_PIXELS], holds: impl Fn(u32) -> bool) {
    for ((_, mask), words) in quads.iter_mut().zip(words.as_chunks::<4>().0) {
        *mask &= (0..4).fold(0, |bits, pixel| bits | u8::from(holds(words[pixel])) << pixel);
    }
}
