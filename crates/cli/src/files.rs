//! Array files of the host: reads the bytes, and decodes them.

use crate::host::{AccessError, Host};
use crate::report::Message;
use ctm_array::{Array, ContentError, FileSpec, MAX_BYTES, MAX_SIDE, Slices};
use std::io;
use std::path::{Path, PathBuf};

/// Bytes that decoding takes on the way, at most, for each byte of a file that is not a picture: integers become floats, and an
/// array is copied once.
const DECODING: usize = 5;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system does not give its bytes.
    #[error("cannot read '{}': {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: AccessError,
    },
    /// It is longer than the largest surface.
    #[error("'{}' holds more than a surface of {MAX_SIDE}x{MAX_SIDE} elements with 4 float32 channels", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// Its content is not usable.
    #[error("'{}': {cause}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: ContentError,
    },
}

impl FileError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            FileError::Unreadable { .. } => None,
            FileError::TooLong { .. } => Some("split the data over several files or runs".into()),
            FileError::Content { cause, .. } => cause.help(),
        }
    }
}

impl From<FileError> for Message {
    fn from(error: FileError) -> Self {
        let message = Message::error(error.to_string());
        error.help().into_iter().fold(message, Message::help)
    }
}

/// Reads the array that a file holds.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub fn read(host: &dyn Host, spec: &FileSpec) -> Result<Array, FileError> {
    of_content(&spec.path, ctm_array::decode(spec, &read_bytes(host, &spec.path)?))
}

/// Reads the array that a file holds, and if the file has an axis for slices, how many there are one above another.
///
/// # Errors
/// As [`read`].
pub fn read_slices(host: &dyn Host, spec: &FileSpec) -> Result<Slices, FileError> {
    of_content(&spec.path, ctm_array::decode_slices(spec, &read_bytes(host, &spec.path)?))
}

/// Reads dwords, see [`ctm_array::decode_dwords`].
///
/// # Errors
/// As [`read`].
pub fn read_dwords(host: &dyn Host, path: &Path, row: Option<usize>) -> Result<Vec<u32>, FileError> {
    of_content(path, ctm_array::decode_dwords(path, &read_bytes(host, path)?, row))
}

/// Reads at most `limit` vectors, see [`ctm_array::decode_vectors`].
///
/// # Errors
/// As [`read`].
pub fn read_vectors(host: &dyn Host, path: &Path, limit: usize) -> Result<Vec<[u32; 4]>, FileError> {
    of_content(path, ctm_array::decode_vectors(path, &read_bytes(host, path)?, limit))
}

/// Reads the bytes of a fetch buffer, see [`ctm_array::decode_buffer`].
///
/// # Errors
/// As [`read`].
pub fn read_buffer(host: &dyn Host, path: &Path) -> Result<(Vec<u8>, Option<usize>), FileError> {
    of_content(path, ctm_array::decode_buffer(path, read_bytes(host, path)?))
}

fn of_content<T>(path: &Path, decoded: Result<T, ContentError>) -> Result<T, FileError> {
    decoded.map_err(|cause| FileError::Content { path: path.into(), cause })
}

fn read_bytes(host: &dyn Host, path: &Path) -> Result<Vec<u8>, FileError> {
    let bytes = host.read(path, MAX_BYTES).map_err(|cause| match cause {
        AccessError::TooLarge => FileError::TooLong { path: path.into() },
        cause => FileError::Unreadable { path: path.into(), cause },
    })?;
    // Decoding has no error for that.
    Vec::<u8>::new().try_reserve_exact(bytes.len().saturating_mul(DECODING)).map_err(|_| {
        let cause = io::Error::from(io::ErrorKind::OutOfMemory).into();
        FileError::Unreadable { path: path.into(), cause }
    })?;
    Ok(bytes)
}
