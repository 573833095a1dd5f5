//! Traces of cards.

use ctm_gpu::card::{CardError, ReplayOptions, Trace};
use ctm_gpu::{Engine, Error};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

fn path(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/card")).join(name)
}

#[test]
fn traces_show_the_pictures_of_their_draws() {
    let trace = Trace::open(path("triangles.ctmcard")).unwrap();
    let engine = Engine::fastest();
    let all = trace.replay(&engine, &ReplayOptions::default()).unwrap();
    assert_eq!((all.draws(), all.submissions()), (trace.draws(), trace.submissions()));
    let picture = all.picture(0).unwrap().unwrap();
    let expected = ctm_gpu::array::read_png(&std::fs::read(path("triangles.png")).unwrap()).unwrap();
    assert_eq!((picture.shape.width, picture.shape.height), (expected.shape.width, expected.shape.height));
    let bytes =
        |array: &ctm_gpu::Array| array.to_floats().iter().map(|v| (v * 255.0).round() as u8).collect::<Vec<_>>();
    let rgb = |bytes: Vec<u8>, channels: usize| -> Vec<Vec<u8>> {
        bytes.chunks(channels).map(|pixel| pixel[..3].to_vec()).collect()
    };
    let (width, channels) = (picture.shape.width, expected.shape.channels as usize);
    let found = rgb(bytes(&picture), 4);
    // The first row of the picture file is the last one of OpenGL.
    let turned: Vec<Vec<u8>> = found.chunks(width).rev().flatten().cloned().collect();
    assert!(turned == rgb(bytes(&expected), channels), "the picture is not that of the file");

    let first = trace.replay(&engine, &ReplayOptions { draw: Some(0), ..ReplayOptions::default() }).unwrap();
    assert_eq!(first.draws(), 1);
    let beyond = trace.replay(&engine, &ReplayOptions { draw: Some(1000), ..ReplayOptions::default() });
    assert!(matches!(beyond, Err(Error::Card(CardError::NoDraw { draw: 1000, .. }))));
}

#[test]
fn pixels_have_their_history() {
    let trace = Trace::open(path("triangles.ctmcard")).unwrap();
    let options = ReplayOptions { pixel: Some((48, 32)), ..ReplayOptions::default() };
    let history = trace.replay(&Engine::fastest(), &options).unwrap().history();
    assert!(!history.is_empty() && history.iter().all(|draw| !draw.text.is_empty()));
}

#[test]
fn replays_can_be_cancelled_and_files_can_be_wrong() {
    let trace = Trace::open(path("triangles.ctmcard")).unwrap();
    let engine = Engine::fastest().with_cancel(Arc::new(AtomicBool::new(true)));
    assert!(matches!(trace.replay(&engine, &ReplayOptions::default()), Err(Error::Halted(_))));
    let told = Arc::new(AtomicBool::new(false));
    let flag = told.clone();
    let engine = Engine::fastest().with_progress(move |_, all| flag.store(all > 0, Relaxed));
    trace.replay(&engine, &ReplayOptions::default()).unwrap();
    assert!(told.load(Relaxed));
    assert!(matches!(Trace::read(b"no trace".to_vec()), Err(Error::Card(CardError::Trace(_)))));
    assert!(matches!(Trace::open("no such file"), Err(Error::File { .. })));
}
