//! Files by their names: what kind and shape they are of, what comes of their bytes, and what to do about mistakes.

use ctm_array::{
    Array, ContentError, Data, FileKind, FileSpec, MAX_BYTES, Shape, SpecError, WriteOptions, decode, decode_buffer,
    decode_dwords, decode_slices, encode, read_npy,
};
use std::path::Path;

fn array(width: usize, height: usize, channels: usize, data: Data) -> Array {
    Array { shape: Shape { width, height, channels }, data }
}

fn spec(text: &str) -> FileSpec {
    FileSpec::parse(text).expect(text)
}

fn file(kind: FileKind, array: &Array) -> Vec<u8> {
    encode(kind, array, &WriteOptions::default()).expect("a file")
}

#[test]
fn every_kind_of_file_comes_back() {
    let bytes = array(2, 3, 4, Data::U8((10..34).collect()));
    let floats = array(3, 2, 1, Data::F32(vec![1, 2, 3, 4, 5, 0x7FC0_0000]));
    for (name, kind, array) in [
        ("a.npy", FileKind::Npy, &bytes),
        ("a.png", FileKind::Png, &bytes),
        ("a.apng", FileKind::Apng, &bytes),
        ("a.npy", FileKind::Npy, &floats),
        ("a.f32:3x2x1", FileKind::Raw, &floats),
        ("a.npy:3x2x1", FileKind::Npy, &floats),
    ] {
        assert_eq!(decode(&spec(name), &file(kind, array)).as_ref(), Ok(array), "{name}");
        assert_eq!(decode_slices(&spec(name), &file(kind, array)), Ok((array.clone(), None)), "{name}");
    }
    let raw = file(FileKind::Raw, &floats);
    assert_eq!(decode(&spec("a.f32"), &raw), Err(ContentError::NoShape));
    let given = Shape { width: 2, height: 3, channels: 1 };
    let other = Err(ContentError::OtherShape { given, found: floats.shape });
    assert_eq!(decode(&spec("a.npy:2x3x1"), &file(FileKind::Npy, &floats)), other);
}

#[test]
fn sizes_and_names() {
    assert_eq!(MAX_BYTES, 4096 * 4096 * 4 * 4 + 65536);
    let shape = Shape { width: 3, height: 5, channels: 2 };
    assert_eq!((shape.values(), shape.to_string()), (Some(30), "3x5x2".into()));
    assert_eq!(Shape { height: usize::MAX, ..shape }.values(), None);
    assert_eq!(Shape { channels: usize::MAX, ..shape }.values(), None);
    assert_eq!(("3x5x2".parse(), "3x5".parse::<Shape>().is_err()), (Ok::<_, SpecError>(shape), true));
    let names = [Data::U8(vec![]), Data::U16(vec![]), Data::F32(vec![])].map(|data| data.type_name());
    assert_eq!(names, ["uint8", "uint16", "float32"]);
    assert_eq!("a.npy:tiled".parse::<FileSpec>(), Ok(spec("a.npy:tiled")));
}

/// The bytes of buffers: those of the values of an array, or of the file itself.
#[test]
fn buffers_are_bytes() {
    let rows =
        |name: &str, array: &Array| decode_buffer(Path::new(name), file(FileKind::Npy, array)).expect("a buffer");
    let bytes = array(3, 2, 1, Data::U8(vec![1, 2, 3, 4, 5, 6]));
    assert_eq!(rows("a.npy", &bytes), (vec![1, 2, 3, 4, 5, 6], Some(3)));
    let halves = array(1, 2, 2, Data::U16(vec![0x102, 0x304, 0x506, 0x708]));
    assert_eq!(rows("a.NPY", &halves), (vec![2, 1, 4, 3, 6, 5, 8, 7], Some(4)));
    let words = array(1, 2, 1, Data::F32(vec![0x0403_0201, 0x0807_0605]));
    assert_eq!(rows("a.npy", &words), (vec![1, 2, 3, 4, 5, 6, 7, 8], Some(4)));
    assert_eq!(decode_buffer(Path::new("a.bin"), vec![9, 8]), Ok((vec![9, 8], None)));
    assert_eq!(decode_buffer(Path::new("a.npy"), vec![9, 8]), Err(ContentError::NotNpy));
}

#[test]
fn rows_of_dwords_are_those_of_the_array() {
    let words = array(3, 2, 1, Data::F32((1..=6).collect()));
    let words = file(FileKind::Npy, &words);
    let read = |row| decode_dwords(Path::new("a.npy"), &words, row);
    assert_eq!([read(None), read(Some(3))], [Ok(vec![1, 2, 3, 4, 5, 6]), Ok(vec![1, 2, 3, 4, 5, 6])]);
    let wrong = "the array has rows of 3 values, but rows of 2 are asked for";
    assert_eq!(read(Some(2)).unwrap_err().to_string(), wrong);
    let raw: Vec<u8> = vec![0; 20];
    let error = decode_dwords(Path::new("a.u32"), &raw, Some(2)).unwrap_err();
    assert_eq!(error.to_string(), "there are 5 dwords, but rows of 2 are asked for");
}

/// Where there is one axis, both orders are the same.
#[test]
fn dwords_are_in_the_order_of_c() {
    let of_type = |descr: &str, fortran: &str, axes: &str| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {axes}}}\n");
        let values: Vec<u8> = (1u32..=6).flat_map(u32::to_le_bytes).collect();
        let bytes =
            [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), &values].concat();
        decode_dwords(Path::new("a.npy"), &bytes, None)
    };
    let read = |fortran: &str, axes: &str| of_type("<u4", fortran, axes);
    for (descr, name) in [("<c4", "complex32"), ("<u8", "uint64"), ("|b1", "bool")] {
        assert_eq!(of_type(descr, "False", "(6,)"), Err(ContentError::NotDwords { found: name.into() }));
    }
    let values = Ok(vec![1, 2, 3, 4, 5, 6]);
    assert_eq!(
        [read("False", "(6,)"), read("False", "(2, 3)"), read("True", "(6,)")],
        [values.clone(), values.clone(), values]
    );
    assert_eq!(read("True", "(2, 3)"), Err(ContentError::FortranOrder));
}

#[test]
fn pictures_have_sides_at_most() {
    let widest = array(4096, 1, 1, Data::U8(vec![7; 4096]));
    assert_eq!(decode(&spec("a.png"), &file(FileKind::Png, &widest)), Ok(widest));
    let wider = array(4097, 1, 1, Data::U8(vec![7; 4097]));
    let error = decode(&spec("a.png"), &file(FileKind::Png, &wider));
    assert_eq!(error, Err(ContentError::TooLarge { width: 4097, height: 1 }));
}

/// Every mistake that one can do something about says what.
#[test]
fn mistakes_have_help() {
    let channels = |values, target| ContentError::Channels { channels: 7, values, target };
    let damaged = ContentError::NpyHeader { cause: "it ends".into() };
    for (error, help) in [
        (ContentError::NotNpy, Some("numpy.save(FILE, array)")),
        (damaged, Some("numpy.save(FILE, array)")),
        (ContentError::ElementType { found: "<f8".into() }, Some("astype('float32')")),
        (ContentError::NotDwords { found: "<f8".into() }, Some("astype('float32')")),
        (ContentError::Axes { found: vec![1] }, Some("reshape")),
        (ContentError::NoShape, Some("FILE.f32:640x480x4")),
        (ContentError::TooLarge { width: 5000, height: 1 }, Some("several surfaces")),
        (channels("uint8", "surface"), Some("1, 3 or 4 channels")),
        (channels("uint16", "surface"), Some("1 to 4 channels")),
        (channels("uint8", "picture"), Some("1 to 4 channels")),
        (ContentError::FortranOrder, Some("ascontiguousarray")),
        (ContentError::Empty, None),
        (ContentError::PartialDword { length: 3 }, None),
        (ContentError::Length { expected: 4, found: 3 }, None),
    ] {
        match (error.help(), help) {
            (Some(found), Some(help)) => assert!(found.contains(help), "{error}: {found}"),
            (found, help) => assert_eq!(found.as_deref(), help, "{error}"),
        }
    }
    assert_eq!(read_npy(b"no such file"), Err(ContentError::NotNpy));
}
