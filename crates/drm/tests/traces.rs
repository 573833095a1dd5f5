//! Traces of what Mesa's driver submits for the scenes of `tests/card/scenes.c`, executed on the card. The pictures are nearly
//! those of llvmpipe, `SCENE.llvmpipe.png`, and exactly `SCENE.png`, since results depend on nothing else. Mesa 22.3.6 submitted them,
//! for `angles` Mesa 26.2.6, whose atan depends on what a reciprocal of 0 is.

use ctm_array::{Data, read_png};
use ctm_card::Card;
use ctm_card::history::{DrawHistory, PixelEvent, PixelWatch};
use ctm_card::trace::{TraceReader, TraceRecord};
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_memory::Arena;
use ctm_r5xx::registers::{Rb3dColoroffset, Rb3dColorpitch};
use ctm_r5xx::{Card as R5xx, Model};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pixels of the pictures.
const WIDTH: usize = 96;
const HEIGHT: usize = 64;
/// What rounding and the fractions of filters may make of a channel.
const ROUNDING: u8 = 3;
/// The same, and one of four samples, which renderers have at places of their own.
const SAMPLE: u8 = 64 + ROUNDING;
/// Pixels on edges, which the card's grid of positions may give to others: half a percent.
const EDGES: usize = WIDTH * HEIGHT / 200;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/card")
}

/// What the card's memory must hold, from 0x1000 on.
fn memory(records: &[TraceRecord]) -> Arc<Arena> {
    let ends = records.iter().flat_map(|record| &record.objects).map(|object| object.address + object.size);
    let end = ends.max().expect("objects");
    Arc::new(Arena::new(0x1000, end.next_multiple_of(4096) - 0x1000).expect("memory"))
}

/// The submissions of a trace, and the model of its card.
fn read(path: &Path) -> (Model, Vec<TraceRecord>) {
    let reader = TraceReader::new(BufReader::new(File::open(path).expect("a trace"))).expect("a trace");
    let model = Model::ALL.into_iter().find(|model| model.identity().name == reader.card()).expect("a card");
    (model, reader.map(|record| record.expect("a record")).collect())
}

/// Executes a trace. The scenes read their picture back at last: it lies where the last draw went, row by row from the bottom,
/// as red, green, blue and alpha.
fn picture(path: &Path, width: usize, height: usize) -> Vec<u8> {
    let (model, records) = read(path);
    let (mut card, memory) = (R5xx::new(model), memory(&records));
    for record in &records {
        record.write_pages(&memory);
        card.submit(&memory, &record.submission()).expect("commands");
    }
    assert_eq!(card.take_warnings(), [""; 0]);

    let registers = &card.state().registers;
    let (target, form) =
        (registers.binding::<Rb3dColoroffset>(0).expect("a target"), registers.at::<Rb3dColorpitch>(0));
    assert!(!form.macro_tile && form.micro_tile == 0, "rows lie one after the other");
    let row = |y: usize| {
        let mut bytes = vec![0; 4 * width];
        let offset = y * usize::from(form.pitch) * 2 * 4;
        assert!(memory.read_bytes(target.object.address + offset as u32, &mut bytes));
        bytes
    };
    (0..height).rev().flat_map(row).collect()
}

/// Pixels of which a channel differs by more than `most` from that of a file.
fn differing(found: &[u8], path: &Path, most: u8) -> usize {
    let expected = read_png(&fs::read(path).expect("a picture")).expect("a picture");
    assert_eq!((expected.shape.width, expected.shape.height, expected.shape.channels), (WIDTH, HEIGHT, 4));
    let Data::U8(pixels) = &expected.data else { panic!("8 bits for each channel") };
    let is_far = |(one, other): (&[u8], &[u8])| one.iter().zip(other).any(|(a, b)| a.abs_diff(*b) > most);
    found.chunks(4).zip(pixels.chunks(4)).filter(|&pixels| is_far(pixels)).count()
}

fn scenes() -> Vec<PathBuf> {
    let paths = fs::read_dir(folder()).expect("the folder").map(|entry| entry.expect("an entry").path());
    let scenes: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "ctmcard")).collect();
    assert_eq!(scenes.len(), 10);
    scenes
}

#[test]
fn pictures_are_as_they_were() {
    for path in scenes() {
        let found = picture(&path, WIDTH, HEIGHT);
        assert_eq!(differing(&found, &path.with_extension("png"), 0), 0, "{}: pixels differ", path.display());
        let most = if path.file_stem().is_some_and(|scene| scene == "samples") { SAMPLE } else { ROUNDING };
        let far = differing(&found, &path.with_extension("llvmpipe.png"), most);
        assert!(far <= EDGES, "{}: {far} pixels are far from llvmpipe's", path.display());
    }
}

/// What each write of a pixel found there.
struct Pixel(BTreeMap<u32, [u32; 4]>);

impl Pixel {
    /// What was stored before is what the write before it has left, and what is stored is what the references work out.
    fn write(&mut self, address: u32, [before, result, after]: [[u32; 4]; 3]) {
        assert_eq!(after, result, "at {address:#x}");
        if let Some(last) = self.0.insert(address, after) {
            assert_eq!(before, last, "at {address:#x}: a write is missing");
        }
    }

    fn draw(&mut self, draw: &DrawHistory) -> usize {
        let address = |number| {
            let target = draw.targets.iter().find(|target| target.number == number);
            target.and_then(|target| target.address).expect("the pixel is in the buffer")
        };
        let mut writes = 0;
        for event in &draw.events {
            match event {
                PixelEvent::Culled(_) => {}
                PixelEvent::Copy(copy) => {
                    self.write(address(0), [copy.before, copy.result, copy.after]);
                    writes += 1;
                }
                PixelEvent::Fragment(fragment) => {
                    for sample in &fragment.samples {
                        assert!(sample.tests.as_ref().is_none_or(|tests| tests.after == tests.outcome.stored));
                    }
                    // Of several samples each has an address of its own; that of the pixel is the first one's.
                    let first = fragment.samples.iter().find(|sample| sample.number == 0);
                    for write in first.into_iter().flat_map(|sample| &sample.writes) {
                        self.write(
                            address(write.target),
                            [write.before, write.result, write.after].map(|colour| colour.words),
                        );
                        writes += 1;
                    }
                }
            }
        }
        writes
    }
}

/// The history of a pixel has each of its values, and watching changes nothing.
#[test]
fn watched_pixels_have_their_history() {
    for path in scenes() {
        let (model, records) = read(&path);
        let expected = read_png(&fs::read(path.with_extension("png")).expect("a picture")).expect("a picture");
        let Data::U8(expected) = &expected.data else { panic!("8 bits for each channel") };
        let executor = EngineName::fastest().executor().expect("an engine");
        let Executor::Engine(engine) = &executor else { panic!("no reference") };
        for (x, y) in (0..HEIGHT).step_by(7).flat_map(|y| (0..WIDTH).step_by(9).map(move |x| (x, y))) {
            let (mut card, memory) = (R5xx::new(model).with_engine(engine.clone()), memory(&records));
            card.watch(Some(PixelWatch { x: x as u32, y: y as u32, steps: 0 }));
            let (mut pixel, mut writes, mut last) = (Pixel(BTreeMap::new()), 0, None);
            for record in &records {
                record.write_pages(&memory);
                card.submit(&memory, &record.submission()).expect("commands");
                for draw in card.take_history() {
                    writes += pixel.draw(&draw);
                    last = draw.targets[0].address;
                }
            }
            assert!(writes >= 2, "at least a clear and the copy that is read: {writes}");
            let shown = pixel.0[&last.expect("a draw")][0].to_le_bytes();
            let at = 4 * ((HEIGHT - 1 - y) * WIDTH + x);
            assert_eq!(shown, expected[at..at + 4], "{} ({x}, {y})", path.display());
        }
    }
}
