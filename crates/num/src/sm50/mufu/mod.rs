//! The functions of MUFU. Operand and result denormals are zeros, but for the f64 halves.
//!
//! The machine has tables of quadratic polynomials, evaluates them in fixed point with a squarer that leaves out its lowest
//! columns, and cuts the result to the precision of a float (S. F. Oberman and M. Y. Siu, "A High-Performance Area-Efficient
//! Multifunction Interpolator", 17th IEEE Symposium on Computer Arithmetic, 2005). B. Carleton recovered coefficients, widths
//! and roundings: his models of `rcp.approx.f32` and the like give the bits of GPUs of compute capability 5.x for all 2^32
//! arguments (<https://github.com/bcarlet/ptx-math>). Compilers make that instruction from MUFU with scalings that keep
//! denormals; MUFU alone is the `.approx.ftz` instruction of the PTX ISA, so that a result below 2^-126 is a zero.
//!
//! SIN, COS and EX2 get numbers: the range reduction RRO leaves a value as it is (decision S36: what the machine makes of it only
//! MUFU can read), and what RRO does is part of the function here.

mod interpolate;
mod tables;

pub use interpolate::*;

use super::{NAN, NAN_F64};
use crate::flushed::{flush, is_nan};

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7F80_0000;
const ONE: u32 = 0x3F80_0000;
const MANTISSA: u32 = 0x007F_FFFF;
const IMPLICIT: u32 = 0x0080_0000;
/// 2/pi in units of 2^-24.
pub const QUADRANTS_PER_RADIAN: u32 = 0xA2_F983;
/// Angles from 2^9 radians on lose a low bit, and one more for each power of two.
pub const LAST_WHOLE_ANGLE: i32 = 8;
/// The bits of a logarithm in units of 2^-[`POINT`] that the machine does not have.
pub const BELOW_LOGARITHM: u32 = 0xF;

/// The power of two of a normal number.
fn exponent(a: u32) -> i32 {
    (a >> 23 & 0xFF) as i32 - 127
}

/// `value` * 2^`exponent` with a sign, cut to the precision of a float; `value` is in units of 2^-[`POINT`].
fn float(sign: u32, exponent: i32, value: u64) -> u32 {
    let top = value.checked_ilog2().unwrap_or(0);
    let mantissa = (value << (63 - top) >> 40) as u32 & MANTISSA;
    let biased = exponent + top as i32 - POINT as i32 + 127;
    if value == 0 || biased < 1 { sign } else { sign | (biased as u32) << 23 | mantissa }
}

/// 1/a.
pub fn rcp(a: u32) -> u32 {
    let a = flush(a);
    let sign = a & SIGN;
    match a & !SIGN {
        0 => sign | INFINITY,
        INFINITY => sign,
        _ if is_nan(a) => NAN,
        // The intervals are half as large as those of the other functions.
        _ => float(sign, -exponent(a), RCP.at((a & MANTISSA) << 1).cast_unsigned()),
    }
}

/// 1/sqrt(a).
pub fn rsq(a: u32) -> u32 {
    let a = flush(a);
    match a {
        0 | SIGN => a | INFINITY,
        INFINITY => 0,
        _ if is_nan(a) || a & SIGN != 0 => NAN,
        _ => {
            let (half, odd) = (exponent(a) >> 1, exponent(a).cast_unsigned() & 1);
            let argument = odd << 23 | a & MANTISSA;
            let value = if argument == 0 { 1 << POINT } else { RSQ.at(argument) };
            float(0, -half, value.cast_unsigned())
        }
    }
}

/// 2^a. The argument becomes a multiple of 2^-23: its magnitude is cut, and what is below zero, but no integer, is one less.
pub fn ex2(a: u32) -> u32 {
    let a = flush(a);
    let negative = a & SIGN != 0;
    let power = exponent(a);
    if is_nan(a) {
        return NAN;
    }
    if power >= 7 {
        return if negative { 0 } else { INFINITY };
    }
    let magnitude = ((a & MANTISSA | IMPLICIT) << 7).unbounded_shr((7 - power).unsigned_abs());
    let fixed = match (negative, magnitude & MANTISSA) {
        (false, _) => magnitude,
        (true, 0) => magnitude.wrapping_neg(),
        (true, _) => !magnitude,
    };
    float(0, fixed.cast_signed() >> 23, EX2.at(fixed & MANTISSA).cast_unsigned())
}

/// log2(a).
pub fn lg2(a: u32) -> u32 {
    let a = flush(a);
    match a {
        0 | SIGN => SIGN | INFINITY,
        INFINITY => INFINITY,
        ONE => 0,
        _ if is_nan(a) || a & SIGN != 0 => NAN,
        _ => {
            let sum = LG2.at(a & MANTISSA) + (i64::from(exponent(a)) << POINT);
            float(if sum < 0 { SIGN } else { 0 }, 0, sum.unsigned_abs() & !u64::from(BELOW_LOGARITHM))
        }
    }
}

/// The magnitude of a, radians, as quadrants in units of 2^-23, of which only two bits count whole ones; 0 for zeros.
fn angle(a: u32) -> u32 {
    let power = exponent(a);
    let product = u64::from(a & MANTISSA | IMPLICIT) * u64::from(QUADRANTS_PER_RADIAN);
    let shifted = if power < 24 {
        product.unbounded_shr((24 - power).unsigned_abs())
    } else {
        product.unbounded_shl((power - 24).unsigned_abs())
    };
    let lost = (power - LAST_WHOLE_ANGLE).max(0).unsigned_abs();
    shifted as u32 & (4 * IMPLICIT - 1) & u32::MAX.unbounded_shl(lost)
}

/// The sine of an angle in quadrants; negated if `sign` is.
fn sine(sign: u32, angle: u32) -> u32 {
    let sign = sign ^ (angle << 7 & SIGN);
    let folded = if angle & IMPLICIT != 0 { !angle } else { angle };
    float(sign, 0, SIN.at(folded & MANTISSA).cast_unsigned())
}

/// The sine of a in radians; NaN for infinities.
pub fn sin(a: u32) -> u32 {
    let a = flush(a);
    if a & !SIGN >= INFINITY { NAN } else { sine(a & SIGN, angle(a)) }
}

/// The cosine of a in radians; NaN for infinities.
pub fn cos(a: u32) -> u32 {
    let a = flush(a);
    if a & !SIGN >= INFINITY { NAN } else { sine(0, angle(a) + IMPLICIT) }
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
