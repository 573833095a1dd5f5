//! Rectangles of many pixels, over which programs run at once, against draws pixel by pixel, as they are where a pixel is watched.

use crate::common::*;
use ctm_card::{Card as _, Object, Submission};
use ctm_cases::{Result, Unstructured};
use ctm_memory::Arena;
use ctm_r700::text;
use ctm_r700_card::Card;
use std::sync::Arc;

/// Two targets of 128x128 pixels of at most 16 bytes.
const COLOURS: Object = Object { address: 0x2_0000, size: 0x8_0000 };
const SECOND: u32 = 0x400;
/// Where the depth buffer of some draws is.
const DEPTH: u32 = 0x200;
const SIDE: u32 = 128;
/// Where positions and colours of vertices are.
const PLACES: [u32; 2] = [0x600, 0xA00];

/// Pixel programs, with what registers say of them.
const PROGRAMS: [(&str, &[(u32, u32)]); 5] = [
    ("EXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM", &[]),
    // Nothing is exported to some channels, and to the second target.
    ("EXP_DONE: PIX0, R0.xw__\nEND_OF_PROGRAM", &[]),
    ("EXP: PIX1, R0.wzyx\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM", &[]),
    // The pixel's place.
    (
        "ALU:\n 0 x: MUL R0.x, R1.x, 0.01f\n   y: MUL R0.y, R1.y, R1.w\n   z: ADD R0.z, R1.z, R0.z\n\
         EXP: PIX1, R1.xyzw\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
        &[(0x2_86CC, 0x1000_0501), (0x2_8850, 0x0020_0002)],
    ),
    // It kills some.
    (
        "ALU:\n 0 x: KILLGT ____, R0.x, 0.5f\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM",
        &[(0x2_8850, 0x0020_0002), (0x2_880C, 1 << 6)],
    ),
];

/// Draws: a stream, and what is written to its data before.
struct Case {
    stream: Vec<u32>,
    data: Vec<(u32, Vec<u32>)>,
}

/// Vertices of two triangles that are a rectangle, or of one that is cut in two, whose colours are linear in their places.
fn vertices(u: &mut Unstructured) -> Result<[Vec<[f32; 4]>; 2]> {
    let mut quarter = |least: u32, most: u32| Ok(u.int_in_range(4 * least..=4 * most)? as f32 / 4.0);
    let (mut left, mut right) = (quarter(0, 40)?, quarter(90, SIDE)?);
    let (mut top, mut bottom) = (quarter(0, 40)?, quarter(90, SIDE)?);
    if u.arbitrary()? {
        (left, right, top, bottom) = (left.round(), right.round(), top.round(), bottom.round());
    }
    let corners = match u.int_in_range(0..=4)? {
        0 => vec![[0.0, 0.0], [256.0, 0.0], [0.0, 256.0]],
        1 => vec![[left, top], [right, top], [right, bottom], [left, top], [right, bottom], [left, bottom]],
        2 => vec![[left, top], [right, top], [left, bottom], [right, top], [right, bottom], [left, bottom]],
        // It is not a rectangle, or a half is missing.
        3 => vec![[left, top], [right, top], [right, bottom], [left, top], [right, bottom], [left, bottom - 8.0]],
        _ => vec![[left, top], [right, top], [right, bottom]],
    };
    // Some have one colour everywhere.
    let is_flat = u.ratio(1, 3)?;
    let mut slope = || Ok(*u.choose(&[0.0f32, 0.0, 1.0 / 128.0, -1.0 / 256.0, 1.0, 3.0 / 1024.0])?);
    let mut planes: Vec<[f32; 3]> = (0..4).map(|_| Ok([slope()?, slope()?, slope()?])).collect::<Result<_>>()?;
    if is_flat {
        planes = planes.into_iter().map(|[value, right, _]| [value + 100.0 * right, 0.0, 0.0]).collect();
    }
    let has_perspective = u.ratio(1, 5)?;
    let depth_slope = if u.ratio(1, 5)? { 1.0 / 512.0 } else { 0.0 };
    let mut positions = Vec::new();
    let mut colours = Vec::new();
    for [x, y] in corners {
        let w = if has_perspective { 1.0 + x / 64.0 } else { 1.0 };
        positions.push([(x / 64.0 - 1.0) * w, (y / 64.0 - 1.0) * w, (0.25 + x * depth_slope) * w, w]);
        let colour = |n: usize| planes[n][0] + planes[n][1] * x + planes[n][2] * y;
        colours.push([colour(0), colour(1), colour(2), colour(3)]);
    }
    Ok([positions, colours])
}

fn case(u: &mut Unstructured) -> Result<Case> {
    let &(program, registers) = u.choose(&PROGRAMS)?;
    let program = text::parse(program).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    let size = 255 << 10 | 15;
    let order = *u.choose(&[1, 2, 4])? << 8;
    let format = *u.choose(&[0x0910_0068, 0x0900_708C, 0x0900_708C])? | order;
    let (left, top) = (u.int_in_range(0..=20)?, u.int_in_range(0..=20)?);
    let (right, bottom) = (u.int_in_range(100..=SIDE)?, u.int_in_range(100..=SIDE)?);
    let scissor = u.arbitrary()?;
    let mut all = vec![
        (0x2_8060, size),
        (0x2_8064, size),
        (0x2_80A0, format),
        (0x2_80A4, format),
        (0x2_8204, if scissor { top << 16 | left | 1 << 31 } else { 1 << 31 }),
        (0x2_8208, if scissor { bottom << 16 | right } else { SIDE << 16 | SIDE }),
        (0x2_8254, SIDE << 16 | SIDE),
        (0x2_843C, 64f32.to_bits()),
        (0x2_8440, 64f32.to_bits()),
        (0x2_8444, 64f32.to_bits()),
        (0x2_8448, 64f32.to_bits()),
        (0x2_8238, *u.choose(&[0xFF, 0xFF, 0x0F, 0x7F])?),
        (0x2_823C, 0xFF),
        (0x2_8808, if u.ratio(1, 4)? { 0x00CC_0100 } else { 0x00CC_0000 }),
        (0x2_8804, 4 | 5 << 8),
    ];
    all.extend(registers);
    // Two samples, of the first target or of both, which are covered each for itself or as the centre is.
    if format & 0xFF == 0x68 && order != 1 << 8 && u.ratio(1, 2)? {
        all.extend([
            (0x2_80A0, format | 2 << 18),
            (0x2_80A4, format | u.int_in_range(0..=1)? << 19),
            (0x2_8C04, 1),
            (0x2_8C1C, u.arbitrary()?),
            (0x2_8A4C, 0x0051_4000 | u.int_in_range(0..=1)?),
            (0x2_8C48, if u.ratio(1, 4)? { u.int_in_range(0..=3)? } else { 3 }),
        ]);
    }
    // Depths that pass all, and are written or not: of 24 bits or floats, in the middle of the first target's half.
    let has_depth = u.ratio(1, 3)?;
    if has_depth {
        let write = u.int_in_range(0..=1)? << 2;
        let function = if u.ratio(1, 5)? { u.int_in_range(0..=7)? } else { 7 };
        // Stencil tests that pass all, as a rule, and store something: of both sides.
        let mut stencil =
            || Ok(if u.ratio(1, 8)? { u.arbitrary::<u32>()? & 0xFFF } else { 7 | u.int_in_range(0..=7)? << 6 });
        let (front, back) = (stencil()?, stencil()?);
        let stencils =
            if u.arbitrary()? { 1 | front << 8 | u32::from(u.arbitrary::<bool>()?) << 7 | back << 20 } else { 0 };
        all.extend([(0x2_8800, 1 << 1 | write | function << 4 | stencils), (0x2_8000, size)]);
        all.extend([(0x2_8430, u.arbitrary()?), (0x2_8434, u.arbitrary()?)]);
        all.push((0x2_8010, *u.choose(&[2, 4])? << 15 | *u.choose(&[2, 3, 6])?));
        // Copies of depths.
        if format & 0xFF == 0x68 && u.ratio(1, 4)? {
            all.push((0x2_8D0C, 0x8C));
        }
    }
    let mut stream = state(&all);
    if has_depth {
        stream.extend([register(0x2_800C, DEPTH), TO_TARGET.to_vec()].concat());
    }
    stream.extend([register(0x2_8044, SECOND), TO_TARGET.to_vec()].concat());
    let [mut positions, mut colours] = [Vec::new(), Vec::new()];
    for _ in 0..u.int_in_range(1..=3)? {
        let [more_positions, more_colours] = vertices(u)?;
        positions.extend(more_positions);
        colours.extend(more_colours);
    }
    for (slot, offset) in [(320, PLACES[0]), (321, PLACES[1])] {
        stream.extend(packet(0x6D, &[7 * slot, offset, 16 * positions.len() as u32 - 1, 0x1000, 0, 0, 0, 0xC000_0000]));
        stream.extend(TO_DATA);
    }
    stream.extend(draw(positions.len() as u32, false));
    // What passed.
    stream.extend([packet(0x46, &[0x115, 0x800, 0]), TO_DATA.to_vec()].concat());
    let bits = |vectors: &[[f32; 4]]| vectors.as_flattened().iter().map(|number| number.to_bits()).collect();
    let data = vec![(0x100, program.dwords().collect()), (PLACES[0], bits(&positions)), (PLACES[1], bits(&colours))];
    Ok(Case { stream, data })
}

/// All of memory after a draw.
fn drawn(card: &mut Card, case: &Case) -> Vec<u32> {
    let memory = Arc::new(Arena::new(FIRST, 0xA_0000).expect("memory"));
    prepare(&memory);
    let fill: Vec<u32> = (0..COLOURS.size / 4).map(|n| n.wrapping_mul(0x0101_0307)).collect();
    assert!(memory.write_words(COLOURS.address, &fill));
    for (place, words) in &case.data {
        assert!(memory.write_words(DATA.address + place, words));
    }
    card.submit(&memory, &Submission { words: &case.stream, objects: &[COLOURS, DATA], untouched: &[] })
        .expect("a stream");
    assert_eq!(card.take_warnings(), [""; 0]);
    let mut words = vec![0; 0xA_0000 / 4];
    assert!(memory.read_words(FIRST, &mut words));
    words
}

#[test]
fn rectangles_are_drawn_as_pixels_are() {
    compare_with_watched([1, 3], case, drawn);
}
