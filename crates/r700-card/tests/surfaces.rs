//! Rectangles whose program works on surfaces of memory, as it does from some time on: textures that are vectors, and targets that it stores to itself, against
//! draws pixel by pixel, as they are where a pixel is watched.

use crate::common::*;
use ctm_card::{Card as _, Object, Submission};
use ctm_cases::{Result, Unstructured};
use ctm_memory::Arena;
use ctm_r700::text;
use ctm_r700_card::Card;
use std::sync::Arc;

/// Two targets of 128x128 pixels of 16 bytes, a texture, and another one, of which half belongs to no object.
const BUFFERS: Object = Object { address: 0x2_0000, size: 0xE_0000 };
const SECOND: u32 = 0x400;
const TEXTURE: u32 = 0x800;
const CUT: u32 = 0xC00;
const END: u32 = 0x12_0000;
const SIDE: u32 = 128;
/// Rectangles of a draw, and where their positions and colours are.
const RECTANGLES: u32 = 2;
const PLACES: [u32; 2] = [0x500, 0xA80];

/// Pixel programs that fetch nothing: R0 is a colour, R1 the pixel's place. Not all of them export all channels, or of all lanes.
const COLOURS: [&str; 4] = [
    "EXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
    "EXP: PIX1, R0.wzyx\nEXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM",
    "EXP_DONE: PIX0, R0.xy_w\nEND_OF_PROGRAM",
    "ALU_PUSH_BEFORE:\n 0 x: PRED_SETGT ____.x, R1.x, 40.0f UPDATE_EXEC_MASK UPDATE_PRED\nJUMP POP_CNT(1) ADDR(4)\n\
     EXP_DONE: PIX0, R0.xyzw\nPOP POP_CNT(1)\nNOP EOP",
];
/// Programs that fetch texels at the place, and beside it.
const TEXELS: [&str; 4] = [
    "TEX:\n 0 SAMPLE R2.xyzw, R1.xyzz, t0, s0 DENORM(XYZW)\nEXP_DONE: PIX0, R2.xyzw\nEND_OF_PROGRAM",
    "TEX:\n 0 SAMPLE R2.xyzw, R0.xyzz, t0, s0\n 1 SAMPLE R3.xyzw, R1.yxzz, t0, s0 DENORM(XYZW) XOFFSET(1.0)\n\
     ALU:\n 0 x: ADD R2.x, R2.x, R3.x\n   y: ADD R2.y, R2.y, R3.y\nEXP_DONE: PIX0, R2.xy_w\nEND_OF_PROGRAM",
    "ALU:\n 0 t: FLT_TO_INT R2.x, R1.x\n 1 t: FLT_TO_INT R2.y, R1.y\n\
     TEX:\n 0 LD R3.xyzw, R2.yxzz, t0, s0\nEXP: PIX1, R3.wxyz\nEXP_DONE: PIX0, R3.xyzw\nEND_OF_PROGRAM",
    "ALU_PUSH_BEFORE:\n 0 x: PRED_SETGT ____.x, R1.x, 40.0f UPDATE_EXEC_MASK UPDATE_PRED\nJUMP POP_CNT(1) ADDR(4)\n\
     TEX:\n 0 SAMPLE R0.xyzw, R1.xyzz, t0, s0 DENORM(XYZW)\nPOP POP_CNT(1)\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
];

/// Draws: a stream, and what is written to its data before.
struct Case {
    stream: Vec<u32>,
    data: Vec<(u32, Vec<u32>)>,
}

/// The words of a texture, in an order.
fn texture(u: &mut Unstructured) -> Result<[u32; 7]> {
    let order = *u.choose(&[1, 1, 1, 2, 4])?;
    // Vectors of floats or integers, one float, bytes.
    let (format, numbers) = *u.choose(&[(0x23, 0), (0x23, 0), (0x23, 0), (0x22, 1), (0x0E, 0), (0x1A, 0)])?;
    let [width, height] = *u.choose(&[[128, 128], [128, 128], [128, 128], [126, 40], [101, 33], [90, 1]])?;
    let dimension = if height == 1 { 0 } else { 1 };
    let selects = *u.choose(&[0x0688_0000, 0x0688_0000, 0x0029_0000])?;
    Ok([
        dimension | order << 3 | (SIDE / 8 - 1) << 8 | (width - 1) << 19,
        (height - 1) | format << 26,
        0,
        0,
        selects | numbers << 8,
        0,
        2 << 30,
    ])
}

fn case(u: &mut Unstructured, programs: &[&str]) -> Result<Case> {
    let program = text::parse(u.choose(programs)?).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    let size = 255 << 10 | 15;
    let mut format = || Ok(*u.choose(&[0x0900_718C, 0x0900_718C, 0x0900_718C, 0x0900_748C, 0x0910_0168])?);
    let formats: [u32; 2] = [format()?, format()?];
    let all = [
        (0x2_8060, size),
        (0x2_8064, size),
        (0x2_80A0, formats[0]),
        (0x2_80A4, formats[1]),
        (0x2_8208, SIDE << 16 | SIDE),
        (0x2_8254, SIDE << 16 | SIDE),
        (0x2_843C, 64f32.to_bits()),
        (0x2_8440, 64f32.to_bits()),
        (0x2_8444, 64f32.to_bits()),
        (0x2_8448, 64f32.to_bits()),
        (0x2_8238, *u.choose(&[0x0F, 0x0F, 0x0F, 0xFF])?),
        (0x2_823C, 0xFF),
        (0x2_8808, if u.ratio(1, 8)? { 0x00CC_0100 } else { 0x00CC_0000 }),
        (0x2_8804, 4 | 5 << 8),
        (0x2_86CC, 0x1000_0501),
        (0x2_8850, 0x0020_0204),
    ];
    let mut stream = state(&all);
    stream.extend([register(0x2_8044, SECOND), TO_TARGET.to_vec()].concat());
    let mut words = texture(u)?;
    // In some, it is a target's memory.
    words[2] = *u.choose(&[TEXTURE, TEXTURE, CUT, 0, 0x40])?;
    stream.extend(packet(0x6D, &[&[0], &words[..]].concat()));
    stream.extend([TO_TARGET, TO_TARGET].concat());
    // Wraps, and filters.
    let filter = if u.ratio(1, 4)? { 1 << 9 | 1 << 12 } else { 0 };
    stream.extend(packet(0x6E, &[0, *u.choose(&[0o222, 0o000, 0o111, 0o666])? | filter, 0x000F_FC00, 0]));
    let [mut positions, mut colours] = [Vec::new(), Vec::new()];
    for _ in 0..RECTANGLES {
        // All of the target, or whole or half quads of it.
        let is_all = u.arbitrary()?;
        let mut place = |least: u32, most: u32| Ok(u.int_in_range(least..=most)? as f32);
        let sides = [place(0, 9)?, place(90, SIDE)?, place(0, 9)?, place(90, SIDE)?];
        let [left, right, top, bottom] = if is_all { [0.0, 128.0, 0.0, 128.0] } else { sides };
        let mut slope = || Ok(*u.choose(&[0.0f32, 1.0 / 128.0, 1.0, 3.0 / 1024.0])?);
        let mut planes = [[0.25, slope()?, slope()?], [0.25, slope()?, slope()?], [0.25, 1.0, 0.0], [0.25, 0.0, 1.0]];
        if u.arbitrary()? {
            // The place of the pixel, and another number beside it or none.
            let last = *u.choose(&[0.0, 0.0, 1.0])?;
            planes = [[-0.5, 1.0, 0.0], [-0.5, 0.0, 1.0], [0.0; 3], [last, 0.0, 0.0]];
        }
        for [x, y] in [[left, top], [right, top], [right, bottom], [left, top], [right, bottom], [left, bottom]] {
            positions.extend([x / 64.0 - 1.0, y / 64.0 - 1.0, 0.5, 1.0].map(f32::to_bits));
            colours.extend(planes.map(|[first, across, down]| (first + across * x + down * y).to_bits()));
        }
    }
    let count = 6 * RECTANGLES;
    for (slot, offset) in [(320, PLACES[0]), (321, PLACES[1])] {
        stream.extend(packet(0x6D, &[7 * slot, offset, 16 * count - 1, 0x1000, 0, 0, 0, 0xC000_0000]));
        stream.extend(TO_DATA);
    }
    // Twice: what the first one draws may be what the second one fetches.
    stream.extend([draw(count, false), draw(count, false)].concat());
    let data = vec![(0x100, program.dwords().collect()), (PLACES[0], positions), (PLACES[1], colours)];
    Ok(Case { stream, data })
}

/// All of memory after a draw.
fn drawn(card: &mut Card, case: &Case) -> Vec<u32> {
    let memory = Arc::new(Arena::new(FIRST, END - FIRST).expect("memory"));
    prepare(&memory);
    let fill: Vec<u32> = (0..BUFFERS.size / 4 + 0x1000).map(|n| (n % 1009) as f32 * 0.125).map(f32::to_bits).collect();
    assert!(memory.write_words(BUFFERS.address, &fill));
    for (place, words) in &case.data {
        assert!(memory.write_words(DATA.address + place, words));
    }
    card.submit(&memory, &Submission { words: &case.stream, objects: &[BUFFERS, DATA], untouched: &[] })
        .expect("a stream");
    assert_eq!(card.take_warnings(), [""; 0]);
    let mut words = vec![0; (END - FIRST) as usize / 4];
    assert!(memory.read_words(FIRST, &mut words));
    words
}

#[test]
fn colours_that_programs_store_are_those_of_pixels() {
    compare_with_watched([1, 3], |u| case(u, &COLOURS), drawn);
}

#[test]
fn texels_of_surfaces_are_those_of_pixels() {
    compare_with_watched([1, 3], |u| case(u, &TEXELS), drawn);
}
