//! A card of any model.

use crate::Model;
use ctm_card::history::{DrawHistory, PixelWatch};
use ctm_card::{DepthPicture, DrawStats, Identity, Picture, Submission, SubmissionError};
use ctm_engine::Executor;
use ctm_memory::Arena;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// How a card works. What it draws does not depend on it.
#[derive(Default)]
pub struct CardOptions {
    /// What executes programs that run for many pixels or vertices; `None` is the reference.
    pub executor: Option<Executor>,
    /// The time that a submission may take.
    pub time_limit: Option<Duration>,
    /// Threads of the engine; 0 is one per processor.
    pub threads: usize,
    /// Time stamps are those of the host's clock. Otherwise submissions give the same ones each time.
    pub host_clock: bool,
    /// What draws do is kept, in numbers.
    pub stats: bool,
    /// Warnings tell of the first draw of each kind that goes a slow way.
    pub slow_paths: bool,
    /// The pixel whose history is kept.
    pub watch: Option<PixelWatch>,
}

/// A card.
pub enum Card {
    /// One of the R5xx family.
    R5xx(Box<ctm_r5xx::Card>),
    /// One of the R700 family.
    R700(Box<ctm_r700_card::Card>),
    /// One of the first Maxwell generation.
    #[cfg(feature = "gm107")]
    Gm107(Box<ctm_gm107::Card>),
}

/// What a card holds besides the memory, at a place of a submission.
#[derive(Clone, Debug)]
pub enum SavedCard {
    /// One of the R5xx family.
    R5xx(Box<ctm_r5xx::SavedCard>),
    /// One of the R700 family.
    R700(Box<ctm_r700_card::SavedCard>),
    /// One of the first Maxwell generation.
    #[cfg(feature = "gm107")]
    Gm107(Box<ctm_gm107::SavedCard>),
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PictureError {
    /// A card of the R5xx family says so.
    #[error(transparent)]
    R5xx(#[from] ctm_r5xx::DrawError),
    /// A card of the R700 family says so.
    #[error(transparent)]
    R700(#[from] ctm_r700_card::DrawError),
    /// A card of the first Maxwell generation says so.
    #[cfg(feature = "gm107")]
    #[error(transparent)]
    Gm107(#[from] ctm_gm107::DrawError),
}

impl Card {
    /// A card after reset.
    pub fn new(model: Model, setup: CardOptions) -> Self {
        let CardOptions { executor, time_limit, threads, host_clock, stats, slow_paths, watch } = setup;
        match model {
            Model::R5xx(model) => {
                let mut card = ctm_r5xx::Card::new(model).with_threads(threads);
                if let Some(Executor::Engine(engine)) = executor {
                    card = card.with_engine(engine);
                }
                if let Some(limit) = time_limit {
                    card = card.with_time_limit(limit);
                }
                if stats {
                    card = card.with_stats();
                }
                if slow_paths {
                    card = card.with_slow_paths();
                }
                card.watch(watch);
                Card::R5xx(Box::new(card))
            }
            Model::R700(model) => {
                let mut card = ctm_r700_card::Card::new(model).with_threads(threads);
                if let Some(executor) = executor {
                    card = card.with_executor(executor);
                }
                if host_clock {
                    card = card.with_host_clock();
                }
                if let Some(limit) = time_limit {
                    card = card.with_time_limit(limit);
                }
                if stats {
                    card = card.with_stats();
                }
                if slow_paths {
                    card = card.with_slow_paths();
                }
                card.watch(watch);
                Card::R700(Box::new(card))
            }
            #[cfg(feature = "gm107")]
            Model::Gm107(model) => {
                let mut card = ctm_gm107::Card::new(model).with_threads(threads);
                if let Some(executor) = executor {
                    card = card.with_executor(executor);
                }
                if host_clock {
                    card = card.with_host_clock();
                }
                if let Some(limit) = time_limit {
                    card = card.with_time_limit(limit);
                }
                if stats {
                    card = card.with_stats();
                }
                if slow_paths {
                    card = card.with_slow_paths();
                }
                card.watch(watch);
                Card::Gm107(Box::new(card))
            }
        }
    }

    /// Which model it is.
    pub fn model(&self) -> Model {
        match self {
            Card::R5xx(card) => Model::R5xx(card.model()),
            Card::R700(card) => Model::R700(card.model()),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => Model::Gm107(card.model()),
        }
    }

    /// What it holds now.
    pub fn save(&self) -> SavedCard {
        match self {
            Card::R5xx(card) => SavedCard::R5xx(Box::new(card.save())),
            Card::R700(card) => SavedCard::R700(Box::new(card.save())),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => SavedCard::Gm107(Box::new(card.save())),
        }
    }

    /// Goes back to what was saved of this card.
    pub fn restore(&mut self, saved: &SavedCard) {
        match (self, saved) {
            (Card::R5xx(card), SavedCard::R5xx(saved)) => card.restore(saved),
            (Card::R700(card), SavedCard::R700(saved)) => card.restore(saved),
            #[cfg(feature = "gm107")]
            (Card::Gm107(card), SavedCard::Gm107(saved)) => card.restore(saved),
            #[cfg(feature = "gm107")]
            (Card::Gm107(_), SavedCard::R5xx(_) | SavedCard::R700(_)) => {}
            #[cfg(feature = "gm107")]
            (Card::R5xx(_) | Card::R700(_), SavedCard::Gm107(_)) => {}
            (Card::R5xx(_), SavedCard::R700(_)) | (Card::R700(_), SavedCard::R5xx(_)) => {}
        }
    }

    /// Executes the rest of a submission of which so many dwords of commands, whole packets, were executed before, and nothing since.
    ///
    /// # Errors
    /// As [`submit`](ctm_card::Card::submit).
    pub fn resume(&mut self, memory: &Arc<Arena>, submission: &Submission, done: usize) -> Result<(), SubmissionError> {
        match self {
            Card::R5xx(card) => card.resume(memory, submission, done),
            Card::R700(card) => card.resume(memory, submission, done),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => card.resume(memory, submission, done),
        }
    }

    /// What draws have done to the pixel that is watched, since the last time. Those that have done nothing are not in it.
    pub fn take_history(&mut self) -> Vec<DrawHistory> {
        match self {
            Card::R5xx(card) => card.take_history(),
            Card::R700(card) => card.take_history(),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => card.take_history(),
        }
    }

    /// What draws have done, in order, since the last time; nothing if that is not kept.
    pub fn take_stats(&mut self) -> Vec<DrawStats> {
        match self {
            Card::R5xx(card) => card.take_stats(),
            Card::R700(card) => card.take_stats(),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => card.take_stats(),
        }
    }

    /// What a draw would write to now, if that is anything that can be shown: colour buffer `number`, from 0.
    ///
    /// # Errors
    /// If the buffer has a format that the card does not have.
    pub fn picture(&self, memory: &Arena, number: usize) -> Result<Option<Picture>, PictureError> {
        match self {
            Card::R5xx(card) => Ok(ctm_r5xx::picture(card.state(), memory, number)?),
            Card::R700(card) => Ok(ctm_r700_card::picture(card.state(), memory, number)?),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => Ok(ctm_gm107::picture(card.state(), memory, number)?),
        }
    }

    /// The depth buffer that is bound now, if there is one.
    ///
    /// # Errors
    /// If the buffer has a format that the card does not have.
    pub fn depth_picture(&self, memory: &Arena) -> Result<Option<DepthPicture>, PictureError> {
        match self {
            Card::R5xx(card) => Ok(ctm_r5xx::depth_picture(card.state(), memory)),
            Card::R700(card) => Ok(ctm_r700_card::depth_picture(card.state(), memory)?),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => Ok(ctm_gm107::depth_picture(card.state(), memory)?),
        }
    }
}

impl ctm_card::Card for Card {
    fn identity(&self) -> Identity {
        self.model().identity()
    }

    fn submit(&mut self, memory: &Arc<Arena>, submission: &Submission) -> Result<(), SubmissionError> {
        match self {
            Card::R5xx(card) => card.submit(memory, submission),
            Card::R700(card) => card.submit(memory, submission),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => card.submit(memory, submission),
        }
    }

    fn release(&mut self, memory: &Arc<Arena>) {
        match self {
            Card::R5xx(card) => card.release(memory),
            Card::R700(card) => card.release(memory),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => card.release(memory),
        }
    }

    fn close_channel(&mut self, channel: u32) {
        match self {
            Card::R5xx(card) => card.close_channel(channel),
            Card::R700(card) => card.close_channel(channel),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => card.close_channel(channel),
        }
    }

    fn take_warnings(&mut self) -> Vec<String> {
        match self {
            Card::R5xx(card) => card.take_warnings(),
            Card::R700(card) => card.take_warnings(),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => card.take_warnings(),
        }
    }

    fn time_stamp(&self) -> Option<u64> {
        match self {
            Card::R5xx(card) => card.time_stamp(),
            Card::R700(card) => card.time_stamp(),
            #[cfg(feature = "gm107")]
            Card::Gm107(card) => card.time_stamp(),
        }
    }
}
