//! The pipeline, from a draw packet to memory: one vertex, one primitive, one quad of pixels at a time.

mod assemble;
mod attributes;
mod clip;
mod corner;
mod counts;
mod depth;
mod detiled;
mod draw_cache;
mod fetch;
mod fills;
mod fragment;
mod history;
mod kernels;
mod known;
mod picture;
mod pixels;
mod primitives;
mod program;
mod programs;
mod rectangles;
mod resolve;
mod shading;
mod stipple;
mod targets;
mod tiles;
mod together;
mod vertex;
mod vertices;
mod window;

pub use draw_cache::DrawCache;
pub use fragment::{fragment_constants, fragment_program};
pub use picture::{depth_picture, draw_target, picture};
pub use together::{DrawStep, may_draw_together, may_follow};

use crate::registers::{GaColorControl, VapCntl};
use crate::state::State;
use crate::tx::Textures;
use ctm_card::history::PixelLog;
use ctm_card::{DrawCounts, SlowPath, SlowPathNote};
use ctm_engine::Engine;
use ctm_lane::budget::{Budget, Halt};
use ctm_lane::clock::Instant;
use ctm_memory::{Arena, Space};
use ctm_x1k::fragments::FragmentJob;
use ctm_x1k::reference::with_shader;
use ctm_x1k::{RunError, RunOptions};
use history::Probe;
use kernels::{Kernels, LazyTileState};
use programs::Programs;
use rectangles::RectangleState;
use shading::{PassThrough, Shading};
use std::sync::Arc;
use thiserror::Error;
use tiles::TileState;
use vertices::{SpareVertices, Vertices};

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
    #[error("the submission takes longer than its time limit (an infinite loop in a program?)")]
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
pub struct DrawContext<'a> {
    /// What draws primitives of many pixels; `None` if the pipeline draws all of them.
    pub engine: Option<&'a Engine>,
    /// Memory for kernels; `None` if the reference transforms all vertices, and kernels draw only primitives of many pixels, without copies of textures.
    pub cache: Option<&'a DrawCache>,
    /// When a submission ends, complete or not.
    pub deadline: Option<Instant>,
    /// Threads of an engine; 0 is one per processor.
    pub threads: usize,
    /// The pixel whose history is kept.
    pub pixel_log: Option<&'a PixelLog>,
    /// Slow ways that draws go; `None` if nobody asks for them.
    pub slow: Option<&'a SlowPathNote>,
}

impl DrawContext<'_> {
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

/// Draws one after the other, and gives what that did. Several need to be such that they [may be drawn together](may_draw_together), and what changes
/// between such that they [may follow](may_follow).
///
/// # Errors
/// At the first program that stops, or when the time is up; what was drawn before stays.
pub fn draw(
    state: &mut State,
    memory: &Arc<Arena>,
    context: &DrawContext,
    steps: &[DrawStep],
) -> Result<DrawCounts, DrawError> {
    if state.registers.get::<VapCntl>().no_render {
        steps.iter().flat_map(|step| step.changes).for_each(|change| state.change_vertices(change));
        return Ok(DrawCounts::default());
    }
    let programs = Programs::of(state, context);
    let counts = draw_primitives(state, memory, context, &programs, steps)?;
    together::note(&programs, context, &counts);
    state.passed = state.passed.wrapping_add(counts.passed as u32);
    Ok(counts)
}

fn draw_primitives(
    state: &mut State,
    memory: &Arc<Arena>,
    context: &DrawContext,
    programs: &Programs,
    steps: &[DrawStep],
) -> Result<DrawCounts, DrawError> {
    let known = &programs.fragments;
    let program = &known.program;
    let pixels = pixels::Pixels::of(&state.registers, memory, program)?;
    let primitives = primitives::Primitives::of(state, &pixels);
    let Some(first) = steps.first() else { return Ok(DrawCounts::default()) };
    let textures = Textures::of(&state.registers, memory);
    let provoking = state.registers.get::<GaColorControl>().provoking;
    let constants = fragment::fragment_constants(state);
    let presets = primitives.presets();
    let job = FragmentJob { program, constants: &constants, presets, textures: &textures };
    let mut space = Space::default();
    // The only arena overlaps no other.
    _ = space.map(Arc::clone(memory));
    let options = context.options();
    let probe = context.pixel_log.map(|pixel_log| {
        let draw = (first.draw.at, pixels.targets_at(pixel_log.pixel()));
        Probe::new(pixel_log, draw, &job, &options)
    });
    let mut draw_all = |shading: Shading, kernels: &Kernels| {
        let mut drawing = primitives.begin(shading, kernels, probe.as_ref());
        let mut counts = DrawCounts::default();
        let mut spare = SpareVertices::default();
        for DrawStep { changes, draw } in steps {
            changes.iter().for_each(|change| state.change_vertices(change));
            let with = (*draw, programs);
            let mut vertices = Vertices::new(state, memory, context, with, primitives.projection(), spare)?;
            let mut number = 0u32;
            drawing.begin_draw();
            assemble::assemble(draw.control.primitive, vertices.count(), provoking, |primitive| {
                if number.is_multiple_of(PRIMITIVES_PER_CHECK) {
                    context.check()?;
                }
                drawing.note(number, &primitive, &mut vertices)?;
                number += 1;
                drawing.primitive(&primitive, &mut vertices)
            })?;
            counts.vertices += vertices.count() as u64;
            counts.primitives += u64::from(number);
            spare = vertices.into_spare();
        }
        let DrawCounts { vertices, primitives, .. } = counts;
        let counts = DrawCounts { vertices, primitives, ..drawing.finish()? };
        Ok(counts::with_program(counts, program))
    };
    let rectangles = context.engine.zip(pixels.rectangle_targets(&space));
    let rectangles = rectangles.and_then(|(engine, targets)| {
        let memory = context.cache.map(|cache| &cache.rectangles);
        RectangleState::of((&job, known), &textures, targets, (&space, memory), (engine, &options))
    });
    let tiles: LazyTileState = LazyTileState::new(Box::new(|| {
        let engine = context.engine.ok_or(SlowPath::NoEngine)?;
        TileState::of((&job, known), &textures, &pixels, primitives.routings(), &space, (engine, &options))
    }));
    let memory = context.cache.map(|cache| &cache.tiles);
    let threads = context.engine.map(|engine| (engine.runtime().workers(), context.threads));
    let kernels =
        Kernels { rectangles, tiles, program: known.hash, memory, pixels: &pixels, threads, slow: context.slow };
    if let Some(pass_through) = PassThrough::of(program, &constants, presets) {
        return draw_all(Shading::PassThrough(&pass_through, &textures), &kernels);
    }
    with_shader(&job, &options, |shader| draw_all(Shading::Program(shader), &kernels))
}
