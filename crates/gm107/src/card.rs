//! The card: channels over one memory.

use crate::draw::DrawList;
use crate::state::Channel;
use ctm_card::history::{DrawHistory, PixelLog, PixelWatch};
use ctm_card::{CardProperty, DrawStats, Identity, Kernel, Submission, SubmissionError};
use ctm_engine::Executor;
use ctm_lane::clock::Instant;
use ctm_memory::Arena;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Which chip the card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// GeForce GTX 750 Ti.
    Gm107,
}

impl Model {
    /// Every model.
    pub const ALL: [Model; 1] = [Model::Gm107];

    /// What drivers learn of it.
    pub const fn identity(self) -> Identity {
        match self {
            Model::Gm107 => Identity {
                name: "gm107",
                vendor: 0x10DE,
                device: 0x1380,
                kernel: Kernel::Nouveau,
                driver: "nouveau",
                properties: &[(CardProperty::Chipset, 0x117), (CardProperty::GraphicsUnits, 0x0101)],
            },
        }
    }
}

/// What time stamps count.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// Commands.
    Commands(u64),
    /// The host's time since then.
    Host(Instant),
}

/// What a card holds besides the memory, at a place of a stream.
#[derive(Clone, Debug)]
pub struct SavedCard {
    channels: BTreeMap<u32, Channel>,
    current: u32,
    clock: Clock,
}

/// A card with its channels.
pub struct Card {
    model: Model,
    channels: BTreeMap<u32, Channel>,
    /// What channels hold that have not been used.
    unused: Channel,
    /// The channel of the last submission.
    current: u32,
    clock: Clock,
    executor: Executor,
    threads: usize,
    time_limit: Option<Duration>,
    pixel_log: Option<PixelLog>,
    stats: Option<Vec<DrawStats>>,
    warnings: Vec<String>,
    list: DrawList,
}

impl Card {
    /// A card after reset, whose time stamps count commands: submissions give the same bits each time.
    pub fn new(model: Model) -> Self {
        Card {
            model,
            channels: BTreeMap::new(),
            unused: Channel::default(),
            current: 0,
            clock: Clock::Commands(0),
            executor: Executor::Reference,
            threads: 1,
            time_limit: None,
            pixel_log: None,
            stats: None,
            warnings: Vec::new(),
            list: DrawList::default(),
        }
    }

    /// The same card, whose programs are run by this; otherwise the scalar reference runs them. What is drawn is the same.
    pub fn with_executor(self, executor: Executor) -> Self {
        Card { executor, ..self }
    }

    /// The same card, whose programs run on so many threads; 0 is one per processor. What is drawn is the same.
    pub fn with_threads(self, threads: usize) -> Self {
        Card { threads, ..self }
    }

    /// The same card, whose time stamps are those of the host's clock, as programs expect that measure times.
    pub fn with_host_clock(self) -> Self {
        Card { clock: Clock::Host(Instant::now()), ..self }
    }

    /// The same card, which gives a submission up that takes longer, as drivers reset cards that hang.
    pub fn with_time_limit(self, limit: Duration) -> Self {
        Card { time_limit: Some(limit), ..self }
    }

    /// Keeps the history of a pixel from now on, or of none. What is drawn is the same.
    pub fn watch(&mut self, pixel: Option<PixelWatch>) {
        self.pixel_log = pixel.map(PixelLog::new);
    }

    /// Takes what draws have done to the pixel that is watched. Those that have done nothing are not in it.
    pub fn take_history(&mut self) -> Vec<DrawHistory> {
        self.pixel_log.as_mut().map(PixelLog::take).unwrap_or_default()
    }

    /// The same card, which keeps what draws do, in numbers.
    pub fn with_stats(self) -> Self {
        Card { stats: Some(Vec::new()), ..self }
    }

    /// Takes what draws have done, in order, since the last time; nothing if that is not kept.
    pub fn take_stats(&mut self) -> Vec<DrawStats> {
        self.stats.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Which chip it is.
    pub fn model(&self) -> Model {
        self.model
    }

    /// What the channel of the last submission holds.
    pub fn state(&self) -> &Channel {
        self.channels.get(&self.current).unwrap_or(&self.unused)
    }

    /// What it holds now.
    pub fn save(&self) -> SavedCard {
        SavedCard { channels: self.channels.clone(), current: self.current, clock: self.clock }
    }

    /// Goes back to what was saved.
    pub fn restore(&mut self, saved: &SavedCard) {
        let SavedCard { channels, current, clock } = saved.clone();
        (self.channels, self.current, self.clock) = (channels, current, clock);
    }

    /// Executes the rest of a submission of which so many words, whole packets, were executed before, and nothing since. Words are counted
    /// through all of its pushes.
    ///
    /// # Errors
    /// As [`submit`](ctm_card::Card::submit).
    pub fn resume(
        &mut self,
        _memory: &Arc<Arena>,
        _submission: &Submission,
        _done: usize,
    ) -> Result<(), SubmissionError> {
        self.list.begin(0);
        Ok(())
    }
}

impl ctm_card::Card for Card {
    fn identity(&self) -> Identity {
        self.model.identity()
    }

    fn submit(&mut self, memory: &Arc<Arena>, submission: &Submission) -> Result<(), SubmissionError> {
        self.resume(memory, submission, 0)
    }

    fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    fn time_stamp(&self) -> Option<u64> {
        match self.clock {
            Clock::Commands(count) => Some(count),
            Clock::Host(start) => u64::try_from(start.elapsed().as_nanos()).ok(),
        }
    }
}
