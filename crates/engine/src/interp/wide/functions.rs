//! The functions of [`ctm_num::transcendental`], by the same steps in the same order.

use super::multiply_add::{Double, MultiplyAdd, Single, has_one_rounding};
use super::{EXPONENT, SIGN, each, flush, flush_result};
use core::arch::wasm32::*;
use ctm_num::transcendental::{EX2_COEFFICIENTS, LN2_COEFFICIENTS, NAN, SIN_COEFFICIENTS};

const ROUNDER: f32 = 12_582_912.0;
const UNIT_SPACED: u32 = 0x4B00_0000;
const SQRT_HALF: u32 = 0x3F35_04F3;
/// Arguments of powers beyond which nothing changes.
const MOST: f32 = 200.0;

/// A row of results of this function; what is doubtful, and lanes that make no stretch, `exact` does.
macro_rules! function {
    ($(#[$doc:meta])* $name:ident, $of:ident) => {
        $(#[$doc])*
        #[inline(never)]
        pub fn $name(d: &mut [u32], a: &[u32]) {
            let exact = |d: &mut [u32], [a]: [&[u32]; 1]| {
                d.iter_mut().zip(a).for_each(|(d, &a)| *d = ctm_num::transcendental::$name(a));
            };
            if has_one_rounding() {
                each(d, [a], |[a], doubtful| $of::<Single>(a, doubtful), exact);
            } else {
                each(d, [a], |[a], doubtful| $of::<Double>(a, doubtful), exact);
            }
        }
    };
}

function! {
    /// [`ctm_num::transcendental::ex2`].
    ex2, ex2_of
}
function! {
    /// [`ctm_num::transcendental::ln2`].
    ln2, ln2_of
}
function! {
    /// [`ctm_num::transcendental::sin`].
    sin, sin_of
}
function! {
    /// [`ctm_num::transcendental::cos`].
    cos, cos_of
}

/// The polynomial with these coefficients. No sum in it is a denormal for the arguments that it has here.
#[inline(always)]
fn horner<M: MultiplyAdd, const N: usize>(coefficients: &[u32; N], x: v128, doubtful: &mut v128) -> v128 {
    let start = u32x4_splat(coefficients[N - 1]);
    coefficients[..N - 1].iter().rev().fold(start, |sum, &c| M::multiply_add(sum, x, u32x4_splat(c), doubtful))
}

#[inline(always)]
fn ex2_of<M: MultiplyAdd>(a: v128, doubtful: &mut v128) -> v128 {
    let (x, rounder) = (flush(a), f32x4_splat(ROUNDER));
    let (most, least) = (f32x4_splat(MOST), f32x4_splat(-MOST));
    let x = v128_bitselect(most, x, f32x4_gt(x, most));
    let x = v128_bitselect(least, x, f32x4_lt(x, least));
    let shifted = f32x4_add(x, rounder);
    let f = f32x4_sub(x, f32x4_sub(shifted, rounder));
    let p = M::multiply_add(horner::<M, _>(&EX2_COEFFICIENTS, f, doubtful), f, f32x4_splat(1.0), doubtful);
    let n = i32x4_sub(shifted, rounder);
    let half = i32x4_shr(n, 1);
    let power = |n| i32x4_add(i32x4_shl(n, 23), f32x4_splat(1.0));
    let result = f32x4_mul(f32x4_mul(p, power(half)), power(i32x4_sub(n, half)));
    let result = v128_bitselect(u32x4_splat(NAN), result, f32x4_ne(result, result));
    flush_result(result, doubtful)
}

/// What is left of an argument in turns.
#[inline(always)]
fn reduce_turns(a: v128) -> v128 {
    let (x, unit_spaced) = (flush(a), u32x4_splat(UNIT_SPACED));
    let shift = v128_or(v128_and(x, u32x4_splat(SIGN)), unit_spaced);
    let near = f32x4_sub(f32x4_add(x, shift), shift);
    f32x4_sub(x, v128_bitselect(near, x, f32x4_lt(f32x4_abs(x), unit_spaced)))
}

#[inline(always)]
fn sin_quarter<M: MultiplyAdd>(r: v128, doubtful: &mut v128) -> v128 {
    let result = f32x4_mul(horner::<M, _>(&SIN_COEFFICIENTS, f32x4_mul(r, r), doubtful), r);
    let (size, one) = (f32x4_abs(result), f32x4_splat(1.0));
    let magnitude = v128_bitselect(one, size, f32x4_gt(size, one));
    let bits = v128_or(magnitude, v128_and(r, u32x4_splat(SIGN)));
    v128_bitselect(u32x4_splat(NAN), bits, f32x4_ne(result, result))
}

#[inline(always)]
fn sin_of<M: MultiplyAdd>(a: v128, doubtful: &mut v128) -> v128 {
    let r = reduce_turns(a);
    let half = v128_or(v128_and(r, u32x4_splat(SIGN)), f32x4_splat(0.5));
    let folded = v128_bitselect(f32x4_sub(half, r), r, f32x4_gt(f32x4_abs(r), f32x4_splat(0.25)));
    sin_quarter::<M>(folded, doubtful)
}

#[inline(always)]
fn cos_of<M: MultiplyAdd>(a: v128, doubtful: &mut v128) -> v128 {
    sin_quarter::<M>(f32x4_sub(f32x4_splat(0.25), f32x4_abs(reduce_turns(a))), doubtful)
}

#[inline(always)]
fn ln2_of<M: MultiplyAdd>(a: v128, doubtful: &mut v128) -> v128 {
    let x = flush(a);
    let exponent = i32x4_shr(i32x4_sub(x, u32x4_splat(SQRT_HALF)), 23);
    let d = f32x4_sub(i32x4_sub(x, i32x4_shl(exponent, 23)), f32x4_splat(1.0));
    let rounder = f32x4_splat(ROUNDER);
    let e = f32x4_sub(i32x4_add(rounder, exponent), rounder);
    let result = M::multiply_add(horner::<M, _>(&LN2_COEFFICIENTS, d, doubtful), d, e, doubtful);
    let (zero, infinity) = (f32x4_splat(0.0), u32x4_splat(EXPONENT));
    let result = v128_bitselect(result, infinity, f32x4_lt(x, infinity));
    let result = v128_bitselect(result, u32x4_splat(NAN), f32x4_gt(x, zero));
    v128_bitselect(f32x4_splat(f32::NEG_INFINITY), result, f32x4_eq(x, zero))
}
