//! Depth and stencil buffers: how values are stored, and tests of many samples together.

use crate::primitives::Primitive;
use crate::surfaces::{Layout, SurfaceQuads};
use ctm_num::convert::f32_to_unorm;
use ctm_raster::channel::{Channel, ChannelKind};
use ctm_raster::depth::{
    CompareFunction, DepthNumbers, DepthStencilState, DepthStencilValue, Facing, float_of_key, key_of_float, test,
};
use ctm_raster::grid::{Grid, Point};
use ctm_raster::plane::{Plane, nearest};

/// How depth and stencil values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthForm {
    /// Depth of 16 bits.
    Unorm16,
    /// Depth of 24 bits, and above it stencil values.
    Unorm24 {
        /// Whether there are such.
        stencil: bool,
    },
    /// Stencil values, and above them depth of 24 bits.
    Stencil8Unorm24,
    /// Binary32; with stencil values in the next word.
    Float {
        /// Whether there are such.
        stencil: bool,
    },
}

/// The greatest depth of 24 bits.
const MOST: u32 = 0xFF_FFFF;

impl DepthForm {
    /// Bytes of a sample.
    pub fn bytes(self) -> u32 {
        match self {
            DepthForm::Unorm16 => 2,
            DepthForm::Unorm24 { .. } | DepthForm::Stencil8Unorm24 | DepthForm::Float { stencil: false } => 4,
            DepthForm::Float { stencil: true } => 8,
        }
    }

    /// Whether it has stencil values.
    pub fn has_stencil(self) -> bool {
        match self {
            DepthForm::Stencil8Unorm24 => true,
            DepthForm::Unorm24 { stencil } | DepthForm::Float { stencil } => stencil,
            DepthForm::Unorm16 => false,
        }
    }

    /// A depth as a number that compares as depths do.
    pub fn key(self, depth: f32) -> u32 {
        match self {
            DepthForm::Unorm16 => f32_to_unorm(depth.to_bits(), 0xFFFF),
            DepthForm::Unorm24 { .. } | DepthForm::Stencil8Unorm24 => f32_to_unorm(depth.to_bits(), MOST),
            DepthForm::Float { .. } => key_of_float((depth + 0.0).to_bits()),
        }
    }

    /// The same of a depth in steps of 24 bits.
    #[inline]
    pub fn key_of_steps(self, steps: u32) -> u32 {
        match self {
            DepthForm::Unorm16 => steps >> 8,
            DepthForm::Unorm24 { .. } | DepthForm::Stencil8Unorm24 => steps.min(MOST),
            DepthForm::Float { .. } => key_of_float(((f64::from(steps) / f64::from(MOST)) as f32).to_bits()),
        }
    }

    /// The same of a number that is not rounded to binary32 first.
    #[inline(always)]
    pub fn key_of_exact(self, depth: f64) -> u32 {
        match self {
            DepthForm::Unorm16 => nearest(depth * 65_535.0, 0xFFFF),
            DepthForm::Unorm24 { .. } | DepthForm::Stencil8Unorm24 => nearest(depth * f64::from(MOST), MOST),
            // -0.0 is 0.0.
            DepthForm::Float { .. } => key_of_float((depth as f32 + 0.0).to_bits()),
        }
    }

    /// What these numbers are.
    pub fn numbers(self) -> DepthNumbers {
        match self {
            DepthForm::Unorm16 => DepthNumbers::Fraction(16),
            DepthForm::Unorm24 { .. } | DepthForm::Stencil8Unorm24 => DepthNumbers::Fraction(24),
            DepthForm::Float { .. } => DepthNumbers::OrderedFloat,
        }
    }

    /// What these words are.
    #[inline]
    pub fn load(self, words: [u32; 4]) -> DepthStencilValue {
        match self {
            DepthForm::Unorm16 => DepthStencilValue { depth: words[0] & 0xFFFF, stencil: 0 },
            DepthForm::Unorm24 { .. } => DepthStencilValue { depth: words[0] & MOST, stencil: (words[0] >> 24) as u8 },
            DepthForm::Stencil8Unorm24 => DepthStencilValue { depth: words[0] >> 8, stencil: words[0] as u8 },
            DepthForm::Float { .. } => DepthStencilValue { depth: key_of_float(words[0]), stencil: words[1] as u8 },
        }
    }

    /// The depth that is stored, as bits of binary32.
    pub fn depth(self, stored: DepthStencilValue) -> u32 {
        let part = |most: u32| ((f64::from(stored.depth) / f64::from(most)) as f32).to_bits();
        match self {
            DepthForm::Unorm16 => part(0xFFFF),
            DepthForm::Unorm24 { .. } | DepthForm::Stencil8Unorm24 => part(MOST),
            DepthForm::Float { .. } => float_of_key(stored.depth),
        }
    }

    /// The words for that.
    #[inline]
    pub fn store(self, stored: DepthStencilValue) -> [u32; 4] {
        let stencil = u32::from(stored.stencil);
        match self {
            DepthForm::Unorm16 => [stored.depth, 0, 0, 0],
            DepthForm::Unorm24 { .. } => [stored.depth | stencil << 24, 0, 0, 0],
            DepthForm::Stencil8Unorm24 => [stored.depth << 8 | stencil, 0, 0, 0],
            DepthForm::Float { .. } => [float_of_key(stored.depth), stencil, 0, 0],
        }
    }

    /// Depths as numbers that compare as they do.
    #[inline(always)]
    fn keys<const N: usize>(self, depths: &[u32; N], [least, most]: [f32; 2]) -> [u32; N] {
        let mut bits = depths.map(|depth| f32::from_bits(depth).max(least).min(most).to_bits());
        match self {
            DepthForm::Unorm16 => Channel::new(0, 16, ChannelKind::Unorm).encode_each(&bits),
            DepthForm::Unorm24 { .. } | DepthForm::Stencil8Unorm24 => {
                Channel::new(0, 24, ChannelKind::Unorm).encode_each(&bits)
            }
            DepthForm::Float { .. } => {
                // -0.0 is 0.0.
                bits.iter_mut().for_each(|bits| *bits = key_of_float((f32::from_bits(*bits) + 0.0).to_bits()));
                bits
            }
        }
    }

    /// The depths in words that are stored.
    #[inline(always)]
    fn stored<const N: usize>(self, words: &[u32; N]) -> [u32; N] {
        match self {
            DepthForm::Unorm16 => words.map(|depth| depth & 0xFFFF),
            DepthForm::Unorm24 { .. } => words.map(|depth| depth & MOST),
            DepthForm::Stencil8Unorm24 => words.map(|depth| depth >> 8),
            DepthForm::Float { .. } => words.map(key_of_float),
        }
    }

    /// Words of other depths.
    #[inline(always)]
    fn replaced<const N: usize>(self, words: &[[u32; N]; 4], depths: &[u32; N]) -> [[u32; N]; 4] {
        let mut words = *words;
        let both = words[0].iter_mut().zip(depths);
        match self {
            DepthForm::Unorm16 => both.for_each(|(word, depth)| *word = *depth),
            DepthForm::Unorm24 { .. } => both.for_each(|(word, depth)| *word = depth | *word & !MOST),
            DepthForm::Stencil8Unorm24 => both.for_each(|(word, depth)| *word = depth << 8 | *word & 0xFF),
            DepthForm::Float { .. } => both.for_each(|(word, depth)| *word = float_of_key(*depth)),
        }
        words[1].iter_mut().for_each(|stencil| *stencil &= 0xFF);
        words
    }
}

/// What the planes of depth give that primitives have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthPlanes {
    /// Numbers, which are rounded to binary32 and clamped to the range of the primitive.
    Numbers,
    /// Numbers, which are clamped to the range of the primitive and rounded once, to what is stored.
    Exact,
    /// Steps of 24 bits, which are rounded to the nearest ones.
    Steps24,
}

/// The tests of a draw, and the buffer that they are made with.
pub struct DepthTests<'a, L> {
    /// What is tested.
    pub state: DepthStencilState,
    /// How values are stored.
    pub form: DepthForm,
    /// What planes of depth give.
    pub planes: DepthPlanes,
    /// Where values are stored, sample by sample.
    pub quads: Vec<SurfaceQuads<'a, L>>,
    /// Samples that the buffer does not have pass.
    pub passes_beyond: bool,
}

/// What of so many fragments of a primitive is tested, quad by quad.
pub struct IncomingQuads<const N: usize> {
    /// Their depths, as numbers that compare as they do.
    pub keys: [u32; N],
    /// The stencil values that the program exports.
    pub references: Option<[u8; N]>,
    /// The side of the primitive that is seen.
    pub facing: Facing,
}

impl<L: Layout> DepthTests<'_, L> {
    /// The depths of a primitive at a place inside of the pixels of quads with these upper left ones.
    #[inline(always)]
    pub(crate) fn keys<const N: usize>(
        &self,
        (grid, place): (Grid, Point),
        primitive: &Primitive,
        corners: impl Iterator<Item = (u32, u32)>,
    ) -> [u32; N] {
        let (mut dx, mut dy) = ([0.0; N], [0.0; N]);
        for (corner, (dx, dy)) in corners.zip(dx.as_chunks_mut::<4>().0.iter_mut().zip(dy.as_chunks_mut::<4>().0)) {
            (*dx, *dy) = distances((grid, place), primitive.origin, corner);
        }
        let Plane { value, dx: across, dy: down } = primitive.depth;
        let depth = |n: usize| value + across * dx[n] + down * dy[n];
        match self.planes {
            DepthPlanes::Numbers => {
                self.form.keys(&std::array::from_fn(|n| (depth(n) as f32).to_bits()), primitive.range)
            }
            DepthPlanes::Exact => {
                let [least, most] = primitive.range.map(f64::from);
                std::array::from_fn(|n| self.form.key_of_exact(depth(n).max(least).min(most)))
            }
            DepthPlanes::Steps24 => std::array::from_fn(|n| self.form.key_of_steps(nearest(depth(n), MOST))),
        }
    }

    /// The same of depths that a program exports, bits of numbers, for a primitive with this range: [exact](DepthPlanes::Exact) ones are clamped to
    /// [0, 1].
    #[inline(always)]
    pub fn keys_of<const N: usize>(&self, depths: &[u32; N], range: [f32; 2]) -> [u32; N] {
        match self.planes {
            DepthPlanes::Numbers => self.form.keys(depths, range),
            // What is not a number is 0.
            DepthPlanes::Exact => {
                let from_0_to_1 = |depth: f64| if depth > 0.0 { depth.min(1.0) } else { 0.0 };
                depths.map(|depth| self.form.key_of_exact(from_0_to_1(f64::from(f32::from_bits(depth)))))
            }
            DepthPlanes::Steps24 => depths.map(|depth| self.form.key_of_steps(f32_to_unorm(depth, MOST))),
        }
    }

    /// Tests a sample of pixels of quads, each with its place and a mask of its pixels, and stores what that leaves; leaves those that pass in the masks.
    /// No two are the same quad.
    #[inline(always)]
    pub fn test_quads<const N: usize>(&self, sample: usize, incoming: &IncomingQuads<N>, tested: &mut [(u64, u8)]) {
        let (form, Some(quads)) = (self.form, self.quads.get(sample)) else { return };
        let mut words = [[0; N]; 4];
        for (n, &(place, _)) in tested.iter().enumerate() {
            quads.read(place, n, &mut words);
        }
        let keys = &incoming.keys;
        let beyond = |place: u64| if self.passes_beyond { !quads.existing(place) } else { 0 };
        if let (Some(depth), None) = (self.state.depth, self.state.stencil) {
            let stored = form.stored(&words[0]);
            let passed = compared(depth.function, keys, &stored);
            let differ = compared(CompareFunction::NotEqual, keys, &stored);
            let new = form.replaced(&words, keys);
            for (n, (place, mask)) in tested.iter_mut().enumerate() {
                *mask &= mask_of(&passed, n) | beyond(*place);
                let written = *mask & mask_of(&differ, n);
                if depth.write && written != 0 {
                    quads.write(*place, n, &new, written);
                }
            }
            return;
        }
        for (n, (place, mask)) in tested.iter_mut().enumerate() {
            let (mut passed, mut written) = (*mask & beyond(*place), 0);
            let there = *mask & !passed;
            for pixel in (0..4).filter(|pixel| there >> pixel & 1 != 0) {
                let at = 4 * n + pixel;
                let before = form.load([words[0][at], words[1][at], words[2][at], words[3][at]]);
                let state = with_reference(self.state, incoming.references.map(|references| references[at]));
                let outcome = test(&state, before, keys[at], incoming.facing);
                passed |= u8::from(outcome.passed) << pixel;
                if outcome.stored != before {
                    written |= 1 << pixel;
                    words.iter_mut().zip(form.store(outcome.stored)).for_each(|(word, stored)| word[at] = stored);
                }
            }
            if written != 0 {
                quads.write(*place, n, &words, written);
            }
            *mask = passed;
        }
    }
}

/// Tests of a sample for which the program exports this stencil value.
#[inline]
pub fn with_reference(mut state: DepthStencilState, reference: Option<u8>) -> DepthStencilState {
    if let (Some(reference), Some(sides)) = (reference, &mut state.stencil) {
        sides.iter_mut().for_each(|side| side.reference = reference);
    }
    state
}

/// How far a place inside of the pixels of a quad is from vertex 0 of a primitive: to the right, and downwards.
#[inline(always)]
fn distances(
    (grid, place): (Grid, Point),
    Point { x: left, y: top }: Point,
    (x, y): (u32, u32),
) -> ([f64; 4], [f64; 4]) {
    let per_pixel = grid.per_pixel;
    let first = grid.inside(x, y, place);
    let far = |steps: i64| steps as f64 / per_pixel as f64;
    let ([dx, ex], [dy, ey]) =
        ([first.x - left, first.x - left + per_pixel].map(far), [first.y - top, first.y - top + per_pixel].map(far));
    ([dx, ex, dx, ex], [dy, dy, ey, ey])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_loaded() {
        let forms = [
            DepthForm::Unorm16,
            DepthForm::Unorm24 { stencil: true },
            DepthForm::Stencil8Unorm24,
            DepthForm::Float { stencil: false },
            DepthForm::Float { stencil: true },
        ];
        for form in forms {
            for depth in [0.0f32, 0.25, 0.5, 1.0] {
                let stencil = if form.has_stencil() { 0xA5 } else { 0 };
                let stored = DepthStencilValue { depth: form.key(depth), stencil };
                assert_eq!(form.load(form.store(stored)), stored, "{form:?}");
            }
            assert!(form.key(0.25) < form.key(0.5));
        }
        let float = DepthForm::Float { stencil: false };
        assert!(float.key(-2.0) < float.key(-1.0) && float.key(-1.0) < float.key(0.0));
        assert_eq!(
            (float.key(-0.0), float.store(DepthStencilValue { depth: float.key(-1.5), stencil: 0 })[0]),
            (float.key(0.0), (-1.5f32).to_bits())
        );
        assert_eq!(
            DepthForm::Unorm24 { stencil: true }.store(DepthStencilValue { depth: 0x12_3456, stencil: 0x78 })[0],
            0x7812_3456
        );
        let steps = DepthForm::Stencil8Unorm24;
        assert_eq!(steps.store(DepthStencilValue { depth: 0x12_3456, stencil: 0x78 })[0], 0x1234_5678);
        assert_eq!((steps.key_of_steps(0x12_3456), DepthForm::Unorm16.key_of_steps(0x12_3456)), (0x12_3456, 0x1234));
    }
}
