//! Vectors: constants, and values of vertices.

use super::{Array, ContentError, Data, FileKind, Shape, raw, read_npy};
use std::path::Path;

/// At most `limit` vectors as bit patterns: of a file that is called `.npy` an array of N x 4 float32 values, of any other
/// rows of 4 little-endian float32 values.
///
/// # Errors
/// The bytes are something else, or more.
pub fn decode_vectors(path: &Path, bytes: &[u8], limit: usize) -> Result<Vec<[u32; 4]>, ContentError> {
    let wrong = |found| Err(ContentError::Vectors { limit, found });
    let values = match FileKind::of(path) {
        Ok(FileKind::Png | FileKind::Apng) => return wrong("a picture".into()),
        Ok(FileKind::Npy) => match read_npy(bytes)? {
            Array { shape: Shape { width: 4, channels: 1, .. }, data: Data::F32(values) } => values,
            Array { shape: Shape { width, height, channels }, data } => {
                let axes =
                    if channels == 1 { format!("{height}x{width}") } else { format!("{height}x{width}x{channels}") };
                return wrong(format!("an array of {axes} {} values", data.type_name()));
            }
        },
        _ if bytes.len().is_multiple_of(16) => raw::words(bytes),
        _ => return wrong(format!("{} bytes, which is not a multiple of 16", bytes.len())),
    };
    match values.as_chunks().0 {
        rows if rows.len() <= limit => Ok(rows.to_vec()),
        rows => wrong(format!("{} rows", rows.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npy;

    const RAW: &str = "a.f32";
    const NPY: &str = "a.npy";

    fn npy_of(width: usize, height: usize, data: Data) -> Vec<u8> {
        npy::encode(&Array { shape: Shape { width, height, channels: 1 }, data }, crate::Words::Float)
    }

    #[test]
    fn rows_of_four() {
        let rows = vec![[1, 2, 3, 4], [5, 6, 7, 0x7F80_0001]];
        let values = rows.concat();
        let bytes: Vec<u8> = values.iter().flat_map(|value: &u32| value.to_le_bytes()).collect();
        assert_eq!(decode_vectors(Path::new(RAW), &bytes, 2), Ok(rows.clone()));
        assert_eq!(decode_vectors(Path::new(NPY), &npy_of(4, 2, Data::F32(values)), 2), Ok(rows));
    }

    #[test]
    fn anything_else_is_refused() {
        for (name, bytes) in [
            (RAW, vec![0; 15]),
            (RAW, vec![0; 257 * 16]),
            ("a.png", vec![0; 16]),
            ("a.apng", vec![0; 16]),
            (NPY, npy_of(2, 2, Data::F32(vec![0; 4]))),
            (NPY, npy_of(4, 1, Data::U8(vec![0; 4]))),
            (NPY, npy_of(4, 257, Data::F32(vec![0; 4 * 257]))),
        ] {
            assert!(matches!(decode_vectors(Path::new(name), &bytes, 256), Err(ContentError::Vectors { .. })));
        }
        assert!(decode_vectors(Path::new(RAW), &vec![0; 256 * 16], 256).is_ok());
        let named = |shape, data| {
            let bytes = npy::encode(&Array { shape, data }, crate::Words::Float);
            decode_vectors(Path::new(NPY), &bytes, 256).unwrap_err().to_string()
        };
        let flat = named(Shape { width: 2, height: 3, channels: 1 }, Data::F32(vec![0; 6]));
        let deep = named(Shape { width: 2, height: 3, channels: 4 }, Data::U8(vec![0; 24]));
        assert!(flat.contains("an array of 3x2 float32 values"), "{flat}");
        assert!(deep.contains("an array of 3x2x4 uint8 values"), "{deep}");
    }
}
