//! `.f32` files: float32 values, little-endian, and nothing else.

use super::{Array, ContentError, Data, Shape};

/// Reads the bytes of a `.f32` file of this shape.
pub fn read_raw(bytes: &[u8], shape: Shape) -> Result<Array, ContentError> {
    let expected = shape.values().and_then(|values| values.checked_mul(4)).ok_or(ContentError::Huge { shape })?;
    if expected == 0 {
        return Err(ContentError::Empty);
    }
    if expected != bytes.len() {
        return Err(ContentError::Length { expected: expected as u64, found: bytes.len() as u64 });
    }
    Ok(Array { shape, data: Data::F32(words(bytes)) })
}

/// The whole little-endian words in `bytes`.
pub(super) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The bytes of a `.f32` file.
pub(super) fn encode(array: &Array) -> Vec<u8> {
    array.data.to_f32().iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { width: 3, height: 2, channels: 1 };

    #[test]
    fn bytes_come_back() {
        let bytes: Vec<u8> = (0..24).map(|n| n * 10 + 1).collect();
        let array = read_raw(&bytes, SHAPE).unwrap();
        assert_eq!(
            array.data,
            Data::F32(vec![0x1F15_0B01, 0x473D_3329, 0x6F65_5B51, 0x978D_8379, 0xBFB5_ABA1, 0xE7DD_D3C9])
        );
        assert_eq!(encode(&array), bytes);
    }

    #[test]
    fn integers_become_fractions() {
        let array = |data| Array { shape: Shape { width: 2, height: 1, channels: 1 }, data };
        let expected: Vec<u8> = [0.2f32, 1.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(encode(&array(Data::U8(vec![51, 255]))), expected);
        assert_eq!(encode(&array(Data::U16(vec![13107, 65535]))), expected);
    }

    #[test]
    fn the_length_must_match() {
        for found in [0, 23, 25, 28] {
            let error = read_raw(&vec![0; found], SHAPE).unwrap_err();
            assert_eq!(error, ContentError::Length { expected: 24, found: found as u64 });
        }
        let shape = Shape { width: usize::MAX, ..SHAPE };
        assert_eq!(read_raw(&[], shape), Err(ContentError::Huge { shape }));
        assert_eq!(read_raw(&[], Shape { width: 0, ..SHAPE }), Err(ContentError::Empty));
    }
}
