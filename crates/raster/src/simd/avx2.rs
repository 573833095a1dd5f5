//! Eight pixels by two vectors of four binary64 numbers, and one of eight words, on hosts with AVX2.

use super::{LANES, LaneWords, PACK, SPREAD, Simd, SimdTask};
use crate::NAN;
use ctm_memory::AvxAccess;
use pulp::x86::V3;
use std::arch::x86_64::{__m128i, __m256, __m256d, __m256i, _CMP_GE_OQ, _CMP_UNORD_Q};

/// From here on binary32 has integers alone, in the lowest bits. A product with what has all bits set is exact, and its sum with this rounded once; a
/// half it is for 1/2 alone, whose code is even.
const INTEGERS: f32 = 8_388_608.0;

/// By AVX2.
#[derive(Clone, Copy)]
pub struct Avx2(V3, AvxAccess);

impl Avx2 {
    /// Where the host has it.
    #[inline]
    pub fn new() -> Option<Self> {
        V3::try_new().and_then(Avx2::of)
    }

    /// Of a host that has it.
    #[inline]
    pub fn of(v3: V3) -> Option<Self> {
        AvxAccess::new().map(|access| Avx2(v3, access))
    }

    /// Does a task.
    #[inline(always)]
    pub fn run<T: SimdTask>(self, task: T) -> T::Output {
        struct Call<T>(Avx2, T);
        impl<T: SimdTask> pulp::NullaryFnOnce for Call<T> {
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

    #[inline(always)]
    fn four_quotients(self, integers: __m128i, divisor: i32) -> __m256d {
        let (avx, fma) = (self.0.avx, self.0.fma);
        let numerators = avx._mm256_cvtepi32_pd(integers);
        let divisor = f64::from(divisor);
        let (reciprocal, divisor) = (avx._mm256_set1_pd(1.0 / divisor), avx._mm256_set1_pd(divisor));
        // The nearest number to the reciprocal gives one near the quotient; what that leaves of the numerator is exact, and corrects it to
        // the nearest one.
        let near = avx._mm256_mul_pd(numerators, reciprocal);
        let rest = fma._mm256_fnmadd_pd(near, divisor, numerators);
        fma._mm256_fmadd_pd(rest, reciprocal, near)
    }

    #[inline(always)]
    fn lanes(self, lanes: [u8; LANES]) -> __m256i {
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

    /// The bits of binary32 numbers: denormals are zeros of their sign, and NaNs are [`NAN`].
    #[inline(always)]
    pub fn canonical(self, rounded: __m256) -> __m256i {
        let avx = self.0.avx;
        let is_nan = avx._mm256_cmp_ps::<_CMP_UNORD_Q>(rounded, rounded);
        let nan = avx._mm256_castsi256_ps(self.splat(NAN));
        let words = avx._mm256_castps_si256(avx._mm256_blendv_ps(rounded, nan, is_nan));
        self.flushed(words)
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
    type Rows = [__m256d; 2];
    type Singles = __m256;
    type Lanes = __m256i;
    type Access = AvxAccess;

    #[inline(always)]
    fn access(self) -> AvxAccess {
        self.1
    }

    #[inline(always)]
    fn words(self, words: &LaneWords) -> __m256i {
        pulp::cast(*words)
    }

    #[inline(always)]
    fn array(self, words: __m256i) -> LaneWords {
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
    fn quotients(self, integers: __m256i, divisor: i32) -> [__m256d; 2] {
        let avx = self.0.avx;
        let (low, high) = (avx._mm256_castsi256_si128(integers), avx._mm256_extractf128_si256::<1>(integers));
        [self.four_quotients(low, divisor), self.four_quotients(high, divisor)]
    }

    #[inline(always)]
    fn rows(self, first: i32, step: i32) -> [__m256d; 2] {
        let [upper, lower] = [first, first.wrapping_add(step)].map(i32::cast_unsigned);
        self.quotients(self.words(&[upper, upper, upper, upper, lower, lower, lower, lower]), step)
    }

    #[inline(always)]
    fn mul_rows(self, rows: [__m256d; 2], number: f64) -> [__m256d; 2] {
        self.mul(rows, self.number(number))
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
        let avx = self.0.avx;
        let [low, high] = [avx._mm256_cvtpd_ps(numbers[0]), avx._mm256_cvtpd_ps(numbers[1])];
        self.canonical(avx._mm256_set_m128(high, low))
    }

    #[inline(always)]
    fn normal_binary32(self, numbers: [__m256d; 2]) -> __m256i {
        let avx = self.0.avx;
        avx._mm256_castps_si256(avx._mm256_set_m128(avx._mm256_cvtpd_ps(numbers[1]), avx._mm256_cvtpd_ps(numbers[0])))
    }

    #[inline(always)]
    fn widened(self, singles: __m256) -> [__m256d; 2] {
        let avx = self.0.avx;
        let (low, high) = (avx._mm256_castps256_ps128(singles), avx._mm256_extractf128_ps::<1>(singles));
        [avx._mm256_cvtps_pd(low), avx._mm256_cvtps_pd(high)]
    }

    #[inline(always)]
    fn floors(self, numbers: [__m256d; 2]) -> __m256i {
        let avx = self.0.avx;
        let low = avx._mm256_cvttpd_epi32(avx._mm256_floor_pd(numbers[0]));
        let high = avx._mm256_cvttpd_epi32(avx._mm256_floor_pd(numbers[1]));
        self.join(low, high)
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
    fn div_singles(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_div_ps(a, b)
    }

    #[inline(always)]
    fn at_least(self, a: __m256, b: __m256) -> __m256i {
        self.0.avx._mm256_castps_si256(self.0.avx._mm256_cmp_ps::<_CMP_GE_OQ>(a, b))
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
        let (integers, max) = (self.single(INTEGERS), max as f32);
        let fractions = self.greatest(fractions, self.single(0.0));
        let sum = self.0.fma._mm256_fmadd_ps(fractions, self.single(max), integers);
        let sum = self.least(sum, self.single(INTEGERS + max));
        self.and(self.0.avx._mm256_castps_si256(sum), self.splat(0x7F_FFFF))
    }

    #[inline(always)]
    fn codes_of_fractions(self, fractions: __m256, max: u32) -> __m256i {
        let sum = self.0.fma._mm256_fmadd_ps(fractions, self.single(max as f32), self.single(INTEGERS));
        self.and(self.0.avx._mm256_castps_si256(sum), self.splat(0x7F_FFFF))
    }

    #[inline(always)]
    fn fractions_of_codes(self, codes: __m256i, max: u32) -> __m256 {
        let (avx, fma) = (self.0.avx, self.0.fma);
        // The reciprocal in two parts: for all codes the sum of both products is the rounded quotient.
        let high = 1.0 / max as f32;
        let low = (1.0 / f64::from(max) - f64::from(high)) as f32;
        let codes = avx._mm256_cvtepi32_ps(codes);
        fma._mm256_fmadd_ps(codes, self.single(high), avx._mm256_mul_ps(codes, self.single(low)))
    }

    #[inline(always)]
    fn components(self, vectors: &[[u32; 4]; LANES]) -> [__m256i; 4] {
        let [a, b, c, d, e, f, g, h] = *vectors;
        let both = |low: [u32; 4], high: [u32; 4]| self.join(pulp::cast(low), pulp::cast(high));
        self.transposed([both(a, e), both(b, f), both(c, g), both(d, h)])
    }

    #[inline(always)]
    fn vectors(self, components: [__m256i; 4]) -> [[u32; 4]; LANES] {
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
