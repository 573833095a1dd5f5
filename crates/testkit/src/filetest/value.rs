//! Values in directives.

use std::fmt::Debug;
use std::str::FromStr;

/// What reading a directive gives, or what is wrong with it.
pub type Parsed<T> = Result<T, String>;

/// A number, or a truth value.
///
/// # Errors
/// The text is none, or none that fits.
pub fn one<T: FromStr>(text: &str) -> Parsed<T> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a value that fits here"))
}

/// A dword: hexadecimal with `0x`, or a number.
///
/// # Errors
/// The text is none.
pub fn dword(text: &str) -> Parsed<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).map_err(|_| format!("`{text}` is not a dword")),
        None => one(text),
    }
}

/// So many values with something between them.
///
/// # Errors
/// There are more or less of them, or one cannot be read.
pub fn several<T, const N: usize>(text: &str, between: char, read: impl Fn(&str) -> Parsed<T>) -> Parsed<[T; N]> {
    let values: Vec<T> = text.split(between).map(read).collect::<Parsed<_>>()?;
    values.try_into().map_err(|_| format!("`{text}` is not {N} values with `{between}` between them"))
}

/// The one of these with this name.
///
/// # Errors
/// There is none.
pub fn one_of<T: Copy + Debug>(name: &str, all: &[T]) -> Parsed<T> {
    let found = all.iter().copied().find(|value| format!("{value:?}").eq_ignore_ascii_case(name));
    found.ok_or_else(|| format!("`{name}` is none of {all:?}"))
}

/// The words of an option line, as options with their values; a flag, which has no value, is one of those named.
///
/// # Errors
/// An option has no value.
pub fn options<'a>(line: &'a str, flags: &[&str]) -> Parsed<Vec<(&'a str, &'a str)>> {
    let mut words = line.split_whitespace();
    let mut options = Vec::new();
    while let Some(option) = words.next() {
        let value = if flags.contains(&option) { Some("") } else { words.next() };
        options.push((option, value.ok_or_else(|| format!("`{option}` needs a value"))?));
    }
    Ok(options)
}
