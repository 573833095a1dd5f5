//! Integers: shifts, products, reciprocals, conversions, and the address register's operand.

/// LSHL_INT: only the five low bits of the count matter. AMD's guide has 0 from 32 on; but piglit's `glsl-rotate-left`, which passes on an
/// RV770, needs counts modulo 32, and Mesa drops `& 31` before shifts.
#[inline]
pub fn lshl(a: u32, count: u32) -> u32 {
    a.wrapping_shl(count)
}

/// LSHR_INT: zeros come in; the count as that of [`lshl`].
#[inline]
pub fn lshr(a: u32, count: u32) -> u32 {
    a.wrapping_shr(count)
}

/// ASHR_INT: copies of the sign come in; the count as that of [`lshl`].
#[inline]
pub fn ashr(a: u32, count: u32) -> u32 {
    a.cast_signed().wrapping_shr(count).cast_unsigned()
}

/// MULHI_INT: the high 32 bits of the signed product.
#[inline]
pub fn mulhi_int(a: u32, b: u32) -> u32 {
    ((i64::from(a.cast_signed()) * i64::from(b.cast_signed())) >> 32) as u32
}

/// MULHI_UINT: the high 32 bits of the unsigned product.
#[inline]
pub fn mulhi_uint(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// RECIP_UINT: floor(2^32 / a), at most 2^32 - 1, which 0 gives as well.
#[inline]
pub fn recip_uint(a: u32) -> u32 {
    (1u64 << 32).checked_div(a.into()).and_then(|quotient| quotient.try_into().ok()).unwrap_or(u32::MAX)
}

/// RECIP_INT: the sign of a times floor(2^31 / |a|), at most 2^31 - 1, which 0 gives as well.
#[inline]
pub fn recip_int(a: u32) -> u32 {
    let a = a.cast_signed();
    let magnitude = (1u32 << 31).checked_div(a.unsigned_abs()).unwrap_or(u32::MAX).min(i32::MAX as u32);
    if a < 0 { magnitude.wrapping_neg() } else { magnitude }
}

/// FLT_TO_INT: truncated, saturated; 0 for NaN.
#[inline]
pub fn float_to_int(a: u32) -> u32 {
    (f32::from_bits(a) as i32).cast_unsigned()
}

/// FLT_TO_UINT: truncated, saturated; 0 below zero and for NaN.
#[inline]
pub fn float_to_uint(a: u32) -> u32 {
    f32::from_bits(a) as u32
}

/// INT_TO_FLT: the signed integer as a float, rounded to nearest even.
#[inline]
pub fn int_to_float(a: u32) -> u32 {
    (a.cast_signed() as f32).to_bits()
}

/// UINT_TO_FLT: the unsigned integer as a float, rounded to nearest even.
#[inline]
pub fn uint_to_float(a: u32) -> u32 {
    (a as f32).to_bits()
}

/// The range of the address register.
#[inline]
fn address(value: i32) -> i32 {
    value.clamp(-256, 255)
}

/// MOVA: floor(a + 1/2), clamped to -256..=255; 0 for NaN.
#[inline]
pub fn mova(a: u32) -> i32 {
    mova_floor(super::add(a, 0x3F00_0000))
}

/// MOVA_FLOOR: floor(a), clamped to -256..=255; 0 for NaN.
#[inline]
pub fn mova_floor(a: u32) -> i32 {
    address(f32::from_bits(super::floor(a)) as i32)
}

/// MOVA_INT: a, clamped to -256..=255.
#[inline]
pub fn mova_int(a: u32) -> i32 {
    address(a.cast_signed())
}
