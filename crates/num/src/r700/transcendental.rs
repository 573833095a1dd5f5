//! Exponentials, logarithms, reciprocals, roots, sine and cosine.
//!
//! The sequences are those of [`transcendental`](crate::transcendental), whose documentation has their steps and special values;
//! what is added here is the NaN, and the machine's variants with clamped or flushed infinities.

use super::{INFINITY, MAXF, ONE, R700_NAN, SIGN, mul_ieee, with_nan};
use crate::{flushed, x1k};

/// 256.0, the largest magnitude that SIN and COS of R700 take.
const TRIG_LIMIT: u32 = 0x4380_0000;
/// 1 / (2 pi).
const TURNS_PER_RADIAN: u32 = 0x3E22_F983;

/// `value`, but the given magnitude for infinities.
#[inline]
fn replace_infinity(value: u32, magnitude: u32) -> u32 {
    if value & !SIGN == INFINITY { value & SIGN | magnitude } else { value }
}

/// EXP_IEEE: 2^a.
#[inline]
pub fn exp(a: u32) -> u32 {
    with_nan(x1k::ex2(a), [a])
}

/// LOG_IEEE: log2(a); -infinity for zeros, NaN below.
#[inline]
pub fn log(a: u32) -> u32 {
    with_nan(x1k::ln2(a), [a])
}

/// LOG_CLAMPED: as [`log`], but -MAXF for zeros.
#[inline]
pub fn log_clamped(a: u32) -> u32 {
    let result = log(a);
    if result == INFINITY | SIGN { MAXF | SIGN } else { result }
}

/// RECIP_IEEE: 1 / a, correctly rounded.
#[inline]
pub fn recip(a: u32) -> u32 {
    with_nan(flushed::div::<R700_NAN>(ONE, a), [a])
}

/// RECIP_CLAMPED: as [`recip`], with the largest number in place of infinity.
#[inline]
pub fn recip_clamped(a: u32) -> u32 {
    replace_infinity(recip(a), MAXF)
}

/// RECIP_FF: as [`recip`], with zero in place of infinity.
#[inline]
pub fn recip_ff(a: u32) -> u32 {
    replace_infinity(recip(a), 0)
}

/// SQRT_IEEE: the root, correctly rounded; -0 of -0, NaN below.
#[inline]
pub fn sqrt(a: u32) -> u32 {
    with_nan(flushed::sqrt::<R700_NAN>(a), [a])
}

/// RECIPSQRT_IEEE: the reciprocal of the root, each rounded; infinities for zeros, NaN below.
#[inline]
pub fn recipsqrt(a: u32) -> u32 {
    with_nan(x1k::rsq(a), [a])
}

/// RECIPSQRT_CLAMPED: as [`recipsqrt`], with the largest number in place of infinity.
#[inline]
pub fn recipsqrt_clamped(a: u32) -> u32 {
    replace_infinity(recipsqrt(a), MAXF)
}

/// RECIPSQRT_FF: as [`recipsqrt`], with zero in place of infinity.
#[inline]
pub fn recipsqrt_ff(a: u32) -> u32 {
    replace_infinity(recipsqrt(a), 0)
}

/// What SIN and COS take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrigRange {
    /// Turns, of magnitude at most 256 (R700).
    Turns,
    /// Radians (R600): multiplied by 1 / (2 pi) first, so that the error is absolute.
    Radians,
}

/// The operand in turns; `None` if it is out of range.
#[inline]
fn turns(range: TrigRange, a: u32) -> Option<u32> {
    match range {
        TrigRange::Turns => {
            let magnitude = a & !SIGN;
            (magnitude <= TRIG_LIMIT || magnitude >= INFINITY).then_some(a)
        }
        TrigRange::Radians => Some(mul_ieee(a, TURNS_PER_RADIAN)),
    }
}

/// SIN: 0 out of range, NaN for infinities.
#[inline]
pub fn sin(range: TrigRange, a: u32) -> u32 {
    turns(range, a).map_or(0, |turns| with_nan(x1k::sin(turns), [a]))
}

/// COS: 1 out of range, NaN for infinities.
#[inline]
pub fn cos(range: TrigRange, a: u32) -> u32 {
    turns(range, a).map_or(ONE, |turns| with_nan(x1k::cos(turns), [a]))
}
