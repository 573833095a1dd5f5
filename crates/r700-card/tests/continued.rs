//! Draws that continue others, against draws that are drawn alone, as they are where draws are counted.

use crate::common::*;
use ctm_card::{Card as _, Object, Submission};
use ctm_cases::{Result, Unstructured};
use ctm_engine::{Engine, Executor};
use ctm_memory::Arena;
use ctm_r700_card::registers::{self, ValueFormat};
use ctm_r700_card::{Card, Model, resources};
use std::sync::Arc;

/// Vertices of the draw after which programs run on the engine.
const MANY: u32 = 3000;
/// Where the second vertices and colours are.
const OTHERS: u32 = 0x600;
/// The depth buffer, and its relocation.
const DEPTH: Object = Object { address: 0xA000, size: 0x4000 };
const TO_DEPTH: [u32; 2] = [0xC000_1000, 8];
/// An index of 16 bits for each of six vertices.
const INDICES: u32 = 0x700;

/// Says what a buffer of vertices is.
fn resource(slot: u32, words: [u32; resources::WORDS]) -> Vec<u32> {
    let mut stream = packet(0x6D, &[&[7 * slot], &words[..]].concat());
    stream.extend(TO_DATA);
    stream
}

/// A change of the state between two draws.
fn change(u: &mut Unstructured) -> Result<Vec<u32>> {
    let any = |u: &mut Unstructured| -> Result<u32> {
        let number = *u.choose(&[0.5f32, -1.0, 1.0, 24.0])?;
        let numbers = [0, 1, 2, 3, 1 << u.int_in_range(0..=31u32)?, number.to_bits(), u.arbitrary()?];
        Ok(*u.choose(&numbers)?)
    };
    Ok(match u.int_in_range(0..=9)? {
        0 => Vec::new(),
        // What vertex programs read.
        1 => {
            let offset = *u.choose(&[0x300, 0x330, OTHERS, OTHERS + 0x30, OTHERS + 0x60])?;
            resource(320 + u.int_in_range(0..=1)?, [offset, 0x2F, 0x1000, 0, 0, 0, 0xC000_0000])
        }
        2 => packet(0x2A, &[0]),
        3 => packet(0x2F, &[u.int_in_range(0..=2)?]),
        // What reads and writes memory.
        4 => [packet(0x3D, &[OTHERS + 4 * u.int_in_range(0..=23)?, 1 << 18, any(u)?, 0]), TO_DATA.to_vec()].concat(),
        5 => [packet(0x46, &[0x115, 0x800, 0]), TO_DATA.to_vec()].concat(),
        _ => {
            let all = registers::map().all();
            let found = all[u.choose_index(all.len())?];
            let address = found.address + found.stride * u.int_in_range(0..=found.count - 1)?;
            let is_address = found.shown == ValueFormat::Address;
            let value = if is_address { u.int_in_range(0..=9)? } else { any(u)? };
            let space = |opcode: u32, start: u32| packet(opcode, &[(address - start) / 4, value]);
            let mut stream = match address {
                0x8000..0xB000 => space(0x68, 0x8000),
                0x2_8000..0x2_9000 => space(0x69, 0x2_8000),
                0x3_C000..0x3_CFF0 => space(0x6E, 0x3_C000),
                0x3_CFF0..0x3_E200 => space(0x6F, 0x3_CFF0),
                _ => Vec::new(),
            };
            if is_address && !stream.is_empty() {
                stream.extend(*u.choose(&[TO_DATA, TO_TARGET, TO_DEPTH])?);
            }
            stream
        }
    })
}

fn case(u: &mut Unstructured) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut number = || Ok(u.int_in_range(-48..=48)? as f32 / 32.0);
    let mut data = Vec::new();
    for _ in 0..9 {
        data.extend([number()?.to_bits(), number()?.to_bits(), number()?.abs().to_bits(), 1.0f32.to_bits()]);
    }
    let depth = [(0x2_8000, 0x0000_FC07), (0x2_8010, 0x0000_8003), (0x2_82D4, 1.0f32.to_bits()), (0x2_8800, 0x36)];
    let mut stream =
        state(&[&depth[..], &[(0x2_8808, *u.choose(&[0x00CC_0000, 0x00CC_0100])?), (0x2_8804, 4 | 5 << 8)]].concat());
    stream.extend([register(0x2_800C, 0), TO_DEPTH.to_vec()].concat());
    stream.extend(draw(MANY, false));
    for _ in 0..u.int_in_range(2..=6)? {
        // Nothing else changes, most often.
        let change = if u.ratio(1, 3)? { change(u)? } else { Vec::new() };
        stream.extend(change);
        match u.int_in_range(0..=3)? {
            0 => stream.extend([packet(0x2B, &[INDICES, 0, 3, 0]), TO_DATA.to_vec()].concat()),
            _ => stream.extend(draw(3, false)),
        }
    }
    stream.extend([packet(0x46, &[0x115, 0x900, 0]), TO_DATA.to_vec()].concat());
    Ok((stream, data))
}

/// All of memory after a stream, and the warnings.
fn drawn(card: Card, (stream, data): &(Vec<u32>, Vec<u32>)) -> (Vec<u32>, Vec<String>) {
    let mut card = card.with_executor(Executor::Engine(Engine::interpreter()));
    let memory: Arc<Arena> = memory();
    prepare(&memory);
    assert!(memory.write_words(DATA.address + OTHERS, data));
    assert!(memory.write_words(DATA.address + INDICES, &[0x0002_0000, 0x0000_0001]));
    card.submit(&memory, &Submission { words: stream, objects: &[TARGET, DATA, DEPTH], untouched: &[] })
        .expect("a stream");
    let mut words = vec![0; memory.size() as usize / 4];
    assert!(memory.read_words(memory.base(), &mut words));
    (words, card.take_warnings())
}

/// Whatever changes between two draws: each is drawn as if it were alone.
#[test]
fn draws_that_continue_others_are_drawn_as_alone() {
    ctm_cases::check(400, |u| {
        let case = case(u)?;
        let [found, alone] =
            [Card::new(Model::Rv770), Card::new(Model::Rv770).with_stats()].map(|card| drawn(card, &case));
        assert_eq!(found.1, alone.1, "warnings");
        let differ = found.0.iter().zip(&alone.0).position(|(found, alone)| found != alone);
        assert_eq!(differ.map(|word| FIRST + 4 * word as u32), None, "the first word that differs");
        Ok(())
    });
}
