//! The card: what it keeps between packets, and how it executes a stream.

use crate::pipeline::{self, DrawCache, DrawContext, DrawError, DrawStep};
use crate::ports::{Cursor, Port};
use crate::registers::{self, FgZbregDest, GaUsVectorIndex, RegisterType, SuRegDest, TxEnable, ZbZpassAddr};
use crate::state::State;
use crate::stream::{Command, Draw, StreamError, commands};
use ctm_card::history::{DrawHistory, PixelLog, PixelWatch};
use ctm_card::{
    CardProperty, DrawStats, Identity, Kernel, Object, SlowPath, SlowPathNote, Submission, SubmissionError,
};
use ctm_engine::Engine;
use ctm_lane::clock::Instant;
use ctm_memory::Arena;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Unknown registers that are reported.
const MAX_WARNINGS: usize = 256;

/// Commands that are looked through for draws that are drawn together.
const TOGETHER: usize = 4096;

/// Which chip the card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// Radeon X1300.
    Rv515,
    /// Radeon X1600.
    Rv530,
    /// Radeon X1900.
    R580,
}

impl Model {
    /// Every model.
    pub const ALL: [Model; 3] = [Model::Rv515, Model::Rv530, Model::R580];

    /// What drivers learn of it.
    pub const fn identity(self) -> Identity {
        match self {
            Model::Rv515 => Identity {
                name: "rv515",
                vendor: 0x1002,
                device: 0x7140,
                kernel: Kernel::Radeon,
                driver: "r300",
                properties: &[
                    (CardProperty::PixelPipes, 1),
                    (CardProperty::DepthPipes, 1),
                    (CardProperty::ShaderClock, 650_000),
                ],
            },
            Model::Rv530 => Identity {
                name: "rv530",
                vendor: 0x1002,
                device: 0x71C0,
                kernel: Kernel::Radeon,
                driver: "r300",
                properties: &[
                    (CardProperty::PixelPipes, 1),
                    (CardProperty::DepthPipes, 2),
                    (CardProperty::ShaderClock, 590_000),
                ],
            },
            Model::R580 => Identity {
                name: "r580",
                vendor: 0x1002,
                device: 0x7249,
                kernel: Kernel::Radeon,
                driver: "r300",
                properties: &[
                    (CardProperty::PixelPipes, 4),
                    (CardProperty::DepthPipes, 1),
                    (CardProperty::ShaderClock, 650_000),
                ],
            },
        }
    }
}

/// What a card holds besides the memory, at a place of a stream.
#[derive(Clone, Debug)]
pub struct SavedCard {
    state: State,
    unknown: BTreeSet<u32>,
    slow: Option<BTreeSet<SlowPath>>,
}

/// A card with its registers and memories.
pub struct Card {
    model: Model,
    state: State,
    engine: Option<Engine>,
    cache: Option<DrawCache>,
    time_limit: Option<Duration>,
    threads: usize,
    pixel_log: Option<PixelLog>,
    draws: Option<Vec<DrawStats>>,
    warnings: Vec<String>,
    unknown: BTreeSet<u32>,
    /// Slow ways that were told of, if they are.
    slow: Option<BTreeSet<SlowPath>>,
}

impl Card {
    /// A card after reset.
    pub fn new(model: Model) -> Self {
        Card {
            model,
            state: State::default(),
            engine: None,
            cache: None,
            time_limit: None,
            threads: 0,
            pixel_log: None,
            draws: None,
            warnings: Vec::new(),
            unknown: BTreeSet::new(),
            slow: None,
        }
    }

    /// The same card, with kernels on an engine for many vertices, and for primitives of many pixels. What is drawn is the same.
    pub fn with_engine(self, engine: Engine) -> Self {
        Card { engine: Some(engine), cache: DrawCache::new(), ..self }
    }

    /// The same card, which gives a submission up that takes longer, as drivers reset cards that hang.
    pub fn with_time_limit(self, limit: Duration) -> Self {
        Card { time_limit: Some(limit), ..self }
    }

    /// The same card, whose engine has so many threads; 0 is one per processor, as if nothing was said. What is drawn is the same.
    pub fn with_threads(self, threads: usize) -> Self {
        Card { threads, ..self }
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
        Card { draws: Some(Vec::new()), ..self }
    }

    /// The same card, which also warns of the first draw of each kind that goes a slow way.
    pub fn with_slow_paths(self) -> Self {
        Card { slow: Some(BTreeSet::new()), ..self }
    }

    /// Takes what draws have done, in order, since the last time; nothing if that is not kept.
    pub fn take_stats(&mut self) -> Vec<DrawStats> {
        self.draws.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Which chip it is.
    pub fn model(&self) -> Model {
        self.model
    }

    /// What it holds.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What it holds now.
    pub fn save(&self) -> SavedCard {
        SavedCard { state: self.state.clone(), unknown: self.unknown.clone(), slow: self.slow.clone() }
    }

    /// Goes back to what was saved.
    pub fn restore(&mut self, saved: &SavedCard) {
        let SavedCard { state, unknown, slow } = saved.clone();
        (self.state, self.unknown, self.slow) = (state, unknown, slow);
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
        if done == 0 {
            self.state.registers.unbind();
            self.state.arrays.clear();
        }
        let deadline = self.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut rest = all.get(first..).unwrap_or_default();
        while let Some(command) = rest.first() {
            let done = match command {
                Command::Draw(draw) => self.draw(memory, deadline, draw, &rest[1..])?,
                Command::Write { .. } | Command::Upload { .. } | Command::VertexArrays(_) => {
                    self.execute(memory, command);
                    0
                }
            };
            rest = &rest[1 + done..];
        }
        Ok(())
    }

    fn execute(&mut self, memory: &Arc<Arena>, command: &Command) {
        match command {
            Command::Write { address, value, object } => self.write(memory, *address, *value, *object),
            Command::Upload { address, values } => {
                values.iter().for_each(|&value| self.write(memory, *address, value, None));
            }
            Command::VertexArrays(arrays) => self.state.arrays.clone_from(arrays),
            Command::Draw(_) => {}
        }
    }

    /// Draws, together with draws that follow if nothing changes between. Gives how many commands that took beside the first, or what ends the submission.
    fn draw(
        &mut self,
        memory: &Arc<Arena>,
        deadline: Option<Instant>,
        draw: &Draw,
        rest: &[Command],
    ) -> Result<usize, SubmissionError> {
        let slow = SlowPathNote::default();
        let context = DrawContext {
            engine: self.engine.as_ref(),
            cache: self.cache.as_ref(),
            deadline,
            threads: self.threads,
            pixel_log: self.pixel_log.as_ref(),
            slow: Some(&slow),
        };
        let (mut steps, mut done) = (vec![DrawStep { changes: &[], draw }], 0);
        let is_alone = self.draws.is_some() || self.pixel_log.is_some();
        let most = if is_alone { 0 } else { TOGETHER };
        for (number, command) in rest.iter().enumerate().take(most) {
            let Command::Draw(draw) = command else { continue };
            let step = DrawStep { changes: &rest[done..number], draw };
            if !pipeline::may_follow(&self.state, &step)
                || steps.len() == 1 && !pipeline::may_draw_together(&self.state, &context)
            {
                break;
            }
            steps.push(step);
            done = number + 1;
        }
        let start = Instant::now();
        let drawn = pipeline::draw(&mut self.state, memory, &context, &steps);
        let slow = slow.take();
        let mut is_new = |slow| self.slow.as_mut().is_some_and(|told| told.insert(slow));
        if let Some(slow) = slow.filter(|&slow| self.pixel_log.is_none() && slow.stays() && is_new(slow)) {
            self.warn(slow.warning(draw.at));
        }
        if let Some(draws) = &mut self.draws {
            let (time, counts) = (start.elapsed(), drawn.as_ref().copied().unwrap_or_default());
            let textures = self.state.registers.get::<TxEnable>().units.count_ones();
            let target = pipeline::draw_target(&self.state, memory);
            draws.push(DrawStats { at: draw.at, time, counts, target, textures, slow });
        }
        match drawn {
            Ok(_) => Ok(done),
            Err(error @ DrawError::TimeIsUp) => Err(SubmissionError { at: draw.at, message: error.to_string() }),
            // Programs of several do not stop: it is what they have in common, and none is drawn.
            Err(error) => {
                self.warn(format!("the draw at dword {} is dropped: {error}", draw.at));
                Ok(0)
            }
        }
    }

    fn write(&mut self, memory: &Arc<Arena>, address: u32, value: u32, object: Option<Object>) {
        let State { registers, .. } = &mut self.state;
        match object {
            Some(object) => registers.bind(address, value, object),
            None => registers.write(address, value),
        }
        match Port::of(address) {
            Some(port @ (Port::VertexIndex | Port::VertexData)) => self.state.put_in_vertex_memory(port, value),
            Some(Port::FragmentIndex) => {
                let index = usize::from(GaUsVectorIndex::decode(value).index);
                self.state.code_cursor = Cursor::at(index);
                self.state.constant_cursor = Cursor::at(index);
            }
            Some(Port::FragmentData) => match registers.get::<GaUsVectorIndex>().constants {
                false => self.state.code_cursor.put(&mut self.state.fragment_code, value),
                true => self.state.constant_cursor.put(&mut self.state.fragment_constants, value),
            },
            // All samples are counted by the first counter.
            Some(Port::Count) if self.first_counter() => self.state.passed = value,
            Some(Port::Count) => {}
            Some(Port::StoreCount) => self.store_count(memory),
            None if registers::map().at(address).is_none() => self.unknown_register(address),
            None => {}
        }
    }

    /// Whether register writes go to the first occlusion counter: they go to all after reset. RV530 has one in each of its two depth units, which
    /// FG_ZBREG_DEST selects, and which only that chip has; the others have one in each pixel pipe, which SU_REG_DEST selects.
    fn first_counter(&self) -> bool {
        let registers = &self.state.registers;
        let selected = match self.model {
            Model::Rv530 => registers.get::<FgZbregDest>().units,
            Model::Rv515 | Model::R580 => registers.get::<SuRegDest>().pipes,
        };
        selected == 0 || selected & 1 != 0
    }

    fn store_count(&mut self, memory: &Arc<Arena>) {
        let count = if self.first_counter() { self.state.passed } else { 0 };
        let Some(binding) = self.state.registers.binding::<ZbZpassAddr>(0) else { return };
        let offset = ZbZpassAddr::decode(binding.value).offset * 4;
        if offset.checked_add(4).is_none_or(|end| end > binding.object.size)
            || !memory.write_u32(binding.object.address.wrapping_add(offset), count)
        {
            self.warn(format!("an occlusion count is stored at {offset:#x}, outside of its object"));
        }
    }

    fn unknown_register(&mut self, address: u32) {
        if self.unknown.len() < MAX_WARNINGS && self.unknown.insert(address) {
            self.warn(format!("register {address:#06x} is not known; it is kept, and has no effect"));
        }
    }

    fn warn(&mut self, warning: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
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

    fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::ZbZpassData;
    use ctm_card::Card as _;

    /// A register gets a value.
    fn write(address: u32, value: u32) -> Vec<u32> {
        vec![address / 4, value]
    }

    /// Counts 7 samples, and stores what each unit has counted that a register selects, the first one's at the first address.
    fn counts(model: Model, select: u32, units: u32) -> Vec<Option<u32>> {
        const OBJECT: Object = Object { address: 0x1000, size: 0x1000 };
        let store = |unit: u32| {
            let address = [write(ZbZpassAddr::ADDRESS, 4 * unit), vec![0xC000_1000, 0]].concat();
            [write(select, 1 << unit), address].concat()
        };
        let start = [write(select, (1 << units) - 1), write(ZbZpassData::ADDRESS, 7)].concat();
        let words: Vec<_> = start.into_iter().chain((0..units).flat_map(store)).collect();
        let (memory, mut card) = (Arc::new(Arena::new(0x1000, 0x1000).expect("memory")), Card::new(model));
        card.submit(&memory, &Submission { words: &words, objects: &[OBJECT], untouched: &[] }).expect("commands");
        assert_eq!(card.take_warnings(), [""; 0]);
        (0..units).map(|unit| memory.read_u32(OBJECT.address + 4 * unit)).collect()
    }

    #[test]
    fn the_first_counter_has_all_samples() {
        let [pipes, depth_units] = [SuRegDest::ADDRESS, FgZbregDest::ADDRESS];
        assert_eq!(counts(Model::R580, pipes, 4), [7, 0, 0, 0].map(Some));
        assert_eq!(counts(Model::Rv530, depth_units, 2), [7, 0].map(Some));
        // A card has one of the registers.
        assert_eq!(counts(Model::R580, depth_units, 2), [7, 7].map(Some));
        assert_eq!(counts(Model::Rv530, pipes, 4), [7; 4].map(Some));
    }
}
