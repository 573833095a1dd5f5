//! Quads of many primitives on the engine: the fragment program with its texture fetches, and all that comes after it, are one kernel, which
//! runs over up to about [`QUADS`](planes::QUADS) quads at once. What quads bring is laid out for it before; what it gives goes to memory after
//! it. Where none of its fragments looks at others of its quad, it runs for the pixels that are drawn instead ([`drawn_pixels`]).
//!
//! Where tests come before the kernel, and colours are stored as four bytes, the kernel only rounds them: blending follows in memory, in the order
//! of the quads ([`ctm_raster::bytes`]). Else what is in memory at their places is among what quads bring, and those that run together have
//! different places.
//!
//! What the kernel can do is a part of what the card can; everything else is left to the pipeline that goes quad by quad. Both give the same
//! bits.

mod buffer_fetch;
mod buffers;
mod drawn_pixels;
mod early;
mod job;
mod lift;
mod memory;
mod merge;
mod pending;
mod planes;
mod renderer;
mod store;
mod transfer;
mod worker;

pub use memory::TileMemory;
pub use renderer::TileRenderer;

use super::attributes::Routing;
use super::detiled::{DetiledTextures, bound};
use super::fragment::AlphaTest;
use super::pixels::Pixels;
use super::rectangles::{fetches, program_tables, texture_of};
use crate::surface::Surface;
use crate::tx::{BufferTexture, KernelTexture, Textures};
use ctm_card::ObjectBytes;
use ctm_engine::{Engine, SurfaceLayout};
use ctm_memory::{Bounds, Buffer, Space};
use ctm_raster::bytes::ByteColours;
use ctm_raster::colour::ColourState;
use ctm_raster::depth::DepthStencilState;
use ctm_raster::sampler::TextureKind;
use ctm_x1k::fragments::FragmentJob;
use ctm_x1k::{
    Body, Constants, Effects, INPUTS, Instruction, Operand, Program, ProgramInfo, ReadPath, RunOptions, WriteMode,
};
use pending::Channels;
use planes::{PLANES, Planes, Side};
use std::ops::Range;

/// The plane with what is known of each fragment.
const FLAGS: usize = 0;
/// The plane with the stored depth and stencil.
const DEPTH: usize = 1;
/// The first plane after these.
const OTHERS: usize = 2;

/// Bits of the words of plane [`FLAGS`].
struct Flags;

impl Flags {
    /// The fragment's depth, in units of the depth buffer.
    const DEPTH: u32 = 0x00FF_FFFF;
    /// Its primitive shows its back.
    const BACK: u32 = 1 << 24;
    /// There is a depth buffer at its place.
    const EXISTS: u32 = 1 << 25;
    /// It is covered.
    const COVERED: u32 = 1 << 26;

    /// Of results: the word for the depth buffer is to be stored.
    const TESTED: u32 = 1;
    /// Of results: it passed the tests.
    const COUNTED: u32 = 2;
    /// Of results: its colours are to be stored.
    const WRITTEN: u32 = 4;
}

/// What a component of a temporary is at program start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// It is the same for all fragments, or does not matter.
    Constant(u32),
    /// It is in this plane.
    Plane(usize),
}

/// A colour buffer of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TileTarget {
    /// The program's output that goes there.
    output: usize,
    /// Which of its channels each channel of the buffer is.
    selects: [usize; 4],
    /// What happens to it on the way.
    state: ColourState,
    /// The planes with the words that are there: none if they do not matter.
    memory: Range<usize>,
    /// The planes of results with the words that are to be stored.
    results: Range<usize>,
}

/// Everything that decides what a kernel does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: Vec<Instruction>,
    info: ProgramInfo,
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
    /// All tests come before the kernel: it has only fragments that passed.
    is_tested: bool,
    /// Depth and stencil are tested before the program runs.
    early: bool,
    depth_stencil: Option<DepthStencilState>,
    /// The depth buffer has 16 bits.
    sixteen_bits: bool,
    /// Depth is the program's W.
    depth_from_program: bool,
    alpha: Option<AlphaTest>,
    targets: Vec<TileTarget>,
    /// Planes that are read, but for those of texels.
    planes: usize,
}

impl Key {
    /// Whether what is stored for a pixel depends on what was stored before.
    fn reads_pixels(&self) -> bool {
        self.depth_stencil.is_some() || self.targets.iter().any(|target| !target.memory.is_empty())
    }
}

/// What draws have in common whose quads kernels can draw.
pub struct TileState<'a> {
    program: &'a Program,
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
    /// The channels of temporaries that are in planes, and how many components these are.
    channels: Vec<Channels>,
    components: usize,
    /// The tables of the program.
    tables: Vec<Vec<u32>>,
    targets: Vec<TileTarget>,
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
    pub fn of(
        job: &FragmentJob<'a>,
        textures: &'a Textures<'a>,
        pixels: &Pixels,
        routings: &[Routing],
        space: &'a Space,
        (engine, options): (&'a Engine, &'a RunOptions<'a>),
    ) -> Option<Self> {
        if !pixels.is_plain() {
            return None;
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
        let depth = pixels.depth().map(|(_, surface)| surface);
        let written: Vec<&Surface> = pixels.targets().iter().map(|target| target.surface()).chain(depth).collect();
        let overlaps = |bytes: &ObjectBytes, of: &[&Surface]| of.iter().any(|surface| surface.bytes().overlaps(bytes));
        let aliased = (1..written.len()).any(|n| overlaps(written[n].bytes(), &written[..n]));
        let read = |unit: usize| textures.unit(unit as u8).filter(|_| used[unit]);
        let shared = written.iter().any(|surface| !surface.has_own_places());
        if shared || aliased || (0..INPUTS).filter_map(read).any(|texture| overlaps(texture.bytes(), &written)) {
            return None;
        }
        let mut planes = OTHERS;
        let mut take = |count: usize| {
            planes += count;
            planes - count..planes
        };
        let mut results = OTHERS;
        let mut targets = Vec::new();
        for target in pixels.targets() {
            let state = *target.state();
            if !merge::is_supported(&state) {
                return None;
            }
            let words = state.format().bytes.div_ceil(4) as usize;
            results += words;
            targets.push(TileTarget {
                output: target.output,
                selects: target.selects(),
                state,
                memory: take(if state.reads_memory() { words } else { 0 }),
                results: results - words..results,
            });
        }
        let read = read_components(job.program, |unit| units[usize::from(unit) % INPUTS].is_some());
        let (mut channels, mut components) = (Vec::new(), 0);
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
                components += 1;
                Component::Plane(take(1).start)
            };
            presets.push((temporary, [0, 1, 2, 3].map(component)));
            channels.push(Channels { input, chosen });
        }
        (planes <= PLANES && results <= PLANES).then_some(TileState {
            program: job.program,
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
            components,
            tables: program_tables(job.constants),
            targets,
            planes,
        })
    }

    /// The first plane with what primitives bring.
    fn first_value(&self) -> usize {
        OTHERS + self.targets.iter().map(|target| target.memory.len()).sum::<usize>()
    }

    /// The textures that kernels fetch from, by unit, or their copies, and the memory that each lies in.
    fn bound<'b>(
        &'b self,
        copies: Option<&'b DetiledTextures>,
    ) -> impl Iterator<Item = Option<(KernelTexture, &'b Space)>> {
        bound(&self.textures, self.space, copies)
    }

    /// What decides what the kernel does, which only rounds the colours for which there is something in `colours`.
    fn key(
        &self,
        pixels: &Pixels,
        planes: &Planes,
        is_tested: bool,
        colours: &[Option<ByteColours>],
        copies: Option<&DetiledTextures>,
    ) -> Key {
        let TileState { program, constants, .. } = self;
        let plane = |side, bounds| SurfaceLayout::of(planes.space(), &planes.surface(side), bounds);
        let bound = || self.bound(copies);
        let layout =
            |(texture, space): (KernelTexture, &Space)| SurfaceLayout::of(space, &texture.surface, Bounds::Clamp);
        let rounded = |(target, colours): (&TileTarget, &Option<ByteColours>)| match colours {
            Some(colours) => TileTarget { state: colours.source(), memory: 0..0, ..target.clone() },
            None => target.clone(),
        };
        Key {
            code: program.code.clone(),
            info: program.info,
            finite: std::array::from_fn(|channel| {
                constants.floats.iter().all(|value| f32::from_bits(value[channel]).is_finite())
            }),
            presets: self.presets.clone(),
            textures: bound().map(|texture| texture.map(|(texture, _)| texture.at_base_0())).collect(),
            in_buffers: self.in_buffers.clone(),
            texture_layouts: bound().flatten().map(layout).collect(),
            plane_layouts: [plane(Side::Input, Bounds::Clamp), plane(Side::Output, Bounds::Drop)],
            is_tested,
            early: pixels.tests_early(),
            depth_stencil: pixels.depth().filter(|_| !is_tested).map(|(depth, _)| *depth.state()),
            sixteen_bits: pixels.depth().is_some_and(|(depth, _)| depth.has_sixteen_bits()),
            depth_from_program: pixels.depth_from_program(),
            alpha: pixels.alpha_test(),
            targets: self.targets.iter().zip(colours).map(rounded).collect(),
            planes: self.planes,
        }
    }
}

#[cfg(test)]
mod tests;
