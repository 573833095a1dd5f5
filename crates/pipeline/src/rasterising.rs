//! The pixels of primitives before the program: what is covered, and the tests that come first.

use crate::block_test::BlockTest;
use crate::depth::{DepthTests, IncomingQuads};
use crate::draw::{Family, TileDraw};
use crate::lines::BLOCK_PIXELS;
use crate::primitives::Primitive;
use crate::quad_masks::{block_quads, corners_of, drawn_of};
use crate::surfaces::Block;
use ctm_raster::covered::{add_blocks, last_block};
use ctm_raster::grid::Rect;
use ctm_raster::simd::{Simd, SimdTask};

/// Primitives that are asked for before they are wanted: those of a tile lie anywhere in memory.
const AHEAD: usize = 4;
/// Blocks from which on they wait for no others.
const BLOCKS: usize = 1536;

/// What primitives cover of a tile, of one after the other until there are enough blocks: a task that is faster on hosts with wide vectors.
pub(crate) struct Rasterising<'r, 'd, 'a, 'n, F: Family> {
    pub draw: &'r TileDraw<'d, 'a, F>,
    /// The tile.
    pub area: Rect,
    /// The primitives that are left.
    pub numbers: &'r mut std::slice::Iter<'n, u16>,
    pub blocks: &'r mut Vec<Block>,
}

impl<F: Family> SimdTask for Rasterising<'_, '_, '_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Rasterising { draw, area, numbers, blocks } = self;
        let last = last_block(area.left, area.right);
        let mut surfaces = draw.surfaces().filter_map(|quads| draw.blocks_of(quads));
        // Most draws have no others.
        let (first, second) = (surfaces.next(), surfaces.next());
        let others: Vec<_> = surfaces.collect();
        let known = draw.known_blocks();
        while blocks.len() < BLOCKS
            && let Some(&number) = numbers.next()
        {
            if let Some(&next) = numbers.as_slice().get(AHEAD) {
                draw.primitives.prefetch(next, draw.components);
            }
            let Some(Primitive { shape, area: own, shown, .. }) = draw.primitives.get(number) else { continue };
            let before = blocks.len();
            add_blocks(simd, (F::GRID, draw.sample), shape, area.intersection(*own), last, number, blocks);
            if draw.shown.is_some() || shown.is_some() {
                let own = shown.as_ref().map(|shown| &**shown as &(dyn Fn(u32, u32) -> bool + Send + Sync));
                leave_shown([draw.shown, own], blocks, before);
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

/// Leaves, of the blocks from number `first` on, the pixels that can be drawn to.
#[cold]
fn leave_shown(shown: [Option<&(dyn Fn(u32, u32) -> bool + Send + Sync)>; 2], blocks: &mut Vec<Block>, first: usize) {
    let mut kept = first;
    for n in first..blocks.len() {
        let mut block = blocks[n];
        for (drawn, y) in block.drawn.iter_mut().zip(u32::from(block.y)..) {
            let is_shown = |n: u32| shown.iter().flatten().all(|shown| shown(u32::from(block.x) + n, y));
            *drawn = (0..8).filter(|n| *drawn >> n & 1 != 0 && is_shown(*n)).fold(0, |left, n| left | 1 << n);
        }
        if !block.is_empty() {
            blocks[kept] = block;
            kept += 1;
        }
    }
    blocks.truncate(kept);
}

/// Tests that come before the program.
pub(crate) struct Testing<'t, 'd, 'a, F: Family> {
    pub draw: &'t TileDraw<'d, 'a, F>,
    pub blocks: &'t [Block],
    /// What passes.
    pub passed: &'t mut Vec<Block>,
}

impl<F: Family> SimdTask for Testing<'_, '_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Testing { draw, blocks, passed } = self;
        let Some(tests) = &draw.depth else {
            passed.extend_from_slice(blocks);
            return;
        };
        let slow = |block: &Block, primitive: &Primitive| {
            pulp::Arch::new().dispatch(TestingQuads::<F> { tests, block, primitive })
        };
        let Some(test) = BlockTest::of(draw, tests) else {
            for block in blocks {
                let Some(primitive) = draw.primitives.get(block.primitive) else { continue };
                let drawn = slow(block, primitive);
                if drawn != [0; 2] {
                    passed.push(Block { drawn, ..*block });
                }
            }
            return;
        };
        test.run(simd, draw, blocks, passed, slow);
    }
}

/// A block that is tested quad by quad.
struct TestingQuads<'t, 'd, F: Family> {
    tests: &'t DepthTests<'d, F::Layout>,
    block: &'t Block,
    primitive: &'t Primitive,
}

impl<F: Family> pulp::NullaryFnOnce for TestingQuads<'_, '_, F> {
    type Output = [u8; 2];

    #[inline(always)]
    fn call(self) -> [u8; 2] {
        let TestingQuads { tests, block, primitive } = self;
        let mut tested = block_quads(block, block.drawn, |corner| tests.quads.place(corner, primitive.layer));
        let keys = tests.keys(F::GRID, primitive, corners_of(block));
        let incoming = IncomingQuads::<BLOCK_PIXELS> { keys, references: None, facing: primitive.facing };
        tests.test_quads(&incoming, &mut tested[..block.len()]);
        drawn_of(block, &tested)
    }
}
