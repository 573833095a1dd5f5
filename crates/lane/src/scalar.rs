//! What each operation does in one lane: the definition by which constants are folded and engines are tested.

use crate::attribute::{Denorm, FloatTest, Round, Zero};
use crate::op::Op;
use ctm_num::{convert, flushed, x1k};

/// The bits that a NaN has here where an operation leaves them open. Any other NaN would be as right.
const NAN: u32 = 0x7FC0_0000;
const SIGN: u32 = 0x8000_0000;
const ONE: u32 = 0x3F80_0000;
const INFINITY: u32 = 0x7F80_0000;

fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// The operand as the operation reads it.
fn read(denorm: Denorm, bits: u32) -> u32 {
    match denorm {
        Denorm::Keep => bits,
        Denorm::Flush => ctm_num::flush(bits),
    }
}

/// A binary operation by its two forms.
fn binary(denorm: Denorm, a: u32, b: u32, keep: fn(f32, f32) -> f32, flush: fn(u32, u32) -> u32) -> u32 {
    match denorm {
        Denorm::Keep => keep(float(a), float(b)).to_bits(),
        Denorm::Flush => flush(a, b),
    }
}

/// Whether the zero rule replaces the product of a and b, as read, by +0.
fn product_vanishes(zero: Zero, a: u32, b: u32) -> bool {
    let is_zero = |bits: u32| bits & !SIGN == 0;
    let is_special = |bits: u32| bits & INFINITY == INFINITY;
    match zero {
        Zero::Ieee => false,
        Zero::Special => is_zero(a) && is_special(b) || is_zero(b) && is_special(a),
        Zero::Always => is_zero(a) || is_zero(b),
    }
}

fn add(denorm: Denorm, a: u32, b: u32) -> u32 {
    binary(denorm, a, b, |a, b| a + b, flushed::add::<NAN>)
}

fn mul(denorm: Denorm, zero: Zero, a: u32, b: u32) -> u32 {
    let (a, b) = (read(denorm, a), read(denorm, b));
    if product_vanishes(zero, a, b) { 0 } else { binary(denorm, a, b, |a, b| a * b, flushed::mul::<NAN>) }
}

fn fma(denorm: Denorm, zero: Zero, a: u32, b: u32, c: u32) -> u32 {
    let (a, b) = (read(denorm, a), read(denorm, b));
    match denorm {
        _ if product_vanishes(zero, a, b) => add(denorm, 0, c),
        Denorm::Keep => float(a).mul_add(float(b), float(c)).to_bits(),
        Denorm::Flush => flushed::fma::<NAN>(a, b, c),
    }
}

fn round(round: Round, a: f32) -> f32 {
    match round {
        Round::Floor => a.floor(),
        Round::Ceil => a.ceil(),
        Round::Trunc => a.trunc(),
        Round::Even => a.round_ties_even(),
    }
}

fn compare(test: FloatTest, denorm: Denorm, a: u32, b: u32) -> bool {
    test.holds(float(read(denorm, a)).partial_cmp(&float(read(denorm, b))))
}

/// The result of an operation in one lane, from its operands in that lane. A mask is 0 or 1, a uniform is its bits. `None`
/// for operations that look at more than their operands in this lane, and for those with another number of results than 1.
///
/// Where the operation leaves the bits of a NaN open, the result is one of those NaNs.
pub fn evaluate(op: &Op, args: &[u32]) -> Option<u32> {
    let signed = |at: usize| args[at].cast_signed();
    let wide = |at: usize| i64::from(signed(at));
    let unsigned = |at: usize| u64::from(args[at]);
    Some(match *op {
        Op::Lane { bits } => bits.0,
        Op::Mask { value } => u32::from(value),
        Op::Uniform { value } => value.cast_unsigned(),
        Op::Splat {} => args[0],
        Op::Fadd { denorm } => add(denorm, args[0], args[1]),
        Op::Fsub { denorm } => binary(denorm, args[0], args[1], |a, b| a - b, flushed::sub::<NAN>),
        Op::Fmul { denorm, zero } => mul(denorm, zero, args[0], args[1]),
        Op::Fma { denorm, zero } => fma(denorm, zero, args[0], args[1], args[2]),
        Op::Fdiv { denorm } => binary(denorm, args[0], args[1], |a, b| a / b, flushed::div::<NAN>),
        Op::Fsqrt { denorm: Denorm::Keep } => float(args[0]).sqrt().to_bits(),
        Op::Fsqrt { denorm: Denorm::Flush } => flushed::sqrt::<NAN>(args[0]),
        Op::Fround { round: way, denorm } => round(way, float(read(denorm, args[0]))).to_bits(),
        Op::Frc {} => x1k::frc(args[0]),
        Op::Ex2 {} => x1k::ex2(args[0]),
        Op::Ln2 {} => x1k::ln2(args[0]),
        Op::Sin {} => x1k::sin(args[0]),
        Op::Cos {} => x1k::cos(args[0]),
        Op::CanonNan { nan } => {
            if flushed::is_nan(args[0]) {
                nan.0
            } else {
                args[0]
            }
        }
        Op::PassNan {} => {
            if flushed::is_nan(args[0]) && flushed::is_nan(args[1]) {
                args[1] | 0x0040_0000
            } else {
                args[0]
            }
        }
        Op::Fmin { denorm } => args[usize::from(!compare(FloatTest::Olt, denorm, args[0], args[1]))],
        Op::Fmax { denorm } => args[usize::from(!compare(FloatTest::Ogt, denorm, args[0], args[1]))],
        Op::Select {} | Op::MaskSelect {} => args[if args[0] != 0 { 1 } else { 2 }],
        Op::Clamp01 { denorm } => {
            if compare(FloatTest::Ogt, denorm, args[0], 0) {
                args[0].min(ONE)
            } else {
                0
            }
        }
        Op::Neg {} => args[0] ^ SIGN,
        Op::Abs {} => args[0] & !SIGN,
        Op::Nabs {} => args[0] | SIGN,
        Op::Itof {} => (signed(0) as f32).to_bits(),
        Op::Utof {} => (args[0] as f32).to_bits(),
        Op::Ftoi {} => (float(args[0]) as i32).cast_unsigned(),
        Op::Ftou {} => float(args[0]) as u32,
        Op::FloatToIndex { limit } => convert::float_to_index(args[0], limit),
        Op::FloatToCoordinate {} => {
            let saturate = |at: i64| at.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
            convert::float_to_coordinate(args[0]).map_or(i32::MIN, saturate).cast_unsigned()
        }
        Op::Fcmp { test, denorm } => u32::from(compare(test, denorm, args[0], args[1])),
        Op::Icmp { test } => u32::from(test.holds(args[0], args[1])),
        Op::MaskAnd {} | Op::And {} | Op::UniformAnd {} => args[0] & args[1],
        Op::MaskOr {} | Op::Or {} => args[0] | args[1],
        Op::MaskXor {} | Op::Xor {} => args[0] ^ args[1],
        Op::MaskAndnot {} => args[0] & !args[1],
        Op::MaskNot {} => args[0] ^ 1,
        Op::Iadd {} | Op::UniformAdd {} => args[0].wrapping_add(args[1]),
        Op::Isub {} | Op::UniformSub {} => args[0].wrapping_sub(args[1]),
        Op::Imul {} | Op::UniformMul {} => args[0].wrapping_mul(args[1]),
        Op::SmulHigh {} => ((wide(0) * wide(1)) >> 32) as u32,
        Op::UmulHigh {} => ((unsigned(0) * unsigned(1)) >> 32) as u32,
        Op::Smin {} => signed(0).min(signed(1)).cast_unsigned(),
        Op::Smax {} => signed(0).max(signed(1)).cast_unsigned(),
        Op::Umin {} => args[0].min(args[1]),
        Op::Umax {} => args[0].max(args[1]),
        Op::Shl {} => args[0].checked_shl(args[1]).unwrap_or(0),
        Op::Shr {} => args[0].checked_shr(args[1]).unwrap_or(0),
        Op::Sar {} => (signed(0) >> args[1].min(31)).cast_unsigned(),
        _ => return None,
    })
}
