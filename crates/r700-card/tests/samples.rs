//! Draws of many pixels of several samples together, by any number of threads, against draws pixel by pixel, as they are where a pixel is watched.

use crate::common::*;
use ctm_card::{Card as _, Object, Submission};
use ctm_cases::{Result, Unstructured};
use ctm_memory::Arena;
use ctm_r700::text;
use ctm_r700_card::Card;
use std::sync::Arc;

/// Pixels in each direction.
const SIDE: u32 = 64;
/// Bytes of a target of eight samples of sixteen bytes; the depth buffer is of as many.
const BYTES: u32 = SIDE * SIDE * 8 * 16;
/// Both of them.
const BUFFERS: Object = Object { address: 0x1_0000, size: 2 * BYTES };
const MEMORY: u32 = 0x12_0000;
const PITCH_AND_SLICE: u32 = (SIDE * SIDE / 64 - 1) << 10 | (SIDE / 8 - 1);
/// Vertices of a draw, and where their positions and colours are.
const VERTICES: u32 = 30;
const PLACES: [u32; 2] = [0x900, 0xB00];

/// Pixel programs, with what registers say of them: they do nothing; kill pixels; export depths, stencil values and masks of samples; take the place and
/// the face of a pixel, the samples that are covered and their number.
const PROGRAMS: [(&str, &[(u32, u32)]); 5] = [
    ("EXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM", &[]),
    (
        "ALU:\n 0 x: KILLGT ____, R0.x, 0.5f\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
        &[(0x2_8850, 0x0020_0002), (0x2_880C, 1 << 6)],
    ),
    (
        "ALU:\n 0 x: MOV R1.x, R0.y\n   y: MOV R1.y, 0x5A\n   z: MOV R1.z, R0.z\nEXP: PIX61, R1.xyzw\nEXP_DONE: PIX0, R0.xyzw\n\
         END_OF_PROGRAM",
        &[(0x2_8850, 0x0020_0002), (0x2_880C, 3)],
    ),
    (
        "ALU:\n 0 x: MUL R0.x, R1.x, 0.03f\n   y: MUL R0.y, R1.z, R1.w\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
        &[(0x2_86CC, 0x1000_0501), (0x2_8850, 0x0020_0002)],
    ),
    (
        "ALU:\n 0 t: INT_TO_FLT R2.x, R1.z\n 1 t: INT_TO_FLT R2.y, R1.w\n 2 x: MUL R0.x, R2.x, 0.004f\n   y: MUL R0.y, R2.y, 0.1f\n   \
         z: MUL R0.z, R1.x, R0.z\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
        &[(0x2_86D0, 1 << 24 | 1 << 25 | 1 << 12 | 1 << 8), (0x2_8850, 0x0020_0003)],
    ),
];

/// A draw: its stream, and what is written to its data before.
struct Case {
    stream: Vec<u32>,
    data: Vec<(u32, Vec<u32>)>,
    size: u32,
}

fn case(u: &mut Unstructured) -> Result<Case> {
    let &(program, registers) = u.choose(&PROGRAMS)?;
    let program = text::parse(program).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    let (mut positions, mut colours) = (Vec::new(), Vec::new());
    let is_flat = u.arbitrary()?;
    let covers_all = u.ratio(1, 3)?;
    for n in 0..VERTICES {
        let mut place = || Ok(u.int_in_range(-96..=96)? as f32 / 64.0);
        let (mut x, mut y, z) = (place()?, place()?, place()?);
        if covers_all {
            let [across, down] = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]][n as usize % 3];
            (x, y) = (across * (0.7 + x.abs()), down * (0.7 + y.abs()));
        }
        let w = if is_flat { 1.0 } else { u.int_in_range(1..=8)? as f32 / 2.0 };
        positions.extend([x * w, y * w, z * w, w].map(f32::to_bits));
    }
    for _ in 0..4 * VERTICES {
        colours.push((u.int_in_range(-1..=9)? as f32 / 8.0).to_bits());
    }
    let samples: u32 = u.int_in_range(1..=3)?;
    // Bytes, sRGB, 16 and 32 bits of each component; of one sample now and then.
    let format = *u.choose(&[0x0910_0068, 0x0910_0068, 0x0910_6068, 0x0900_707C, 0x0900_708C])?;
    let tile_mode = if u.ratio(1, 8)? { 0 } else { 2 };
    let orders: [u32; 2] = [*u.choose(&[2, 4])?, *u.choose(&[2, 4])?];
    let places = [u.arbitrary::<u32>()?, u.arbitrary()?];
    let mask = if u.ratio(1, 3)? { u.arbitrary::<u8>()?.into() } else { 0xFF };
    // Samples are covered each for itself, or as the centre is; programs run for each.
    let mode = u32::from(!u.ratio(1, 6)?) | u32::from(u.ratio(1, 4)?) << 17;
    // At centres, or inside of primitives.
    let input = 10 | u.int_in_range(0..=1)? << 11;
    let centroid = u.int_in_range::<u32>(0..=1)? << 9;
    let mut all = vec![
        (0x2_80A0, format | orders[0] << 8 | tile_mode << 18),
        (0x2_8060, PITCH_AND_SLICE),
        (0x2_8000, PITCH_AND_SLICE),
        (0x2_8010, orders[1] << 15 | *u.choose(&[1, 2, 3, 6, 7])?),
        (0x2_82D0, 0.25f32.to_bits()),
        (0x2_82D4, 1.0f32.to_bits()),
        (0x2_8800, if u.arbitrary()? { u.arbitrary()? } else { 6 | u.int_in_range(0..=7)? << 4 }),
        (0x2_8430, u.arbitrary()?),
        (0x2_8434, u.arbitrary()?),
        // Alpha test, alpha to masks, blending, or copies.
        (0x2_8410, if u.ratio(1, 4)? { u.int_in_range(0..=15)? } else { 0 }),
        (0x2_8438, 0.5f32.to_bits()),
        (0x2_8D44, u32::from(u.ratio(1, 4)?)),
        (0x2_8808, if u.arbitrary()? { 0x00CC_0100 } else { 0x00CC_0000 }),
        (0x2_8804, u.int_in_range(0..=10)? | u.int_in_range(0..=10)? << 8),
        (0x2_8238, if u.arbitrary()? { 0xF } else { u.int_in_range(1..=15)? }),
        (0x8958, *u.choose(&[4, 5, 6])?),
        (0x2_8644, input),
        (0x2_8C04, samples),
        (0x2_8C1C, places[0]),
        (0x2_8C20, places[1]),
        (0x2_8C48, mask),
    ];
    all.extend(registers);
    for (address, value) in &mut all {
        match *address {
            // The program exports a mask as well.
            0x2_880C if *value == 3 => *value |= u32::from(u.arbitrary::<bool>()?) << 8,
            0x2_86CC => *value |= centroid,
            _ => {}
        }
    }
    all.push((0x2_8A4C, 0x0051_4000 | mode));
    let mut stream = state(&all);
    stream.extend([register(0x2_800C, BYTES >> 8), TO_TARGET.to_vec()].concat());
    for (slot, offset) in [(320, PLACES[0]), (321, PLACES[1])] {
        stream.extend(packet(0x6D, &[7 * slot, offset, 16 * VERTICES - 1, 0x1000, 0, 0, 0, 0xC000_0000]));
        stream.extend(TO_DATA);
    }
    stream.extend(draw(VERTICES, false));
    // What passed.
    stream.extend([packet(0x46, &[0x115, 0x800, 0]), TO_DATA.to_vec()].concat());
    let data = vec![(0x100, program.dwords().collect()), (PLACES[0], positions), (PLACES[1], colours)];
    // The object may end before the buffers.
    let size = if u.ratio(1, 6)? { 4 * u.int_in_range(1..=BUFFERS.size / 4)? } else { BUFFERS.size };
    Ok(Case { stream, data, size })
}

/// A draw that averages samples of the first buffer in the second one.
fn resolve(u: &mut Unstructured) -> Result<Case> {
    let [left, top] = [u.int_in_range(0..=24)?, u.int_in_range(0..=24)?];
    let [right, bottom] = [u.int_in_range(left..=64)?, u.int_in_range(top..=64)?];
    let place = |x: i32, y: i32| [x, y].map(|at| at as f32 / 32.0 - 1.0);
    // A rectangle of whole pixels, or a triangle.
    let corners = [place(left, top), place(left, bottom), place(right, top)];
    let positions = corners.iter().flat_map(|&[x, y]| [x, y, 0.0, 1.0].map(f32::to_bits)).collect();
    let formats = [0x0910_0068, 0x0910_6068, 0x0900_707C, 0x0900_708C, 0x0000_4068];
    let (from, to) = (*u.choose(&formats)?, *u.choose(&formats)?);
    let all = [
        (0x2_80A0, from | *u.choose(&[2, 4])? << 8 | 2 << 18),
        (0x2_80A4, to | *u.choose(&[1, 2, 4])? << 8),
        (0x2_8060, PITCH_AND_SLICE),
        (0x2_8064, PITCH_AND_SLICE),
        (0x2_8808, 0x00CC_00F0),
        (0x8958, *u.choose(&[17, 17, 4])?),
        (0x2_8C04, u.int_in_range(1..=3)?),
        (0x2_8C1C, u.arbitrary()?),
        (0x2_8C20, u.arbitrary()?),
        (0x2_8A4C, 0x0051_4001),
    ];
    // Now and then averages replace samples.
    let second = if u.ratio(1, 8)? { 0 } else { BYTES >> 8 };
    let mut stream = state(&all);
    stream.extend([register(0x2_8044, second), TO_TARGET.to_vec()].concat());
    stream.extend(packet(0x6D, &[7 * 320, PLACES[0], 47, 0x1000, 0, 0, 0, 0xC000_0000]));
    stream.extend(TO_DATA);
    stream.extend(draw(3, false));
    let size = if u.ratio(1, 6)? { 4 * u.int_in_range(1..=BUFFERS.size / 4)? } else { BUFFERS.size };
    Ok(Case { stream, data: vec![(PLACES[0], positions)], size })
}

/// All of memory after a draw.
fn drawn(card: &mut Card, case: &Case) -> Vec<u32> {
    let memory = Arc::new(Arena::new(FIRST, MEMORY).expect("memory"));
    prepare(&memory);
    let fill: Vec<u32> = (0..BUFFERS.size / 4).map(|n| n.wrapping_mul(0x0101_0307)).collect();
    assert!(memory.write_words(BUFFERS.address, &fill));
    for (place, words) in &case.data {
        assert!(memory.write_words(DATA.address + place, words));
    }
    let objects = [Object { size: case.size, ..BUFFERS }, DATA];
    card.submit(&memory, &Submission { words: &case.stream, objects: &objects, untouched: &[] }).expect("a stream");
    assert_eq!(card.take_warnings(), [""; 0]);
    let mut words = vec![0; MEMORY as usize / 4];
    assert!(memory.read_words(FIRST, &mut words));
    words
}

#[test]
fn samples_are_drawn_as_pixels_are() {
    compare_with_watched([1, 2, 3], case, drawn);
}

#[test]
fn samples_are_averaged_as_pixel_by_pixel() {
    compare_with_watched([1], resolve, drawn);
}
