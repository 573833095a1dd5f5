//! The pixels of primitives before the program: what is covered, and the tests that come first.

use super::depth::{BlockTest, IncomingQuads};
use super::primitives::Primitive;
use super::quad_masks::{PIXELS, block_quads, corners_of, drawn_of};
use super::surfaces::{Block, SurfaceQuads};
use super::worker::{BLOCKS, Shared};
use crate::pipeline::depth::DepthBuffer;
use crate::pipeline::pixels::GRID;
use ctm_raster::covered::{add_blocks, last_block};
use ctm_raster::grid::Rect;
use ctm_raster::simd::{Simd, SimdTask};

/// Primitives that are asked for before they are wanted: those of a tile lie anywhere in memory.
const AHEAD: usize = 4;

/// What primitives cover of a tile, of one after the other until there are enough blocks: a task that is faster on hosts with wide vectors.
pub struct Rasterising<'r, 'd, 'a, 'n> {
    pub shared: &'r Shared<'d, 'a>,
    /// The tile.
    pub area: Rect,
    /// The primitives that are left.
    pub numbers: &'r mut std::slice::Iter<'n, u16>,
    pub blocks: &'r mut Vec<Block>,
}

impl SimdTask for Rasterising<'_, '_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Rasterising { shared, area, numbers, blocks } = self;
        let centre = GRID.pixel_centre(0, 0);
        let last = last_block(area.left, area.right);
        let planes = shared.planes();
        let surfaces = shared.depth.into_iter().chain(shared.targets);
        let mut surfaces = surfaces.filter_map(|surface_quads| shared.blocks_of(surface_quads));
        // Most draws have no others.
        let (first, second) = (surfaces.next(), surfaces.next());
        let others: Vec<_> = surfaces.collect();
        let known = shared.known_blocks();
        while blocks.len() < BLOCKS
            && let Some(&number) = numbers.next()
        {
            if let Some(&next) = numbers.as_slice().get(AHEAD) {
                shared.primitives.prefetch(next, planes);
            }
            let Some(Primitive { shape, area: own, .. }) = shared.primitives.all.get(usize::from(number)) else {
                continue;
            };
            let before = blocks.len();
            add_blocks(simd, (GRID, centre), shape, area.intersection(*own), last, number, blocks);
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

/// Tests that come before the program.
pub struct Testing<'t, 'd, 'a> {
    pub shared: &'t Shared<'d, 'a>,
    pub blocks: &'t [Block],
    /// What passes.
    pub passed: &'t mut Vec<Block>,
}

impl SimdTask for Testing<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Testing { shared, blocks, passed } = self;
        let access = simd.access();
        let Some((surface_quads, depth)) = shared.depth.zip(shared.stage.depth.as_ref()) else {
            passed.extend_from_slice(blocks);
            return;
        };
        let slow = |block: &Block, primitive: &Primitive| {
            pulp::Arch::new().dispatch(TestingQuads { surface_quads, depth, block, primitive })
        };
        let Some(test) = BlockTest::of(shared, depth, surface_quads) else {
            for block in blocks {
                let Some(primitive) = shared.primitive(block) else { continue };
                let drawn = slow(block, primitive);
                if drawn != [0; 2] {
                    passed.push(Block { drawn, ..*block });
                }
            }
            return;
        };
        test.run(simd, shared, blocks, passed, access, slow);
    }
}

/// A block that is tested quad by quad.
struct TestingQuads<'t, 'd, 'a> {
    surface_quads: &'t SurfaceQuads<'d>,
    depth: &'t DepthBuffer<'a>,
    block: &'t Block,
    primitive: &'t Primitive,
}

impl pulp::NullaryFnOnce for TestingQuads<'_, '_, '_> {
    type Output = [u8; 2];

    #[inline(always)]
    fn call(self) -> [u8; 2] {
        let TestingQuads { surface_quads, depth, block, primitive } = self;
        let mut tested = block_quads(block, block.drawn, |corner| surface_quads.place(corner, primitive.layer));
        let depths = primitive.depths(corners_of(block));
        let (range, front) = (primitive.range, primitive.front);
        let incoming = IncomingQuads::<PIXELS> { depths, range, references: None, front };
        depth.test_quads(surface_quads, &incoming, &mut tested[..block.len()]);
        drawn_of(block, &tested)
    }
}
