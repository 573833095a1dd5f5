//! Eight binary64 numbers in one vector, on hosts with AVX-512; words and binary32 numbers are as by AVX2.

use super::avx2::Avx2;
use super::{LANES, LaneWords, Simd, SimdTask};
use ctm_memory::AvxAccess;
use pulp::x86::{V3, V4};
use std::arch::x86_64::{__m256, __m256i, __m512d, _MM_FROUND_TO_NEG_INF};

/// By AVX-512.
#[derive(Clone, Copy)]
pub struct Avx512 {
    v4: V4,
    words: Avx2,
}

impl Avx512 {
    /// Where the host has it.
    #[inline]
    pub fn new() -> Option<Self> {
        V4::try_new().and_then(|v4| Some(Avx512 { v4, words: Avx2::of(*v4)? }))
    }

    /// Does a task.
    #[inline(always)]
    pub fn run<T: SimdTask>(self, task: T) -> T::Output {
        struct Call<T>(Avx512, T);
        impl<T: SimdTask> pulp::NullaryFnOnce for Call<T> {
            type Output = T::Output;

            #[inline(always)]
            fn call(self) -> T::Output {
                self.1.run(self.0)
            }
        }
        self.v4.vectorize(Call(self, task))
    }
}

/// Operations that are those of AVX2.
macro_rules! as_by_avx2 {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(
            #[inline(always)]
            fn $name(self, $($argument: $type),*) -> $result {
                self.words.$name($($argument),*)
            }
        )*
    };
}

impl Simd for Avx512 {
    type Words = __m256i;
    type Numbers = __m512d;
    type Rows = [__m512d; 2];
    type Singles = __m256;
    type Lanes = __m256i;
    type Access = AvxAccess;

    as_by_avx2! {
        fn access() -> AvxAccess;
        fn words(words: &LaneWords) -> __m256i;
        fn array(words: __m256i) -> LaneWords;
        fn splat(word: u32) -> __m256i;
        fn progression(first: i32, step: i32) -> __m256i;
        fn singles(words: __m256i) -> __m256;
        fn single_bits(numbers: __m256) -> __m256i;
        fn single(number: f32) -> __m256;
        fn add_singles(a: __m256, b: __m256) -> __m256;
        fn sub_singles(a: __m256, b: __m256) -> __m256;
        fn mul_singles(a: __m256, b: __m256) -> __m256;
        fn div_singles(a: __m256, b: __m256) -> __m256;
        fn at_least(a: __m256, b: __m256) -> __m256i;
        fn least(a: __m256, b: __m256) -> __m256;
        fn greatest(a: __m256, b: __m256) -> __m256;
        fn codes(fractions: __m256, max: u32) -> __m256i;
        fn codes_of_fractions(fractions: __m256, max: u32) -> __m256i;
        fn fractions_of_codes(codes: __m256i, max: u32) -> __m256;
        fn components(vectors: &[[u32; 4]; LANES]) -> [__m256i; 4];
        fn vectors(components: [__m256i; 4]) -> [[u32; 4]; LANES];
        fn pack(bits: u8) -> __m256i;
        fn spread(bits: u8) -> __m256i;
        fn permuted(words: __m256i, lanes: __m256i) -> __m256i;
        fn and(a: __m256i, b: __m256i) -> __m256i;
        fn or(a: __m256i, b: __m256i) -> __m256i;
        fn and_not(not: __m256i, b: __m256i) -> __m256i;
        fn xor(a: __m256i, b: __m256i) -> __m256i;
        fn add_words(a: __m256i, b: __m256i) -> __m256i;
        fn add_halves(a: __m256i, b: __m256i) -> __m256i;
        fn mul_halves(a: __m256i, b: __m256i) -> __m256i;
        fn greater(a: __m256i, b: __m256i) -> __m256i;
        fn bits(conditions: __m256i) -> u8;
    }

    #[inline(always)]
    fn up<const N: i32>(self, words: __m256i) -> __m256i {
        self.words.up::<N>(words)
    }

    #[inline(always)]
    fn down<const N: i32>(self, words: __m256i) -> __m256i {
        self.words.down::<N>(words)
    }

    #[inline(always)]
    fn down_halves<const N: i32>(self, words: __m256i) -> __m256i {
        self.words.down_halves::<N>(words)
    }

    #[inline(always)]
    fn number(self, number: f64) -> __m512d {
        self.v4.avx512f._mm512_set1_pd(number)
    }

    #[inline(always)]
    fn quotients(self, integers: __m256i, divisor: i32) -> __m512d {
        let avx512 = self.v4.avx512f;
        let numerators = avx512._mm512_cvtepi32_pd(integers);
        // As by AVX2: what is near the quotient leaves a rest that is exact, and corrects it.
        let divisor = f64::from(divisor);
        let (reciprocal, divisor) = (self.number(1.0 / divisor), self.number(divisor));
        let near = avx512._mm512_mul_pd(numerators, reciprocal);
        let rest = avx512._mm512_fnmadd_pd(near, divisor, numerators);
        avx512._mm512_fmadd_pd(rest, reciprocal, near)
    }

    #[inline(always)]
    fn rows(self, first: i32, step: i32) -> [__m512d; 2] {
        let V3 { sse2, fma, .. } = *self.v4;
        // Two quotients as the others.
        let numerators = sse2._mm_cvtepi32_pd(sse2._mm_setr_epi32(first, first.wrapping_add(step), 0, 0));
        let divisor = f64::from(step);
        let (reciprocal, divisor) = (sse2._mm_set1_pd(1.0 / divisor), sse2._mm_set1_pd(divisor));
        let near = sse2._mm_mul_pd(numerators, reciprocal);
        let rest = fma._mm_fnmadd_pd(near, divisor, numerators);
        let [upper, lower]: [f64; 2] = pulp::cast(fma._mm_fmadd_pd(rest, reciprocal, near));
        [self.number(upper), self.number(lower)]
    }

    #[inline(always)]
    fn mul_rows(self, [upper, lower]: [__m512d; 2], number: f64) -> [__m512d; 2] {
        let number = self.number(number);
        [self.mul(upper, number), self.mul(lower, number)]
    }

    #[inline(always)]
    fn add_row(self, numbers: __m512d, rows: [__m512d; 2], row: usize) -> __m512d {
        self.add(numbers, rows[row % 2])
    }

    #[inline(always)]
    fn add(self, a: __m512d, b: __m512d) -> __m512d {
        self.v4.avx512f._mm512_add_pd(a, b)
    }

    #[inline(always)]
    fn mul(self, a: __m512d, b: __m512d) -> __m512d {
        self.v4.avx512f._mm512_mul_pd(a, b)
    }

    #[inline(always)]
    fn div(self, a: __m512d, b: __m512d) -> __m512d {
        self.v4.avx512f._mm512_div_pd(a, b)
    }

    #[inline(always)]
    fn nearest(self, numbers: __m512d, max: u32) -> __m256i {
        let avx512 = self.v4.avx512f;
        let clamped = self.clamped(numbers, 0.0, max.into());
        // What is not negative is rounded down where its fraction is left out.
        avx512._mm512_cvttpd_epi32(self.add(clamped, self.number(0.5)))
    }

    #[inline(always)]
    fn binary32(self, numbers: __m512d) -> __m256i {
        self.words.canonical(self.v4.avx512f._mm512_cvtpd_ps(numbers))
    }

    #[inline(always)]
    fn normal_binary32(self, numbers: __m512d) -> __m256i {
        self.single_bits(self.v4.avx512f._mm512_cvtpd_ps(numbers))
    }

    #[inline(always)]
    fn widened(self, singles: __m256) -> __m512d {
        self.v4.avx512f._mm512_cvtps_pd(singles)
    }

    #[inline(always)]
    fn floors(self, numbers: __m512d) -> __m256i {
        let avx512 = self.v4.avx512f;
        avx512._mm512_cvttpd_epi32(avx512._mm512_roundscale_pd::<_MM_FROUND_TO_NEG_INF>(numbers))
    }

    #[inline(always)]
    fn chosen(self, bits: u8) -> __m256i {
        self.v4.avx512dq._mm256_movm_epi32(bits)
    }

    #[inline(always)]
    fn rounded(self, numbers: __m512d) -> __m512d {
        let avx512 = self.v4.avx512f;
        avx512._mm512_cvtps_pd(avx512._mm512_cvtpd_ps(numbers))
    }

    #[inline(always)]
    fn clamped(self, numbers: __m512d, least: f64, most: f64) -> __m512d {
        let avx512 = self.v4.avx512f;
        // The second operand is the result where one is a NaN.
        avx512._mm512_min_pd(avx512._mm512_max_pd(numbers, self.number(least)), self.number(most))
    }
}
