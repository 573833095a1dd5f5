//! Tests of depth and stencil values of many pixels together.

use super::primitives::Primitive;
use super::surfaces::{Block, SurfaceBlocks, SurfaceQuads};
use super::worker::Shared;
use crate::pipeline::depth::{DepthBuffer, DepthForm};
use crate::pipeline::pixels::GRID;
use ctm_memory::{Access, RowWords};
use ctm_raster::channel::{Channel, ChannelKind};
use ctm_raster::depth::{CompareFunction, DepthState, Facing, float_of_key, key_of_float, test};
use ctm_raster::orders::{Compare, Less, LessOrEqual, OrderMasks};
use ctm_raster::quads::BlockPlaces;
use ctm_raster::simd::Simd;

/// What of so many fragments of a primitive is tested, quad by quad.
pub struct IncomingQuads<const N: usize> {
    /// Their depths.
    pub depths: [f32; N],
    /// What depths are clamped to.
    pub range: [f32; 2],
    /// The stencil values that the program exports.
    pub references: Option<[u8; N]>,
    /// The primitive is seen from the front.
    pub front: bool,
}

/// Depths as numbers that compare as they do.
#[inline(always)]
fn keys<const N: usize>(form: DepthForm, depths: &[f32; N], [least, most]: [f32; 2]) -> [u32; N] {
    let mut bits = [0; N];
    bits.iter_mut().zip(depths).for_each(|(bits, depth)| *bits = depth.max(least).min(most).to_bits());
    match form {
        DepthForm::Unorm16 => Channel::new(0, 16, ChannelKind::Unorm).encode_each(&bits),
        DepthForm::Unorm24 { .. } => Channel::new(0, 24, ChannelKind::Unorm).encode_each(&bits),
        DepthForm::Float { .. } => {
            // -0.0 is 0.0.
            bits.iter_mut().for_each(|bits| *bits = key_of_float((f32::from_bits(*bits) + 0.0).to_bits()));
            bits
        }
    }
}

/// The depths in words that are stored.
#[inline(always)]
fn stored<const N: usize>(form: DepthForm, words: &[u32; N]) -> [u32; N] {
    let mut depths = *words;
    match form {
        DepthForm::Unorm16 => depths.iter_mut().for_each(|depth| *depth &= 0xFFFF),
        DepthForm::Unorm24 { .. } => depths.iter_mut().for_each(|depth| *depth &= 0xFF_FFFF),
        DepthForm::Float { .. } => depths.iter_mut().for_each(|depth| *depth = key_of_float(*depth)),
    }
    depths
}

/// Words of other depths.
#[inline(always)]
fn replaced<const N: usize>(form: DepthForm, words: &[[u32; N]; 4], depths: &[u32; N]) -> [[u32; N]; 4] {
    let mut words = *words;
    let both = words[0].iter_mut().zip(depths);
    match form {
        DepthForm::Unorm16 => both.for_each(|(word, depth)| *word = *depth),
        DepthForm::Unorm24 { .. } => both.for_each(|(word, depth)| *word = depth | *word & 0xFF00_0000),
        DepthForm::Float { .. } => both.for_each(|(word, depth)| *word = float_of_key(*depth)),
    }
    words[1].iter_mut().for_each(|stencil| *stencil &= 0xFF);
    words
}

/// Whether a comparison holds, pixel by pixel: 1 or 0.
#[inline(always)]
fn compared<const N: usize>(function: CompareFunction, incoming: &[u32; N], stored: &[u32; N]) -> [u8; N] {
    let mut holds = [0; N];
    let all = holds.iter_mut().zip(incoming.iter().zip(stored));
    // Each loop has one comparison, so that it is done for many numbers at a time.
    macro_rules! each {
        ($function:ident) => {
            all.for_each(|(holds, (incoming, stored))| {
                *holds = u8::from(CompareFunction::$function.holds(incoming, stored));
            })
        };
    }
    match function {
        CompareFunction::Never => each!(Never),
        CompareFunction::Less => each!(Less),
        CompareFunction::LessOrEqual => each!(LessOrEqual),
        CompareFunction::Equal => each!(Equal),
        CompareFunction::GreaterOrEqual => each!(GreaterOrEqual),
        CompareFunction::Greater => each!(Greater),
        CompareFunction::NotEqual => each!(NotEqual),
        CompareFunction::Always => each!(Always),
    }
    holds
}

/// The mask of quad `number`.
#[inline(always)]
fn mask_of<const N: usize>(holds: &[u8; N], number: usize) -> u8 {
    let [a, b, c, d] = holds.as_chunks().0.get(number).copied().unwrap_or_default();
    a | b << 1 | c << 2 | d << 3
}

/// The depth test for eight pixels at a time, where there is no stencil test, in a buffer with a word for each pixel.
pub struct BlockTest<'t> {
    surface_quads: &'t SurfaceQuads<'t>,
    blocks: Option<SurfaceBlocks<'t>>,
    form: WordForm,
    state: DepthState,
}

/// What the words are.
#[derive(Clone, Copy)]
enum WordForm {
    Unorm24,
    Float,
}

/// The greatest depth of 24 bits.
const MOST: u32 = 0xFF_FFFF;

/// What words of a depth buffer hold.
trait Words: Copy {
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

/// Fractions of 24 bits, below others.
#[derive(Clone, Copy)]
struct Unorm24;

impl Words for Unorm24 {
    #[inline(always)]
    fn incoming<S: Simd>(self, simd: S, depth: S::Numbers, range: Range, words: S::Words) -> [S::Words; 2] {
        let depth = match range {
            // What is beyond becomes the least or the greatest integer.
            Range::Unit => depth,
            Range::Other(..) => range.clamped(simd, depth),
        };
        let depth = simd.nearest(simd.mul(depth, simd.number(MOST.into())), MOST);
        [depth, simd.or(depth, simd.and(words, simd.splat(!MOST)))]
    }

    #[inline(always)]
    fn stored<S: Simd>(self, simd: S, words: S::Words) -> S::Words {
        simd.and(words, simd.splat(MOST))
    }
}

/// Binary32 numbers.
#[derive(Clone, Copy)]
struct Floats;

impl Words for Floats {
    #[inline(always)]
    fn incoming<S: Simd>(self, simd: S, depth: S::Numbers, range: Range, _: S::Words) -> [S::Words; 2] {
        // -0.0 becomes 0.0.
        let depth = simd.add(range.clamped(simd, depth), simd.number(0.0));
        let depth = simd.normal_binary32(depth);
        [ordered(simd, depth), depth]
    }

    #[inline(always)]
    fn stored<S: Simd>(self, simd: S, words: S::Words) -> S::Words {
        ordered(simd, words)
    }
}

impl<'t> BlockTest<'t> {
    /// That of a buffer, if it is such.
    pub fn of(shared: &'t Shared, buffer: &DepthBuffer, surface_quads: &'t SurfaceQuads<'t>) -> Option<Self> {
        let form = match buffer.surface.format {
            DepthForm::Unorm24 { .. } => WordForm::Unorm24,
            DepthForm::Float { stencil: false } => WordForm::Float,
            DepthForm::Unorm16 | DepthForm::Float { stencil: true } => return None,
        };
        let (state, None) = (buffer.state.depth?, buffer.state.stencil) else { return None };
        Some(BlockTest { surface_quads, blocks: shared.blocks_of(surface_quads), form, state })
    }

    /// Tests blocks, stores the depths of pixels that pass, and adds what does; `slow` tests those for which that has to be done another way.
    #[inline(always)]
    pub fn run<S: Simd>(
        &self,
        simd: S,
        shared: &Shared,
        blocks: &[Block],
        passed: &mut Vec<Block>,
        access: impl Access,
        slow: impl Fn(&Block, &Primitive) -> [u8; 2],
    ) {
        let context = (shared, blocks, access);
        // The most common ones have loops of their own.
        match (self.form, self.state.function) {
            (WordForm::Unorm24, CompareFunction::Less) => self.test(simd, context, passed, Unorm24, Less, slow),
            (WordForm::Unorm24, CompareFunction::LessOrEqual) => {
                self.test(simd, context, passed, Unorm24, LessOrEqual, slow);
            }
            (WordForm::Unorm24, function) => self.test(simd, context, passed, Unorm24, OrderMasks::of(function), slow),
            (WordForm::Float, function) => self.test(simd, context, passed, Floats, OrderMasks::of(function), slow),
        }
    }

    #[inline(always)]
    fn test<S: Simd>(
        &self,
        simd: S,
        (shared, blocks, access): (&Shared, &[Block], impl Access),
        passed: &mut Vec<Block>,
        words: impl Words,
        compare: impl Compare,
        slow: impl Fn(&Block, &Primitive) -> [u8; 2],
    ) {
        for block in blocks {
            let Some(primitive) = shared.primitive(block) else { continue };
            let rows = match &self.blocks {
                Some(blocks) => blocks.rows(block),
                None => self.surface_quads.rows((block.x, block.y), primitive.layer),
            };
            let drawn = match (rows, Range::of(primitive.range)) {
                (Some([upper, lower]), Some(range)) => {
                    let places = BlockPlaces::new(simd, GRID, primitive.origin, (block.x, block.y));
                    let [above, below] = places.numbers(&primitive.depth);
                    [
                        self.test_row(simd, upper, (above, range), block.drawn[0], (words, compare), access),
                        self.test_row(simd, lower, (below, range), block.drawn[1], (words, compare), access),
                    ]
                }
                _ => slow(block, primitive),
            };
            if drawn != [0; 2] {
                passed.push(Block { drawn, ..*block });
            }
        }
    }

    #[inline(always)]
    fn test_row<S: Simd>(
        &self,
        simd: S,
        row: impl RowWords,
        (depth, range): (S::Numbers, Range),
        drawn: u8,
        (form, compare): (impl Words, impl Compare),
        access: impl Access,
    ) -> u8 {
        if drawn == 0 {
            return 0;
        }
        let words = simd.words(&row.get(access));
        let [depth, new] = form.incoming(simd, simd.rounded(depth), range, words);
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

impl<'a> DepthBuffer<'a> {
    /// The quads of the buffer.
    pub fn surface_quads(&self) -> SurfaceQuads<'a> {
        self.surface.surface_quads()
    }

    /// Tests pixels of quads, each with its place and a mask of its pixels, and stores what that leaves, as [`test`](Self::test) does it pixel
    /// by pixel; leaves those that pass in the masks. No two are the same quad.
    #[inline(always)]
    pub fn test_quads<const N: usize>(
        &self,
        surface_quads: &SurfaceQuads,
        incoming: &IncomingQuads<N>,
        tested: &mut [(u64, u8)],
    ) {
        let form = self.surface.format;
        let mut words = [[0; N]; 4];
        for (n, &(place, _)) in tested.iter().enumerate() {
            surface_quads.read(place, n, &mut words);
        }
        let keys = keys(form, &incoming.depths, incoming.range);
        if let (Some(depth), None) = (self.state.depth, self.state.stencil) {
            let stored = stored(form, &words[0]);
            let passed = compared(depth.function, &keys, &stored);
            let differ = compared(CompareFunction::NotEqual, &keys, &stored);
            let new = replaced(form, &words, &keys);
            for (n, (place, mask)) in tested.iter_mut().enumerate() {
                *mask &= mask_of(&passed, n);
                let written = *mask & mask_of(&differ, n);
                if depth.write && written != 0 {
                    surface_quads.write(*place, n, &new, written);
                }
            }
            return;
        }
        let facing = if incoming.front { Facing::Front } else { Facing::Back };
        for (n, (place, mask)) in tested.iter_mut().enumerate() {
            let (mut passed, mut written) = (0, 0);
            for pixel in (0..4).filter(|pixel| *mask >> pixel & 1 != 0) {
                let at = 4 * n + pixel;
                let before = form.load([words[0][at], words[1][at], words[2][at], words[3][at]]);
                let state = self.state_for(incoming.references.map(|references| references[at]));
                let outcome = test(&state, before, keys[at], facing);
                passed |= u8::from(outcome.passed) << pixel;
                if outcome.stored != before {
                    written |= 1 << pixel;
                    words.iter_mut().zip(form.store(outcome.stored)).for_each(|(word, stored)| word[at] = stored);
                }
            }
            if written != 0 {
                surface_quads.write(*place, n, &words, written);
            }
            *mask = passed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
