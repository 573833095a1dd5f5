//! A trace of the CTM device or of a card: what its commands say, what draws and starts of programs leave in memory, what was done to a pixel.

use crate::canvas::rgba;
use ctm_array::{Array, Data, Shape};
use ctm_card::history::{ProgramRun, Watch};
use ctm_card::trace::TraceReader;
use ctm_cards::{Card, Model, PictureError, Setup};
use ctm_engine::{Engine, Executor};
use ctm_follow::words::effects;
use ctm_gpu::EngineName;
use ctm_lane::budget::Limits;
use ctm_replay::card::{Execution, Page, PixelDraw, Survey};
use ctm_replay::device::DeviceTrace;
use ctm_replay::{Line, Stop, card, device};
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Bytes of memory that a trace may need: a page has less than a machine.
const MOST_MEMORY: u64 = 512 << 20;
/// Bytes of a trace's file.
const MOST_BYTES: usize = 256 << 20;
/// Longest time of a submission, or of a start of a program.
const RUN_TIME: Duration = Duration::from_secs(20);
/// Instructions that are kept of each run of a program over a pixel.
const STEPS: u64 = 200;
/// Lines of a submission that are shown around a draw, on each side of it.
const LINES: usize = 1000;
/// Warnings that are shown.
const WARNINGS: usize = 100;
/// First bytes of traces of the device, and of a card.
const DEVICE: &[u8] = b"CTMTRACE";
const CARD: &[u8] = b"CTM CARD";

/// Why a trace cannot be looked at.
#[derive(Debug, Error)]
pub enum ViewError {
    /// The file is too large.
    #[error(
        "the trace has {0} bytes; the page takes {MOST_BYTES} at most: 'ctm replay' and 'ctm card replay' take more"
    )]
    TooLarge(usize),
    /// Its commands reach too much memory.
    #[error(
        "the trace's commands reach {0} bytes of memory; the page has {MOST_MEMORY} for them: 'ctm replay' and 'ctm card replay' have more"
    )]
    Memory(u64),
    /// It is damaged.
    #[error(transparent)]
    Card(#[from] ctm_card::trace::TraceError),
    /// It is damaged.
    #[error(transparent)]
    Device(#[from] ctm_device::TraceError),
    /// It is of a card that is not known.
    #[error("the trace is of a card that is not known: {name:?}; known are {known}")]
    UnknownCard {
        /// What it says.
        name: String,
        /// The names that are known.
        known: String,
    },
    /// There is no memory.
    #[error(transparent)]
    Arena(#[from] ctm_memory::ArenaError),
    /// There is no such device.
    #[error("no such device can be made: {0}")]
    Open(#[from] ctm_device::OpenError),
    /// A surface is outside of memory.
    #[error(transparent)]
    Range(#[from] ctm_memory::RangeError),
    /// A colour buffer has a format that there is not.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// There is no such submission.
    #[error("the trace has no submission {0}")]
    NoSubmission(usize),
    /// There is no such draw.
    #[error("the trace has no draw or start of a program {0}")]
    NoStop(usize),
    /// There is no such surface.
    #[error("there is no such surface behind this draw")]
    NoSurface,
    /// Only cards have histories.
    #[error("traces of the device have no history of pixels")]
    NoHistory,
}

/// What a trace is.
#[derive(Debug, Serialize)]
pub struct Described {
    /// `card` or `device`.
    pub kind: &'static str,
    /// In words: names, and what is said of them.
    pub facts: Vec<(&'static str, String)>,
    /// Submission and dword of each draw, or start of a program, in order.
    pub stops: Vec<[usize; 2]>,
    /// How many submissions there are.
    pub submissions: usize,
    /// Why not all of the file can be read.
    pub damage: Option<String>,
}

/// A line of a submission.
#[derive(Debug, Serialize)]
pub struct Said {
    /// The dword that it is about.
    pub dword: usize,
    /// What stands there.
    pub text: String,
    /// What that means.
    pub meaning: &'static str,
}

/// A part of a submission's lines.
#[derive(Debug, Serialize)]
pub struct Part {
    /// Lines in front of these.
    pub before: usize,
    /// The lines.
    pub lines: Vec<Said>,
    /// Lines behind these.
    pub behind: usize,
}

/// A surface behind a draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// Its name.
    pub name: String,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// What a draw, or a start of a program, leaves.
#[derive(Debug, Serialize)]
pub struct Left {
    /// The surfaces that it could write, then those that it could read.
    pub surfaces: Vec<Shown>,
    /// What is worth attention up to here.
    pub warnings: Vec<String>,
}

/// What a draw did to a pixel.
#[derive(Debug, Serialize)]
pub struct Done {
    /// The number of the draw.
    pub draw: usize,
    /// Which draw it is, in words.
    pub title: String,
    /// What it did, in lines.
    pub text: String,
}

enum Trace {
    Card { bytes: Vec<u8>, survey: Survey, model: Model },
    Device(DeviceTrace),
}

/// A trace, and the surfaces behind the draw that is looked at.
pub struct TraceView {
    trace: Trace,
    pictures: Vec<(Shown, Array)>,
}

impl TraceView {
    /// Whether a file is a trace, by its first bytes.
    pub fn is_trace(bytes: &[u8]) -> bool {
        [DEVICE, CARD].iter().any(|magic| bytes.starts_with(magic))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It is no trace, or one that is too large for a page.
    pub fn open(bytes: Vec<u8>) -> Result<Self, ViewError> {
        if bytes.len() > MOST_BYTES {
            return Err(ViewError::TooLarge(bytes.len()));
        }
        let trace = if bytes.starts_with(DEVICE) {
            Trace::Device(DeviceTrace::read(&bytes)?)
        } else {
            let survey = Survey::of(&bytes)?;
            let model = survey
                .model
                .ok_or_else(|| ViewError::UnknownCard { name: survey.card.clone(), known: Model::names() })?;
            Trace::Card { bytes, survey, model }
        };
        let memory = match &trace {
            Trace::Card { survey, .. } => survey.memory().1.into(),
            Trace::Device(trace) => trace.memory().iter().map(|&(_, bytes)| u64::from(bytes)).sum(),
        };
        if memory > MOST_MEMORY {
            return Err(ViewError::Memory(memory));
        }
        Ok(TraceView { trace, pictures: Vec::new() })
    }

    fn stops(&self) -> &[Stop] {
        match &self.trace {
            Trace::Card { survey, .. } => &survey.draws,
            Trace::Device(trace) => trace.starts(),
        }
    }

    /// What it is.
    pub fn describe(&self) -> Described {
        let stops = self.stops().iter().map(|stop| [stop.submission, stop.dword]).collect();
        match &self.trace {
            Trace::Card { survey, .. } => Described {
                kind: "card",
                facts: vec![
                    ("card", survey.card.clone()),
                    ("submissions", survey.submissions.to_string()),
                    ("draws", survey.draws.len().to_string()),
                    ("memory", bytes_in_words(survey.memory().1.into())),
                ],
                stops,
                submissions: survey.submissions,
                damage: survey.damage.as_ref().map(ToString::to_string),
            },
            Trace::Device(trace) => Described {
                kind: "device",
                facts: vec![
                    ("submissions", trace.buffers().len().to_string()),
                    ("starts of programs", trace.starts().len().to_string()),
                    ("memory", bytes_in_words(trace.memory().iter().map(|&(_, bytes)| u64::from(bytes)).sum())),
                ],
                stops,
                submissions: trace.buffers().len(),
                damage: None,
            },
        }
    }

    /// The lines of a submission around a dword.
    ///
    /// # Errors
    /// There is no such submission.
    pub fn lines(&self, submission: usize, dword: usize) -> Result<Part, ViewError> {
        let none = ViewError::NoSubmission(submission);
        let lines = match &self.trace {
            Trace::Card { bytes, survey, model } => {
                let memory = survey.arena()?;
                let mut last = None;
                // Programs may lie in objects.
                for record in records(bytes)?.take(submission.saturating_add(1)) {
                    let record = record?;
                    record.write_pages(&memory);
                    last = Some(record);
                }
                let record = last.filter(|_| submission < survey.submissions).ok_or(none)?;
                card::lines(*model, &record.submission(), &memory)
            }
            Trace::Device(trace) => device::lines(trace.buffers().get(submission).ok_or(none)?),
        };
        let at = lines.partition_point(|line| line.dword < dword);
        let first = at.saturating_sub(LINES);
        let count = lines.len();
        let said = |Line { dword, text, meaning }: Line| {
            // Instructions have lines of their own in programs.
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            Said { dword, text, meaning }
        };
        let lines: Vec<_> = lines.into_iter().skip(first).take(2 * LINES).map(said).collect();
        Ok(Part { before: first, behind: count - first - lines.len(), lines })
    }

    /// Executes the trace up to and with a draw, or a start of a program.
    ///
    /// # Errors
    /// There is none with this number, or no memory.
    pub fn go(&mut self, stop: usize) -> Result<Left, ViewError> {
        self.pictures.clear();
        if stop >= self.stops().len() {
            return Err(ViewError::NoStop(stop));
        }
        let mut warnings = match &self.trace {
            Trace::Card { bytes, survey, model } => {
                let run = execute(bytes, survey, *model, None, stop)?;
                for number in 0..model.colour_buffers() {
                    let Some(picture) = run.card.picture(&run.memory, number)? else { continue };
                    let shape = Shape { width: picture.width as usize, height: picture.height as usize, channels: 4 };
                    let data = Data::F32(picture.pixels.into_flattened());
                    let (width, height) = (picture.width, picture.height);
                    let shown = Shown { name: format!("colour buffer {number}"), width, height };
                    self.pictures.push((shown, Array { shape, data }));
                }
                run.warnings
            }
            Trace::Device(trace) => {
                let limits = Limits { run_time: Some(RUN_TIME), memory: MOST_MEMORY, ..Limits::DEFAULT };
                let options = ctm_device::Options { engine: EngineName::Interp, threads: 1, limits, ..trace.options() };
                let run = trace.execute(options, Some(stop))?;
                for bound in run.surfaces() {
                    let shown = Shown { name: bound.name.clone(), width: bound.width, height: bound.height };
                    // What is not all in memory cannot be seen.
                    self.pictures.extend(run.picture(&bound).ok().map(|array| (shown, array)));
                }
                run.warnings
            }
        };
        warnings.truncate(WARNINGS);
        Ok(Left { surfaces: self.pictures.iter().map(|(shown, _)| shown.clone()).collect(), warnings })
    }

    /// What a surface shows: four bytes for each pixel, row by row as they lie in memory.
    ///
    /// # Errors
    /// There is no such surface.
    pub fn picture(&self, surface: usize) -> Result<Vec<u8>, ViewError> {
        Ok(rgba(&self.pictures.get(surface).ok_or(ViewError::NoSurface)?.1))
    }

    /// The bits of the channels that a pixel of a surface has.
    ///
    /// # Errors
    /// There is no such surface.
    pub fn pixel(&self, surface: usize, x: u32, y: u32) -> Result<Vec<u32>, ViewError> {
        let (_, array) = self.pictures.get(surface).ok_or(ViewError::NoSurface)?;
        let Shape { width, channels, .. } = array.shape;
        let at = (y as usize).saturating_mul(width).saturating_add(x as usize).saturating_mul(channels);
        Ok(array.data.to_f32().get(at..at.saturating_add(channels)).unwrap_or_default().to_vec())
    }

    /// What draws did to a pixel up to and with this one, each in its own colour buffers.
    ///
    /// # Errors
    /// The trace is none of a card, or there is no memory.
    pub fn history(&self, stop: usize, x: u32, y: u32) -> Result<Vec<Done>, ViewError> {
        let Trace::Card { bytes, survey, model } = &self.trace else { return Err(ViewError::NoHistory) };
        let run = execute(bytes, survey, *model, Some(Watch { x, y, steps: STEPS }), stop)?;
        let done = |draw: &PixelDraw| {
            let page = Page { draw, run: Some(&steps) };
            Done { draw: draw.number, title: page.title(), text: page.text() }
        };
        Ok(run.history.iter().map(done).collect())
    }
}

fn records(bytes: &[u8]) -> Result<TraceReader<&[u8]>, ViewError> {
    Ok(TraceReader::new(bytes)?)
}

/// Executes a trace of a card; what is behind a damaged place was not counted, so it is not reached.
fn execute(
    bytes: &[u8],
    survey: &Survey,
    model: Model,
    watch: Option<Watch>,
    last: usize,
) -> Result<Execution, ViewError> {
    let executor = Some(Executor::Engine(Engine::interpreter()));
    let card = Card::new(model, Setup { executor, threads: 1, time_limit: Some(RUN_TIME), watch, ..Setup::default() });
    Ok(Execution::of(records(bytes)?, card, Arc::new(survey.arena()?), Some(last))?)
}

/// The instructions of a program over a pixel, with what came of each.
fn steps(run: &ProgramRun) -> String {
    let mut text = String::new();
    for step in &run.steps {
        let pc = (run.listing.address)(step.event.at);
        let instruction = run.listing.text(step.event.at, step.event.part);
        let instruction = instruction.split_whitespace().collect::<Vec<_>>().join(" ");
        _ = writeln!(text, "      {pc:>3}  {instruction}");
        for effect in effects(step) {
            _ = writeln!(text, "             {effect}");
        }
    }
    let left = run.end.steps.saturating_sub(run.steps.len() as u64);
    if left > 0 {
        _ = writeln!(text, "      ... {left} more");
    }
    text
}

fn bytes_in_words(bytes: u64) -> String {
    match bytes {
        ..0x10_0000 => format!("{} KiB", bytes.div_ceil(1 << 10)),
        _ => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
    }
}
