//! Files of fetch buffers.

use super::{Data, FileError, FileKind, Shape, read_bytes, read_npy};
use crate::host::Host;
use std::path::Path;

/// Reads the bytes of a buffer: the values of a `.npy` array, else the bytes of the file as they are. An array also tells
/// the bytes of a row.
pub fn read_buffer(host: &dyn Host, path: &Path) -> Result<(Vec<u8>, Option<usize>), FileError> {
    let bytes = read_bytes(host, path)?;
    if FileKind::of(path) != Ok(FileKind::Npy) {
        return Ok((bytes, None));
    }
    let array = read_npy(&bytes).map_err(|cause| FileError::Content { path: path.into(), cause })?;
    let values: Vec<u8> = match &array.data {
        Data::U8(values) => values.clone(),
        Data::U16(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        Data::F32(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
    };
    let Shape { height, .. } = array.shape;
    let row = values.len() / height;
    Ok((values, Some(row)))
}
