//! Draws of scenes again and again, with changes between, against the same draws by themselves, as they are where draws are counted.

use crate::registers::{self, ValueFormat};
use crate::{Card, Model, draws};
use ctm_card::trace::{TraceReader, TraceRecord};
use ctm_card::{Card as _, Submission};
use ctm_cases::{Result, Unstructured};
use ctm_engine::Engine;
use ctm_memory::Arena;
use std::path::Path;
use std::sync::Arc;

const SCENES: [&str; 5] = ["triangles", "depth", "blend", "lines", "leaves"];
const FIRST: u32 = 0x1000;

fn records(scene: &str) -> Vec<TraceRecord> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/card").join(scene).with_extension("ctmcard");
    let bytes = std::fs::read(path).expect("a scene");
    TraceReader::new(&bytes[..]).expect("a trace").collect::<std::result::Result<_, _>>().expect("records")
}

/// A change of what vertices are made of: vectors of the vertex processor's memory, most of them constants; an array; or how they are counted.
fn change_of_vertices(u: &mut Unstructured, objects: usize) -> Result<Vec<u32>> {
    let vector = [0.5f32, 1.0, -0.25, 2.0].map(f32::to_bits);
    Ok(match u.int_in_range(0..=3)? {
        0 => {
            let index = *u.choose(&[1024, 1025, 1216, 1535, 1536, 5])?;
            let count = *u.choose(&[4u32, 8, 3])?;
            let upload = (count - 1) << 16 | 1 << 15 | (0x2208 / 4);
            [&[0x2200 / 4, index, upload], &[vector, vector].as_flattened()[..count as usize]].concat()
        }
        1 => {
            let stride = *u.choose(&[8, 4, 0])?;
            let object = 4 * u.choose_index(objects)? as u32;
            vec![0xC002_2F00, 1, 8 | stride << 8, 4 * u.int_in_range(0..=64)?, 0xC000_1000, object]
        }
        2 => vec![0x22D4 / 4, u.int_in_range(0..=200)? | u.int_in_range(0..=8)? << 16],
        _ => vec![*u.choose(&[0x208C, 0x2134, 0x2138])? / 4, u.int_in_range(0..=5)?],
    })
}

/// A change of the state between two draws; often nothing changes.
fn change(u: &mut Unstructured, objects: usize) -> Result<Vec<u32>> {
    if u.ratio(1, 4)? {
        return change_of_vertices(u, objects);
    }
    let all = registers::map().all();
    let found = all[u.choose_index(all.len())?];
    let address = found.address + found.stride * u.int_in_range(0..=found.count - 1)?;
    if !u.ratio(1, 3)? {
        return Ok(Vec::new());
    }
    let number = *u.choose(&[0.5f32, -1.0, 1.0, 24.0])?;
    let numbers = [0, 1, 2, 3, 1 << u.int_in_range(0..=31u32)?, number.to_bits(), u.arbitrary()?];
    let value = *u.choose(&numbers)?;
    Ok(match found.shown {
        ValueFormat::Address => vec![address / 4, value & 0xFE0, 0xC000_1000, 4 * u.choose_index(objects)? as u32],
        ValueFormat::Fields | ValueFormat::Float | ValueFormat::Bits => vec![address / 4, value],
    })
}

/// The words of a submission whose draws are repeated.
fn repeated(u: &mut Unstructured, submission: &Submission) -> Result<Vec<u32>> {
    let (mut words, mut before) = (Vec::new(), 0);
    for draw in draws(submission).expect("a stream") {
        words.extend(&submission.words[before..draw.end]);
        for _ in 0..u.int_in_range(0..=4)? {
            words.extend(change(u, submission.objects.len())?);
            words.extend(&submission.words[draw.at..draw.end]);
        }
        before = draw.end;
    }
    words.extend(&submission.words[before..]);
    Ok(words)
}

/// All of memory after submissions with these words, and the warnings.
fn drawn(card: Card, records: &[TraceRecord], words: &[Vec<u32>]) -> (Vec<u32>, Vec<String>) {
    let mut card = card.with_engine(Engine::interpreter());
    let objects = records.iter().flat_map(|record| &record.objects);
    let end = objects.map(|object| object.address + object.size).max().unwrap_or(FIRST).next_multiple_of(0x1000);
    let memory = Arc::new(Arena::new(FIRST, end - FIRST).expect("memory"));
    for (record, words) in records.iter().zip(words) {
        record.write_pages(&memory);
        card.submit(&memory, &Submission { words, ..record.submission() }).expect("a stream");
    }
    let mut all = vec![0; memory.size() as usize / 4];
    assert!(memory.read_words(memory.base(), &mut all));
    (all, card.take_warnings())
}

/// Whatever changes between two draws: each is drawn as if it were alone.
#[test]
fn draws_together_are_drawn_as_alone() {
    let scenes = SCENES.map(records);
    ctm_cases::check(150, |u| {
        let records = u.choose(&scenes)?;
        let words: Vec<_> = records.iter().map(|record| repeated(u, &record.submission())).collect::<Result<_>>()?;
        let cards = [Card::new(Model::R580), Card::new(Model::R580).with_stats()];
        let [found, alone] = cards.map(|card| drawn(card, records, &words));
        assert_eq!(found.1, alone.1, "warnings");
        let differ = found.0.iter().zip(&alone.0).position(|(found, alone)| found != alone);
        assert_eq!(differ.map(|word| FIRST + 4 * word as u32), None, "the first word that differs");
        Ok(())
    });
}
