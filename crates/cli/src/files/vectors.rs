//! Files of vectors: constants, and values of vertices.

use super::{Array, ContentError, Data, FileError, FileKind, Shape, raw, read_bytes, read_npy};
use crate::host::Host;
use std::path::Path;

/// Reads at most `limit` vectors as bit patterns: a `.npy` array of N x 4 float32 values, or any other file as
/// rows of 4 little-endian float32 values.
pub fn read_vectors(host: &dyn Host, path: &Path, limit: usize) -> Result<Vec<[u32; 4]>, FileError> {
    let vectors = match FileKind::of(path) {
        Ok(FileKind::Png) => Err(ContentError::Vectors { limit, found: "a picture".into() }),
        kind => parse_vectors(kind == Ok(FileKind::Npy), &read_bytes(host, path)?, limit),
    };
    vectors.map_err(|cause| FileError::Content { path: path.into(), cause })
}

/// Takes at most `limit` vectors from the bytes of a `.npy` file, or of a file of nothing but float32 values.
pub fn parse_vectors(npy: bool, bytes: &[u8], limit: usize) -> Result<Vec<[u32; 4]>, ContentError> {
    let wrong = |found| Err(ContentError::Vectors { limit, found });
    let values = if npy {
        match read_npy(bytes)? {
            Array { shape: Shape { width: 4, channels: 1, .. }, data: Data::F32(values) } => values,
            Array { shape: Shape { width, height, channels }, data } => {
                let axes =
                    if channels == 1 { format!("{height}x{width}") } else { format!("{height}x{width}x{channels}") };
                return wrong(format!("an array of {axes} {} values", data.type_name()));
            }
        }
    } else if bytes.len().is_multiple_of(16) {
        raw::words(bytes)
    } else {
        return wrong(format!("{} bytes, which is no multiple of 16", bytes.len()));
    };
    match values.as_chunks().0 {
        rows if rows.len() <= limit => Ok(rows.to_vec()),
        rows => wrong(format!("{} rows", rows.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::npy;

    fn npy_of(width: usize, height: usize, data: Data) -> Vec<u8> {
        npy::encode(&Array { shape: Shape { width, height, channels: 1 }, data })
    }

    #[test]
    fn rows_of_four() {
        let rows = vec![[1, 2, 3, 4], [5, 6, 7, 0x7F80_0001]];
        let values = rows.concat();
        let bytes: Vec<u8> = values.iter().flat_map(|value: &u32| value.to_le_bytes()).collect();
        assert_eq!(parse_vectors(false, &bytes, 2), Ok(rows.clone()));
        assert_eq!(parse_vectors(true, &npy_of(4, 2, Data::F32(values)), 2), Ok(rows));
    }

    #[test]
    fn anything_else_is_refused() {
        for (npy, bytes) in [
            (false, vec![0; 15]),
            (false, vec![0; 257 * 16]),
            (true, npy_of(2, 2, Data::F32(vec![0; 4]))),
            (true, npy_of(4, 1, Data::U8(vec![0; 4]))),
            (true, npy_of(4, 257, Data::F32(vec![0; 4 * 257]))),
        ] {
            assert!(matches!(parse_vectors(npy, &bytes, 256), Err(ContentError::Vectors { .. })));
        }
        assert!(parse_vectors(false, &vec![0; 256 * 16], 256).is_ok());
    }
}
