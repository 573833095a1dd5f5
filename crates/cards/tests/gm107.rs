//! Traces of what Mesa's nouveau driver submits for scenes of `tests/card/scenes.c` and `scenes4.c`, executed on the card. The pictures are nearly
//! those of llvmpipe, and exactly those that are kept. Mesa 22.3.6 submitted them.
#![cfg(feature = "gm107")]

use ctm_array::{Data, read_png};
use ctm_card::Card as _;
use ctm_card::trace::{TraceReader, TraceRecord};
use ctm_cards::{Card, CardOptions, Model};
use ctm_engine::{Engine, Executor};
use ctm_memory::Arena;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Pixels of the pictures.
const WIDTH: usize = 96;
const HEIGHT: usize = 64;
/// What rounding may make of a channel.
const ROUNDING: u8 = 3;
/// The same, and one of four samples, which renderers have at places of their own.
const SAMPLE: u8 = 64 + ROUNDING;
/// Pixels on edges, which the card's grid of positions may give to others: half a percent.
const EDGES: usize = WIDTH * HEIGHT / 200;
/// Methods of the copy class: where a copy goes to (upper half of the address), and bytes from one of its rows to the next.
const COPY_TO: u32 = 0x408;
const COPY_PITCH: u32 = 0x414;
/// How often each scene is damaged.
const ROUNDS: usize = 12;
/// The time that a damaged submission may take.
const TIME_LIMIT: Duration = Duration::from_secs(1);
/// Scenes at least.
const SCENES: usize = 12;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/card")
}

/// The scenes that there are traces of.
fn scenes() -> Vec<String> {
    let files = fs::read_dir(folder().join("gm107")).expect("the folder").map(|entry| entry.expect("an entry").path());
    let traces = files.filter(|path| path.extension().is_some_and(|end| end == "ctmcard"));
    let mut scenes: Vec<String> =
        traces.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
    scenes.sort();
    assert!(scenes.len() >= SCENES, "{scenes:?}");
    scenes
}

/// The submissions of a trace.
fn read(scene: &str) -> Vec<TraceRecord> {
    let bytes = fs::read(folder().join("gm107").join(scene).with_extension("ctmcard")).expect("a trace");
    let reader = TraceReader::new(&bytes[..]).expect("a trace");
    assert_eq!(reader.card(), "gm107");
    reader.map(|record| record.expect("a record")).collect()
}

/// Executes a trace, and gives what its last copy has left, which is the picture that the scene reads, and all memory.
fn executed(scene: &str, executor: Executor) -> (Vec<u8>, Vec<u32>) {
    let options = CardOptions { executor: Some(executor), ..CardOptions::default() };
    executed_on(scene, Card::new(Model::named("gm107").expect("the card"), options))
}

/// The same on this card.
fn executed_on(scene: &str, mut card: Card) -> (Vec<u8>, Vec<u32>) {
    let records = read(scene);
    let ends = records.iter().flat_map(|record| &record.objects).map(|object| object.address + object.size);
    let end = ends.max().expect("objects").next_multiple_of(4096);
    let memory = Arc::new(Arena::new(0x1000, end - 0x1000).expect("memory"));
    for record in &records {
        record.write_pages(&memory);
        card.submit(&memory, &record.submission()).expect("commands");
        card.release(&memory);
    }
    assert_eq!(card.take_warnings(), [""; 0], "{scene}");
    let Card::Gm107(card) = &card else { panic!("the card of the trace") };
    let copy = &card.state().copy;
    let (place, pitch) = (copy.address(COPY_TO) as u32, copy.word(COPY_PITCH));
    let row = |y: usize| {
        let mut bytes = vec![0; 4 * WIDTH];
        assert!(memory.read_bytes(place + y as u32 * pitch, &mut bytes));
        bytes
    };
    // OpenGL has the bottom row first.
    let picture = (0..HEIGHT).rev().flat_map(row).collect();
    let mut words = vec![0; memory.size() as usize / 4];
    assert!(memory.read_words(memory.base(), &mut words));
    (picture, words)
}

/// Pixels of which a channel differs by more than `most` from that of a file.
fn differing(found: &[u8], file: &str, most: u8) -> usize {
    let expected = read_png(&fs::read(folder().join(file)).expect("a picture")).expect("a picture");
    assert_eq!((expected.shape.width, expected.shape.height, expected.shape.channels), (WIDTH, HEIGHT, 4));
    let Data::U8(pixels) = &expected.data else { panic!("8 bits for each channel") };
    let is_far = |(one, other): (&[u8], &[u8])| one.iter().zip(other).any(|(a, b)| a.abs_diff(*b) > most);
    found.chunks(4).zip(pixels.chunks(4)).filter(|&pixels| is_far(pixels)).count()
}

#[test]
fn pictures_are_as_they_were() {
    for scene in scenes() {
        let (found, _) = executed(&scene, Executor::Engine(Engine::interpreter()));
        assert_eq!(differing(&found, &format!("gm107/{scene}.png"), 0), 0, "{scene}: pixels differ");
        let most = if scene == "samples" { SAMPLE } else { ROUNDING };
        let far = differing(&found, &format!("{scene}.llvmpipe.png"), most);
        assert!(far <= EDGES, "{scene}: {far} pixels are far from llvmpipe's");
    }
}

/// Many pixels together are what they are one by one, bit for bit.
#[test]
fn tiles_leave_what_quads_leave() {
    for scene in scenes() {
        let card = |threads| {
            let executor = Some(Executor::Engine(Engine::interpreter()));
            let options = CardOptions { executor, threads, ..CardOptions::default() };
            Card::new(Model::named("gm107").expect("the card"), options)
        };
        let Card::Gm107(quads) = card(1) else { panic!("the card") };
        let expected = executed_on(&scene, Card::Gm107(Box::new(quads.with_quads_alone())));
        assert!(expected == executed_on(&scene, card(3)), "{scene}: memory differs");
    }
}

/// Programs that run for many lanes do on engines what they do on the reference, bit for bit.
#[test]
fn engines_draw_what_the_reference_draws() {
    let (mut all, mut on_engine) = (0, Vec::new());
    for scene in scenes() {
        let engine = Engine::interpreter();
        let found = executed(&scene, Executor::Engine(engine.clone()));
        assert!(found == executed(&scene, Executor::Reference), "{scene}: memory differs");
        all += 1;
        if engine.cache_stats().misses > 0 {
            on_engine.push(scene);
        }
    }
    // Small scenes are left to the reference.
    assert!(2 * on_engine.len() > all, "of {all} scenes the engine has run programs of {on_engine:?} alone");
}

/// A listing has a name for every method, and draws are found in it.
#[test]
fn listings_are_complete() {
    for scene in scenes() {
        let (memory, model) =
            (Arena::new(0x1000, 128 << 20).expect("memory"), Model::named("gm107").expect("the card"));
        let mut found = 0;
        for record in read(&scene) {
            record.write_pages(&memory);
            let submission = record.submission();
            let lines = model.listing(&submission, &memory);
            for line in &lines {
                assert!(!line.text.contains("not known") && !line.text.starts_with("error"), "{scene}: {}", line.text);
            }
            assert!(lines.iter().all(|line| line.at < model.length(&submission)), "{scene}");
            let draws = model.draws(&submission, &memory).expect("draws");
            assert!(draws.iter().all(|draw| draw.at < draw.end), "{scene}");
            found += draws.len();
        }
        assert!(found > 0 || scene == "indirect", "{scene}: no draws");
    }
}

/// Commands, programs and descriptors with words that no driver writes: the card neither panics nor takes long, and goes on.
#[test]
fn damaged_commands_do_no_harm() {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut random = move |most: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize % most
    };
    for scene in ["depth", "dome", "rings", "sparks", "indirect", "layers", "targets", "samples"] {
        let records = read(scene);
        for round in 0..ROUNDS {
            let memory = Arc::new(Arena::new(0x1000, 64 << 20).expect("memory"));
            let engine = Executor::Engine(Engine::interpreter());
            let options =
                CardOptions { executor: Some(engine), time_limit: Some(TIME_LIMIT), ..CardOptions::default() };
            let mut card = Card::new(Model::named("gm107").expect("the card"), options);
            for record in &records {
                record.write_pages(&memory);
                for _ in 0..1 + round % 4 {
                    let words = &record.words[1..];
                    let push = 2 * random(words.len() / 2);
                    let address = words[push] + 4 * random(words[push + 1] as usize / 4) as u32;
                    let word = memory.read_u32(address).expect("a command");
                    let damaged = match random(4) {
                        0 => word ^ 1 << random(32),
                        1 => random(1 << 32) as u32,
                        2 => word.rotate_left(16),
                        _ => word.wrapping_add(0xFFFF),
                    };
                    memory.write_u32(address, damaged);
                }
                let started = Instant::now();
                // Rejected or not, the card goes on.
                let _ = card.submit(&memory, &record.submission());
                card.release(&memory);
                assert!(started.elapsed() < 4 * TIME_LIMIT, "{scene}, round {round}: {:?}", started.elapsed());
                for number in 0..8 {
                    let _ = card.picture(&memory, number);
                }
                let _ = card.depth_picture(&memory);
                let _ = card.model().draws(&record.submission(), &memory);
                card.model().listing(&record.submission(), &memory);
            }
            card.take_warnings();
        }
    }
}
