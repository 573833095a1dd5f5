//! What a function is specialised to, and what its tables, surfaces and buffers are bound to.

use crate::codes::{EndianSwap, Select};
use crate::fetch::ElementFormat;
use crate::gradient::{Component, Gradient};
use crate::job::{Bindings, FLOW_CONSTANTS, Input, Job, KCACHE_BANKS, LoopConstant};
use crate::resource::{
    Compare, Dimension, Filter, MipFilter, Sampler, TexelNumbers, Texels, Texture, VectorForm, VertexBuffer, Wrap,
};
use crate::stack::Wavefront;
use crate::target::{COLOURS, PARAMETERS, POSITIONS, STREAMS};
use ctm_engine::SurfaceLayout;
use ctm_lane::domain::Lanes;
use ctm_memory::{Bounds, Format, Space, Surface};
use ctm_num::r700 as num;
use std::collections::BTreeMap;

/// Largest constant buffer that becomes a table: what windows can reach, in dwords, as a power of two.
pub(super) const MAX_BANK_DWORDS: u32 = 1 << 15;

/// What a register holds at program start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputLayout {
    /// The lane's position as floats.
    Position,
    /// As that, with what the table of inputs holds added.
    PositionFrom,
    /// The lane's number, and a value that the table of inputs holds.
    Vertex,
    /// An element of a surface.
    Surface(SurfaceLayout),
    /// The first channels of elements of four surfaces.
    Channels([SurfaceLayout; 4]),
    /// A vector of a buffer.
    Buffer,
    /// Four entries of the table of inputs.
    Value,
    /// Interpolated: numbers are in the table of the gradient.
    Gradient {
        /// Planes are divided.
        is_divided: bool,
        /// How the components are computed.
        components: [ComponentLayout; 4],
    },
}

/// How a component of a gradient is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComponentLayout {
    /// It is the same in all lanes.
    Value,
    /// By the column.
    Column,
    /// By the row.
    Row,
    /// By a plane.
    Plane,
}

impl InputLayout {
    fn of_gradient(gradient: &Gradient) -> Self {
        let layout = |component| match component {
            Component::Value(_) => ComponentLayout::Value,
            Component::Column(_) => ComponentLayout::Column,
            Component::Row(_) => ComponentLayout::Row,
            Component::Plane(_) => ComponentLayout::Plane,
        };
        InputLayout::Gradient { is_divided: gradient.divisor.is_some(), components: gradient.components.map(layout) }
    }
}

/// A texture without its place in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextureLayout {
    /// How coordinates are read.
    pub dimension: Dimension,
    /// What numbers its texels are.
    pub numbers: TexelNumbers,
    /// Its texels.
    pub texels: TexelLayout,
    /// What the resource gives for x, y, z, w.
    pub swizzle: [Select; 4],
}

/// The texels of a texture without their place in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TexelLayout {
    /// A surface for each level, and the sizes of levels.
    Surfaces {
        /// Sizes.
        sizes: Vec<[u32; 3]>,
        /// Surfaces.
        levels: Vec<SurfaceLayout>,
    },
    /// Vectors. How large levels are and where they begin stands in a table: see [`texture_words`].
    Vectors {
        /// How each is stored.
        form: VectorForm,
        /// There are several levels.
        has_levels: bool,
        /// Samples of a texel.
        samples: u32,
    },
}

impl TextureLayout {
    /// True if there are several levels.
    pub(super) fn has_levels(&self) -> bool {
        match &self.texels {
            TexelLayout::Surfaces { levels, .. } => levels.len() > 1,
            TexelLayout::Vectors { has_levels, .. } => *has_levels,
        }
    }
}

/// A sampler without its numbers, which stand in a table: see [`sampler_words`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SamplerLayout {
    /// Filter of texels that are larger than pixels.
    pub magnification: Filter,
    /// Filter of others.
    pub minification: Filter,
    /// Filter of levels.
    pub mip: MipFilter,
    /// Wraps of x, y, z.
    pub wrap: [Wrap; 3],
    /// The comparison.
    pub compare: Compare,
    /// Filters go beyond the edges of a cube's faces.
    pub seamless: bool,
}

/// A fetch buffer without its place in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BufferLayout {
    /// It is shorter than a dword.
    pub is_short: bool,
    /// Bytes at the end in which no element begins.
    pub tail: u32,
    /// Bytes after it that elements may have.
    pub beyond: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Format of fetches with USE_CONST_FIELDS.
    pub format: ElementFormat,
    /// Byte order of such fetches.
    pub endian_swap: EndianSwap,
}

/// What is known of the resources of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BindingLayouts {
    /// Number of constants in the constant file.
    pub constants: u16,
    /// Per channel: no constant of the file is an infinity or a NaN.
    pub finite: [bool; 4],
    /// Dwords of each constant buffer, a power of two, and whether none of them is an infinity or a NaN.
    pub banks: [Option<(u32, bool)>; KCACHE_BANKS],
    /// Textures.
    pub textures: BTreeMap<u8, TextureLayout>,
    /// Samplers.
    pub samplers: BTreeMap<u8, SamplerLayout>,
    /// Fetch buffers.
    pub buffers: BTreeMap<u8, BufferLayout>,
}

/// What a lifted function may rely on. All of it is true of every run of that function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Specialisation {
    /// Lanes stand in a line.
    pub is_line: bool,
    /// What registers hold at program start.
    pub inputs: BTreeMap<u8, InputLayout>,
    /// Boolean constants.
    pub bools: [bool; FLOW_CONSTANTS],
    /// Loop constants.
    pub loops: [LoopConstant; FLOW_CONSTANTS],
    /// Resources of the program's own stage, and of the other.
    pub bindings: [BindingLayouts; 2],
    /// Samples take their level from differences across the quad.
    pub takes_derivatives: bool,
    /// Relative addressing stays among the registers.
    pub clamp_gpr: bool,
    /// Killed pixels end.
    pub kill_stops_pixel: bool,
    /// Semantics of registers from R1 on.
    pub semantics: Vec<u8>,
    /// Colour targets that are set.
    pub colours: [bool; COLOURS],
    /// Those whose channels are.
    pub colour_channels: [bool; COLOURS],
    /// The depth target is set.
    pub depth: bool,
    /// Position targets that are set.
    pub positions: [bool; POSITIONS],
    /// Parameter targets that are set.
    pub parameters: [bool; PARAMETERS],
    /// Lanes that end valid are noted.
    pub valid: bool,
    /// Elements of scratch memory of a lane.
    pub scratch_elements: u32,
    /// Dwords of an item of the ring.
    pub ring: Option<u32>,
    /// Dwords of an item of each stream.
    pub streams: [Option<u32>; STREAMS],
    /// The reduction buffer is set.
    pub reduction: bool,
    /// The export buffer is set.
    pub export: bool,
    /// Dwords of an item of the list of emitted vertices.
    pub strips: Option<u32>,
    /// The chip's wavefront.
    pub wavefront: Wavefront,
}

impl Specialisation {
    /// What is known of a job.
    pub fn of(job: &Job) -> Self {
        let space = job.memory;
        let input = |input: &Input| match input {
            Input::Position => InputLayout::Position,
            Input::PositionFrom(_) => InputLayout::PositionFrom,
            Input::Vertex { .. } => InputLayout::Vertex,
            Input::Surface(surface) => InputLayout::Surface(SurfaceLayout::of(space, surface, Bounds::Clamp)),
            Input::Channels(surfaces) => {
                let layout = |surface: &Surface| SurfaceLayout::of(space, surface, Bounds::Clamp);
                InputLayout::Channels(surfaces.each_ref().map(layout))
            }
            Input::Buffer(_) => InputLayout::Buffer,
            Input::Value(_) => InputLayout::Value,
            Input::Gradient(gradient) => InputLayout::of_gradient(gradient),
        };
        let (targets, memories) = (&job.targets, &job.memories);
        Specialisation {
            is_line: matches!(job.lanes, Lanes::Line(_)),
            inputs: job.inputs.iter().map(|(&register, source)| (register, input(source))).collect(),
            bools: job.bools,
            loops: job.loops,
            bindings: [&job.bindings, &job.alternate].map(|bindings| BindingLayouts::of(bindings, space)),
            takes_derivatives: job.takes_derivatives(),
            clamp_gpr: job.clamp_gpr,
            kill_stops_pixel: job.kill_stops_pixel,
            semantics: job.semantics.clone(),
            colours: targets.colours.map(|target| target.is_some()),
            colour_channels: targets.colour_channels.map(|target| target.is_some()),
            depth: targets.depth.is_some(),
            positions: targets.positions.map(|target| target.is_some()),
            parameters: targets.parameters.map(|target| target.is_some()),
            valid: targets.valid.is_some(),
            scratch_elements: memories.scratch_elements,
            ring: memories.ring.map(|items| items.item_dwords),
            streams: memories.streams.map(|stream| stream.map(|items| items.item_dwords)),
            reduction: memories.reduction.is_some(),
            export: memories.export.is_some(),
            strips: memories.strips.map(|items| items.item_dwords),
            wavefront: job.wavefront,
        }
    }
}

impl BindingLayouts {
    fn of(bindings: &Bindings, space: &Space) -> Self {
        let bank = |bank: usize| {
            let words = bank_words(bindings, bank, space)?;
            Some((words.len() as u32, words.iter().all(|&word| is_finite(word))))
        };
        let texture = |texture: &Texture| TextureLayout {
            dimension: texture.dimension,
            numbers: texture.numbers,
            texels: match texture.texels {
                Texels::Surfaces(_) => TexelLayout::Surfaces {
                    sizes: (0..texture.levels()).map(|level| texture.level_size(level)).collect(),
                    levels: (0..texture.levels()).map(|level| texture_level(texture, level, space)).collect(),
                },
                Texels::Vectors { form, samples, .. } => {
                    TexelLayout::Vectors { form, has_levels: texture.levels() > 1, samples }
                }
            },
            swizzle: texture.swizzle,
        };
        let sampler = |sampler: &Sampler| {
            let &Sampler { magnification, minification, mip, wrap, compare, seamless, .. } = sampler;
            SamplerLayout { magnification, minification, mip, wrap, compare, seamless }
        };
        let finite = |channel: usize| bindings.constants.iter().all(|constant| is_finite(constant[channel]));
        BindingLayouts {
            constants: bindings.constants.len().min(256) as u16,
            finite: std::array::from_fn(finite),
            banks: std::array::from_fn(bank),
            textures: bindings.textures.iter().map(|(&number, source)| (number, texture(source))).collect(),
            samplers: bindings.samplers.iter().map(|(&number, source)| (number, sampler(source))).collect(),
            buffers: bindings
                .buffers
                .iter()
                .map(|(&number, buffer)| {
                    let &VertexBuffer { region, tail, beyond, stride, format, endian_swap } = buffer;
                    let is_short = region.length < 4;
                    (number, BufferLayout { is_short, tail, beyond, stride, format, endian_swap })
                })
                .collect(),
        }
    }
}

fn is_finite(word: u32) -> bool {
    word & 0x7F80_0000 != 0x7F80_0000
}

fn texture_level(texture: &Texture, level: usize, space: &Space) -> SurfaceLayout {
    let (surface, size) = (&texture.surfaces()[level], texture.level_size(level));
    let rows = u64::from(size[1]) * u64::from(size[2]);
    let fits = size[0] <= surface.pitch && rows <= u64::from(surface.height);
    // Texels that all lie inside the surface can have either bounds; the nearest element costs engines less.
    SurfaceLayout::of(space, surface, if fits { Bounds::Clamp } else { Bounds::Drop })
}

/// The dwords of a constant buffer, filled up with zeros to a power of two; what no window can reach is left out.
pub fn bank_words(bindings: &Bindings, bank: usize, space: &Space) -> Option<Vec<u32>> {
    let region = bindings.kcache[bank]?;
    let dwords = (region.length / 4).min(MAX_BANK_DWORDS);
    let buffer = ctm_memory::Buffer::new(space, region.base, region.length).ok()?;
    let mut words: Vec<u32> = (0..dwords).map(|dword| buffer.load(dword * 4)).collect();
    words.resize(words.len().next_power_of_two().max(4), 0);
    Some(words)
}

/// Entries of the table of a texture: see [`texture_words`].
pub(super) const TEXTURE_ENTRIES: u32 = 32;
/// Where its entries are: three sizes, the same as floats, the number of levels, the last level as a float, the offsets of levels.
pub(super) const SIZES: u32 = 0;
pub(super) const FLOAT_SIZES: u32 = 3;
pub(super) const LEVELS: u32 = 6;
pub(super) const LAST_LEVEL: u32 = 7;
pub(super) const OFFSETS: u32 = 16;
/// Entries of the table of a sampler: see [`sampler_words`].
pub(super) const SAMPLER_ENTRIES: u32 = 8;
/// Where its entries are: four of the border, the least level, the greatest one, the bias.
pub(super) const BORDER: u32 = 0;
pub(super) const LEAST_LEVEL: u32 = 4;
pub(super) const GREATEST_LEVEL: u32 = 5;
pub(super) const LEVEL_BIAS: u32 = 6;

/// The entries of [`TableBinding::Texture`].
pub fn texture_words(texture: &Texture) -> Vec<u32> {
    let mut words = vec![0; TEXTURE_ENTRIES as usize];
    let mut set = |first: u32, values: &[u32]| {
        words.iter_mut().skip(first as usize).zip(values).for_each(|(word, &value)| *word = value);
    };
    let last = texture.levels().saturating_sub(1) as u32;
    set(SIZES, &texture.size);
    set(FLOAT_SIZES, &texture.size.map(num::uint_to_float));
    set(LEVELS, &[last + 1, num::uint_to_float(last)]);
    set(OFFSETS, &texture.level_offsets()[..texture.levels()]);
    words
}

/// The entries of [`TableBinding::Sampler`].
pub fn sampler_words(sampler: &Sampler) -> Vec<u32> {
    let [least, greatest, bias] = sampler.levels();
    let [x, y, z, w] = sampler.border;
    vec![x, y, z, w, least, greatest, bias, 0]
}

/// What a surface of a lifted function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurfaceBinding {
    /// The input of a register.
    Input(u8),
    /// A channel of the input of a register.
    InputChannel(u8, usize),
    /// A level of a texture resource.
    Texture {
        /// Of the other stage.
        alternate: bool,
        /// The resource.
        number: u8,
        /// The level.
        level: usize,
    },
    /// A colour target.
    Colour(usize),
    /// A channel of a colour target.
    ColourChannel(usize, usize),
    /// The depth target.
    Depth,
}

/// What a table of a lifted function holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableBinding {
    /// The first column and row of the lanes, the number of columns, the base vertex, the first instance; see
    /// [`launch_words`].
    Launch,
    /// Four entries for each input: see [`input_words`].
    Inputs,
    /// What the gradient of a register has in numbers: see [`gradient_words`](super::gradient_words).
    Gradient(u8),
    /// Bytes of each fetch buffer: see [`buffer_lengths`].
    BufferLengths,
    /// A channel of the constant file, 256 entries.
    Constants {
        /// Of the other stage.
        alternate: bool,
        /// The channel.
        channel: usize,
    },
    /// Sizes and places of the levels of a texture: see [`texture_words`].
    Texture {
        /// Of the other stage.
        alternate: bool,
        /// The resource.
        number: u8,
    },
    /// Numbers of a sampler: see [`sampler_words`].
    Sampler {
        /// Of the other stage.
        alternate: bool,
        /// The sampler.
        number: u8,
    },
    /// A constant buffer: see [`bank_words`].
    Bank {
        /// Of the other stage.
        alternate: bool,
        /// The buffer.
        bank: usize,
    },
}

/// Entries of the table of the launch.
pub(super) const LAUNCH_ENTRIES: u32 = 8;

/// The entries of [`TableBinding::Launch`].
pub fn launch_words(job: &Job) -> Vec<u32> {
    let [i0, j0, columns] = match job.lanes {
        Lanes::Area(domain) => [domain.i0, domain.j0, domain.i1.wrapping_sub(domain.i0).wrapping_add(1)],
        Lanes::Line(_) => [0; 3],
    };
    vec![i0, j0, columns, job.base_vertex, job.start_instance, 0, 0, 0]
}

/// The entries of [`TableBinding::Inputs`], as many as a power of two.
pub fn input_words(job: &Job) -> Vec<u32> {
    let value = |input: &Input| match *input {
        Input::Vertex { first, instance } => [first, 0, 0, instance],
        Input::Value(value) => value,
        Input::PositionFrom([x, y]) => [(x as f32).to_bits(), (y as f32).to_bits(), 0, 0],
        Input::Position | Input::Surface(_) | Input::Channels(_) | Input::Buffer(_) | Input::Gradient(_) => [0; 4],
    };
    let mut words: Vec<u32> = job.inputs.values().flat_map(value).collect();
    words.resize(words.len().next_power_of_two().max(4), 0);
    words
}

/// The entries of [`TableBinding::BufferLengths`], as many as a power of two: those of the own stage, then those of the other.
pub fn buffer_lengths(job: &Job) -> Vec<u32> {
    let buffers = [&job.bindings, &job.alternate].into_iter().flat_map(|bindings| bindings.buffers.values());
    let mut lengths: Vec<u32> = buffers.map(|buffer| buffer.region.length).collect();
    lengths.resize(length_entries(lengths.len()), 0);
    lengths
}

/// Entries of the table of lengths of so many fetch buffers.
pub(super) fn length_entries(buffers: usize) -> usize {
    buffers.next_power_of_two().max(4)
}

/// What a buffer of a lifted function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferBinding {
    /// The input of a register.
    Input(u8),
    /// A fetch buffer.
    Fetch {
        /// Of the other stage.
        alternate: bool,
        /// The resource.
        number: u8,
    },
    /// The vectors of a texture.
    Texture {
        /// Of the other stage.
        alternate: bool,
        /// The resource.
        number: u8,
    },
    /// A position target.
    Position(usize),
    /// A parameter target.
    Parameter(usize),
    /// Where lanes that end valid are noted.
    Valid,
    /// The ring.
    Ring,
    /// A stream-out buffer.
    Stream(usize),
    /// The reduction buffer.
    Reduction,
    /// The export buffer.
    Export,
    /// The list of emitted vertices.
    Strips,
}

/// True for formats that hold fractions.
pub(super) fn is_unit(format: Format) -> bool {
    matches!(format, Format::Uint8_4 | Format::Uint16_1)
}
