//! Frames of real scenes: those of glmark2 in a window, on the cards and on llvmpipe in turns, and what their parts cost.
//!
//! A frame's cost is the difference of two runs, one of which draws more frames, so that starting, loading and compiling do not count.

mod cost;
mod display;
mod glmark;
mod report;
mod scenes;

pub use cost::{CostItem, ITEMS, Unit};
pub use report::{json, page, text};
pub use scenes::{SCENES, Scene};

use crate::drawing::{PeerError, Spent};
use crate::gl::{CardModel, Driver, Layout, Programs};
use crate::machine::Machine;
use crate::sample::Sample;
use crate::turn::their_spending;
use ctm_codegen::EngineName;
use glmark::{Glmark, Told};
use std::io;
use thiserror::Error;

/// Frames that are drawn before those that count.
const FIRST: u32 = 16;
/// Processor time that the frames which count are to take, in seconds, about.
const ENOUGH: f64 = 1.0;
/// Fewest and most frames that count.
const COUNTED: (u32, u32) = (8, 2048);
/// How many times as many frames are tried, at most, if there were too few: the time of few may be noise.
const STEP: f64 = 16.0;
/// Seconds of a side's turn with an item of the cost model, about.
const TURN: f64 = 0.1;
/// Turns of each side with an item of the cost model.
const COST_ROUNDS: usize = 9;

/// Why frames cannot be measured.
#[derive(Debug, Error)]
pub enum FramesError {
    /// No display.
    #[error("Xvfb does not start: {0}\ninstall it, on Debian with\n  apt-get install -y xvfb")]
    Display(io::Error),
    /// No glmark2.
    #[error("glmark2 does not start: {0}\ninstall it, on Debian with\n  apt-get install -y glmark2-x11")]
    Glmark(io::Error),
    /// No `ctm`.
    #[error("ctm is missing: {0}\nbuild it with\n  cargo build --release -p ctm-cli -p ctm-drm")]
    Command(String),
    /// A run failed.
    #[error(
        "{scene} is not drawn by {side}: {cause}\nif Mesa's drivers are missing, install them, on Debian with\n  apt-get install -y \
         libgl1-mesa-dri libglx-mesa0"
    )]
    Scene {
        /// The scene.
        scene: &'static str,
        /// The driver.
        side: &'static str,
        /// What happened.
        cause: String,
    },
    /// The runs differ more by themselves than by their frames.
    #[error(
        "{what} on {side} costs less than the runs differ by; measure again with more --rounds, or with less other work"
    )]
    Noise {
        /// The scene or item.
        what: &'static str,
        /// The driver.
        side: &'static str,
    },
    /// The library, or a program of the cost model.
    #[error(transparent)]
    Peer(#[from] PeerError),
}

/// What is measured, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The cards; none for all.
    pub cards: Vec<CardModel>,
    /// The names of scenes and items of the cost model; none for all.
    pub only: Vec<String>,
    /// Threads of each side.
    pub threads: usize,
    /// Turns of each side with a scene.
    pub rounds: usize,
}

/// How time is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Processor time, of all threads together.
    Processor,
    /// The clock.
    Clock,
}

/// Times of one thing on one side, counted both ways.
#[derive(Clone, Debug, Default)]
pub struct Times {
    processor: Sample,
    clock: Sample,
}

impl Times {
    /// Adds what `many` things took, where `few` is what there was without them, in seconds for each.
    fn add(&mut self, many: Spent, few: Spent, things: f64) {
        self.processor.add((many.processor - few.processor) / things);
        self.clock.add((many.clock - few.clock) / things);
    }

    /// Those of one way to count.
    pub fn by(&self, count: Count) -> &Sample {
        match count {
            Count::Processor => &self.processor,
            Count::Clock => &self.clock,
        }
    }
}

/// What one scene or item cost.
#[derive(Debug)]
pub struct Row<T: 'static> {
    /// What it is.
    pub what: &'static T,
    /// Its times on llvmpipe.
    pub llvmpipe: Times,
    /// Its times on each card; none if the card's driver does not have what it needs.
    pub cards: Vec<Option<Times>>,
}

impl<T> Row<T> {
    /// How many times as fast as llvmpipe a card is, by medians.
    pub fn ratio(&self, card: usize, count: Count) -> Option<f64> {
        let times = self.cards[card].as_ref()?;
        Some(self.llvmpipe.by(count).median() / times.by(count).median())
    }
}

/// Everything that was measured.
#[derive(Debug)]
pub struct Measurement {
    /// What was asked for.
    pub plan: Plan,
    /// Where.
    pub machine: Machine,
    /// Whether this host has AVX-512 as the engine needs it.
    pub has_avx512: bool,
    /// The cards.
    pub cards: Vec<CardModel>,
    /// Who drew: llvmpipe, then each card.
    pub renderers: Vec<String>,
    /// The scenes, for one frame.
    pub scenes: Vec<Row<Scene>>,
    /// The cost model, for one thing.
    pub costs: Vec<Row<CostItem>>,
}

/// The names of what can be measured.
pub fn names() -> Vec<&'static str> {
    SCENES.iter().map(|scene| scene.name).chain(ITEMS.iter().map(|item| item.name)).collect()
}

/// Who draws, llvmpipe first.
struct Sides {
    drivers: Vec<Driver>,
    renderers: Vec<String>,
    threads: usize,
}

impl Measurement {
    /// Measures. `progress` is told the name of what comes next.
    ///
    /// # Errors
    /// If something is missing, or another driver draws than is meant.
    pub fn new(plan: Plan, progress: impl Fn(&str)) -> Result<Self, FramesError> {
        let machine = Machine::new();
        let is_wanted = |name: &str| plan.only.is_empty() || plan.only.iter().any(|wanted| wanted == name);
        let is_chosen = |model: &CardModel| plan.cards.is_empty() || plan.cards.contains(model);
        let cards: Vec<CardModel> = CardModel::ALL.into_iter().filter(is_chosen).collect();
        let mut drivers = vec![Driver::Llvmpipe];
        for &model in &cards {
            drivers.push(Driver::card(model, Layout::Tiles)?);
        }
        let mut sides = Sides { renderers: vec![String::new(); drivers.len()], drivers, threads: plan.threads };
        let chosen_scenes: Vec<&Scene> = SCENES.iter().filter(|scene| is_wanted(scene.name)).collect();
        let chosen_items: Vec<&CostItem> = ITEMS.iter().filter(|item| is_wanted(item.name)).collect();
        // What is missing is to be known before the first of many minutes.
        let glmark = (!chosen_scenes.is_empty()).then(|| Glmark::new(plan.threads)).transpose()?;
        let programs = (!chosen_items.is_empty()).then(Programs::build).transpose()?;
        let (mut scenes, mut costs) = (Vec::new(), Vec::new());
        if let Some(glmark) = &glmark {
            for scene in chosen_scenes {
                progress(scene.name);
                scenes.push(sides.scene(scene, glmark, plan.rounds)?);
            }
        }
        if let Some(programs) = &programs {
            for item in chosen_items {
                progress(item.what);
                costs.push(sides.cost(item, programs)?);
            }
        }
        let has_avx512 = EngineName::JitAvx512.executor().is_ok();
        Ok(Measurement { plan, machine, has_avx512, cards, renderers: sides.renderers, scenes, costs })
    }

    /// Whether the cards are as fast as they are to be.
    pub fn marks_are_met(&self) -> bool {
        report::marks(self).iter().all(|(_, is_met)| *is_met)
    }
}

impl Sides {
    fn scene(&mut self, scene: &'static Scene, glmark: &Glmark, rounds: usize) -> Result<Row<Scene>, FramesError> {
        let mut frames = Vec::new();
        for (driver, renderer) in self.drivers.iter().zip(&mut self.renderers) {
            let (told, count) = counted_frames(scene, glmark, driver)?;
            *renderer = format!("{}, OpenGL {}", told.renderer, told.version);
            frames.push(count);
        }
        let mut times = vec![Times::default(); self.drivers.len()];
        for _ in 0..rounds {
            for ((driver, &count), times) in self.drivers.iter().zip(&frames).zip(&mut times) {
                let Some(count) = count else { continue };
                let few = glmark.run(scene, driver, FIRST)?.1;
                let many = glmark.run(scene, driver, FIRST + count)?.1;
                if let (Some(few), Some(many)) = (few, many) {
                    times.add(many, few, f64::from(count));
                }
            }
        }
        let times = times.into_iter().zip(&frames).map(|(times, count)| count.map(|_| times));
        self.row(scene, scene.name, times.collect())
    }

    fn cost(&mut self, item: &'static CostItem, programs: &Programs) -> Result<Row<CostItem>, FramesError> {
        let mut drawings = Vec::new();
        for (driver, renderer) in self.drivers.iter().zip(&mut self.renderers) {
            let start = |count| programs.cost(item.name, count, (driver, self.threads));
            let pair = [start(0)?, start(item.count)?];
            pair[0].driver().clone_into(renderer);
            drawings.push(pair);
        }
        let things = f64::from(item.count) * item.things;
        let mut times = vec![Times::default(); drawings.len()];
        for _ in 0..COST_ROUNDS {
            for ([none, all], times) in drawings.iter_mut().zip(&mut times) {
                let few = their_spending(TURN, none)?;
                times.add(their_spending(TURN, all)?, few, things);
            }
        }
        self.row(item, item.name, times.into_iter().map(Some).collect())
    }

    /// What was measured, if it is more than noise.
    fn row<T>(&self, what: &'static T, name: &'static str, times: Vec<Option<Times>>) -> Result<Row<T>, FramesError> {
        let is_noise = |times: &Times| times.processor.median() <= 0.0 || times.clock.median() <= 0.0;
        let noisy = self.drivers.iter().zip(&times).find(|(_, times)| times.as_ref().is_some_and(is_noise));
        if let Some((driver, _)) = noisy {
            return Err(FramesError::Noise { what: name, side: driver.name() });
        }
        let mut times = times.into_iter();
        let llvmpipe = times.next().flatten().ok_or_else(|| FramesError::Scene {
            scene: name,
            side: Driver::Llvmpipe.name(),
            cause: "it is not supported".to_owned(),
        })?;
        Ok(Row { what, llvmpipe, cards: times.collect() })
    }
}

/// How many frames take long enough to be told from noise; none if the driver does not have what the scene needs.
fn counted_frames(scene: &Scene, glmark: &Glmark, driver: &Driver) -> Result<(Told, Option<u32>), FramesError> {
    let (told, few) = glmark.run(scene, driver, FIRST)?;
    let Some(few) = few else { return Ok((told, None)) };
    let mut count = COUNTED.0;
    while count < COUNTED.1 {
        let Some(many) = glmark.run(scene, driver, FIRST + count)?.1 else { return Ok((told, None)) };
        let spent = many.processor - few.processor;
        if spent >= ENOUGH / 2.0 {
            break;
        }
        count = more_frames(count, spent);
    }
    Ok((told, Some(count)))
}

/// How many frames to try after so many took so many seconds, which was not enough.
fn more_frames(count: u32, spent: f64) -> u32 {
    let times = (ENOUGH / spent.max(ENOUGH / STEP)).ceil();
    count.saturating_mul(times as u32).min(COUNTED.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_grow_until_they_take_long_enough() {
        assert_eq!(more_frames(8, 0.25), 32);
        assert_eq!(more_frames(8, 0.3), 32);
        // What is noise does not make one run take forever.
        assert_eq!(more_frames(8, -0.1), 128);
        assert_eq!(more_frames(1024, 0.1), COUNTED.1);
    }

    #[test]
    fn ratios_are_those_of_medians() {
        let of = |seconds: [f64; 3]| {
            let mut times = Times::default();
            for each in seconds {
                let few = Spent { clock: 5.0, processor: 1.0 };
                times.add(Spent { clock: 5.0 + 8.0 * each, processor: 1.0 + 4.0 * each }, few, 4.0);
            }
            times
        };
        let row = Row { what: &SCENES[0], llvmpipe: of([2.0, 3.0, 9.0]), cards: vec![Some(of([6.0, 1.0, 7.0])), None] };
        assert_eq!(row.llvmpipe.by(Count::Processor).median(), 3.0);
        assert_eq!(row.llvmpipe.by(Count::Clock).median(), 6.0);
        assert_eq!(row.ratio(0, Count::Processor), Some(0.5));
        assert_eq!(row.ratio(1, Count::Processor), None);
    }
}
