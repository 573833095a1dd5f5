//! Conversions between binary32 bit patterns and the integers that surfaces hold or that address them.
//!
//! The UINT formats of the CTM memory controller are unsigned normalized: a code of n bits stands for
//! code / (2^n - 1).

/// The number that an 8-bit code stands for: code / 255, correctly rounded.
#[inline]
pub fn unorm8_to_f32(code: u8) -> u32 {
    (f32::from(code) / 255.0).to_bits()
}

/// The number that a 16-bit code stands for: code / 65535, correctly rounded.
#[inline]
pub fn unorm16_to_f32(code: u16) -> u32 {
    (f32::from(code) / 65535.0).to_bits()
}

/// floor(v * max + 1/2) with v clamped to [0, 1], exactly: the nearest code of an unsigned normalized integer, halves up; 0
/// for NaN. `max` has at most 24 bits.
#[inline]
pub fn f32_to_unorm(bits: u32, max: u32) -> u32 {
    let value = f64::from(f32::from_bits(bits));
    // The product of two 24-bit numbers is exact, and so is the sum unless it is far below 1. The cast truncates,
    // saturates, and takes NaN to 0.
    ((value * f64::from(max) + 0.5) as u32).min(max)
}

/// The nearest 8-bit code, halves up; what is outside [0, 1] clamps, NaN gives 0.
#[inline]
pub fn f32_to_unorm8(bits: u32) -> u8 {
    f32_to_unorm(bits, 0xFF) as u8
}

/// The nearest 16-bit code, halves up; what is outside [0, 1] clamps, NaN gives 0.
#[inline]
pub fn f32_to_unorm16(bits: u32) -> u16 {
    f32_to_unorm(bits, 0xFFFF) as u16
}

/// The nearest 24-bit code, halves up; what is outside [0, 1] clamps, NaN gives 0. (The conditional unit compares
/// UINT8_4 buffers as such codes.)
#[inline]
pub fn f32_to_unorm24(bits: u32) -> u32 {
    f32_to_unorm(bits, 0xFF_FFFF)
}

/// The nearest code of a signed normalized integer, halves away from zero: v * max with v clamped to [-1, 1]; 0 for NaN.
/// `max` has at most 24 bits.
#[inline]
pub fn f32_to_snorm(bits: u32, max: u32) -> i32 {
    const SIGN: u32 = 0x8000_0000;
    let magnitude = f32_to_unorm(bits & !SIGN, max) as i32;
    if bits & SIGN != 0 { -magnitude } else { magnitude }
}

/// The binary16 number `half` as binary32, exactly. NaNs become quiet and keep their sign and payload.
#[inline]
pub fn f16_to_f32(half: u16) -> u32 {
    let sign = u32::from(half & 0x8000) << 16;
    let magnitude = u32::from(half & 0x7FFF);
    sign | match magnitude {
        // A multiple of the least denormal, 2^-24.
        0..0x400 => (magnitude as f32 * (1.0 / 16_777_216.0)).to_bits(),
        0x400..0x7C00 => (magnitude << 13) + (112 << 23),
        0x7C00 => 0x7F80_0000,
        _ => 0x7FC0_0000 | magnitude << 13,
    }
}

/// The nearest binary16 number, ties to even; too large ones become infinite. NaNs become quiet and keep their sign and
/// the payload that fits.
#[inline]
pub fn f32_to_f16(bits: u32) -> u16 {
    let magnitude = bits & 0x7FFF_FFFF;
    let half = match magnitude {
        // The sum's last place is that of the denormals, 2^-24.
        0..0x3880_0000 => (f32::from_bits(magnitude) + 0.5).to_bits() - 0x3F00_0000,
        // What carries into the exponent is right there, too: from 65520 on the result is infinite.
        0x3880_0000..0x4780_0000 => (magnitude - (112 << 23) + 0xFFF + (magnitude >> 13 & 1)) >> 13,
        0x4780_0000..=0x7F80_0000 => 0x7C00,
        _ => 0x7E00 | magnitude >> 13 & 0x3FF,
    };
    (half | bits >> 16 & 0x8000) as u16
}

/// The element that a lookup coordinate names in a dimension of `n` elements: floor, clamped to 0..=n-1; 0 for NaN.
/// A dimension of 0 elements counts as 1.
#[inline]
pub fn float_to_index(bits: u32, n: u32) -> u32 {
    // The cast saturates and takes NaN to 0; where it truncates upwards, below zero, the floor would clamp to 0 as well.
    (f32::from_bits(bits) as u32).min(n.saturating_sub(1))
}

/// The coordinate of a scattered write: floor, saturated to the range of `i64`; `None` for NaN. Denormals count as zero.
#[inline]
pub fn float_to_coordinate(bits: u32) -> Option<i64> {
    let value = f32::from_bits(crate::flush(bits));
    (!value.is_nan()).then(|| value.floor() as i64)
}
