//! Traces of what Mesa's r600 driver submits for scenes of `tests/card/scenes.c`, executed on the card. The pictures are nearly those of
//! llvmpipe, and exactly those that are kept. Mesa 22.3.6 submitted them, for `angles` Mesa 26.2.6, whose programs send what nobody reads to
//! R123.

use ctm_array::{Data, read_png};
use ctm_card::Card as _;
use ctm_card::trace::{TraceReader, TraceRecord};
use ctm_cards::{Card, CardOptions, Model};
use ctm_engine::{Engine, Executor};
use ctm_memory::Arena;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pixels of the pictures.
const WIDTH: usize = 96;
const HEIGHT: usize = 64;
/// What rounding may make of a channel.
const ROUNDING: u8 = 3;
/// The same, and one of four samples, which renderers have at places of their own.
const SAMPLE: u8 = 64 + ROUNDING;
/// Pixels on edges, which the card's grid of positions may give to others: half a percent.
const EDGES: usize = WIDTH * HEIGHT / 200;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/card")
}

/// The submissions of a trace.
fn read(scene: &str) -> Vec<TraceRecord> {
    let bytes = fs::read(folder().join("rv770").join(scene).with_extension("ctmcard")).expect("a trace");
    let reader = TraceReader::new(&bytes[..]).expect("a trace");
    assert_eq!(reader.card(), "rv770");
    reader.map(|record| record.expect("a record")).collect()
}

/// Executes a trace, and gives the buffer of the last draw: the copy that the scene reads, from the bottom row on.
fn picture(scene: &str) -> Vec<u8> {
    let (bits, _) = executed(scene, Executor::Reference);
    let rows = bits.chunks(WIDTH).rev().flatten().flatten();
    rows.map(|&bits| (f32::from_bits(bits) * 255.0).round() as u8).collect()
}

/// Executes a trace, and gives the buffer of the last draw, and all memory.
fn executed(scene: &str, executor: Executor) -> (Vec<[u32; 4]>, Vec<u32>) {
    let records = read(scene);
    let ends = records.iter().flat_map(|record| &record.objects).map(|object| object.address + object.size);
    let end = ends.max().expect("objects").next_multiple_of(4096);
    let memory = Arc::new(Arena::new(0x1000, end - 0x1000).expect("memory"));
    let mut card = Card::new(
        Model::named("rv770").expect("the card"),
        CardOptions { executor: Some(executor), ..CardOptions::default() },
    );
    for record in &records {
        record.write_pages(&memory);
        card.submit(&memory, &record.submission()).expect("commands");
    }
    assert_eq!(card.take_warnings(), [""; 0], "{scene}");
    let picture = card.picture(&memory, 0).expect("a format").expect("a target");
    assert_eq!((picture.width as usize, picture.height as usize), (WIDTH, HEIGHT));
    let mut words = vec![0; memory.size() as usize / 4];
    assert!(memory.read_words(memory.base(), &mut words));
    (picture.pixels, words)
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
    for scene in ["triangles", "depth", "wave", "blend", "grass", "angles", "uploads", "samples", "leaves"] {
        let found = picture(scene);
        assert_eq!(differing(&found, &format!("rv770/{scene}.png"), 0), 0, "{scene}: pixels differ");
        let most = if scene == "samples" { SAMPLE } else { ROUNDING };
        let far = differing(&found, &format!("{scene}.llvmpipe.png"), most);
        assert!(far <= EDGES, "{scene}: {far} pixels are far from llvmpipe's");
    }
}

/// Programs that run for many lanes do on engines what they do on the reference, bit for bit.
#[test]
fn engines_draw_what_the_reference_draws() {
    for scene in ["triangles", "depth", "wave", "blend", "angles", "uploads", "samples", "leaves"] {
        let engine = Engine::interpreter();
        let found = executed(scene, Executor::Engine(engine.clone()));
        assert!(engine.cache_stats().misses > 0, "{scene}: the engine has run a program");
        assert!(found == executed(scene, Executor::Reference), "{scene}: memory differs");
    }
}

/// A listing has a name for every register, and the programs of the draws.
#[test]
fn listings_are_complete() {
    for scene in ["triangles", "depth", "wave", "blend", "grass", "angles", "uploads", "samples", "leaves"] {
        let memory = Arena::new(0x1000, 64 << 20).expect("memory");
        let mut programs = 0;
        for record in read(scene) {
            record.write_pages(&memory);
            let model = Model::named("rv770").expect("the card");
            for line in model.listing(&record.submission(), &memory) {
                assert!(!line.text.contains("not known") && !line.text.starts_with("error"), "{}", line.text);
                programs += usize::from(line.text.contains(" program, "));
            }
            let draws = model.draws(&record.submission(), &memory);
            assert!(draws.is_ok_and(|draws| draws.iter().all(|draw| draw.at < draw.end)));
        }
        assert!(programs >= 6, "{scene}: {programs} programs");
    }
}
