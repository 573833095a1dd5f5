//! Files of dwords: `.npy` arrays of any shape, or dwords and nothing else.

use super::{ContentError, FileError, FileKind, npy, raw, read_bytes};
use crate::host::Host;
use std::path::Path;

/// Reads dwords, bit for bit: a `.npy` array of float32, int32 or uint32 values in C order, or any other file as
/// little-endian dwords. Where `row` is given, they are whole rows of so many, and so are those of the array.
pub fn read_dwords(host: &dyn Host, path: &Path, row: Option<usize>) -> Result<Vec<u32>, FileError> {
    parse(FileKind::of(path) == Ok(FileKind::Npy), &read_bytes(host, path)?, row)
        .map_err(|cause| FileError::Content { path: path.into(), cause })
}

fn parse(is_npy: bool, bytes: &[u8], row: Option<usize>) -> Result<Vec<u32>, ContentError> {
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
        assert_eq!(parse(false, &bytes, None), Ok(vec![1, 2, 3, 4, 5, 6]));
        assert_eq!(parse(false, &bytes, Some(3)), Ok(vec![1, 2, 3, 4, 5, 6]));
        assert!(matches!(parse(false, &bytes, Some(4)), Err(ContentError::Rows { .. })));
        assert_eq!(parse(false, &bytes[..23], None), Err(ContentError::PartialDword { length: 23 }));
    }
}
