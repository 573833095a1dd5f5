//! Multiply-adds, and what is made of them, with vectors of WebAssembly, which has no instruction for one rounding.
//!
//! The product is exact in binary64. The sum is rounded there, and the result once more to binary32; that is the same as one rounding
//! unless the first one ends in the middle between two binary32 numbers. Such lanes, and those whose results may have to be
//! flushed, are done again by the definition. Compilers make no vectors of such loops by themselves.

use core::arch::wasm32::*;
use ctm_lane::Zero;
use ctm_num::transcendental::{LN2_COEFFICIENTS, NAN, SIN_COEFFICIENTS};

const SIGN: u32 = 0x8000_0000;
const MAGNITUDE: u32 = 0x7FFF_FFFF;
const EXPONENT: u32 = 0x7F80_0000;
const MIN_NORMAL: u32 = 0x0080_0000;
/// As in [`ctm_num::transcendental`], whose steps these functions take.
const ROUNDER: f32 = 12_582_912.0;
const UNIT_SPACED: u32 = 0x4B00_0000;
const SQRT_HALF: u32 = 0x3F35_04F3;
/// Bits of a binary64 number behind those of a binary32 one, and what they are in the middle between two of these.
const BEHIND: u32 = 0x1FFF_FFFF;
const MIDDLE: u32 = 0x1000_0000;

#[inline(always)]
fn load(lanes: &[u32; 4]) -> v128 {
    u32x4(lanes[0], lanes[1], lanes[2], lanes[3])
}

/// Denormals become zeros of their sign.
#[inline(always)]
fn flush(bits: v128) -> v128 {
    let is_tiny = u32x4_eq(v128_and(bits, u32x4_splat(EXPONENT)), u32x4_splat(0));
    v128_andnot(bits, v128_and(is_tiny, u32x4_splat(MAGNITUDE)))
}

/// The sums of two lanes.
#[inline(always)]
fn sum(a: v128, b: v128, c: v128) -> v128 {
    let product = f64x2_mul(f64x2_promote_low_f32x4(a), f64x2_promote_low_f32x4(b));
    f64x2_add(product, f64x2_promote_low_f32x4(c))
}

/// Four lanes of a multiply-add. Adds to `doubtful` those that may have one rounding too many, if no result is a denormal.
#[inline(always)]
fn mul_add(a: v128, b: v128, c: v128, doubtful: &mut v128) -> v128 {
    let upper = |v| u32x4_shuffle::<2, 3, 2, 3>(v, v);
    let (low, high) = (sum(a, b, c), sum(upper(a), upper(b), upper(c)));
    // The lower words have all of what is behind.
    let behind = v128_and(u32x4_shuffle::<0, 2, 4, 6>(low, high), u32x4_splat(BEHIND));
    *doubtful = v128_or(*doubtful, u32x4_eq(behind, u32x4_splat(MIDDLE)));
    u32x4_shuffle::<0, 1, 4, 5>(f32x4_demote_f64x2_zero(low), f32x4_demote_f64x2_zero(high))
}

#[inline(always)]
fn store(d: &mut [u32; 4], bits: v128) {
    *d = [
        u32x4_extract_lane::<0>(bits),
        u32x4_extract_lane::<1>(bits),
        u32x4_extract_lane::<2>(bits),
        u32x4_extract_lane::<3>(bits),
    ];
}

/// Four lanes of a multiply-add whose operands and results are flushed. Bit n of `NORMAL`: operand n is no denormal. Says whether all of them
/// are right.
#[inline(always)]
fn four<const NORMAL: u8>(d: &mut [u32; 4], a: &[u32; 4], b: &[u32; 4], c: &[u32; 4], zero: Zero) -> bool {
    let operand = |number: u8, lanes| if NORMAL >> number & 1 != 0 { load(lanes) } else { flush(load(lanes)) };
    let (a, b, c) = (operand(0, a), operand(1, b), operand(2, c));
    let mut doubtful = u32x4_splat(0);
    let result = mul_add(a, b, c, &mut doubtful);
    let vanishes = || v128_or(f32x4_eq(a, f32x4_splat(0.0)), f32x4_eq(b, f32x4_splat(0.0)));
    let addend = || f32x4_add(c, f32x4_splat(0.0));
    let result = match zero {
        Zero::Ieee => result,
        // Zero times infinity or NaN always shows as a NaN result.
        Zero::Special => v128_bitselect(addend(), result, v128_and(f32x4_ne(result, result), vanishes())),
        Zero::Always => v128_bitselect(addend(), result, vanishes()),
    };
    let magnitude = v128_and(result, u32x4_splat(MAGNITUDE));
    let is_tiny = u32x4_lt(magnitude, u32x4_splat(MIN_NORMAL));
    doubtful = v128_or(doubtful, u32x4_eq(magnitude, u32x4_splat(MIN_NORMAL)));
    store(d, v128_andnot(result, v128_and(is_tiny, u32x4_splat(!SIGN))));
    !v128_any_true(doubtful)
}

/// A multiply-add whose operands and results are flushed. Bit n of `normal`: row n has no denormals. What is doubtful, and lanes that make no
/// four, `exact` does.
#[inline(always)]
pub fn fma(
    d: &mut [u32],
    rows: (&[u32], &[u32], &[u32]),
    normal: u8,
    zero: Zero,
    exact: impl Fn(&mut [u32], &[u32], &[u32], &[u32]),
) {
    match normal & 7 {
        0 => fma_of::<0>(d, rows, zero, exact),
        1 => fma_of::<1>(d, rows, zero, exact),
        2 => fma_of::<2>(d, rows, zero, exact),
        3 => fma_of::<3>(d, rows, zero, exact),
        4 => fma_of::<4>(d, rows, zero, exact),
        5 => fma_of::<5>(d, rows, zero, exact),
        6 => fma_of::<6>(d, rows, zero, exact),
        _ => fma_of::<7>(d, rows, zero, exact),
    }
}

#[inline(always)]
fn fma_of<const NORMAL: u8>(
    d: &mut [u32],
    (a, b, c): (&[u32], &[u32], &[u32]),
    zero: Zero,
    exact: impl Fn(&mut [u32], &[u32], &[u32], &[u32]),
) {
    let n = d.len();
    let ((fours, rest), (a4, a_rest)) = (d.as_chunks_mut::<4>(), a[..n].as_chunks::<4>());
    let ((b4, b_rest), (c4, c_rest)) = (b[..n].as_chunks::<4>(), c[..n].as_chunks::<4>());
    for (((d, a), b), c) in fours.iter_mut().zip(a4).zip(b4).zip(c4) {
        if !four::<NORMAL>(d, a, b, c, zero) {
            exact(d, a, b, c);
        }
    }
    exact(rest, a_rest, b_rest, c_rest);
}

/// The polynomial with these coefficients, as in [`ctm_num::transcendental`]. No sum in it is a denormal for the arguments that it has here.
#[inline(always)]
fn horner<const N: usize>(coefficients: &[u32; N], x: v128, doubtful: &mut v128) -> v128 {
    let start = u32x4_splat(coefficients[N - 1]);
    coefficients[..N - 1].iter().rev().fold(start, |sum, &c| mul_add(sum, x, u32x4_splat(c), doubtful))
}

/// What is left of an argument in turns, as in [`ctm_num::transcendental::sin`].
#[inline(always)]
fn reduce_turns(a: v128) -> v128 {
    let (x, unit_spaced) = (flush(a), u32x4_splat(UNIT_SPACED));
    let shift = v128_or(v128_and(x, u32x4_splat(SIGN)), unit_spaced);
    let near = f32x4_sub(f32x4_add(x, shift), shift);
    f32x4_sub(x, v128_bitselect(near, x, f32x4_lt(f32x4_abs(x), unit_spaced)))
}

#[inline(always)]
fn sin_quarter(r: v128, doubtful: &mut v128) -> v128 {
    let result = f32x4_mul(horner(&SIN_COEFFICIENTS, f32x4_mul(r, r), doubtful), r);
    let (size, one) = (f32x4_abs(result), f32x4_splat(1.0));
    let magnitude = v128_bitselect(one, size, f32x4_gt(size, one));
    let bits = v128_or(magnitude, v128_and(r, u32x4_splat(SIGN)));
    v128_bitselect(u32x4_splat(NAN), bits, f32x4_ne(result, result))
}

#[inline(always)]
fn sin_of(a: v128, doubtful: &mut v128) -> v128 {
    let r = reduce_turns(a);
    let half = v128_or(v128_and(r, u32x4_splat(SIGN)), f32x4_splat(0.5));
    sin_quarter(v128_bitselect(f32x4_sub(half, r), r, f32x4_gt(f32x4_abs(r), f32x4_splat(0.25))), doubtful)
}

#[inline(always)]
fn cos_of(a: v128, doubtful: &mut v128) -> v128 {
    sin_quarter(f32x4_sub(f32x4_splat(0.25), f32x4_abs(reduce_turns(a))), doubtful)
}

#[inline(always)]
fn ln2_of(a: v128, doubtful: &mut v128) -> v128 {
    let x = flush(a);
    let exponent = i32x4_shr(i32x4_sub(x, u32x4_splat(SQRT_HALF)), 23);
    let d = f32x4_sub(i32x4_sub(x, i32x4_shl(exponent, 23)), f32x4_splat(1.0));
    let rounder = f32x4_splat(ROUNDER);
    let e = f32x4_sub(i32x4_add(rounder, exponent), rounder);
    let result = mul_add(horner(&LN2_COEFFICIENTS, d, doubtful), d, e, doubtful);
    let (zero, infinity) = (f32x4_splat(0.0), f32x4_splat(f32::INFINITY));
    let result = v128_bitselect(result, infinity, f32x4_lt(x, infinity));
    let result = v128_bitselect(result, u32x4_splat(NAN), f32x4_gt(x, zero));
    v128_bitselect(f32x4_splat(f32::NEG_INFINITY), result, f32x4_eq(x, zero))
}

/// A function of one row; what is doubtful, and lanes that make no four, `exact` does.
#[inline(always)]
fn each(d: &mut [u32], a: &[u32], of: impl Fn(v128, &mut v128) -> v128, exact: impl Fn(u32) -> u32) {
    let n = d.len();
    let ((fours, rest), (a4, a_rest)) = (d.as_chunks_mut::<4>(), a[..n].as_chunks::<4>());
    for (d, a) in fours.iter_mut().zip(a4) {
        let mut doubtful = u32x4_splat(0);
        store(d, of(load(a), &mut doubtful));
        if v128_any_true(doubtful) {
            *d = a.map(&exact);
        }
    }
    rest.iter_mut().zip(a_rest).for_each(|(d, &a)| *d = exact(a));
}

/// [`ctm_num::transcendental::sin`].
#[inline(always)]
pub fn sin(d: &mut [u32], a: &[u32]) {
    each(d, a, sin_of, ctm_num::transcendental::sin);
}

/// [`ctm_num::transcendental::cos`].
#[inline(always)]
pub fn cos(d: &mut [u32], a: &[u32]) {
    each(d, a, cos_of, ctm_num::transcendental::cos);
}

/// [`ctm_num::transcendental::ln2`].
#[inline(always)]
pub fn ln2(d: &mut [u32], a: &[u32]) {
    each(d, a, ln2_of, ctm_num::transcendental::ln2);
}
