//! Operations on eight pixels at a time, by the host's vectors where it has such.
//!
//! All implementations give the same bits: arithmetic is that of binary64, each operation rounded once.

use crate::bits;

/// Pixels that are computed together.
pub const TOGETHER: usize = 8;

/// A word for each of these pixels.
pub type Eight = [u32; TOGETHER];

/// A host's operations on eight pixels. Conditions are words of which all bits are set, or none.
pub trait Simd: Copy {
    /// A word for each pixel.
    type Words: Copy;
    /// A binary64 number for each pixel.
    type Numbers: Copy;
    /// A binary32 number for each pixel.
    type Singles: Copy;
    /// For each pixel the number of one of them.
    type Lanes: Copy;

    /// These words.
    fn words(self, words: &Eight) -> Self::Words;
    /// The words, one by one.
    fn array(self, words: Self::Words) -> Eight;
    /// The same word for each.
    fn splat(self, word: u32) -> Self::Words;
    /// `first` + n * `step` for pixel n, modulo 2^32.
    fn progression(self, first: i32, step: i32) -> Self::Words;
    /// The same number for each.
    fn number(self, number: f64) -> Self::Numbers;
    /// (`first` + n * `step`) / `step` for pixel n, rounded once. The numerators are integers of at most 31 bits, and `step` is from 1 to 4096.
    fn fractions(self, first: i32, step: i32) -> Self::Numbers;
    /// For both rows of a block, `first` / `step` and (`first` + `step`) / `step`, as [`fractions`](Self::fractions) are rounded; the first half of
    /// the numbers is that of the upper row.
    fn rows(self, first: i32, step: i32) -> Self::Numbers;
    /// Sums of numbers and the one for a row, of such as [`rows`](Self::rows) gives.
    fn add_row(self, numbers: Self::Numbers, rows: Self::Numbers, row: usize) -> Self::Numbers;
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
    /// The first ones where they are less, else the second ones.
    fn least(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    /// The first ones where they are greater, else the second ones.
    fn greatest(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    /// The nearest integers to products with `max`, from 0 to that, which has 2 to 22 bits, all of them set; 0 for NaN.
    fn codes(self, fractions: Self::Singles, max: u32) -> Self::Words;
    /// Quotients of integers by `max`, which is none of them less than, of at most 16 bits.
    fn fractions_of_codes(self, codes: Self::Words, max: u32) -> Self::Singles;
    /// The components of the vectors of pixels: of each component for all of them.
    fn components(self, vectors: &[[u32; 4]; TOGETHER]) -> [Self::Words; 4];
    /// The opposite: the vectors of pixels.
    fn vectors(self, components: [Self::Words; 4]) -> [[u32; 4]; TOGETHER];
    /// The lanes whose bits are set, one behind the other from the first on; any lanes follow.
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
    /// Whether the first are greater, as numbers with a sign.
    fn greater(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// The condition whether bit n is set, for pixel n.
    fn chosen(self, bits: u8) -> Self::Words;
    /// Bit n: the condition for pixel n, or the uppermost bit of any other word.
    fn bits(self, conditions: Self::Words) -> u8;
}

/// What is done by a host's vectors.
pub trait Task {
    /// What it gives.
    type Output;

    /// Does it. It has to be inlined, since functions of their own are not made of such instructions.
    fn run(self, simd: impl Simd) -> Self::Output;
}

/// Does a task by the best vectors that the host has.
#[inline]
pub fn dispatch<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = avx2::Avx2::new() {
        return avx2.run(task);
    }
    task.run(Portable)
}

/// A lane for each lane, by the bits of eight of them.
type Lanes = [[u8; TOGETHER]; 1 << TOGETHER];

/// The lanes whose bits are set, from the first on.
static PACK: Lanes = lanes(true);
/// Of each lane, how many of those before it have their bit set.
static SPREAD: Lanes = lanes(false);

const fn lanes(packed: bool) -> Lanes {
    let mut lanes = [[0; TOGETHER]; 1 << TOGETHER];
    let mut bits = 0;
    while bits < lanes.len() {
        let (mut lane, mut count) = (0, 0);
        while lane < TOGETHER {
            if !packed {
                lanes[bits][lane] = count as u8;
            }
            if bits >> lane & 1 != 0 {
                if packed {
                    lanes[bits][count] = lane as u8;
                }
                // The last of all has no more than seven before it.
                count += (count < TOGETHER - 1) as usize;
            }
            lane += 1;
        }
        bits += 1;
    }
    lanes
}

/// Pixel by pixel, on any host.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

fn each<A: Copy, B: Copy, R>(a: [A; TOGETHER], b: [B; TOGETHER], op: impl Fn(A, B) -> R) -> [R; TOGETHER] {
    std::array::from_fn(|n| op(a[n], b[n]))
}

fn condition(holds: bool) -> u32 {
    if holds { u32::MAX } else { 0 }
}

fn halves(a: u32, b: u32, op: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(op(a as u16, b as u16)) | u32::from(op((a >> 16) as u16, (b >> 16) as u16)) << 16
}

impl Simd for Portable {
    type Words = Eight;
    type Numbers = [f64; TOGETHER];
    type Singles = [f32; TOGETHER];
    type Lanes = [u8; TOGETHER];

    fn words(self, words: &Eight) -> Eight {
        *words
    }

    fn array(self, words: Eight) -> Eight {
        words
    }

    fn splat(self, word: u32) -> Eight {
        [word; TOGETHER]
    }

    fn progression(self, first: i32, step: i32) -> Eight {
        std::array::from_fn(|n| first.wrapping_add((n as i32).wrapping_mul(step)).cast_unsigned())
    }

    fn number(self, number: f64) -> [f64; TOGETHER] {
        [number; TOGETHER]
    }

    fn fractions(self, first: i32, step: i32) -> [f64; TOGETHER] {
        std::array::from_fn(|n| f64::from(first.wrapping_add((n as i32).wrapping_mul(step))) / f64::from(step))
    }

    fn rows(self, first: i32, step: i32) -> [f64; TOGETHER] {
        let fraction = |place: i32| f64::from(place) / f64::from(step);
        std::array::from_fn(|n| fraction(if n < TOGETHER / 2 { first } else { first.wrapping_add(step) }))
    }

    fn add_row(self, numbers: Self::Numbers, rows: Self::Numbers, row: usize) -> Self::Numbers {
        numbers.map(|number| number + rows[row % 2 * (TOGETHER / 2)])
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

    fn nearest(self, numbers: Self::Numbers, max: u32) -> Eight {
        numbers.map(|number| crate::plane::nearest(number, max))
    }

    fn binary32(self, numbers: Self::Numbers) -> Eight {
        numbers.map(|number| ctm_num::flush(bits(number as f32)))
    }

    fn normal_binary32(self, numbers: Self::Numbers) -> Eight {
        numbers.map(|number| (number as f32).to_bits())
    }

    fn rounded(self, numbers: Self::Numbers) -> Self::Numbers {
        numbers.map(|number| f64::from(number as f32))
    }

    fn clamped(self, numbers: Self::Numbers, least: f64, most: f64) -> Self::Numbers {
        numbers.map(|number| number.max(least).min(most))
    }

    fn singles(self, words: Eight) -> Self::Singles {
        words.map(f32::from_bits)
    }

    fn single_bits(self, numbers: Self::Singles) -> Eight {
        numbers.map(f32::to_bits)
    }

    fn single(self, number: f32) -> Self::Singles {
        [number; TOGETHER]
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

    fn least(self, a: Self::Singles, b: Self::Singles) -> Self::Singles {
        each(a, b, |a, b| if a < b { a } else { b })
    }

    fn greatest(self, a: Self::Singles, b: Self::Singles) -> Self::Singles {
        each(a, b, |a, b| if a > b { a } else { b })
    }

    fn codes(self, fractions: Self::Singles, max: u32) -> Eight {
        fractions.map(|fraction| ctm_num::convert::f32_to_unorm(fraction.to_bits(), max))
    }

    fn fractions_of_codes(self, codes: Eight, max: u32) -> Self::Singles {
        codes.map(|code| code as f32 / max as f32)
    }

    fn components(self, vectors: &[[u32; 4]; TOGETHER]) -> [Eight; 4] {
        std::array::from_fn(|component| vectors.map(|vector| vector[component]))
    }

    fn vectors(self, components: [Eight; 4]) -> [[u32; 4]; TOGETHER] {
        std::array::from_fn(|n| components.map(|words| words[n]))
    }

    fn pack(self, bits: u8) -> [u8; TOGETHER] {
        PACK[usize::from(bits)]
    }

    fn spread(self, bits: u8) -> [u8; TOGETHER] {
        SPREAD[usize::from(bits)]
    }

    fn permuted(self, words: Eight, lanes: [u8; TOGETHER]) -> Eight {
        lanes.map(|lane| words[usize::from(lane)])
    }

    fn and(self, a: Eight, b: Eight) -> Eight {
        each(a, b, |a, b| a & b)
    }

    fn or(self, a: Eight, b: Eight) -> Eight {
        each(a, b, |a, b| a | b)
    }

    fn and_not(self, not: Eight, b: Eight) -> Eight {
        each(not, b, |not, b| !not & b)
    }

    fn xor(self, a: Eight, b: Eight) -> Eight {
        each(a, b, |a, b| a ^ b)
    }

    fn up<const N: i32>(self, words: Eight) -> Eight {
        words.map(|word| word << N)
    }

    fn down<const N: i32>(self, words: Eight) -> Eight {
        words.map(|word| word >> N)
    }

    fn add_words(self, a: Eight, b: Eight) -> Eight {
        each(a, b, u32::wrapping_add)
    }

    fn add_halves(self, a: Eight, b: Eight) -> Eight {
        each(a, b, |a, b| halves(a, b, u16::wrapping_add))
    }

    fn mul_halves(self, a: Eight, b: Eight) -> Eight {
        each(a, b, |a, b| halves(a, b, u16::wrapping_mul))
    }

    fn down_halves<const N: i32>(self, words: Eight) -> Eight {
        words.map(|word| halves(word, 0, |half, _| half >> N))
    }

    fn greater(self, a: Eight, b: Eight) -> Eight {
        each(a, b, |a, b| condition(a.cast_signed() > b.cast_signed()))
    }

    fn chosen(self, bits: u8) -> Eight {
        std::array::from_fn(|n| condition(bits >> n & 1 != 0))
    }

    fn bits(self, conditions: Eight) -> u8 {
        (0..).zip(conditions).fold(0, |bits, (n, condition)| bits | ((condition >> 31) as u8) << n)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Eight, PACK, SPREAD, Simd, TOGETHER, Task};
    use crate::NAN;
    use pulp::x86::V3;
    use std::arch::x86_64::{__m128i, __m256, __m256d, __m256i, _CMP_UNORD_Q};

    /// By AVX2.
    #[derive(Clone, Copy)]
    pub struct Avx2(V3);

    impl Avx2 {
        /// Where the host has it.
        #[inline]
        pub fn new() -> Option<Self> {
            V3::try_new().map(Avx2)
        }

        /// Does a task.
        #[inline(always)]
        pub fn run<T: Task>(self, task: T) -> T::Output {
            struct Call<T>(Avx2, T);
            impl<T: Task> pulp::NullaryFnOnce for Call<T> {
                type Output = T::Output;

                #[inline(always)]
                fn call(self) -> T::Output {
                    self.1.run(self.0)
                }
            }
            self.0.vectorize(Call(self, task))
        }

        #[inline(always)]
        fn nearest_of_four(self, numbers: __m256d, max: __m256d) -> __m128i {
            let avx = self.0.avx;
            // The second operand is the result where one is a NaN.
            let clamped = avx._mm256_min_pd(avx._mm256_max_pd(numbers, avx._mm256_setzero_pd()), max);
            // What is not negative is rounded down where its fraction is left out.
            avx._mm256_cvttpd_epi32(avx._mm256_add_pd(clamped, avx._mm256_set1_pd(0.5)))
        }

        /// The fractions with numerators from `first` + n * `step` on, for the four numbers n.
        #[inline(always)]
        fn four_fractions(self, first: i32, step: i32, numbers: [i32; 4]) -> __m256d {
            let (sse2, avx, fma) = (self.0.sse2, self.0.avx, self.0.fma);
            let [a, b, c, d] = numbers;
            let products = self.0.sse4_1._mm_mullo_epi32(sse2._mm_setr_epi32(a, b, c, d), sse2._mm_set1_epi32(step));
            let numerators = avx._mm256_cvtepi32_pd(sse2._mm_add_epi32(sse2._mm_set1_epi32(first), products));
            // The nearest number to the reciprocal gives one near the quotient; what that leaves of the numerator is exact, and corrects it to
            // the nearest one.
            let divisor = f64::from(step);
            let (reciprocal, divisor) = (avx._mm256_set1_pd(1.0 / divisor), avx._mm256_set1_pd(divisor));
            let near = avx._mm256_mul_pd(numerators, reciprocal);
            let rest = fma._mm256_fnmadd_pd(near, divisor, numerators);
            fma._mm256_fmadd_pd(rest, reciprocal, near)
        }

        #[inline(always)]
        fn lanes(self, lanes: [u8; TOGETHER]) -> __m256i {
            self.0.avx2._mm256_cvtepu8_epi32(self.0.sse2._mm_set1_epi64x(i64::from_le_bytes(lanes)))
        }

        /// Of each half, rows become columns.
        #[inline(always)]
        fn transposed(self, [a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
            let avx2 = self.0.avx2;
            let (ab, cd) = (avx2._mm256_unpacklo_epi32(a, b), avx2._mm256_unpacklo_epi32(c, d));
            let (high_ab, high_cd) = (avx2._mm256_unpackhi_epi32(a, b), avx2._mm256_unpackhi_epi32(c, d));
            [
                avx2._mm256_unpacklo_epi64(ab, cd),
                avx2._mm256_unpackhi_epi64(ab, cd),
                avx2._mm256_unpacklo_epi64(high_ab, high_cd),
                avx2._mm256_unpackhi_epi64(high_ab, high_cd),
            ]
        }

        #[inline(always)]
        fn join(self, low: __m128i, high: __m128i) -> __m256i {
            self.0.avx._mm256_set_m128i(high, low)
        }
    }

    impl Simd for Avx2 {
        type Words = __m256i;
        /// Pixels 0 to 3, and 4 to 7.
        type Numbers = [__m256d; 2];
        type Singles = __m256;
        type Lanes = __m256i;

        #[inline(always)]
        fn words(self, words: &Eight) -> __m256i {
            pulp::cast(*words)
        }

        #[inline(always)]
        fn array(self, words: __m256i) -> Eight {
            pulp::cast(words)
        }

        #[inline(always)]
        fn splat(self, word: u32) -> __m256i {
            self.0.avx._mm256_set1_epi32(word.cast_signed())
        }

        #[inline(always)]
        fn progression(self, first: i32, step: i32) -> __m256i {
            let step = self.splat(step.cast_unsigned());
            let products = self.0.avx2._mm256_mullo_epi32(self.words(&[0, 1, 2, 3, 4, 5, 6, 7]), step);
            self.add_words(self.splat(first.cast_unsigned()), products)
        }

        #[inline(always)]
        fn number(self, number: f64) -> [__m256d; 2] {
            [self.0.avx._mm256_set1_pd(number); 2]
        }

        #[inline(always)]
        fn fractions(self, first: i32, step: i32) -> [__m256d; 2] {
            [self.four_fractions(first, step, [0, 1, 2, 3]), self.four_fractions(first, step, [4, 5, 6, 7])]
        }

        #[inline(always)]
        fn rows(self, first: i32, step: i32) -> [__m256d; 2] {
            [self.four_fractions(first, step, [0; 4]), self.four_fractions(first, step, [1; 4])]
        }

        #[inline(always)]
        fn add_row(self, numbers: [__m256d; 2], rows: [__m256d; 2], row: usize) -> [__m256d; 2] {
            self.add(numbers, [rows[row % 2]; 2])
        }

        #[inline(always)]
        fn add(self, a: [__m256d; 2], b: [__m256d; 2]) -> [__m256d; 2] {
            [self.0.avx._mm256_add_pd(a[0], b[0]), self.0.avx._mm256_add_pd(a[1], b[1])]
        }

        #[inline(always)]
        fn mul(self, a: [__m256d; 2], b: [__m256d; 2]) -> [__m256d; 2] {
            [self.0.avx._mm256_mul_pd(a[0], b[0]), self.0.avx._mm256_mul_pd(a[1], b[1])]
        }

        #[inline(always)]
        fn div(self, a: [__m256d; 2], b: [__m256d; 2]) -> [__m256d; 2] {
            [self.0.avx._mm256_div_pd(a[0], b[0]), self.0.avx._mm256_div_pd(a[1], b[1])]
        }

        #[inline(always)]
        fn nearest(self, numbers: [__m256d; 2], max: u32) -> __m256i {
            let max = self.0.avx._mm256_set1_pd(f64::from(max));
            self.join(self.nearest_of_four(numbers[0], max), self.nearest_of_four(numbers[1], max))
        }

        #[inline(always)]
        fn binary32(self, numbers: [__m256d; 2]) -> __m256i {
            let (avx, avx2) = (self.0.avx, self.0.avx2);
            let [low, high] = [avx._mm256_cvtpd_ps(numbers[0]), avx._mm256_cvtpd_ps(numbers[1])];
            let rounded: __m256 = avx._mm256_set_m128(high, low);
            let is_nan = avx._mm256_cmp_ps::<_CMP_UNORD_Q>(rounded, rounded);
            let nan = avx._mm256_castsi256_ps(self.splat(NAN));
            let words = avx._mm256_castps_si256(avx._mm256_blendv_ps(rounded, nan, is_nan));
            // All bits but the sign, of numbers below the least normal one.
            let all = self.splat(i32::MAX.cast_unsigned());
            let magnitude = avx2._mm256_and_si256(words, all);
            let is_small = avx2._mm256_cmpgt_epi32(self.splat(1 << 23), magnitude);
            avx2._mm256_andnot_si256(avx2._mm256_and_si256(is_small, all), words)
        }

        #[inline(always)]
        fn normal_binary32(self, numbers: [__m256d; 2]) -> __m256i {
            let avx = self.0.avx;
            avx._mm256_castps_si256(
                avx._mm256_set_m128(avx._mm256_cvtpd_ps(numbers[1]), avx._mm256_cvtpd_ps(numbers[0])),
            )
        }

        #[inline(always)]
        fn rounded(self, numbers: [__m256d; 2]) -> [__m256d; 2] {
            let avx = self.0.avx;
            [avx._mm256_cvtps_pd(avx._mm256_cvtpd_ps(numbers[0])), avx._mm256_cvtps_pd(avx._mm256_cvtpd_ps(numbers[1]))]
        }

        #[inline(always)]
        fn clamped(self, numbers: [__m256d; 2], least: f64, most: f64) -> [__m256d; 2] {
            let avx = self.0.avx;
            let (least, most) = (avx._mm256_set1_pd(least), avx._mm256_set1_pd(most));
            // The second operand is the result where one is a NaN.
            [
                avx._mm256_min_pd(avx._mm256_max_pd(numbers[0], least), most),
                avx._mm256_min_pd(avx._mm256_max_pd(numbers[1], least), most),
            ]
        }

        #[inline(always)]
        fn singles(self, words: __m256i) -> __m256 {
            self.0.avx._mm256_castsi256_ps(words)
        }

        #[inline(always)]
        fn single_bits(self, numbers: __m256) -> __m256i {
            self.0.avx._mm256_castps_si256(numbers)
        }

        #[inline(always)]
        fn single(self, number: f32) -> __m256 {
            self.0.avx._mm256_set1_ps(number)
        }

        #[inline(always)]
        fn add_singles(self, a: __m256, b: __m256) -> __m256 {
            self.0.avx._mm256_add_ps(a, b)
        }

        #[inline(always)]
        fn sub_singles(self, a: __m256, b: __m256) -> __m256 {
            self.0.avx._mm256_sub_ps(a, b)
        }

        #[inline(always)]
        fn mul_singles(self, a: __m256, b: __m256) -> __m256 {
            self.0.avx._mm256_mul_ps(a, b)
        }

        #[inline(always)]
        fn least(self, a: __m256, b: __m256) -> __m256 {
            self.0.avx._mm256_min_ps(a, b)
        }

        #[inline(always)]
        fn greatest(self, a: __m256, b: __m256) -> __m256 {
            self.0.avx._mm256_max_ps(a, b)
        }

        #[inline(always)]
        fn codes(self, fractions: __m256, max: u32) -> __m256i {
            // From here on binary32 has integers alone, in the lowest bits. The product is exact and the sum rounded once; a half it is for 1/2 alone,
            // whose code is even.
            const INTEGERS: f32 = 8_388_608.0;
            let (integers, max) = (self.single(INTEGERS), max as f32);
            let fractions = self.greatest(fractions, self.single(0.0));
            let sum = self.0.fma._mm256_fmadd_ps(fractions, self.single(max), integers);
            let sum = self.least(sum, self.single(INTEGERS + max));
            self.and(self.0.avx._mm256_castps_si256(sum), self.splat(0x7F_FFFF))
        }

        #[inline(always)]
        fn fractions_of_codes(self, codes: __m256i, max: u32) -> __m256 {
            let (avx, fma) = (self.0.avx, self.0.fma);
            let (codes, divisor) = (avx._mm256_cvtepi32_ps(codes), max as f32);
            let (reciprocal, divisor) = (self.single(1.0 / divisor), self.single(divisor));
            // As for fractions of numbers: what is near the quotient leaves a rest that is exact, and corrects it.
            let near = avx._mm256_mul_ps(codes, reciprocal);
            let rest = fma._mm256_fnmadd_ps(near, divisor, codes);
            fma._mm256_fmadd_ps(rest, reciprocal, near)
        }

        #[inline(always)]
        fn components(self, vectors: &[[u32; 4]; TOGETHER]) -> [__m256i; 4] {
            let [a, b, c, d, e, f, g, h] = *vectors;
            let both = |low: [u32; 4], high: [u32; 4]| self.join(pulp::cast(low), pulp::cast(high));
            self.transposed([both(a, e), both(b, f), both(c, g), both(d, h)])
        }

        #[inline(always)]
        fn vectors(self, components: [__m256i; 4]) -> [[u32; 4]; TOGETHER] {
            let [a, b, c, d] = self.transposed(components);
            let ([a, e], [b, f]): ([[u32; 4]; 2], [[u32; 4]; 2]) = (pulp::cast(a), pulp::cast(b));
            let ([c, g], [d, h]): ([[u32; 4]; 2], [[u32; 4]; 2]) = (pulp::cast(c), pulp::cast(d));
            [a, b, c, d, e, f, g, h]
        }

        #[inline(always)]
        fn pack(self, bits: u8) -> __m256i {
            self.lanes(PACK[usize::from(bits)])
        }

        #[inline(always)]
        fn spread(self, bits: u8) -> __m256i {
            self.lanes(SPREAD[usize::from(bits)])
        }

        #[inline(always)]
        fn permuted(self, words: __m256i, lanes: __m256i) -> __m256i {
            self.0.avx2._mm256_permutevar8x32_epi32(words, lanes)
        }

        #[inline(always)]
        fn and(self, a: __m256i, b: __m256i) -> __m256i {
            self.0.avx2._mm256_and_si256(a, b)
        }

        #[inline(always)]
        fn or(self, a: __m256i, b: __m256i) -> __m256i {
            self.0.avx2._mm256_or_si256(a, b)
        }

        #[inline(always)]
        fn and_not(self, not: __m256i, b: __m256i) -> __m256i {
            self.0.avx2._mm256_andnot_si256(not, b)
        }

        #[inline(always)]
        fn xor(self, a: __m256i, b: __m256i) -> __m256i {
            self.0.avx2._mm256_xor_si256(a, b)
        }

        #[inline(always)]
        fn up<const N: i32>(self, words: __m256i) -> __m256i {
            self.0.avx2._mm256_slli_epi32::<N>(words)
        }

        #[inline(always)]
        fn down<const N: i32>(self, words: __m256i) -> __m256i {
            self.0.avx2._mm256_srli_epi32::<N>(words)
        }

        #[inline(always)]
        fn add_words(self, a: __m256i, b: __m256i) -> __m256i {
            self.0.avx2._mm256_add_epi32(a, b)
        }

        #[inline(always)]
        fn add_halves(self, a: __m256i, b: __m256i) -> __m256i {
            self.0.avx2._mm256_add_epi16(a, b)
        }

        #[inline(always)]
        fn mul_halves(self, a: __m256i, b: __m256i) -> __m256i {
            self.0.avx2._mm256_mullo_epi16(a, b)
        }

        #[inline(always)]
        fn down_halves<const N: i32>(self, words: __m256i) -> __m256i {
            self.0.avx2._mm256_srli_epi16::<N>(words)
        }

        #[inline(always)]
        fn greater(self, a: __m256i, b: __m256i) -> __m256i {
            self.0.avx2._mm256_cmpgt_epi32(a, b)
        }

        #[inline(always)]
        fn chosen(self, bits: u8) -> __m256i {
            let each = self.words(&[1, 2, 4, 8, 16, 32, 64, 128]);
            self.0.avx2._mm256_cmpeq_epi32(self.and(self.splat(bits.into()), each), each)
        }

        #[inline(always)]
        fn bits(self, conditions: __m256i) -> u8 {
            self.0.avx._mm256_movemask_ps(self.0.avx._mm256_castsi256_ps(conditions)) as u8
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbtest::arbitrary::{Result, Unstructured};

    /// Numbers of every kind that differ between roundings.
    fn number(u: &mut Unstructured) -> Result<f64> {
        Ok(match u.int_in_range(0..=5)? {
            0 => f64::from_bits(u.arbitrary()?),
            1 => f64::from(u.int_in_range(-8..=1_000_000)?) / 2.0,
            2 => f64::from(f32::from_bits(u.arbitrary()?)),
            3 => {
                f64::from_bits(f64::from(f32::from_bits(u.arbitrary()?)).to_bits().wrapping_add(u.int_in_range(0..=2)?))
            }
            4 => f64::from(f32::MIN_POSITIVE) * f64::from(u.int_in_range(-40..=40)?) / 16.0,
            _ => *u.choose(&[0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 16_777_214.5, 16_777_215.5])?,
        })
    }

    /// What all operations give.
    struct All {
        words: [Eight; 2],
        numbers: [[f64; TOGETHER]; 2],
        scalars: (i32, i32, u32, u8),
        vectors: [[u32; 4]; TOGETHER],
    }

    impl Task for &All {
        type Output = (Vec<Eight>, u8);

        fn run(self, s: impl Simd) -> Self::Output {
            let [a, b] = self.words.each_ref().map(|words| s.words(words));
            let (first, step, max, bits) = self.scalars;
            let mut found = vec![s.and(a, b), s.or(a, b), s.and_not(a, b), s.xor(a, b), s.up::<8>(a), s.down::<8>(a)];
            found.extend([s.add_words(a, b), s.progression(first, max.cast_signed()), s.progression(first, -step)]);
            found.extend([s.add_halves(a, b), s.mul_halves(a, b), s.down_halves::<8>(a)]);
            found.extend([
                s.greater(a, b),
                s.chosen(bits),
                s.splat(max),
                a,
                s.permuted(a, s.pack(bits)),
                s.permuted(a, s.spread(bits)),
            ]);
            // Vectors of different numbers come by conditions.
            for (n, (&x, &y)) in self.numbers[0].iter().zip(&self.numbers[1]).enumerate() {
                let (x, y) = (s.number(x), s.number(y));
                let fractions = s.fractions(first, step);
                let rows = s.rows(first, step);
                found.extend([s.normal_binary32(fractions), s.normal_binary32(rows)]);
                found.extend([0, 1].map(|row| s.normal_binary32(s.add_row(fractions, rows, row))));
                for numbers in [x, s.add(x, y), s.mul(x, fractions), s.div(x, y), s.add(fractions, y)] {
                    let one = s.chosen(1 << n);
                    found.extend([s.nearest(numbers, max), s.binary32(numbers), s.and(one, s.binary32(numbers))]);
                }
            }
            let depths = s.rounded(s.fractions(first, step));
            let range = [0.25, 1.0 + f64::from(step)];
            found.extend([s.normal_binary32(depths), s.normal_binary32(s.clamped(depths, range[0], range[1]))]);
            found.push(s.nearest(s.clamped(s.number(self.numbers[0][0]), 2.0, 7.0), max));
            // Not all are NaNs, whose bits are not said.
            let number = |words| s.greatest(s.singles(words), s.single(-1e30));
            let (x, y) = (number(a), number(s.and(b, s.splat(0x3FFF_FFFF))));
            let (low, high) = (s.least(x, y), s.greatest(y, s.single(0.5)));
            let sums = [s.add_singles(low, high), s.sub_singles(low, high), s.mul_singles(low, high)];
            let sums = sums.map(|numbers| s.least(numbers, s.single(2.0)));
            for numbers in [x, y, low, high, sums[0], sums[1], sums[2], s.singles(b)] {
                found.extend([s.codes(numbers, 255), s.codes(numbers, 3), s.codes(numbers, 0x3F_FFFF)]);
            }
            found.extend(s.components(&s.vectors([a, b, s.xor(a, b), s.splat(max)])));
            found.push(s.components(&self.vectors)[1]);
            (found.into_iter().map(|words| s.array(words)).collect(), s.bits(s.greater(a, b)))
        }
    }

    #[test]
    fn vectors_give_the_bits_of_pixels_one_by_one() {
        arbtest::arbtest(|u| {
            let mut numbers = [[0.0; TOGETHER]; 2];
            for place in numbers.as_flattened_mut() {
                *place = number(u)?;
            }
            let scalars = (
                u.int_in_range(-200_000..=200_000)?,
                u.int_in_range(1..=4096)?,
                u.int_in_range(0..=0x7FFF_FFFF)?,
                u.arbitrary()?,
            );
            let all = All { words: u.arbitrary()?, numbers, scalars, vectors: u.arbitrary()? };
            assert_eq!(dispatch(&all), all.run(Portable));
            Ok(())
        });
    }

    struct Codes(Eight, u32);

    impl Task for Codes {
        type Output = Eight;

        fn run(self, s: impl Simd) -> Eight {
            let fractions = s.fractions_of_codes(s.words(&self.0), self.1);
            s.array(s.single_bits(fractions))
        }
    }

    /// Every fraction of 8 and of 16 bits.
    #[test]
    fn fractions_of_codes_are_the_nearest() {
        for max in [0xFF_u32, 0xFFFF] {
            for first in (0..=max).step_by(TOGETHER) {
                let codes = std::array::from_fn(|n| first + n as u32);
                assert_eq!(dispatch(Codes(codes, max)), codes.map(|code| (code as f32 / max as f32).to_bits()));
            }
        }
    }

    /// Fractions, whose low bits show in what they differ from others by.
    struct Fractions {
        first: i32,
        step: i32,
        near: [f64; TOGETHER],
    }

    impl Task for Fractions {
        type Output = Eight;

        fn run(self, s: impl Simd) -> Eight {
            let fractions = s.fractions(self.first, self.step);
            let mut sum = s.splat(0);
            for (n, near) in self.near.into_iter().enumerate() {
                let difference = s.normal_binary32(s.mul(s.add(fractions, s.number(-near)), s.number(1e20)));
                sum = s.or(sum, s.and(s.chosen(1 << n), difference));
            }
            s.array(sum)
        }
    }

    #[test]
    fn fractions_are_rounded_once() {
        for step in [1, 3, 7, 12, 16, 255, 256, 4095, 4096] {
            let last = if step == 12 { 14 << 14 } else { 40_000 };
            for first in (-last..last).step_by(TOGETHER) {
                let near = std::array::from_fn(|n| f64::from(first + n as i32) / f64::from(step));
                let found = dispatch(Fractions { first, step: 1, near: near.map(|_| 0.0) });
                assert_eq!(found, Fractions { first, step: 1, near: near.map(|_| 0.0) }.run(Portable));
                let near = std::array::from_fn(|n| f64::from(first + n as i32 * step) / f64::from(step));
                assert_eq!(dispatch(Fractions { first, step, near }), [0; TOGETHER], "{first} {step}");
            }
        }
    }

    #[test]
    fn words_are_packed_and_spread() {
        let words = [10, 11, 12, 13, 14, 15, 16, 17];
        assert_eq!(Portable.permuted(words, Portable.pack(0b1010_0110))[..4], [11, 12, 15, 17]);
        let spread = Portable.permuted(words, Portable.spread(0b1010_0110));
        assert_eq!([spread[1], spread[2], spread[5], spread[7]], [10, 11, 12, 13]);
        for bits in 0..=u8::MAX {
            let found = Portable.permuted(Portable.permuted(words, Portable.pack(bits)), Portable.spread(bits));
            assert!((0..TOGETHER).all(|n| bits >> n & 1 == 0 || found[n] == words[n]), "{bits:b}");
        }
    }
}
