//! A trace of the CTM device or of a card: what its commands say, what draws and starts of programs leave in memory, what was done to a pixel.

use crate::canvas::rgba;
use crate::depth;
use ctm_array::{Array, Data, Shape};
use ctm_card::history::{PixelWatch, ProgramRun};
use ctm_card::trace::TraceReader;
use ctm_cards::{Card, CardOptions, Model, PictureError};
use ctm_engine::{Engine, Executor};
use ctm_follow::words::effects;
use ctm_gpu::EngineName;
use ctm_lane::budget::Limits;
use ctm_replay::card::{Execution, Page, PixelDraw, Player, Survey};
use ctm_replay::device::DeviceTrace;
use ctm_replay::{Line, Stop, card, device};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;
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
/// Bytes of pictures after starts of programs that are kept.
const MOST_KEPT: usize = 128 << 20;
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
    #[error("unknown card {name:?} in the trace; known are {known}")]
    UnknownCard {
        /// What it says.
        name: String,
        /// The names that are known.
        known: String,
    },
    /// It is of a card that there is no space for on a page.
    #[error("the trace is of the card {name}, which this page is without: 'ctm card replay' has it")]
    LeftOut {
        /// The card's name.
        name: String,
    },
    /// There is no memory.
    #[error(transparent)]
    Arena(#[from] ctm_memory::ArenaError),
    /// There is no such device.
    #[error("cannot create the device: {0}")]
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
    #[error("there is no such surface after this draw")]
    NoSurface,
    /// Only cards have histories.
    #[error("traces of the device have no history of pixels")]
    NoHistory,
}

/// What a trace is.
#[derive(Debug, Serialize)]
pub struct TraceDescription {
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
pub struct TraceLine {
    /// The dword that it is about.
    pub dword: usize,
    /// What stands there.
    pub text: String,
    /// What that means.
    pub meaning: &'static str,
}

/// A part of a submission's lines.
#[derive(Debug, Serialize)]
pub struct TraceLines {
    /// Lines in front of these.
    pub before: usize,
    /// The lines.
    pub lines: Vec<TraceLine>,
    /// Lines after these.
    pub behind: usize,
}

/// A surface after a draw.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceSurface {
    /// Its name.
    pub name: String,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// What its elements have.
    pub channels: Vec<&'static str>,
    /// The depths that it shows black and white, if it is a depth buffer.
    pub depths: Option<[f32; 2]>,
}

impl TraceSurface {
    /// Of colours.
    fn of_colours(name: String, (width, height): (u32, u32), channels: usize) -> Self {
        let channels = ["r", "g", "b", "a"].into_iter().take(channels).collect();
        TraceSurface { name, width, height, channels, depths: None }
    }
}

/// What a draw, or a start of a program, leaves.
#[derive(Debug, Serialize)]
pub struct DrawResults {
    /// The surfaces that it could write, then those that it could read.
    pub surfaces: Vec<TraceSurface>,
    /// What is worth attention up to here.
    pub warnings: Vec<String>,
}

/// What a draw did to a pixel.
#[derive(Clone, Debug, Serialize)]
pub struct PixelEffect {
    /// The number of the draw.
    pub draw: usize,
    /// Which draw it is, in words.
    pub title: String,
    /// What it did, in lines.
    pub text: String,
}

enum Trace {
    Card { player: Box<Player>, survey: Survey, model: Model },
    Device(DeviceTrace),
}

/// What there is after a draw or a start of a program.
#[derive(Default)]
struct Behind {
    pictures: Vec<(TraceSurface, Array)>,
    warnings: Vec<String>,
}

/// The history of a pixel up to and with a draw.
struct History {
    at: (u32, u32),
    last: usize,
    draws: Vec<PixelEffect>,
}

/// A trace, and the surfaces after the draw that is looked at.
pub struct TraceView {
    trace: Trace,
    behind: Rc<Behind>,
    /// What is after starts of programs that were looked at.
    kept: BTreeMap<usize, Rc<Behind>>,
    kept_bytes: usize,
    /// The lines of the submission that was looked at last.
    listed: Option<(usize, Vec<Line>)>,
    history: Option<History>,
}

impl TraceView {
    /// Whether a file is a trace, by its first bytes.
    pub fn is_trace(bytes: &[u8]) -> bool {
        [DEVICE, CARD].iter().any(|magic| bytes.starts_with(magic))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It is not a trace, or one that is too large for a page.
    pub fn open(bytes: Vec<u8>) -> Result<Self, ViewError> {
        if bytes.len() > MOST_BYTES {
            return Err(ViewError::TooLarge(bytes.len()));
        }
        let trace = if bytes.starts_with(DEVICE) {
            let trace = DeviceTrace::read(&bytes)?;
            check_memory(trace.memory().iter().map(|&(_, bytes)| u64::from(bytes)).sum())?;
            Trace::Device(trace)
        } else {
            let survey = Survey::of(&bytes)?;
            let model = survey.model.ok_or_else(|| unknown_card(survey.card.clone()))?;
            check_memory(survey.memory().1.into())?;
            // What is after a damaged place was not counted, so it is not reached.
            let records = TraceReader::new(&bytes[..])?.map_while(Result::ok).collect();
            let player = Player::new(records, card_of(model, None), Arc::new(survey.arena()?));
            Trace::Card { player: Box::new(player), survey, model }
        };
        Ok(TraceView {
            trace,
            behind: Rc::default(),
            kept: BTreeMap::new(),
            kept_bytes: 0,
            listed: None,
            history: None,
        })
    }

    fn stops(&self) -> &[Stop] {
        match &self.trace {
            Trace::Card { survey, .. } => &survey.draws,
            Trace::Device(trace) => trace.starts(),
        }
    }

    /// What it is.
    pub fn describe(&self) -> TraceDescription {
        let stops = self.stops().iter().map(|stop| [stop.submission, stop.dword]).collect();
        match &self.trace {
            Trace::Card { survey, .. } => TraceDescription {
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
            Trace::Device(trace) => TraceDescription {
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
    pub fn lines(&mut self, submission: usize, dword: usize) -> Result<TraceLines, ViewError> {
        if self.listed.as_ref().is_none_or(|(listed, _)| *listed != submission) {
            self.listed = Some((submission, self.list(submission)?));
        }
        let lines = self.listed.as_ref().map_or(&[][..], |(_, lines)| lines);
        let at = lines.partition_point(|line| line.dword < dword);
        let first = at.saturating_sub(LINES);
        let said = |Line { dword, text, meaning }: &Line| {
            // Instructions have lines of their own in programs.
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            TraceLine { dword: *dword, text, meaning }
        };
        let part: Vec<_> = lines.iter().skip(first).take(2 * LINES).map(said).collect();
        Ok(TraceLines { before: first, behind: lines.len() - first - part.len(), lines: part })
    }

    /// All lines of a submission.
    fn list(&self, submission: usize) -> Result<Vec<Line>, ViewError> {
        let none = ViewError::NoSubmission(submission);
        match &self.trace {
            Trace::Card { player, survey, model } => {
                let record = player.records().get(submission).ok_or(none)?;
                let memory = survey.arena()?;
                // Programs may lie in objects.
                player.records()[..=submission].iter().for_each(|record| record.write_pages(&memory));
                Ok(card::lines(*model, &record.submission(), &memory))
            }
            Trace::Device(trace) => Ok(device::lines(trace.buffers().get(submission).ok_or(none)?)),
        }
    }

    /// Goes to the place after a draw, or a start of a program.
    ///
    /// # Errors
    /// There is none with this number, or no memory.
    pub fn go(&mut self, stop: usize) -> Result<DrawResults, ViewError> {
        self.behind = Rc::default();
        if stop >= self.stops().len() {
            return Err(ViewError::NoStop(stop));
        }
        self.behind = match (self.kept.get(&stop), &mut self.trace) {
            (Some(known), _) => known.clone(),
            (None, Trace::Card { player, model, .. }) => {
                player.go(stop);
                Rc::new(behind_draw(player, *model)?)
            }
            (None, Trace::Device(trace)) => {
                let behind = Rc::new(behind_start(trace, stop)?);
                let bytes: usize = behind.pictures.iter().map(|(_, array)| 4 * array.shape.values().unwrap_or(0)).sum();
                if self.kept_bytes.saturating_add(bytes) > MOST_KEPT {
                    (self.kept, self.kept_bytes) = Default::default();
                }
                self.kept_bytes += bytes;
                self.kept.insert(stop, behind.clone());
                behind
            }
        };
        let surfaces = self.behind.pictures.iter().map(|(shown, _)| shown.clone()).collect();
        Ok(DrawResults { surfaces, warnings: self.behind.warnings.clone() })
    }

    /// What a surface shows: four bytes for each pixel, row by row as they lie in memory.
    ///
    /// # Errors
    /// There is no such surface.
    pub fn picture(&self, surface: usize) -> Result<Vec<u8>, ViewError> {
        let (shown, array) = self.behind.pictures.get(surface).ok_or(ViewError::NoSurface)?;
        Ok(shown.depths.map_or_else(|| rgba(array), |depths| depth::gray(array, depths)))
    }

    /// The bits of the channels that a pixel of a surface has.
    ///
    /// # Errors
    /// There is no such surface.
    pub fn pixel(&self, surface: usize, x: u32, y: u32) -> Result<Vec<u32>, ViewError> {
        let (_, array) = self.behind.pictures.get(surface).ok_or(ViewError::NoSurface)?;
        let Shape { width, channels, .. } = array.shape;
        let at = (y as usize).saturating_mul(width).saturating_add(x as usize).saturating_mul(channels);
        Ok(array.data.to_f32().get(at..at.saturating_add(channels)).unwrap_or_default().to_vec())
    }

    /// What draws did to a pixel up to and with this one, each in its own colour buffers.
    ///
    /// # Errors
    /// The trace is none of a card, or there is no memory.
    pub fn history(&mut self, stop: usize, x: u32, y: u32) -> Result<Vec<PixelEffect>, ViewError> {
        let Trace::Card { player, survey, model } = &self.trace else { return Err(ViewError::NoHistory) };
        let is_known = |history: &History| history.at == (x, y) && history.last >= stop;
        let history = match self.history.take().filter(is_known) {
            Some(known) => known,
            None => {
                let card = card_of(*model, Some(PixelWatch { x, y, steps: STEPS }));
                let records = player.records().iter().cloned().map(Ok);
                let run = Execution::of(records, card, Arc::new(survey.arena()?), Some(stop))?;
                let done = |draw: &PixelDraw| {
                    let page = Page { draw, run: Some(&steps) };
                    PixelEffect { draw: draw.number, title: page.title(), text: page.text() }
                };
                History { at: (x, y), last: stop, draws: run.history.iter().map(done).collect() }
            }
        };
        let draws = history.draws.iter().filter(|done| done.draw <= stop).cloned().collect();
        self.history = Some(history);
        Ok(draws)
    }
}

fn check_memory(bytes: u64) -> Result<(), ViewError> {
    if bytes > MOST_MEMORY { Err(ViewError::Memory(bytes)) } else { Ok(()) }
}

/// Why there is no card of this name.
fn unknown_card(name: String) -> ViewError {
    if Model::is_left_out(&name) {
        return ViewError::LeftOut { name };
    }
    ViewError::UnknownCard { name, known: Model::names() }
}

fn card_of(model: Model, watch: Option<PixelWatch>) -> Card {
    let executor = Some(Executor::Engine(Engine::interpreter()));
    Card::new(model, CardOptions { executor, threads: 1, time_limit: Some(RUN_TIME), watch, ..CardOptions::default() })
}

/// What the draw left that a player stands behind.
fn behind_draw(player: &Player, model: Model) -> Result<Behind, ViewError> {
    let (mut pictures, mut warnings) = (Vec::new(), player.warnings().to_vec());
    for number in 0..model.colour_buffers() {
        let Some(picture) = player.card().picture(player.memory(), number)? else { continue };
        let shape = Shape { width: picture.width as usize, height: picture.height as usize, channels: 4 };
        let data = Data::F32(picture.pixels.into_flattened());
        let shown = TraceSurface::of_colours(format!("colour buffer {number}"), (picture.width, picture.height), 4);
        pictures.push((shown, Array { shape, data }));
    }
    match player.card().depth_picture(player.memory()) {
        Ok(picture) => pictures.extend(picture.map(|picture| {
            let (width, height) = (picture.width, picture.height);
            let (array, channels, depths) = depth::surface(picture);
            (TraceSurface { name: "depth buffer".to_owned(), width, height, channels, depths: Some(depths) }, array)
        })),
        Err(error) => warnings.push(format!("the depth buffer is not shown: {error}")),
    }
    warnings.truncate(WARNINGS);
    Ok(Behind { pictures, warnings })
}

/// What a start of a program on the device left.
fn behind_start(trace: &DeviceTrace, stop: usize) -> Result<Behind, ViewError> {
    let limits = Limits { run_time: Some(RUN_TIME), memory: MOST_MEMORY, ..Limits::DEFAULT };
    let options = ctm_device::Options { engine: EngineName::Interp, threads: 1, limits, ..trace.options() };
    let mut run = trace.execute(options, Some(stop))?;
    let shown = |bound: ctm_replay::device::Bound| {
        // What is not all in memory cannot be seen.
        let array = run.picture(&bound).ok()?;
        Some((TraceSurface::of_colours(bound.name, (bound.width, bound.height), array.shape.channels), array))
    };
    let pictures = run.surfaces().into_iter().filter_map(shown).collect();
    run.warnings.truncate(WARNINGS);
    Ok(Behind { pictures, warnings: run.warnings })
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
