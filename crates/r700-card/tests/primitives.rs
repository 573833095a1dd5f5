//! Geometry programs, streamout and outlines, by streams that are written by hand.

use crate::common::*;
use ctm_memory::Arena;
use ctm_r700_card::{Card, Model};

/// Where programs lie, and what they leave.
const EXPORT: u32 = 0x400;
const GEOMETRY: u32 = 0x500;
const COPY: u32 = 0x600;
const STREAM: u32 = 0x700;
const RESULTS: u32 = 0x900;

/// An export program that leaves the position, a geometry program that hands on what it gets (it reads R0.x, R0.y, R0.w), and a copy program that
/// exports it, also as a parameter and to a stream.
fn prepare_geometry(memory: &Arena) {
    prepare(memory);
    let export = [0, 0x8980_0000, 0xC000_8000, 0x9300_FFFF, 0, 0x8020_0000];
    let geometry = [
        0x0000_0008u32,
        0x8100_0800,
        0xC001_8000,
        0x9300_FFFF,
        0,
        0x8A80_0000,
        0xC001_0004,
        0x9300_FFFF,
        0,
        0x8A80_0000,
        0xC000_8008,
        0x9300_FFFF,
        0,
        0x8A80_0000,
        0,
        0x8020_0000,
        0x4000_1140,
        0x08CD_1003,
        0x0008_0000,
        0,
        0x4100_1140,
        0x08CD_1002,
        0x0008_0000,
        0,
        0x4300_1140,
        0x08CD_1001,
        0x0008_0000,
        0,
    ];
    let copy = [
        0x0000_0004u32,
        0x8100_0000,
        0xC000_A03C,
        0x9400_0688,
        // MEM_STREAM0 of x, z and w, from dword 1 on.
        0xC000_8001,
        0x9000_DFFF,
        0xC000_C000,
        0x9420_0688,
        0x4000_1140,
        0x08CD_1001,
        0x0008_0000,
        0,
    ];
    for (place, words) in [(EXPORT, &export[..]), (GEOMETRY, &geometry), (COPY, &copy)] {
        assert!(memory.write_words(DATA.address + place, words));
    }
}

/// The state for these programs.
fn geometry_state(others: &[(u32, u32)]) -> Vec<u32> {
    let mut stream = state(&[]);
    for (address, place) in [(0x2_8880, EXPORT), (0x2_886C, GEOMETRY), (0x2_8858, COPY)] {
        stream.extend([register(address, place >> 8), TO_DATA.to_vec()].concat());
    }
    let registers = [
        // Items of the rings, vertices, their greatest number.
        (0x2_88A8, 4),
        (0x2_88AC, 12),
        (0x2_88C8, 4),
        (0x2_8B38, 3),
        // Scenario G, triangle strips.
        (0x2_8A40, 3),
        (0x2_8A6C, 2),
        (0x2_887C, 0x0020_0104),
        (0x2_8890, 0x0020_0102),
    ];
    for (address, value) in registers.into_iter().chain(others.iter().copied()) {
        stream.extend(register(address, value));
    }
    stream
}

/// An event that stores counters.
fn sample(event: u32, offset: u32) -> Vec<u32> {
    [packet(0x46, &[event, offset, 0]), TO_DATA.to_vec()].concat()
}

/// Pixels of the target that something was drawn to.
fn drawn(memory: &Arena) -> usize {
    (0..TARGET.size / 4).filter(|n| memory.read_u32(TARGET.address + 4 * n) != Some(0)).count()
}

#[test]
fn geometry_programs_make_primitives() {
    for (others, expected, primitives) in [
        (&[][..], 64 * 64, 1),
        // Two vertices are not a triangle.
        (&[(0x2_8B38, 2)], 0, 0),
        // Points of 8 pixels: one at the lower left corner, of which a quarter is drawn, and two outside.
        (&[(0x2_8A6C, 0), (0x2_8A00, 0x0040_0040), (0x2_8A04, 0xFFFF_0000)], 16, 3),
        // Neighbours are read as the corners that they are beside, in other primitives not at all.
        (&[(0x8958, 12)], 0, 0),
        // Front faces are dropped.
        (&[(0x2_8814, 0x0008_0246)], 64 * 64, 1),
        (&[(0x2_8814, 0x0008_0245)], 0, 1),
    ] {
        let (memory, mut card) = (memory(), Card::new(Model::Rv770));
        prepare_geometry(&memory);
        let stream = [geometry_state(others), draw(3, false), sample(0x31E, RESULTS)].concat();
        assert_eq!(execute(&mut card, &memory, &stream), [""; 0], "{others:x?}");
        assert_eq!(drawn(&memory), expected, "{others:x?}");
        assert_eq!(stored(&memory, RESULTS + 40), primitives, "{others:x?}");
    }
}

#[test]
fn statistics_count_programs_and_primitives() {
    let (memory, mut card) = (memory(), Card::new(Model::Rv770));
    prepare_geometry(&memory);
    let halted = [packet(0x46, &[0x1A]), draw(3, false), packet(0x46, &[0x19])].concat();
    let stream = [geometry_state(&[]), halted, packet(0x2F, &[2]), draw(3, false), sample(0x31E, RESULTS)].concat();
    assert_eq!(execute(&mut card, &memory, &stream), [""; 0]);
    let counted = [0, 8, 16, 24, 32, 40, 48, 56].map(|offset| stored(&memory, RESULTS + offset));
    // The triangle is cut into two; each instance is drawn.
    assert_eq!(counted, [2 * 4096, 4, 2, 6, 2, 2, 2, 6]);
}

#[test]
fn copy_programs_write_streams() {
    let (memory, mut card) = (memory(), Card::new(Model::Rv770));
    prepare_geometry(&memory);
    let buffer = [register(0x2_8AD8, STREAM >> 8), TO_DATA.to_vec()].concat();
    let streams = [(0x2_8AB0, 1), (0x2_8B20, 1), (0x2_8AD0, 0x1C0 + 48), (0x2_8AD4, 6)];
    let update = packet(0x34, &[0, 0, 0, 2, 0]);
    let before = [geometry_state(&streams), buffer, update].concat();
    (0..0x40).for_each(|dword| assert!(memory.write_u32(DATA.address + STREAM + 4 * dword, 7)));
    let stream = [before, draw(3, false), draw(3, false), draw(3, false), sample(0x320, RESULTS)].concat();
    assert_eq!(execute(&mut card, &memory, &stream), [""; 0]);
    let number = f32::to_bits;
    let word = |dword: u32| memory.read_u32(DATA.address + STREAM + 4 * dword).expect("it is there");
    let record = |first: u32| std::array::from_fn(|n| word(first + n as u32));
    let [left, right, one] = [-1.0, 3.0, 1.0].map(number);
    assert_eq!([2, 8, 14].map(record), [[7, left, 7, 0, one, 7], [7, right, 7, 0, one, 7], [7, left, 7, 0, one, 7]]);
    assert_eq!(record(20), [7, left, 7, 0, one, 7], "the second draw goes on");
    assert_eq!([stored(&memory, RESULTS), stored(&memory, RESULTS + 8)], [1 << 63 | 3; 2]);
}

/// Outlines, stipple, layers and viewports of a triangle whose left and lower edges are in column and row 0, and end at 32.
#[test]
fn outlines_are_lines_along_edges() {
    let number = f32::to_bits;
    let window = [(0x2_843C, 16.0), (0x2_8440, 16.5), (0x2_8444, 16.0), (0x2_8448, 16.5)].map(|(a, v)| (a, number(v)));
    for (others, expected) in [
        // Lines a pixel wide.
        (&[(0x2_8814, 0x0008_012C), (0x2_8A08, 8)][..], 63),
        // The front is filled, the back is lines.
        (&[(0x2_8814, 0x0008_014C), (0x2_8A08, 8)], 32 * 32),
        // Every other pixel; one line goes down, the other to the right.
        (&[(0x2_8814, 0x0008_012C), (0x2_8A08, 8), (0x2_8A4C, 0x0051_4004), (0x2_8A0C, 0x5555)], 31),
        // The corner that is not clipped, as a point.
        (&[(0x2_8814, 0x0008_010C), (0x2_8A00, 0x0010_0010), (0x2_8A04, 0xFFFF_0000)], 1),
    ] {
        let (memory, mut card) = (memory(), Card::new(Model::Rv770));
        prepare(&memory);
        let registers: Vec<_> = window.into_iter().chain(others.iter().copied()).collect();
        assert_eq!(execute(&mut card, &memory, &[state(&registers), draw(3, false)].concat()), [""; 0]);
        assert_eq!(drawn(&memory), expected, "{others:x?}");
    }
}

/// The fetch program brings x and y of the position, 0 and 1, to z and w of what the vertex program exports as the second position.
#[test]
fn programs_choose_layers_and_viewports() {
    for (viewport, layer, expected) in
        [(0, 0, (64 * 64, 0)), (5, 0, (8 * 8, 0)), (0, 1, (0, 32 * 32)), (0, 9, (0, 32 * 32))]
    {
        let (memory, mut card) = (memory(), Card::new(Model::Rv770));
        prepare(&memory);
        // POS1 is the colour.
        let vertex = [0, 0x8980_0000, 0xC000_A03C, 0x9400_0688, 0xC001_203D, 0x9400_0688, 0xC001_4000, 0x9420_0688];
        assert!(memory.write_words(DATA.address + 0x200, &vertex));
        let attributes = [0, 0x3F00_0000, layer, viewport].repeat(3);
        assert!(memory.write_words(DATA.address + 0x330, &attributes));
        let small = |first: u32| [(first, 0), (first + 4, 0x0008_0008)];
        let mut others = vec![(0x2_881C, 1 << 21 | 1 << 18 | 1 << 19), (0x2_8238, 2)];
        // Viewport 5 is like the first one, and its scissor is smaller.
        for (n, value) in [32.0f32, 32.0, 32.0, 32.0, 0.5, 0.5].into_iter().enumerate() {
            others.push((0x2_843C + 24 * 5 + 4 * n as u32, value.to_bits()));
        }
        others.extend(small(0x2_8250 + 8 * 5));
        if layer > 0 {
            // Layers of 32x32 pixels, two of them.
            others.extend([(0x2_8060, 0x0000_3C03), (0x2_8080, 1 << 13)]);
        }
        assert_eq!(execute(&mut card, &memory, &[state(&others), draw(3, false)].concat()), [""; 0]);
        let layer_bytes = if layer > 0 { 32 * 32 * 4 } else { TARGET.size };
        let in_range = |range: std::ops::Range<u32>| {
            range.step_by(4).filter(|&at| memory.read_u32(TARGET.address + at) != Some(0)).count()
        };
        assert_eq!((in_range(0..layer_bytes), in_range(layer_bytes..TARGET.size)), expected, "{viewport} {layer}");
    }
}
