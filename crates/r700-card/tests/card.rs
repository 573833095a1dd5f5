//! The card executes streams that are written by hand.

use crate::common::*;
use ctm_card::{Card as _, Submission};
use ctm_r700_card::{Card, Model, listing};
use std::time::{Duration, Instant};

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
        (&[(0x2_80A0, 0x0910_2468)][..], "colour target 0 has format 0x1a with USCALED, which is not supported"),
        (&[(0x8958, 7)], "unknown primitives are not supported"),
        (&[(0x2_86D0, 1)], "the number of a pixel is not supported"),
        (&[(0x2_8644, 10 | 1 << 13)], "a parameter that wraps is not supported"),
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
    let lines = listing(&Submission { words: &words, objects: &[TARGET, DATA], untouched: &[] }, &memory);
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
    let wrong = listing(&Submission { words: &[0xC000_2D00], objects: &[], untouched: &[] }, &memory);
    assert_eq!(wrong[0].text, "error: a packet of 2 dwords is cut off: 1 are left");
}

/// Any words are executed or rejected, and no memory is written but that of the objects.
#[test]
fn any_stream_is_executed_or_rejected() {
    let base = [state(&[]), draw(3, false)].concat();
    ctm_cases::check(1000, |u| {
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
        let submission = Submission { words: &words, objects: &[TARGET, DATA], untouched: &[] };
        let start = Instant::now();
        let done = card.submit(&memory, &submission);
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
        if let Err(rejected) = done {
            assert!(rejected.at < words.len(), "{rejected}");
        }
        listing(&submission, &memory);
        let end = DATA.address + DATA.size;
        assert!((end..FIRST + 0x1_0000).step_by(4).all(|address| memory.read_u32(address) == Some(0)));
        Ok(())
    });
}
