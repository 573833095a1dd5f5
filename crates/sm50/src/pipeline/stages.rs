//! Launches of the stages of a draw.

use super::DrawError;
use super::origins::Origins;
use crate::attributes::{Emissions, Records};
use crate::launch::{LaunchReport, StageLaunch, StageRunner};
use ctm_lane::budget::{self, Meter};
use ctm_lane::run::RunOptions;

/// Bytes that a batch takes for lists of its points and indices, at most: no error is made of an allocation that fails there.
const BATCH_BYTES: u64 = 1 << 24;
/// Bytes of the records of a launch so few that its lists do not matter.
const SMALL_BYTES: u64 = 1 << 20;

/// What all stages of a draw run with, also those of who receives its primitives.
pub struct Stages<'a> {
    executor: &'a dyn StageRunner,
    /// Limits of the draw.
    pub options: &'a RunOptions<'a>,
    /// The budget between launches.
    pub meter: Meter<'a>,
    report: LaunchReport,
    /// Where vertices come from, if that is kept.
    pub origins: Option<Origins<'a>>,
}

impl<'a> Stages<'a> {
    /// For a draw within these limits.
    pub(super) fn new(executor: &'a dyn StageRunner, options: &'a RunOptions<'a>) -> Self {
        let meter = Meter::new(options.budget, options.cancel);
        Stages { executor, options, meter, report: LaunchReport::default(), origins: None }
    }

    /// What all launches did.
    pub(super) fn finish(self) -> LaunchReport {
        self.report
    }

    /// Launches a stage, while so many bytes are kept for the draw.
    ///
    /// # Errors
    /// As those of [`StageRunner::run`].
    pub fn launch(&mut self, launch: &StageLaunch, kept: u64) -> Result<(), DrawError> {
        let records = [launch.inputs, launch.outputs, launch.patches].into_iter().flatten();
        let blocks = records.map(Records::buffer).chain(launch.emissions.map(Emissions::buffer));
        let bytes: u64 = blocks.map(|block| u64::from(block.length())).sum();
        let mut budget = self.options.budget;
        budget.allows_memory(kept + bytes)?;
        if bytes > SMALL_BYTES {
            budget::require(BATCH_BYTES)?;
        }
        // Every executor counts the same, so what is left does not depend on it.
        budget.instructions = budget.instructions.saturating_sub(self.report.stats.instructions);
        let options = RunOptions { progress: None, counts: None, budget, ..*self.options };
        let report: LaunchReport = self.executor.run(launch, &options)?;
        self.report.merge(&report);
        Ok(())
    }
}
