//! The pipeline, from a draw packet to memory. What it does not draw yet, it refuses.

mod assemble;
mod bindings;
mod blending;
mod clip;
mod copies;
mod depth;
mod indices;
mod inputs;
mod kept;
mod means;
mod pixels;
mod primitives;
mod samples;
mod shading;
mod streamout;
mod targets;
mod textures;
mod vertices;
mod workspace;

use crate::registers::codes::{GeometryMode, NumberType, PolygonMode};
use crate::registers::{
    CbColorBase, DbDepthBase, PaClClipCntl, PaClVsOutCntl, PaScModeCntl, PaScWindowScissorBr, PaSuScModeCntl,
    PaSuVtxCntl, RegisterFile, VgtGsMode, VgtPrimitiveType, VgtStrmoutBufferBase,
};
use crate::state::{STREAMOUT_BUFFERS, State};
use crate::stream::Draw;
pub use kept::Textures;
pub use means::Means;
pub use workspace::Scratch;

use ctm_card::{Counts, Picture};
use ctm_lane::budget::{Budget, Halt};
use ctm_lane::clock::Instant;
use ctm_lane::run::RunOptions;
use ctm_memory::Arena;
use ctm_r700::RunError;
use pixels::Pixels;
use primitives::Shapes;
use targets::TARGETS;
use thiserror::Error;

/// Instructions that a group may execute.
const STEP_LIMIT: u64 = 1 << 24;

/// Why a draw is dropped.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DrawError {
    /// Something that is not executed yet.
    #[error("{what} is not drawn yet")]
    NotYet {
        /// What it is.
        what: &'static str,
    },
    /// Primitives that are not drawn yet.
    #[error("{kind} are not drawn yet")]
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
    /// A texture that is not sampled yet.
    #[error("texture {number} {what}, which is not sampled yet")]
    Texture {
        /// Its number among those of its stage.
        number: u8,
        /// What is with it.
        what: &'static str,
    },
    /// A target that is not drawn to yet.
    #[error("colour target {number} has format {}, which is not drawn yet", targets::Named(*format, *numbers))]
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
    #[error("the submission takes longer than its time limit (an endless loop of a program?)")]
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
pub fn draw(state: &mut State, means: &Means, draw: &Draw) -> Result<Counts, DrawError> {
    let memory = means.memory;
    let kind = state.registers.get::<VgtPrimitiveType>().prim_type;
    let last = state.registers.get::<PaSuScModeCntl>().provoking_vtx_last;
    // Of a kind that cannot be drawn nothing is.
    assemble::primitives(kind, 0, last)?;
    refuse(&state.registers)?;
    let parts = indices::parts(state, memory, draw)?;
    let shapes = Shapes::of(&state.registers);
    let mut pixels = match state.registers.get::<PaClClipCntl>().dx_rasterization_kill {
        true => None,
        false => Some(Pixels::of(state, means)?),
    };
    let streams = streamout::buffers(&state.registers);
    let mut counts = Counts::default();
    for instance in 0..state.instances {
        for part in parts.iter().filter(|part| !part.is_empty()) {
            let streamed = streams.as_deref().unwrap_or_default();
            let (vertices, records) = vertices::vertices(state, means, part, instance, streamed)?;
            let primitives = assemble::primitives(kind, part.len(), last)?;
            counts.vertices += part.len() as u64;
            counts.primitives += primitives.len() as u64;
            if let Some(buffers) = &streams {
                streamout::write(state, memory, buffers, &records, &primitives);
            }
            if let Some(pixels) = &mut pixels {
                for primitive in &primitives {
                    shapes.draw(primitive, &vertices, pixels)?;
                }
            }
        }
    }
    let done = pixels.map(Pixels::finish).transpose()?.unwrap_or_default();
    Ok(Counts { vertices: counts.vertices, primitives: counts.primitives, ..done })
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
    let mode = registers.get::<PaSuScModeCntl>();
    let is_point = registers.get::<VgtPrimitiveType>().prim_type.0 == 1;
    let is_line = matches!(registers.get::<VgtPrimitiveType>().prim_type.0, 2 | 3 | 18);
    let is_polygon = !is_point && !is_line;
    let outlines = is_polygon
        && mode.poly_mode != 0
        && [mode.polymode_front_ptype, mode.polymode_back_ptype].iter().any(|&kind| kind != PolygonMode::Filled);
    let not_yet = [
        (registers.get::<VgtGsMode>().mode != GeometryMode::Off, "what needs a geometry program"),
        (is_line && registers.get::<PaScModeCntl>().line_stipple_enable, "a stippled line"),
        (!is_polygon && mode.poly_offset_para_enable, "an offset of depth of points and lines"),
        (out.use_vtx_edge_flag && outlines, "a flag of an edge"),
        (out.use_vtx_render_target_indx || out.use_vtx_viewport_indx, "a layer or viewport that programs choose"),
        (out.use_vtx_kill_flag, "a vertex that is killed"),
        (outlines, "the outline of a polygon"),
        (!registers.get::<PaSuVtxCntl>().pix_center_half, "a pixel whose centre is its corner"),
    ];
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
