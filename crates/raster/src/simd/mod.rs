//! Operations on eight pixels at a time, by the host's vectors where it has such.
//!
//! All implementations give the same bits: arithmetic is that of binary64, each operation rounded once.
//!
//! Only what is compiled into a [dispatched](dispatch) task has the host's vectors. Functions that take a [`Simd`] are `inline(always)` for that; a
//! closure that is called from several places, or that `map` of an array calls, may be compiled by itself, and then calls a function for each operation.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use ctm_memory::Access;

pub use portable::Portable;

/// Pixels that are computed together.
pub const LANES: usize = 8;

/// A word for each of these pixels.
pub type LaneWords = [u32; LANES];

/// A host's operations on eight pixels. Conditions are words of which all bits are set, or none.
pub trait Simd: Copy {
    /// A word for each pixel.
    type Words: Copy;
    /// A binary64 number for each pixel.
    type Numbers: Copy;
    /// A binary64 number for each of both rows of a block.
    type Rows: Copy;
    /// A binary32 number for each pixel.
    type Singles: Copy;
    /// For each pixel the number of one of them.
    type Lanes: Copy;
    /// How memory is accessed between such operations.
    type Access: Access;

    /// How memory is accessed between such operations.
    fn access(self) -> Self::Access;
    /// These words.
    fn words(self, words: &LaneWords) -> Self::Words;
    /// The words, one by one.
    fn array(self, words: Self::Words) -> LaneWords;
    /// The same word for each.
    fn splat(self, word: u32) -> Self::Words;
    /// `first` + n * `step` for pixel n, modulo 2^32.
    fn progression(self, first: i32, step: i32) -> Self::Words;
    /// The same number for each.
    fn number(self, number: f64) -> Self::Numbers;
    /// Integers of at most 31 bits, with a sign, by `divisor`, which is from 1 to 4096: rounded once.
    fn quotients(self, integers: Self::Words, divisor: i32) -> Self::Numbers;
    /// (`first` + n * `step`) / `step` for pixel n, as [`quotients`](Self::quotients).
    #[inline(always)]
    fn fractions(self, first: i32, step: i32) -> Self::Numbers {
        self.quotients(self.progression(first, step), step)
    }
    /// For both rows of a block, `first` / `step` and (`first` + `step`) / `step`, as [`quotients`](Self::quotients).
    fn rows(self, first: i32, step: i32) -> Self::Rows;
    /// Products of the numbers of both rows with the same.
    fn mul_rows(self, rows: Self::Rows, number: f64) -> Self::Rows;
    /// Sums of numbers and that of a row: of the upper one, 0, or the lower one, 1.
    fn add_row(self, numbers: Self::Numbers, rows: Self::Rows, row: usize) -> Self::Numbers;
    /// Sums.
    fn add(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// Products.
    fn mul(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// Quotients.
    fn div(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// The nearest integers from 0 to `max`, which has at most 31 bits; halves up, and 0 for NaN.
    fn nearest(self, numbers: Self::Numbers, max: u32) -> Self::Words;
    /// The bits of the numbers as binary32: rounded once, denormals are zeros of their sign, and NaNs are [`NAN`](crate::NAN).
    fn binary32(self, numbers: Self::Numbers) -> Self::Words;
    /// The bits of numbers as binary32, rounded once, of which none is a NaN or becomes a denormal.
    fn normal_binary32(self, numbers: Self::Numbers) -> Self::Words;
    /// The binary32 numbers as binary64.
    fn widened(self, singles: Self::Singles) -> Self::Numbers;
    /// The greatest integers, of 32 bits with a sign, that are not above the numbers.
    fn floors(self, numbers: Self::Numbers) -> Self::Words;
    /// The nearest numbers that binary32 has.
    fn rounded(self, numbers: Self::Numbers) -> Self::Numbers;
    /// The nearest numbers from `least` to `most`; `least` for NaN.
    fn clamped(self, numbers: Self::Numbers, least: f64, most: f64) -> Self::Numbers;
    /// The binary32 numbers with these bits.
    fn singles(self, words: Self::Words) -> Self::Singles;
    /// The bits of numbers.
    fn single_bits(self, numbers: Self::Singles) -> Self::Words;
    /// The same number for each.
    fn single(self, number: f32) -> Self::Singles;
    /// Sums.
    fn add_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    /// Differences.
    fn sub_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    /// Products.
    fn mul_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    /// Quotients.
    fn div_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    /// Whether the first are greater or equal: not where one is a NaN.
    fn at_least(self, a: Self::Singles, b: Self::Singles) -> Self::Words;
    /// The first ones where they are less, else the second ones.
    fn least(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    /// The first ones where they are greater, else the second ones.
    fn greatest(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    /// The nearest integers to products with `max`, from 0 to that, which has 2 to 22 bits, all of them set; 0 for NaN.
    fn codes(self, fractions: Self::Singles, max: u32) -> Self::Words;
    /// The same of fractions that are from 0 to 1.
    fn codes_of_fractions(self, fractions: Self::Singles, max: u32) -> Self::Words;
    /// Quotients of integers by `max`, which is none of them less than, and has 1 to 16 bits, all of them set.
    fn fractions_of_codes(self, codes: Self::Words, max: u32) -> Self::Singles;
    /// The components of the vectors of pixels: of each component for all of them.
    fn components(self, vectors: &[[u32; 4]; LANES]) -> [Self::Words; 4];
    /// The opposite: the vectors of pixels.
    fn vectors(self, components: [Self::Words; 4]) -> [[u32; 4]; LANES];
    /// The lanes whose bits are set, one after the other from the first on; any lanes follow.
    fn pack(self, bits: u8) -> Self::Lanes;
    /// The opposite: where a bit is set, the next of the lanes from the first on; elsewhere any of them.
    fn spread(self, bits: u8) -> Self::Lanes;
    /// For each lane, the word of the lane that this says.
    fn permuted(self, words: Self::Words, lanes: Self::Lanes) -> Self::Words;
    /// Bits of both.
    fn and(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// Bits of either.
    fn or(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// Bits of the second that the first lacks.
    fn and_not(self, not: Self::Words, b: Self::Words) -> Self::Words;
    /// Bits of one of both only.
    fn xor(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// Moved up by `N` bits.
    fn up<const N: i32>(self, words: Self::Words) -> Self::Words;
    /// Moved down by `N` bits; the uppermost are 0.
    fn down<const N: i32>(self, words: Self::Words) -> Self::Words;
    /// Sums of words, modulo 2^32.
    fn add_words(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// Sums of the halves of words, modulo 2^16.
    fn add_halves(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// Products of the halves of words, modulo 2^16.
    fn mul_halves(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// The halves of words, moved down by `N` bits; the uppermost are 0.
    fn down_halves<const N: i32>(self, words: Self::Words) -> Self::Words;
    /// The bits of binary32 numbers, of which denormals become zeros of their sign.
    #[inline(always)]
    fn flushed(self, words: Self::Words) -> Self::Words {
        // All bits but the sign, of numbers below the least normal one.
        let all = self.splat(i32::MAX.cast_unsigned());
        let is_small = self.greater(self.splat(1 << 23), self.and(words, all));
        self.and_not(self.and(is_small, all), words)
    }
    /// Whether the first are greater, as numbers with a sign.
    fn greater(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// The condition whether bit n is set, for pixel n.
    fn chosen(self, bits: u8) -> Self::Words;
    /// Bit n: the condition for pixel n, or the uppermost bit of any other word.
    fn bits(self, conditions: Self::Words) -> u8;
}

/// What is done by a host's vectors.
pub trait SimdTask {
    /// What it gives.
    type Output;

    /// Does it. It has to be inlined, since functions of their own are not made of such instructions.
    fn run(self, simd: impl Simd) -> Self::Output;
}

/// Does a task by the best vectors that the host has.
#[inline]
pub fn dispatch<T: SimdTask>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx512) = avx512::Avx512::new() {
        return avx512.run(task);
    } else if let Some(avx2) = avx2::Avx2::new() {
        return avx2.run(task);
    }
    task.run(Portable)
}

/// A lane for each lane, by the bits of eight of them.
type Lanes = [[u8; LANES]; 1 << LANES];

/// The lanes whose bits are set, from the first on.
static PACK: Lanes = lanes(true);
/// Of each lane, how many of those before it have their bit set.
static SPREAD: Lanes = lanes(false);

const fn lanes(packed: bool) -> Lanes {
    let mut lanes = [[0; LANES]; 1 << LANES];
    let mut bits = 0;
    while bits < lanes.len() {
        let (mut lane, mut count) = (0, 0);
        while lane < LANES {
            if !packed {
                lanes[bits][lane] = count as u8;
            }
            if bits >> lane & 1 != 0 {
                if packed {
                    lanes[bits][count] = lane as u8;
                }
                // The last of all has no more than seven before it.
                count += (count < LANES - 1) as usize;
            }
            lane += 1;
        }
        bits += 1;
    }
    lanes
}
