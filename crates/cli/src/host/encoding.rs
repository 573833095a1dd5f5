//! Text in other encodings than UTF-8.

/// Text as UTF-8 without a byte-order mark: of UTF-8 with one, of UTF-16, which must have one, and of encodings that extend ASCII, whose
/// other characters become U+FFFD: people write comments in them, and no language takes that character elsewhere. What is none of these
/// stays as it is, as does what would be text with control characters, which are words of a program.
pub fn to_utf8(bytes: Vec<u8>) -> Vec<u8> {
    let units =
        |unit: fn([u8; 2]) -> u16| bytes[2..].as_chunks().0.iter().map(|&pair| unit(pair)).collect::<Vec<u16>>();
    let units = match bytes[..] {
        [0xEF, 0xBB, 0xBF, ..] => return bytes[3..].to_vec(),
        [0xFF, 0xFE, ..] if bytes.len().is_multiple_of(2) => units(u16::from_le_bytes),
        [0xFE, 0xFF, ..] if bytes.len().is_multiple_of(2) => units(u16::from_be_bytes),
        _ => return extended_ascii(bytes),
    };
    let is_text = |text: &String| text.chars().all(|c| !c.is_control() || c.is_ascii_whitespace());
    String::from_utf16(&units).ok().filter(is_text).map_or(bytes, String::into_bytes)
}

fn extended_ascii(bytes: Vec<u8>) -> Vec<u8> {
    let is_text = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    let is_ascii = bytes.iter().filter(|byte| byte.is_ascii()).count() * 2 > bytes.len();
    if !is_ascii || std::str::from_utf8(&bytes).is_ok() || !bytes.iter().all(is_text) {
        return bytes;
    }
    String::from_utf8_lossy(&bytes).into_owned().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_utf8() {
        let text = "OUT\r\n\tß 𝄞";
        let utf16 = |mark: u16, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            std::iter::once(mark).chain(text.encode_utf16()).flat_map(bytes).collect()
        };
        assert_eq!(to_utf8(utf16(0xFEFF, u16::to_le_bytes)), text.as_bytes());
        assert_eq!(to_utf8(utf16(0xFEFF, u16::to_be_bytes)), text.as_bytes());
        assert_eq!(to_utf8([b"\xEF\xBB\xBF", text.as_bytes()].concat()), text.as_bytes());
        assert_eq!(to_utf8(b"// caf\xE9\n".to_vec()), "// caf\u{FFFD}\n".as_bytes());
        for same in [
            &b""[..],
            b"\xFF\xFE\0",
            b"\xFF\xFE\0\0",
            b"\xFE\xFF\xD8\0",
            b"OUT",
            b"\xFF\xFE\x07\0",
            b"caf\xE9\0",
            b"\xE9t\xE9",
        ] {
            assert_eq!(to_utf8(same.to_vec()), same, "{same:?}");
        }
    }
}
