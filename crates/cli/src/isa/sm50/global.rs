//! Global memory of a run: files into it, parts of it into files.

use super::options::{GlobalFile, GlobalOutput, MemoryArgs};
use crate::failure::require_memory;
use crate::files;
use crate::host::Host;
use crate::outputs::Sink;
use crate::recorder::{Layout, Output, Recorder};
use crate::report::Message;
use crate::run::{OutputFiles, ResultSettings};
use crate::{Console, Failure};
use ctm_array::{Array, Data, FileKind, Shape, Words, WriteOptions};
use ctm_lane::budget::Halt;
use ctm_memory::{Arena, ArenaError, BASE_ALIGNMENT, Space};
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that writing a result takes on the way, at most, for each of its own: its bytes, values, the file.
const WRITING: u64 = 3;

/// What global memory holds before a run, and the files that receive parts of it.
pub struct GlobalMemory {
    contents: Vec<(u32, Vec<u8>)>,
    outputs: Vec<Kept>,
    /// The addresses of images.
    images: Vec<Range<u64>>,
    recorder: Option<Rc<Recorder>>,
    /// Bytes that it may have.
    limit: u64,
}

/// A part of it that a file receives.
struct Kept {
    range: Range<u64>,
    target: OutputFiles,
    shape: Shape,
    words: Words,
    /// The file is a picture.
    is_picture: bool,
}

impl Kept {
    /// What the file shows of dwords: the levels of a picture, where they are integers, or the dwords themselves.
    fn data(&self, words: &[u32]) -> Data {
        let level = |&word: &u32| -> f32 {
            match self.words {
                Words::Float => f32::from_bits(word),
                Words::Signed => word.cast_signed() as f32 / WHITE,
                Words::Unsigned => word as f32 / WHITE,
            }
        };
        Data::F32(if self.is_picture {
            words.iter().map(|word| level(word).to_bits()).collect()
        } else {
            words.to_vec()
        })
    }
}

/// The integer that a picture shows as white.
const WHITE: f32 = 255.0;

impl GlobalMemory {
    /// Reads what is to fill it, and makes sure that the files can be written.
    ///
    /// # Errors
    /// A file is wrong, or two fill the same bytes.
    pub fn prepare(host: &dyn Host, args: &MemoryArgs, settings: ResultSettings, limit: u64) -> Result<Self, Failure> {
        let mut contents = Vec::new();
        for GlobalFile { address, path } in &args.globals {
            let words = files::read_dwords(host, path, None).map_err(Message::from)?;
            contents.push((*address, words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()));
        }
        let mut ranges: Vec<_> = contents.iter().map(|(address, bytes)| range(*address, bytes.len() as u64)).collect();
        ranges.sort_by_key(|range| range.start);
        if let Some(pair) = ranges.windows(2).find(|pair| pair[0].end > pair[1].start) {
            let message = format!("global memory at {:#x} is filled by two files", pair[1].start);
            return Err(Failure::Usage(Message::error(message).help("give the files addresses that do not overlap")));
        }
        let open = |&GlobalOutput { address, columns, rows, words, ref path }: &GlobalOutput| {
            let kind = FileKind::of(path).map_err(|error| Failure::Usage(Message::error(error.to_string())))?;
            let options = WriteOptions { words, ..WriteOptions::default() };
            let target = OutputFiles::open(host, path, kind, settings.frames, options)?;
            let shape = Shape { width: columns as usize, height: rows as usize, channels: 1 };
            target.require_memory(shape.values().unwrap_or(usize::MAX) as u64, limit)?;
            let is_picture = matches!(kind, FileKind::Png | FileKind::Apng);
            let range = range(address, 4 * u64::from(columns) * u64::from(rows));
            Ok(Kept { range, target, shape, words, is_picture })
        };
        let outputs = args.global_outputs.iter().map(open).collect::<Result<_, Failure>>()?;
        let images = args.images.iter().map(|image| image.value.range()).collect();
        Ok(GlobalMemory { contents, outputs, images, recorder: settings.recorder, limit })
    }

    /// The addresses that files receive.
    pub fn kept(&self) -> impl Iterator<Item = Range<u64>> {
        self.outputs.iter().map(|kept| kept.range.clone())
    }

    /// Memory as it is before a run.
    ///
    /// # Errors
    /// There is not so much, or not there.
    pub fn space(&self) -> Result<Space, Failure> {
        let filled = self.contents.iter().map(|(address, bytes)| range(*address, bytes.len() as u64));
        let kept = self.outputs.iter().map(|kept| kept.range.clone());
        let space = space(filled.chain(kept).chain(self.images.iter().cloned()).collect(), self.limit)?;
        for (address, bytes) in &self.contents {
            space.write_bytes(*address, bytes).map_err(|error| Message::error(error.to_string()))?;
        }
        Ok(space)
    }

    /// Writes what a frame has left in memory, still out of sight. Frames come in order.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn keep(&mut self, host: &dyn Host, space: &Space, frame: u32) -> Result<(), Failure> {
        for kept in &mut self.outputs {
            let range = kept.range.clone();
            require_memory((range.end - range.start) * WRITING)?;
            let mut bytes = vec![0; (range.end - range.start) as usize];
            let read = space.read_bytes(range.start as u32, &mut bytes);
            read.map_err(|error| Message::error(error.to_string()))?;
            let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
            let array = Array { shape: kept.shape, data: kept.data(&words) };
            kept.target.keep(host, frame, &array)?;
            if let Some(recorder) = &self.recorder {
                let (name, layout) = (format!("memory {:#x}", range.start), Layout::Words(range.start as u32));
                recorder.keep(Output { name, layout, array });
            }
        }
        Ok(())
    }

    /// Lets the files appear together, unless `cancel` is raised by then.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn commit(self, cancel: &AtomicBool, console: &mut Console) -> Result<(), Failure> {
        let sinks = self.finish(console)?;
        if cancel.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        Sink::commit(sinks, console)
    }

    /// The files, which are complete, and not yet there.
    ///
    /// # Errors
    /// An animation cannot be written.
    pub fn finish(self, console: &mut Console) -> Result<Vec<Sink>, Failure> {
        let mut sinks = Vec::new();
        for kept in self.outputs {
            sinks.extend(kept.target.finish(false, console)?);
        }
        Ok(sinks)
    }
}

fn range(address: u32, bytes: u64) -> Range<u64> {
    u64::from(address)..u64::from(address) + bytes
}

/// Memory that has at least these bytes, and takes at most `limit`; ranges that touch the same block of it share an arena.
fn space(mut ranges: Vec<Range<u64>>, limit: u64) -> Result<Space, Failure> {
    let block = u64::from(BASE_ALIGNMENT);
    ranges.sort_by_key(|range| range.start);
    let mut arenas: Vec<Range<u64>> = Vec::new();
    for Range { start, end } in ranges {
        let (start, end) = (start / block * block, end.next_multiple_of(block));
        match arenas.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => arenas.push(start..end),
        }
    }
    let wanted = arenas.iter().map(|range| range.end - range.start).sum();
    if wanted > limit {
        return Err(Halt::Memory { wanted, limit }.into());
    }
    let mut space = Space::default();
    for Range { start, end } in arenas {
        let unmapped = |cause: String| {
            Message::error(format!("no global memory at {start:#x}: {cause}"))
                .help("addresses are below 2^32, and not in the lowest 2 KiB")
        };
        let size = u32::try_from(end - start).map_err(|error| unmapped(error.to_string()))?;
        let arena = Arena::new(start as u32, size).map_err(|error| match error {
            ArenaError::NoMemory { size } => Halt::NoMemory { bytes: size.into() }.into(),
            ArenaError::Misaligned { .. } | ArenaError::OutsideAddressSpace { .. } => {
                Failure::from(unmapped(error.to_string()))
            }
        })?;
        space.map(arena).map_err(|error| unmapped(error.to_string()))?;
    }
    Ok(space)
}
