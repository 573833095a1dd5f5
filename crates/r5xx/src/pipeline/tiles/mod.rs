//! The fragment program of many primitives on the engine: with its texture fetches it is one kernel, which runs for what [`ctm_pipeline`] lays out for it.
//!
//! What kernels can do is a part of what the card can; everything else is left to the pipeline that goes quad by quad. Both give the same
//! bits.

mod buffer_fetch;
mod components;
mod job;
mod lift;
mod memory;
mod planes;
mod renderer;
mod thread;

pub use memory::TileMemory;
pub use renderer::TileRenderer;

use super::attributes::{PrimitiveValues, Routing};
use super::detiled::{DetiledTextures, bound};
use super::known::KnownProgram;
use super::pixels::Pixels;
use super::rectangles::{fetches, finite_channels, program_tables, texture_of};
use super::targets::ColourTarget;
use super::window::GRID;
use crate::layout::Layout;
use crate::surface::Surface;
use crate::tx::{BufferTexture, KernelTexture, Textures};
use components::Channels;
use ctm_card::{ObjectBytes, SlowPath};
use ctm_engine::{Engine, SurfaceLayout};
use ctm_memory::{Bounds, Buffer, Space};
use ctm_pipeline::{Family, Rules};
use ctm_raster::grid::Grid;
use ctm_raster::sampler::TextureKind;
use ctm_x1k::fragments::FragmentJob;
use ctm_x1k::{Body, Constants, Effects, INPUTS, OUTPUTS, Operand, Program, ReadPath, RunOptions, WriteMode};
use planes::{PLANES, Planes, Side};
use std::sync::Arc;

/// The cards of this family.
pub enum R5xx {}

impl Family for R5xx {
    const GRID: Grid = GRID;
    type Values = PrimitiveValues;
    type Target<'a> = ColourTarget<'a>;
    type Layout = Layout;
}

/// What a component of a temporary is at program start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// It is the same for all fragments, or does not matter.
    Constant(u32),
    /// It is in this plane.
    Plane(usize),
}

/// The planes of what a kernel gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Results {
    /// The first plane of each output that is used.
    outputs: [Option<usize>; OUTPUTS],
    /// Depth, if it is the program's W.
    depth: Option<usize>,
    /// 0 for fragments that the program kills, if it may kill some.
    valid: Option<usize>,
}

impl Results {
    /// Of a draw.
    fn of(pixels: &Pixels, rules: &Rules) -> Self {
        let mut planes = 0;
        let mut take = |is_used: bool, count: usize| {
            let first = planes;
            planes += if is_used { count } else { 0 };
            is_used.then_some(first)
        };
        // Alpha is that of output 0.
        let tests_alpha = rules.alpha.is_some() || rules.alpha_to_mask;
        let is_used =
            |output: usize| output == 0 && tests_alpha || pixels.targets().iter().any(|target| target.output == output);
        let outputs = std::array::from_fn(|output| take(is_used(output), 4));
        Results { outputs, depth: take(pixels.depth_from_program(), 1), valid: take(rules.kills, 1) }
    }
}

/// Everything that decides what a kernel does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    program: Arc<KnownProgram<Program>>,
    /// Per channel: no constant is an infinity or a NaN.
    finite: [bool; 4],
    /// The temporaries that are filled.
    presets: Vec<(u8, [Component; 4])>,
    /// Bases of all surfaces are 0.
    textures: Vec<Option<KernelTexture>>,
    /// By unit, where the others have none.
    in_buffers: Vec<Option<BufferTexture>>,
    texture_layouts: Vec<SurfaceLayout>,
    plane_layouts: [SurfaceLayout; 2],
    results: Results,
    /// Planes that are read, but for those of texels.
    planes: usize,
}

/// What draws have in common whose quads kernels can draw.
pub struct TileState<'a> {
    program: &'a Arc<KnownProgram<Program>>,
    constants: &'a Constants,
    /// Those that kernels fetch from.
    textures: Vec<Option<KernelTexture>>,
    /// The others of which kernels read words.
    in_buffers: Vec<Option<BufferTexture>>,
    /// These words.
    buffers: Vec<Buffer<'a>>,
    /// All of them.
    units: &'a Textures<'a>,
    /// The memory that textures lie in.
    space: &'a Space,
    engine: &'a Engine,
    options: &'a RunOptions<'a>,
    presets: Vec<(u8, [Component; 4])>,
    /// The channels of temporaries that are in planes, one after the other.
    channels: Vec<Channels>,
    /// The tables of the program.
    tables: Vec<Vec<u32>>,
    rules: Rules,
    results: Results,
    /// Planes that are read: those of components.
    planes: usize,
}

/// The components of temporaries that a program may read before it writes them, as bits by temporary. Of these units, textures are flat.
fn read_components(program: &Program, is_flat: impl Fn(u8) -> bool) -> [u8; 128] {
    let mut components = [0; 128];
    let mut written = [0; 128];
    let is_straight = !program.code.iter().any(|instruction| matches!(instruction.body, Body::Flow(_)));
    for instruction in &program.code {
        let effects = Effects::of(instruction, WriteMode::default());
        for read in &effects.reads {
            let channels = match (&instruction.body, read.path) {
                // How many coordinates count is the texture's affair.
                (Body::Tex(tex), ReadPath::Coordinate) if !is_flat(tex.id) => {
                    tex.src.swizzle.iter().fold(0, |channels, &channel| channels | 1 << channel as u8)
                }
                _ => read.channels,
            };
            match read.operand {
                Operand::Temp { index, relative: false } => {
                    let index = usize::from(index) % 128;
                    components[index] |= channels & !written[index];
                }
                Operand::Temp { relative: true, .. } => return [0xF; 128],
                Operand::Const { .. } | Operand::Inline(_) => {}
            }
        }
        for write in effects.temps.iter().filter(|write| is_straight && !write.relative) {
            written[usize::from(write.index) % 128] |= write.channels & !effects.gated;
        }
    }
    components
}

impl<'a> TileState<'a> {
    /// Of a draw, if kernels can draw its quads.
    ///
    /// # Errors
    /// Why they cannot.
    pub fn of(
        (job, program): (&FragmentJob<'a>, &'a Arc<KnownProgram<Program>>),
        textures: &'a Textures<'a>,
        pixels: &Pixels,
        routings: &[Routing],
        space: &'a Space,
        (engine, options): (&'a Engine, &'a RunOptions<'a>),
    ) -> Result<Self, SlowPath> {
        if !pixels.is_plain() {
            return Err(SlowPath::Samples);
        }
        let mut units = vec![None; INPUTS];
        let mut used = [false; INPUTS];
        for tex in fetches(job.program) {
            let (number, texture) = (usize::from(tex.id) % INPUTS, texture_of(tex, textures, space));
            // If kernels cannot do one of its fetches, they do none.
            units[number] = if used[number] { units[number].and(texture) } else { texture };
            used[number] = true;
        }
        let mut in_buffers: Vec<Option<BufferTexture>> = vec![None; INPUTS];
        // Where there is flow control, levels of detail are worked out before, and those of cubes are not.
        let is_straight = !job.program.code.iter().any(|instruction| matches!(instruction.body, Body::Flow(_)));
        let is_known = |texture: &BufferTexture| {
            is_straight || texture.shape.kind != TextureKind::Cube || !texture.sampler.needs_level(&texture.shape)
        };
        let mut buffers = Vec::new();
        for unit in (0..INPUTS).filter(|&unit| used[unit] && units[unit].is_none()) {
            let texture = textures.unit(unit as u8);
            let words = texture.and_then(|texture| texture.in_buffer().filter(is_known).zip(texture.buffer(space)));
            if let Some((texture, buffer)) = words {
                in_buffers[unit] = Some(texture);
                buffers.push(buffer);
            }
        }
        // What is read or written must not be what is written elsewhere.
        let targets = pixels.targets().iter().map(|target| target.surface());
        let written: Vec<&Surface> = targets.chain(pixels.depth_surface()).collect();
        let overlaps = |bytes: &ObjectBytes, of: &[&Surface]| of.iter().any(|surface| surface.bytes().overlaps(bytes));
        let aliased = (1..written.len()).any(|n| overlaps(written[n].bytes(), &written[..n]));
        let read = |unit: usize| textures.unit(unit as u8).filter(|_| used[unit]);
        let shared = written.iter().any(|surface| !surface.has_own_places());
        if shared || aliased || (0..INPUTS).filter_map(read).any(|texture| overlaps(texture.bytes(), &written)) {
            return Err(SlowPath::SharedMemory);
        }
        let read = read_components(job.program, |unit| units[usize::from(unit) % INPUTS].is_some());
        let (mut channels, mut planes) = (Vec::new(), 0);
        let mut presets = Vec::new();
        for (input, &temporary) in job.presets.iter().enumerate() {
            let mut chosen = 0;
            let component = |channel: usize| {
                let constant = routings[0].constant(input, channel);
                if read[usize::from(temporary) % 128] >> channel & 1 == 0 {
                    return Component::Constant(0);
                }
                if let Some(bits) =
                    constant.filter(|_| routings.iter().all(|other| other.constant(input, channel) == constant))
                {
                    return Component::Constant(bits);
                }
                chosen |= 1 << channel;
                planes += 1;
                Component::Plane(planes - 1)
            };
            presets.push((temporary, [0, 1, 2, 3].map(component)));
            channels.push(Channels { input, chosen });
        }
        if planes > PLANES {
            return Err(SlowPath::Inputs);
        }
        let rules = pixels.rules(job.program);
        Ok(TileState {
            program,
            constants: job.constants,
            textures: units,
            in_buffers,
            buffers,
            units: textures,
            space,
            engine,
            options,
            presets,
            channels,
            tables: program_tables(job.constants),
            rules,
            results: Results::of(pixels, &rules),
            planes,
        })
    }

    /// The textures that kernels fetch from, by unit, or their copies, and the memory that each lies in.
    fn bound<'b>(
        &'b self,
        copies: Option<&'b DetiledTextures>,
    ) -> impl Iterator<Item = Option<(KernelTexture, &'b Space)>> {
        bound(&self.textures, self.space, copies)
    }

    /// What decides what the kernel does.
    fn key(&self, planes: &Planes, copies: Option<&DetiledTextures>) -> Key {
        let TileState { program, constants, .. } = self;
        let plane = |side, bounds| SurfaceLayout::of(planes.space(), &planes.surface(side), bounds);
        let bound = || self.bound(copies);
        let layout =
            |(texture, space): (KernelTexture, &Space)| SurfaceLayout::of(space, &texture.surface, Bounds::Clamp);
        Key {
            program: Arc::clone(program),
            finite: finite_channels(constants),
            presets: self.presets.clone(),
            textures: bound().map(|texture| texture.map(|(texture, _)| texture.at_base_0())).collect(),
            in_buffers: self.in_buffers.clone(),
            texture_layouts: bound().flatten().map(layout).collect(),
            plane_layouts: [plane(Side::Input, Bounds::Clamp), plane(Side::Output, Bounds::Drop)],
            results: self.results,
            planes: self.planes,
        }
    }
}

#[cfg(test)]
mod tests;
