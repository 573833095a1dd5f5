//! What each operation does in one lane: the definition by which constants are folded and engines are tested.

use crate::attribute::{Denorm, FloatTest, Round, Rounding, Zero};
use crate::op::Op;
use ctm_num::fused::mul_add;
use ctm_num::ieee::{BINARY16, BINARY32, BINARY64};
use ctm_num::{convert, flushed, transcendental};

/// The bits that a NaN has here where an operation leaves them open. Any other NaN would be as right.
const NAN: u32 = 0x7FC0_0000;
/// The NaN of binary64 operations.
const NAN_64: u64 = 0x7FF8_0000_0000_0000;
/// The NaN of a conversion to binary16.
const NAN_16: u32 = 0x7E00;
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
        Denorm::Keep => mul_add(float(a), float(b), float(c)).to_bits(),
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

fn round_64(round: Round, a: f64) -> f64 {
    match round {
        Round::Floor => a.floor(),
        Round::Ceil => a.ceil(),
        Round::Trunc => a.trunc(),
        Round::Even => a.round_ties_even(),
    }
}

/// A binary32 result that may be a NaN.
fn narrow(bits: Option<u64>) -> u32 {
    bits.map_or(NAN, |bits| bits as u32)
}

/// The binary64 number in operands `at` and `at` + 1.
fn double(args: &[u32], at: usize) -> u64 {
    u64::from(args[at + 1]) << 32 | u64::from(args[at])
}

fn double_value(args: &[u32], at: usize) -> f64 {
    f64::from_bits(double(args, at))
}

/// The result of the host, which rounds to nearest even.
fn host(result: f64) -> Option<u64> {
    Some(result).filter(|result| !result.is_nan()).map(f64::to_bits)
}

fn compare(test: FloatTest, denorm: Denorm, a: u32, b: u32) -> bool {
    test.holds(float(read(denorm, a)).partial_cmp(&float(read(denorm, b))))
}

/// The result of an operation in one lane, from its operands in that lane. A mask is 0 or 1, a uniform is its bits. `None`
/// for operations that look at more than their operands in this lane, and for those with another number of results than 1.
///
/// Where the operation leaves the bits of a NaN open, the result is one of those NaNs.
#[deny(clippy::wildcard_enum_match_arm, reason = "a new operation has a value here, or none, by name")]
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
        Op::Frc {} => flushed::fraction::<NAN>(args[0]),
        Op::Ex2 {} => transcendental::ex2(args[0]),
        Op::Ln2 {} => transcendental::ln2(args[0]),
        Op::Sin {} => transcendental::sin(args[0]),
        Op::Cos {} => transcendental::cos(args[0]),
        Op::FaddRounded { rounding } => narrow(BINARY32.add(rounding.into(), unsigned(0), unsigned(1))),
        Op::FmulRounded { rounding } => narrow(BINARY32.mul(rounding.into(), unsigned(0), unsigned(1), 0)),
        Op::FmaRounded { rounding } => narrow(BINARY32.fma(rounding.into(), unsigned(0), unsigned(1), unsigned(2))),
        Op::Dtof { rounding } => narrow(BINARY64.convert(rounding.into(), double(args, 0), BINARY32)),
        Op::Dtoi {} => (double_value(args, 0) as i32).cast_unsigned(),
        Op::Dtou {} => double_value(args, 0) as u32,
        Op::Dcmp { test } => u32::from(test.holds(double_value(args, 0).partial_cmp(&double_value(args, 2)))),
        Op::Htof {} => narrow(BINARY16.convert(Rounding::Even.into(), unsigned(0), BINARY32)),
        Op::Ftoh { rounding } => {
            BINARY32.convert(rounding.into(), unsigned(0), BINARY16).map_or(NAN_16, |bits| bits as u32)
        }
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
        Op::Udiv {} => args[0].checked_div(args[1]).unwrap_or(u32::MAX),
        Op::Popcount {} => args[0].count_ones(),
        Op::Clz {} => args[0].leading_zeros(),
        Op::BitReverse {} => args[0].reverse_bits(),
        Op::PosX {}
        | Op::PosY {}
        | Op::Covered {}
        | Op::TableSplat { .. }
        | Op::TableAt { .. }
        | Op::TableGather { .. }
        | Op::TableUniform { .. }
        | Op::Ftod {}
        | Op::Itod {}
        | Op::Utod {}
        | Op::Dadd { .. }
        | Op::Dmul { .. }
        | Op::Dfma { .. }
        | Op::Ddiv {}
        | Op::Dsqrt {}
        | Op::Dround { .. }
        | Op::Quad { .. }
        | Op::Ballot {}
        | Op::Shuffle {}
        | Op::SurfaceLoad { .. }
        | Op::SurfaceLoad2x2 { .. }
        | Op::SurfaceStore { .. }
        | Op::SurfaceTest { .. }
        | Op::BufferLoad { .. }
        | Op::BufferStore { .. }
        | Op::ArrayRead { .. }
        | Op::ArrayWrite { .. }
        | Op::ArrayGather { .. }
        | Op::ArrayScatter { .. }
        | Op::MaskArrayRead { .. }
        | Op::MaskArrayWrite { .. }
        | Op::UniformArrayRead { .. }
        | Op::UniformArrayWrite { .. }
        | Op::Steps { .. } => return None,
    })
}

/// The results of an operation with two results in one lane, as [`evaluate`] gives the one of others.
pub fn evaluate_pair(op: &Op, args: &[u32]) -> Option<[u32; 2]> {
    let value = |at| double_value(args, at);
    let result = match *op {
        Op::Ftod {} => host(f64::from(float(args[0]))),
        Op::Itod {} => host(f64::from(args[0].cast_signed())),
        Op::Utod {} => host(f64::from(args[0])),
        Op::Dadd { rounding: Rounding::Even } => host(value(0) + value(2)),
        Op::Dadd { rounding } => BINARY64.add(rounding.into(), double(args, 0), double(args, 2)),
        Op::Dmul { rounding: Rounding::Even } => host(value(0) * value(2)),
        Op::Dmul { rounding } => BINARY64.mul(rounding.into(), double(args, 0), double(args, 2), 0),
        Op::Dfma { rounding: Rounding::Even } => host(value(0).mul_add(value(2), value(4))),
        Op::Dfma { rounding } => BINARY64.fma(rounding.into(), double(args, 0), double(args, 2), double(args, 4)),
        Op::Ddiv {} => host(value(0) / value(2)),
        Op::Dsqrt {} => host(value(0).sqrt()),
        Op::Dround { round } => host(round_64(round, value(0))),
        _ => return None,
    };
    let bits = result.unwrap_or(NAN_64);
    Some([bits as u32, (bits >> 32) as u32])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The host's binary64 arithmetic is the one that rounds to nearest even.
    #[test]
    fn doubles_to_nearest_are_the_exact_ones() {
        let even = ctm_num::ieee::Rounding::NearestEven;
        let words = [0, 1, 0x8000_0000, 0x3FF0_0000, 0xBFF0_0001, 0x7FF0_0000, 0xFFF0_0000, 0x7FF8_0000, 0x0010_0000];
        let values: Vec<[u32; 2]> = words.iter().flat_map(|&high| [0, 1, u32::MAX].map(|low| [low, high])).collect();
        let wide = |[low, high]: [u32; 2]| u64::from(high) << 32 | u64::from(low);
        let check = |op, args: &[u32], exact: Option<u64>| {
            let found = evaluate_pair(&op, args).map(wide);
            assert_eq!(found, Some(exact.unwrap_or(NAN_64)), "{op:?} {args:x?}");
        };
        for &a in &values {
            for &b in &values {
                let args = [a[0], a[1], b[0], b[1]];
                check(Op::Dadd { rounding: Rounding::Even }, &args, BINARY64.add(even, wide(a), wide(b)));
                check(Op::Dmul { rounding: Rounding::Even }, &args, BINARY64.mul(even, wide(a), wide(b), 0));
                for &c in values.iter().step_by(if cfg!(miri) { 9 } else { 1 }) {
                    let args = [a[0], a[1], b[0], b[1], c[0], c[1]];
                    let exact = BINARY64.fma(even, wide(a), wide(b), wide(c));
                    check(Op::Dfma { rounding: Rounding::Even }, &args, exact);
                }
            }
        }
    }

    #[test]
    fn directions_differ_where_results_are_not_exact() {
        let tiny = 1u32;
        let one = ONE;
        let sum = |rounding| evaluate(&Op::FaddRounded { rounding }, &[one, tiny]);
        let all = [Rounding::Even, Rounding::Down, Rounding::Up, Rounding::Zero].map(sum);
        assert_eq!(all, [Some(one), Some(one), Some(one + 1), Some(one)]);
        let half = |rounding| evaluate(&Op::Ftoh { rounding }, &[0x3F80_1000]);
        assert_eq!((half(Rounding::Even), half(Rounding::Up)), (Some(0x3C00), Some(0x3C01)));
        assert_eq!(evaluate(&Op::Htof {}, &[0xFFFF_0001]), Some(0x3380_0000), "the upper half does not count");
        assert_eq!(evaluate(&Op::Ftoh { rounding: Rounding::Even }, &[0xFFC0_0001]), Some(NAN_16));
    }
}
