//! Binary floating-point numbers of IEEE 754 in any of the four directions of rounding, exact by construction: operands are
//! taken apart into integers, computed with, and rounded once.
//!
//! Bits of all formats travel as `u64`, in its low bits. NaN results are `None`: their bits are the guest's affair. Denormals
//! are ordinary numbers; who flushes them does so before and after.

/// Direction of rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest number, ties to the one with an even significand.
    #[default]
    NearestEven,
    /// Toward minus infinity.
    Down,
    /// Toward plus infinity.
    Up,
    /// Toward zero.
    Zero,
}

impl Rounding {
    /// Every direction.
    pub const ALL: [Rounding; 4] = [Rounding::NearestEven, Rounding::Down, Rounding::Up, Rounding::Zero];
}

/// A binary interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Bits of the stored significand.
    fraction: u32,
    /// Bits of the exponent.
    exponent: u32,
}

/// binary16.
pub const BINARY16: Format = Format { fraction: 10, exponent: 5 };
/// binary32.
pub const BINARY32: Format = Format { fraction: 23, exponent: 8 };
/// binary64.
pub const BINARY64: Format = Format { fraction: 52, exponent: 11 };

/// 2^exponent as a binary64, for exponents from -1022 to 1023. The standard library leaves the precision of `powi` open;
/// these bits are exact.
pub const fn power_of_two(exponent: i32) -> f64 {
    assert!(exponent >= -1022 && exponent <= 1023, "2^exponent is not a normal binary64");
    f64::from_bits(((exponent + BINARY64.bias()) as u64) << BINARY64.fraction)
}

/// A finite number, (-1)^negative * magnitude * 2^exponent. Bit 0 of a magnitude that was shifted stands for everything
/// below it as well, so a rounding to far fewer bits is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The sign, also of zero.
    pub negative: bool,
    /// An integer of at most 127 bits.
    pub magnitude: u128,
    /// What it is scaled by, as a power of two.
    pub exponent: i32,
}

/// What the bits of a format stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Not a number.
    Nan,
    /// An infinity.
    Infinite {
        /// Its sign.
        negative: bool,
    },
    /// Anything else.
    Finite(Exact),
}

/// Shifts right; what falls out stays visible in bit 0.
fn shift_right_jam(magnitude: u128, by: u32) -> u128 {
    match by {
        0 => magnitude,
        1..128 => magnitude >> by | u128::from(magnitude << (128 - by) != 0),
        _ => u128::from(magnitude != 0),
    }
}

/// magnitude * 2^-by as an integer, for `by` >= 0.
fn round_shifted(negative: bool, magnitude: u128, by: u32, rounding: Rounding) -> u128 {
    // Two bits below the unit tell below, at and above the half.
    let quarters = if by >= 2 { shift_right_jam(magnitude, by - 2) } else { magnitude << (2 - by) };
    let (whole, rest) = (quarters >> 2, quarters & 3);
    let up = match rounding {
        Rounding::NearestEven => rest > 2 || rest == 2 && whole & 1 == 1,
        Rounding::Down => negative && rest != 0,
        Rounding::Up => !negative && rest != 0,
        Rounding::Zero => false,
    };
    whole + u128::from(up)
}

impl Exact {
    /// The integer `value`.
    pub fn integer(value: i128) -> Self {
        Exact { negative: value < 0, magnitude: value.unsigned_abs(), exponent: 0 }
    }

    /// True for zeros.
    pub const fn is_zero(&self) -> bool {
        self.magnitude == 0
    }

    /// The number times 2^by.
    pub const fn scaled(self, by: i32) -> Self {
        Exact { exponent: self.exponent + by, ..self }
    }

    /// The product; the factors have at most 63 bits.
    fn times(self, other: Exact) -> Exact {
        Exact {
            negative: self.negative != other.negative,
            magnitude: self.magnitude * other.magnitude,
            exponent: self.exponent + other.exponent,
        }
    }

    /// The number with its leading bit at bit 125, where a sum cannot overflow. Not for zeros.
    fn normalized(self) -> Exact {
        let up = self.magnitude.leading_zeros() - 2;
        Exact { magnitude: self.magnitude << up, exponent: self.exponent - up as i32, ..self }
    }

    /// The sum. An exact zero is +0, but -0 when rounding down and when both addends are -0.
    fn plus(self, other: Exact, rounding: Rounding) -> Exact {
        match (self.is_zero(), other.is_zero()) {
            (true, true) if self.negative == other.negative => return self,
            (true, true) => return Exact { negative: rounding == Rounding::Down, ..self },
            (true, false) => return other,
            (false, true) => return self,
            (false, false) => {}
        }
        let (a, b) = (self.normalized(), other.normalized());
        let (high, low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
        let low_magnitude = shift_right_jam(low.magnitude, (high.exponent - low.exponent) as u32);
        let (negative, magnitude) = if high.negative == low.negative {
            (high.negative, high.magnitude + low_magnitude)
        } else if high.magnitude >= low_magnitude {
            (high.negative, high.magnitude - low_magnitude)
        } else {
            (low.negative, low_magnitude - high.magnitude)
        };
        let negative = if magnitude == 0 { rounding == Rounding::Down } else { negative };
        Exact { negative, magnitude, exponent: high.exponent }
    }

    /// The number rounded to an integer; `None` if its magnitude is not below 2^64.
    pub fn to_integer(self, rounding: Rounding) -> Option<i128> {
        if self.is_zero() {
            return Some(0);
        }
        let top = 128 - self.magnitude.leading_zeros() as i32 + self.exponent;
        if top > 64 {
            return None;
        }
        let magnitude = match u32::try_from(self.exponent) {
            Ok(up) => self.magnitude << up,
            Err(_) => round_shifted(self.negative, self.magnitude, self.exponent.unsigned_abs(), rounding),
        };
        let value = magnitude as i128;
        Some(if self.negative { -value } else { value })
    }
}

impl Format {
    /// Bits of a number.
    pub const fn width(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    const fn max_biased(self) -> u64 {
        (1 << self.exponent) - 1
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    const fn sign(self, negative: bool) -> u64 {
        (negative as u64) << (self.exponent + self.fraction)
    }

    /// An infinity.
    pub const fn infinity(self, negative: bool) -> u64 {
        self.sign(negative) | self.max_biased() << self.fraction
    }

    const fn largest(self, negative: bool) -> u64 {
        self.infinity(negative) - 1
    }

    /// A denormal becomes zero of its sign; other bits stay.
    pub const fn flush(self, bits: u64) -> u64 {
        if bits >> self.fraction & self.max_biased() == 0 { bits & self.sign(true) } else { bits }
    }

    /// What bits stand for. Bits above the format's width do not count.
    pub const fn unpack(self, bits: u64) -> Number {
        let negative = bits & self.sign(true) != 0;
        let biased = bits >> self.fraction & self.max_biased();
        let fraction = bits & ((1 << self.fraction) - 1);
        if biased == self.max_biased() {
            return if fraction == 0 { Number::Infinite { negative } } else { Number::Nan };
        }
        let (magnitude, biased) = if biased == 0 { (fraction, 1) } else { (fraction | 1 << self.fraction, biased) };
        let exponent = biased as i32 - self.bias() - self.fraction as i32;
        Number::Finite(Exact { negative, magnitude: magnitude as u128, exponent })
    }

    /// The number nearest to `exact` in the direction of `rounding`. What is too large becomes an infinity, or the largest
    /// finite number where that is the direction.
    pub fn round(self, exact: Exact, rounding: Rounding) -> u64 {
        let Exact { negative, magnitude, exponent } = exact;
        if magnitude == 0 {
            return self.sign(negative);
        }
        // The place of the last bit: that of the leading bit less the fraction, but not below the denormals'.
        let top = 127 - magnitude.leading_zeros() as i32 + exponent;
        let unit = (top - self.fraction as i32).max(1 - self.bias() - self.fraction as i32);
        let significand = match u32::try_from(unit - exponent) {
            Ok(down) => round_shifted(negative, magnitude, down, rounding),
            Err(_) => magnitude << (exponent - unit),
        } as u64;
        // A significand that carries into the next power of two, or from the denormals to the normals, does so in the sum.
        let biased = unit + self.bias() + self.fraction as i32 - 1;
        if i64::from(biased) + (significand >> self.fraction) as i64 >= self.max_biased() as i64 {
            let inward = match rounding {
                Rounding::NearestEven => false,
                Rounding::Down => !negative,
                Rounding::Up => negative,
                Rounding::Zero => true,
            };
            return if inward { self.largest(negative) } else { self.infinity(negative) };
        }
        self.sign(negative) | (((biased as u64) << self.fraction) + significand)
    }

    /// a + b.
    pub fn add(self, rounding: Rounding, a: u64, b: u64) -> Option<u64> {
        self.sum(rounding, self.unpack(a), self.unpack(b))
    }

    /// a * b * 2^scale.
    pub fn mul(self, rounding: Rounding, a: u64, b: u64, scale: i32) -> Option<u64> {
        Some(match product(self.unpack(a), self.unpack(b)) {
            Number::Nan => return None,
            Number::Infinite { negative } => self.infinity(negative),
            Number::Finite(exact) => self.round(exact.scaled(scale), rounding),
        })
    }

    /// a * b + c with one rounding.
    pub fn fma(self, rounding: Rounding, a: u64, b: u64, c: u64) -> Option<u64> {
        self.sum(rounding, product(self.unpack(a), self.unpack(b)), self.unpack(c))
    }

    fn sum(self, rounding: Rounding, a: Number, b: Number) -> Option<u64> {
        match (a, b) {
            (Number::Nan, _) | (_, Number::Nan) => None,
            (Number::Infinite { negative: a }, Number::Infinite { negative: b }) => (a == b).then(|| self.infinity(a)),
            (Number::Infinite { negative }, _) | (_, Number::Infinite { negative }) => Some(self.infinity(negative)),
            (Number::Finite(a), Number::Finite(b)) => Some(self.round(a.plus(b, rounding), rounding)),
        }
    }

    /// The number `bits` of this format in another one.
    pub fn convert(self, rounding: Rounding, bits: u64, to: Format) -> Option<u64> {
        Some(match self.unpack(bits) {
            Number::Nan => return None,
            Number::Infinite { negative } => to.infinity(negative),
            Number::Finite(exact) => to.round(exact, rounding),
        })
    }

    /// The number rounded to an integral value; zeros keep the sign.
    pub fn round_to_integral(self, rounding: Rounding, bits: u64) -> Option<u64> {
        match self.unpack(bits) {
            Number::Nan => None,
            Number::Infinite { .. } => Some(bits),
            // What has no bits below the unit is integral.
            Number::Finite(exact) if exact.exponent >= 0 => Some(bits),
            Number::Finite(exact) => {
                let magnitude = round_shifted(exact.negative, exact.magnitude, exact.exponent.unsigned_abs(), rounding);
                Some(self.round(Exact { magnitude, exponent: 0, ..exact }, rounding))
            }
        }
    }

    /// How a compares to b; `None` when unordered. Zeros of either sign are equal.
    pub fn compare(self, a: u64, b: u64) -> Option<std::cmp::Ordering> {
        let is_nan = |bits| self.unpack(bits) == Number::Nan;
        if is_nan(a) || is_nan(b) {
            return None;
        }
        let magnitude = (1 << (self.width() - 1)) - 1;
        let rank = |bits: u64| {
            let distance = (bits & magnitude) as i64;
            if bits & self.sign(true) != 0 { -distance } else { distance }
        };
        Some(rank(a).cmp(&rank(b)))
    }
}

fn product(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(a.times(b)),
        (Number::Infinite { negative }, Number::Infinite { negative: other }) => {
            Number::Infinite { negative: negative != other }
        }
        (Number::Infinite { negative }, Number::Finite(other))
        | (Number::Finite(other), Number::Infinite { negative }) => {
            if other.is_zero() {
                Number::Nan
            } else {
                Number::Infinite { negative: negative != other.negative }
            }
        }
    }
}
