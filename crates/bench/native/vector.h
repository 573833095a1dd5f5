// Floats of many pixels at a time: 16 fill a register of AVX-512; more are registers side by side, whose operations depend on
// each other as little as those of different pixels do.
#pragma once
#include <immintrin.h>

#ifndef __AVX512F__
#error "the native kernels need a processor with AVX-512"
#endif

#define INLINE inline __attribute__((always_inline))

// So many floats, a power of two from 16 on.
template <int N> struct Vec {
    Vec<N / 2> low, high;
    INLINE Vec() {}
    INLINE Vec(float value) : low(value), high(value) {}
    INLINE Vec(Vec<N / 2> low, Vec<N / 2> high) : low(low), high(high) {}
};
template <> struct Vec<16> {
    __m512 lanes;
    INLINE Vec() {}
    INLINE Vec(float value) : lanes(_mm512_set1_ps(value)) {}
    INLINE Vec(__m512 lanes) : lanes(lanes) {}
};

// A truth value for each of them.
template <int N> struct Mask {
    Mask<N / 2> low, high;
    INLINE Mask(Mask<N / 2> low, Mask<N / 2> high) : low(low), high(high) {}
};
template <> struct Mask<16> {
    __mmask16 lanes;
    INLINE Mask(__mmask16 lanes) : lanes(lanes) {}
};

// Defines an operation of registers for all numbers of floats: one, two or three operands.
#define UNARY(name, value)                                                                          \
    INLINE Vec<16> name(Vec<16> a) { return value; }                                                \
    template <int N> INLINE Vec<N> name(Vec<N> a) { return {name(a.low), name(a.high)}; }
#define BINARY(name, value)                                                                         \
    INLINE Vec<16> name(Vec<16> a, Vec<16> b) { return value; }                                     \
    template <int N> INLINE Vec<N> name(Vec<N> a, Vec<N> b) { return {name(a.low, b.low), name(a.high, b.high)}; } \
    template <int N> INLINE Vec<N> name(Vec<N> a, float b) { return name(a, Vec<N>(b)); }           \
    template <int N> INLINE Vec<N> name(float a, Vec<N> b) { return name(Vec<N>(a), b); }
#define TERNARY(name, value)                                                                        \
    INLINE Vec<16> name(Vec<16> a, Vec<16> b, Vec<16> c) { return value; }                          \
    template <int N> INLINE Vec<N> name(Vec<N> a, Vec<N> b, Vec<N> c) {                             \
        return {name(a.low, b.low, c.low), name(a.high, b.high, c.high)};                           \
    }
#define COMPARISON(name, predicate)                                                                 \
    INLINE Mask<16> name(Vec<16> a, Vec<16> b) { return {_mm512_cmp_ps_mask(a.lanes, b.lanes, predicate)}; } \
    template <int N> INLINE Mask<N> name(Vec<N> a, Vec<N> b) { return {name(a.low, b.low), name(a.high, b.high)}; } \
    template <int N> INLINE Mask<N> name(Vec<N> a, float b) { return name(a, Vec<N>(b)); }

BINARY(operator+, _mm512_add_ps(a.lanes, b.lanes))
BINARY(operator-, _mm512_sub_ps(a.lanes, b.lanes))
BINARY(operator*, _mm512_mul_ps(a.lanes, b.lanes))
BINARY(smaller, _mm512_min_ps(a.lanes, b.lanes))
BINARY(greater, _mm512_max_ps(a.lanes, b.lanes))
// a * b + c, c - a * b, rounded once.
TERNARY(fma, _mm512_fmadd_ps(a.lanes, b.lanes, c.lanes))
TERNARY(fnma, _mm512_fnmadd_ps(a.lanes, b.lanes, c.lanes))
UNARY(magnitude, _mm512_abs_ps(a.lanes))
UNARY(below, _mm512_roundscale_ps(a.lanes, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC))
UNARY(nearest, _mm512_roundscale_ps(a.lanes, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))
UNARY(root, _mm512_sqrt_ps(a.lanes))
UNARY(inverse_root, _mm512_div_ps(_mm512_set1_ps(1), _mm512_sqrt_ps(a.lanes)))
COMPARISON(operator>, _CMP_GT_OQ)
COMPARISON(operator<, _CMP_LT_OQ)

INLINE Mask<16> operator&(Mask<16> a, Mask<16> b) { return {_kand_mask16(a.lanes, b.lanes)}; }
template <int N> INLINE Mask<N> operator&(Mask<N> a, Mask<N> b) { return {a.low & b.low, a.high & b.high}; }
INLINE Mask<16> operator|(Mask<16> a, Mask<16> b) { return {_kor_mask16(a.lanes, b.lanes)}; }
template <int N> INLINE Mask<N> operator|(Mask<N> a, Mask<N> b) { return {a.low | b.low, a.high | b.high}; }
INLINE Mask<16> without(Mask<16> a, Mask<16> b) { return {_kandn_mask16(b.lanes, a.lanes)}; }
template <int N> INLINE Mask<N> without(Mask<N> a, Mask<N> b) { return {without(a.low, b.low), without(a.high, b.high)}; }
INLINE unsigned any_of(Mask<16> a) { return a.lanes; }
template <int N> INLINE unsigned any_of(Mask<N> a) { return any_of(a.low) | any_of(a.high); }
template <int N> INLINE bool any(Mask<N> a) { return any_of(a) != 0; }

// a where the mask is true, otherwise b.
INLINE Vec<16> choose(Mask<16> mask, Vec<16> a, Vec<16> b) { return _mm512_mask_blend_ps(mask.lanes, b.lanes, a.lanes); }
template <int N> INLINE Vec<N> choose(Mask<N> mask, Vec<N> a, Vec<N> b) {
    return {choose(mask.low, a.low, b.low), choose(mask.high, a.high, b.high)};
}

// first, first + 1, first + 2...
template <int N> INLINE Vec<N> count_from(float first) {
    if constexpr (N == 16) {
        return _mm512_add_ps(_mm512_set1_ps(first), _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    } else {
        return {count_from<N / 2>(first), count_from<N / 2>(first + N / 2)};
    }
}

template <int N> INLINE Vec<N> load(const float *from) {
    if constexpr (N == 16) {
        return _mm512_loadu_ps(from);
    } else {
        return {load<N / 2>(from), load<N / 2>(from + N / 2)};
    }
}

INLINE void store_floats(float *to, Vec<16> floats) { _mm512_storeu_ps(to, floats.lanes); }
template <int N> INLINE void store_floats(float *to, Vec<N> floats) {
    store_floats(to, floats.low);
    store_floats(to + N / 2, floats.high);
}

INLINE __m512 pairs_low(__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}
INLINE __m512 pairs_high(__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

// Writes pixels side by side from one register for each channel.
INLINE void store(float *to, Vec<16> r, Vec<16> g, Vec<16> b, Vec<16> a) {
    __m512 rg = _mm512_unpacklo_ps(r.lanes, g.lanes), ba = _mm512_unpacklo_ps(b.lanes, a.lanes);
    __m512 rg_high = _mm512_unpackhi_ps(r.lanes, g.lanes), ba_high = _mm512_unpackhi_ps(b.lanes, a.lanes);
    // Every fourth pixel, from the first, second, third and fourth on.
    __m512 from0 = pairs_low(rg, ba), from1 = pairs_high(rg, ba);
    __m512 from2 = pairs_low(rg_high, ba_high), from3 = pairs_high(rg_high, ba_high);
    __m512 left = _mm512_shuffle_f32x4(from0, from1, 0x44), right = _mm512_shuffle_f32x4(from2, from3, 0x44);
    __m512 left_high = _mm512_shuffle_f32x4(from0, from1, 0xEE), right_high = _mm512_shuffle_f32x4(from2, from3, 0xEE);
    _mm512_storeu_ps(to, _mm512_shuffle_f32x4(left, right, 0x88));
    _mm512_storeu_ps(to + 16, _mm512_shuffle_f32x4(left, right, 0xDD));
    _mm512_storeu_ps(to + 32, _mm512_shuffle_f32x4(left_high, right_high, 0x88));
    _mm512_storeu_ps(to + 48, _mm512_shuffle_f32x4(left_high, right_high, 0xDD));
}
template <int N> INLINE void store(float *to, Vec<N> r, Vec<N> g, Vec<N> b, Vec<N> a) {
    store(to, r.low, g.low, b.low, a.low);
    store(to + 2 * N, r.high, g.high, b.high, a.high);
}
