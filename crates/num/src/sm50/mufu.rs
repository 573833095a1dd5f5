//! The functions of MUFU. Operand and result denormals are zeros, but for the f64 halves.
//!
//! RCP, RSQ, EX2 and LG2 are the step sequences of [`x1k`](crate::x1k), which keep the bounds of PTX's `.approx.ftz`
//! instructions and have their special values. SIN and COS get radians: the range reduction RRO leaves a value as it is
//! (decision: what the machine makes of it only MUFU can read), and the reduction to turns is part of the function here.

use super::{NAN, NAN_F64};
use crate::flushed::{self, flush};
use crate::x1k;

pub use crate::x1k::{ex2, ln2 as lg2, rcp, rsq};

/// 1 / (2 pi), rounded to nearest.
const TURNS_PER_RADIAN: u32 = 0x3E22_F983;
/// What [`TURNS_PER_RADIAN`] lacks.
const TURNS_PER_RADIAN_REST: u32 = 0x31DC_9C88;
const SIGN: u32 = 0x8000_0000;

/// Radians to turns, less the nearest integer.
///
/// ```text
/// n = (x * TURNS_PER_RADIAN) rounded to an integer, ties to even
/// t = fma(x, TURNS_PER_RADIAN, -n);  t = fma(x, TURNS_PER_RADIAN_REST, t);  t = x == 0 ? x : t
/// ```
///
/// Each step is one of [`flushed`].
fn turns(x: u32) -> u32 {
    let x = flush(x);
    let whole = f32::from_bits(flushed::mul::<NAN>(x, TURNS_PER_RADIAN)).round_ties_even().to_bits();
    let part = flushed::fma::<NAN>(x, TURNS_PER_RADIAN, whole ^ SIGN);
    let part = flushed::fma::<NAN>(x, TURNS_PER_RADIAN_REST, part);
    if x & !SIGN == 0 { x } else { part }
}

/// The sine of a in radians; NaN for infinities.
pub fn sin(a: u32) -> u32 {
    x1k::sin(turns(a))
}

/// The cosine of a in radians; NaN for infinities.
pub fn cos(a: u32) -> u32 {
    x1k::cos(turns(a))
}

/// The f64 number whose upper word is `high`, the lower being 0.
fn double(high: u32) -> f64 {
    f64::from_bits(u64::from(high) << 32)
}

/// The upper word of an f64 result.
fn upper(result: f64) -> u32 {
    let bits = if result.is_nan() { NAN_F64 } else { result.to_bits() };
    (bits >> 32) as u32
}

/// The upper word of 1/d, where d is the f64 number with upper word `high` and lower word 0.
pub fn rcp64h(high: u32) -> u32 {
    upper(1.0 / double(high))
}

/// The upper word of 1/sqrt(d), where d is the f64 number with upper word `high` and lower word 0: the square root, then its
/// reciprocal, each rounded.
pub fn rsq64h(high: u32) -> u32 {
    upper(1.0 / double(high).sqrt())
}
