//! Numbers as NVIDIA's disassembler spells them.

/// A signed number in hexadecimal.
pub(super) fn signed(value: i64) -> String {
    if value < 0 { format!("-{:#x}", value.unsigned_abs()) } else { format!("{value:#x}") }
}

/// A float: twenty significant digits, no zeros at the end; very large ones with exponent.
///
/// Infinities, NaNs and the negative zero are followed by a blank.
pub(super) fn float(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "+" };
    if value.is_nan() {
        let quiet = value.to_bits() >> 51 & 1 != 0;
        return format!("{sign}{}NAN ", if quiet { "Q" } else { "S" });
    }
    if value.is_infinite() {
        return format!("{sign}INF ");
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0.0 ".into() } else { "0".into() };
    }
    if value.abs() >= 1e9 {
        return with_exponent(&format!("{value:.20e}"), false);
    }
    let scientific = format!("{value:.19e}");
    let exponent: i32 = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    if exponent < -4 {
        return with_exponent(&scientific, true);
    }
    let decimals = (19 - exponent) as usize;
    let fixed = format!("{value:.decimals$}");
    if decimals == 0 { fixed } else { fixed.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// A binary32 given by its bits; the widening makes all NaNs quiet.
pub(super) fn single(bits: u32) -> String {
    let value = f32::from_bits(bits);
    float(if value.is_nan() {
        f64::NAN.copysign(if value.is_sign_negative() { -1.0 } else { 1.0 })
    } else {
        value.into()
    })
}

/// Rewrites `1.50e-7` as `1.5e-07`: at least two digits and a sign in the exponent.
fn with_exponent(scientific: &str, trimmed: bool) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let mantissa = if trimmed { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    let (sign, digits) = exponent.strip_prefix('-').map_or(("+", exponent), |digits| ("-", digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn floats_are_spelled_as_the_disassembler_does() {
        let spelled = [
            (0.1f32.into(), "0.10000000149011611938"),
            (1.0, "1"),
            (-3.140625, "-3.140625"),
            (f64::from_bits(0x3f00_0000_0000_0000), "3.0517578125e-05"),
            (1e9, "1.00000000000000000000e+09"),
            (999_999_936.0, "999999936"),
            (-0.0, "-0.0 "),
            (f64::NEG_INFINITY, "-INF "),
            (f64::NAN, "+QNAN "),
        ];
        for (value, text) in spelled {
            assert_eq!(float(value), text);
        }
    }
}
