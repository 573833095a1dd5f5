//! The files that receive one result: a file, one for each frame, or an animation.

use super::frames::{Frames, file};
use crate::failure::require_memory;
use crate::host::Host;
use crate::outputs::{OutputKind, Sink};
use crate::report::Message;
use crate::{Console, Failure};
use ctm_array::{Animation, Array, ClampedValues, FileKind, WriteOptions};
use ctm_lane::budget::Halt;
use std::path::{Path, PathBuf};

/// Bytes that an animation takes for each value of its frames, at most: what is shown, arranged as a picture, and the file.
const ANIMATING: u64 = 4;

/// The files that receive what each frame leaves of one output.
pub struct OutputFiles {
    /// The file, or what the names of files are made from.
    path: PathBuf,
    kind: FileKind,
    options: WriteOptions,
    frames: Frames,
    /// The file of the first frame, or of the animation, until it is written.
    first: Option<Sink>,
    /// What was written.
    written: Vec<Sink>,
    animation: Option<Animation>,
    /// Values that pictures do not show.
    hidden: Option<ClampedValues>,
}

impl OutputFiles {
    /// Makes sure that the files can be written, before the run.
    ///
    /// # Errors
    /// They cannot, or their names do not fit the frames.
    pub fn open(
        host: &dyn Host,
        path: &Path,
        kind: FileKind,
        frames: Frames,
        options: WriteOptions,
    ) -> Result<Self, Failure> {
        let name = path.display();
        let is_animation = kind == FileKind::Apng;
        let first = match frames.count {
            None if is_animation => {
                let message = format!("'{name}' is the name of an animation, but this run has one frame");
                return Err(Failure::Usage(Message::error(message).help("--frames N makes it a run of N frames")));
            }
            None => path.into(),
            Some(_) if is_animation => path.into(),
            Some(_) => file(path, 0).ok_or_else(|| {
                let message = format!("each frame has a file of its own, but '{name}' has no place for a number");
                Failure::Usage(
                    Message::error(message).help("such names are like frame-%04d.png; out.apng has all frames"),
                )
            })?,
        };
        Ok(OutputFiles {
            path: path.into(),
            kind,
            options,
            frames,
            first: Some(Sink::open(host, &first, OutputKind::Array)?),
            written: Vec::new(),
            animation: is_animation.then(|| Animation::new(options)),
            hidden: None,
        })
    }

    /// Makes sure that there is memory for frames of so many values.
    ///
    /// # Errors
    /// Animations stay in memory until they are written, and this one has more than `limit` bytes, or than there are.
    pub fn require_memory(&self, values: u64, limit: u64) -> Result<(), Failure> {
        if self.animation.is_none() {
            return Ok(());
        }
        let frames = u64::from(self.frames.numbers().end);
        let wanted = values.saturating_mul(frames).saturating_mul(ANIMATING);
        if wanted > limit { Err(Halt::Memory { wanted, limit }.into()) } else { require_memory(wanted) }
    }

    /// Writes what a frame has left, still out of sight. Frames come in order.
    ///
    /// # Errors
    /// The file cannot be written, or there is no such picture.
    pub fn keep(&mut self, host: &dyn Host, frame: u32, array: &Array) -> Result<(), Failure> {
        if matches!(self.kind, FileKind::Png | FileKind::Apng) {
            self.hidden = match (self.hidden, ClampedValues::of(array, self.options.tonemap)) {
                (Some(before), Some(more)) => Some(before.merged(more)),
                (before, more) => before.or(more),
            };
        }
        if let Some(animation) = &mut self.animation {
            return Ok(animation.push(array).map_err(|error| unwritable(&self.path, &error.to_string()))?);
        }
        let path = file(&self.path, frame).filter(|_| self.frames.count.is_some()).unwrap_or_else(|| self.path.clone());
        let bytes = ctm_array::encode(self.kind, array, &self.options);
        let bytes = bytes.map_err(|error| unwritable(&path, &error.to_string()))?;
        let mut sink = match self.first.take() {
            Some(sink) => sink,
            None => Sink::open(host, &path, OutputKind::Array)?,
        };
        sink.write(&bytes)?;
        self.written.push(sink);
        Ok(())
    }

    /// The files, which are complete. Reports what pictures do not show; where they are to be as displays have them, that is only what is
    /// not a number.
    ///
    /// # Errors
    /// The animation cannot be written.
    pub fn finish(mut self, as_displays_do: bool, console: &mut Console) -> Result<Vec<Sink>, Failure> {
        let hidden = self.hidden.map(|hidden| match as_displays_do {
            true => ClampedValues { below: 0, above: 0, ..hidden },
            false => hidden,
        });
        if let Some(hidden) = hidden.filter(|hidden| hidden.below + hidden.above + hidden.nan > 0) {
            console.report(&hides(&self.path.display().to_string(), &hidden));
        }
        if let (Some(animation), Some(mut sink)) = (&self.animation, self.first.take()) {
            let bytes = animation.encode(self.frames.rate);
            sink.write(&bytes.map_err(|error| unwritable(&self.path, &error.to_string()))?)?;
            self.written.push(sink);
        }
        Ok(self.written)
    }
}

fn unwritable(path: &Path, error: &str) -> Message {
    Message::error(format!("cannot write '{}': {error}", path.display()))
}

/// Warns of values that a picture does not show.
fn hides(name: &str, &ClampedValues { below, above, nan, of, range }: &ClampedValues) -> Message {
    let counts = [(below, "below 0"), (above, "above 1"), (nan, "NaN")];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let message = Message::warning(format!("{counts} of {of} values were clamped in '{name}'"));
    match range.filter(|_| below + above > 0) {
        Some([min, max]) => {
            message.help(format!("--tonemap {min},{max} shows all numbers; .npy and .f32 keep the values"))
        }
        None => message.help(".npy and .f32 keep the values"),
    }
}
