//! The pipeline, from a draw packet to memory. What it does not draw yet, it refuses.

mod assemble;
mod attributes;
mod bindings;
mod blending;
mod clip;
mod context;
mod depth;
mod draw_memory;
mod drawing;
mod fragment_log;
mod geometry;
mod history;
mod indices;
mod pixels;
mod primitives;
mod resolve;
mod samples;
mod shading;
mod stage;
mod stipple;
mod streamout;
mod targets;
mod tiles;
mod vertex_batch;
mod vertex_places;
mod vertices;
mod viewports;

use crate::registers::codes::NumberType;
use crate::registers::{
    CbColorBase, DbDepthBase, PaClVsOutCntl, PaScWindowScissorBr, RegisterFile, VgtStrmoutBufferBase,
};
use crate::state::{STREAMOUT_BUFFERS, State};
use crate::stream::Draw;
pub use context::DrawContext;
pub use draw_memory::DrawCache;
pub use drawing::Drawing;
pub use history::Probe;

use crate::programs::{STAGES, program};
use ctm_card::{DepthPicture, DrawCounts, DrawTarget, Picture};
use ctm_lane::budget::{Budget, Halt};
use ctm_lane::clock::Instant;
use ctm_lane::run::RunOptions;
use ctm_memory::Arena;
use ctm_r700::{RunError, Stage, Uses};
use targets::{SamplePlace, TARGETS, TargetSurface};
use thiserror::Error;

/// Instructions that a group may execute.
const STEP_LIMIT: u64 = 1 << 24;

/// Why a draw is dropped.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DrawError {
    /// Something that is not executed yet.
    #[error("{what} is not supported")]
    NotYet {
        /// What it is.
        what: &'static str,
    },
    /// Primitives that are not supported.
    #[error("{kind} are not supported")]
    Primitives {
        /// What they are.
        kind: &'static str,
    },
    /// A stage without program.
    #[error("there is no {stage} program")]
    NoProgram {
        /// The stage.
        stage: &'static str,
    },
    /// More vertices than there is memory for.
    #[error("it has {count} vertices, which are too many")]
    Vertices {
        /// How many.
        count: u32,
    },
    /// A geometry program ends strips too often.
    #[error("its geometry program emits vertices and ends strips {count} times, which is too often")]
    Strips {
        /// How often.
        count: u32,
    },
    /// A texture that is not supported.
    #[error("texture {number} {what}, which is not supported")]
    Texture {
        /// Its number among those of its stage.
        number: u8,
        /// What is with it.
        what: &'static str,
    },
    /// A target that is not drawn to yet.
    #[error("colour target {number} has format {}, which is not supported", targets::FormatName(*format, *numbers))]
    Target {
        /// Its number.
        number: u32,
        /// Its format.
        format: u8,
        /// What its numbers are.
        numbers: NumberType,
    },
    /// A program does what the machine cannot do.
    #[error("a program stops: {0}")]
    Program(RunError),
    /// The submission takes too long.
    #[error("the submission takes longer than its time limit (an infinite loop in a program?)")]
    TimeIsUp,
    /// The host has no memory.
    #[error("there is no memory for what its programs read")]
    Memory,
}

impl From<RunError> for DrawError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Halted(Halt::Deadline) => DrawError::TimeIsUp,
            error => DrawError::Program(error),
        }
    }
}

/// How programs run, until a deadline, on so many threads; 0 is one per processor.
pub fn options(deadline: Option<Instant>, threads: usize) -> RunOptions<'static> {
    let budget = Budget { deadline, ..Budget::default() };
    RunOptions { step_limit: STEP_LIMIT, threads, budget, ..RunOptions::default() }
}

/// Draws, and gives what it did.
///
/// # Errors
/// At what is not executed; nothing was drawn then, unless a program stops.
pub fn draw(state: &mut State, context: &DrawContext, draw: &Draw) -> Result<DrawCounts, DrawError> {
    let done = Drawing::of(state, context, draw).and_then(|mut drawing| {
        drawing.draw(state, draw)?;
        drawing.finish(state)
    });
    written(state);
    done
}

/// Says that a draw may have written to what is bound for that: textures may be the same memory.
pub fn written(state: &State) {
    let registers = &state.registers;
    let targets = (0..TARGETS).filter_map(|number| registers.binding::<CbColorBase>(number));
    let streams = (0..STREAMOUT_BUFFERS as u32).filter_map(|number| registers.binding::<VgtStrmoutBufferBase>(number));
    for binding in targets.chain(streams).chain(registers.binding::<DbDepthBase>(0)) {
        let first = u64::from(binding.object.address);
        state.textures.written(first..first + u64::from(binding.object.size));
    }
}

/// What is not executed yet, and would change what is drawn.
fn refuse(registers: &RegisterFile) -> Result<(), DrawError> {
    let out = registers.get::<PaClVsOutCntl>();
    let not_yet = [(out.use_vtx_kill_flag, "a vertex that is killed")];
    match not_yet.iter().find(|(found, _)| *found) {
        Some(&(_, what)) => Err(DrawError::NotYet { what }),
        None => Ok(()),
    }
}

/// What a draw with this state would write to, if that is anything: colour target `number`, from 0, up to the window's scissor.
///
/// # Errors
/// If the target has a format that is not drawn to.
pub fn picture(state: &State, memory: &Arena, number: usize) -> Result<Option<Picture>, DrawError> {
    let corner = state.registers.get::<PaScWindowScissorBr>();
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    targets::picture(&state.registers, memory, number, [corner.br_x.into(), corner.br_y.into()])
}

/// The first colour target that a draw with this state would write to.
pub fn draw_target(state: &State, memory: &Arena) -> Option<DrawTarget> {
    let corner = state.registers.get::<PaScWindowScissorBr>();
    let surface = |number| TargetSurface::of(&state.registers, memory, number).ok()?;
    let surface = (0..TARGETS).find_map(surface)?;
    let [width, height] = surface.size();
    Some(DrawTarget {
        address: surface.address(SamplePlace::default())?,
        width: width.min(corner.br_x.into()),
        height: height.min(corner.br_y.into()),
    })
}

/// Textures that the pixel program of a draw with this state can read.
pub fn textures(state: &State, memory: &Arena) -> u32 {
    let pixels = STAGES.iter().find(|registers| registers.stage == Stage::Pixel);
    let program = pixels.and_then(|registers| program(&state.registers, registers, memory));
    program.map_or(0, |program| Uses::of(&program).of_stage.textures.len() as u32)
}

/// The depth buffer that is bound, if there is one, up to the window's scissor.
///
/// # Errors
/// If it has a format that is not tested with.
pub fn depth_picture(state: &State, memory: &Arena) -> Result<Option<DepthPicture>, DrawError> {
    let corner = state.registers.get::<PaScWindowScissorBr>();
    depth::picture(&state.registers, memory, [corner.br_x.into(), corner.br_y.into()])
}
