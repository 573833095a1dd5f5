//! The pixels of primitives before the program: what is covered, and the tests that come first.

use crate::block_test::BlockTest;
use crate::depth::{DepthTests, IncomingQuads};
use crate::draw::{Family, TileDraw};
use crate::lines::BLOCK_PIXELS;
use crate::primitives::{Primitive, Shown};
use crate::quad_masks::{block_quads, corners_of, drawn_of};
use crate::samples::{SamplePattern, SampledBlocks, common, samples_of};
use crate::surfaces::Block;
use ctm_raster::covered::{add_blocks, last_block};
use ctm_raster::grid::{Point, Rect};
use ctm_raster::sample_blocks::{SampleMasks, SampleRows, add_sample_blocks, pixels_of};
use ctm_raster::simd::{Simd, SimdTask};

/// Primitives that are asked for before they are wanted: those of a tile lie anywhere in memory.
const AHEAD: usize = 4;
/// Blocks of one sample from which on they wait for no others; of several, so many fewer, down to the least, as their memory is to stay in caches.
const BLOCKS: usize = 1536;
const LEAST_BLOCKS: usize = 256;

/// What primitives cover of a tile, of one after the other until there are enough blocks: a task that is faster on hosts with wide vectors.
pub(crate) struct Rasterising<'r, 'd, 'a, 'n, F: Family> {
    pub draw: &'r TileDraw<'d, 'a, F>,
    /// The tile.
    pub area: Rect,
    /// The primitives that are left.
    pub numbers: &'r mut std::slice::Iter<'n, u16>,
    pub blocks: &'r mut SampledBlocks,
    /// What primitives cover of rows, if pixels have several samples.
    pub rows: &'r mut SampleRows,
}

impl<F: Family> SimdTask for Rasterising<'_, '_, '_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Rasterising { draw, area, numbers, blocks: SampledBlocks { blocks, covered, drawn }, rows } = self;
        let last = last_block(area.left, area.right);
        let mut surfaces = draw.surfaces().filter_map(|quads| draw.blocks_of(quads));
        // Most draws have no others.
        let (first, second) = (surfaces.next(), surfaces.next());
        let others: Vec<_> = surfaces.collect();
        let known = draw.known_blocks();
        let SamplePattern { places, are_separate, mask, .. } = draw.samples;
        let are_many = draw.samples.are_many();
        let enough = (BLOCKS / draw.samples.count().max(1)).max(LEAST_BLOCKS);
        while blocks.len() < enough
            && let Some(&number) = numbers.next()
        {
            if let Some(&next) = numbers.as_slice().get(AHEAD) {
                draw.primitives.prefetch(next, draw.components);
            }
            let Some(Primitive { shape, area: own, shown, .. }) = draw.primitives.get(number) else { continue };
            let (before, part) = (blocks.len(), area.intersection(*own));
            if are_many && are_separate {
                add_sample_blocks(simd, (F::GRID, places), shape, (part, last), number, rows, |block, samples| {
                    blocks.push(block);
                    covered.push(samples);
                });
            } else {
                add_blocks(simd, (F::GRID, F::GRID.pixel_centre(0, 0)), shape, part, last, number, blocks);
                if are_many {
                    covered.extend(blocks[before..].iter().map(|block| samples_of(block.drawn, draw.samples.all())));
                }
            }
            if draw.shown.is_some() || shown.is_some() {
                leave_shown(draw, shown.as_deref(), blocks, covered, before);
            }
            if are_many {
                let can_be = samples_of([u8::MAX; 2], mask);
                drawn.extend(covered[before..].iter().map(|covered| common(covered, &can_be)));
            }
            let Some((first, known)) = first.as_ref().zip(known.as_ref()) else { continue };
            for block in &mut blocks[before..] {
                block.place = known.places((block.x, block.y));
                first.prefetch(block);
                if let Some(second) = &second {
                    second.prefetch(block);
                }
                for other in &others {
                    other.prefetch(block);
                }
            }
        }
    }
}

/// Leaves, of the blocks from number `first` on, the samples that can be drawn to.
#[cold]
fn leave_shown<F: Family>(
    draw: &TileDraw<F>,
    own: Option<&Shown>,
    blocks: &mut Vec<Block>,
    covered: &mut Vec<SampleMasks>,
    first: usize,
) {
    let mut kept = first;
    for n in first..blocks.len() {
        let mut block = blocks[n];
        let mut left = covered.get(n).copied().unwrap_or_else(|| samples_of(block.drawn, 1));
        for (row, y) in (0..2).zip(u32::from(block.y)..) {
            for (bit, x) in (0..8).zip(u32::from(block.x)..).filter(|(bit, _)| block.drawn[row] >> bit & 1 != 0) {
                let is_shown = own.is_none_or(|shown| shown(x, y));
                let shown = if is_shown { draw.shown.map_or(u8::MAX, |shown| shown(x, y)) } else { 0 };
                let hidden = left.iter_mut().enumerate().filter(|(sample, _)| shown >> sample & 1 == 0);
                hidden.for_each(|(_, rows)| rows[row] &= !(1 << bit));
            }
        }
        block.drawn = pixels_of(&left);
        if !block.is_empty() {
            blocks[kept] = block;
            if let Some(covered) = covered.get_mut(kept) {
                *covered = left;
            }
            kept += 1;
        }
    }
    blocks.truncate(kept);
    covered.truncate(kept);
}

/// Tests that come before the program.
pub(crate) struct Testing<'t, 'd, 'a, F: Family> {
    pub draw: &'t TileDraw<'d, 'a, F>,
    pub blocks: &'t mut SampledBlocks,
    /// What passes.
    pub passed: &'t mut SampledBlocks,
}

impl<F: Family> SimdTask for Testing<'_, '_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Testing { draw, blocks, passed } = self;
        let Some(tests) = &draw.depth else {
            passed.append(blocks);
            return;
        };
        let slow = |block: &Block, primitive: &Primitive, sample: usize| {
            let place = draw.samples.places.get(sample).copied().unwrap_or_default();
            pulp::Arch::new().dispatch(TestingQuads::<F> { tests, block, primitive, sample: (sample, place) })
        };
        let Some(test) = BlockTest::of(draw, tests) else {
            for (number, block) in blocks.blocks.iter().enumerate() {
                let Some(primitive) = draw.primitives.get(block.primitive) else { continue };
                let mut left = blocks.drawn(number);
                for (sample, drawn) in left.iter_mut().enumerate().filter(|(_, drawn)| **drawn != [0; 2]) {
                    *drawn = slow(&Block { drawn: *drawn, ..*block }, primitive, sample);
                }
                passed.add(blocks, number, &left);
            }
            return;
        };
        test.run(simd, draw, blocks, passed, slow);
    }
}

/// A sample of a block that is tested quad by quad.
struct TestingQuads<'t, 'd, F: Family> {
    tests: &'t DepthTests<'d, F::Layout>,
    block: &'t Block,
    primitive: &'t Primitive,
    /// Its number, and where it is inside of pixels.
    sample: (usize, Point),
}

impl<F: Family> pulp::NullaryFnOnce for TestingQuads<'_, '_, F> {
    type Output = [u8; 2];

    #[inline(always)]
    fn call(self) -> [u8; 2] {
        let TestingQuads { tests, block, primitive, sample: (sample, place) } = self;
        let Some(quads) = tests.quads.get(sample) else { return block.drawn };
        let mut tested = block_quads(block, block.drawn, |corner| quads.place(corner, primitive.layer));
        let keys = tests.keys((F::GRID, place), primitive, corners_of(block));
        let incoming = IncomingQuads::<BLOCK_PIXELS> { keys, references: None, facing: primitive.facing };
        tests.test_quads(sample, &incoming, &mut tested[..block.len()]);
        drawn_of(block, &tested)
    }
}
