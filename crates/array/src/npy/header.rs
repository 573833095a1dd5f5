//! Headers of `.npy` files: a Python dictionary with the type of the elements, their order and the axes' lengths. Source:
//! NumPy's format description, "A simple file format for NumPy arrays" (NEP 1), versions 1.0 to 3.0.

use super::ContentError;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Longest header: NumPy's own limit for files that it does not trust.
const MAX_LENGTH: usize = 10_000;
/// Most axes: NumPy's own limit.
const MAX_AXES: usize = 64;
/// Headers end where values can be loaded aligned.
const ALIGNMENT: usize = 64;

/// What a header says.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    pub(super) element: Element,
    /// Whether the first index runs fastest.
    pub(super) fortran: bool,
    /// Lengths of the axes.
    pub(super) axes: Vec<u64>,
    /// Product of the axes' lengths.
    pub(super) count: u64,
}

/// The type of an element: NumPy's type string.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Element {
    /// Whether its most significant byte comes first.
    pub(super) big_endian: bool,
    /// The kind of type: `f`, `u`, `i`, ...
    pub(super) kind: char,
    /// Bytes, or characters of a text.
    pub(super) size: u64,
}

impl Element {
    fn parse(text: &str) -> Result<Self, ContentError> {
        let parse = || {
            let mut rest = text.chars();
            let big_endian = match rest.next()? {
                '<' | '|' => false,
                '>' => true,
                '=' => cfg!(target_endian = "big"),
                _ => return None,
            };
            let kind = rest.next().filter(char::is_ascii_alphabetic)?;
            let size = match rest.as_str() {
                "" => 0,
                digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok()?,
                // Times name their unit in brackets.
                _ if matches!(kind, 'm' | 'M') => 8,
                _ => return None,
            };
            Some(Element { big_endian, kind, size })
        };
        parse().ok_or_else(|| damaged(format!("unknown type '{text}'")))
    }

    /// What NumPy calls the type.
    pub(super) fn name(self) -> String {
        let family = match self.kind {
            'i' => "int",
            'u' => "uint",
            'f' => "float",
            'c' => "complex",
            'b' => return "bool".into(),
            'm' => return "timedelta64".into(),
            'M' => return "datetime64".into(),
            'O' => return "object".into(),
            kind => return format!("'{kind}{}'", self.size),
        };
        format!("{family}{}", self.size.saturating_mul(8))
    }
}

/// The header at the begin of a file, and the bytes of values after it.
pub(super) fn read(bytes: &[u8]) -> Result<(Header, &[u8]), ContentError> {
    if !bytes.starts_with(MAGIC) {
        return Err(ContentError::NotNpy);
    }
    let length_bytes = match bytes.get(MAGIC.len()) {
        None => return Err(damaged("it is cut off")),
        Some(1) => 2,
        Some(2 | 3) => 4,
        Some(version) => return Err(damaged(format!("version {version} is not known"))),
    };
    let start = MAGIC.len() + 2 + length_bytes;
    let length = bytes.get(MAGIC.len() + 2..start).ok_or_else(|| damaged("it is cut off"))?;
    let length = length.iter().rev().fold(0, |length, byte| length << 8 | *byte as usize);
    if length > MAX_LENGTH {
        return Err(damaged("it is too long"));
    }
    let text = bytes.get(start..start + length).ok_or_else(|| damaged("it is cut off"))?;
    let text = str::from_utf8(text).map_err(|_| damaged("it is not text"))?;
    Ok((dictionary(text)?, &bytes[start + length..]))
}

/// The header of a file of version 1.0 with elements of a type in C order.
pub(super) fn write(descr: &str, axes: &[u64]) -> Vec<u8> {
    let axes: String = axes.iter().map(|axis| format!("{axis}, ")).collect();
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({axes}), }}");
    let start = MAGIC.len() + 4;
    let end = (start + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.extend(std::iter::repeat_n(' ', end - start - text.len() - 1));
    text.push('\n');
    [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
}

fn dictionary(text: &str) -> Result<Header, ContentError> {
    let mut text = Text(text);
    let (mut element, mut fortran, mut axes) = (None, None, None);
    text.expect('{')?;
    while !text.takes('}') {
        let key = text.string()?;
        text.expect(':')?;
        let repeated = match key {
            "descr" => element.replace(text.element()?).is_some(),
            "fortran_order" => fortran.replace(text.boolean()?).is_some(),
            "shape" => axes.replace(text.axes()?).is_some(),
            _ => return Err(damaged(format!("the key '{key}' is not known"))),
        };
        if repeated {
            return Err(damaged(format!("the key '{key}' comes twice")));
        }
        if !text.takes(',') {
            text.expect('}')?;
            break;
        }
    }
    if let Some(found) = text.peek() {
        return Err(damaged(format!("'{found}' comes after its end")));
    }
    let missing = |key| damaged(format!("the key '{key}' is missing"));
    let axes = axes.ok_or_else(|| missing("shape"))?;
    let count = axes.iter().try_fold(1u64, |count, axis| count.checked_mul(*axis));
    Ok(Header {
        element: element.ok_or_else(|| missing("descr"))?,
        fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
        count: count.ok_or_else(|| damaged("its numbers are too large"))?,
        axes,
    })
}

/// What is left of a header's text.
struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    fn peek(&mut self) -> Option<char> {
        self.0 = self.0.trim_start();
        self.0.chars().next()
    }

    fn takes(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.0 = &self.0[wanted.len_utf8()..];
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), ContentError> {
        match self.takes(wanted) {
            true => Ok(()),
            false => Err(self.other_than(&format!("'{wanted}'"))),
        }
    }

    /// An error that says what is here in place of what is needed.
    fn other_than(&mut self, wanted: &str) -> ContentError {
        match self.peek() {
            Some(found) => damaged(format!("{wanted} is needed where '{}' stands", found.escape_default())),
            None => damaged(format!("{wanted} is needed where it ends")),
        }
    }

    /// The letters and digits that come next.
    fn word(&mut self) -> &'a str {
        self.peek();
        let end = self.0.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        word
    }

    fn string(&mut self) -> Result<&'a str, ContentError> {
        let quote =
            self.peek().filter(|quote| matches!(quote, '\'' | '"')).ok_or_else(|| self.other_than("a string"))?;
        let (string, rest) = self.0[1..].split_once(quote).ok_or_else(|| damaged("a string has no end"))?;
        if string.contains('\\') {
            return Err(damaged("'\\' stands in a string"));
        }
        self.0 = rest;
        Ok(string)
    }

    fn element(&mut self) -> Result<Element, ContentError> {
        match self.peek() {
            Some('[' | '(' | '{') => Err(ContentError::ElementType { found: "a structure".into() }),
            _ => Element::parse(self.string()?),
        }
    }

    fn boolean(&mut self) -> Result<bool, ContentError> {
        match self.word() {
            "True" => Ok(true),
            "False" => Ok(false),
            _ => Err(damaged("'fortran_order' is neither True nor False")),
        }
    }

    fn axes(&mut self) -> Result<Vec<u64>, ContentError> {
        let mut axes = Vec::new();
        self.expect('(')?;
        while !self.takes(')') {
            let digits = self.word();
            if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
                return Err(damaged("its shape is not a tuple of numbers"));
            }
            axes.push(digits.parse().map_err(|_| damaged("its numbers are too large"))?);
            if axes.len() > MAX_AXES {
                return Err(damaged("its shape has too many axes"));
            }
            if !self.takes(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(axes)
    }
}

fn damaged(cause: impl Into<String>) -> ContentError {
    let mut cause = cause.into();
    // A text in the file may be long, and of any letters.
    if let Some((end, _)) = cause.char_indices().nth(80) {
        cause.replace_range(end.., "...");
    }
    ContentError::NpyHeader { cause: cause.replace(|letter: char| letter.is_control(), " ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_python_may_write_them() {
        let float = Element { big_endian: false, kind: 'f', size: 4 };
        let expected = Header { element: float, fortran: true, axes: vec![3, 4], count: 12 };
        for text in [
            "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }     \n",
            "{\"shape\":(3,4),\"fortran_order\":True,\"descr\":\"<f4\"}",
            " { 'fortran_order' : True , 'shape' : ( 3 , 4 , ) , 'descr' : '<f4' } ",
        ] {
            assert_eq!(dictionary(text).as_ref(), Ok(&expected), "{text}");
        }
        let native = dictionary("{'descr': '=i2', 'fortran_order': False, 'shape': (64,)}").unwrap();
        assert_eq!(native.element, Element { big_endian: cfg!(target_endian = "big"), kind: 'i', size: 2 });
        let scalar = dictionary("{'descr': '|u1', 'fortran_order': False, 'shape': ()}").unwrap();
        assert_eq!((scalar.axes, scalar.count), (vec![], 1));
    }

    #[test]
    fn what_is_written_is_aligned_and_read() {
        for axes in [&[][..], &[7], &[1, 2, 3, 4], &[u64::MAX], &[1_000_000; 3], &[1; 40]] {
            let bytes = write("<f4", axes);
            assert_eq!(bytes.len() % ALIGNMENT, 0);
            let (header, rest) = read(&bytes).unwrap();
            assert_eq!((&header.axes[..], rest.len()), (axes, 0));
        }
        assert_eq!(write("<f4", &[2, 3]).len(), 128, "no more blanks than it takes");
        // Of every length.
        for count in 0..=MAX_AXES {
            let bytes = write("<f4", &vec![1; count]);
            assert_eq!((bytes.len() % ALIGNMENT, bytes.last()), (0, Some(&b'\n')));
            assert_eq!(read(&bytes).unwrap().0.axes.len(), count);
        }
    }

    #[test]
    fn headers_have_a_length_at_most() {
        let of = |length: usize, axes: usize| {
            let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({})}}", "1, ".repeat(axes));
            let text = format!("{text:length$}");
            [MAGIC, &[2, 0], &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
        };
        assert_eq!(read(&of(MAX_LENGTH, MAX_AXES)).unwrap().0.axes, [1; MAX_AXES]);
        assert_eq!(read(&of(MAX_LENGTH + 1, 1)), Err(damaged("it is too long")));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let entries = |axes: &str| format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {axes}}}");
        for (text, cause) in [
            (String::new(), "'{' is needed where it ends"),
            ("['descr']".into(), "'{' is needed where '[' stands"),
            ("{}".into(), "the key 'shape' is missing"),
            ("{'descr': 3}".into(), "a string is needed where '3' stands"),
            ("{'descr': 'float'}".into(), "unknown type 'float'"),
            ("{'descr': '<f-4'}".into(), "unknown type '<f-4'"),
            ("{'descr': '<f4".into(), "a string has no end"),
            ("{'descr': '\\UFFFFFFFF'}".into(), "'\\' stands in a string"),
            ("{'descr': '<f4', 'descr': '<f4'}".into(), "the key 'descr' comes twice"),
            ("{'order': 'C'}".into(), "the key 'order' is not known"),
            ("{'fortran_order': 1}".into(), "'fortran_order' is neither True nor False"),
            (entries("(-1, 1)"), "its shape is not a tuple of numbers"),
            (entries("(1.5, 1)"), "')' is needed where '.' stands"),
            (entries("(0xFF, 1)"), "its shape is not a tuple of numbers"),
            (entries("((1, 1))"), "its shape is not a tuple of numbers"),
            (entries("(99999999999999999999, 1)"), "its numbers are too large"),
            (entries("(4294967296, 4294967296)"), "its numbers are too large"),
            (entries(&format!("({})", "1,".repeat(65))), "its shape has too many axes"),
            (entries("(1, 1)") + "x", "'x' comes after its end"),
        ] {
            assert_eq!(dictionary(&text), Err(ContentError::NpyHeader { cause: cause.into() }), "{text}");
        }
    }
}
