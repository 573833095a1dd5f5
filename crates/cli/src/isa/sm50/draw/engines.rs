//! The engine of a draw, which remembers what it does not run as machine code.

use crate::isa::sm50::run::fallback;
use ctm_engine::Executor;
use ctm_lane::run::RunOptions;
use ctm_sm50::launch::{LaunchReport, StageLaunch, StageRunner, Stop};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Runs launches, and remembers for each stage why no machine code runs it.
pub struct Watched<'a> {
    engine: &'a Executor,
    /// By the number of the stage.
    slower: Mutex<BTreeMap<u8, Option<String>>>,
}

impl<'a> Watched<'a> {
    pub fn new(engine: &'a Executor) -> Self {
        Watched { engine, slower: Mutex::default() }
    }

    /// What to tell about the stages, in their order.
    pub fn fallbacks(self) -> impl Iterator<Item = String> {
        self.slower.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().flatten()
    }
}

impl StageRunner for Watched<'_> {
    fn run(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop> {
        let stage = launch.shader.stage();
        let mut slower = self.slower.lock().unwrap_or_else(PoisonError::into_inner);
        // The launches of a stage differ in nothing that decides it.
        slower.entry(stage as u8).or_insert_with(|| fallback(self.engine, launch, options));
        drop(slower);
        self.engine.run(launch, options)
    }
}
