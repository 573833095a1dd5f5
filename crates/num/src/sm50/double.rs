//! f64: sums, products, minimum and maximum, comparisons. Denormals are ordinary numbers.

use super::{NAN_F64, Relation};
use crate::ieee::{BINARY64, Number, Rounding};

const SIGN: u64 = 1 << 63;

/// a + b.
pub fn dadd(rounding: Rounding, a: u64, b: u64) -> u64 {
    BINARY64.add(rounding, a, b).unwrap_or(NAN_F64)
}

/// a * b.
pub fn dmul(rounding: Rounding, a: u64, b: u64) -> u64 {
    BINARY64.mul(rounding, a, b, 0).unwrap_or(NAN_F64)
}

/// a * b + c with one rounding.
pub fn dfma(rounding: Rounding, a: u64, b: u64, c: u64) -> u64 {
    BINARY64.fma(rounding, a, b, c).unwrap_or(NAN_F64)
}

/// The smaller (`min`) or larger operand. -0 is below +0; of a NaN and a number it is the number.
pub fn dmnmx(min: bool, a: u64, b: u64) -> u64 {
    let is_nan = |bits| BINARY64.unpack(bits) == Number::Nan;
    match (is_nan(a), is_nan(b)) {
        (true, true) => NAN_F64,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            let rank = |bits: u64| if bits & SIGN != 0 { !bits } else { bits | SIGN };
            if (rank(a) < rank(b)) == min { a } else { b }
        }
    }
}

/// How a compares to b. Zeros of either sign are equal.
pub fn dcompare(a: u64, b: u64) -> Relation {
    BINARY64.compare(a, b).into()
}
