//! Arrays: what files hold.

use super::Shape;
use ctm_num::convert::{unorm8_to_f32, unorm16_to_f32};
use std::borrow::Cow;

/// Values of a picture or a matrix: row by row, from left to right, the channels of an element together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Width, height and channels; none is 0, and their product is the number of values.
    pub shape: Shape,
    /// The values.
    pub data: Data,
}

/// The values of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// uint8.
    U8(Vec<u8>),
    /// uint16.
    U16(Vec<u16>),
    /// float32, as bit patterns.
    F32(Vec<u32>),
}

impl Data {
    /// NumPy's name of the type of the values.
    pub fn type_name(&self) -> &'static str {
        match self {
            Data::U8(_) => "uint8",
            Data::U16(_) => "uint16",
            Data::F32(_) => "float32",
        }
    }

    /// The values as float32; integers become fractions of their greatest value.
    pub fn to_f32(&self) -> Cow<'_, [u32]> {
        match self {
            Data::U8(values) => values.iter().map(|value| unorm8_to_f32(*value)).collect(),
            Data::U16(values) => values.iter().map(|value| unorm16_to_f32(*value)).collect(),
            Data::F32(values) => Cow::Borrowed(values),
        }
    }
}
