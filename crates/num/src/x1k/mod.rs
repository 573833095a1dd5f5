//! The operations of the X1K fragment processor.
//!
//! Arguments and results are bits of binary32 numbers; all arithmetic is that of [`flushed`](crate::flushed), and every
//! NaN that an operation computes is [`X1K_NAN`].
//!
//! The CTM Guide (p.40-43) promises about one unit in the last place and leaves rounding open. Here a multiply-add
//! rounds once, and a result is the same on every host. Where the guide is silent on special values, the functions say
//! what they do.

mod mad;
mod select;
mod shape;

pub use crate::transcendental::{cos, ex2, ln2, rcp, rsq, sin};
pub use mad::{MadRules, add, bias, d2a, div, dp3, dp4, mad, mul, mul_start, sub};
pub use select::{cmp, cnd, is_greater_equal_zero, is_less_zero, is_not_zero, is_zero, max, min};
pub use shape::{clamp, frc, scale};

/// The standard NaN of the X1K (CTM Guide p.41): the result of every operation that computes a NaN.
pub const X1K_NAN: u32 = crate::transcendental::NAN;
