//! Dwords as text: words of eight hexadecimal digits, as tools and reports print machine code.

use ctm_text::excerpt;
use thiserror::Error;

/// Why a text that begins with hexadecimal words is not one of them alone. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "line {line}: expected a dword of eight hexadecimal digits, found `{found}`; comments begin with `;`, `#` or `//`"
)]
pub struct HexError {
    /// Line number.
    pub line: usize,
    /// What is there.
    pub found: String,
}

/// Whether a text begins with a dword, so that it is dwords and nothing else, or a damaged text of them.
pub fn begins_with_dword(text: &str) -> bool {
    text.lines().flat_map(words).next().and_then(dword).is_some()
}

/// The words of a line, without its comment.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let code = [";", "#", "//"].into_iter().fold(line, |code, mark| code.split(mark).next().unwrap_or_default());
    code.split([' ', '\t', ',', '|']).filter(|word| !word.is_empty())
}

/// Reads dwords, any number in a line, with or without `0x`, with blanks, `,` or `|` between them. `;`, `#` and `//` begin
/// comments. None if the text does not begin with a dword, so that it is something else.
///
/// # Errors
/// Something else follows.
pub fn read(text: &str) -> Option<Result<Vec<u32>, HexError>> {
    let mut dwords = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        for word in words(text) {
            match dword(word) {
                Some(dword) => dwords.push(dword),
                None if dwords.is_empty() => return None,
                None => return Some(Err(HexError { line, found: excerpt(word) })),
            }
        }
    }
    (!dwords.is_empty()).then_some(Ok(dwords))
}

fn dword(word: &str) -> Option<u32> {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
    let whole = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if whole { u32::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let text = "; a program\n\n00000002 a0080000 | 0x00008000,94200B08 // export\n# end\n\t0X00000000\n";
        assert!(begins_with_dword(text));
        assert_eq!(read(text), Some(Ok(vec![2, 0xA008_0000, 0x8000, 0x9420_0B08, 0])));
        for other in
            ["", "; nothing\n", "00 ALU: ADDR(2)\n", "OUT : out[0].rgb = MAX\n", "0000 0000000B\n", "123456789\n"]
        {
            assert_eq!(read(other), None, "{other}");
            assert!(!begins_with_dword(other), "{other}");
        }
        let error = read("00000002 a0080000\n0003 NOP\n").unwrap().unwrap_err();
        assert_eq!(error, HexError { line: 2, found: "0003".into() });
    }
}
