//! The scalar reference: the rules of the machine as plain code over decoded instructions, one warp at a time. It is the
//! golden model of every other executor.
//!
//! An instruction executes lane by lane, in ascending order, and in each lane reads all its operands before it writes. So a
//! store that several lanes make to one place leaves the value of the highest one (decision S13: one of them wins, and the
//! machine does not say which).
#![deny(clippy::wildcard_enum_match_arm)]

mod arithmetic;
mod atomic;
mod attribute;
mod bits;
mod block;
mod call;
mod compare;
mod conversion;
mod exchange;
mod flow;
mod fragment;
mod memory;
mod operand;
mod races;
mod special;
mod stepper;
mod surface;
mod texture;
mod video;
mod view;
mod warp;

use crate::instruction::Instruction;
use crate::launch::{LaunchReport, StageLaunch, StageRunner, Stop, WARP};
use crate::table::{AtomicOp, Class, OrderOp};
use block::Block;
pub(crate) use call::{Callee, KeptWords};
use ctm_follow::{Follow, FollowedLanes, Observer};
use ctm_lane::budget::Meter;
use ctm_lane::run::RunOptions;
use races::Races;
use std::ops::Range;
pub(crate) use stepper::{Moment, Stepper, Token};
use warp::{State, Warp};

/// The reference as an executor. It uses one thread, and of the options the step limit, the budget, the progress report and
/// the cancel flag.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

/// Warps that run side by side: those of a block, if they may wait for each other or share memory.
pub(crate) fn warps_together(launch: &StageLaunch) -> u32 {
    let meets = |instruction: &Instruction| {
        let class = instruction.op().class();
        matches!(
            class,
            Class::Order(OrderOp::Bar) | Class::Shared(_) | Class::Atomic(AtomicOp::Atoms | AtomicOp::AtomsCas)
        )
    };
    let meet = launch.shader.code.instructions().iter().any(meets);
    launch.grid.filter(|_| meet).map_or(1, |grid| grid.block_invocations() / WARP)
}

impl StageRunner for Reference {
    fn run(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop> {
        Self::run_following(launch, options, None, 0..launch.invocations.warps())
    }
}

impl Reference {
    /// As [`run`](StageRunner::run), and reports to an observer what an invocation goes through: one, or the first of each warp.
    ///
    /// # Errors
    /// As there.
    pub fn run_observed(
        &self,
        launch: &StageLaunch,
        options: &RunOptions,
        invocation: impl Into<FollowedLanes>,
        observer: &mut dyn Observer,
    ) -> Result<LaunchReport, Stop> {
        let warps = 0..launch.invocations.warps();
        Self::run_following(launch, options, Some((invocation.into(), observer)), warps)
    }

    /// Runs the warp of an invocation alone, with those of its block, and reports what the invocation goes through.
    ///
    /// # Errors
    /// As [`run`](StageRunner::run).
    pub fn follow(
        &self,
        launch: &StageLaunch,
        options: &RunOptions,
        invocation: u32,
        observer: &mut dyn Observer,
    ) -> Result<LaunchReport, Stop> {
        let together = warps_together(launch);
        let first = invocation / WARP / together * together;
        let warps = first..(first + together).min(launch.invocations.warps());
        Self::run_following(launch, options, Some((invocation.into(), observer)), warps)
    }

    /// As [`run`](StageRunner::run), and warns of races between warps of a block.
    ///
    /// # Errors
    /// As there.
    pub fn run_for_races(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop> {
        let warps = 0..launch.invocations.warps();
        Self::run_watching(launch, options, None, (Some(Races::default()), warps))
    }

    fn run_following(
        launch: &StageLaunch,
        options: &RunOptions,
        observed: Option<(FollowedLanes, &mut dyn Observer)>,
        warps: Range<u32>,
    ) -> Result<LaunchReport, Stop> {
        Self::run_watching(launch, options, observed, (None, warps))
    }

    fn run_watching(
        launch: &StageLaunch,
        options: &RunOptions,
        observed: Option<(FollowedLanes, &mut dyn Observer)>,
        (races, warps): (Option<Races>, Range<u32>),
    ) -> Result<LaunchReport, Stop> {
        let follow = observed.map(|(invocation, observer)| Follow::new(invocation, observer));
        let meter = Meter::new(options.budget, options.cancel);
        let mut warp = Warp::new(launch, options, &meter, follow, State::new(launch, &meter)?);
        warp.races = races;
        meter.check()?;
        let together = warps_together(launch);
        let mut block = (together > 1).then(|| Block::new(together, &warp.state));
        for first in warps.clone().step_by(together as usize) {
            match &mut block {
                Some(block) => block.run(&mut warp, first)?,
                None => warp.run(first)?,
            }
            if let Some(progress) = options.progress {
                progress(u64::from(first + together), u64::from(warps.end));
            }
        }
        let report = warp.into_report();
        meter.charge(report.stats.instructions)?;
        Ok(report)
    }
}
