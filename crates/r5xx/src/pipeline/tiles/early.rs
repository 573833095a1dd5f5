//! The pixels of primitives before there is a kernel: what is covered, and the depth test, where nothing after it drops pixels.

use super::buffers::{Buffer, Buffers, PixelPairBuffer};
use super::pending::{Block, PendingBlocks, Primitive, Primitives};
use crate::pipeline::fragment::kills;
use crate::pipeline::pixels::Pixels;
use crate::pipeline::stipple::LineStipple;
use crate::pipeline::window::{GRID, MAX_DEPTH};
use ctm_card::DrawCounts;
use ctm_memory::{Access, RowWords};
use ctm_raster::covered::{add_blocks, last_block};
use ctm_raster::depth::{CompareFunction, DepthState};
use ctm_raster::grid::Rect;
use ctm_raster::orders::{Compare, Less, LessOrEqual, OrderMasks};
use ctm_raster::quads::BlockPlaces;
use ctm_raster::simd::{Simd, SimdTask};
use ctm_x1k::Program;

/// All tests of a draw, whose programs drop no pixels.
pub struct EarlyTests<'s> {
    /// The depth test, if there is one.
    depth: Option<DepthTest<'s>>,
}

impl<'s> EarlyTests<'s> {
    /// Of a draw; `None` if there are others.
    pub fn of(pixels: &Pixels<'s>, buffers: &Buffers<'s>, program: &Program) -> Option<Self> {
        if pixels.alpha_test().is_some() || pixels.depth_from_program() || kills(program) {
            return None;
        }
        let depth = match (pixels.depth(), &buffers.depth) {
            (None, _) => None,
            (Some((unit, _)), Some(Buffer::PixelPairs(buffer))) if buffers.has_depths && !unit.has_sixteen_bits() => {
                let (state, None) = (unit.state().depth?, unit.state().stencil) else { return None };
                Some(DepthTest { buffer: buffer.clone(), state })
            }
            _ => return None,
        };
        Some(EarlyTests { depth })
    }
}

/// The depth test in a buffer of 24 bits of depth and 8 of stencil, which stays as it is.
struct DepthTest<'s> {
    buffer: PixelPairBuffer<'s>,
    state: DepthState,
}

impl DepthTest<'_> {
    /// Tests pixels of a block, stores their depths if they pass, and gives those that do.
    #[inline(always)]
    fn test<S: Simd>(
        &self,
        simd: S,
        block: &Block,
        primitive: &Primitive,
        compare: impl Compare,
        access: impl Access,
    ) -> [u8; 2] {
        let pixels = self.buffer.block(block);
        let depths =
            BlockPlaces::new(simd, GRID, primitive.origin, (block.x, block.y)).depths(&primitive.depth, MAX_DEPTH);
        match pixels.rows() {
            Some([upper, lower]) => [
                self.test_row(simd, upper, depths[0], block.drawn[0], compare, access),
                self.test_row(simd, lower, depths[1], block.drawn[1], compare, access),
            ],
            None => {
                let [upper, lower] = pixels.parts();
                [
                    self.test_row(simd, upper, depths[0], block.drawn[0], compare, access),
                    self.test_row(simd, lower, depths[1], block.drawn[1], compare, access),
                ]
            }
        }
    }

    #[inline(always)]
    fn test_row<S: Simd>(
        &self,
        simd: S,
        row: impl RowWords,
        depth: S::Words,
        drawn: u8,
        compare: impl Compare,
        access: impl Access,
    ) -> u8 {
        if drawn == 0 {
            return 0;
        }
        let words = simd.words(&row.get(access));
        let passes = compare.passes(simd, depth, simd.down::<8>(words), simd.chosen(drawn));
        let passed = simd.bits(passes);
        if self.state.write && passed != 0 {
            let changed = simd.and(simd.xor(words, simd.up::<8>(depth)), simd.and(passes, simd.splat(!0xFF)));
            row.set(simd.array(simd.xor(words, changed)), access);
        }
        passed
    }
}

/// Primitives that are asked for before they are wanted: those of a tile lie anywhere in memory.
const AHEAD: usize = 4;

/// The quads that primitives cover, of one after the other until enough wait: a task that is faster on hosts with wide vectors.
pub struct Rasterising<'r, 's, 'n> {
    pub pixels: &'r Pixels<'s>,
    pub buffers: &'r Buffers<'s>,
    pub primitives: &'r Primitives,
    /// Values of each.
    pub values: usize,
    /// The pixels of which quads are wanted.
    pub area: Rect,
    /// The primitives that are left.
    pub numbers: &'r mut std::slice::Iter<'n, u16>,
    pub waiting: &'r mut PendingBlocks,
}

impl SimdTask for Rasterising<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Rasterising { pixels, buffers, primitives, values, area, numbers, waiting } = self;
        let (sample, shows_all) = (pixels.sample(), pixels.shows_all());
        let last = last_block(area.left, area.right);
        while !waiting.is_full()
            && let Some(&primitive) = numbers.next()
        {
            if let Some(&next) = numbers.as_slice().get(AHEAD) {
                primitives.prefetch(next, values);
            }
            let Primitive { shape, area: own, stipple, .. } = &primitives.all[usize::from(primitive)];
            let part = area.intersection(*own);
            let blocks = &mut waiting.0;
            let before = blocks.len();
            add_blocks(simd, (GRID, sample), shape, part, last, primitive, blocks);
            if !shows_all || stipple.is_some() {
                leave_shown(pixels, stipple.as_deref(), blocks, before);
            }
            buffers.find(&mut blocks[before..]);
        }
    }
}

/// Leaves, of the blocks from number `first` on, the pixels that can be drawn to.
#[cold]
fn leave_shown(pixels: &Pixels, stipple: Option<&LineStipple>, blocks: &mut Vec<Block>, first: usize) {
    let mut kept = first;
    for n in first..blocks.len() {
        let mut block = blocks[n];
        for (drawn, y) in block.drawn.iter_mut().zip(u32::from(block.y)..) {
            *drawn = shown(pixels, stipple, (block.x.into(), y), *drawn);
        }
        if !block.is_empty() {
            blocks[kept] = block;
            kept += 1;
        }
    }
    blocks.truncate(kept);
}

/// Tests of all quads that wait: a task that is faster on hosts with wide vectors.
pub struct Testing<'t, 's> {
    pub tests: &'t EarlyTests<'s>,
    pub primitives: &'t [Primitive],
    pub blocks: &'t [Block],
    /// The quads that are left.
    pub left: &'t mut Vec<Block>,
}

/// Pixels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tested {
    /// Those that are covered.
    pub covered: u64,
    /// Those that also pass the tests.
    pub passed: u64,
}

impl Tested {
    /// Adds the pixels of a block, of which these passed, and keeps it if there are any.
    #[inline(always)]
    fn add(&mut self, block: &Block, passed: Block, left: &mut Vec<Block>) {
        self.covered += block.pixel_count() as u64;
        self.passed += passed.pixel_count() as u64;
        if !passed.is_empty() {
            left.push(passed);
        }
    }

    /// What counts of that, where these are all tests.
    pub fn counts(self, pixels: &Pixels) -> DrawCounts {
        let Tested { covered, passed } = self;
        let fragments = match (pixels.shades(), pixels.tests_early()) {
            (false, _) => 0,
            (true, true) => passed,
            (true, false) => covered,
        };
        DrawCounts { pixels: covered, fragments, passed, ..DrawCounts::default() }
    }
}

impl Testing<'_, '_> {
    #[inline(always)]
    fn test_depth(self, simd: impl Simd, test: &DepthTest, compare: impl Compare) -> Tested {
        let Testing { primitives, blocks, left, .. } = self;
        let access = simd.access();
        let mut tested = Tested::default();
        for block in blocks {
            let drawn = test.test(simd, block, &primitives[usize::from(block.primitive)], compare, access);
            tested.add(block, Block { drawn, ..*block }, left);
        }
        tested
    }
}

impl SimdTask for Testing<'_, '_> {
    type Output = Tested;

    #[inline(always)]
    fn run(self, simd: impl Simd) -> Tested {
        let Some(test) = &self.tests.depth else {
            let mut tested = Tested::default();
            for block in self.blocks {
                tested.add(block, *block, self.left);
            }
            return tested;
        };
        // The most common ones have loops of their own.
        match test.state.function {
            CompareFunction::Less => self.test_depth(simd, test, Less),
            CompareFunction::LessOrEqual => self.test_depth(simd, test, LessOrEqual),
            function @ (CompareFunction::Never
            | CompareFunction::Equal
            | CompareFunction::GreaterOrEqual
            | CompareFunction::Greater
            | CompareFunction::NotEqual
            | CompareFunction::Always) => self.test_depth(simd, test, OrderMasks::of(function)),
        }
    }
}

/// Those of the covered pixels of a row from a pixel on which can be drawn to.
fn shown(pixels: &Pixels, stipple: Option<&LineStipple>, (x, y): (u32, u32), covered: u8) -> u8 {
    let draws = |x| pixels.shows(x, y) && stipple.is_none_or(|stipple| stipple.draws(x, y));
    (0..8).filter(|n| covered >> n & 1 != 0 && draws(x + n)).fold(0, |shown, n| shown | 1 << n)
}
