//! Draws over several tiles, which threads share, against draws pixel by pixel, as they are where a pixel is watched.

use crate::common::*;
use ctm_card::{Card as _, Object, Submission};
use ctm_cases::{Result, Unstructured};
use ctm_memory::Arena;
use ctm_r700_card::Card;
use std::sync::Arc;

/// Columns and rows that are drawn to: six tiles, the last ones of which are cut off.
const SIZE: [u32; 2] = [600, 300];
/// A target of 640x304 pixels, and after it a depth buffer.
const BUFFERS: Object = Object { address: 0x1_0000, size: DEPTH << 9 };
const PITCH_AND_SLICE: u32 = (640 * 304 / 64 - 1) << 10 | (640 / 8 - 1);
/// In units of 256 bytes.
const DEPTH: u32 = 0xC00;
const MEMORY: u32 = 0x19_0000;
/// Vertices of a draw, and where their positions and colours are.
const VERTICES: u32 = 30;
const PLACES: [u32; 2] = [0x900, 0xB00];

/// A draw: its stream, and its positions and colours.
struct Case {
    stream: Vec<u32>,
    data: [Vec<u32>; 2],
}

fn case(u: &mut Unstructured) -> Result<Case> {
    let [mut positions, mut colours] = [Vec::new(), Vec::new()];
    for _ in 0..VERTICES {
        let mut number = || Ok(u.int_in_range(-40..=40)? as f32 / 32.0);
        positions.extend([number()?, number()?, number()?, 1.0].map(f32::to_bits));
        colours.extend([number()?, number()?, number()?, number()?].map(|number: f32| number.abs().to_bits()));
    }
    let order = *u.choose(&[1, 4])?;
    let [x, y] = SIZE.map(|side| (side as f32 / 2.0).to_bits());
    let corner = SIZE[1] << 16 | SIZE[0];
    let all = [
        (0x2_80A0, 0x0910_0068 | order << 8),
        (0x2_8060, PITCH_AND_SLICE),
        (0x2_8000, PITCH_AND_SLICE),
        (0x2_8010, order << 15 | 3),
        (0x2_8208, corner),
        (0x2_8254, corner),
        (0x2_843C, x),
        (0x2_8440, x),
        (0x2_8444, y),
        (0x2_8448, y),
        (0x2_82D4, 1.0f32.to_bits()),
        // A depth test that writes, and blending, or copies.
        (0x2_8800, 6 | u.int_in_range(0..=7)? << 4),
        (0x2_8808, if u.arbitrary()? { 0x00CC_0100 } else { 0x00CC_0000 }),
        (0x2_8804, 4 | 5 << 8),
    ];
    let mut stream = state(&all);
    stream.extend([register(0x2_800C, DEPTH), TO_TARGET.to_vec()].concat());
    for (slot, offset) in [(320, PLACES[0]), (321, PLACES[1])] {
        stream.extend(packet(0x6D, &[7 * slot, offset, 16 * VERTICES - 1, 0x1000, 0, 0, 0, 0xC000_0000]));
        stream.extend(TO_DATA);
    }
    stream.extend(draw(VERTICES, false));
    // What passed.
    stream.extend([packet(0x46, &[0x115, 0x800, 0]), TO_DATA.to_vec()].concat());
    Ok(Case { stream, data: [positions, colours] })
}

/// All of memory after a draw.
fn drawn(card: &mut Card, case: &Case) -> Vec<u32> {
    let memory = Arc::new(Arena::new(FIRST, MEMORY).expect("memory"));
    prepare(&memory);
    let fill: Vec<u32> = (0..BUFFERS.size / 4).map(|n| n.wrapping_mul(0x0101_0307)).collect();
    assert!(memory.write_words(BUFFERS.address, &fill));
    for (place, words) in PLACES.iter().zip(&case.data) {
        assert!(memory.write_words(DATA.address + place, words));
    }
    card.submit(&memory, &Submission { words: &case.stream, objects: &[BUFFERS, DATA], untouched: &[] })
        .expect("a stream");
    assert_eq!(card.take_warnings(), [""; 0]);
    let mut words = vec![0; MEMORY as usize / 4];
    assert!(memory.read_words(FIRST, &mut words));
    words
}

#[test]
fn tiles_are_drawn_as_pixels_are() {
    compare_with_watched([1, 2, 3], case, drawn);
}
