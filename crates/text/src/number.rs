//! Numbers as people write them.

use ctm_num::ieee::{BINARY32, Exact, Rounding};

/// The NaN that `nan` stands for: the one that the machines' own operations give.
const NAN: u32 = 0x7FFF_FFFF;

/// The bits of a binary32 number: decimal (`-1.5e3`), `inf`, `nan`, hexadecimal with an exponent (`0x1.8p-3`), or, without a
/// sign, the bits themselves (`0x7FC00000`). Numbers that are too large give infinity.
///
/// ```
/// assert_eq!(ctm_text::parse_float("-0x1.8p1"), Some((-3f32).to_bits()));
/// assert_eq!(ctm_text::parse_float("0x3F800000"), Some(1f32.to_bits()));
/// assert_eq!(ctm_text::parse_float("one"), None);
/// ```
pub fn parse_float(text: &str) -> Option<u32> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    match hex {
        None if digits.eq_ignore_ascii_case("nan") => Some(NAN),
        None => text.parse::<f32>().ok().map(f32::to_bits),
        Some(hex) if hex.contains(['p', 'P']) => hex_float(hex).map(|bits| bits | u32::from(negative) << 31),
        Some(hex) if digits.len() == text.len() && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            u32::from_str_radix(hex, 16).ok()
        }
        Some(_) => None,
    }
}

/// `H.HHHpE` without sign, rounded to nearest even; `None` if it is malformed.
fn hex_float(text: &str) -> Option<u32> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || digits.len() > 13 {
        return None;
    }
    let digits = u64::from_str_radix(&digits, 16).ok()?;
    let exponent: i32 = exponent.parse().ok().filter(|exponent: &i32| exponent.abs() <= 400)?;
    let exact = Exact::integer(digits.into()).scaled(exponent - 4 * fraction.len() as i32);
    Some(BINARY32.round(exact, Rounding::NearestEven) as u32)
}

/// Spells a binary32, given by its bits: reading it gives the same bits.
pub fn spell_float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() { format!("{bits:#010x}") } else { format!("{value:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_every_spelling() {
        for (text, bits) in [
            ("0.5", 0x3F00_0000),
            ("-0", 0x8000_0000),
            ("1e-45", 1),
            ("inf", 0x7F80_0000),
            ("-inf", 0xFF80_0000),
            ("nan", NAN),
            ("0x1.8p3", 12f32.to_bits()),
            ("+0x1.8p3", 12f32.to_bits()),
            ("+1.5", 1.5f32.to_bits()),
            ("+nan", NAN),
            ("-0x.8p0", (-0.5f32).to_bits()),
            ("0x1p-149", 1),
            ("0x1.ffffffp0", 2f32.to_bits()),
            ("0x1.000001p0", 1f32.to_bits()),
            ("0x1p400", 0x7F80_0000),
            ("0x7FC00001", 0x7FC0_0001),
        ] {
            assert_eq!(parse_float(text), Some(bits), "{text}");
        }
        for text in [
            "",
            "one",
            "1,5",
            "0x",
            "0xp1",
            "0x1p",
            "0x123456789",
            "-0x7",
            "+0x3F800000",
            "0x1.p999",
            "0x12345678901234p0",
        ] {
            assert_eq!(parse_float(text), None, "{text}");
        }
    }

    /// Positive numbers on both sides of every binary32 of a sample, and halfway to the next: spelled with all their digits, they
    /// round as integers say.
    #[test]
    fn hexadecimal_numbers_round_to_the_nearest() {
        let spelled = |units: u64, exponent: i32| parse_float(&format!("0x{units:x}p{exponent}"));
        let ends = [0, 1, 2, 0x007F_FFFE, 0x007F_FFFF, 0x0080_0000, 0x0080_0001, 0x00FF_FFFF, 0x0100_0000, 0x7F7F_FFFE];
        let step = if cfg!(miri) { 49_999_991 } else { 99_991 };
        for bits in ends.into_iter().chain((0..0x7F7F_FFFFu32).step_by(step)) {
            // The number is significand * 2^exponent, and the next one is a unit of the significand further.
            let biased = (bits >> 23).max(1);
            let significand = u64::from(if bits < 1 << 23 { bits } else { bits & 0x7F_FFFF | 1 << 23 });
            let exponent = biased as i32 - 150;
            let even = bits + (bits & 1);
            // Units of a 2^-28th of that, the most that 52 bits hold.
            for (extra, expected) in [
                (0, bits),
                (1, bits),
                ((1 << 27) - 1, bits),
                (1 << 27, even),
                ((1 << 27) + 1, bits + 1),
                ((1 << 28) - 1, bits + 1),
            ] {
                let found = spelled((significand << 28) + extra, exponent - 28);
                assert_eq!(found, Some(expected), "{bits:#010x} + {extra} / 2^28");
            }
        }
        // Halfway from the largest number to the power of two above it is where infinity begins.
        assert_eq!(spelled(0x1FF_FFFF, 103), Some(f32::INFINITY.to_bits()));
        assert_eq!(spelled(0x1FF_FFFE_FFFF, 87), Some(f32::MAX.to_bits()));
    }
}
