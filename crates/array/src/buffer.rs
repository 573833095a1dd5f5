//! Bytes of fetch buffers.

use super::{ContentError, Data, FileKind, Shape, read_npy};
use std::path::Path;

/// The bytes of a buffer: the values of a `.npy` array if that is what the file is called, else the bytes of the file as they
/// are. An array also gives the bytes of a row.
///
/// # Errors
/// The file is called an array, and is none.
pub fn decode_buffer(path: &Path, bytes: Vec<u8>) -> Result<(Vec<u8>, Option<usize>), ContentError> {
    if FileKind::of(path) != Ok(FileKind::Npy) {
        return Ok((bytes, None));
    }
    let array = read_npy(&bytes)?;
    let values: Vec<u8> = match &array.data {
        Data::U8(values) => values.clone(),
        Data::U16(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        Data::F32(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
    };
    let Shape { height, .. } = array.shape;
    let row = values.len() / height;
    Ok((values, Some(row)))
}
