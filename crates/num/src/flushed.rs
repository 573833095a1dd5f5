//! Binary32 arithmetic without denormals, and with a single NaN.
//!
//! Each function rounds once, to nearest, ties to even. Around that:
//!
//! - Denormal operands are read as zero of their sign.
//! - A result that is *tiny after rounding* becomes zero of its sign. Tiny means that the exact result, rounded to 24 bits
//!   as if exponents had no lower bound, is below 2^-126 in magnitude. That is what x86-64 does with the FTZ and DAZ bits
//!   of MXCSR set. It differs from "the rounded result is a denormal" in one narrow place: exact results between
//!   2^-126 - 2^-150 and 2^-126 - 2^-151 round to 2^-126 on the grid of the denormals, and are flushed nevertheless.
//! - Every NaN result has the bits `NAN`, the parameter that a guest machine fills in.
//!
//! So only a result of magnitude 2^-126 needs a second look, and the common case costs one comparison. The host's binary32
//! operations, the multiply-add among them, have to be correctly rounded; its floating-point environment is the default one.

use crate::fused::mul_add;
use std::cmp::Ordering;

const SIGN: u32 = 0x8000_0000;
const MAGNITUDE: u32 = 0x7FFF_FFFF;
const INFINITY: u32 = 0x7F80_0000;
/// Bits of 2^-126, the smallest magnitude other than zero that these functions return.
pub const MIN_NORMAL: u32 = 0x0080_0000;

/// 2^-126 - 2^-151: exact results of smaller magnitude are tiny. (The number itself is a tie, and rounds to 2^-126.)
const TINY: f64 = f32::MIN_POSITIVE as f64 * (1.0 - 1.0 / (1 << 25) as f64);

/// A denormal becomes zero of its sign; all other bits, those of NaNs included, stay.
#[inline]
pub fn flush(bits: u32) -> u32 {
    if bits & INFINITY == 0 { bits & SIGN } else { bits }
}

/// The operand as it is computed with.
#[inline]
fn operand(bits: u32) -> f32 {
    f32::from_bits(flush(bits))
}

/// Whether the bits encode a NaN.
#[inline]
pub fn is_nan(bits: u32) -> bool {
    bits & MAGNITUDE > INFINITY
}

/// Result bits of a step that gave `rounded` under gradual underflow. `is_tiny` is asked only if that is +-2^-126.
#[inline]
fn finish<const NAN: u32>(rounded: f32, is_tiny: impl FnOnce() -> bool) -> u32 {
    let bits = rounded.to_bits();
    let magnitude = bits & MAGNITUDE;
    if magnitude.wrapping_sub(MIN_NORMAL + 1) <= INFINITY - (MIN_NORMAL + 1) {
        bits
    } else if magnitude > INFINITY {
        NAN
    } else if magnitude < MIN_NORMAL || is_tiny() {
        bits & SIGN
    } else {
        bits
    }
}

/// a*b + c with one rounding.
#[inline]
pub fn fma<const NAN: u32>(a: u32, b: u32, c: u32) -> u32 {
    let (a, b, c) = (operand(a), operand(b), operand(c));
    finish::<NAN>(mul_add(a, b, c), || fma_is_tiny(a, b, c))
}

/// Whether a*b + c, which rounds to +-2^-126 on the grid of the denormals, is tiny.
#[cold]
fn fma_is_tiny(a: f32, b: f32, c: f32) -> bool {
    // The product is exact in binary64, and `sum + error` is exactly the sum (Knuth's two-sum). The boundary is a binary64
    // number, so rounding cannot carry the sum across it, only onto it.
    let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + addend;
    let part = sum - product;
    let error = (product - (sum - part)) + (addend - part);
    sum.abs() < TINY || sum.abs() == TINY && error != 0.0 && (error < 0.0) != (sum < 0.0)
}

/// a + b.
#[inline]
pub fn add<const NAN: u32>(a: u32, b: u32) -> u32 {
    // A sum of two binary32 numbers that is this small is exact.
    finish::<NAN>(operand(a) + operand(b), || false)
}

/// a - b.
#[inline]
pub fn sub<const NAN: u32>(a: u32, b: u32) -> u32 {
    finish::<NAN>(operand(a) - operand(b), || false)
}

/// a * b.
#[inline]
pub fn mul<const NAN: u32>(a: u32, b: u32) -> u32 {
    let (a, b) = (operand(a), operand(b));
    finish::<NAN>(a * b, || (f64::from(a) * f64::from(b)).abs() < TINY)
}

/// a / b.
#[inline]
pub fn div<const NAN: u32>(a: u32, b: u32) -> u32 {
    let (a, b) = (operand(a), operand(b));
    // The boundary has 25 significant bits, so its product with b is exact.
    finish::<NAN>(a / b, || f64::from(a).abs() < TINY * f64::from(b).abs())
}

/// The square root; NaN below zero, -0 of -0.
#[inline]
pub fn sqrt<const NAN: u32>(a: u32) -> u32 {
    finish::<NAN>(operand(a).sqrt(), || false)
}

/// How a compares with b: zeros of either sign are equal; none with a NaN.
#[inline]
pub fn compare(a: u32, b: u32) -> Option<Ordering> {
    operand(a).partial_cmp(&operand(b))
}

/// a < b; false with a NaN.
#[inline]
pub fn less(a: u32, b: u32) -> bool {
    operand(a) < operand(b)
}

/// a == b: true for zeros of either sign, false with a NaN.
#[inline]
pub fn equal(a: u32, b: u32) -> bool {
    operand(a) == operand(b)
}

/// a - floor(a), in [0, 1). What would round up to 1 is the largest number below 1; zeros give +0; infinities and NaN give
/// `NAN`.
#[inline]
pub fn fraction<const NAN: u32>(a: u32) -> u32 {
    const BELOW_ONE: u32 = 0x3F7F_FFFF;
    let value = f32::from_bits(flush(a));
    let fraction = value - value.floor();
    if fraction.is_nan() { NAN } else { fraction.to_bits().min(BELOW_ONE) }
}
