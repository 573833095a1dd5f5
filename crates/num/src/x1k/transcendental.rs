//! EX2, LN2, RCP, RSQ, SIN and COS.
//!
//! Each is one sequence of binary32 steps without branches, so that engines can do the same steps on vectors and get the
//! same bits.

use super::X1K_NAN;
use crate::flushed::{self, flush};

/// (2^f - 1) / f for |f| <= 1/2, lowest degree first.
pub const EX2_COEFFICIENTS: [u32; 6] = [0x3F31_7219, 0x3E75_FDF1, 0x3D63_5739, 0x3C1D_9387, 0x3AAF_B93B, 0x3923_85A1];

/// log2(1 + d) / d for 1 + d in [sqrt(1/2), sqrt(2)), lowest degree first.
pub const LN2_COEFFICIENTS: [u32; 9] = [
    0x3FB8_AA3B,
    0xBF38_AA38,
    0x3EF6_39EB,
    0xBEB8_AE27,
    0x3E93_69C2,
    0xBE74_ADF4,
    0x3E5C_E48A,
    0xBE54_3E80,
    0x3E00_DB6D,
];

/// sin(2 pi r) / r as a polynomial in r^2 for |r| <= 1/4, lowest degree first.
pub const SIN_COEFFICIENTS: [u32; 5] = [0x40C9_0FDB, 0xC225_5DE1, 0x42A3_3458, 0xC299_2665, 0x421E_D7FB];

const SIGN: u32 = 0x8000_0000;
const ONE: u32 = 0x3F80_0000;
const INFINITY: u32 = 0x7F80_0000;
const MINUS_INFINITY: u32 = 0xFF80_0000;
/// 1.5 * 2^23: adding it to a number below 2^22 rounds that number to an integer, which then is the low bits of the sum.
const ROUNDER: f32 = 12_582_912.0;
/// 2^23: the same with a number of the same sign below 2^23.
const UNIT_SPACED: u32 = 0x4B00_0000;
/// The bits of sqrt(1/2), rounded down.
const SQRT_HALF: u32 = 0x3F35_04F3;

/// The polynomial with these coefficients, lowest degree first: one multiply-add per degree, from the highest.
#[inline]
fn horner<const N: usize>(coefficients: &[u32; N], x: f32) -> f32 {
    let start = f32::from_bits(coefficients[N - 1]);
    coefficients[..N - 1].iter().rev().fold(start, |sum, &c| sum.mul_add(x, f32::from_bits(c)))
}

/// 2^a.
pub fn ex2(a: u32) -> u32 {
    let x = f32::from_bits(flush(a));
    let x = if x > 200.0 { 200.0 } else { x };
    let x = if x < -200.0 { -200.0 } else { x };
    let shifted = x + ROUNDER;
    let f = x - (shifted - ROUNDER);
    let p = horner(&EX2_COEFFICIENTS, f).mul_add(f, 1.0);
    // Two factors, as 2^n itself may be no binary32 number.
    let n = shifted.to_bits().wrapping_sub(ROUNDER.to_bits()) as i32;
    let half = n >> 1;
    let first = (half.wrapping_shl(23) as u32).wrapping_add(ONE);
    let second = ((n - half).wrapping_shl(23) as u32).wrapping_add(ONE);
    let scaled = (p * f32::from_bits(first)).to_bits();
    let result = flushed::mul::<X1K_NAN>(scaled, second);
    if x.is_nan() { X1K_NAN } else { result }
}

/// log2(a).
pub fn ln2(a: u32) -> u32 {
    let exponent = (a.wrapping_sub(SQRT_HALF) as i32) >> 23;
    let m = f32::from_bits(a.wrapping_sub((exponent << 23) as u32));
    let d = m - 1.0;
    let e = f32::from_bits(ROUNDER.to_bits().wrapping_add(exponent as u32)) - ROUNDER;
    let result = horner(&LN2_COEFFICIENTS, d).mul_add(d, e).to_bits();
    let x = f32::from_bits(flush(a));
    let result = if x < f32::INFINITY { result } else { INFINITY };
    let result = if x > 0.0 { result } else { X1K_NAN };
    if x == 0.0 { MINUS_INFINITY } else { result }
}

/// 1/a.
#[inline]
pub fn rcp(a: u32) -> u32 {
    flushed::div::<X1K_NAN>(ONE, a)
}

/// 1/sqrt(a): the square root, then its reciprocal, each rounded.
#[inline]
pub fn rsq(a: u32) -> u32 {
    rcp(flushed::sqrt::<X1K_NAN>(a))
}

/// x - n with the integer n nearest to x, ties to even: exact, in [-1/2, 1/2]. NaN for infinities.
#[inline]
fn reduce_turns(x: f32) -> f32 {
    let shift = f32::from_bits(x.to_bits() & SIGN | UNIT_SPACED);
    let near = (x + shift) - shift;
    let n = if x.abs() < f32::from_bits(UNIT_SPACED) { near } else { x };
    x - n
}

/// sin(2 pi r) for |r| <= 1/4, as bits; NaN gives the standard NaN.
#[inline]
fn sin_quarter(r: f32) -> u32 {
    let result = horner(&SIN_COEFFICIENTS, r * r) * r;
    let magnitude = if result.abs() > 1.0 { 1.0 } else { result.abs() };
    let bits = magnitude.to_bits() | r.to_bits() & SIGN;
    if result.is_nan() { X1K_NAN } else { bits }
}

/// sin(2 pi a): the argument is in turns.
pub fn sin(a: u32) -> u32 {
    let x = f32::from_bits(flush(a));
    let r = reduce_turns(x);
    let half = f32::from_bits(r.to_bits() & SIGN | 0.5f32.to_bits());
    let folded = if r.abs() > 0.25 { half - r } else { r };
    let result = sin_quarter(folded);
    if x == 0.0 { x.to_bits() } else { result }
}

/// cos(2 pi a): the argument is in turns.
pub fn cos(a: u32) -> u32 {
    let r = reduce_turns(f32::from_bits(flush(a)));
    sin_quarter(0.25 - r.abs())
}
