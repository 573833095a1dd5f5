//! The depth test for eight pixels at a time.

use crate::depth::{DepthForm, DepthPlanes, DepthTests};
use crate::draw::{Family, TileDraw};
use crate::primitives::Primitive;
use crate::samples::SampledBlocks;
use crate::surfaces::{Block, Layout, SampleSurface};
use ctm_memory::{Access, RowWords};
use ctm_raster::depth::{CompareFunction, DepthState};
use ctm_raster::grid::{Grid, Point};
use ctm_raster::orders::{Compare, Less, LessOrEqual, OrderMasks};
use ctm_raster::quads::BlockPlaces;
use ctm_raster::simd::Simd;

/// The greatest depth of 24 bits.
const MOST: u32 = 0xFF_FFFF;

/// The depth test for eight pixels at a time, where there is no stencil test, in a buffer with a word for each pixel.
pub(crate) struct BlockTest<'t, L> {
    /// Of each sample.
    surfaces: Vec<SampleSurface<'t, 't, L>>,
    form: WordForm,
    state: DepthState,
}

/// What the words are.
#[derive(Clone, Copy)]
enum WordForm {
    Unorm24,
    ExactUnorm24,
    ExactAboveStencil,
    Steps24,
    Float,
}

/// What words of a depth buffer hold.
trait DepthWords: Copy {
    /// Of depths: what is compared with [`stored`](Self::stored) ones, and the words that hold them instead of these.
    fn incoming<S: Simd>(self, simd: S, depth: S::Numbers, range: Range, words: S::Words) -> [S::Words; 2];
    /// What is compared, of words.
    fn stored<S: Simd>(self, simd: S, words: S::Words) -> S::Words;
}

/// What depths are clamped to.
#[derive(Clone, Copy)]
enum Range {
    /// From 0 to 1.
    Unit,
    /// Other numbers.
    Other(f64, f64),
}

impl Range {
    /// None if one of both is a NaN.
    #[inline(always)]
    fn of([least, most]: [f32; 2]) -> Option<Self> {
        match (least, most) {
            (0.0, 1.0) => Some(Range::Unit),
            _ if least.is_nan() || most.is_nan() => None,
            _ => Some(Range::Other(least.into(), most.into())),
        }
    }

    #[inline(always)]
    fn clamped<S: Simd>(self, simd: S, depth: S::Numbers) -> S::Numbers {
        match self {
            Range::Unit => simd.clamped(depth, 0.0, 1.0),
            Range::Other(least, most) => simd.clamped(depth, least, most),
        }
    }
}

/// Numbers as fractions of 24 bits, below others.
#[derive(Clone, Copy)]
struct Unorm24;

impl DepthWords for Unorm24 {
    #[inline(always)]
    fn incoming<S: Simd>(self, simd: S, depth: S::Numbers, range: Range, words: S::Words) -> [S::Words; 2] {
        let depth = match range {
            // What is beyond becomes the least or the greatest integer.
            Range::Unit => simd.rounded(depth),
            Range::Other(..) => range.clamped(simd, simd.rounded(depth)),
        };
        let depth = simd.nearest(simd.mul(depth, simd.number(MOST.into())), MOST);
        [depth, simd.or(depth, simd.and(words, simd.splat(!MOST)))]
    }

    #[inline(always)]
    fn stored<S: Simd>(self, simd: S, words: S::Words) -> S::Words {
        simd.and(words, simd.splat(MOST))
    }
}

/// Numbers as fractions of 24 bits that are rounded once, below others.
#[derive(Clone, Copy)]
struct ExactUnorm24;

impl DepthWords for ExactUnorm24 {
    #[inline(always)]
    fn incoming<S: Simd>(self, simd: S, depth: S::Numbers, range: Range, words: S::Words) -> [S::Words; 2] {
        let depth = exact_fractions(simd, depth, range);
        [depth, simd.or(depth, simd.and(words, simd.splat(!MOST)))]
    }

    #[inline(always)]
    fn stored<S: Simd>(self, simd: S, words: S::Words) -> S::Words {
        simd.and(words, simd.splat(MOST))
    }
}

/// The same above stencil values.
#[derive(Clone, Copy)]
struct ExactAboveStencil;

impl DepthWords for ExactAboveStencil {
    #[inline(always)]
    fn incoming<S: Simd>(self, simd: S, depth: S::Numbers, range: Range, words: S::Words) -> [S::Words; 2] {
        let depth = exact_fractions(simd, depth, range);
        [depth, simd.or(simd.up::<8>(depth), simd.and(words, simd.splat(0xFF)))]
    }

    #[inline(always)]
    fn stored<S: Simd>(self, simd: S, words: S::Words) -> S::Words {
        simd.down::<8>(words)
    }
}

/// Numbers in a range as fractions of 24 bits.
#[inline(always)]
fn exact_fractions<S: Simd>(simd: S, depth: S::Numbers, range: Range) -> S::Words {
    let depth = match range {
        // What is beyond becomes the least or the greatest integer.
        Range::Unit => depth,
        Range::Other(..) => range.clamped(simd, depth),
    };
    simd.nearest(simd.mul(depth, simd.number(MOST.into())), MOST)
}

/// Steps of 24 bits, above stencil values.
#[derive(Clone, Copy)]
struct Steps24;

impl DepthWords for Steps24 {
    #[inline(always)]
    fn incoming<S: Simd>(self, simd: S, depth: S::Numbers, _: Range, words: S::Words) -> [S::Words; 2] {
        let depth = simd.nearest(depth, MOST);
        [depth, simd.or(simd.up::<8>(depth), simd.and(words, simd.splat(0xFF)))]
    }

    #[inline(always)]
    fn stored<S: Simd>(self, simd: S, words: S::Words) -> S::Words {
        simd.down::<8>(words)
    }
}

/// Binary32 numbers.
#[derive(Clone, Copy)]
struct Floats;

impl DepthWords for Floats {
    #[inline(always)]
    fn incoming<S: Simd>(self, simd: S, depth: S::Numbers, range: Range, _: S::Words) -> [S::Words; 2] {
        // -0.0 becomes 0.0.
        let depth = simd.add(range.clamped(simd, simd.rounded(depth)), simd.number(0.0));
        let depth = simd.normal_binary32(depth);
        [ordered(simd, depth), depth]
    }

    #[inline(always)]
    fn stored<S: Simd>(self, simd: S, words: S::Words) -> S::Words {
        ordered(simd, words)
    }
}

impl<'t, L: Layout> BlockTest<'t, L> {
    /// Those of a draw, if they are such.
    pub fn of<F: Family<Layout = L>>(draw: &'t TileDraw<F>, tests: &'t DepthTests<'t, L>) -> Option<Self> {
        let form = match (tests.form, tests.planes) {
            (DepthForm::Unorm24 { .. }, DepthPlanes::Numbers) => WordForm::Unorm24,
            (DepthForm::Unorm24 { .. }, DepthPlanes::Exact) => WordForm::ExactUnorm24,
            (DepthForm::Stencil8Unorm24, DepthPlanes::Exact) => WordForm::ExactAboveStencil,
            (DepthForm::Stencil8Unorm24, DepthPlanes::Steps24) => WordForm::Steps24,
            // What is rounded to binary32 first is rounded once then.
            (DepthForm::Float { stencil: false }, DepthPlanes::Numbers | DepthPlanes::Exact) => WordForm::Float,
            (
                DepthForm::Unorm16 | DepthForm::Unorm24 { .. } | DepthForm::Stencil8Unorm24 | DepthForm::Float { .. },
                DepthPlanes::Numbers | DepthPlanes::Exact | DepthPlanes::Steps24,
            ) => return None,
        };
        let (state, None) = (tests.state.depth?, tests.state.stencil) else { return None };
        let surfaces = tests.quads.iter().map(|quads| (quads, draw.blocks_of(quads))).collect();
        Some(BlockTest { surfaces, form, state })
    }

    /// Tests blocks, stores the depths of samples that pass, and adds what does; `slow` tests a sample of those for which that has to be done another
    /// way.
    #[inline(always)]
    pub fn run<S: Simd, F: Family<Layout = L>>(
        &self,
        simd: S,
        draw: &TileDraw<F>,
        blocks: &SampledBlocks,
        passed: &mut SampledBlocks,
        slow: impl Fn(&Block, &Primitive, usize) -> [u8; 2],
    ) {
        let context = (draw, blocks);
        // The most common ones have loops of their own.
        match (self.form, self.state.function) {
            (WordForm::Unorm24, CompareFunction::Less) => self.test(simd, context, passed, (Unorm24, Less), slow),
            (WordForm::Unorm24, CompareFunction::LessOrEqual) => {
                self.test(simd, context, passed, (Unorm24, LessOrEqual), slow);
            }
            (WordForm::Unorm24, function) => {
                self.test(simd, context, passed, (Unorm24, OrderMasks::of(function)), slow);
            }
            (WordForm::ExactUnorm24, CompareFunction::Less) => {
                self.test(simd, context, passed, (ExactUnorm24, Less), slow)
            }
            (WordForm::ExactUnorm24, function) => {
                self.test(simd, context, passed, (ExactUnorm24, OrderMasks::of(function)), slow);
            }
            (WordForm::ExactAboveStencil, CompareFunction::Less) => {
                self.test(simd, context, passed, (ExactAboveStencil, Less), slow);
            }
            (WordForm::ExactAboveStencil, CompareFunction::LessOrEqual) => {
                self.test(simd, context, passed, (ExactAboveStencil, LessOrEqual), slow);
            }
            (WordForm::ExactAboveStencil, function) => {
                self.test(simd, context, passed, (ExactAboveStencil, OrderMasks::of(function)), slow);
            }
            (WordForm::Steps24, CompareFunction::Less) => self.test(simd, context, passed, (Steps24, Less), slow),
            (WordForm::Steps24, CompareFunction::LessOrEqual) => {
                self.test(simd, context, passed, (Steps24, LessOrEqual), slow);
            }
            (WordForm::Steps24, function) => {
                self.test(simd, context, passed, (Steps24, OrderMasks::of(function)), slow);
            }
            (WordForm::Float, function) => self.test(simd, context, passed, (Floats, OrderMasks::of(function)), slow),
        }
    }

    #[inline(always)]
    fn test<S: Simd, F: Family<Layout = L>>(
        &self,
        simd: S,
        (draw, blocks): (&TileDraw<F>, &SampledBlocks),
        passed: &mut SampledBlocks,
        how: (impl DepthWords, impl Compare),
        slow: impl Fn(&Block, &Primitive, usize) -> [u8; 2],
    ) {
        let places = draw.samples.places;
        if blocks.drawn.is_empty() {
            let (Some(&surface), Some(&place)) = (self.surfaces.first(), places.first()) else { return };
            for block in &blocks.blocks {
                let Some(primitive) = draw.primitives.get(block.primitive) else { continue };
                let of_sample = (&surface, F::GRID, place);
                let drawn = match self.test_block(simd, (block, block.drawn), primitive, of_sample, how) {
                    Some(drawn) => drawn,
                    None => slow(block, primitive, 0),
                };
                if drawn != [0; 2] {
                    passed.blocks.push(Block { drawn, ..*block });
                }
            }
            return;
        }
        for (number, (block, masks)) in blocks.blocks.iter().zip(&blocks.drawn).enumerate() {
            let Some(primitive) = draw.primitives.get(block.primitive) else { continue };
            let mut left = *masks;
            for (sample, (drawn, (surface, place))) in left.iter_mut().zip(self.surfaces.iter().zip(places)).enumerate()
            {
                if *drawn == [0; 2] {
                    continue;
                }
                let of_sample = (surface, F::GRID, *place);
                *drawn = match self.test_block(simd, (block, *drawn), primitive, of_sample, how) {
                    Some(drawn) => drawn,
                    None => slow(&Block { drawn: *drawn, ..*block }, primitive, sample),
                };
            }
            passed.add(blocks, number, &left);
        }
    }

    /// Tests a sample of these pixels of a block; `None` if that has to be done another way.
    #[inline(always)]
    fn test_block<S: Simd>(
        &self,
        simd: S,
        (block, drawn): (&Block, [u8; 2]),
        primitive: &Primitive,
        ((quads, surface_blocks), grid, place): (&SampleSurface<L>, Grid, Point),
        how: (impl DepthWords, impl Compare),
    ) -> Option<[u8; 2]> {
        let rows = match surface_blocks {
            Some(blocks) => blocks.rows(block),
            None => quads.rows((block.x, block.y), primitive.layer),
        };
        let ([upper, lower], range) = (rows?, Range::of(primitive.range)?);
        let places = BlockPlaces::new(simd, grid, primitive.origin, (block.x, block.y), place);
        let [above, below] = places.numbers(&primitive.depth);
        let access = simd.access();
        Some([
            self.test_row(simd, upper, (above, range), drawn[0], how, access),
            self.test_row(simd, lower, (below, range), drawn[1], how, access),
        ])
    }

    #[inline(always)]
    fn test_row<S: Simd>(
        &self,
        simd: S,
        row: impl RowWords,
        (depth, range): (S::Numbers, Range),
        drawn: u8,
        (form, compare): (impl DepthWords, impl Compare),
        access: impl Access,
    ) -> u8 {
        if drawn == 0 {
            return 0;
        }
        let words = simd.words(&row.get(access));
        let [depth, new] = form.incoming(simd, depth, range, words);
        let passes = compare.passes(simd, depth, form.stored(simd, words), simd.chosen(drawn));
        let passed = simd.bits(passes);
        if self.state.write && passed != 0 {
            row.set(simd.array(simd.xor(words, simd.and(simd.xor(words, new), passes))), access);
        }
        passed
    }
}

/// Bits of binary32 numbers as integers with signs, in the order of the numbers.
#[inline(always)]
fn ordered<S: Simd>(simd: S, words: S::Words) -> S::Words {
    let is_negative = simd.greater(simd.splat(0), words);
    simd.xor(words, simd.and(is_negative, simd.splat(0x7FFF_FFFF)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_raster::depth::key_of_float;
    use ctm_raster::simd::{LaneWords, SimdTask, dispatch};

    struct Ordered(LaneWords);

    impl SimdTask for Ordered {
        type Output = LaneWords;

        fn run(self, simd: impl Simd) -> LaneWords {
            simd.array(ordered(simd, simd.words(&self.0)))
        }
    }

    #[test]
    fn floats_are_ordered_as_their_keys() {
        let numbers = [f32::MIN, -2.0, -1.0, -0.0, 0.0, 0.5, 1.0, f32::MAX].map(f32::to_bits);
        let found = dispatch(Ordered(numbers)).map(u32::cast_signed);
        assert!(found.is_sorted_by(|a, b| a < b), "{found:?}");
        assert!(numbers.map(key_of_float).is_sorted_by(|a, b| a < b));
    }
}
