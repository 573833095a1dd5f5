//! Sums, products, rounding to integers, and the modifiers of results.

use super::{INFINITY, MAXF, ONE, R700_NAN, SIGN, with_nan};
use crate::flushed;

#[inline]
fn is_zero(bits: u32) -> bool {
    flushed::equal(bits, 0)
}

/// ADD: a + b.
#[inline]
pub fn add(a: u32, b: u32) -> u32 {
    with_nan(flushed::add::<R700_NAN>(a, b), [a, b])
}

/// a - b: gradients, PRED_SET_POP.
#[inline]
pub fn sub(a: u32, b: u32) -> u32 {
    with_nan(flushed::sub::<R700_NAN>(a, b), [a, b])
}

/// MUL: a * b, but +0 if either is zero, also of an infinity or NaN.
#[inline]
pub fn mul(a: u32, b: u32) -> u32 {
    if is_zero(a) || is_zero(b) { 0 } else { mul_ieee(a, b) }
}

/// MUL_IEEE: a * b.
#[inline]
pub fn mul_ieee(a: u32, b: u32) -> u32 {
    with_nan(flushed::mul::<R700_NAN>(a, b), [a, b])
}

/// MULADD: [`mul`], then [`add`].
#[inline]
pub fn muladd(a: u32, b: u32, c: u32) -> u32 {
    add(mul(a, b), c)
}

/// MULADD_IEEE: [`mul_ieee`], then [`add`].
#[inline]
pub fn muladd_ieee(a: u32, b: u32, c: u32) -> u32 {
    add(mul_ieee(a, b), c)
}

/// MUL_LIT: a * b, but -MAXF where b is -MAXF, -infinity or NaN, or c is not above zero.
#[inline]
pub fn mul_lit(a: u32, b: u32, c: u32) -> u32 {
    let lit = b != MAXF | SIGN && b != INFINITY | SIGN && !flushed::is_nan(b) && flushed::less(0, c);
    if lit { mul_ieee(a, b) } else { MAXF | SIGN }
}

/// value * 2^exponent, for output modifiers and the `_M2`, `_M4`, `_D2` forms. `exponent` lies in -126..=127.
#[inline]
pub fn scale(exponent: i32, value: u32) -> u32 {
    mul_ieee(value, ((exponent + 127) as u32) << 23)
}

/// The output clamp to [0, 1]: -0 and denormals give +0. A NaN gives +0 if `dx10_clamp` is set, and stays otherwise (decision R29).
#[inline]
pub fn clamp(dx10_clamp: bool, value: u32) -> u32 {
    if flushed::is_nan(value) && !dx10_clamp {
        value
    } else if flushed::less(0, value) {
        value.min(ONE)
    } else {
        0
    }
}

/// A rounding to an integral value.
#[inline]
fn round(a: u32, rounded: impl Fn(f32) -> f32) -> u32 {
    with_nan(rounded(f32::from_bits(flushed::flush(a))).to_bits(), [a])
}

/// FLOOR: toward minus infinity. Here and in the other roundings, zeros and results that are zero keep the sign.
#[inline]
pub fn floor(a: u32) -> u32 {
    round(a, f32::floor)
}

/// CEIL: toward plus infinity.
#[inline]
pub fn ceil(a: u32) -> u32 {
    round(a, f32::ceil)
}

/// TRUNC: toward zero.
#[inline]
pub fn trunc(a: u32) -> u32 {
    round(a, f32::trunc)
}

/// RNDNE: to the nearest, ties to even.
#[inline]
pub fn rndne(a: u32) -> u32 {
    round(a, f32::round_ties_even)
}

/// FRACT: a - floor(a). Rounding makes it 1 for tiny negative numbers; NaN for infinities.
#[inline]
pub fn fract(a: u32) -> u32 {
    sub(a, floor(a))
}
