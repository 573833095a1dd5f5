//! Comparisons, and the operations that choose one of their arguments.
//!
//! Comparisons see denormals as zeros, and are false where a NaN takes part. What is chosen is returned bit by bit:
//! denormals and NaN payloads survive.

use crate::flushed::{self, equal, less};

const HALF: u32 = 0x3F00_0000;

/// a < b ? a : b. A NaN or two zeros give b (CTM Guide p.42).
#[inline]
pub fn min(a: u32, b: u32) -> u32 {
    if less(a, b) { a } else { b }
}

/// a > b ? a : b. A NaN or two zeros give b (CTM Guide p.42; decision C53).
#[inline]
pub fn max(a: u32, b: u32) -> u32 {
    if less(b, a) { a } else { b }
}

/// c > 0.5 ? a : b. A NaN in c gives b.
#[inline]
pub fn cnd(a: u32, b: u32, c: u32) -> u32 {
    if less(HALF, c) { a } else { b }
}

/// c >= 0 ? a : b. Zeros of either sign give a, a NaN in c gives b.
#[inline]
pub fn cmp(a: u32, b: u32, c: u32) -> u32 {
    if is_greater_equal_zero(c) { a } else { b }
}

/// value == 0, as predicates and the ALU result test it (CTM Guide p.41).
#[inline]
pub fn is_zero(value: u32) -> bool {
    equal(value, 0)
}

/// value < 0: false for -0 and NaN.
#[inline]
pub fn is_less_zero(value: u32) -> bool {
    less(value, 0)
}

/// value >= 0: true for -0, false for NaN.
#[inline]
pub fn is_greater_equal_zero(value: u32) -> bool {
    !flushed::is_nan(value) && !less(value, 0)
}

/// value != 0: true for NaN.
#[inline]
pub fn is_not_zero(value: u32) -> bool {
    !equal(value, 0)
}
