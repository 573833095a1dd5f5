//! Operations over the lanes of a group, as loops that the compiler turns into vector code.
//!
//! What an operation does is what [`ctm_lane::evaluate`] does in each lane. The loops here say the same without branches;
//! where a result has the magnitude 2^-126, so that it depends on the exact value whether it is flushed, a stretch of
//! lanes is done again by the definition.

use ctm_lane::{Denorm, FloatTest, IntTest, Op, Zero, evaluate};

const SIGN: u32 = 0x8000_0000;
const EXPONENT: u32 = 0x7F80_0000;
const MIN_NORMAL: u32 = 0x0080_0000;
const ONE: u32 = 0x3F80_0000;
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

#[inline(always)]
fn unary(d: &mut [u32], a: &[u32], f: impl Fn(u32) -> u32) {
    let n = d.len();
    let a = &a[..n];
    for lane in 0..n {
        d[lane] = f(a[lane]);
    }
}

#[inline(always)]
fn binary(d: &mut [u32], a: &[u32], b: &[u32], f: impl Fn(u32, u32) -> u32) {
    let n = d.len();
    let (a, b) = (&a[..n], &b[..n]);
    for lane in 0..n {
        d[lane] = f(a[lane], b[lane]);
    }
}

#[inline(always)]
fn ternary(d: &mut [u32], a: &[u32], b: &[u32], c: &[u32], f: impl Fn(u32, u32, u32) -> u32) {
    let n = d.len();
    let (a, b, c) = (&a[..n], &b[..n], &c[..n]);
    for lane in 0..n {
        d[lane] = f(a[lane], b[lane], c[lane]);
    }
}

/// An operation whose results are flushed: `f` gives them under gradual underflow.
#[inline(always)]
fn flushed(op: &Op, d: &mut [u32], rows: [&[u32]; 3], f: impl Fn(u32, u32, u32) -> f32) {
    let n = d.len();
    let [a, b, c] = rows.map(|row| &row[..n]);
    let mut start = 0;
    while start < n {
        let end = (start + STRETCH).min(n);
        let (d, a, b, c) = (&mut d[start..end], &a[start..end], &b[start..end], &c[start..end]);
        let mut doubtful = 0;
        for lane in 0..d.len() {
            let bits = f(a[lane], b[lane], c[lane]).to_bits();
            let magnitude = bits & !SIGN;
            d[lane] = if magnitude < MIN_NORMAL { bits & SIGN } else { bits };
            doubtful |= mask(magnitude == MIN_NORMAL);
        }
        if doubtful != 0 {
            by_definition(op, d, &[a, b, c]);
        }
        start = end;
    }
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

/// The operation in each lane, if it is one that has a loop here. Rows that it does not have are empty.
#[inline(always)]
pub(super) fn fast(op: &Op, d: &mut [u32], a: &[u32], b: &[u32], c: &[u32]) -> bool {
    match *op {
        Op::Fma { denorm: Denorm::Flush, zero: Zero::Ieee } => {
            flushed(
                op,
                d,
                [a, b, c],
                #[inline(always)]
                |a, b, c| float(a).mul_add(float(b), float(c)),
            );
        }
        Op::Fma { denorm: Denorm::Flush, zero: Zero::Special } => {
            flushed(
                op,
                d,
                [a, b, c],
                #[inline(always)]
                |a, b, c| {
                    let (a, b, c) = (float(a), float(b), float(c));
                    let sum = a.mul_add(b, c);
                    // Zero times infinity or NaN always shows as a NaN result.
                    if sum.is_nan() & ((a == 0.0) | (b == 0.0)) { c + 0.0 } else { sum }
                },
            );
        }
        Op::Fmul { denorm: Denorm::Flush, zero: Zero::Ieee } => {
            flushed(
                op,
                d,
                [a, b, b],
                #[inline(always)]
                |a, b, _| float(a) * float(b),
            );
        }
        Op::Fmul { denorm: Denorm::Flush, zero: Zero::Special } => {
            flushed(
                op,
                d,
                [a, b, b],
                #[inline(always)]
                |a, b, _| {
                    let (a, b) = (float(a), float(b));
                    let product = a * b;
                    if product.is_nan() & ((a == 0.0) | (b == 0.0)) { 0.0 } else { product }
                },
            );
        }
        Op::Fadd { denorm: Denorm::Flush } => {
            flushed(
                op,
                d,
                [a, b, b],
                #[inline(always)]
                |a, b, _| float(a) + float(b),
            );
        }
        Op::Fsub { denorm: Denorm::Flush } => {
            flushed(
                op,
                d,
                [a, b, b],
                #[inline(always)]
                |a, b, _| float(a) - float(b),
            );
        }
        Op::Fdiv { denorm: Denorm::Flush } => {
            flushed(
                op,
                d,
                [a, b, b],
                #[inline(always)]
                |a, b, _| float(a) / float(b),
            );
        }
        Op::Fsqrt { denorm: Denorm::Flush } => {
            flushed(
                op,
                d,
                [a, a, a],
                #[inline(always)]
                |a, _, _| float(a).sqrt(),
            );
        }
        Op::Frc {} => unary(
            d,
            a,
            #[inline(always)]
            |a| {
                let value = float(a);
                let fraction = value - value.floor();
                fraction.to_bits().min(if fraction.is_nan() { u32::MAX } else { ONE - 1 })
            },
        ),
        Op::CanonNan { nan } => {
            unary(
                d,
                a,
                #[inline(always)]
                |a| if plain(a).is_nan() { nan.0 } else { a },
            );
        }
        Op::Clamp01 { denorm: Denorm::Flush } => {
            unary(
                d,
                a,
                #[inline(always)]
                |a| if float(a) > 0.0 { a.min(ONE) } else { 0 },
            );
        }
        Op::Neg {} => unary(
            d,
            a,
            #[inline(always)]
            |a| a ^ SIGN,
        ),
        Op::Abs {} => unary(
            d,
            a,
            #[inline(always)]
            |a| a & !SIGN,
        ),
        Op::Nabs {} => unary(
            d,
            a,
            #[inline(always)]
            |a| a | SIGN,
        ),
        Op::Fmin { denorm: Denorm::Flush } => {
            binary(
                d,
                a,
                b,
                #[inline(always)]
                |a, b| if float(a) < float(b) { a } else { b },
            );
        }
        Op::Fmax { denorm: Denorm::Flush } => {
            binary(
                d,
                a,
                b,
                #[inline(always)]
                |a, b| if float(a) > float(b) { a } else { b },
            );
        }
        Op::Select {} | Op::MaskSelect {} => {
            ternary(
                d,
                a,
                b,
                c,
                #[inline(always)]
                |m, a, b| (a & m) | (b & !m),
            );
        }
        Op::Fcmp { test, denorm: Denorm::Flush } => compare(test, d, a, b),
        Op::Icmp { test: IntTest::Eq } => binary(
            d,
            a,
            b,
            #[inline(always)]
            |a, b| mask(a == b),
        ),
        Op::Icmp { test: IntTest::Ne } => binary(
            d,
            a,
            b,
            #[inline(always)]
            |a, b| mask(a != b),
        ),
        Op::MaskAnd {} | Op::And {} => binary(
            d,
            a,
            b,
            #[inline(always)]
            |a, b| a & b,
        ),
        Op::MaskOr {} | Op::Or {} => binary(
            d,
            a,
            b,
            #[inline(always)]
            |a, b| a | b,
        ),
        Op::MaskXor {} | Op::Xor {} => binary(
            d,
            a,
            b,
            #[inline(always)]
            |a, b| a ^ b,
        ),
        Op::MaskAndnot {} => binary(
            d,
            a,
            b,
            #[inline(always)]
            |a, b| a & !b,
        ),
        Op::MaskNot {} => unary(
            d,
            a,
            #[inline(always)]
            |a| !a,
        ),
        Op::Utof {} => unary(
            d,
            a,
            #[inline(always)]
            |a| (a as f32).to_bits(),
        ),
        _ => return false,
    }
    true
}

#[inline(always)]
#[allow(clippy::neg_cmp_op_on_partial_ord, reason = "an unordered test is the complement of an ordered one")]
fn compare(test: FloatTest, d: &mut [u32], a: &[u32], b: &[u32]) {
    macro_rules! tests {
        ($($test:ident |$a:ident, $b:ident| $condition:expr;)+) => {
            match test {
                $(FloatTest::$test => binary(d, a, b, #[inline(always)] |x, y| {
                    let ($a, $b) = (float(x), float(y));
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
