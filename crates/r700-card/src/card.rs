//! The card: how it executes a stream.

use crate::draws::vertices;
use crate::packets::Event;
use crate::pipeline::{self, DrawCache, DrawContext, DrawError, Drawing, Probe};
use crate::registers::{self, DbRenderControl};
use crate::resources;
use crate::state::State;
use crate::stream::{
    Command, Draw, DwordPlace, Number, ObjectOffset, Predicate, StreamError, StreamoutOffset, commands,
};
use ctm_card::history::{DrawHistory, PixelLog, PixelWatch};
use ctm_card::{
    CardProperty, DrawCounts, DrawStats, Identity, Kernel, ObjectBytes, SlowPath, SlowPathNote, Submission,
    SubmissionError,
};
use ctm_engine::Executor;
use ctm_lane::clock::Instant;
use ctm_memory::Arena;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Warnings that are kept.
const MAX_WARNINGS: usize = 256;
/// Ticks of the clock in a second, in thousands.
const CLOCK_KHZ: u32 = 27_000;

/// Which chip the card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// Radeon HD 4800.
    Rv770,
}

impl Model {
    /// Every model.
    pub const ALL: [Model; 1] = [Model::Rv770];

    /// What drivers learn of it: one back end and one pipe for tiles, four banks, groups of 256 bytes.
    pub const fn identity(self) -> Identity {
        match self {
            Model::Rv770 => Identity {
                name: "rv770",
                vendor: 0x1002,
                device: 0x9440,
                kernel: Kernel::Radeon,
                driver: "r600",
                properties: &[
                    (CardProperty::TilingConfig, 0),
                    (CardProperty::TimeStampClock, CLOCK_KHZ),
                    (CardProperty::Backends, 1),
                    (CardProperty::TilePipes, 1),
                    (CardProperty::BackendMap, 0),
                    (CardProperty::ShaderPipes, 1),
                    (CardProperty::ShaderEngines, 1),
                    (CardProperty::ShaderClock, 750_000),
                ],
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
    state: State,
    clock: Clock,
    unknown: BTreeSet<u32>,
    slow: Option<BTreeSet<SlowPath>>,
    result: bool,
}

/// A card with its registers.
pub struct Card {
    model: Model,
    processor: CommandProcessor,
    executor: Executor,
    threads: usize,
    cache: DrawCache,
    time_limit: Option<Duration>,
}

/// What executes commands, and what it has told about them.
struct CommandProcessor {
    state: State,
    clock: Clock,
    pixel_log: Option<PixelLog>,
    draws: Option<Vec<DrawStats>>,
    warnings: Vec<String>,
    unknown: BTreeSet<u32>,
    /// Slow ways that were told of, if they are.
    slow: Option<BTreeSet<SlowPath>>,
    /// The result of the predicate, before it is known which result is drawn.
    result: bool,
}

/// What the draws of a submission are drawn with.
struct Drawer<'s> {
    context: &'s DrawContext<'s>,
    /// What the next draw may continue.
    open: Option<OpenDraw<'s>>,
}

/// Draws that are drawn together.
struct OpenDraw<'s> {
    /// The dword of the stream that the first one begins at.
    at: usize,
    drawing: Drawing<'s>,
    /// Pixels that pass are counted.
    counts_passed: bool,
}

impl Card {
    /// A card after reset, whose time stamps count commands: submissions give the same bits each time.
    pub fn new(model: Model) -> Self {
        Card {
            model,
            processor: CommandProcessor {
                state: State::default(),
                clock: Clock::Commands(0),
                pixel_log: None,
                draws: None,
                warnings: Vec::new(),
                unknown: BTreeSet::new(),
                slow: None,
                result: false,
            },
            executor: Executor::Reference,
            threads: 1,
            cache: DrawCache::default(),
            time_limit: None,
        }
    }

    /// The same card, whose programs are run by this where they run for many lanes; otherwise the scalar reference runs them. What is drawn
    /// is the same.
    pub fn with_executor(self, executor: Executor) -> Self {
        Card { executor, ..self }
    }

    /// The same card, whose programs run on so many threads; 0 is one per processor. What is drawn is the same.
    pub fn with_threads(self, threads: usize) -> Self {
        Card { threads, ..self }
    }

    /// The same card, whose time stamps are those of the host's clock, as programs expect that measure times.
    pub fn with_host_clock(mut self) -> Self {
        self.processor.clock = Clock::Host(Instant::now());
        self
    }

    /// The same card, which gives a submission up that takes longer, as drivers reset cards that hang.
    pub fn with_time_limit(self, limit: Duration) -> Self {
        Card { time_limit: Some(limit), ..self }
    }

    /// Keeps the history of a pixel from now on, or of none. What is drawn is the same.
    pub fn watch(&mut self, pixel: Option<PixelWatch>) {
        self.processor.pixel_log = pixel.map(PixelLog::new);
    }

    /// Takes what draws have done to the pixel that is watched. Those that have done nothing are not in it.
    pub fn take_history(&mut self) -> Vec<DrawHistory> {
        self.processor.pixel_log.as_mut().map(PixelLog::take).unwrap_or_default()
    }

    /// The same card, which keeps what draws do, in numbers.
    pub fn with_stats(mut self) -> Self {
        self.processor.draws = Some(Vec::new());
        self
    }

    /// The same card, which also warns of the first draw of each kind that goes a slow way.
    pub fn with_slow_paths(mut self) -> Self {
        self.processor.slow = Some(BTreeSet::new());
        self
    }

    /// Takes what draws have done, in order, since the last time; nothing if that is not kept.
    pub fn take_stats(&mut self) -> Vec<DrawStats> {
        self.processor.draws.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Which chip it is.
    pub fn model(&self) -> Model {
        self.model
    }

    /// What it holds.
    pub fn state(&self) -> &State {
        &self.processor.state
    }

    /// What it holds now.
    pub fn save(&self) -> SavedCard {
        let CommandProcessor { state, clock, unknown, slow, result, .. } = &self.processor;
        let (unknown, slow) = (unknown.clone(), slow.clone());
        SavedCard { state: state.clone(), clock: *clock, unknown, slow, result: *result }
    }

    /// Goes back to what was saved.
    pub fn restore(&mut self, saved: &SavedCard) {
        let SavedCard { state, clock, unknown, slow, result } = saved.clone();
        let processor = &mut self.processor;
        (processor.state, processor.clock, processor.result) = (state, clock, result);
        (processor.unknown, processor.slow) = (unknown, slow);
    }

    /// Executes the rest of a submission of which so many words, whole packets, were executed before, and nothing since.
    ///
    /// # Errors
    /// As [`submit`](ctm_card::Card::submit).
    pub fn resume(&mut self, memory: &Arc<Arena>, submission: &Submission, done: usize) -> Result<(), SubmissionError> {
        let rejected = |error: StreamError| SubmissionError { at: error.at, message: error.cause.to_string() };
        let all = commands(submission).map_err(rejected)?;
        let words = submission.words.get(..done).unwrap_or(submission.words);
        let first = commands(&Submission { words, ..*submission }).map_err(rejected)?.len();
        let Card { processor, executor, threads, cache, time_limit, .. } = self;
        if done == 0 {
            processor.state.begin_stream(submission);
        }
        let deadline = time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let (options, slow) = (pipeline::options(deadline, *threads), SlowPathNote::default());
        let context = DrawContext { memory, executor, cache, options, slow: &slow, probe: None };
        let mut drawer = Drawer { context: &context, open: None };
        all.iter().skip(first).try_for_each(|command| processor.execute(&mut drawer, command))?;
        processor.finish(&mut drawer)
    }
}

impl CommandProcessor {
    fn now(&self) -> u64 {
        match self.clock {
            Clock::Commands(count) => count,
            Clock::Host(start) => {
                let ticks = start.elapsed().as_nanos() * u128::from(CLOCK_KHZ) / 1_000_000;
                u64::try_from(ticks).unwrap_or(u64::MAX)
            }
        }
    }

    /// Gives what ends the submission.
    fn execute(&mut self, drawer: &mut Drawer, command: &Command) -> Result<(), SubmissionError> {
        if let Clock::Commands(count) = &mut self.clock {
            *count += 1;
        }
        let memory = drawer.context.memory;
        match command {
            Command::Write { .. } | Command::IndexWidth(_) | Command::Instances(_) | Command::Draw(_) => {}
            Command::Event { .. }
            | Command::Store { .. }
            | Command::Copy { .. }
            | Command::CopyDword { .. }
            | Command::Predicate(_)
            | Command::Streamout { .. } => self.finish(drawer)?,
        }
        match command {
            Command::Write { address, value, object } => {
                match object {
                    Some(object) => self.state.registers.bind(*address, *value, *object),
                    None => self.state.registers.write(*address, *value),
                }
                if !is_known(*address) {
                    self.unknown_register(*address);
                }
            }
            Command::IndexWidth(width) => self.state.index_width = *width,
            Command::Instances(count) => self.state.instances = *count,
            Command::Draw(draw) => self.draw(drawer, draw)?,
            Command::Event { event, target } => self.event(memory, *event, *target),
            Command::Store { target, number } => match *number {
                Number::Narrow(number) => self.store(memory, target, &number.to_le_bytes()),
                Number::Wide(number) => self.store(memory, target, &number.to_le_bytes()),
                Number::Clock => self.store(memory, target, &self.now().to_le_bytes()),
            },
            Command::Copy { source, destination, bytes } => {
                let mut copy = vec![0; *bytes as usize];
                self.load(memory, source, &mut copy);
                self.store(memory, destination, &copy);
            }
            Command::CopyDword { source, destination } => {
                let value = match source {
                    DwordPlace::Register(address) => self.state.registers.value(*address),
                    DwordPlace::Memory(place) => self.dword(memory, place),
                };
                match destination {
                    DwordPlace::Register(address) => self.state.registers.write(*address, value),
                    DwordPlace::Memory(place) => self.store(memory, place, &value.to_le_bytes()),
                }
            }
            Command::Predicate(predicate) => self.predicate(memory, predicate),
            Command::Streamout { buffer, store, offset } => {
                let number = usize::from(*buffer);
                let Some(&filled) = self.state.filled.get(number) else { return Ok(()) };
                if let Some(place) = store {
                    self.store(memory, place, &filled.wrapping_mul(4).to_le_bytes());
                }
                let next = match offset {
                    StreamoutOffset::Kept => filled,
                    StreamoutOffset::Dwords(dwords) => *dwords,
                    StreamoutOffset::Memory(place) => self.dword(memory, place) / 4,
                };
                self.state.filled[number] = next;
            }
        }
        Ok(())
    }

    /// Draws, and gives what ends the submission. A draw whose registers are those of the draws before continues these.
    fn draw(&mut self, drawer: &mut Drawer, draw: &Draw) -> Result<(), SubmissionError> {
        if draw.predicated && !self.state.visible {
            return Ok(());
        }
        if self.pixel_log.is_some() || self.draws.is_some() {
            return self.draw_alone(drawer.context, draw);
        }
        let mut continued = None;
        if let Some(mut open) = drawer.open.take() {
            match open.drawing.is_continued_by(&mut self.state, draw) {
                Ok(true) => continued = Some(open),
                Ok(false) => self.close(drawer.context, open)?,
                Err(error) => self.note_error(open.at, error)?,
            }
        }
        let is_first = continued.is_none();
        let mut open = match continued.map_or_else(|| self.open(drawer.context, draw), Ok) {
            Ok(open) => open,
            Err(error) => return self.note_error(draw.at, error),
        };
        let done = open.drawing.draw(&mut self.state, draw);
        if is_first {
            pipeline::written(&self.state);
        }
        match done {
            Ok(()) if open.drawing.may_wait() => drawer.open = Some(open),
            Ok(()) => return self.close(drawer.context, open),
            Err(error) => {
                // The draws before it are drawn.
                if !is_first {
                    self.close(drawer.context, open)?;
                }
                return self.note_error(draw.at, error);
            }
        }
        Ok(())
    }

    fn open<'s>(&self, context: &'s DrawContext<'s>, draw: &Draw) -> Result<OpenDraw<'s>, DrawError> {
        let drawing = Drawing::of(&self.state, context, draw)?;
        Ok(OpenDraw { at: draw.at, drawing, counts_passed: counts_passed(&self.state) })
    }

    /// Draws what waits.
    fn finish(&mut self, drawer: &mut Drawer) -> Result<(), SubmissionError> {
        drawer.open.take().map_or(Ok(()), |open| self.close(drawer.context, open))
    }

    fn close(&mut self, context: &DrawContext, open: OpenDraw) -> Result<(), SubmissionError> {
        let OpenDraw { at, drawing, counts_passed } = open;
        let done = drawing.finish(&mut self.state);
        self.note_slow(at, context.slow.take());
        self.note(at, done, counts_passed)
    }

    /// Draws for the history of a pixel, or for what draws do.
    fn draw_alone(&mut self, context: &DrawContext, draw: &Draw) -> Result<(), SubmissionError> {
        let start = Instant::now();
        let pixel_log = self.pixel_log.as_ref();
        let probe = pixel_log.map(|pixel_log| Probe::new(pixel_log, draw.at, &self.state, context.memory));
        let context = DrawContext { probe: probe.as_ref(), ..*context };
        let done = pipeline::draw(&mut self.state, &context, draw);
        let slow = context.slow.take();
        let is_watched = probe.is_some();
        if let Some(draws) = &mut self.draws {
            let vertices = u64::from(vertices(&self.state.registers, draw)) * u64::from(self.state.instances);
            let dropped = DrawCounts { vertices, ..DrawCounts::default() };
            let counts = done.as_ref().copied().unwrap_or(dropped);
            let (time, target) = (start.elapsed(), pipeline::draw_target(&self.state, context.memory));
            let textures = pipeline::textures(&self.state, context.memory);
            draws.push(DrawStats { at: draw.at, time, counts, target, textures, slow });
        }
        if !is_watched {
            self.note_slow(draw.at, slow);
        }
        self.note(draw.at, done, counts_passed(&self.state))
    }

    /// Notes what was done; gives what ends the submission.
    fn note(
        &mut self,
        at: usize,
        done: Result<DrawCounts, DrawError>,
        counts_passed: bool,
    ) -> Result<(), SubmissionError> {
        match done {
            Ok(counts) => {
                if counts_passed {
                    self.state.counters.passed = self.state.counters.passed.wrapping_add(counts.passed);
                }
                Ok(())
            }
            Err(error) => self.note_error(at, error),
        }
    }

    /// Notes why a draw is dropped; gives what ends the submission.
    fn note_error(&mut self, at: usize, error: DrawError) -> Result<(), SubmissionError> {
        if error == DrawError::TimeIsUp {
            return Err(SubmissionError { at, message: error.to_string() });
        }
        self.warn(format!("the draw at dword {at} is dropped: {error}"));
        Ok(())
    }

    /// Tells of a slow way, if draws go it for the first time.
    fn note_slow(&mut self, at: usize, slow: Option<SlowPath>) {
        if let Some(slow) =
            slow.filter(|slow| slow.stays() && self.slow.as_mut().is_some_and(|told| told.insert(*slow)))
        {
            self.warn(slow.warning(at));
        }
    }

    fn event(&mut self, memory: &Arena, event: Event, target: Option<ObjectOffset>) {
        let counters = &mut self.state.counters;
        match event {
            Event::PIPELINESTAT_START => counters.stopped = false,
            Event::PIPELINESTAT_STOP => counters.stopped = true,
            _ => {}
        }
        let Some(place) = target else { return };
        let bytes: Vec<u8> = match event {
            Event::ZPASS_DONE => counters.occlusion().map(u64::to_le_bytes).concat(),
            Event::SAMPLE_STREAMOUTSTATS => counters.streamout().map(u64::to_le_bytes).concat(),
            Event::SAMPLE_PIPELINESTAT => counters.pipeline().map(u64::to_le_bytes).concat(),
            _ => return,
        };
        self.store(memory, &place, &bytes);
    }

    fn predicate(&mut self, memory: &Arena, predicate: &Predicate) {
        let Predicate::Results { results, primitives, visible, combine } = predicate else {
            self.state.visible = true;
            return;
        };
        let mut counts = [[0; 8]; 4];
        let words = if *primitives { 4 } else { 2 };
        self.load(memory, results, counts[..words].as_flattened_mut());
        let counts = counts.map(|bytes| u64::from_le_bytes(bytes) & !(1 << 63));
        let result = match primitives {
            // Needed and written, at the beginning; the same at the end.
            true => counts[2].wrapping_sub(counts[0]) == counts[3].wrapping_sub(counts[1]),
            false => counts[1] != counts[0],
        };
        self.result = match (combine, primitives) {
            (false, _) => result,
            (true, true) => self.result && result,
            (true, false) => self.result || result,
        };
        self.state.visible = self.result == *visible;
    }

    fn dword(&mut self, memory: &Arena, place: &ObjectOffset) -> u32 {
        let mut bytes = [0; 4];
        self.load(memory, place, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    /// Reads bytes; zeros, if not all of them are in the object.
    fn load(&mut self, memory: &Arena, place: &ObjectOffset, bytes: &mut [u8]) {
        if !ObjectBytes::new(memory, place.object, 0).read_bytes(place.offset, bytes) {
            bytes.fill(0);
            self.outside("read", place, bytes.len());
        }
    }

    /// Writes bytes, if all of them are in the object.
    fn store(&mut self, memory: &Arena, place: &ObjectOffset, bytes: &[u8]) {
        if !ObjectBytes::new(memory, place.object, 0).write_bytes(place.offset, bytes) {
            self.outside("written", place, bytes.len());
            return;
        }
        let first = u64::from(place.object.address) + place.offset;
        self.state.textures.written(first..first + bytes.len() as u64);
    }

    fn outside(&mut self, what: &str, place: &ObjectOffset, bytes: usize) {
        let ObjectOffset { object, offset } = place;
        self.warn(format!("{bytes} bytes at {offset:#x} of an object of {} bytes are not {what}", object.size));
    }

    fn unknown_register(&mut self, address: u32) {
        if self.unknown.len() < MAX_WARNINGS && self.unknown.insert(address) {
            self.warn(format!("register {address:#07x} is not known; it is kept, and has no effect"));
        }
    }

    fn warn(&mut self, warning: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        }
    }
}

/// Whether draws count the pixels that pass.
fn counts_passed(state: &State) -> bool {
    !state.registers.get::<DbRenderControl>().zpass_increment_disable
}

/// Whether a register is in the tables.
fn is_known(address: u32) -> bool {
    let end = resources::ADDRESS + resources::COUNT * resources::STRIDE;
    (resources::ADDRESS..end).contains(&address) || registers::map().at(address).is_some()
}

impl ctm_card::Card for Card {
    fn identity(&self) -> Identity {
        self.model.identity()
    }

    fn submit(&mut self, memory: &Arc<Arena>, submission: &Submission) -> Result<(), SubmissionError> {
        self.resume(memory, submission, 0)
    }

    fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.processor.warnings)
    }

    fn time_stamp(&self) -> Option<u64> {
        Some(self.processor.now())
    }
}
