//! NumPy's `.npy` files.

mod header;

use super::{Array, ContentError, Data, Shape, Words};

/// Reads the bytes of a `.npy` file: an array of height x width or height x width x channels, of float32, uint8 or
/// uint16 values of either byte order, in C or Fortran order.
pub fn read_npy(bytes: &[u8]) -> Result<Array, ContentError> {
    match read_slices(bytes)? {
        (array, None) => Ok(array),
        (Array { shape: Shape { width, height, channels }, .. }, Some(slices)) => Err(ContentError::Axes {
            found: [slices, height / slices, width, channels].map(|side| side as u64).to_vec(),
        }),
    }
}

/// As [`read_npy`], and also arrays of slices x height x width x channels in C order: the slices one above another, and how
/// many they are.
pub(super) fn read_slices(bytes: &[u8]) -> Result<(Array, Option<usize>), ContentError> {
    let (header, values) = header::read(bytes)?;
    let (slices, height, width, channels) = match *header.axes {
        [height, width] => (None, height, width, 1),
        [height, width, channels] => (None, height, width, channels),
        [slices, height, width, channels] => (Some(slices), slices.saturating_mul(height), width, channels),
        _ => return Err(ContentError::Axes { found: header.axes }),
    };
    if header.count == 0 {
        return Err(ContentError::Empty);
    }

    let element = header.element;
    let read: fn(&[u8], bool) -> Data = match (element.kind, element.size) {
        ('f', 4) => |bytes, big| Data::F32(numbers(bytes, if big { u32::from_be_bytes } else { u32::from_le_bytes })),
        ('u', 2) => |bytes, big| Data::U16(numbers(bytes, if big { u16::from_be_bytes } else { u16::from_le_bytes })),
        ('u', 1) => |bytes, _| Data::U8(bytes.to_vec()),
        _ => return Err(ContentError::ElementType { found: element.name() }),
    };
    let (expected, found) = (header.count.saturating_mul(element.size), values.len() as u64);
    if expected != found {
        return Err(ContentError::Length { expected, found });
    }
    // All values are there, so the sides fit what counts bytes in memory.
    let shape = Shape { width: width as usize, height: height as usize, channels: channels as usize };
    let data = read(values, element.big_endian);
    let array = match (header.fortran, slices) {
        (false, _) => Array { shape, data },
        (true, Some(_)) => return Err(ContentError::FortranOrder),
        (true, None) => {
            let data = match data {
                Data::U8(values) => Data::U8(rows_first(&values, shape)),
                Data::U16(values) => Data::U16(rows_first(&values, shape)),
                Data::F32(values) => Data::F32(rows_first(&values, shape)),
            };
            Array { shape, data }
        }
    };
    Ok((array, slices.map(|slices| slices as usize)))
}

/// Reads the bytes of a `.npy` file of any shape with values of 32 bits, in C order: its axes and the values, bit for bit.
pub(super) fn read_dwords(bytes: &[u8]) -> Result<(Vec<u64>, Vec<u32>), ContentError> {
    let (header, values) = header::read(bytes)?;
    let element = header.element;
    if !matches!(element.kind, 'f' | 'i' | 'u') || element.size != 4 {
        return Err(ContentError::NotDwords { found: element.name() });
    }
    if header.fortran && header.axes.len() > 1 {
        return Err(ContentError::FortranOrder);
    }
    let (expected, found) = (header.count.saturating_mul(4), values.len() as u64);
    if expected != found {
        return Err(ContentError::Length { expected, found });
    }
    let number = if element.big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
    Ok((header.axes, numbers(values, number)))
}

fn numbers<const N: usize, T>(bytes: &[u8], number: fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|bytes| number(*bytes)).collect()
}

/// Turns Fortran order, where the row number runs fastest, into C order.
fn rows_first<T: Copy>(values: &[T], Shape { width, height, channels }: Shape) -> Vec<T> {
    let place = |n: usize| n / (width * channels) + height * (n / channels % width + width * (n % channels));
    (0..values.len()).map(|n| values[place(n)]).collect()
}

/// The bytes of a `.npy` file: C order, little-endian, and no axis for channels if there is one only.
pub(super) fn encode(array: &Array, words: Words) -> Vec<u8> {
    let name = match words {
        Words::Float => "<f4",
        Words::Signed => "<i4",
        Words::Unsigned => "<u4",
    };
    let (descr, values): (&str, Vec<u8>) = match &array.data {
        Data::U8(values) => ("|u1", values.clone()),
        Data::U16(values) => ("<u2", values.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Data::F32(values) => (name, values.iter().flat_map(|value| value.to_le_bytes()).collect()),
    };
    let Shape { width, height, channels } = array.shape;
    let axes = [height, width, channels].map(|side| side as u64);
    let axes = if channels == 1 { &axes[..2] } else { &axes[..] };
    let mut bytes = header::write(descr, axes);
    bytes.extend(values);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as NumPy would write it.
    fn file(descr: &str, fortran: bool, axes: &str, values: &[u8]) -> Vec<u8> {
        let fortran = if fortran { "True" } else { "False" };
        with_header(&format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {axes}, }}\n"), values)
    }

    fn with_header(header: &str, values: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), values].concat()
    }

    fn shape(width: usize, height: usize, channels: usize) -> Shape {
        Shape { width, height, channels }
    }

    #[test]
    fn every_type_and_byte_order() {
        let floats = [1.0f32.to_bits(), 0x7F80_0001, 0x8000_0001, 0xFFC0_1234];
        let little: Vec<u8> = floats.iter().flat_map(|value| value.to_le_bytes()).collect();
        let big: Vec<u8> = floats.iter().flat_map(|value| value.to_be_bytes()).collect();
        let array = Array { shape: shape(2, 2, 1), data: Data::F32(floats.to_vec()) };
        assert_eq!(read_npy(&file("'<f4'", false, "(2, 2)", &little)), Ok(array.clone()));
        assert_eq!(read_npy(&file("'>f4'", false, "(2, 2)", &big)), Ok(array));
        let array = Array { shape: shape(1, 2, 1), data: Data::U16(vec![0x0102, 0xFFFE]) };
        assert_eq!(read_npy(&file("'<u2'", false, "(2, 1)", &[2, 1, 0xFE, 0xFF])), Ok(array.clone()));
        assert_eq!(read_npy(&file("'>u2'", false, "(2, 1)", &[1, 2, 0xFF, 0xFE])), Ok(array));
        let array = Array { shape: shape(1, 1, 3), data: Data::U8(vec![7, 8, 9]) };
        assert_eq!(read_npy(&file("'|u1'", false, "(1, 1, 3)", &[7, 8, 9])), Ok(array));
    }

    #[test]
    fn words_are_integers_where_they_are_meant_so() {
        let array = Array { shape: shape(2, 1, 1), data: Data::F32(vec![7, u32::MAX]) };
        for (words, name) in [(Words::Float, "<f4"), (Words::Signed, "<i4"), (Words::Unsigned, "<u4")] {
            let bytes = encode(&array, words);
            assert!(String::from_utf8_lossy(&bytes).contains(&format!("'descr': '{name}'")), "{name}");
            assert_eq!(read_dwords(&bytes), Ok((vec![1, 2], vec![7, u32::MAX])));
        }
    }

    #[test]
    fn fortran_order_becomes_c_order() {
        // The value of element (row, column, channel) is its three digits.
        let values: Vec<u8> = (0..24).map(|n| n % 2 * 100 + n / 2 % 3 * 10 + n / 6).collect();
        let expected: Vec<u8> = (0..24).map(|n| n / 12 * 100 + n / 4 % 3 * 10 + n % 4).collect();
        let array = read_npy(&file("'|u1'", true, "(2, 3, 4)", &values)).unwrap();
        assert_eq!(array, Array { shape: shape(3, 2, 4), data: Data::U8(expected) });
    }

    /// They lie one above another, and are named where an array without slices is wanted.
    #[test]
    fn slices_are_one_above_another() {
        let volume = |fortran| file("'|u1'", fortran, "(3, 2, 4, 1)", &(0..24).collect::<Vec<u8>>());
        let expected = Array { shape: shape(4, 6, 1), data: Data::U8((0..24).collect()) };
        assert_eq!(read_slices(&volume(false)), Ok((expected, Some(3))));
        assert_eq!(read_slices(&volume(true)), Err(ContentError::FortranOrder));
        assert_eq!(read_npy(&volume(false)), Err(ContentError::Axes { found: vec![3, 2, 4, 1] }));
        let flat = read_slices(&file("'|u1'", false, "(2, 3)", &[0; 6])).unwrap();
        assert_eq!((flat.0.shape, flat.1), (shape(3, 2, 1), None));
    }

    #[test]
    fn what_is_written_is_read() {
        let count = 3 * 2 * 4;
        for data in [
            Data::U8((0..count).collect()),
            Data::U16((0..count.into()).map(|n| n * 2000).collect()),
            Data::F32((0..count.into()).map(|n| n * 0x0765_4321).collect()),
        ] {
            for shape in [shape(3, 2, 4), shape(6, 4, 1)] {
                let array = Array { shape, data: data.clone() };
                let bytes = encode(&array, Words::Float);
                assert_eq!(read_npy(&bytes), Ok(array));
                let axes = if shape.channels == 1 { "(4, 6, )" } else { "(2, 3, 4, )" };
                let header = String::from_utf8_lossy(&bytes[10..128]);
                assert!(header.contains(axes) && header.contains("'fortran_order': False"), "{header}");
            }
        }
    }

    #[test]
    fn other_types_are_named() {
        for (descr, name) in [
            ("'<f8'", "float64"),
            ("'>f2'", "float16"),
            ("'<i4'", "int32"),
            ("'|i1'", "int8"),
            ("'<u4'", "uint32"),
            ("'<c8'", "complex64"),
            ("'|b1'", "bool"),
            ("'<U3'", "'U3'"),
            ("'|O'", "object"),
            ("'<M8[ns]'", "datetime64"),
            ("[('x', '<f4'), ('y', '<f4')]", "a structure"),
        ] {
            let error = read_npy(&file(descr, false, "(1, 1)", &[0; 64])).unwrap_err();
            assert_eq!(error, ContentError::ElementType { found: name.into() }, "{descr}");
            assert!(error.help().unwrap().contains("astype('float32')"));
        }
    }

    #[test]
    fn wrong_shapes_and_lengths() {
        let read = |axes, bytes: usize| read_npy(&file("'<f4'", false, axes, &vec![0; bytes])).unwrap_err();
        assert_eq!(read("()", 4), ContentError::Axes { found: vec![] });
        assert_eq!(read("(4,)", 16), ContentError::Axes { found: vec![4] });
        assert_eq!(read("(1, 1, 1, 1)", 4), ContentError::Axes { found: vec![1; 4] });
        assert_eq!(read("(0, 4)", 0), ContentError::Empty);
        assert_eq!(read("(2, 2)", 15), ContentError::Length { expected: 16, found: 15 });
        assert_eq!(read("(2, 2)", 17), ContentError::Length { expected: 16, found: 17 });
        // Nothing is allocated for what is only claimed.
        let claimed = ContentError::Length { expected: 4 * 999_999_999 * 999_999_999, found: 4 };
        assert_eq!(read("(999999999, 999999999)", 4), claimed);
    }

    #[test]
    fn hostile_files() {
        for bytes in [&b""[..], b"\x93NUMP", b"PK\x03\x04"] {
            assert_eq!(read_npy(bytes), Err(ContentError::NotNpy));
        }
        for bytes in [
            &b"\x93NUMPY"[..],
            b"\x93NUMPY\x01\x00\x10",
            b"\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{}",
            b"\x93NUMPY\x09\x00\x02\x00\x00\x00{}",
        ] {
            assert!(matches!(read_npy(bytes), Err(ContentError::NpyHeader { .. })), "{bytes:?}");
        }
        let long = with_header(&" ".repeat(10_001), &[0; 4]);
        assert_eq!(read_npy(&long), Err(ContentError::NpyHeader { cause: "it is too long".into() }));
        let good = file("'<f4'", false, "(1, 1)", &[0; 4]);
        for length in 0..good.len() {
            assert!(read_npy(&good[..length]).is_err(), "{length} bytes");
        }
    }
}
