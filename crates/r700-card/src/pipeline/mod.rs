//! The pipeline, from a draw packet to memory: programs run by the reference of their instruction set. What it does not draw yet, it refuses.

mod assemble;
mod bindings;
mod clip;
mod depth;
mod indices;
mod pixels;
mod targets;
mod vertices;
mod workspace;

use crate::registers::codes::{GeometryMode, NumberType, PolygonMode};
use crate::registers::{
    DbAlphaToMask, DbRenderControl, DbShaderControl, PaClClipCntl, PaClVsOutCntl, PaScAaConfig, PaScGenericScissorBr,
    PaScGenericScissorTl, PaScModeCntl, PaScScreenScissorBr, PaScScreenScissorTl, PaScVportScissorBr,
    PaScVportScissorTl, PaScWindowScissorBr, PaScWindowScissorTl, PaSuScModeCntl, PaSuVtxCntl, RegisterFile, VgtGsMode,
    VgtPrimitiveType, VgtStrmoutEn,
};
use crate::state::State;
use crate::stream::Draw;
use assemble::Primitive;
use clip::{Corner, Projection};
use ctm_card::{Counts, Picture};
use ctm_lane::budget::{Budget, Halt};
use ctm_lane::clock::Instant;
use ctm_lane::run::RunOptions;
use ctm_memory::Arena;
use ctm_r700::{Job, RunError};
use ctm_raster::grid::Rect;
use pixels::{Face, Pixels, Placed};
use targets::{TARGETS, Target};
use thiserror::Error;
use vertices::Vertex;

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
    #[error("{kind} are not drawn yet; triangles, quads, polygons and rectangles are")]
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
    /// A sampler that is not executed yet.
    #[error("sampler {number} has a filter or wrap that is not executed yet")]
    Sampler {
        /// Its number among those of its stage.
        number: u8,
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

/// How programs run, until a deadline.
fn options(deadline: Option<Instant>) -> RunOptions<'static> {
    let budget = Budget { deadline, ..Budget::default() };
    RunOptions { step_limit: STEP_LIMIT, threads: 1, budget, ..RunOptions::default() }
}

/// Runs a program.
fn run(job: &Job, options: &RunOptions) -> Result<(), DrawError> {
    ctm_r700::reference::run(job, options)?;
    Ok(())
}

/// Draws, and gives what it did.
///
/// # Errors
/// At what is not executed; nothing was drawn then, unless a program stops.
pub fn draw(state: &State, memory: &Arena, deadline: Option<Instant>, draw: &Draw) -> Result<Counts, DrawError> {
    let options = options(deadline);
    let registers = &state.registers;
    refuse(registers)?;
    let targets: Vec<Target> = (0..TARGETS)
        .filter_map(|number| Target::of(registers, memory, number).transpose())
        .collect::<Result<_, _>>()?;
    let mut clip = scissor(registers);
    for target in &targets {
        let [right, bottom] = target.size();
        clip = clip.intersection(Rect { left: 0, top: 0, right, bottom });
    }
    let parts = indices::parts(state, memory, draw)?;
    let (kind, mode) = (registers.get::<VgtPrimitiveType>().prim_type, registers.get::<PaSuScModeCntl>());
    let projection = Projection::of(registers);
    let mut pixels = Pixels::of(state, memory, targets, clip, options.clone())?;
    let mut counts = Counts::default();
    for instance in 0..state.instances {
        for part in &parts {
            let vertices = vertices::vertices(state, memory, &options, part, instance)?;
            counts.vertices += part.len() as u64;
            for primitive in assemble::primitives(kind, part.len(), mode.provoking_vtx_last)? {
                counts.primitives += 1;
                primitive_pixels(&primitive, &vertices, &projection, &mode, &mut pixels)?;
            }
        }
    }
    let done = pixels.finish()?;
    Ok(Counts { vertices: counts.vertices, primitives: counts.primitives, ..done })
}

fn primitive_pixels(
    primitive: &Primitive,
    vertices: &[Vertex],
    projection: &Projection,
    mode: &PaSuScModeCntl,
    pixels: &mut Pixels,
) -> Result<(), DrawError> {
    let chosen = primitive.vertices.map(|n| &vertices[n]);
    let corners = Projection::corners(chosen);
    let mut face = Face { vertices: chosen, provoking: chosen[primitive.provoking], front: true };
    let placed = |corner: &Corner| Some(Placed { window: projection.window(corner)?, weights: corner.weights });
    if primitive.rectangle {
        let Some(three) = corners.iter().map(placed).collect::<Option<Vec<_>>>() else { return Ok(()) };
        let &[first, second, third] = &three[..] else { return Ok(()) };
        let sum = |n: usize| second.window.place[n] + third.window.place[n] - first.window.place[n];
        let mut fourth = Placed { window: third.window, weights: [-1.0, 1.0, 1.0] };
        fourth.window.place = [sum(0), sum(1), sum(2)];
        return pixels.polygon(&face, &[first, second, fourth, third], [0, 1, 3]);
    }
    let polygon = projection.clip(corners);
    let Some(placed) = polygon.iter().map(placed).collect::<Option<Vec<_>>>() else { return Ok(()) };
    let point = |n: usize| [placed[n].window.place[0], placed[n].window.place[1]].map(f64::from);
    let area: f64 = (1..placed.len().saturating_sub(1))
        .map(|n| {
            let ([ax, ay], [bx, by], [cx, cy]) = (point(0), point(n), point(n + 1));
            (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        })
        .sum();
    // In rows of memory, which grow downwards.
    face.front = (area > 0.0) == mode.face;
    if face.front && mode.cull_front || !face.front && mode.cull_back {
        return Ok(());
    }
    let mut rest = placed.into_iter();
    let (Some(first), Some(mut last)) = (rest.next(), rest.next()) else { return Ok(()) };
    for next in rest {
        let corners = [first, last, next];
        pixels.polygon(&face, &corners, [0, 1, 2])?;
        last = next;
    }
    Ok(())
}

/// What is not executed yet, and would change what is drawn.
fn refuse(registers: &RegisterFile) -> Result<(), DrawError> {
    let (render, shader) = (registers.get::<DbRenderControl>(), registers.get::<DbShaderControl>());
    let out = registers.get::<PaClVsOutCntl>();
    let (clip, mode) = (registers.get::<PaClClipCntl>(), registers.get::<PaSuScModeCntl>());
    let user_planes = [clip.ucp_ena_0, clip.ucp_ena_1, clip.ucp_ena_2, clip.ucp_ena_3, clip.ucp_ena_4, clip.ucp_ena_5];
    let offset = mode.poly_offset_front_enable || mode.poly_offset_back_enable;
    let outlines = mode.poly_mode != 0
        && [mode.polymode_front_ptype, mode.polymode_back_ptype].iter().any(|&kind| kind != PolygonMode::Filled);
    let not_yet = [
        (shader.z_export_enable || shader.stencil_ref_export_enable, "depth of a program"),
        (offset, "an offset of depth"),
        (render.depth_copy_enable || render.stencil_copy_enable, "a copy of depth"),
        (shader.mask_export_enable, "a mask of samples of a program"),
        (registers.get::<DbAlphaToMask>().alpha_to_mask_enable, "a mask of samples by alpha"),
        (registers.get::<PaScAaConfig>().msaa_num_samples != 0, "a pixel of several samples"),
        (registers.get::<VgtGsMode>().mode != GeometryMode::Off, "what needs a geometry program"),
        (registers.get::<VgtStrmoutEn>().enable, "streamout"),
        (clip.dx_rasterization_kill, "a draw without pixels"),
        (out.vs_out_misc_vec_ena || out.vs_out_ccdist0_vec_ena || out.vs_out_ccdist1_vec_ena, "a clip distance"),
        (user_planes.contains(&true), "a user clip plane"),
        (outlines, "the outline of a polygon"),
        (!registers.get::<PaSuVtxCntl>().pix_center_half, "a pixel whose centre is its corner"),
    ];
    match not_yet.iter().find(|(found, _)| *found) {
        Some(&(_, what)) => Err(DrawError::NotYet { what }),
        None => Ok(()),
    }
}

/// The pixels that can be drawn to.
fn scissor(registers: &RegisterFile) -> Rect {
    let rect = |left: u16, top: u16, right: u16, bottom: u16| Rect {
        left: left.into(),
        top: top.into(),
        right: right.into(),
        bottom: bottom.into(),
    };
    let (tl, br) = (registers.get::<PaScScreenScissorTl>(), registers.get::<PaScScreenScissorBr>());
    let screen = rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y);
    let (tl, br) = (registers.get::<PaScWindowScissorTl>(), registers.get::<PaScWindowScissorBr>());
    let window = rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y);
    let (tl, br) = (registers.get::<PaScGenericScissorTl>(), registers.get::<PaScGenericScissorBr>());
    let mut all = screen.intersection(window).intersection(rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y));
    if registers.get::<PaScModeCntl>().r700_vport_scissor_enable {
        let (tl, br) = (registers.get::<PaScVportScissorTl>(), registers.get::<PaScVportScissorBr>());
        all = all.intersection(rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y));
    }
    all
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
