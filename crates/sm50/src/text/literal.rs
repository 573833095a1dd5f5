//! Numbers of the text as bits.

use super::fit::{Misfit, misfit, other_kind};
use super::item::{Base, Item};
use ctm_num::ieee::{BINARY16, BINARY64, Rounding};

pub(super) fn integer(item: &Item) -> Result<i64, Misfit> {
    let Base::Number(spelled) = &item.base else {
        return Err(other_kind(item, "a number", ""));
    };
    let lower = spelled.to_ascii_lowercase();
    let value = match lower.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => lower.parse().ok(),
    };
    let help = if single_bits(item).is_ok() { "`MOV32I` moves a float to a register" } else { "" };
    let value = value
        .ok_or_else(|| misfit(item.span, format!("`{}` is not a whole number", ctm_text::excerpt(spelled)), help))?;
    Ok(if item.neg { -i64::from(value) } else { value.into() })
}

/// A whole number, or the bits of a float.
pub(super) fn whole_or_single_bits(item: &Item) -> Result<i64, Misfit> {
    integer(item).or_else(|misfit| single_bits(item).map(i64::from).map_err(|_| misfit))
}

/// The bits of a float that is given by its value, by a name, or after `prefix` as bits.
fn float_bits<T>(
    item: &Item,
    prefix: &str,
    parse: impl Fn(&str) -> Option<T>,
    bits: impl Fn(&str) -> Option<T>,
    named: impl Fn(&str) -> Option<T>,
) -> Result<T, Misfit> {
    let Base::Number(spelled) = &item.base else {
        return Err(other_kind(item, "a number", ""));
    };
    let lower = spelled.to_ascii_lowercase();
    let value = match lower.strip_prefix(prefix) {
        Some(digits) => bits(digits),
        None => named(spelled).or_else(|| parse(&lower)),
    };
    let help = format!("such as `0.5`, `-1e3`, `+INF`, or bits after `{prefix}`");
    value.ok_or_else(|| misfit(item.span, format!("`{}` is not a float", ctm_text::excerpt(spelled)), &help))
}

pub(super) fn single_bits(item: &Item) -> Result<u32, Misfit> {
    let bits = |digits: &str| (digits.len() == 8).then(|| u32::from_str_radix(digits, 16).ok())?;
    let named = |name: &str| match name {
        "INF" => Some(f32::INFINITY.to_bits()),
        "QNAN" => Some(0x7fc0_0000),
        _ => None,
    };
    let parse = |text: &str| text.parse::<f32>().ok().filter(|value| value.is_finite()).map(f32::to_bits);
    let magnitude = float_bits(item, "0f", parse, bits, named)?;
    Ok(magnitude | u32::from(item.neg) << 31)
}

fn double_bits(item: &Item) -> Result<u64, Misfit> {
    let bits = |digits: &str| (digits.len() == 16).then(|| u64::from_str_radix(digits, 16).ok())?;
    let named = |name: &str| match name {
        "INF" => Some(f64::INFINITY.to_bits()),
        "QNAN" => Some(0x7ff8_0000_0000_0000),
        "SNAN" => Some(0x7ff4_0000_0000_0000),
        _ => None,
    };
    let parse = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite()).map(f64::to_bits);
    let magnitude = float_bits(item, "0d", parse, bits, named)?;
    Ok(magnitude | u64::from(item.neg) << 63)
}

pub(super) fn half_bits(item: &Item) -> Result<u32, Misfit> {
    let bits = double_bits(item)?;
    let none = || misfit(item.span, "no half-precision number has this value".into(), "");
    // Any NaN is the quiet one of its sign.
    let Some(half) = BINARY64.convert(Rounding::NearestEven, bits, BINARY16) else {
        return Ok(if f64::from_bits(bits).is_sign_negative() { 0xfe00 } else { 0x7e00 });
    };
    if BINARY16.convert(Rounding::NearestEven, half, BINARY64) == Some(bits) { Ok(half as u32) } else { Err(none()) }
}

/// The upper twenty bits of a binary32, which must be all that are set.
pub(super) fn upper_bits(bits: u32, item: &Item) -> Result<u32, Misfit> {
    if bits & 0xfff != 0 {
        let help = "only its upper 20 bits fit; load it with `MOV32I`, or use the form with a whole immediate";
        return Err(misfit(item.span, "this number has too many bits".into(), help));
    }
    Ok(bits >> 12)
}

/// The upper twenty bits of a binary64, which must be all that are set.
pub(super) fn upper_double(item: &Item) -> Result<u32, Misfit> {
    let bits = double_bits(item)?;
    if bits & 0xfff_ffff_ffff != 0 {
        let help = "only its upper 20 bits fit; load it into a pair of registers";
        return Err(misfit(item.span, "this number has too many bits".into(), help));
    }
    Ok((bits >> 44) as u32)
}
