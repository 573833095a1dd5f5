//! The operations of the R700 shader processor.
//!
//! Arguments and results are bits; those of floats are bits of binary32 numbers, whose arithmetic is that of
//! [`flushed`]. What the "R700-Family Instruction Set Architecture" guide leaves open is decided here:
//!
//! - A float operation with a NaN result gives its first NaN operand, quieted, and [`R700_NAN`] if no operand is a NaN (decision R19).
//! - A multiply-add rounds twice: it is the sum of a product. The machine has no fused operation.
//! - The transcendental operations are the step sequences of [`transcendental`](crate::transcendental), which are the same
//!   on every host and in every engine.
//! - Moves, selections, and integer and bit operations keep bits as they are; only the comparison of a selection sees
//!   denormals as zeros.

mod arithmetic;
mod component;
mod integer;
mod predicate;
mod reduction;
mod select;
mod transcendental;

pub use arithmetic::{
    add, ceil, clamp, floor, fract, mul, mul_ieee, mul_lit, muladd, muladd_ieee, rndne, scale, sub, trunc,
};
pub use component::{NormMode, float_10, float_11, float_16, float_24, shared_exponent, snorm, unorm};
pub use integer::{
    ashr, float_to_int, float_to_uint, int_to_float, lshl, lshr, mova, mova_floor, mova_int, mulhi_int, mulhi_uint,
    recip_int, recip_uint, uint_to_float,
};
pub use predicate::{Predicate, set_clr, set_inv, set_pop, set_push, set_restore, simple};
pub use reduction::{cube, dot4, dot4_ieee, max4};
pub use select::{equal, greater, greater_equal, max, max_dx10, min, min_dx10, not_equal};
pub use transcendental::{
    TrigRange, cos, exp, log, log_clamped, recip, recip_clamped, recip_ff, recipsqrt, recipsqrt_clamped, recipsqrt_ff,
    sin, sqrt,
};

use crate::flushed;

/// The NaN of an operation none of whose operands is one.
pub const R700_NAN: u32 = 0x7FC0_0000;
/// The largest finite number.
pub const MAXF: u32 = 0x7F7F_FFFF;

const ONE: u32 = 0x3F80_0000;
const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7F80_0000;
const QUIET: u32 = 0x0040_0000;

/// The result of an operation with these operands: a NaN becomes the one that the machine gives.
#[inline]
fn with_nan<const N: usize>(result: u32, operands: [u32; N]) -> u32 {
    if !flushed::is_nan(result) {
        return result;
    }
    operands.into_iter().find(|&operand| flushed::is_nan(operand)).map_or(R700_NAN, |nan| nan | QUIET)
}
