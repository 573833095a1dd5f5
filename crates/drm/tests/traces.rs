//! Traces of what Mesa's driver submits for the scenes of `tests/card/scenes.c`, executed on the card. The pictures are nearly
//! those of llvmpipe, `SCENE.llvmpipe.png`, and exactly `SCENE.png`, since results depend on nothing else.

use ctm_array::{Data, read_png};
use ctm_card::Card;
use ctm_card::trace::{TraceReader, TraceRecord};
use ctm_memory::Arena;
use ctm_r5xx::registers::{Rb3dColoroffset, Rb3dColorpitch};
use ctm_r5xx::{Card as R5xx, Model};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pixels of the pictures.
const WIDTH: usize = 96;
const HEIGHT: usize = 64;
/// What rounding and the fractions of filters may make of a channel.
const ROUNDING: u8 = 3;
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

/// Executes a trace. The scenes read their picture back at last: it lies where the last draw went, row by row from the bottom,
/// as red, green, blue and alpha.
fn picture(path: &Path, width: usize, height: usize) -> Vec<u8> {
    let reader = TraceReader::new(BufReader::new(File::open(path).expect("a trace"))).expect("a trace");
    let model = Model::ALL.into_iter().find(|model| model.identity().name == reader.card()).expect("a card");
    let records: Vec<_> = reader.map(|record| record.expect("a record")).collect();
    let (mut card, memory) = (R5xx::new(model), memory(&records));
    for record in &records {
        record.write_pages(&memory);
        card.submit(&memory, &record.submission()).expect("commands");
    }
    assert_eq!(card.take_warnings(), [""; 0]);

    let registers = &card.state().registers;
    let (target, form) =
        (registers.binding::<Rb3dColoroffset>(0).expect("a target"), registers.at::<Rb3dColorpitch>(0));
    assert!(!form.macro_tile && form.micro_tile == 0, "rows lie one behind the other");
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

#[test]
fn pictures_are_as_they_were() {
    let mut scenes = 0;
    for entry in fs::read_dir(folder()).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "ctmcard") {
            continue;
        }
        scenes += 1;
        let found = picture(&path, WIDTH, HEIGHT);
        assert_eq!(differing(&found, &path.with_extension("png"), 0), 0, "{}: pixels differ", path.display());
        let far = differing(&found, &path.with_extension("llvmpipe.png"), ROUNDING);
        assert!(far <= EDGES, "{}: {far} pixels are far from llvmpipe's", path.display());
    }
    assert_eq!(scenes, 6);
}
