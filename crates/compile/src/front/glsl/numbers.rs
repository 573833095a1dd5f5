//! Numbers as GLSL spells them (GLSL 4.60, sections 4.1.3 and 4.1.4).

use super::lex::{Kind, Token};
use super::{GlslError, LocatedResult};

/// Refuses what begins as a number and is not one of the machine's: naga's reader gives such errors without a place.
///
/// # Errors
///
/// What is wrong with the first of them, and where it is.
pub(super) fn require_numbers(tokens: &[Token<'_>]) -> LocatedResult<()> {
    let numbers = tokens.iter().filter(|token| token.kind == Kind::Number);
    for token in numbers {
        if let Some(reason) = fault(&token.text.to_ascii_lowercase()) {
            return Err((GlslError::Number { text: token.text.to_string(), reason }, token.at));
        }
    }
    Ok(())
}

/// Why a spelling in small letters is not a number.
fn fault(text: &str) -> Option<&'static str> {
    const MALFORMED: &str = "is not a number; check its spelling";
    const LARGE: &str = "does not fit 32 bits, which is what the language's whole numbers have";
    const WIDE: &str = "has a suffix for numbers of 16 or 64 bits, which the hardware lacks; leave the suffix out";
    if let Some(digits) = text.strip_prefix("0x") {
        return match digits.strip_suffix('u').unwrap_or(digits) {
            digits if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => Some(MALFORMED),
            digits => u32::from_str_radix(digits, 16).is_err().then_some(LARGE),
        };
    }
    let (number, suffix) =
        text.split_at(text.find(|c: char| c.is_ascii_alphabetic() && c != 'e').unwrap_or(text.len()));
    if suffix.starts_with(['l', 's']) || suffix == "ul" || suffix == "us" {
        return Some(WIDE);
    }
    if number.contains(['.', 'e']) {
        // A swizzle may follow, whose dot is the last one.
        let is_plain = number.matches('.').count() < 2;
        let number = number.strip_suffix('.').unwrap_or(number);
        return (is_plain && number.parse::<f32>().is_err()).then_some(MALFORMED);
    }
    let is_octal = number.len() > 1 && number.starts_with('0') && suffix != "f";
    if is_octal && number.contains(['8', '9']) {
        return Some("begins with 0 and so is octal, which has no digits 8 and 9; leave the 0 at its beginning out");
    }
    u32::from_str_radix(number, if is_octal { 8 } else { 10 }).is_err().then_some(LARGE)
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn numbers_that_the_language_lacks_are_refused() {
        for number in [
            "0",
            "0u",
            "017",
            "4294967295u",
            "0xffffffff",
            "1.",
            ".5",
            "1e5",
            "1.5e-3f",
            "1.0f",
            "2f",
            "1.0.xxx",
            "08.5",
            "1e2.x",
        ] {
            assert_eq!(fault(number), None, "{number}");
        }
        for (number, reason) in [
            ("08", "octal"),
            ("4294967296", "32 bits"),
            ("0x100000000u", "32 bits"),
            ("0x", "not a number"),
            ("0xfg", "not a number"),
            ("1.5e", "not a number"),
            ("1.0lf", "suffix"),
            ("1l", "suffix"),
            ("1us", "suffix"),
        ] {
            assert!(fault(number).is_some_and(|said| said.contains(reason)), "{number}: {:?}", fault(number));
        }
    }
}
