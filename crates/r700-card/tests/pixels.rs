//! What becomes of pixels: samples, exports of programs, blending, copies. Values are worked out by hand.

use crate::common::*;
use ctm_memory::Arena;
use ctm_r700::text;
use ctm_r700_card::{Card, Model};
use std::sync::Arc;

/// A target of 32x32 pixels with four samples, whose corners are covered by nobody.
const SAMPLES: [(u32, u32); 6] = [
    (0x2_80A0, 0x0918_0468),
    (0x2_8060, 15 << 10 | 3),
    (0x2_8C04, 2),
    (0x2_8A4C, 0x0051_4001),
    // (-2, -6), (6, -2), (-6, 2), (2, 6).
    (0x2_8C1C, 0x622A_E6AE),
    (0x2_8208, 0x0020_0020),
];
const PIXELS: usize = 32 * 32;

/// Draws with these registers, after these programs and numbers were put to places among the data.
fn drawn(others: &[&[(u32, u32)]], data: &[(u32, &[u32])]) -> (Arc<Arena>, Card) {
    let (memory, mut card) = (memory(), Card::new(Model::Rv770));
    prepare(&memory);
    for (place, words) in data {
        assert!(memory.write_words(DATA.address + place, words));
    }
    draw_with(&memory, &mut card, others);
    (memory, card)
}

fn draw_with(memory: &Arc<Arena>, card: &mut Card, others: &[&[(u32, u32)]]) {
    let count = [packet(0x46, &[0x115, 0x800, 0]), TO_DATA.to_vec()].concat();
    let stream = [state(&others.concat()), draw(3, false), count].concat();
    assert_eq!(execute(card, memory, &stream), [""; 0], "{others:x?}");
}

/// The words of a pixel program.
fn program(source: &str) -> Vec<u32> {
    let program = text::parse(source).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    program.dwords().collect()
}

/// Positions in the window: a rectangle from (0, 0) on.
fn rectangle(right: f32, bottom: f32) -> Vec<u32> {
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, bottom, 0.0, 1.0, right, 0.0, 0.0, 1.0];
    corners.map(f32::to_bits).to_vec()
}

const RECTANGLES: [(u32, u32); 2] = [(0x8958, 17), (0x2_8818, 0x300)];

#[test]
fn samples_are_drawn_one_by_one() {
    let (memory, _) = drawn(&[&SAMPLES], &[]);
    assert_eq!((pixels(&memory, COLOUR), stored(&memory, 0x800)), (4 * PIXELS, (1 << 63) | (4 * PIXELS as u64)));
    let (memory, _) = drawn(&[&SAMPLES, &[(0x2_8C48, 0x5)]], &[]);
    assert_eq!((pixels(&memory, COLOUR), stored(&memory, 0x800)), (2 * PIXELS, (1 << 63) | (2 * PIXELS as u64)));
    // Half of column 10: samples 0 and 2.
    let corners = rectangle(10.5, 8.0);
    let (memory, _) = drawn(&[&SAMPLES, &RECTANGLES], &[(0x300, &corners)]);
    assert_eq!(pixels(&memory, COLOUR), 8 * (10 * 4 + 2));
    // As its centre is.
    let (memory, _) = drawn(&[&SAMPLES, &RECTANGLES, &[(0x2_8A4C, 0x0051_4000)]], &[(0x300, &corners)]);
    assert_eq!(pixels(&memory, COLOUR), 8 * 10 * 4);
}

#[test]
fn resolves_give_averages() {
    let low: [(u32, u32); 2] = [(0x2_8060, 3 << 10 | 3), (0x2_8208, 0x0008_0020)];
    let (memory, mut card) = drawn(&[&SAMPLES, &low, &[(0x2_8C48, 0x5)]], &[]);
    // To rows in memory, after the samples.
    let mut stream = state(&[&SAMPLES[..], &low].concat());
    stream.extend([register(0x2_8044, 0x10), TO_TARGET.to_vec()].concat());
    for (address, value) in [(0x2_80A4, 0x0910_0168), (0x2_8064, 3 << 10 | 3), (0x2_8808, 0x00CC_00F0)] {
        stream.extend(register(address, value));
    }
    assert_eq!(execute(&mut card, &memory, &[stream, draw(3, false)].concat()), [""; 0]);
    // Half of (0, 0x80, 0xFF, 0xFF).
    assert_eq!(pixels(&memory, 0x8080_4000), 32 * 8);
}

#[test]
fn alpha_chooses_samples() {
    let colours = [0.0f32, 0.5, 1.0, 0.5].repeat(3).into_iter().map(f32::to_bits).collect::<Vec<_>>();
    let (memory, _) = drawn(&[&SAMPLES, &[(0x2_8D44, 1)]], &[(0x330, &colours)]);
    assert_eq!((pixels(&memory, 0x80FF_8000), pixels(&memory, 0)), (2 * PIXELS, 2 * PIXELS));
}

#[test]
fn programs_get_numbers_and_masks_of_samples() {
    let export = program("EXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM");
    // Integers of 32 bits: the fourth component, then the third one.
    let (w, z) = ((0x2_80A0, 0x000B_4434), (0x2_80A0, 0x000A_4434));
    let number = [(0x2_86D0, 1 << 24 | 1 << 25), (0x2_8850, 0x0020_0002)];
    let (memory, _) = drawn(&[&SAMPLES, &number, &[w, (0x2_8A4C, 0x0053_4001)]], &[(0x100, &export)]);
    assert_eq!([0, 1, 2, 3].map(|sample| pixels(&memory, sample)), [PIXELS; 4]);
    let face = [(0x2_86D0, 1 << 8 | 1 << 12), (0x2_8850, 0x0020_0002)];
    let all = rectangle(32.0, 32.0);
    let (memory, _) = drawn(&[&SAMPLES, &face, &RECTANGLES, &[z]], &[(0x100, &export), (0x300, &all)]);
    assert_eq!(pixels(&memory, 15), 4 * PIXELS);
    let corners = rectangle(10.5, 8.0);
    let (memory, _) = drawn(&[&SAMPLES, &face, &RECTANGLES, &[z]], &[(0x100, &export), (0x300, &corners)]);
    assert_eq!((pixels(&memory, 15), pixels(&memory, 5)), (8 * 10 * 4, 8 * 2));
}

#[test]
fn programs_kill_pixels() {
    let kills = program("ALU:\n 0 x: KILLGT ____, R1.x, 10.0f\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM");
    let position = [(0x2_86CC, 0x1000_0501), (0x2_8850, 0x0020_0002), (0x2_880C, 1 << 6)];
    let (memory, _) = drawn(&[&position], &[(0x100, &kills)]);
    assert_eq!((pixels(&memory, COLOUR), stored(&memory, 0x800)), (64 * 10, (1 << 63) | (64 * 10)));
}

/// A depth buffer of 24 bits with stencil values, in the second half of the target's object.
fn with_depth(registers: &[(u32, u32)]) -> Vec<u32> {
    let mut stream = state(&[&[(0x2_8060, 15 << 10 | 3), (0x2_8208, 0x0020_0020)], registers].concat());
    stream.extend([register(0x2_800C, 0x20), TO_TARGET.to_vec()].concat());
    for (address, value) in [(0x2_8000, 15 << 10 | 3), (0x2_8010, 0x0002_0003), (0x2_82D4, 1.0f32.to_bits())] {
        stream.extend(register(address, value));
    }
    stream
}

#[test]
fn programs_export_depth_and_stencil_values() {
    let exports = program(
        "ALU:\n 0 x: MOV R1.x, 0.5f\n   y: MOV R1.y, 0x5A\nEXP: PIX61, R1.xyzw\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
    );
    let tests = (0x2_8800, 7 | 7 << 4 | 7 << 8 | 2 << 14);
    let masks = (0x2_8430, 0x00FF_FF11);
    for (control, expected) in [(3, 0x5A80_0000), (1, 0x1180_0000), (0, 0x1180_0000)] {
        let (memory, mut card) = (memory(), Card::new(Model::Rv770));
        prepare(&memory);
        assert!(memory.write_words(DATA.address + 0x100, &exports));
        let registers = [(0x2_8850, 0x0020_0002), (0x2_880C, control), tests, masks];
        assert_eq!(execute(&mut card, &memory, &[with_depth(&registers), draw(3, false)].concat()), [""; 0]);
        // Without exports, depth is that of the plane: 0.5 too.
        assert_eq!((pixels(&memory, expected), pixels(&memory, COLOUR)), (PIXELS, PIXELS), "{control}");
    }
}

#[test]
fn depth_is_copied_bit_for_bit() {
    let (memory, mut card) = (memory(), Card::new(Model::Rv770));
    prepare(&memory);
    for n in 0..PIXELS as u32 {
        assert!(memory.write_u32(TARGET.address + 0x2000 + 4 * n, 0x1234_0000 + n));
    }
    // COPY_SAMPLE is not looked at.
    let stream = with_depth(&[(0x2_8D0C, 0x38C), (0x2_8C48, 1), (0x2_80A0, 0x0910_0444)]);
    assert_eq!(execute(&mut card, &memory, &[stream, draw(3, false)].concat()), [""; 0]);
    let word = |n: u32| memory.read_u32(TARGET.address + 4 * n).unwrap();
    assert!((0..PIXELS as u32).all(|n| word(n) == 0x1234_0000 + n));
}

/// Nothing but the depth buffer's samples says that the target has any.
#[test]
fn samples_of_depth_are_copied_each_to_itself() {
    const WORDS: u32 = 32 * 8 * 4;
    let low = [(0x2_80A0, 0x0910_0444), (0x2_8060, 3 << 10 | 3), (0x2_8208, 0x0008_0020)];
    for (mask, copied) in [(0xF, WORDS), (0x5, WORDS / 2), (0x8, WORDS / 4)] {
        let (memory, mut card) = (memory(), Card::new(Model::Rv770));
        prepare(&memory);
        for n in 0..WORDS {
            assert!(memory.write_u32(TARGET.address + 0x2000 + 4 * n, 0x1234_0000 + n));
        }
        let mut stream = with_depth(&[&SAMPLES[..], &low, &[(0x2_8D0C, 0x8C), (0x2_8C48, mask)]].concat());
        stream.extend([register(0x2_8000, 3 << 10 | 3), draw(3, false)].concat());
        assert_eq!(execute(&mut card, &memory, &stream), [""; 0]);
        let word = |n: u32| memory.read_u32(TARGET.address + 4 * n).unwrap();
        let (same, other): (Vec<u32>, Vec<u32>) = (0..WORDS).partition(|&n| word(n) == 0x1234_0000 + n);
        assert_eq!((same.len(), other.iter().all(|&n| word(n) == 0)), (copied as usize, true), "{mask:#x}");
    }
}

#[test]
fn colours_take_a_second_one() {
    let exports = program("EXP: PIX0, R0.xyzw\nEXP_DONE: PIX1, R1.xyzw\nEND_OF_PROGRAM");
    // An input that no vertex has: ones.
    let inputs = [(0x2_86CC, 0x1000_0002), (0x2_8648, 3 << 8), (0x2_8850, 0x0020_0002), (0x2_8808, 0x00CC_0180)];
    for (factor, expected) in [(15, COLOUR), (16, 0), (17, COLOUR), (18, 0)] {
        let (memory, _) = drawn(&[&inputs, &[(0x2_8780, factor)]], &[(0x100, &exports)]);
        assert_eq!(pixels(&memory, expected), 64 * 64, "{factor}");
    }
}

#[test]
fn targets_have_many_formats() {
    for (info, expected) in [
        // sRGB, whose 0.5 is 188.
        (0x0910_6468, 0xFFFF_BC00),
        // Other orders of components.
        (0x0911_0468, 0xFF00_80FF),
        (0x0912_0468, 0x0080_FFFF),
        // 10 bits of each, 2 of alpha; small floats.
        (0x0910_0464, 3 << 30 | 1023 << 20 | 512 << 10),
        (0x0910_7458, 15 << 27 | 14 << 17),
        // Integers: the bits of 0.5 are more than 255.
        (0x0000_4468, 0xFFFF_FF00),
    ] {
        let (memory, _) = drawn(&[&[(0x2_80A0, info)]], &[]);
        assert_eq!(pixels(&memory, expected), 64 * 64, "{info:#x}");
    }
}
