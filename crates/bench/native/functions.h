// Sine, cosine, exponential and logarithm of finite numbers, as exact as the kernels need them: about 2 units in the last place, of
// sines and cosines while the angle has fewer turns than a float has integers.
#pragma once
#include "vector.h"

// Parts of pi; the first has few bits, so that its product with a count of half turns is exact.
static const float PI_HIGH = 3.140625f, PI_LOW = 9.67653585e-4f;
static const float HALF_TURNS = 0.318309886f;

// The sine on [-pi/2, pi/2].
template <int N> INLINE Vec<N> sine_of_quarter(Vec<N> x) {
    Vec<N> square = x * x;
    Vec<N> sum = fma(square, Vec<N>(2.634276738e-6f), Vec<N>(-1.982259113e-4f));
    sum = fma(sum, square, Vec<N>(8.333241033e-3f));
    sum = fma(sum, square, Vec<N>(-1.666666595e-1f));
    return fma(sum * square, x, x);
}

// The number with its sign changed where the count is odd.
INLINE Vec<16> negated_if_odd(Vec<16> number, Vec<16> count) {
    __m512i sign = _mm512_slli_epi32(_mm512_cvtps_epi32(count.lanes), 31);
    return _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(number.lanes), sign));
}
template <int N> INLINE Vec<N> negated_if_odd(Vec<N> number, Vec<N> count) {
    return {negated_if_odd(number.low, count.low), negated_if_odd(number.high, count.high)};
}

template <int N> INLINE Vec<N> sine(Vec<N> x) {
    Vec<N> turns = nearest(x * HALF_TURNS);
    Vec<N> rest = fnma(turns, Vec<N>(PI_LOW), fnma(turns, Vec<N>(PI_HIGH), x));
    return negated_if_odd(sine_of_quarter(rest), turns);
}

template <int N> INLINE Vec<N> cosine(Vec<N> x) {
    Vec<N> before = nearest(fma(x, Vec<N>(HALF_TURNS), Vec<N>(-0.5f)));
    Vec<N> turns = before + 0.5f;
    Vec<N> rest = fnma(turns, Vec<N>(PI_LOW), fnma(turns, Vec<N>(PI_HIGH), x));
    return negated_if_odd(sine_of_quarter(rest), before + 1.0f);
}

// a * 2 ^ b for whole b.
BINARY(scaled, _mm512_scalef_ps(a.lanes, b.lanes))

template <int N> INLINE Vec<N> exp2(Vec<N> x) {
    Vec<N> whole = nearest(x), rest = x - whole;
    Vec<N> sum = fma(rest, Vec<N>(1.545316294e-4f), Vec<N>(1.339086336e-3f));
    sum = fma(sum, rest, Vec<N>(9.618082557e-3f));
    sum = fma(sum, rest, Vec<N>(5.550357114e-2f));
    sum = fma(sum, rest, Vec<N>(2.402265076e-1f));
    sum = fma(sum, rest, Vec<N>(6.931471880e-1f));
    return scaled(fma(sum, rest, Vec<N>(1.0f)), whole);
}

// A positive number is significand * 2 ^ exponent with a significand in [0.75, 1.5).
UNARY(significand, _mm512_getmant_ps(a.lanes, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src))
UNARY(exponent, _mm512_getexp_ps(_mm512_mul_ps(a.lanes, _mm512_set1_ps(4.0f / 3))))

template <int N> INLINE Vec<N> log2(Vec<N> x) {
    Vec<N> rest = significand(x) - 1.0f;
    Vec<N> sum = fma(rest, Vec<N>(7.639223760e-2f), Vec<N>(-1.725005220e-1f));
    sum = fma(sum, rest, Vec<N>(2.160132452e-1f));
    sum = fma(sum, rest, Vec<N>(-2.428877510e-1f));
    sum = fma(sum, rest, Vec<N>(2.882365201e-1f));
    sum = fma(sum, rest, Vec<N>(-3.605715677e-1f));
    sum = fma(sum, rest, Vec<N>(4.809007924e-1f));
    sum = fma(sum, rest, Vec<N>(-7.213485109e-1f));
    sum = fma(sum, rest, Vec<N>(1.442695038f));
    return fma(sum, rest, exponent(x));
}
