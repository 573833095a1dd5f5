//! Arrays: what files hold.

use super::{ContentError, Shape};
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

impl Array {
    /// An array of float32 values.
    ///
    /// # Errors
    /// There are more or fewer values than the shape asks for, or none.
    pub fn from_floats(shape: Shape, values: &[f32]) -> Result<Self, ContentError> {
        let Shape { width, height, channels } = shape;
        let expected = width.checked_mul(height).and_then(|elements| elements.checked_mul(channels));
        match expected.ok_or(ContentError::Huge { shape })? {
            0 => Err(ContentError::Empty),
            expected if expected != values.len() => {
                let bytes = |values: usize| 4 * values as u64;
                Err(ContentError::Length { expected: bytes(expected), found: bytes(values.len()) })
            }
            _ => Ok(Array { shape, data: Data::F32(values.iter().map(|value| value.to_bits()).collect()) }),
        }
    }

    /// Turns it upside down: the last row becomes the first.
    pub fn flip_rows(&mut self) {
        fn flip<T>(values: &mut [T], row: usize) {
            let mut rows = values.chunks_mut(row.max(1));
            while let (Some(first), Some(last)) = (rows.next(), rows.next_back()) {
                first.swap_with_slice(last);
            }
        }
        let row = self.shape.width * self.shape.channels;
        match &mut self.data {
            Data::U8(values) => flip(values, row),
            Data::U16(values) => flip(values, row),
            Data::F32(values) => flip(values, row),
        }
    }

    /// The values as float32; integers become fractions of their greatest value.
    pub fn to_floats(&self) -> Vec<f32> {
        self.data.to_f32().iter().copied().map(f32::from_bits).collect()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_flipped() {
        let flipped = |height: usize, values: &[u8]| {
            let shape = Shape { width: 1, height, channels: 2 };
            let mut array = Array { shape, data: Data::U8(values.to_vec()) };
            array.flip_rows();
            array.data
        };
        assert_eq!(flipped(3, &[1, 2, 3, 4, 5, 6]), Data::U8(vec![5, 6, 3, 4, 1, 2]));
        assert_eq!(flipped(2, &[1, 2, 3, 4]), Data::U8(vec![3, 4, 1, 2]));
        assert_eq!(flipped(1, &[1, 2]), Data::U8(vec![1, 2]));
    }

    #[test]
    fn floats() {
        let shape = |width, height, channels| Shape { width, height, channels };
        let array = Array::from_floats(shape(2, 1, 2), &[1.0, -0.0, 2.0, f32::INFINITY]).unwrap();
        assert_eq!(array.data, Data::F32(vec![0x3F80_0000, 0x8000_0000, 0x4000_0000, 0x7F80_0000]));
        assert_eq!(array.to_floats(), [1.0, -0.0, 2.0, f32::INFINITY]);
        assert_eq!(Array { shape: shape(2, 1, 1), data: Data::U8(vec![0, 255]) }.to_floats(), [0.0, 1.0]);
        assert_eq!(
            Array::from_floats(shape(2, 1, 2), &[0.0; 3]),
            Err(ContentError::Length { expected: 16, found: 12 })
        );
        assert_eq!(Array::from_floats(shape(0, 1, 2), &[]), Err(ContentError::Empty));
        let huge = shape(usize::MAX, 2, 1);
        assert_eq!(Array::from_floats(huge, &[]), Err(ContentError::Huge { shape: huge }));
    }
}
