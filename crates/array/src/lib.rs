//! Decodes and encodes array and picture files, and moves their values into surfaces and back. Bytes come from the caller
//! and go to the caller: nothing here opens a file.
//!
//! ```text
//! FileSpec::parse(argument) -> decode -> Array -> surface_for, upload -> memory of the device
//!                              encode <- Array <- download             <-
//! ```
//!
//! - [`FileSpec::parse`] takes `PATH[:WxHxC][:tiled]` apart; [`decode`] decodes the bytes of the file that it names.
//! - [`read_npy`], [`read_png`] and [`read_raw`] take bytes, whatever they are, to an [`Array`] or a [`ContentError`].
//! - [`decode_dwords`], [`decode_vectors`] and [`decode_buffer`] take what is not a picture: constants, attributes, buffers.
//! - [`surface_for`] says how an array lies in memory, and [`surface`] makes a surface for results of a given size; both
//!   leave the base address to the caller. [`upload`] and [`download`] move the values.
//! - [`Difference::of`] compares two arrays.
//! - [`heat_map`] is the picture of counts, by the colours [`HEAT`].
//! - [`encode`] gives the bytes of a file of some [`FileKind`], and [`Animation`] those of one with many frames. Whoever writes them takes care that the file appears
//!   complete or not at all.
//!
//! Every error has a text that says what is wrong, and `help()`, which says what to do about it.
//!
//! # What becomes of channels
//!
//! | array | surface |
//! |---|---|
//! | float32, 1, 2 or 4 channels | FLOAT32_1, FLOAT32_2, FLOAT32_4, bit for bit |
//! | float32, 3 channels | FLOAT32_4, channel 3 is 1.0 |
//! | uint8, 4 channels | UINT8_4 |
//! | uint8, 3 channels | UINT8_4, channel 3 is 255 |
//! | uint8, 1 channel | UINT8_4, the value in channels 0 to 2, channel 3 is 255 |
//! | uint16, 1 channel | UINT16_1 |
//! | uint16, 2 to 4 channels | as the float32 array of the values / 65535, for want of such a format |
//!
//! A PNG with gray and alpha is read as RGBA, one with a palette as RGB or RGBA.
#![forbid(unsafe_code)]

mod animation;
mod array;
mod buffer;
mod difference;
mod dwords;
mod error;
mod heat;
mod npy;
mod png;
mod raw;
mod spec;
mod transfer;
mod vectors;

pub use animation::Animation;
pub use array::{Array, Data};
pub use buffer::decode_buffer;
pub use difference::{ArrayMismatch, Difference};
pub use dwords::decode_dwords;
pub use error::ContentError;
pub use heat::{HEAT, heat_map};
pub use npy::read_npy;
pub use png::{ClampedValues, Tonemap, read_png};
pub use raw::read_raw;
pub use spec::{FileKind, FileSpec, Shape, SpecError};
pub use transfer::{MAX_SIDE, download, surface, surface_for, upload};
pub use vectors::decode_vectors;

/// Bytes of the longest file that anybody needs to read: the largest surface, as float32 with 4 channels, and a header.
pub const MAX_BYTES: u64 = (MAX_SIDE * MAX_SIDE * 16 + 0x1_0000) as u64;

/// How values become a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// What a picture shows from black to white; without it 0 to 1. It applies to float values only, never to alpha.
    pub tonemap: Option<Tonemap>,
    /// What `.npy` calls values of 32 bits.
    pub words: Words,
}

/// What values of 32 bits are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Words {
    /// float32.
    #[default]
    Float,
    /// int32.
    Signed,
    /// uint32.
    Unsigned,
}

/// The array in the bytes of the file that `spec` names.
///
/// # Errors
/// The bytes are no such file, or have another shape than `spec` asks for.
pub fn decode(spec: &FileSpec, bytes: &[u8]) -> Result<Array, ContentError> {
    Ok(decode_by(spec, bytes, |bytes| Ok((read_npy(bytes)?, None)))?.0)
}

/// The array in the bytes of the file that `spec` names, and if the file has an axis for slices, how many there are one
/// above another.
///
/// # Errors
/// As [`decode`].
pub fn decode_slices(spec: &FileSpec, bytes: &[u8]) -> Result<Slices, ContentError> {
    decode_by(spec, bytes, npy::read_slices)
}

/// An array, and the number of its slices if its file has an axis for them.
pub type Slices = (Array, Option<usize>);

fn decode_by(
    spec: &FileSpec,
    bytes: &[u8],
    npy: fn(&[u8]) -> Result<Slices, ContentError>,
) -> Result<Slices, ContentError> {
    let (array, slices) = match spec.kind {
        FileKind::Npy => npy(bytes)?,
        FileKind::Png | FileKind::Apng => (read_png(bytes)?, None),
        FileKind::Raw => (read_raw(bytes, spec.shape.ok_or(ContentError::NoShape)?)?, None),
    };
    match spec.shape {
        Some(given) if given != array.shape => Err(ContentError::OtherShape { given, found: array.shape }),
        _ => Ok((array, slices)),
    }
}

/// The bytes of a file of this kind that holds `array`.
///
/// `.npy` keeps the type of the values, in C order, little-endian, without an axis for channels if there is one only.
/// `.f32` holds float32 values; integers become fractions of their greatest value. PNG has 16 bits per channel for
/// uint16, else 8. An animation has this one frame.
///
/// # Errors
/// A picture cannot have so many channels, or be so large.
pub fn encode(kind: FileKind, array: &Array, options: &WriteOptions) -> Result<Vec<u8>, ContentError> {
    match kind {
        FileKind::Npy => Ok(npy::encode(array, options.words)),
        FileKind::Png | FileKind::Apng => png::encode(array, options.tonemap),
        FileKind::Raw => Ok(raw::encode(array)),
    }
}
