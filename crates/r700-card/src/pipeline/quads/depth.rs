//! Tests of depth and stencil values of four pixels together.

use super::surface::{Square, Squares};
use crate::pipeline::depth::{DepthBuffer, Form};
use ctm_raster::channel::{Channel, Kind};
use ctm_raster::depth::{CompareFunction, Facing, float_of_key, key_of_float, test};

/// What of four fragments of a primitive is tested.
pub struct IncomingSquare {
    /// Their depths.
    pub depths: [f32; 4],
    /// What depths are clamped to.
    pub range: [f32; 2],
    /// The stencil values that the program exports.
    pub references: Option<[u8; 4]>,
    /// The primitive is seen from the front.
    pub front: bool,
}

/// The depths of a square as numbers that compare as they do.
#[inline(always)]
fn keys(form: Form, depths: &[f32; 4], [least, most]: [f32; 2]) -> [u32; 4] {
    let mut bits = [0; 4];
    bits.iter_mut().zip(depths).for_each(|(bits, depth)| *bits = depth.max(least).min(most).to_bits());
    match form {
        Form::Unorm16 => Channel::new(0, 16, Kind::Unorm).encode_each(&bits),
        Form::Unorm24 { .. } => Channel::new(0, 24, Kind::Unorm).encode_each(&bits),
        Form::Float { .. } => {
            // -0.0 is 0.0.
            bits.iter_mut().for_each(|bits| *bits = key_of_float((f32::from_bits(*bits) + 0.0).to_bits()));
            bits
        }
    }
}

/// The stored depths of a square.
#[inline(always)]
fn stored(form: Form, words: &[u32; 4]) -> [u32; 4] {
    let mut depths = *words;
    match form {
        Form::Unorm16 => depths.iter_mut().for_each(|depth| *depth &= 0xFFFF),
        Form::Unorm24 { .. } => depths.iter_mut().for_each(|depth| *depth &= 0xFF_FFFF),
        Form::Float { .. } => depths.iter_mut().for_each(|depth| *depth = key_of_float(*depth)),
    }
    depths
}

/// A square with other depths.
#[inline(always)]
fn replaced(form: Form, mut square: Square, depths: &[u32; 4]) -> Square {
    for (word, &depth) in square[0].iter_mut().zip(depths) {
        *word = match form {
            Form::Unorm16 => depth,
            Form::Unorm24 { .. } => depth | *word & 0xFF00_0000,
            Form::Float { .. } => float_of_key(depth),
        };
    }
    square[1].iter_mut().for_each(|stencil| *stencil &= 0xFF);
    square
}

/// A bit for each of the four for which it holds.
#[inline(always)]
fn bits(holds: impl Fn(usize) -> bool) -> u8 {
    (0..4).fold(0, |bits, n| bits | u8::from(holds(n)) << n)
}

/// The pixels whose comparison holds.
#[inline(always)]
fn compared(function: CompareFunction, incoming: &[u32; 4], stored: &[u32; 4]) -> u8 {
    let (less, equal) = (bits(|n| incoming[n] < stored[n]), bits(|n| incoming[n] == stored[n]));
    let holds = match function {
        CompareFunction::Never => 0,
        CompareFunction::Less => less,
        CompareFunction::LessOrEqual => less | equal,
        CompareFunction::Equal => equal,
        CompareFunction::GreaterOrEqual => !less,
        CompareFunction::Greater => !(less | equal),
        CompareFunction::NotEqual => !equal,
        CompareFunction::Always => !0,
    };
    holds & 0xF
}

impl DepthBuffer<'_> {
    /// The squares of the buffer.
    pub fn squares(&self) -> Squares<'_> {
        self.surface.squares()
    }

    /// Tests the pixels of a mask of the square that lies there, and stores what that leaves, as [`test`](Self::test) does it with each; gives
    /// those that pass.
    #[inline(always)]
    pub fn test_square(&self, squares: &Squares, place: u64, incoming: &IncomingSquare, mask: u8) -> u8 {
        let form = self.surface.format;
        let square = squares.read(place);
        let keys = keys(form, &incoming.depths, incoming.range);
        if let (Some(depth), None) = (self.state.depth, self.state.stencil) {
            let stored = stored(form, &square[0]);
            let passed = compared(depth.function, &keys, &stored) & mask;
            let written = if depth.write { passed & bits(|n| keys[n] != stored[n]) } else { 0 };
            if written != 0 {
                squares.write(place, &replaced(form, square, &keys), written);
            }
            return passed;
        }
        let (mut passed, mut written, mut new) = (0, 0, square);
        let facing = if incoming.front { Facing::Front } else { Facing::Back };
        for pixel in (0..4).filter(|pixel| mask >> pixel & 1 != 0) {
            let before = form.load(square.map(|word| word[pixel]));
            let state = self.state_for(incoming.references.map(|references| references[pixel]));
            let outcome = test(&state, before, keys[pixel], facing);
            passed |= u8::from(outcome.passed) << pixel;
            if outcome.stored != before {
                written |= 1 << pixel;
                new.iter_mut().zip(form.store(outcome.stored)).for_each(|(word, stored)| word[pixel] = stored);
            }
        }
        if written != 0 {
            squares.write(place, &new, written);
        }
        passed
    }
}
