//! Operations on one value: fraction, output modifier, clamp.

use super::{X1K_NAN, mad};
use crate::flushed;

const ONE: u32 = 0x3F80_0000;

/// FRC: a - floor(a), in [0, 1). What would round up to 1 is the largest number below 1; zeros give +0; infinities and
/// NaN give NaN (decision C54).
#[inline]
pub fn frc(a: u32) -> u32 {
    flushed::fraction::<X1K_NAN>(a)
}

/// The output modifier (codes 0 to 6, that is, exponents -3 to 3): value * 2^exponent. Overflows to infinity,
/// underflows to zero of the value's sign; NaN gives the standard NaN. `exponent` lies in -126..=127.
#[inline]
pub fn scale(exponent: i32, value: u32) -> u32 {
    mad::mul(value, ((exponent + 127) as u32) << 23)
}

/// The value clamped to [0, 1]. -0 and NaN give +0 (decision C55).
#[inline]
pub fn clamp(value: u32) -> u32 {
    if flushed::less(0, value) { value.min(ONE) } else { 0 }
}
