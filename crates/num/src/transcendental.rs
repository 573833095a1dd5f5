//! EX2, LN2, RCP, RSQ, SIN and COS.
//!
//! Each is one fixed sequence of binary32 additions, multiplications, fused multiply-adds, divisions, square roots,
//! integer operations and selections, without branches. An engine that does the same steps in the same order, on scalars
//! or on vectors, gets the same bits. Their errors are in `docs/accuracy.md`.
//!
//! What an engine may rely on:
//!
//! - Every step rounds to nearest even. No step but the last can have a tiny result, save the square in SIN and COS, which
//!   then is absorbed by a much larger addend. So the steps may flush denormals or keep them.
//! - Arguments are flushed first. Selections are written `condition ? x : y`; a comparison with a NaN is false.
//! - A NaN passes through the steps with whatever bits; a last selection makes it the standard one.
//!
//! Special values follow IEEE-754 and D3D10 where the CTM Guide (p.42-43) has none. X1K and R700 share the sequences:
//!
//! | | NaN | -inf | below 0 | -0 | +0 | +inf | exact for |
//! |---|---|---|---|---|---|---|---|
//! | EX2 | NaN | +0 | | 1 | 1 | +inf | integers |
//! | LN2 | NaN | NaN | NaN | -inf | -inf | +inf | powers of two |
//! | RCP | NaN | -0 | | -inf | +inf | +0 | powers of two |
//! | RSQ | NaN | NaN | NaN | -inf | +inf | +0 | even powers of two |
//! | SIN | NaN | NaN | | -0 | +0 | NaN | multiples of 1/4 |
//! | COS | NaN | NaN | | 1 | 1 | NaN | multiples of 1/4 |
//!
//! Denormal arguments count as zeros; results that would be denormal are zeros. A zero result is +0, but for RCP of -inf
//! and of numbers below -2^126, and SIN of -0.

use crate::flushed::{self, flush};
use crate::fused::mul_add;

/// The result of every sequence that has no number for a result.
pub const NAN: u32 = 0x7FFF_FFFF;

/// Coefficients of (2^f - 1) / f for |f| <= 1/2, lowest degree first. Minimax for the relative error of 2^f, 2^-28.5
/// before they were rounded.
pub const EX2_COEFFICIENTS: [u32; 6] = [0x3F31_7219, 0x3E75_FDF1, 0x3D63_5739, 0x3C1D_9387, 0x3AAF_B93B, 0x3923_85A1];

/// Coefficients of log2(1 + d) / d for 1 + d from sqrt(1/2) to sqrt(2), lowest degree first. Minimax for the relative
/// error, 2^-25.2 before they were rounded.
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

/// Coefficients of sin(2 pi r) / r as a polynomial in r^2 for |r| <= 1/4, lowest degree first. Minimax for the relative
/// error, 2^-27.5 before they were rounded.
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

/// The polynomial with these coefficients c: the last of them, then `sum = fma(sum, x, c[k])` for the others from the
/// last to the first.
#[inline(always)]
fn horner<const N: usize>(coefficients: &[u32; N], x: f32) -> f32 {
    let start = f32::from_bits(coefficients[N - 1]);
    coefficients[..N - 1].iter().rev().fold(start, |sum, &c| mul_add(sum, x, f32::from_bits(c)))
}

/// 2^a.
///
/// ```text
/// x = x > 200 ? 200 : x;  x = x < -200 ? -200 : x        (far beyond overflow and underflow)
/// t = x + 0x1.8p23;  n = bits(t) - bits(0x1.8p23);  f = x - (t - 0x1.8p23)
/// p = fma(horner(EX2_COEFFICIENTS, f), f, 1)
/// h = n >> 1 (arithmetic);  result = (p * 2^h) * 2^(n-h)   (2^k has the bits (k << 23) + bits(1.0))
/// result = result is NaN ? NaN : result
/// ```
#[inline]
pub fn ex2(a: u32) -> u32 {
    let [scaled, factor] = ex2_factors(a);
    flushed::mul::<NAN>(scaled.to_bits(), factor.to_bits())
}

/// The two numbers whose flushed product is [`ex2`]: p * 2^h and 2^(n-h).
#[inline(always)]
pub fn ex2_factors(a: u32) -> [f32; 2] {
    let x = f32::from_bits(flush(a));
    let x = if x > 200.0 { 200.0 } else { x };
    let x = if x < -200.0 { -200.0 } else { x };
    let shifted = x + ROUNDER;
    let f = x - (shifted - ROUNDER);
    let p = mul_add(horner(&EX2_COEFFICIENTS, f), f, 1.0);
    // Two factors, as 2^n itself may not be a binary32 number.
    let n = shifted.to_bits().wrapping_sub(ROUNDER.to_bits()) as i32;
    let half = n >> 1;
    let first = (half.wrapping_shl(23) as u32).wrapping_add(ONE);
    let second = ((n - half).wrapping_shl(23) as u32).wrapping_add(ONE);
    [p * f32::from_bits(first), f32::from_bits(second)]
}

/// log2(a).
///
/// ```text
/// k = (bits(x) - bits(sqrt(1/2))) >> 23 (arithmetic)
/// m = float(bits(x) - (k << 23));  d = m - 1               (m in [sqrt(1/2), sqrt(2)), d exact)
/// e = float(bits(0x1.8p23) + k) - 0x1.8p23                 (k as a number)
/// result = fma(horner(LN2_COEFFICIENTS, d), d, e)
/// result = x < inf ? result : +inf;  result = x > 0 ? result : NaN;  result = x == 0 ? -inf : result
/// ```
#[inline(always)]
pub fn ln2(a: u32) -> u32 {
    let a = flush(a);
    let exponent = (a.wrapping_sub(SQRT_HALF) as i32) >> 23;
    let m = f32::from_bits(a.wrapping_sub((exponent << 23) as u32));
    let d = m - 1.0;
    let e = f32::from_bits(ROUNDER.to_bits().wrapping_add(exponent as u32)) - ROUNDER;
    let result = mul_add(horner(&LN2_COEFFICIENTS, d), d, e).to_bits();
    let x = f32::from_bits(a);
    let result = if x < f32::INFINITY { result } else { INFINITY };
    let result = if x > 0.0 { result } else { NAN };
    if x == 0.0 { MINUS_INFINITY } else { result }
}

/// 1/a, correctly rounded: one division.
#[inline]
pub fn rcp(a: u32) -> u32 {
    flushed::div::<NAN>(ONE, a)
}

/// 1/sqrt(a): the square root, then its reciprocal, each rounded.
#[inline]
pub fn rsq(a: u32) -> u32 {
    rcp(flushed::sqrt::<NAN>(a))
}

/// x - n with the integer n nearest to x, ties to even: exact, in [-1/2, 1/2]. NaN for infinities. -0 stays -0, because
/// n is +0 for small x of either sign.
#[inline(always)]
fn reduce_turns(x: f32) -> f32 {
    let shift = f32::from_bits(x.to_bits() & SIGN | UNIT_SPACED);
    let near = (x + shift) - shift;
    let n = if x.abs() < f32::from_bits(UNIT_SPACED) { near } else { x };
    x - n
}

/// sin(2 pi r) for |r| <= 1/4, as bits; NaN gives the standard NaN.
#[inline(always)]
fn sin_quarter(r: f32) -> u32 {
    let result = horner(&SIN_COEFFICIENTS, r * r) * r;
    let magnitude = if result.abs() > 1.0 { 1.0 } else { result.abs() };
    let bits = magnitude.to_bits() | r.to_bits() & SIGN;
    if result.is_nan() { NAN } else { bits }
}

/// sin(2 pi a): the argument is in turns.
///
/// ```text
/// s = 2^23 with the sign of x;  n = |x| < 2^23 ? (x + s) - s : x;  r = x - n
/// r = |r| > 1/4 ? (1/2 with the sign of r) - r : r
/// q = horner(SIN_COEFFICIENTS, r * r) * r
/// result = (|q| > 1 ? 1 : |q|) with the sign of r;  result = q is NaN ? NaN : result
/// ```
#[inline(always)]
pub fn sin(a: u32) -> u32 {
    let r = reduce_turns(f32::from_bits(flush(a)));
    let half = f32::from_bits(r.to_bits() & SIGN | 0.5f32.to_bits());
    let folded = if r.abs() > 0.25 { half - r } else { r };
    sin_quarter(folded)
}

/// cos(2 pi a): the argument is in turns.
///
/// ```text
/// r = x - n                                                (n as in SIN)
/// r = 1/4 - |r|
/// result from r as in SIN
/// ```
#[inline(always)]
pub fn cos(a: u32) -> u32 {
    let r = reduce_turns(f32::from_bits(flush(a)));
    sin_quarter(0.25 - r.abs())
}
