//! Arrays of bytes in C source, as `xxd -i` and offline compilers write them.

use ctm_text::excerpt;
use thiserror::Error;

/// Most bytes of an array.
const MOST_BYTES: usize = 32 << 20;
/// Bytes before an opening brace in which the declaration of its array stands.
const LONGEST_DECLARATION: usize = 512;

/// An array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CArray {
    /// How the source calls it.
    pub name: String,
    /// Its bytes; elements of more than one are little-endian.
    pub bytes: Vec<u8>,
}

/// Why a source gives no array. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CArrayError {
    /// Something else than a number stands in an array.
    #[error("line {line}: expected a number of the array `{name}`, found `{found}`")]
    Element {
        /// Line number.
        line: usize,
        /// The array.
        name: String,
        /// What is there.
        found: String,
    },
    /// The array has no end.
    #[error("the array `{0}` has no closing brace; is the file cut off?")]
    CutOff(String),
    /// There is more than one.
    #[error("the file has several arrays ({0}); leave one of them in it")]
    Several(String),
    /// The array is too long.
    #[error("the array `{name}` is longer than {} MiB", MOST_BYTES >> 20)]
    TooLong {
        /// The array.
        name: String,
    },
}

/// Names of types in C, with the bytes of an element.
const TYPES: [(&str, usize); 13] = [
    ("char", 1),
    ("uint8_t", 1),
    ("int8_t", 1),
    ("u8", 1),
    ("BYTE", 1),
    ("byte", 1),
    ("uint32_t", 4),
    ("u32", 4),
    ("DWORD", 4),
    ("int", 4),
    ("unsigned", 4),
    ("uint64_t", 8),
    ("u64", 8),
];

/// The head of an array: bytes of an element, name, and what follows its opening brace.
struct Head<'t> {
    width: usize,
    name: &'t str,
    line: usize,
    body: &'t str,
}

/// `unsigned char const name[123] = {`
fn head(text: &str, from: usize) -> Option<Head<'_>> {
    let mut at = from;
    loop {
        let open = at + text[at..].find('{')?;
        at = open + 1;
        // Declarations are short; what stands far before the brace is not one.
        let start = (open.saturating_sub(LONGEST_DECLARATION)..=open).find(|&at| text.is_char_boundary(at));
        let before = text[start.unwrap_or(open)..open].trim_end();
        let Some(before) = before.strip_suffix('=') else { continue };
        let Some((declaration, _)) = before.trim_end().strip_suffix(']').and_then(|before| before.rsplit_once('['))
        else {
            continue;
        };
        // The declaration is what stands on its line, or since the statement before.
        let declaration = declaration.rsplit([';', '}', '>', '"']).next().unwrap_or_default();
        let words: Vec<&str> = declaration
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .collect();
        let Some((name, types)) = words.split_last() else { continue };
        let width = types.iter().find_map(|word| TYPES.iter().find(|(known, _)| known == word));
        // `unsigned char` is a byte, whatever stands first.
        let is_byte = types.contains(&"char");
        let Some(width) = width.map(|&(_, width)| if is_byte { 1 } else { width }) else { continue };
        let line = 1 + text[..open].matches('\n').count();
        return Some(Head { width, name, line, body: &text[open + 1..] });
    }
}

/// Whether a text is C source with an array of numbers.
pub fn is_array(text: &str) -> bool {
    head(text, 0).is_some_and(|head| {
        let body = head.body.trim_start();
        body.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Reads the array of a C source.
///
/// # Errors
/// See [`CArrayError`].
pub fn read(text: &str) -> Option<Result<CArray, CArrayError>> {
    let first = head(text, 0)?;
    let name = excerpt(first.name);
    let (bytes, rest) = match elements(&first) {
        Ok(read) => read,
        Err(error) => return Some(Err(error)),
    };
    let mut names = vec![name.clone()];
    let mut at = text.len() - rest.len();
    while let Some(next) = head(text, at).filter(|_| names.len() < 8) {
        names.push(excerpt(next.name));
        at = text.len() - next.body.len();
    }
    if names.len() > 1 {
        return Some(Err(CArrayError::Several(names.join(", "))));
    }
    Some(Ok(CArray { name, bytes }))
}

/// The bytes of an array, and the text after it.
fn elements<'t>(head: &Head<'t>) -> Result<(Vec<u8>, &'t str), CArrayError> {
    let name = || excerpt(head.name);
    let (body, rest) = head.body.split_once('}').ok_or_else(|| CArrayError::CutOff(name()))?;
    let mut bytes = Vec::new();
    for (line, text) in (head.line..).zip(body.lines()) {
        let text = text.split("//").next().unwrap_or_default();
        let mut rest = text;
        let mut code = String::new();
        while let Some((before, comment)) = rest.split_once("/*") {
            code += before;
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        }
        code += rest;
        for word in code.split([' ', '\t', ',', '\r']).filter(|word| !word.is_empty()) {
            let wrong = || CArrayError::Element { line, name: name(), found: excerpt(word) };
            let value = number(word).ok_or_else(wrong)?;
            if head.width < 8 && value >> (8 * head.width) != 0 {
                return Err(wrong());
            }
            bytes.extend(&value.to_le_bytes()[..head.width]);
            if bytes.len() > MOST_BYTES {
                return Err(CArrayError::TooLong { name: name() });
            }
        }
    }
    Ok((bytes, rest))
}

/// `0x7f`, `127`, `0x7fU`, `0177`.
fn number(word: &str) -> Option<u64> {
    let word = word.trim_end_matches(['u', 'U', 'l', 'L']);
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if word.len() > 1 && word.starts_with('0') => u64::from_str_radix(word, 8).ok(),
        None => word.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let xxd = "unsigned char a_gsh[] = {\n  0x47, 0x66, 0x78, 0x32,\n  0x00\n};\nunsigned int a_gsh_len = 5;\n";
        assert!(is_array(xxd));
        let array = CArray { name: "a_gsh".into(), bytes: b"Gfx2\0".to_vec() };
        assert_eq!(read(xxd), Some(Ok(array)));
        let words = "#include <stdint.h>\nstatic const uint32_t code[2] =\n{ /* first */ 0x07230203u, // magic\n 16 };";
        assert_eq!(read(words).unwrap().unwrap().bytes, [3, 2, 0x23, 7, 16, 0, 0, 0]);
        for other in ["int main() { return 0; }", "struct a { int b; };", "float x[] = { 1.0 };", "{"] {
            assert_eq!(read(other), None, "{other}");
            assert!(!is_array(other), "{other}");
        }
    }

    #[test]
    fn numbers_have_bases_and_sizes() {
        let bytes = |text: &str| read(text).unwrap().map(|array| array.bytes);
        assert_eq!(bytes("char a[] = { 0, 00, 017, 17, 0x1F, 0X2fu, 255UL };"), Ok(vec![0, 0, 15, 17, 31, 47, 255]));
        assert!(bytes("char a[] = { 08 };").is_err());
        assert_eq!(bytes("uint64_t a[] = { 0xFFFFFFFFFFFFFFFE };"), Ok(vec![254, 255, 255, 255, 255, 255, 255, 255]));
        assert_eq!(bytes("u32 a[] = { 0xFFFFFFFE };"), Ok(vec![254, 255, 255, 255]));
        assert!(bytes("u32 a[] = { 0x100000000 };").is_err());
    }

    #[test]
    fn arrays_have_a_length_at_most() {
        let of = |count: usize| read(&format!("u64 a[] = {{ {} }};", "0 ".repeat(count))).unwrap();
        assert_eq!(of((32 << 20) / 8).map(|array| array.bytes.len()), Ok(32 << 20));
        assert_eq!(of((32 << 20) / 8 + 1), Err(CArrayError::TooLong { name: "a".into() }));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let error = |text| read(text).unwrap().unwrap_err().to_string();
        assert!(error("char a[] = { 1,\n x };").contains("line 2: expected a number of the array `a`, found `x`"));
        assert!(error("char a[] = { 256 };").contains("found `256`"));
        assert!(error("char a[] = { 1, 2").contains("no closing brace"));
        assert!(error("char a[] = { 1 }; char b[] = { 2 };").contains("several arrays (a, b)"));
        let many: String = ('a'..='k').map(|name| format!("char {name}[] = {{ 1 }};\n")).collect();
        assert_eq!(read(&many), Some(Err(CArrayError::Several("a, b, c, d, e, f, g, h".into()))));
    }
}
