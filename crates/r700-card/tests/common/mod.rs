//! Streams that are written by hand, for a target of 64x64 pixels, and data.
#![allow(dead_code, reason = "not every test needs everything")]

use ctm_card::history::PixelWatch;
use ctm_card::{Card as _, Object, Submission};
use ctm_cases::Unstructured;
use ctm_engine::{Engine, Executor};
use ctm_memory::Arena;
use ctm_r700_card::{Card, Model};
use std::sync::Arc;

pub const FIRST: u32 = 0x1000;
/// The colour target: 64x64 pixels of four bytes.
pub const TARGET: Object = Object { address: FIRST, size: 0x4000 };
/// What else is in memory: programs, vertices, results.
pub const DATA: Object = Object { address: 0x8000, size: 0x1000 };

/// Relocations of the two objects.
pub const TO_TARGET: [u32; 2] = [0xC000_1000, 0];
pub const TO_DATA: [u32; 2] = [0xC000_1000, 4];

pub fn memory() -> Arc<Arena> {
    Arc::new(Arena::new(FIRST, 0x1_0000).expect("memory"))
}

/// A packet.
pub fn packet(opcode: u32, body: &[u32]) -> Vec<u32> {
    [&[3 << 30 | (body.len() as u32 - 1) << 16 | opcode << 8], body].concat()
}

/// Writes a register.
pub fn register(address: u32, value: u32) -> Vec<u32> {
    match address {
        0x2_8000.. => packet(0x69, &[(address - 0x2_8000) / 4, value]),
        _ => packet(0x68, &[(address - 0x8000) / 4, value]),
    }
}

/// Executes streams one after the other, and gives the warnings.
pub fn execute(card: &mut Card, memory: &Arc<Arena>, words: &[u32]) -> Vec<String> {
    let submission = Submission { words, objects: &[TARGET, DATA], untouched: &[] };
    card.submit(memory, &submission).expect("a stream");
    card.take_warnings()
}

pub fn stored(memory: &Arena, offset: u32) -> u64 {
    let word = |offset| u64::from(memory.read_u32(DATA.address + offset).expect("it is there"));
    word(offset) | word(offset + 4) << 32
}

/// Programs of Debian's driver, and vertices: a triangle that covers the whole target.
pub fn prepare(memory: &Arena) {
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
pub fn state(others: &[(u32, u32)]) -> Vec<u32> {
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
        (0x2_8C48, 0xFFFF_FFFF),
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
pub fn draw(count: u32, predicated: bool) -> Vec<u32> {
    let mut words = packet(0x2D, &[count, 2]);
    words[0] |= u32::from(predicated);
    words
}

/// Pixels of the target that have this value.
pub fn pixels(memory: &Arena, value: u32) -> usize {
    (0..TARGET.size / 4).filter(|n| memory.read_u32(TARGET.address + 4 * n) == Some(value)).count()
}

pub const COLOUR: u32 = 0xFFFF_8000;

/// Compares what cards leave of cases: one by the reference, and by the interpreter with each of these numbers of threads, with one that watches a pixel and
/// so draws each by itself.
pub fn compare_with_watched<C, const N: usize>(
    threads: [usize; N],
    mut case: impl FnMut(&mut Unstructured) -> ctm_cases::Result<C>,
    drawn: impl Fn(&mut Card, &C) -> Vec<u32>,
) {
    let new = || Card::new(Model::Rv770);
    let mut threads =
        threads.map(|threads| new().with_executor(Executor::Engine(Engine::interpreter())).with_threads(threads));
    ctm_cases::check(200, |u| {
        let case = case(u)?;
        let mut watched = new();
        watched.watch(Some(PixelWatch { x: 5, y: 9, steps: 0 }));
        let expected = drawn(&mut watched, &case);
        assert!(drawn(&mut new(), &case) == expected, "by the reference");
        for card in &mut threads {
            // Counts go on.
            let mut card_of_counts = std::mem::replace(card, new());
            card_of_counts.restore(&new().save());
            assert!(drawn(&mut card_of_counts, &case) == expected, "by threads");
            *card = card_of_counts;
        }
        Ok(())
    });
}
