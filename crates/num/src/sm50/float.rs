//! f32: sums, products, minimum and maximum, comparisons.

use super::{NAN, Relation};
use crate::flushed::{flush, is_nan};
use crate::ieee::{BINARY32, Rounding};

const SIGN: u32 = 0x8000_0000;
const ONE: u32 = 0x3F80_0000;

/// What an instruction does with denormals and with products of zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Denormals {
    /// Denormals are ordinary numbers.
    #[default]
    Keep,
    /// FTZ: denormal operands and results become zero of their sign.
    Flush,
    /// FMZ: as FTZ, and zero times anything is +0 (decision S34: also times NaN, and whatever the signs).
    FlushZero,
}

impl Denormals {
    fn apply(self, bits: u32) -> u32 {
        if self == Denormals::Keep { bits } else { flush(bits) }
    }
}

/// How a float instruction computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatRules {
    /// Direction of rounding.
    pub rounding: Rounding,
    /// Denormals and zeros.
    pub denormals: Denormals,
    /// SAT: the result is clamped to 0..=1.
    pub saturate: bool,
}

impl FloatRules {
    fn finish(&self, result: Option<u64>) -> u32 {
        let result = self.denormals.apply(result.map_or(NAN, |bits| bits as u32));
        if self.saturate { saturate(result) } else { result }
    }

    fn operands<const N: usize>(&self, operands: [u32; N]) -> [u64; N] {
        operands.map(|bits| u64::from(self.denormals.apply(bits)))
    }

    fn product_is_zero(&self, a: u64, b: u64) -> bool {
        self.denormals == Denormals::FlushZero && (is_zero(a as u32) || is_zero(b as u32))
    }
}

fn is_zero(bits: u32) -> bool {
    bits & !SIGN == 0
}

/// SAT: NaN and what is not above zero give +0, what is not below one gives 1.
pub fn saturate(bits: u32) -> u32 {
    if is_nan(bits) || bits & SIGN != 0 { 0 } else { bits.min(ONE) }
}

/// a + b.
pub fn fadd(rules: FloatRules, a: u32, b: u32) -> u32 {
    let [a, b] = rules.operands([a, b]);
    rules.finish(BINARY32.add(rules.rounding, a, b))
}

/// a * b * 2^scale with one rounding.
pub fn fmul(rules: FloatRules, a: u32, b: u32, scale: i32) -> u32 {
    let [a, b] = rules.operands([a, b]);
    if rules.product_is_zero(a, b) {
        return 0;
    }
    rules.finish(BINARY32.mul(rules.rounding, a, b, scale))
}

/// a * b + c with one rounding.
pub fn ffma(rules: FloatRules, a: u32, b: u32, c: u32) -> u32 {
    let [a, b, c] = rules.operands([a, b, c]);
    let zero = rules.product_is_zero(a, b);
    rules.finish(if zero { BINARY32.add(rules.rounding, 0, c) } else { BINARY32.fma(rules.rounding, a, b, c) })
}

/// The smaller (`min`) or larger operand. -0 is below +0; of a NaN and a number it is the number.
pub fn fmnmx(min: bool, denormals: Denormals, a: u32, b: u32) -> u32 {
    let (a, b) = (denormals.apply(a), denormals.apply(b));
    match (is_nan(a), is_nan(b)) {
        (true, true) => NAN,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            // Negative numbers are ordered the other way round.
            let rank = |bits: u32| if bits & SIGN != 0 { !bits } else { bits | SIGN };
            if (rank(a) < rank(b)) == min { a } else { b }
        }
    }
}

/// How a compares to b. Zeros of either sign are equal.
pub fn fcompare(denormals: Denormals, a: u32, b: u32) -> Relation {
    BINARY32.compare(denormals.apply(a).into(), denormals.apply(b).into()).into()
}

/// FCHK: whether a/b needs the slow way of a division routine. The machine's criterion is not public (decision S35: biased
/// exponents near either end, or far from each other; the code after it is right both ways).
pub fn division_needs_care(a: u32, b: u32) -> bool {
    let exponent = |bits: u32| i32::from((bits >> 23) as u8);
    let (a, b) = (exponent(a), exponent(b));
    a == 255 || b == 0 || (a - b).abs() >= 126 || a <= 24 || b >= 253
}
