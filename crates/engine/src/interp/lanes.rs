//! Operations over the lanes of a group, as loops that the compiler turns into vector code.
//!
//! What an operation does is what [`ctm_lane::evaluate`] does in each lane. The loops here say the same without branches;
//! where a result has the magnitude 2^-126, so that it depends on the exact value whether it is flushed, a stretch of
//! lanes is done again by the definition.

use ctm_lane::{Denorm, FloatTest, IntTest, Op, Round, Zero, evaluate};
use ctm_num::fused::mul_add;
use ctm_num::transcendental::{cos, ex2_factors, ln2, sin};

const SIGN: u32 = 0x8000_0000;
const EXPONENT: u32 = 0x7F80_0000;
const MIN_NORMAL: u32 = 0x0080_0000;
const ONE: u32 = 0x3F80_0000;
const QUIET: u32 = 0x0040_0000;
/// 2^23: numbers from here on to the next power of two are integers.
const UNIT_SPACED: f32 = 8_388_608.0;
/// Lanes that are done again together.
const STRETCH: usize = 32;

#[inline(always)]
fn mask(condition: bool) -> u32 {
    if condition { u32::MAX } else { 0 }
}

#[inline(always)]
fn flush(bits: u32) -> u32 {
    if bits & EXPONENT == 0 { bits & SIGN } else { bits }
}

#[inline(always)]
fn float(bits: u32) -> f32 {
    f32::from_bits(flush(bits))
}

#[inline(always)]
fn plain(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// For each lane: the expression of what the rows hold there.
macro_rules! each {
    ($d:ident, [$($row:ident),+] $result:expr) => {{
        let n = $d.len();
        $(let $row = &$row[..n];)+
        for lane in 0..n {
            $(let $row = $row[lane];)+
            $d[lane] = $result;
        }
    }};
}

/// As `each!`, of an operation whose results are flushed: the expression gives them under gradual underflow.
macro_rules! flushed {
    ($op:ident, $d:ident, [$($row:ident),+] $result:expr) => {{
        let n = $d.len();
        let mut start = 0;
        while start < n {
            let end = (start + STRETCH).min(n);
            let d = &mut $d[start..end];
            $(let $row = &$row[start..end];)+
            let mut doubtful = 0;
            for lane in 0..d.len() {
                let value: f32 = {
                    $(let $row = $row[lane];)+
                    $result
                };
                let bits = value.to_bits();
                let magnitude = bits & !SIGN;
                d[lane] = if magnitude < MIN_NORMAL { bits & SIGN } else { bits };
                doubtful |= mask(magnitude == MIN_NORMAL);
            }
            if doubtful != 0 {
                by_definition($op, d, &[$($row),+]);
            }
            start = end;
        }
    }};
}

#[cold]
#[inline(never)]
fn by_definition(op: &Op, d: &mut [u32], rows: &[&[u32]]) {
    let count = op.info().operands.len();
    for lane in 0..d.len() {
        let mut args = [0; 3];
        for (arg, row) in args.iter_mut().zip(rows) {
            *arg = row[lane];
        }
        d[lane] = evaluate(op, &args[..count]).unwrap_or_default();
    }
}

/// The operation in each lane, if it is one that has a loop here. Rows that it does not have are empty. Bit n of `normal`: row n holds no denormals.
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(
    not(all(target_arch = "wasm32", target_feature = "simd128")),
    expect(unused_variables, reason = "other hosts flush operands without loss of time")
)]
pub(super) fn fast(op: &Op, normal: u8, d: &mut [u32], a: &[u32], b: &[u32], c: &[u32]) -> bool {
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    match *op {
        Op::Fma { denorm: Denorm::Flush, zero } => {
            super::wide::multiply_add(d, [a, b, c], normal, zero, |d, rows| by_definition(op, d, &rows));
            return true;
        }
        Op::Fmul { denorm: Denorm::Flush, zero } => {
            super::wide::mul(d, [a, b], normal, zero, |d, rows| by_definition(op, d, &rows));
            return true;
        }
        Op::Fadd { denorm: Denorm::Flush } => {
            super::wide::add(d, [a, b], normal, |d, rows| by_definition(op, d, &rows));
            return true;
        }
        Op::Fsub { denorm: Denorm::Flush } => {
            super::wide::sub(d, [a, b], normal, |d, rows| by_definition(op, d, &rows));
            return true;
        }
        Op::Ex2 {} => {
            super::wide::ex2(d, a);
            return true;
        }
        Op::Sin {} => {
            super::wide::sin(d, a);
            return true;
        }
        Op::Cos {} => {
            super::wide::cos(d, a);
            return true;
        }
        Op::Ln2 {} => {
            super::wide::ln2(d, a);
            return true;
        }
        _ => {}
    }
    match *op {
        Op::Fma { denorm: Denorm::Flush, zero: Zero::Ieee } => {
            flushed!(op, d, [a, b, c] mul_add(float(a), float(b), float(c)));
        }
        Op::Fma { denorm: Denorm::Flush, zero: Zero::Special } => flushed!(op, d, [a, b, c] {
            let (a, b, c) = (float(a), float(b), float(c));
            let sum = mul_add(a, b, c);
            // Zero times infinity or NaN always shows as a NaN result.
            if sum.is_nan() & ((a == 0.0) | (b == 0.0)) { c + 0.0 } else { sum }
        }),
        Op::Fma { denorm: Denorm::Flush, zero: Zero::Always } => flushed!(op, d, [a, b, c] {
            let (a, b, c) = (float(a), float(b), float(c));
            if (a == 0.0) | (b == 0.0) { c + 0.0 } else { mul_add(a, b, c) }
        }),
        Op::Fmul { denorm: Denorm::Flush, zero: Zero::Ieee } => flushed!(op, d, [a, b] float(a) * float(b)),
        Op::Fmul { denorm: Denorm::Flush, zero: Zero::Special } => flushed!(op, d, [a, b] {
            let (a, b) = (float(a), float(b));
            let product = a * b;
            if product.is_nan() & ((a == 0.0) | (b == 0.0)) { 0.0 } else { product }
        }),
        Op::Fmul { denorm: Denorm::Flush, zero: Zero::Always } => flushed!(op, d, [a, b] {
            let (a, b) = (float(a), float(b));
            if (a == 0.0) | (b == 0.0) { 0.0 } else { a * b }
        }),
        // Sums below the normal numbers are exact, so that none of them is doubtful.
        Op::Fadd { denorm: Denorm::Flush } => each!(d, [a, b] flush((float(a) + float(b)).to_bits())),
        Op::Fsub { denorm: Denorm::Flush } => each!(d, [a, b] flush((float(a) - float(b)).to_bits())),
        Op::Fdiv { denorm: Denorm::Flush } => flushed!(op, d, [a, b] float(a) / float(b)),
        Op::Fsqrt { denorm: Denorm::Flush } => flushed!(op, d, [a] float(a).sqrt()),
        Op::Fadd { denorm: Denorm::Keep } => each!(d, [a, b](plain(a) + plain(b)).to_bits()),
        Op::Fsub { denorm: Denorm::Keep } => each!(d, [a, b](plain(a) - plain(b)).to_bits()),
        Op::Fmul { denorm: Denorm::Keep, zero: Zero::Ieee } => each!(d, [a, b](plain(a) * plain(b)).to_bits()),
        Op::Fma { denorm: Denorm::Keep, zero: Zero::Ieee } => {
            each!(d, [a, b, c] mul_add(plain(a), plain(b), plain(c)).to_bits());
        }
        Op::Fround { round, denorm: Denorm::Flush } => match round {
            Round::Floor => each!(d, [a] float(a).floor().to_bits()),
            Round::Ceil => each!(d, [a] float(a).ceil().to_bits()),
            Round::Trunc => each!(d, [a] float(a).trunc().to_bits()),
            Round::Even => each!(d, [a] float(a).round_ties_even().to_bits()),
        },
        Op::Frc {} => each!(d, [a] {
            let value = float(a);
            let fraction = value - value.floor();
            fraction.to_bits().min(if fraction.is_nan() { u32::MAX } else { ONE - 1 })
        }),
        Op::Ex2 {} => flushed!(op, d, [a] {
            let [power, factor] = ex2_factors(a);
            float(power.to_bits()) * float(factor.to_bits())
        }),
        Op::Ln2 {} => each!(d, [a] ln2(a)),
        Op::Sin {} => each!(d, [a] sin(a)),
        Op::Cos {} => each!(d, [a] cos(a)),
        Op::CanonNan { nan } => each!(d, [a] if plain(a).is_nan() { nan.0 } else { a }),
        Op::PassNan {} => each!(d, [a, b] if plain(a).is_nan() & plain(b).is_nan() { b | QUIET } else { a }),
        Op::Clamp01 { denorm: Denorm::Flush } => each!(d, [a] if float(a) > 0.0 { a.min(ONE) } else { 0 }),
        Op::Neg {} => each!(d, [a] a ^ SIGN),
        Op::Abs {} => each!(d, [a] a & !SIGN),
        Op::Nabs {} => each!(d, [a] a | SIGN),
        Op::Fmin { denorm: Denorm::Flush } => each!(d, [a, b] if float(a) < float(b) { a } else { b }),
        Op::Fmax { denorm: Denorm::Flush } => each!(d, [a, b] if float(a) > float(b) { a } else { b }),
        Op::Select {} | Op::MaskSelect {} => each!(d, [a, b, c](b & a) | (c & !a)),
        Op::Fcmp { test, denorm: Denorm::Flush } => compare(test, d, a, b),
        Op::Icmp { test } => match test {
            IntTest::Eq => each!(d, [a, b] mask(a == b)),
            IntTest::Ne => each!(d, [a, b] mask(a != b)),
            IntTest::Slt => each!(d, [a, b] mask(a.cast_signed() < b.cast_signed())),
            IntTest::Sle => each!(d, [a, b] mask(a.cast_signed() <= b.cast_signed())),
            IntTest::Sgt => each!(d, [a, b] mask(a.cast_signed() > b.cast_signed())),
            IntTest::Sge => each!(d, [a, b] mask(a.cast_signed() >= b.cast_signed())),
            IntTest::Ult => each!(d, [a, b] mask(a < b)),
            IntTest::Ule => each!(d, [a, b] mask(a <= b)),
            IntTest::Ugt => each!(d, [a, b] mask(a > b)),
            IntTest::Uge => each!(d, [a, b] mask(a >= b)),
        },
        Op::MaskAnd {} | Op::And {} => each!(d, [a, b] a & b),
        Op::MaskOr {} | Op::Or {} => each!(d, [a, b] a | b),
        Op::MaskXor {} | Op::Xor {} => each!(d, [a, b] a ^ b),
        Op::MaskAndnot {} => each!(d, [a, b] a & !b),
        Op::MaskNot {} => each!(d, [a] !a),
        Op::Iadd {} => each!(d, [a, b] a.wrapping_add(b)),
        Op::Isub {} => each!(d, [a, b] a.wrapping_sub(b)),
        Op::Imul {} => each!(d, [a, b] a.wrapping_mul(b)),
        Op::Smin {} => each!(d, [a, b] a.cast_signed().min(b.cast_signed()).cast_unsigned()),
        Op::Smax {} => each!(d, [a, b] a.cast_signed().max(b.cast_signed()).cast_unsigned()),
        Op::Umin {} => each!(d, [a, b] a.min(b)),
        Op::Umax {} => each!(d, [a, b] a.max(b)),
        Op::Shl {} => each!(d, [a, b] if b < 32 { a << (b & 31) } else { 0 }),
        Op::Shr {} => each!(d, [a, b] if b < 32 { a >> (b & 31) } else { 0 }),
        Op::Sar {} => each!(d, [a, b](a.cast_signed() >> b.min(31)).cast_unsigned()),
        Op::Itof {} => each!(d, [a](a.cast_signed() as f32).to_bits()),
        Op::Utof {} => each!(d, [a](a as f32).to_bits()),
        Op::Ftou {} => each!(d, [a] plain(a) as u32),
        Op::Ftoi {} => each!(d, [a](plain(a) as i32).cast_unsigned()),
        Op::FloatToIndex { limit } if limit <= 1 << 23 => {
            let last = limit.saturating_sub(1) as f32;
            // An integer below 2^23 is the low bits of its sum with 2^23.
            each!(d, [a] {
                let value = plain(a);
                let value = if value > 0.0 { value } else { 0.0 };
                let value = if value < last { value } else { last };
                (value.floor() + UNIT_SPACED).to_bits() - UNIT_SPACED.to_bits()
            });
        }
        Op::FloatToCoordinate {} => each!(d, [a] {
            let value = plain(a);
            if value.is_nan() { SIGN } else { (float(a).floor() as i32).cast_unsigned() }
        }),
        _ => return false,
    }
    true
}

#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[allow(clippy::neg_cmp_op_on_partial_ord, reason = "an unordered test is the complement of an ordered one")]
fn compare(test: FloatTest, d: &mut [u32], a: &[u32], b: &[u32]) {
    macro_rules! tests {
        ($($test:ident |$a:ident, $b:ident| $condition:expr;)+) => {
            match test {
                $(FloatTest::$test => each!(d, [a, b] {
                    let ($a, $b) = (float(a), float(b));
                    mask($condition)
                }),)+
            }
        };
    }
    tests! {
        Oeq |a, b| a == b;
        Olt |a, b| a < b;
        Ole |a, b| a <= b;
        Ogt |a, b| a > b;
        Oge |a, b| a >= b;
        One |a, b| (a < b) | (a > b);
        Ord |a, b| !a.is_nan() & !b.is_nan();
        Ueq |a, b| !((a < b) | (a > b));
        Ult |a, b| !(a >= b);
        Ule |a, b| !(a > b);
        Ugt |a, b| !(a <= b);
        Uge |a, b| !(a < b);
        Une |a, b| a != b;
        Uno |a, b| a.is_nan() | b.is_nan();
    }
}
