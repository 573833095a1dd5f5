//! The card executes streams that are written by hand.

use arbtest::arbtest;
use ctm_card::{Card as _, Object, Submission};
use ctm_memory::Arena;
use ctm_r700_card::{Card, Model, listing};
use std::sync::Arc;
use std::time::{Duration, Instant};

const FIRST: u32 = 0x1000;
/// The colour target: 64x64 pixels of four bytes.
const TARGET: Object = Object { address: FIRST, size: 0x4000 };
/// What else is in memory: programs, vertices, results.
const DATA: Object = Object { address: 0x8000, size: 0x1000 };

/// Relocations of the two objects.
const TO_TARGET: [u32; 2] = [0xC000_1000, 0];
const TO_DATA: [u32; 2] = [0xC000_1000, 4];

fn memory() -> Arc<Arena> {
    Arc::new(Arena::new(FIRST, 0x1_0000).expect("memory"))
}

/// A packet.
fn packet(opcode: u32, body: &[u32]) -> Vec<u32> {
    [&[3 << 30 | (body.len() as u32 - 1) << 16 | opcode << 8], body].concat()
}

/// Writes a register.
fn register(address: u32, value: u32) -> Vec<u32> {
    match address {
        0x2_8000.. => packet(0x69, &[(address - 0x2_8000) / 4, value]),
        _ => packet(0x68, &[(address - 0x8000) / 4, value]),
    }
}

/// Executes streams one after the other, and gives the warnings.
fn execute(card: &mut Card, memory: &Arc<Arena>, words: &[u32]) -> Vec<String> {
    let submission = Submission { words, objects: &[TARGET, DATA] };
    card.submit(memory, &submission).expect("a stream");
    card.take_warnings()
}

fn stored(memory: &Arena, offset: u32) -> u64 {
    let word = |offset| u64::from(memory.read_u32(DATA.address + offset).expect("it is there"));
    word(offset) | word(offset + 4) << 32
}

#[test]
fn fences_and_counters_are_stored() {
    let (memory, mut card) = (memory(), Card::new(Model::Rv770));
    let end_of_pipe = |offset: u32, select: u32| {
        [packet(0x47, &[0x528, offset, select << 29, 0x8000_0000, 7]), TO_DATA.to_vec()].concat()
    };
    let event = |event: u32, offset: u32| [packet(0x46, &[event, offset, 0]), TO_DATA.to_vec()].concat();
    let stream = [
        end_of_pipe(0, 1),
        end_of_pipe(8, 2),
        end_of_pipe(16, 3),
        event(0x115, 24),
        event(0x320, 32),
        [packet(0x3D, &[48, 1 << 18, 5, 6]), TO_DATA.to_vec()].concat(),
        [packet(0x41, &[8, 0, 56, 0, 8]), TO_DATA.to_vec(), TO_DATA.to_vec()].concat(),
        // From a register, and to one.
        register(0x2_8350, 0x1234),
        [packet(0x3B, &[2, 0x2_8350 / 4, 0, 64, 0]), TO_DATA.to_vec()].concat(),
        [packet(0x3B, &[1, 56, 0, 0x2_8354 / 4, 0]), TO_DATA.to_vec()].concat(),
        packet(0x46, &[0x16]),
    ]
    .concat();
    assert_eq!(execute(&mut card, &memory, &stream), [""; 0]);
    let clock = stored(&memory, 16);
    assert_eq!([0, 8].map(|offset| stored(&memory, offset)), [0x8000_0000, 7 << 32 | 0x8000_0000]);
    assert_eq!([24, 32, 40].map(|offset| stored(&memory, offset)), [1 << 63; 3]);
    assert_eq!((stored(&memory, 48), stored(&memory, 56), stored(&memory, 64)), (5, stored(&memory, 8), 0x1234));
    assert_eq!(card.state().registers.value(0x2_8354), 0x8000_0000);

    // The same card gives the same times, and they go on.
    let again = || {
        let (memory, mut card) = (self::memory(), Card::new(Model::Rv770));
        execute(&mut card, &memory, &stream);
        execute(&mut card, &memory, &end_of_pipe(24, 3));
        [stored(&memory, 16), stored(&memory, 24)]
    };
    assert_eq!(again()[0], clock);
    assert!(again()[1] > clock);
}

#[test]
fn accesses_outside_of_objects_do_nothing() {
    let (memory, mut card) = (memory(), Card::new(Model::Rv770));
    assert!(memory.write_u32(DATA.address + DATA.size, 9));
    let stream = [packet(0x3D, &[DATA.size - 4, 0, 5, 6]), TO_DATA.to_vec()].concat();
    let warnings = execute(&mut card, &memory, &stream);
    assert_eq!(warnings, ["8 bytes at 0xffc of an object of 4096 bytes are not written"]);
    assert_eq!(memory.read_u32(DATA.address + DATA.size - 4), Some(0));
    assert_eq!(memory.read_u32(DATA.address + DATA.size), Some(9));
    let copy = [packet(0x41, &[0xFFC, 0, 0, 0, 8]), TO_DATA.to_vec(), TO_DATA.to_vec()].concat();
    assert!(memory.write_u32(DATA.address, 7));
    assert_eq!(execute(&mut card, &memory, &copy), ["8 bytes at 0xffc of an object of 4096 bytes are not read"]);
    assert_eq!(stored(&memory, 0), 0, "what cannot be read is 0");
    let unknown = execute(&mut card, &memory, &register(0x2_8FFC, 1));
    assert_eq!(unknown, ["register 0x28ffc is not known; it is kept, and has no effect"]);
    assert!(execute(&mut card, &memory, &register(0x2_8FFC, 1)).is_empty(), "once");
}

/// Programs of Debian's driver, and vertices: a triangle that covers the whole target.
fn prepare(memory: &Arena) {
    let fetch = [
        0x0000_0002u32,
        0x8100_0400,
        0,
        0x8A00_0000,
        0x7C00_A000,
        0x08CD_1001,
        0x0008_0000,
        0,
        0x7C00_A100,
        0x08CD_1002,
        0x0008_0000,
        0,
    ];
    let pixel = [0xC000_0000, 0x9420_0688];
    let vertex = [0, 0x8980_0000, 0xC000_A03C, 0x9400_0688, 0xC001_4000, 0x9420_0688];
    let positions = [-1.0f32, -1.0, 0.0, 1.0, 3.0, -1.0, 0.0, 1.0, -1.0, 3.0, 0.0, 1.0];
    let colours = [0.0f32, 0.5, 1.0, 1.0].repeat(3);
    for (place, words) in [(0, &fetch[..]), (0x100, &pixel), (0x200, &vertex)] {
        assert!(memory.write_words(DATA.address + place, words));
    }
    for (place, numbers) in [(0x300, &positions[..]), (0x330, &colours)] {
        let bits: Vec<u32> = numbers.iter().map(|number| number.to_bits()).collect();
        assert!(memory.write_words(DATA.address + place, &bits));
    }
}

/// The state for that, of which registers may be replaced.
fn state(others: &[(u32, u32)]) -> Vec<u32> {
    let number = f32::to_bits;
    let mut stream = Vec::new();
    let program = |address: u32, place: u32| [register(address, place), TO_DATA.to_vec()].concat();
    for (address, place) in [(0x2_8894, 0), (0x2_8840, 1), (0x2_8858, 2)] {
        stream.extend(program(address, place));
    }
    stream.extend([register(0x2_8040, 0), TO_TARGET.to_vec()].concat());
    for (slot, offset) in [(320, 0x300), (321, 0x330)] {
        stream.extend(packet(0x6D, &[7 * slot, offset, 0x2F, 0x1000, 0, 0, 0, 0xC000_0000]));
        stream.extend(TO_DATA);
    }
    let registers = [
        (0x2_80A0, 0x0910_0468),
        (0x2_8060, 0x0000_FC07),
        (0x2_8034, 0x2000_2000),
        (0x2_8208, 0x0040_0040),
        (0x2_8244, 0x2000_2000),
        (0x2_8254, 0x0040_0040),
        (0x2_8238, 0xF),
        (0x2_823C, 0xF),
        (0x2_8808, 0x00CC_0080),
        (0x2_8C08, 0x29),
        (0x2_8814, 0x0008_0244),
        (0x2_8A4C, 0x0051_4000),
        (0x2_843C, number(32.0)),
        (0x2_8440, number(32.0)),
        (0x2_8444, number(32.0)),
        (0x2_8448, number(32.0)),
        (0x2_844C, number(0.5)),
        (0x2_8450, number(0.5)),
        (0x2_8818, 0x43F),
        (0x2_8644, 10),
        (0x2_86CC, 0x1000_0001),
        (0x2_8614, 10),
        (0x2_8850, 0x0020_0001),
        (0x2_8868, 0x0020_0103),
        (0x8958, 4),
    ];
    for (address, value) in registers.into_iter().chain(others.iter().copied()) {
        stream.extend(register(address, value));
    }
    stream
}

/// A draw of so many vertices.
fn draw(count: u32, predicated: bool) -> Vec<u32> {
    let mut words = packet(0x2D, &[count, 2]);
    words[0] |= u32::from(predicated);
    words
}

/// Pixels of the target that have this value.
fn pixels(memory: &Arena, value: u32) -> usize {
    (0..TARGET.size / 4).filter(|n| memory.read_u32(TARGET.address + 4 * n) == Some(value)).count()
}

const COLOUR: u32 = 0xFFFF_8000;

#[test]
fn a_triangle_is_drawn() {
    let (memory, mut card) = (memory(), Card::new(Model::Rv770).with_stats());
    prepare(&memory);
    let count = [packet(0x46, &[0x115, 0, 0]), TO_DATA.to_vec()].concat();
    let stream = [state(&[]), draw(3, false), count.clone()].concat();
    // Where results go no program lies.
    let stream = [stream, [packet(0x46, &[0x115, 0x800, 0]), TO_DATA.to_vec()].concat()].concat();
    assert_eq!(execute(&mut card, &memory, &stream), [""; 0]);
    assert_eq!(pixels(&memory, COLOUR), 64 * 64);
    assert_eq!(stored(&memory, 0x800), (1 << 63) | (64 * 64));
    let [stats] = card.take_stats()[..] else { panic!("one draw") };
    let counts = stats.counts;
    assert_eq!((counts.vertices, counts.primitives, counts.pixels, counts.passed), (3, 1, 4096, 4096));
    let picture = ctm_r700_card::picture(card.state(), &memory, 0).expect("a format").expect("a target");
    assert_eq!((picture.width, picture.height), (64, 64));
    assert!(picture.pixels.iter().all(|pixel| pixel.map(f32::from_bits)[2..] == [1.0, 1.0]));
}

#[test]
fn state_decides_what_is_drawn() {
    for (others, drawn) in [
        // The window's scissor, and a mask that leaves alpha out.
        (&[(0x2_8208, 0x0008_0010)][..], (16 * 8, COLOUR)),
        (&[(0x2_8238, 0x7)], (64 * 64, COLOUR & 0x00FF_FFFF)),
        // Front faces are dropped; back ones are not.
        (&[(0x2_8814, 0x0008_0245)], (64 * 64, 0)),
        (&[(0x2_8814, 0x0008_0246)], (64 * 64, COLOUR)),
        // Nothing is rasterised.
        (&[(0x2_8810, 1 << 22)], (64 * 64, 0)),
        // Depth test that no depth passes; without a depth buffer it is not made.
        (&[(0x2_8800, 0x2)], (64 * 64, COLOUR)),
        // A row, as linear memory has it.
        (&[(0x2_80A0, 0x0910_0168), (0x2_8208, 0x0001_0040)], (64, COLOUR)),
        // The bits are combined: nothing is 0 XOR the colour.
        (&[(0x2_8808, 0x0066_0080)], (64 * 64, COLOUR)),
    ] {
        let (memory, mut card) = (memory(), Card::new(Model::Rv770));
        prepare(&memory);
        assert_eq!(execute(&mut card, &memory, &[state(others), draw(3, false)].concat()), [""; 0], "{others:x?}");
        assert_eq!(pixels(&memory, drawn.1), drawn.0, "{others:x?}");
    }
}

#[test]
fn what_is_not_drawn_yet_is_dropped_with_its_name() {
    for (others, name) in [
        (&[(0x2_8C04, 1)][..], "a pixel of several samples is not drawn yet"),
        (&[(0x2_8A40, 3)], "what needs a geometry program is not drawn yet"),
        (&[(0x8958, 12)], "triangles with neighbours are not drawn yet"),
        (&[(0x2_80A0, 0x0910_6468)], "colour target 0 has format 0x1a with SRGB, which is not drawn yet"),
    ] {
        let (memory, mut card) = (memory(), Card::new(Model::Rv770));
        prepare(&memory);
        let stream = state(others);
        let at = stream.len();
        let warnings = execute(&mut card, &memory, &[stream, draw(3, false)].concat());
        assert_eq!(warnings, [format!("the draw at dword {at} is dropped: {name}")]);
        assert_eq!(pixels(&memory, 0), 64 * 64);
    }
}

#[test]
fn predicates_drop_draws() {
    for (begin, end, visible, drawn) in
        [(3, 3, true, false), (3, 4, true, true), (3, 3, false, true), (3, 4, false, false)]
    {
        let (memory, mut card) = (memory(), Card::new(Model::Rv770));
        prepare(&memory);
        assert!(memory.write_words(DATA.address + 0x800, &[begin, 1 << 31, end, 1 << 31]));
        let predicate = packet(0x20, &[0x800, 1 << 16 | u32::from(visible) << 8]);
        let stream = [state(&[]), predicate, TO_DATA.to_vec(), draw(3, true)].concat();
        execute(&mut card, &memory, &stream);
        assert_eq!(pixels(&memory, COLOUR) > 0, drawn);
        // Other draws do not look at it, nor does the next stream.
        execute(&mut card, &memory, &[state(&[]), draw(3, true)].concat());
        assert_eq!(pixels(&memory, COLOUR), 64 * 64);
    }
}

#[test]
fn listings_have_the_programs_of_draws() {
    let memory = memory();
    prepare(&memory);
    let words = [state(&[]), draw(3, false), draw(3, true)].concat();
    let lines = listing(&Submission { words: &words, objects: &[TARGET, DATA] }, &memory);
    let texts: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
    for text in [
        "SQ_PGM_START_PS = 0x00000001 (START 1)",
        "  relocation 1",
        "CB_COLOR0_INFO = 0x09100468 (FORMAT 26, ARRAY_MODE 2D tiled, NUMBER_TYPE UNORM, BLEND_CLAMP 1, SIMPLE_FLOAT 1, SOURCE_FORMAT 1)",
        "VS program, 24 bytes",
        "  VS   1  EXP_DONE: POS0, R1.xyzw ELEM_SIZE(3)",
        "DRAW_INDEX_AUTO (COUNT 3, SOURCE counted)",
        "DRAW_INDEX_AUTO (COUNT 3, SOURCE counted) if the predicate says so",
    ] {
        assert_eq!(
            texts.iter().filter(|&&line| line == text).count(),
            match text {
                "  relocation 1" => 5,
                _ => 1,
            },
            "{text}: {texts:#?}"
        );
    }
    assert!(texts.iter().any(|text| text.starts_with("resource 320: buffer (BASE_ADDRESS 768, SIZE 47, STRIDE 16")));
    let wrong = listing(&Submission { words: &[0xC000_2D00], objects: &[] }, &memory);
    assert_eq!(wrong[0].text, "error: a packet of 2 dwords, of which the stream has 1");
}

/// Any words are executed or rejected, and no memory is written but that of the objects.
#[test]
fn any_stream_is_executed_or_rejected() {
    let base = [state(&[]), draw(3, false)].concat();
    arbtest(|u| {
        let (memory, card) = (memory(), Card::new(Model::Rv770));
        let mut card = card.with_time_limit(Duration::from_millis(500));
        prepare(&memory);
        let mut words = base.clone();
        for _ in 0..u.int_in_range(1..=12)? {
            let at = u.choose_index(words.len())?;
            match u.int_in_range(0..=2)? {
                0 => words[at] ^= 1 << u.int_in_range(0..=31)?,
                1 => words[at] = u.arbitrary()?,
                _ => words.truncate(at.max(1)),
            }
        }
        let submission = Submission { words: &words, objects: &[TARGET, DATA] };
        let start = Instant::now();
        let done = card.submit(&memory, &submission);
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        if let Err(rejected) = done {
            assert!(rejected.at < words.len(), "{rejected}");
        }
        listing(&submission, &memory);
        let end = DATA.address + DATA.size;
        assert!((end..FIRST + 0x1_0000).step_by(4).all(|address| memory.read_u32(address) == Some(0)));
        Ok(())
    })
    .budget_ms(2000);
}
