//! Traces of graphics cards, executed again.

pub use crate::card_error::CardError;
use crate::{Engine, Error};
use ctm_array::{Array, Data, Shape};
use ctm_card::history::PixelWatch;
use ctm_card::trace::{TraceError, TraceReader};
use ctm_cards::{Card, CardOptions};
use ctm_codegen::EngineName;
use ctm_lane::budget::{Halt, Meter};
use ctm_replay::card::{Execution, Page, Survey};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A trace that `ctm card record` made: what a driver submitted to a card.
///
/// ```
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/card/triangles.ctmcard");
/// use ctm_gpu::{Engine, card::Trace};
/// let trace = Trace::open(path)?;
/// let replay = trace.replay(&Engine::fastest(), &Default::default())?;
/// let picture = replay.picture(0)?.expect("the last draw writes a colour buffer");
/// assert_eq!((replay.draws(), picture.shape.channels), (trace.draws(), 4));
/// # Ok::<(), ctm_gpu::Error>(())
/// ```
pub struct Trace {
    bytes: Vec<u8>,
    survey: Survey,
}

/// How a trace is executed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplayOptions {
    /// The draw that is the last one, from 0; without one all are executed.
    pub draw: Option<usize>,
    /// The time that a submission may take.
    pub time_limit: Option<Duration>,
    /// Column and row of the pixel whose history is kept.
    pub pixel: Option<(u32, u32)>,
}

impl Trace {
    /// The trace of a file.
    ///
    /// # Errors
    /// The file cannot be read, or is not a trace.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        Self::read(fs::read(path).map_err(|source| Error::File { path: path.into(), source })?)
    }

    /// The trace in the bytes of a file.
    ///
    /// # Errors
    /// They are not a trace.
    pub fn read(bytes: Vec<u8>) -> Result<Self, Error> {
        let survey = Survey::of(&bytes).map_err(CardError::from)?;
        Ok(Trace { bytes, survey })
    }

    /// The name of the card that it was recorded on.
    pub fn card(&self) -> &str {
        &self.survey.card
    }

    /// Submissions that can be read.
    pub fn submissions(&self) -> usize {
        self.survey.submissions
    }

    /// Draws in them.
    pub fn draws(&self) -> usize {
        self.survey.draws.len()
    }

    /// Why there are no more submissions, if the file is damaged.
    pub fn damage(&self) -> Option<&TraceError> {
        self.survey.damage.as_ref()
    }

    /// Executes the trace on a card of its own, whose programs run on an engine of the given one's name. The given one's cancellation ends it
    /// after a submission, and its progress is told the submissions that are done.
    ///
    /// # Errors
    /// The trace is damaged or has not so many draws, the card is unknown, or there is no memory.
    pub fn replay(&self, engine: &Engine, options: &ReplayOptions) -> Result<Replay, Error> {
        let model = self.survey.model.ok_or_else(|| CardError::Card { card: self.survey.card.clone() })?;
        let name = EngineName::parse(engine.name()).unwrap_or_else(EngineName::fastest);
        let watch = options.pixel.map(|(x, y)| PixelWatch { x, y, steps: 0 });
        let run = engine.options();
        let threads = run.threads;
        let setup = CardOptions {
            executor: Some(name.executor()?),
            time_limit: options.time_limit,
            threads,
            watch,
            ..CardOptions::default()
        };
        let memory = self.survey.arena().map_err(CardError::from)?;
        let meter = Meter::new(run.budget, run.cancel);
        let mut halted = Ok(());
        let mut done = 0;
        let reader = TraceReader::new(&self.bytes[..]).map_err(CardError::from)?;
        let records = reader.take_while(|_| {
            halted = meter.check();
            run.progress.iter().for_each(|progress| progress(done, self.survey.submissions as u64));
            done += 1;
            halted.is_ok()
        });
        let execution = Execution::of(records, Card::new(model, setup), Arc::new(memory), options.draw);
        let execution = execution.map_err(CardError::from)?;
        halted.map_err(|halt: Halt| Error::Halted(halt))?;
        match options.draw.filter(|&draw| draw >= execution.draws) {
            Some(draw) => Err(CardError::NoDraw { draw, draws: execution.draws }.into()),
            None => Ok(Replay(execution)),
        }
    }
}

/// A card that has executed a trace, or the beginning of one.
pub struct Replay(Execution);

/// A draw that did something to the pixel whose history is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PixelDraw {
    /// Its number in the trace, from 0.
    pub draw: usize,
    /// What it did, line by line.
    pub text: String,
}

impl Replay {
    /// Draws that were executed.
    pub fn draws(&self) -> usize {
        self.0.draws
    }

    /// Submissions that were executed.
    pub fn submissions(&self) -> usize {
        self.0.submissions
    }

    /// How long the card took for them.
    pub fn time(&self) -> Duration {
        self.0.time
    }

    /// What is worth attention in them, a sentence each: submissions that the card rejected, and its warnings.
    pub fn warnings(&self) -> &[String] {
        &self.0.warnings
    }

    /// What the last draw left in a colour buffer, if it writes it: float32 with four channels, rows as they lie in memory (OpenGL has the
    /// bottom row first in framebuffer objects).
    ///
    /// # Errors
    /// The buffer has a format that the card does not have.
    pub fn picture(&self, target: u8) -> Result<Option<Array>, Error> {
        let picture = self.0.card.picture(&self.0.memory, target.into()).map_err(CardError::from)?;
        Ok(picture.map(|picture| {
            let shape = Shape { width: picture.width as usize, height: picture.height as usize, channels: 4 };
            Array { shape, data: Data::F32(picture.pixels.into_flattened()) }
        }))
    }

    /// The depth buffer of the last draw, if there is one: float32 with one channel.
    ///
    /// # Errors
    /// The buffer has a format that the card does not have.
    pub fn depth(&self) -> Result<Option<Array>, Error> {
        let picture = self.0.card.depth_picture(&self.0.memory).map_err(CardError::from)?;
        Ok(picture.map(|picture| {
            let shape = Shape { width: picture.width as usize, height: picture.height as usize, channels: 1 };
            Array { shape, data: Data::F32(picture.depths) }
        }))
    }

    /// What draws did to the pixel whose history was asked for.
    pub fn history(&self) -> Vec<PixelDraw> {
        let page = |draw| Page { draw, run: None };
        self.0.history.iter().map(|draw| PixelDraw { draw: draw.number, text: page(draw).text() }).collect()
    }
}
