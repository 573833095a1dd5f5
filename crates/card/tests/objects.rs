//! Bytes of buffer objects, and nothing beyond them.

use ctm_card::{Object, ObjectBytes};
use ctm_memory::{Arena, Space};
use std::sync::Arc;

const OBJECT: Object = Object { address: 0x1_0100, size: 40 };

#[test]
fn elements_of_every_size() {
    let memory = Arena::new(0x1_0000, 0x1000).unwrap();
    (0..40u32).for_each(|at| assert!(memory.write_u8(OBJECT.address + at, at as u8 + 1)));
    let bytes = ObjectBytes::new(&memory, OBJECT, 8);
    assert_eq!(bytes.size(), 32);
    let words = [0x0C0B_0A09, 0x100F_0E0D, 0x1413_1211, 0x1817_1615];
    assert_eq!([1, 2, 4].map(|size| bytes.read_word(0, size)), [0x09, 0x0A09, 0x0C0B_0A09]);
    for (size, expected) in [
        (1, [0x09, 0, 0, 0]),
        (2, [0x0A09, 0, 0, 0]),
        (4, [words[0], 0, 0, 0]),
        (8, [words[0], words[1], 0, 0]),
        (16, words),
    ] {
        assert_eq!(bytes.read(0, size), expected, "{size}");
        // As many bytes are written as an element has.
        bytes.write(16, size, [!0; 4]);
        let ones = (16..32).take_while(|&at| bytes.read_word(at, 1) == 0xFF).count();
        assert_eq!(ones as u32, size);
        assert!(bytes.write_bytes(16, &[0; 16]));
    }
}

#[test]
fn addresses_are_those_of_bytes_that_are_there() {
    let memory = Arena::new(0x1_0000, 0x1000).unwrap();
    let bytes = ObjectBytes::new(&memory, OBJECT, 8);
    assert_eq!(bytes.address(0, 32), Some(0x1_0108));
    assert_eq!(bytes.address(28, 4), Some(0x1_0124));
    assert_eq!(bytes.address(32, 0), Some(0x1_0128));
    assert_eq!([bytes.address(29, 4), bytes.address(0, 33), bytes.address(u64::MAX, 1)], [None; 3]);
    let end = ObjectBytes::new(&memory, OBJECT, 40);
    assert_eq!((end.size(), end.address(0, 1)), (0, None));
    assert_eq!(ObjectBytes::new(&memory, OBJECT, 41).size(), 0);
    // What lies beyond 32 bits has no address.
    let high = ObjectBytes::new(&memory, Object { address: u32::MAX - 3, size: 4 }, 0);
    assert_eq!((high.address(3, 1), high.address(4, 0)), (Some(u32::MAX), None));
}

#[test]
fn objects_overlap_where_they_share_a_byte() {
    let memory = Arena::new(0x1_0000, 0x1000).unwrap();
    let bytes = |address, size| ObjectBytes::new(&memory, Object { address, size }, 0);
    let middle = bytes(0x1_0100, 0x20);
    for (address, size, expected) in [
        (0x1_0100, 0x20, true),
        (0x1_0110, 1, true),
        (0x1_00FF, 1, false),
        (0x1_00FF, 2, true),
        (0x1_0120, 1, false),
        (0x1_011F, 1, true),
        (0x1_0000, 0x1000, true),
    ] {
        let other = bytes(address, size);
        assert_eq!((middle.overlaps(&other), other.overlaps(&middle)), (expected, expected), "{address:#x}");
    }
}

#[test]
fn words_are_filled_in_their_bits() {
    let memory = Arena::new(0x1_0000, 0x1000).unwrap();
    let bytes = ObjectBytes::new(&memory, OBJECT, 8);
    assert!(bytes.write_bytes(0, &[0x11; 32]));
    assert!(bytes.fill_words(24, 2, 0xABCD_EF01, 0xFFFF_0000));
    assert_eq!([20, 24, 28].map(|at| bytes.read_word(at, 4)), [0x1111_1111, 0xABCD_1111, 0xABCD_1111]);
    assert!(!bytes.fill_words(24, 3, 0, !0), "it has no third one");
    assert_eq!(bytes.read_word(24, 4), 0xABCD_1111, "and nothing was written");
    assert!(!ObjectBytes::new(&memory, OBJECT, 41).fill_words(0, 1, 0, !0));
}

#[test]
fn whole_objects_as_words_and_buffers() {
    let memory = Arc::new(Arena::new(0x1_0000, 0x1000).unwrap());
    let bytes = ObjectBytes::new(&memory, Object { address: 0x1_0100, size: 42 }, 8);
    bytes.write(4, 4, [7; 4]);
    let words = bytes.words().expect("words");
    assert_eq!([1, 7, 8].map(|number| words.word(number)), [Some(7), Some(0), None], "whole words");
    assert!(ObjectBytes::new(&memory, OBJECT, 6).words().is_none(), "it begins in the middle of a word");
    let mut space = Space::default();
    space.map(memory.clone()).expect("nothing else is there");
    let buffer = bytes.buffer(&space).expect("a buffer");
    assert_eq!((buffer.base(), buffer.length()), (0x1_0108, 34));
}
