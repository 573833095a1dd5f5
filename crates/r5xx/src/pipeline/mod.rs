//! The pipeline, from a draw packet to memory: one vertex, one primitive, one quad of pixels at a time.

mod area;
mod assemble;
mod batch;
mod clip;
mod colour;
mod copies;
mod corner;
mod counts;
mod depth;
mod direct;
mod fetch;
mod fragment;
mod history;
mod interpolate;
mod kernels;
mod picture;
mod pixels;
mod primitives;
mod program;
mod scratch;
mod shading;
mod stipple;
mod vertex;
mod vertices;
mod window;

pub use fragment::{fragment_constants, fragment_program};
pub use picture::{depth_picture, picture};
pub use scratch::Scratch;

use crate::registers::{GaColorControl, VapCntl};
use crate::state::State;
use crate::stream::Draw;
use crate::tx::Textures;
use area::AreaState;
use batch::BatchState;
use ctm_card::Counts;
use ctm_card::history::Watcher;
use ctm_engine::Engine;
use ctm_lane::budget::{Budget, Halt};
use ctm_lane::clock::Instant;
use ctm_memory::{Arena, Space};
use ctm_x1k::fragments::FragmentJob;
use ctm_x1k::reference::with_shader;
use ctm_x1k::{RunError, RunOptions};
use history::Probe;
use kernels::{Kernels, LazyBatch};
use shading::{Passing, Shading};
use std::sync::Arc;
use thiserror::Error;

/// Why a draw stops.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DrawError {
    /// An element of a vertex has a type that there is not.
    #[error("element {number} of the vertices has type {code}, which VAP_PROG_STREAM_CNTL does not have")]
    VertexElement {
        /// Number of the element.
        number: u32,
        /// Its type.
        code: u8,
    },
    /// A vertex program does not come to its end.
    #[error("the vertex program stops: {0}")]
    VertexProgram(#[from] ctm_pvs::reference::Trap),
    /// The submission takes too long.
    #[error("the submission takes longer than its time limit (an endless loop of a program?)")]
    TimeIsUp,
    /// A fragment program does what the machine cannot do.
    #[error("the fragment program stops: {0}")]
    FragmentProgram(RunError),
    /// A colour buffer has a format that there is not.
    #[error("colour format {colour} with output format {output} is not supported")]
    ColourFormat {
        /// `COLORFORMAT`.
        colour: u8,
        /// `OUT_FMT`.
        output: u8,
    },
}

impl From<RunError> for DrawError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Halted(Halt::Deadline) => DrawError::TimeIsUp,
            error => DrawError::FragmentProgram(error),
        }
    }
}

/// What draws run with.
#[derive(Clone, Copy, Default)]
pub struct Means<'a> {
    /// What draws primitives of many pixels; `None` if the pipeline draws all of them.
    pub engine: Option<&'a Engine>,
    /// Memory for kernels; `None` if the reference transforms all vertices, and kernels draw only primitives of many pixels, without copies of textures.
    pub scratch: Option<&'a Scratch>,
    /// When a submission ends, complete or not.
    pub deadline: Option<Instant>,
    /// Threads of an engine; 0 is one per processor.
    pub threads: usize,
    /// The pixel whose history is kept.
    pub watcher: Option<&'a Watcher>,
}

impl Means<'_> {
    /// How programs run.
    fn options(&self) -> RunOptions<'static> {
        RunOptions {
            step_limit: STEP_LIMIT,
            threads: self.threads,
            budget: Budget { deadline: self.deadline, ..Budget::default() },
            ..RunOptions::default()
        }
    }

    /// Looks whether there is time left.
    fn check(&self) -> Result<(), DrawError> {
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(DrawError::TimeIsUp),
            _ => Ok(()),
        }
    }
}

/// Primitives between two looks at the time.
const PRIMITIVES_PER_CHECK: u32 = 64;
/// Instructions that a group of fragments may execute.
const STEP_LIMIT: u64 = 1 << 24;

/// Draws, and gives what it did.
///
/// # Errors
/// At the first program that stops, or when the time is up; what was drawn before stays.
pub fn draw(state: &mut State, memory: &Arc<Arena>, means: &Means, draw: &Draw) -> Result<Counts, DrawError> {
    if state.registers.get::<VapCntl>().no_render {
        return Ok(Counts::default());
    }
    let counts = draw_primitives(state, memory, means, draw)?;
    state.passed = state.passed.wrapping_add(counts.passed as u32);
    Ok(counts)
}

fn draw_primitives(state: &State, memory: &Arc<Arena>, means: &Means, draw: &Draw) -> Result<Counts, DrawError> {
    let program = fragment::fragment_program(state);
    let pixels = pixels::Pixels::of(&state.registers, memory, &program)?;
    let primitives = primitives::Primitives::of(state, &pixels);
    let mut vertices = vertices::Vertices::new(state, memory, means, draw, primitives.projection())?;
    let textures = Textures::of(&state.registers, memory);
    let provoking = state.registers.get::<GaColorControl>().provoking;
    let constants = fragment::fragment_constants(state);
    let count = vertices.count();
    let presets = primitives.presets();
    let job = FragmentJob { program: &program, constants: &constants, presets, textures: &textures };
    let mut space = Space::default();
    // The only arena overlaps no other.
    _ = space.map(Arc::clone(memory));
    let options = means.options();
    let probe = means.watcher.map(|watcher| {
        let draw = (draw.at, pixels.targets_at(watcher.pixel()));
        Probe::new(watcher, draw, &job, &options)
    });
    let mut draw_all = |shading: Shading, kernels: &Kernels| {
        let mut drawing = primitives.begin(shading, kernels, probe.as_ref());
        let mut number = 0u32;
        assemble::assemble(draw.control.primitive, count, provoking, |primitive| {
            if number.is_multiple_of(PRIMITIVES_PER_CHECK) {
                means.check()?;
            }
            drawing.note(number, &primitive, &mut vertices)?;
            number += 1;
            drawing.primitive(&primitive, &mut vertices)
        })?;
        let counts = Counts { vertices: count as u64, primitives: number.into(), ..drawing.finish()? };
        Ok(counts::with_program(counts, &program))
    };
    let area = means.engine.zip(pixels.area_targets(&space));
    let area = area.and_then(|(engine, targets)| {
        let memory = means.scratch.map(|scratch| &scratch.area);
        AreaState::of(&job, &textures, targets, (&space, memory), (engine, &options))
    });
    let batch: LazyBatch = LazyBatch::new(Box::new(|| {
        let engine = means.engine?;
        BatchState::of(&job, &textures, &pixels, primitives.routings(), &space, (engine, &options))
    }));
    let memory = means.scratch.map(|scratch| &scratch.batch);
    let kernels = Kernels { area, batch, memory, pixels: &pixels };
    if let Some(passing) = Passing::of(&program, &constants, presets) {
        return draw_all(Shading::Passing(&passing, &textures), &kernels);
    }
    with_shader(&job, &options, |shader| draw_all(Shading::Program(shader), &kernels))
}
