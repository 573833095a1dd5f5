//! What draws run with, and why they are dropped.

use crate::history::Probe;
use crate::objects::Objects;
use crate::programs::{ProgramCache, ProgramError};
use crate::textures::TextureCache;
use crate::tiles::TileMemory;
use ctm_card::SlowPathNote;
use ctm_lane::budget::{Budget, Halt};
use ctm_lane::clock::Instant;
use ctm_lane::run::RunOptions;
use ctm_memory::Space;
use ctm_sm50::engine::LineRunner;
use ctm_sm50::pipeline::BatchMemory;
use std::sync::{Arc, Mutex};
use thiserror::Error;

/// Instructions that a warp may execute.
const STEP_LIMIT: u64 = 1 << 24;
/// Lanes of a program, with textures of the same forms, from which on preparing it for the engine is worth it.
pub const MANY_LANES: u64 = 2048;

/// What outlives draws.
#[derive(Debug, Default)]
pub struct DrawCache {
    /// Programs that were read.
    pub programs: ProgramCache,
    /// Textures, decoded.
    pub textures: TextureCache,
    /// Memory for batches of primitives.
    pub batch: Mutex<BatchMemory>,
    /// Memory for draws in tiles.
    pub(crate) tiles: Mutex<TileMemory>,
}

/// What draws and launches run with.
#[derive(Clone, Copy)]
pub struct DrawContext<'a> {
    /// The memory that the submission may reach.
    pub objects: &'a Arc<Objects>,
    /// The card's memory as programs address it.
    pub space: &'a Space,
    /// What outlives draws.
    pub cache: &'a DrawCache,
    /// What executes programs that run for many lanes.
    pub executor: &'a dyn LineRunner,
    /// Limits.
    pub options: RunOptions<'static>,
    /// Slow ways that draws go.
    pub slow: &'a SlowPathNote,
    /// Pixels are drawn quad by quad, whatever the draw: the scalar reference.
    pub by_quads: bool,
    /// What looks at a pixel.
    pub probe: Option<&'a Probe<'a>>,
}

/// Why a draw or a launch is dropped.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DrawError {
    /// Something that is not executed yet.
    #[error("{what} is not supported")]
    NotYet {
        /// What it is.
        what: &'static str,
    },
    /// A target of a format that there is not.
    #[error("a target has format {code:#04x}, which is not known")]
    Format {
        /// The code of the format.
        code: u8,
    },
    /// A program cannot be read.
    #[error(transparent)]
    Code(#[from] ProgramError),
    /// Programs and state do not fit together.
    #[error(transparent)]
    Stages(ctm_sm50::pipeline::DrawError),
    /// A program does what the machine cannot do.
    #[error("a program stops: {0}")]
    Program(ctm_sm50::launch::Stop),
    /// The submission takes too long.
    #[error("the submission takes longer than its time limit (an infinite loop in a program?)")]
    TimeIsUp,
    /// The host has no memory.
    #[error("there is no memory for it")]
    Memory,
}

impl From<ctm_sm50::launch::Stop> for DrawError {
    fn from(stop: ctm_sm50::launch::Stop) -> Self {
        match stop {
            ctm_sm50::launch::Stop::Halted(Halt::Deadline) => DrawError::TimeIsUp,
            stop => DrawError::Program(stop),
        }
    }
}

impl From<ctm_sm50::pipeline::DrawError> for DrawError {
    fn from(error: ctm_sm50::pipeline::DrawError) -> Self {
        match error {
            ctm_sm50::pipeline::DrawError::Stop(stop) => stop.into(),
            ctm_sm50::pipeline::DrawError::NoMemory(_) => DrawError::Memory,
            error => DrawError::Stages(error),
        }
    }
}

/// How programs run, until a deadline, on so many threads; 0 is one per processor.
pub fn options(deadline: Option<Instant>, threads: usize) -> RunOptions<'static> {
    let budget = Budget { deadline, ..Budget::default() };
    RunOptions { step_limit: STEP_LIMIT, threads, budget, ..RunOptions::default() }
}
