//! Comparisons, and the operations that choose one of their operands.
//!
//! Comparisons see denormals as zeros. With a NaN, all are false but [`not_equal`] (decision R20: as IEEE has it). What is
//! chosen is returned bit by bit.

use crate::flushed;

/// a == b.
#[inline]
pub fn equal(a: u32, b: u32) -> bool {
    flushed::equal(a, b)
}

/// a != b: true with a NaN.
#[inline]
pub fn not_equal(a: u32, b: u32) -> bool {
    !equal(a, b)
}

/// a > b.
#[inline]
pub fn greater(a: u32, b: u32) -> bool {
    flushed::less(b, a)
}

/// a >= b.
#[inline]
pub fn greater_equal(a: u32, b: u32) -> bool {
    greater(a, b) || equal(a, b)
}

/// MAX: a >= b ? a : b. A NaN gives b.
#[inline]
pub fn max(a: u32, b: u32) -> u32 {
    if greater_equal(a, b) { a } else { b }
}

/// MIN: a < b ? a : b. A NaN gives b.
#[inline]
pub fn min(a: u32, b: u32) -> u32 {
    if greater(b, a) { a } else { b }
}

/// MAX_DX10: as [`max`], but the other operand where one is a NaN, and a where both are.
#[inline]
pub fn max_dx10(a: u32, b: u32) -> u32 {
    if greater_equal(a, b) || flushed::is_nan(b) { a } else { b }
}

/// MIN_DX10: as [`min`], but the other operand where one is a NaN, and a where both are.
#[inline]
pub fn min_dx10(a: u32, b: u32) -> u32 {
    if greater(b, a) || flushed::is_nan(b) { a } else { b }
}
