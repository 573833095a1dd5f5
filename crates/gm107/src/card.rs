//! The card: channels over one memory.

use crate::context::DrawCache;
use crate::context::{DrawContext, MANY_LANES, options};
use crate::fences::FENCE;
use crate::log::Log;
use crate::objects::Objects;
use crate::processor::{Clock, Ending, Processor, Unfinished, WaitingDraws};
use crate::pushes::{channel, length};
use crate::state::Channel;
use crate::stream::Stream;
use crate::written::Written;
use ctm_card::history::{DrawHistory, PixelLog, PixelWatch};
use ctm_card::{Card as _, CardProperty, DrawStats, Identity, Kernel, SlowPathNote, Submission, SubmissionError};
use ctm_engine::Executor;
use ctm_lane::clock::Instant;
use ctm_memory::{Arena, Space};
use ctm_sm50::engine::{IfWorth, LineRunner};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The header of a report, as Mesa's driver writes it: four methods from `QUERY_ADDRESS_HIGH` on.
const REPORT: u32 = 0x2004_06C0;
/// Dwords at the end of a submission, among which its fence is.
const FENCE_DWORDS: usize = 4096;

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

/// What a card holds besides the memory, at a place of a stream.
#[derive(Clone, Debug)]
pub struct SavedCard {
    channels: BTreeMap<u32, Seat>,
    current: u32,
    clock: Clock,
}

/// A channel, with what draws do not see of it.
#[derive(Clone, Debug, Default)]
struct Seat {
    channel: Channel,
    unfinished: Unfinished,
}

/// A card with its channels.
pub struct Card {
    model: Model,
    channels: BTreeMap<u32, Seat>,
    /// What channels hold that have not been used.
    unused: Channel,
    /// The channel of the last submission.
    current: u32,
    clock: Clock,
    cache: DrawCache,
    executor: Executor,
    threads: usize,
    time_limit: Option<Duration>,
    pixel_log: Option<PixelLog>,
    stats: Option<Vec<DrawStats>>,
    by_quads: bool,
    log: Log,
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
            cache: DrawCache::default(),
            executor: Executor::Reference,
            threads: 1,
            time_limit: None,
            pixel_log: None,
            stats: None,
            by_quads: false,
            log: Log::default(),
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

    /// The same card, which also warns of the first draw of each kind that goes a slow way.
    pub fn with_slow_paths(mut self) -> Self {
        self.log.tell_slow_paths();
        self
    }

    /// The same card, which draws pixels quad by quad, in the order of primitives. What is drawn is the same.
    pub fn with_quads_alone(self) -> Self {
        Card { by_quads: true, ..self }
    }

    /// Which chip it is.
    pub fn model(&self) -> Model {
        self.model
    }

    /// What the channel of the last submission holds.
    pub fn state(&self) -> &Channel {
        self.channels.get(&self.current).map_or(&self.unused, |seat| &seat.channel)
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
    pub fn resume(&mut self, memory: &Arc<Arena>, submission: &Submission, done: usize) -> Result<(), SubmissionError> {
        self.release(memory);
        let Card { channels, clock, cache, executor, threads, time_limit, pixel_log, stats, log, by_quads, .. } = self;
        self.current = channel(submission.words);
        let objects = Arc::new(Objects::new(memory, submission.objects));
        let deadline = time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut space = Space::default();
        // The first arena of a space meets no other.
        _ = space.map(Arc::clone(memory));
        let options = options(deadline, *threads);
        let executor: &dyn LineRunner = &IfWorth { executor, lanes: MANY_LANES };
        let slow = SlowPathNote::default();
        let context = DrawContext {
            objects: &objects,
            space: &space,
            cache,
            executor,
            options,
            slow: &slow,
            by_quads: *by_quads,
            probe: None,
        };
        let Seat { channel, unfinished } = channels.entry(self.current).or_default();
        let mut stream = Stream::new(&*objects, submission.words);
        stream.skip(done);
        let mut written = Written::default();
        written.add_objects(submission);
        let stats = stats.as_mut();
        let pixel_log = pixel_log.as_ref();
        let waiting = WaitingDraws::default();
        let mut processor =
            Processor { channel, unfinished, context, clock, log, stats, pixel_log, written, at: done, waiting };
        let ended = processor.run(&mut stream);
        let at = processor.at;
        processor.look_again();
        let Err(ending) = ended else { return Ok(()) };
        let left = length(submission.words).saturating_sub(stream.at());
        stream.skip(left.saturating_sub(FENCE_DWORDS));
        unfinished.fence_of_rest(&objects, &mut stream);
        match ending {
            Ending::Dropped(_) => log.warn(format!("what is after dword {at} is dropped: {ending}")),
            Ending::TimeIsUp => return Err(SubmissionError { at, message: ending.to_string() }),
        }
        Ok(())
    }
}

impl Unfinished {
    /// Holds the fence value of commands that are not executed: drivers would wait for it for ever (decision D340).
    fn fence_of_rest(&mut self, objects: &Objects, stream: &mut Stream) {
        let mut last = [0; 5];
        while let Some(word) = stream.take() {
            last.rotate_left(1);
            last[4] = word;
            if let [REPORT, high, low, value, FENCE] = last {
                self.fence.hold(objects, u64::from(high) << 32 | u64::from(low), value);
            }
        }
    }
}

impl ctm_card::Card for Card {
    fn identity(&self) -> Identity {
        self.model.identity()
    }

    fn submit(&mut self, memory: &Arc<Arena>, submission: &Submission) -> Result<(), SubmissionError> {
        self.resume(memory, submission, 0)
    }

    fn release(&mut self, memory: &Arc<Arena>) {
        self.channels.values_mut().for_each(|seat| seat.unfinished.fence.release(memory));
    }

    fn close_channel(&mut self, channel: u32) {
        self.channels.remove(&channel);
    }

    fn take_warnings(&mut self) -> Vec<String> {
        self.log.take()
    }

    fn time_stamp(&self) -> Option<u64> {
        Some(self.clock.now())
    }
}
