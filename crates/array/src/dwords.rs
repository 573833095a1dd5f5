//! Dwords: `.npy` arrays of any shape, or dwords and nothing else.

use super::{ContentError, FileKind, npy, raw};
use std::path::Path;

/// Dwords, bit for bit: of a file that is called `.npy` the float32, int32 or uint32 values, which must be in C order; of any
/// other the little-endian dwords. Where `row` is given, they are whole rows of so many, and so are those of the array.
///
/// # Errors
/// The bytes are no such file, or no whole rows.
pub fn decode_dwords(path: &Path, bytes: &[u8], row: Option<usize>) -> Result<Vec<u32>, ContentError> {
    let is_npy = FileKind::of(path) == Ok(FileKind::Npy);
    let (axes, values) = match is_npy {
        true => npy::read_dwords(bytes)?,
        false if !bytes.len().is_multiple_of(4) => return Err(ContentError::PartialDword { length: bytes.len() }),
        false => (Vec::new(), raw::words(bytes)),
    };
    let Some(wanted) = row else { return Ok(values) };
    let wrong = |found| Err(ContentError::Rows { found, wanted });
    match axes[..] {
        [.., _, last] if last != wanted as u64 => wrong(format!("the array has rows of {last} values")),
        _ if !values.len().is_multiple_of(wanted) => wrong(format!("there are {} dwords", values.len())),
        _ => Ok(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole() {
        let bytes: Vec<u8> = (1..=6u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(decode_dwords(Path::new("a.u32"), &bytes, None), Ok(vec![1, 2, 3, 4, 5, 6]));
        assert_eq!(decode_dwords(Path::new("a.u32"), &bytes, Some(3)), Ok(vec![1, 2, 3, 4, 5, 6]));
        assert!(matches!(decode_dwords(Path::new("a.u32"), &bytes, Some(4)), Err(ContentError::Rows { .. })));
        assert_eq!(
            decode_dwords(Path::new("a.u32"), &bytes[..23], None),
            Err(ContentError::PartialDword { length: 23 })
        );
    }
}
