//! Draws of many quads together, by any number of threads, against draws pixel by pixel, as they are where a pixel is watched.

use crate::common::*;
use ctm_cases::{Result, Unstructured};
use ctm_memory::Arena;
use ctm_r700::text;
use ctm_r700_card::Card;
use std::sync::Arc;

/// Vertices of a draw, and where their positions and colours are.
const VERTICES: u32 = 30;
const PLACES: [u32; 2] = [0x900, 0xB00];
/// The depth buffer is in the second half of the target's object.
const DEPTH: u32 = 0x20;

/// Pixel programs, with what registers say of them: they do nothing, kill pixels, export depth and stencil values, or take the pixel's place or its face.
const PROGRAMS: [(&str, &[(u32, u32)]); 5] = [
    ("EXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM", &[]),
    (
        "ALU:\n 0 x: KILLGT ____, R0.x, 0.5f\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
        &[(0x2_8850, 0x0020_0002), (0x2_880C, 1 << 6)],
    ),
    (
        "ALU:\n 0 x: MOV R1.x, R0.y\n   y: MOV R1.y, 0x5A\nEXP: PIX61, R1.xyzw\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
        &[(0x2_8850, 0x0020_0002), (0x2_880C, 3)],
    ),
    (
        "ALU:\n 0 x: MUL R0.x, R1.x, 0.03f\n   y: MUL R0.y, R1.z, R1.w\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
        &[(0x2_86CC, 0x1000_0501), (0x2_8850, 0x0020_0002)],
    ),
    (
        "ALU:\n 0 x: MUL R0.x, R1.y, R0.z\n   y: ADD R0.y, R1.z, R1.w\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
        &[(0x2_86D0, 1 << 12 | 1 << 9 | 1 << 8), (0x2_8850, 0x0020_0002)],
    ),
];

/// A draw: its stream, and what is written to its data before.
struct Case {
    stream: Vec<u32>,
    data: Vec<(u32, Vec<u32>)>,
}

fn case(u: &mut Unstructured) -> Result<Case> {
    let &(program, registers) = u.choose(&PROGRAMS)?;
    let program = text::parse(program).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    let mut positions = Vec::new();
    let is_flat = u.arbitrary()?;
    // Ten triangles over all of the 256 quads are so many that tables say where these lie, and that programs are looked up once for all runs.
    let covers_all = u.ratio(1, 4)?;
    for n in 0..VERTICES {
        let mut place = || Ok(u.int_in_range(-48..=48)? as f32 / 32.0);
        let (mut x, mut y, z) = (place()?, place()?, place()?);
        if covers_all {
            let [across, down] = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]][n as usize % 3];
            (x, y) = (across * (1.0 + x.abs()), down * (1.0 + y.abs()));
        }
        let w = if is_flat { 1.0 } else { u.int_in_range(1..=8)? as f32 / 2.0 };
        positions.extend([x * w, y * w, z * w, w].map(f32::to_bits));
    }
    let mut colours = Vec::new();
    for _ in 0..4 * VERTICES {
        colours.push((u.int_in_range(-1..=9)? as f32 / 8.0).to_bits());
    }
    let mut all = vec![
        (0x2_8060, 15 << 10 | 3),
        (0x2_8208, 0x0020_0020),
        (0x2_8000, 15 << 10 | 3),
        // Tiles over banks, and what is stored.
        (0x2_8010, 4 << 15 | *u.choose(&[1, 2, 3, 6])?),
        (0x2_82D0, 0.25f32.to_bits()),
        (0x2_82D4, 1.0f32.to_bits()),
        (0x2_8800, u.arbitrary()?),
        (0x2_8430, u.arbitrary()?),
        (0x2_8434, u.arbitrary()?),
        // Alpha test, blending, or copies.
        (0x2_8410, if u.ratio(1, 4)? { u.int_in_range(0..=15)? } else { 0 }),
        (0x2_8438, 0.5f32.to_bits()),
        (0x2_8808, if u.arbitrary()? { 0x00CC_0100 } else { 0x00CC_0000 }),
        (0x2_8804, u.int_in_range(0..=10)? | u.int_in_range(0..=10)? << 8),
        (0x2_8238, u.int_in_range(1..=15)?),
        (0x8958, *u.choose(&[4, 5, 6])?),
    ];
    all.extend(registers);
    if u.ratio(1, 3)? {
        // Four floats for each pixel, of half as many rows, which are the first half of the object.
        all.extend([(0x2_80A0, 0x0900_748C), (0x2_8060, 7 << 10 | 3)]);
    }
    let mut stream = state(&all);
    // In a few, it is the target's memory as well.
    let depth = if u.ratio(1, 10)? { *u.choose(&[0, DEPTH / 2])? } else { DEPTH };
    stream.extend([register(0x2_800C, depth), TO_TARGET.to_vec()].concat());
    for (slot, offset) in [(320, PLACES[0]), (321, PLACES[1])] {
        stream.extend(packet(0x6D, &[7 * slot, offset, 16 * VERTICES - 1, 0x1000, 0, 0, 0, 0xC000_0000]));
        stream.extend(TO_DATA);
    }
    stream.extend(draw(VERTICES, false));
    // What passed.
    stream.extend([packet(0x46, &[0x115, 0x800, 0]), TO_DATA.to_vec()].concat());
    let data = vec![(0x100, program.dwords().collect()), (PLACES[0], positions), (PLACES[1], colours)];
    Ok(Case { stream, data })
}

/// All of memory after a draw.
fn drawn(card: &mut Card, case: &Case) -> Vec<u32> {
    let memory: Arc<Arena> = memory();
    prepare(&memory);
    let fill: Vec<u32> = (0..TARGET.size / 4).map(|n| n.wrapping_mul(0x0101_0307)).collect();
    assert!(memory.write_words(TARGET.address, &fill));
    for (place, words) in &case.data {
        assert!(memory.write_words(DATA.address + place, words));
    }
    assert_eq!(execute(card, &memory, &case.stream), [""; 0]);
    let mut words = vec![0; 0x1_0000 / 4];
    assert!(memory.read_words(FIRST, &mut words));
    words
}

#[test]
fn quads_are_drawn_as_pixels_are() {
    compare_with_watched([1, 2, 3], case, drawn);
}
