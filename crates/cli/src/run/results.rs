//! What a run writes to, and the files that receive it.

use super::frames::Frames;
use super::target::OutputFiles;
use crate::failure::require_memory;
use crate::host::Host;
use crate::options::RunArgs;
use crate::options::values::Vector;
use crate::outputs::Sink;
use crate::recorder::{Layout, Output, Recorder};
use crate::report::Message;
use crate::{Console, Failure};
use ctm_array::{Array, Data, FileSpec, Shape, Tonemap, WriteOptions};
use ctm_memory::{Bounds, Space, Surface, Tiling, View};
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows or elements that are cleared at a time.
const CLEARED: usize = 1 << 12;
/// Bytes that writing a result takes on the way, at most, for each of its own: its values, a picture of them, the file.
const WRITING: u64 = 3;

/// Everything that a run writes to, with the files that receive it.
#[derive(Default)]
pub struct Results {
    written: Vec<(Region, Option<OutputFiles>)>,
    /// The names of what it writes to, for people.
    names: Vec<String>,
    recorder: Option<Rc<Recorder>>,
    /// What outputs hold before each run.
    clear: Vector,
    options: WriteOptions,
    /// Whether row 0 of surfaces is the last one of files.
    bottom_up: bool,
    frames: Frames,
    /// Bytes of memory that the run may take.
    limit: u64,
    /// Colours below 0 and above 1 are shown as 0 and 1 without a word.
    as_displays_do: bool,
}

/// How the command line wants results.
#[derive(Clone, Default)]
pub struct ResultSettings {
    /// Values that pictures show from black to white.
    pub tonemap: Option<Tonemap>,
    /// What outputs hold before each run.
    pub clear: Vector,
    /// The frames of the run.
    pub frames: Frames,
    /// Who is told of results.
    pub recorder: Option<Rc<Recorder>>,
}

impl ResultSettings {
    /// Those of `ctm run`.
    pub fn of(args: &RunArgs) -> Self {
        let (frames, recorder) = (Frames::of(&args.frames), args.execution.recorder.clone());
        ResultSettings { tonemap: args.tonemap, clear: args.clear, frames, recorder }
    }
}

/// Something that the run writes to.
#[derive(Clone, Copy)]
pub enum Region {
    /// A surface, with the width and height of the part that counts.
    Surface(Surface, (usize, usize)),
    /// Rows of so many dwords, one after the other.
    Rows { base: u32, count: usize, dwords: usize },
}

/// Writes the same bytes so many times, one after the other.
fn repeat(space: &Space, base: u32, bytes: &[u8], count: usize) {
    let many = bytes.repeat(count.min(CLEARED));
    let end = base + (bytes.len() * count) as u32;
    for at in (base..end).step_by(many.len().max(1)) {
        let piece = &many[..many.len().min((end - at) as usize)];
        space.write_bytes(at, piece).expect("the arena was mapped for them");
    }
}

impl Region {
    /// How many values it has.
    fn values(self) -> u64 {
        match self {
            Region::Surface(surface, (width, height)) => (width * height * surface.format.channels()) as u64,
            Region::Rows { count, dwords, .. } => (count * dwords) as u64,
        }
    }

    /// Where lanes are in it.
    fn layout(self) -> Layout {
        match self {
            Region::Surface(..) => Layout::Positions,
            Region::Rows { .. } => Layout::Rows,
        }
    }

    /// The addresses that it has.
    fn bytes(self) -> Range<u64> {
        let (base, bytes) = match self {
            Region::Surface(surface, _) => (surface.base, surface.bytes()),
            Region::Rows { base, count, dwords } => (base, 4 * (count * dwords) as u64),
        };
        let base = u64::from(base);
        base..base + bytes
    }

    /// Fills it with one value: also the columns between width and pitch, which immediate writes and lookups in outputs
    /// reach.
    pub fn clear(self, space: &Space, value: [u32; 4]) {
        match self {
            Region::Surface(surface, _) => {
                let view = View::new(space, surface, Bounds::Drop);
                let Surface { base, pitch, height, tiling, format, .. } = surface;
                let elements = (pitch * height) as usize;
                // Rows without overlap are one row.
                let is_one_row =
                    tiling == Tiling::Linear && pitch.is_multiple_of(Surface::pitch_granule(tiling, format));
                if is_one_row && elements > 0 {
                    view.store(0, 0, value, 0xF);
                    let mut stored = vec![0; format.bytes_per_element() as usize];
                    space.read_bytes(base, &mut stored).expect("the arena was mapped for it");
                    return repeat(space, base, &stored, elements);
                }
                for y in 0..height.into() {
                    for x in 0..pitch.into() {
                        view.store(x, y, value, 0xF);
                    }
                }
            }
            Region::Rows { base, count, dwords } => {
                let row: Vec<u8> = value.into_iter().cycle().take(dwords).flat_map(u32::to_le_bytes).collect();
                repeat(space, base, &row, count);
            }
        }
    }

    /// What it holds.
    fn download(self, space: &Space) -> Result<Array, Message> {
        let wrong = |error: ctm_memory::RangeError| Message::error(error.to_string());
        match self {
            Region::Surface(surface, (width, height)) => {
                ctm_array::download(space, surface, width, height).map_err(wrong)
            }
            Region::Rows { base, count, dwords } => {
                let mut bytes = vec![0; 4 * dwords * count];
                space.read_bytes(base, &mut bytes).map_err(wrong)?;
                let words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
                Ok(Array { shape: Shape { width: dwords, height: count, channels: 1 }, data: Data::F32(words) })
            }
        }
    }
}

impl Results {
    /// The pictures are those of a shader: colours that a display has not are no news.
    pub fn show_as_displays_do(&mut self) {
        self.as_displays_do = true;
    }

    /// Of a run that writes to nothing, and may take `limit` bytes.
    pub fn new(settings: ResultSettings, limit: u64) -> Self {
        let ResultSettings { tonemap, clear, frames, recorder } = settings;
        Results {
            written: Vec::new(),
            names: Vec::new(),
            recorder,
            clear,
            options: WriteOptions { tonemap, ..WriteOptions::default() },
            bottom_up: false,
            frames,
            limit,
            as_displays_do: false,
        }
    }

    /// Says whether row 0 of surfaces is the last one of files.
    pub fn set_bottom_up(&mut self, bottom_up: bool) {
        self.bottom_up = bottom_up;
    }

    /// Adds something that the run writes to, and makes sure that the file can be written that is to receive it, if there is
    /// one.
    ///
    /// # Errors
    /// It cannot.
    pub fn add(
        &mut self,
        host: &dyn Host,
        name: String,
        region: Region,
        file: Option<&FileSpec>,
    ) -> Result<(), Failure> {
        let target =
            file.map(|file| OutputFiles::open(host, &file.path, file.kind, self.frames, self.options)).transpose()?;
        target.iter().try_for_each(|target| target.require_memory(region.values(), self.limit))?;
        self.written.push((region, target));
        self.names.push(name);
        Ok(())
    }

    /// Fills everything that the run can write to with what it is to hold before.
    pub fn clear(&self, space: &Space) {
        self.written.iter().for_each(|(region, _)| region.clear(space, self.clear.0));
    }

    /// Whether the run writes to memory of this surface.
    pub fn overlap(&self, surface: &Surface) -> bool {
        let begin = u64::from(surface.base);
        let end = begin + surface.bytes();
        self.written.iter().any(|(region, _)| {
            let written = region.bytes();
            begin < written.end && written.start < end
        })
    }

    /// Writes what a frame has left, still out of sight. Frames come in order.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn keep(&mut self, host: &dyn Host, space: &Space, frame: u32) -> Result<(), Failure> {
        for ((region, _), name) in self.written.iter().zip(&self.names) {
            let Some(recorder) = &self.recorder else { break };
            require_memory(region.values() * 4 * WRITING)?;
            let (name, layout, array) = (name.clone(), region.layout(), region.download(space)?);
            recorder.keep(Output { name, layout, array });
        }
        for (region, target) in &mut self.written {
            let Some(target) = target else { continue };
            require_memory(region.values() * 4 * WRITING)?;
            let mut array = region.download(space)?;
            if self.bottom_up && matches!(region, Region::Surface(..)) {
                array.flip_rows();
            }
            target.keep(host, frame, &array)?;
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
        for target in self.written.into_iter().filter_map(|(_, target)| target) {
            sinks.extend(target.finish(self.as_displays_do, console)?);
        }
        Ok(sinks)
    }
}
