//! What can be wrong with the content of array files.

use super::{MAX_SIDE, Shape};

/// What is wrong with the content of a file, or with an array.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// It does not begin like an `.npy` file.
    #[error("this is not a .npy file")]
    NotNpy,
    /// The header of an `.npy` file is not what NumPy writes.
    #[error("the header of the .npy file is damaged: {cause}")]
    NpyHeader {
        /// Why.
        cause: String,
    },
    /// The values are of a type that is not read.
    #[error("values of type {found} are not supported: expected float32, uint8 or uint16")]
    ElementType {
        /// NumPy's name for the type.
        found: String,
    },
    /// The array has not two or three axes.
    #[error("the array's shape is {found:?}; expected [height, width] or [height, width, channels]")]
    Axes {
        /// Lengths of the axes.
        found: Vec<u64>,
    },
    /// An axis has length 0.
    #[error("the array is empty")]
    Empty,
    /// There are more or fewer bytes than the shape asks for.
    #[error("{expected} bytes of values are needed, but there are {found}")]
    Length {
        /// Bytes that the shape asks for.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// The host cannot hold it.
    #[error("there is no memory for an array of {shape} values")]
    Huge {
        /// The shape.
        shape: Shape,
    },
    /// A `.f32` file is named without its shape.
    #[error("a .f32 file does not say its shape")]
    NoShape,
    /// The argument gives another shape than the file.
    #[error("the shape {given} is asked for, but the file has {found} (width x height x channels)")]
    OtherShape {
        /// Shape in the argument.
        given: Shape,
        /// Shape in the file.
        found: Shape,
    },
    /// The PNG decoder refuses it.
    #[error("this is not a valid PNG: {cause}")]
    Png {
        /// Why.
        cause: String,
    },
    /// It is wider or higher than coordinates reach.
    #[error("{width}x{height} elements are too many; a surface has at most {MAX_SIDE}x{MAX_SIDE}")]
    TooLarge {
        /// Elements in a row.
        width: u64,
        /// Rows.
        height: u64,
    },
    /// No surface or picture has so many channels.
    #[error("{channels} channels of {values} fit no {target}")]
    Channels {
        /// Number of channels.
        channels: usize,
        /// NumPy's name of the type of the values.
        values: &'static str,
        /// What they should fit.
        target: &'static str,
    },
    /// The values are not dwords.
    #[error("values of type {found} are not supported: expected float32, int32 or uint32")]
    NotDwords {
        /// NumPy's name for the type.
        found: String,
    },
    /// The values stand column by column.
    #[error("the array is in Fortran order")]
    FortranOrder,
    /// The last dword is cut off.
    #[error("{length} bytes are not a whole number of dwords")]
    PartialDword {
        /// Bytes that there are.
        length: usize,
    },
    /// The values do not come in rows of the length that is asked for.
    #[error("{found}, but rows of {wanted} are asked for")]
    Rows {
        /// What there is.
        found: String,
        /// Length of a row.
        wanted: usize,
    },
    /// A file of vectors holds something else, or too many.
    #[error("up to {limit} rows of 4 float32 values are needed, but this is {found}")]
    Vectors {
        /// Most rows.
        limit: usize,
        /// What it is.
        found: String,
    },
}

impl ContentError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            ContentError::NotNpy | ContentError::NpyHeader { .. } => "write it anew with numpy.save(FILE, array)",
            ContentError::ElementType { .. } => "convert it: numpy.save(FILE, numpy.load(FILE).astype('float32'))",
            ContentError::Axes { .. } => {
                "reshape it: numpy.save(FILE, numpy.load(FILE).reshape(HEIGHT, WIDTH, CHANNELS))"
            }
            ContentError::NoShape => "append it to the name, like FILE.f32:640x480x4 (width, height, channels)",
            ContentError::TooLarge { .. } => "split the data over several surfaces",
            ContentError::Channels { values: "uint8", target: "surface", .. } => {
                "uint8 arrays have 1, 3 or 4 channels; others can be converted with astype('float32')"
            }
            ContentError::Channels { .. } => "arrays have 1 to 4 channels",
            ContentError::NotDwords { .. } => "convert it: numpy.save(FILE, numpy.load(FILE).astype('float32'))",
            ContentError::FortranOrder => "write it row by row: numpy.save(FILE, numpy.ascontiguousarray(array))",
            ContentError::Empty
            | ContentError::PartialDword { .. }
            | ContentError::Rows { .. }
            | ContentError::Length { .. }
            | ContentError::Huge { .. }
            | ContentError::OtherShape { .. }
            | ContentError::Png { .. }
            | ContentError::Vectors { .. } => return None,
        };
        Some(help.into())
    }
}
