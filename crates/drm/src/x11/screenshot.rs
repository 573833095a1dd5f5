//! A picture of one frame, where `CTM_CARD_SCREENSHOT` asks for it: `FILE.png`, or `FILE.png@N` for the Nth frame that the process presents.

use super::xcb::Extent;
use crate::device::complain;
use ctm_array::{Array, Data, FileKind, Shape, WriteOptions, encode};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Frames that were presented.
static PRESENTED: AtomicU64 = AtomicU64::new(0);

/// What is asked for: the file, and which frame, from 1.
fn asked() -> Option<&'static (PathBuf, u64)> {
    static ASKED: OnceLock<Option<(PathBuf, u64)>> = OnceLock::new();
    let read = || Some(parse(env::var("CTM_CARD_SCREENSHOT").ok().filter(|value| !value.is_empty())?));
    ASKED.get_or_init(read).as_ref()
}

/// File and frame. What is no number after the last `@` is a part of the name.
fn parse(value: String) -> (PathBuf, u64) {
    match value.rsplit_once('@').and_then(|(file, frame)| Some((file, frame.parse().ok().filter(|&n| n != 0)?))) {
        Some((file, frame)) => (file.into(), frame),
        None => (value.into(), 1),
    }
}

/// Counts a frame, and writes it if it is the one: `read` gives its extent, bits for each pixel, and rows of whole words.
pub fn present(read: impl FnOnce() -> Option<(Extent, u8, Vec<u8>)>) {
    let Some((file, frame)) = asked() else { return };
    if PRESENTED.fetch_add(1, Relaxed) + 1 != *frame {
        return;
    }
    let written = read()
        .ok_or_else(|| "the window's buffer is not one of the card".to_owned())
        .and_then(|(extent, bits, rows)| write(file, extent, bits, &rows));
    if let Err(reason) = written {
        complain(&format!("{}: no screenshot: {reason}", file.display()));
    }
}

/// Says at the program's end that there were too few frames.
pub fn complain_of_missing() {
    let presented = PRESENTED.load(Relaxed);
    if let Some((file, frame)) = asked().filter(|(_, frame)| presented < *frame) {
        complain(&format!(
            "{}: no screenshot of frame {frame}: the program presented {presented} in windows of X (other frames are not seen)",
            file.display()
        ));
    }
}

/// Writes pixels of which each is blue, green, red and something else.
fn write(file: &Path, extent: Extent, bits: u8, rows: &[u8]) -> Result<(), String> {
    if bits != 32 || extent.depth > 24 && extent.depth != 32 {
        return Err(format!(
            "pixels of {bits} bits, {} of them colours, are not supported (32 and 24 are)",
            extent.depth
        ));
    }
    let shape = Shape { width: extent.width.into(), height: extent.height.into(), channels: 3 };
    let colours = rows.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
    let array = Array { shape, data: Data::U8(colours) };
    let bytes = encode(FileKind::Png, &array, &WriteOptions::default()).map_err(|error| error.to_string())?;
    fs::write(file, bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_say_which_frame() {
        let parse = |text: &str| parse(text.to_owned());
        assert_eq!(parse("a.png"), ("a.png".into(), 1));
        assert_eq!(parse("a.png@60"), ("a.png".into(), 60));
        assert_eq!(parse("me@home/a.png"), ("me@home/a.png".into(), 1));
        assert_eq!(parse("a.png@0"), ("a.png@0".into(), 1));
    }

    #[test]
    fn pictures_have_the_colours_of_the_window() {
        let file = env::temp_dir().join(format!("ctm-screenshot-{}.png", std::process::id()));
        let extent = Extent { width: 2, height: 1, depth: 24 };
        write(&file, extent, 32, &[1, 2, 3, 99, 4, 5, 6, 99]).unwrap();
        let read = ctm_array::read_png(&fs::read(&file).unwrap()).unwrap();
        fs::remove_file(&file).unwrap();
        assert_eq!(read.data, Data::U8(vec![3, 2, 1, 6, 5, 4]));
        assert!(write(&file, extent, 16, &[0; 4]).unwrap_err().contains("16 bits"));
    }
}
