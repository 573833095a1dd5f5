//! Pixel by pixel, on any host.

use super::{LANES, LaneWords, PACK, SPREAD, Simd};
use crate::bits;
use ctm_memory::ScalarAccess;

/// Pixel by pixel, on any host.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

fn each<A: Copy, B: Copy, R>(a: [A; LANES], b: [B; LANES], op: impl Fn(A, B) -> R) -> [R; LANES] {
    std::array::from_fn(|n| op(a[n], b[n]))
}

fn condition(holds: bool) -> u32 {
    if holds { u32::MAX } else { 0 }
}

fn halves(a: u32, b: u32, op: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(op(a as u16, b as u16)) | u32::from(op((a >> 16) as u16, (b >> 16) as u16)) << 16
}

impl Simd for Portable {
    type Words = LaneWords;
    type Numbers = [f64; LANES];
    type Rows = [f64; 2];
    type Singles = [f32; LANES];
    type Lanes = [u8; LANES];
    type Access = ScalarAccess;

    fn access(self) -> ScalarAccess {
        ScalarAccess
    }

    fn words(self, words: &LaneWords) -> LaneWords {
        *words
    }

    fn array(self, words: LaneWords) -> LaneWords {
        words
    }

    fn splat(self, word: u32) -> LaneWords {
        [word; LANES]
    }

    fn progression(self, first: i32, step: i32) -> LaneWords {
        std::array::from_fn(|n| first.wrapping_add((n as i32).wrapping_mul(step)).cast_unsigned())
    }

    fn number(self, number: f64) -> [f64; LANES] {
        [number; LANES]
    }

    fn quotients(self, integers: LaneWords, divisor: i32) -> [f64; LANES] {
        integers.map(|integer| f64::from(integer.cast_signed()) / f64::from(divisor))
    }

    fn rows(self, first: i32, step: i32) -> [f64; 2] {
        [first, first.wrapping_add(step)].map(|place| f64::from(place) / f64::from(step))
    }

    fn mul_rows(self, rows: [f64; 2], number: f64) -> [f64; 2] {
        rows.map(|row| row * number)
    }

    fn add_row(self, numbers: Self::Numbers, rows: [f64; 2], row: usize) -> Self::Numbers {
        numbers.map(|number| number + rows[row % 2])
    }

    fn add(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers {
        each(a, b, |a, b| a + b)
    }

    fn mul(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers {
        each(a, b, |a, b| a * b)
    }

    fn div(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers {
        each(a, b, |a, b| a / b)
    }

    fn nearest(self, numbers: Self::Numbers, max: u32) -> LaneWords {
        numbers.map(|number| crate::plane::nearest(number, max))
    }

    fn binary32(self, numbers: Self::Numbers) -> LaneWords {
        numbers.map(|number| ctm_num::flush(bits(number as f32)))
    }

    fn normal_binary32(self, numbers: Self::Numbers) -> LaneWords {
        numbers.map(|number| (number as f32).to_bits())
    }

    fn widened(self, singles: Self::Singles) -> Self::Numbers {
        singles.map(f64::from)
    }

    fn floors(self, numbers: Self::Numbers) -> LaneWords {
        numbers.map(|number| (number.floor() as i32).cast_unsigned())
    }

    fn rounded(self, numbers: Self::Numbers) -> Self::Numbers {
        numbers.map(|number| f64::from(number as f32))
    }

    fn clamped(self, numbers: Self::Numbers, least: f64, most: f64) -> Self::Numbers {
        numbers.map(|number| number.max(least).min(most))
    }

    fn singles(self, words: LaneWords) -> Self::Singles {
        words.map(f32::from_bits)
    }

    fn single_bits(self, numbers: Self::Singles) -> LaneWords {
        numbers.map(f32::to_bits)
    }

    fn single(self, number: f32) -> Self::Singles {
        [number; LANES]
    }

    fn add_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles {
        each(a, b, |a, b| a + b)
    }

    fn sub_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles {
        each(a, b, |a, b| a - b)
    }

    fn mul_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles {
        each(a, b, |a, b| a * b)
    }

    fn div_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles {
        each(a, b, |a, b| a / b)
    }

    fn at_least(self, a: Self::Singles, b: Self::Singles) -> LaneWords {
        each(a, b, |a, b| condition(a >= b))
    }

    fn least(self, a: Self::Singles, b: Self::Singles) -> Self::Singles {
        each(a, b, |a, b| if a < b { a } else { b })
    }

    fn greatest(self, a: Self::Singles, b: Self::Singles) -> Self::Singles {
        each(a, b, |a, b| if a > b { a } else { b })
    }

    fn codes(self, fractions: Self::Singles, max: u32) -> LaneWords {
        fractions.map(|fraction| ctm_num::convert::f32_to_unorm(fraction.to_bits(), max))
    }

    fn codes_of_fractions(self, fractions: Self::Singles, max: u32) -> LaneWords {
        self.codes(fractions, max)
    }

    fn fractions_of_codes(self, codes: LaneWords, max: u32) -> Self::Singles {
        codes.map(|code| code as f32 / max as f32)
    }

    fn components(self, vectors: &[[u32; 4]; LANES]) -> [LaneWords; 4] {
        std::array::from_fn(|component| vectors.map(|vector| vector[component]))
    }

    fn vectors(self, components: [LaneWords; 4]) -> [[u32; 4]; LANES] {
        std::array::from_fn(|n| components.map(|words| words[n]))
    }

    fn pack(self, bits: u8) -> [u8; LANES] {
        PACK[usize::from(bits)]
    }

    fn spread(self, bits: u8) -> [u8; LANES] {
        SPREAD[usize::from(bits)]
    }

    fn permuted(self, words: LaneWords, lanes: [u8; LANES]) -> LaneWords {
        lanes.map(|lane| words[usize::from(lane)])
    }

    fn and(self, a: LaneWords, b: LaneWords) -> LaneWords {
        each(a, b, |a, b| a & b)
    }

    fn or(self, a: LaneWords, b: LaneWords) -> LaneWords {
        each(a, b, |a, b| a | b)
    }

    fn and_not(self, not: LaneWords, b: LaneWords) -> LaneWords {
        each(not, b, |not, b| !not & b)
    }

    fn xor(self, a: LaneWords, b: LaneWords) -> LaneWords {
        each(a, b, |a, b| a ^ b)
    }

    fn up<const N: i32>(self, words: LaneWords) -> LaneWords {
        words.map(|word| word << N)
    }

    fn down<const N: i32>(self, words: LaneWords) -> LaneWords {
        words.map(|word| word >> N)
    }

    fn add_words(self, a: LaneWords, b: LaneWords) -> LaneWords {
        each(a, b, u32::wrapping_add)
    }

    fn add_halves(self, a: LaneWords, b: LaneWords) -> LaneWords {
        each(a, b, |a, b| halves(a, b, u16::wrapping_add))
    }

    fn mul_halves(self, a: LaneWords, b: LaneWords) -> LaneWords {
        each(a, b, |a, b| halves(a, b, u16::wrapping_mul))
    }

    fn down_halves<const N: i32>(self, words: LaneWords) -> LaneWords {
        words.map(|word| halves(word, 0, |half, _| half >> N))
    }

    fn greater(self, a: LaneWords, b: LaneWords) -> LaneWords {
        each(a, b, |a, b| condition(a.cast_signed() > b.cast_signed()))
    }

    fn chosen(self, bits: u8) -> LaneWords {
        std::array::from_fn(|n| condition(bits >> n & 1 != 0))
    }

    fn bits(self, conditions: LaneWords) -> u8 {
        (0..).zip(conditions).fold(0, |bits, (n, condition)| bits | ((condition >> 31) as u8) << n)
    }
}
