//! The interpolation that the functions have in common: on each of some intervals of equal size a quadratic polynomial, in
//! fixed point.

use super::tables::ROWS;

/// How many bits of a value come after the binary point.
pub const POINT: u32 = 40;
/// How many bits of an argument say where in its interval it lies.
pub const REST_BITS: u32 = 17;
/// How many bits of a value come after the last bit of a constant coefficient.
pub const BELOW_CONSTANT: u32 = 9;
/// Entries of each half of [`coefficients`].
pub const COEFFICIENT_ROWS: u32 = 512;

/// A function's part of the tables, and what its coefficients mean.
#[derive(Clone, Copy, Debug)]
pub struct Interpolator {
    /// The row of the first interval.
    pub first: u32,
    /// What a linear coefficient, times the rest of the argument, counts in units of 2^-[`POINT`]: a power of two with a sign.
    pub linear: i32,
    /// What a quadratic coefficient, times the rest's [`square`], counts in the same units.
    pub quadratic: i32,
    /// What is added before the value is cut to the precision of a float.
    pub rounding: i32,
}

/// 1/m.
pub const RCP: Interpolator = Interpolator { first: 0, linear: -1, quadratic: 2, rounding: 0xCFCE };
/// 1/sqrt(m).
pub const RSQ: Interpolator = Interpolator { first: 128, linear: -1, quadratic: 4, rounding: 0xFFFF };
/// 2^f.
pub const EX2: Interpolator = Interpolator { first: 256, linear: 4, quadratic: 4, rounding: 0xDF88 };
/// log2(m).
pub const LG2: Interpolator = Interpolator { first: 320, linear: 4, quadratic: -8, rounding: 0x1_0D16 };
/// sin(pi/2 f).
pub const SIN: Interpolator = Interpolator { first: 384, linear: 8, quadratic: -8, rounding: 0 };

impl Interpolator {
    /// The value, in units of 2^-[`POINT`], at an argument that consists of the number of an interval and the rest.
    pub(super) fn at(&self, argument: u32) -> i64 {
        let (interval, rest) = (argument >> REST_BITS, argument & ((1 << REST_BITS) - 1));
        let [constant, linear, quadratic] = ROWS[(self.first + interval) as usize];
        (i64::from(constant) << BELOW_CONSTANT)
            + i64::from(linear) * i64::from(rest) * i64::from(self.linear)
            + i64::from(quadratic * square(rest)) * i64::from(self.quadratic)
            + i64::from(self.rounding)
    }
}

/// The square of a number of [`REST_BITS`] bits in units of 2^19, as the machine has it: of the partial products it forms only
/// those that stand in column 19 or above. (Bit i times bit j, which counts twice, stands in column i + j + 1; bit i times
/// itself in column 2i.)
pub fn square(x: u32) -> u32 {
    // Of the bits from bit 9 on, all products but that of bit 9 with itself.
    let high = x >> 9;
    let mixed = (2..9).map(|bit| if x >> bit & 1 != 0 { x >> (18 - bit) } else { 0 });
    ((high * high) >> 1) + mixed.sum::<u32>()
}

/// The tables as words: the constant coefficient of every row, and from entry [`COEFFICIENT_ROWS`] on the linear one with the
/// quadratic one, times 2^[`REST_BITS`], added. Entries without a row are 0.
pub fn coefficients() -> Vec<u32> {
    let mut words = vec![0; 2 * COEFFICIENT_ROWS as usize];
    let (constants, others) = words.split_at_mut(COEFFICIENT_ROWS as usize);
    for ((&[constant, linear, quadratic], first), second) in ROWS.iter().zip(constants).zip(others) {
        *first = constant;
        *second = linear | quadratic << REST_BITS;
    }
    words
}
