//! An independent model of the flushed arithmetic, in integers, and what tests draw their arguments from.
//!
//! The model knows a finite number as mantissa * 2^exponent in an `i128`. A term too small to be aligned with the other
//! one is replaced by a sticky bit, far below anything that rounding looks at.

use std::ops::Range;

pub const NAN: u32 = 0x7FFF_FFFF;
pub const INFINITY: u32 = 0x7F80_0000;
pub const SIGN: u32 = 0x8000_0000;
pub const ONE: u32 = 0x3F80_0000;
pub const MIN_NORMAL: u32 = 0x0080_0000;
pub const MAX: u32 = 0x7F7F_FFFF;

/// Magnitudes where rules change: zero, denormals, around 2^-126, powers of two, neighbours of 1/2 and 1, the largest
/// numbers, infinity, quiet and signalling NaNs.
const MAGNITUDES: [u32; 26] = [
    0,
    1,
    0x0040_0000,
    0x007F_FFFF,
    MIN_NORMAL,
    0x0080_0001,
    0x00FF_FFFF,
    0x0100_0000,
    0x3300_0000,
    0x3EFF_FFFF,
    0x3F00_0000,
    0x3F00_0001,
    0x3F7F_FFFF,
    ONE,
    0x3F80_0001,
    0x4000_0000,
    0x4049_0FDB,
    0x4B00_0001,
    0x7E80_0000,
    0x7E80_0001,
    0x7F00_0000,
    MAX,
    INFINITY,
    0x7F80_0001,
    0x7FC1_2345,
    NAN,
];

/// One out of how many arguments is taken where they are many: all of them, but under Miri, which is a thousand times slower.
pub const STEP: usize = if cfg!(miri) { 499 } else { 1 };

/// Both signs of every special magnitude; of every fourth under Miri, since tests take them three at a time.
pub fn specials() -> impl Iterator<Item = u32> + Clone {
    MAGNITUDES.into_iter().step_by(if cfg!(miri) { 4 } else { 1 }).flat_map(|bits| [bits, bits | SIGN])
}

/// Reproducible random words (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 32) as u32
    }

    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(n)) >> 32) as u32
    }

    /// A number of either sign, its exponent field from the range, its mantissa often with few bits set or clear.
    pub fn with_exponent(&mut self, fields: Range<u32>) -> u32 {
        let exponent = fields.start + self.below(fields.end - fields.start);
        let mantissa = match self.below(4) {
            0 => self.below(4),
            1 => 0u32.wrapping_sub(1 + self.below(4)),
            _ => self.word(),
        };
        self.word() & SIGN | exponent << 23 | mantissa & 0x7F_FFFF
    }
}

/// A power of two that is a normal number. (The precision of `powi` is open.)
pub fn power_of_two(exponent: i32) -> u32 {
    ((exponent + 127) as u32) << 23
}

pub fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

/// A denormal as zero of its sign.
pub fn operand(bits: u32) -> u32 {
    if bits & !SIGN < MIN_NORMAL { bits & SIGN } else { bits }
}

fn is_finite(bits: u32) -> bool {
    bits & !SIGN < INFINITY
}

/// Mantissa with sign, and exponent, of a finite operand.
fn parts(bits: u32) -> (i128, i32) {
    if operand(bits) & !SIGN == 0 {
        return (0, 0);
    }
    let magnitude = i128::from(bits & 0x7F_FFFF | MIN_NORMAL);
    (if bits & SIGN != 0 { -magnitude } else { magnitude }, (bits >> 23 & 0xFF) as i32 - 150)
}

/// mantissa * 2^exponent, not zero, rounded to 24 bits with unbounded exponent; then flushed or overflown.
fn round(mantissa: i128, exponent: i32) -> u32 {
    let sign = if mantissa < 0 { SIGN } else { 0 };
    // Space for the rounding bits below short mantissas.
    let (magnitude, exponent) = match mantissa.unsigned_abs() {
        short if short < 1 << 64 => (short << 60, exponent - 60),
        long => (long, exponent),
    };
    let drop = 128 - magnitude.leading_zeros() as i32 - 24;
    let (kept, rest, half) = (magnitude >> drop, magnitude & ((1 << drop) - 1), 1u128 << (drop - 1));
    let mut significand = kept as u32 + u32::from(rest > half || rest == half && kept & 1 == 1);
    let mut exponent = exponent + drop;
    if significand == 1 << 24 {
        (significand, exponent) = (1 << 23, exponent + 1);
    }
    match exponent + 150 {
        ..=0 => sign,
        255.. => sign | INFINITY,
        field => sign | (field as u32) << 23 | significand & 0x7F_FFFF,
    }
}

/// The class of a result with an infinite or NaN operand, from binary64 arithmetic.
fn special(value: f64) -> u32 {
    if value.is_nan() { NAN } else { (value as f32).to_bits() }
}

fn wide(bits: u32) -> f64 {
    f64::from(f32::from_bits(operand(bits)))
}

pub fn fma(a: u32, b: u32, c: u32) -> u32 {
    if ![a, b, c].into_iter().all(is_finite) {
        // Overflow cannot hide: the product of two finite binary32 numbers is finite in binary64.
        return special(wide(a) * wide(b) + wide(c));
    }
    let ((ma, ea), (mb, eb), (mc, ec)) = (parts(a), parts(b), parts(c));
    let product_sign = (a ^ b) & SIGN;
    match (ma * mb, mc) {
        (0, 0) => product_sign & c & SIGN,
        (0, _) => c,
        (product, 0) => round(product, ea + eb),
        (product, addend) => sum((product, ea + eb), (addend, ec)),
    }
}

fn sum(p: (i128, i32), q: (i128, i32)) -> u32 {
    let ((high, high_exponent), (low, low_exponent)) = if p.1 >= q.1 { (p, q) } else { (q, p) };
    let distance = high_exponent - low_exponent;
    let total = if distance <= 76 {
        ((high << distance) + low, low_exponent)
    } else {
        // The low term is less than 2^-28 of the high one's unit: any such amount of its sign rounds alike.
        ((high << 74) + low.signum(), high_exponent - 74)
    };
    if total.0 == 0 { 0 } else { round(total.0, total.1) }
}

pub fn mul(a: u32, b: u32) -> u32 {
    fma(a, b, (a ^ b) & SIGN)
}

pub fn add(a: u32, b: u32) -> u32 {
    fma(a, ONE, b)
}

pub fn div(a: u32, b: u32) -> u32 {
    if !is_finite(a) || !is_finite(b) || operand(b) & !SIGN == 0 {
        return special(wide(a) / wide(b));
    }
    let ((ma, ea), (mb, eb)) = (parts(a), parts(b));
    if ma == 0 {
        return (a ^ b) & SIGN;
    }
    let (quotient, rest) = ((ma.abs() << 90) / mb.abs(), (ma.abs() << 90) % mb.abs());
    let magnitude = quotient << 1 | i128::from(rest != 0);
    round(if (a ^ b) & SIGN != 0 { -magnitude } else { magnitude }, ea - eb - 91)
}

pub fn sqrt(a: u32) -> u32 {
    if operand(a) & !SIGN == 0 {
        return a & SIGN;
    }
    if a & SIGN != 0 || !is_finite(a) {
        return special(wide(a).sqrt());
    }
    let (m, e) = parts(a);
    let shift = 80 + e.rem_euclid(2);
    let radicand = m.unsigned_abs() << shift;
    let root = radicand.isqrt();
    round((root << 1 | u128::from(root * root != radicand)) as i128, (e - shift) / 2 - 1)
}
