//! Components of memory formats: from n bits to 32.

/// SRF_MODE_ALL: what a signed fraction of n bits stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormMode {
    /// v / (2^(n-1) - 1), at least -1: zero is a code, and -1 has two.
    ZeroClampMinusOne,
    /// (2v + 1) / (2^n - 1): no code is zero.
    NoZero,
}

/// The unsigned fraction v / (2^width - 1), rounded to nearest even. `width` is 1 to 32.
#[inline]
pub fn unorm(v: u32, width: u32) -> u32 {
    quotient(v.into(), (1 << width) - 1)
}

/// The signed fraction. `width` is 1 to 32; a single bit counts as a sign, for 0 or -1.
#[inline]
pub fn snorm(v: i32, width: u32, mode: NormMode) -> u32 {
    let v = i64::from(v);
    match mode {
        NormMode::ZeroClampMinusOne => {
            let largest = ((1 << (width - 1)) - 1).max(1);
            quotient(v.max(-largest), largest)
        }
        NormMode::NoZero => quotient(2 * v + 1, (1 << width) - 1),
    }
}

/// Both numbers are exact in binary64, and its quotient has bits enough that rounding it again changes nothing for up to
/// 24 bits.
#[inline]
fn quotient(a: i64, b: i64) -> u32 {
    ((a as f64 / b as f64) as f32).to_bits()
}

/// A small float: exponent field, then `mantissa` bits of mantissa, with this bias; `special` if its largest exponent
/// stands for infinities and NaNs, whose payload keeps its place below the point.
#[inline]
fn small_float(v: u32, mantissa: u32, exponent_bits: u32, special: bool) -> u32 {
    let bias = 15;
    let fraction = v & ((1 << mantissa) - 1);
    let exponent = v >> mantissa & ((1 << exponent_bits) - 1);
    if special && exponent == (1 << exponent_bits) - 1 {
        return 0xFF << 23 | fraction << (23 - mantissa);
    }
    if exponent == 0 {
        let unit = f32::from_bits((127 + 1 - bias - mantissa) << 23);
        return (fraction as f32 * unit).to_bits();
    }
    (exponent + 127 - bias) << 23 | fraction << (23 - mantissa)
}

/// A binary16 number, widened: the sign and the bits of a NaN stay.
#[inline]
pub fn float_16(v: u32) -> u32 {
    (v & 0x8000) << 16 | small_float(v & 0x7FFF, 10, 5, true)
}

/// The unsigned float of 5 exponent and 6 mantissa bits, widened.
#[inline]
pub fn float_11(v: u32) -> u32 {
    small_float(v, 6, 5, true)
}

/// The unsigned float of 5 exponent and 5 mantissa bits, widened.
#[inline]
pub fn float_10(v: u32) -> u32 {
    small_float(v, 5, 5, true)
}

/// The unsigned float of depth buffers, 4 exponent and 20 mantissa bits, widened. It has no infinities and NaNs.
#[inline]
pub fn float_24(v: u32) -> u32 {
    small_float(v, 20, 4, false)
}

/// The mantissa of 9 bits with the exponent (5 bits) that three components share: v * 2^(exponent - 24).
#[inline]
pub fn shared_exponent(v: u32, exponent: u32) -> u32 {
    (v as f32 * f32::from_bits((exponent + 127 - 24) << 23)).to_bits()
}
