//! One launch: what runs, for which pixels or vertices, on which data, and what can come of it. Every engine takes the
//! same [`Job`] and gives the same memory and results for it.

use crate::codes::{EndianSwap, Select};
use crate::fetch::{ElementFormat, TexFields};
use crate::gradient::Gradient;
use crate::legal::GroupError;
use crate::program::{GPRS, Program, Stage};
use crate::stack::Wavefront;
use crate::target::{COLOURS, PARAMETERS, POSITIONS, STREAMS};
use crate::uses::{Known, Uses};
use ctm_follow::{Address, InstructionPlace};
use ctm_lane::budget::Halt;
use ctm_lane::domain::{AXIS, Lanes};
use ctm_memory::{Buffer, Format, RangeError, Space, Surface};
use ctm_num::r700 as num;
use std::borrow::Cow;
use std::collections::BTreeMap;
use thiserror::Error;

/// Number of boolean, and of loop constants.
pub const FLOW_CONSTANTS: usize = 32;
/// Number of constant buffers.
pub const KCACHE_BANKS: usize = 16;
/// Bytes of a register, of a constant, and of an exported vector.
pub const VECTOR_BYTES: u32 = 16;

/// A loop constant: what LOOP_START counts with (Mesa `r600d.h`; one dword in the register file).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoopConstant {
    /// Number of passes, 0 to 4095.
    pub count: u16,
    /// aL in the first pass, 0 to 4095.
    pub init: u16,
    /// What LOOP_END adds to aL. (Decision: signed, as in DirectX 9.)
    pub step: i8,
}

impl LoopConstant {
    /// Takes the constant from its dword.
    pub const fn from_dword(dword: u32) -> Self {
        LoopConstant { count: (dword & 0xFFF) as u16, init: (dword >> 12 & 0xFFF) as u16, step: (dword >> 24) as i8 }
    }

    /// The dword that holds the constant.
    pub const fn to_dword(self) -> u32 {
        (self.count & 0xFFF) as u32 | ((self.init & 0xFFF) as u32) << 12 | (self.step as u8 as u32) << 24
    }
}

impl Default for LoopConstant {
    /// 4095 passes, aL from 0 in steps of 1: what Mesa sets all loop constants to.
    fn default() -> Self {
        LoopConstant { count: 4095, init: 0, step: 1 }
    }
}

/// A range of bytes in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Region {
    /// First address.
    pub base: u32,
    /// Bytes.
    pub length: u32,
}

/// A region of which every lane has its own item: item n begins at dword n * `item_dwords`. What a lane writes beyond its item is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Items {
    /// Where the items are.
    pub region: Region,
    /// Dwords of an item.
    pub item_dwords: u32,
}

/// What a register holds at program start. Registers, and channels, that no input names are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// x and y are the lane's column and row, as floats.
    Position,
    /// As that, after these first ones: the domain is a part of a larger one.
    PositionFrom([u32; 2]),
    /// x is the lane's number after this first one, w is the instance; both are integers.
    Vertex {
        /// x of lane 0.
        first: u32,
        /// w.
        instance: u32,
    },
    /// The element at the lane's position; see [`Bounds::Clamp`](ctm_memory::Bounds::Clamp).
    Surface(Surface),
    /// Each channel is the first one of the element of its own surface, in the same way.
    Channels([Surface; 4]),
    /// Four dwords at the lane's number times 16; 0 outside.
    Buffer(Region),
    /// The same in every lane.
    Value([u32; 4]),
    /// Interpolated over the lanes.
    Gradient(Gradient),
}

/// How the axes of a texture are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// x.
    D1,
    /// x, y.
    #[default]
    D2,
    /// x, y, z.
    D3,
    /// x; the layer is z.
    D1Array,
    /// x, y; the layer is z.
    D2Array,
    /// x, y from 1 to 2 on the face with the number z, as CUBE and what follows it compute them.
    Cube,
}

impl Dimension {
    /// Axes that are sampled: wrapped and filtered.
    pub const fn axes(self) -> usize {
        match self {
            Dimension::D1 | Dimension::D1Array => 1,
            Dimension::D2 | Dimension::D2Array | Dimension::Cube => 2,
            Dimension::D3 => 3,
        }
    }

    /// True if an instruction's coordinate on an axis is a fraction of the texture's size.
    pub(crate) const fn is_scaled(self, fields: &TexFields, axis: usize) -> bool {
        fields.normalized[axis] || matches!(self, Dimension::Cube)
    }
}

/// What the numbers of texels are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TexelNumbers {
    /// Floats of any size.
    #[default]
    Float,
    /// Floats from 0 to 1, stored as fractions: comparisons clamp their reference to that.
    Fraction,
    /// Integers: they are not filtered, and what selectors name one is the integer 1.
    Integer,
}

/// Where the texels of a texture are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Texels {
    /// A surface for each level. Slice z of level k lies in the rows from z * [`level_size`](Texture::level_size)`(k)[1]` on.
    Surfaces(Vec<Surface>),
    /// Vectors of four numbers, one for each sample: first those of the first texel, then those of its neighbour in the row, row
    /// after row, slice after slice, level after level.
    Vectors {
        /// Where they are.
        region: Region,
        /// How each is stored.
        form: VectorForm,
        /// How many levels there are; at most [`MAX_LEVELS`] count.
        levels: usize,
        /// How many samples a texel has.
        samples: u32,
    },
}

/// How vectors of textures are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VectorForm {
    /// Four dwords.
    Dwords,
    /// The bytes of a dword from the lowest one on: each is a fraction of 255.
    Bytes,
}

impl VectorForm {
    /// Bytes of a vector.
    pub const fn bytes(self) -> u32 {
        match self {
            VectorForm::Dwords => 16,
            VectorForm::Bytes => 4,
        }
    }
}

/// Levels that a texture has at most.
pub const MAX_LEVELS: usize = 16;

/// A texture resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// How coordinates are read.
    pub dimension: Dimension,
    /// Width, height, and depth, layers or faces, of level 0. Axes that the dimension lacks are 1.
    pub size: [u32; 3],
    /// The texels.
    pub texels: Texels,
    /// What their numbers are.
    pub numbers: TexelNumbers,
    /// What the resource gives for x, y, z, w.
    pub swizzle: [Select; 4],
}

impl Texture {
    /// A 2D texture of one level.
    pub fn flat(width: u32, height: u32, surface: Surface) -> Self {
        Texture {
            dimension: Dimension::D2,
            size: [width, height, 1],
            texels: Texels::Surfaces(vec![surface]),
            numbers: TexelNumbers::Float,
            swizzle: [Select::X, Select::Y, Select::Z, Select::W],
        }
    }

    /// The surfaces of its levels; none if its texels are vectors.
    pub fn surfaces(&self) -> &[Surface] {
        match &self.texels {
            Texels::Surfaces(levels) => levels,
            Texels::Vectors { .. } => &[],
        }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        match &self.texels {
            Texels::Surfaces(levels) => levels.len(),
            Texels::Vectors { levels, .. } => (*levels).min(MAX_LEVELS),
        }
    }

    /// Samples of a texel.
    pub fn samples(&self) -> u32 {
        match self.texels {
            Texels::Surfaces(_) => 1,
            Texels::Vectors { samples, .. } => samples,
        }
    }

    /// The size of a level: sampled axes halve from one to the next, down to 1.
    pub fn level_size(&self, level: usize) -> [u32; 3] {
        let axes = self.dimension.axes();
        let halved = |size: u32| size.checked_shr(level as u32).unwrap_or(0).max(1);
        std::array::from_fn(|axis| if axis < axes { halved(self.size[axis]) } else { self.size[axis] })
    }

    /// How many vectors lie before each level, and how many there are in all: an entry more than levels. Sums wrap at 32 bits.
    pub fn level_offsets(&self) -> Vec<u32> {
        let mut offsets = vec![0u32];
        for level in 0..self.levels() {
            let texels = self.level_size(level).into_iter().fold(self.samples(), u32::wrapping_mul);
            offsets.push(offsets[level].wrapping_add(texels));
        }
        offsets
    }
}

/// How texels are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The texel that the coordinate lies in.
    #[default]
    Nearest,
    /// The mean of the two nearest texels on each axis, weighted by distance with 8 bits.
    Linear,
}

/// How levels are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MipFilter {
    /// Level 0.
    None,
    /// The level that is nearest to the level of detail; of two, the finer one.
    #[default]
    Nearest,
    /// The mean of the two levels around it, weighted with 8 bits.
    Linear,
}

/// What a coordinate outside the texture means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The texture repeats.
    Repeat,
    /// It repeats, every other time mirrored.
    Mirror,
    /// The texel at the edge.
    #[default]
    Clamp,
    /// Mirrored at 0, then the texel at the edge.
    MirrorOnce,
    /// The texel at the edge; linear filters take half of the border colour there.
    HalfBorder,
    /// Mirrored at 0, then as that.
    MirrorOnceHalfBorder,
    /// The border colour.
    Border,
    /// Mirrored at 0, then the border colour.
    MirrorOnceBorder,
}

impl Wrap {
    /// True if coordinates are mirrored at 0.
    pub(crate) const fn is_mirrored_once(self) -> bool {
        match self {
            Wrap::MirrorOnce | Wrap::MirrorOnceHalfBorder | Wrap::MirrorOnceBorder => true,
            Wrap::Repeat | Wrap::Mirror | Wrap::Clamp | Wrap::HalfBorder | Wrap::Border => false,
        }
    }

    /// True if coordinates are clamped to the texture before texels are looked for.
    pub(crate) const fn is_half_border(self) -> bool {
        match self {
            Wrap::HalfBorder | Wrap::MirrorOnceHalfBorder => true,
            Wrap::Repeat | Wrap::Mirror | Wrap::Clamp | Wrap::MirrorOnce | Wrap::Border | Wrap::MirrorOnceBorder => {
                false
            }
        }
    }
}

/// The comparison of a `_C` sample: the reference on the left, the texel on the right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compare {
    /// 0.0 always.
    #[default]
    Never,
    /// Less.
    Less,
    /// Equal.
    Equal,
    /// Less or equal.
    LessEqual,
    /// Greater.
    Greater,
    /// Not equal.
    NotEqual,
    /// Greater or equal.
    GreaterEqual,
    /// 1.0 always.
    Always,
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// How texels are combined where they are larger than pixels: at a level of detail of at most 0.
    pub magnification: Filter,
    /// How texels are combined elsewhere.
    pub minification: Filter,
    /// How levels are combined.
    pub mip: MipFilter,
    /// What is outside, for x, y, z.
    pub wrap: [Wrap; 3],
    /// The border colour, as float bits, or integers: what samples give; the texture's own selectors do not affect it.
    pub border: [u32; 4],
    /// The comparison with the reference.
    pub compare: Compare,
    /// The least level of detail, in 1/64.
    pub least_level: u16,
    /// The greatest level of detail, in 1/64.
    pub greatest_level: u16,
    /// What is added to the level of detail before that, in 1/64.
    pub bias: i16,
    /// Linear filters take what lies beyond the edge of a cube's face from its neighbour; otherwise from the edge itself.
    pub seamless: bool,
}

/// 1/64 as a power of two.
const LEVEL_STEP: i32 = -6;

impl Default for Sampler {
    /// The nearest texel of the nearest level, clamped to the edge.
    fn default() -> Self {
        Sampler {
            magnification: Filter::Nearest,
            minification: Filter::Nearest,
            mip: MipFilter::Nearest,
            wrap: [Wrap::Clamp; 3],
            border: [0; 4],
            compare: Compare::Never,
            least_level: 0,
            greatest_level: 1023,
            bias: 0,
            seamless: false,
        }
    }
}

impl Sampler {
    /// The default sampler with this filter for all texels.
    pub fn with_filter(filter: Filter) -> Self {
        Sampler { magnification: filter, minification: filter, ..Sampler::default() }
    }

    /// The least and the greatest level of detail and the bias, as float bits.
    pub(crate) fn levels(&self) -> [u32; 3] {
        let float = |steps: i32| num::scale(LEVEL_STEP, num::int_to_float(steps.cast_unsigned()));
        [float(self.least_level.into()), float(self.greatest_level.into()), float(self.bias.into())]
    }
}

/// A fetch buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexBuffer {
    /// Where it is. Elements that are not wholly inside, or in what is `beyond`, read as 0.
    pub region: Region,
    /// Bytes at its end that only belong to elements which begin before them: others read as 0 as well.
    pub tail: u32,
    /// Bytes behind it that elements may have as if they belonged to it: they are 0.
    pub beyond: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Format of fetches with USE_CONST_FIELDS.
    pub format: ElementFormat,
    /// Byte order of such fetches.
    pub endian_swap: EndianSwap,
}

impl VertexBuffer {
    /// The last byte at which an element of so many bytes can begin; none if no element is there.
    pub(crate) fn last_start(&self, bytes: u32) -> Option<u32> {
        self.region.length.wrapping_add(self.beyond).checked_sub(bytes.max(self.tail.saturating_add(1)))
    }
}

/// What a stage's instructions name by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// The constant file, from C0 on; constants beyond it read 0.
    pub constants: Vec<[u32; 4]>,
    /// Constant buffers, vectors of 16 bytes; what is beyond one reads 0.
    pub kcache: [Option<Region>; KCACHE_BANKS],
    /// Textures by resource number.
    pub textures: BTreeMap<u8, Texture>,
    /// Samplers by number; the others are [`Sampler::default`].
    pub samplers: BTreeMap<u8, Sampler>,
    /// Fetch buffers by resource number.
    pub buffers: BTreeMap<u8, VertexBuffer>,
}

/// Where exports go. What is exported to a target that is not set is dropped, as with a target mask of 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// Colours, at the lane's position.
    pub colours: [Option<Surface>; COLOURS],
    /// The same, where each channel has a surface of its own, of which it is the first channel.
    pub colour_channels: [Option<[Surface; 4]>; COLOURS],
    /// Computed depth (x), stencil reference (y) and mask of samples (z), at the lane's position: as many of them as the format has channels.
    pub depth: Option<Surface>,
    /// POS0 to POS3, four dwords at the lane's number times 16.
    pub positions: [Option<Region>; POSITIONS],
    /// PARAM0 to PARAM31, likewise.
    pub parameters: [Option<Region>; PARAMETERS],
    /// The dword at the lane's number becomes 1 where a program ends with a lane that has not been killed; others stay.
    pub valid: Option<Region>,
}

/// The memory that instructions write and read themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memories {
    /// Elements of 16 bytes that every lane has of scratch memory. It is 0 at program start.
    pub scratch_elements: u32,
    /// MEM_RING.
    pub ring: Option<Items>,
    /// MEM_STREAM0 to MEM_STREAM3.
    pub streams: [Option<Items>; STREAMS],
    /// MEM_REDUCTION, shared by all lanes.
    pub reduction: Option<Region>,
    /// MEM_EXPORT and scatter reads, shared by all lanes.
    pub export: Option<Region>,
    /// What geometry shaders emit: dword 0 of an item counts events, the following are the events: [`STRIP_VERTEX`] and
    /// [`STRIP_CUT`].
    pub strips: Option<Items>,
}

/// Event of a [strip](Memories::strips): a vertex.
pub const STRIP_VERTEX: u32 = 0;
/// Event of a [strip](Memories::strips): the strip ends.
pub const STRIP_CUT: u32 = 1;

/// A program with everything that one run of it depends on.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// What runs.
    pub program: &'a Program,
    /// What is known of it, if it is the same program: nothing depends on that but how long checks take.
    pub known: Known<'a>,
    /// What CALL_FS enters; without it, CALL_FS does nothing.
    pub fetch_program: Option<&'a Program>,
    /// The same of that as of the program, if it is known.
    pub known_fetch: Option<Known<'a>>,
    /// The pixels, or vertices, that it runs for. Lane (i, j) of an area has the number that counts row by row.
    pub lanes: Lanes,
    /// What registers hold at the start.
    pub inputs: BTreeMap<u8, Input>,
    /// Boolean constants.
    pub bools: [bool; FLOW_CONSTANTS],
    /// Loop constants.
    pub loops: [LoopConstant; FLOW_CONSTANTS],
    /// Constants, textures and buffers.
    pub bindings: Bindings,
    /// Those of the other stage, which ALT_CONST selects.
    pub alternate: Bindings,
    /// Added to the index of fetches of VERTEX_DATA.
    pub base_vertex: u32,
    /// Added to the index of fetches of INSTANCE_DATA.
    pub start_instance: u32,
    /// SQ_VTX_SEMANTIC: a SEMANTIC fetch of semantic `semantics[k]` goes to register k + 1.
    pub semantics: Vec<u8>,
    /// Where exports go.
    pub targets: Targets,
    /// What memory instructions access.
    pub memories: Memories,
    /// Samples of pixel programs that name no level take it from the differences of their coordinates across the quad;
    /// otherwise, and in other programs, they take level 0. Pixels of a quad that the job does not have compute coordinates
    /// where the program says WHOLE_QUAD_MODE.
    pub quad_derivatives: bool,
    /// Relative addressing that leads outside the registers of the program goes to the nearest one; otherwise it traps.
    /// (The guide has no rule.)
    pub clamp_gpr: bool,
    /// A pixel that is killed passes no further test, and executes no further group; otherwise it goes on, invalid. (The
    /// guide knows kills of pixels only, which lose their exports; emulators of the Wii U end geometry shaders so.)
    pub kill_stops_pixel: bool,
    /// The chip's wavefront, which stack entries depend on.
    pub wavefront: Wavefront,
    /// The memory that all of it lies in.
    pub memory: &'a Space,
}

impl<'a> Job<'a> {
    /// A run for these lanes with nothing bound, the loop constants that Mesa sets, and as much scratch memory as the
    /// program's instructions name.
    pub fn new(program: &'a Program, lanes: impl Into<Lanes>, memory: &'a Space) -> Self {
        Job::of(Known::of(program), lanes, memory)
    }

    /// The same of a program of which something is known.
    pub fn of(known: Known<'a>, lanes: impl Into<Lanes>, memory: &'a Space) -> Self {
        let scratch_elements = known.uses().scratch_elements;
        Job {
            program: known.program(),
            known,
            fetch_program: None,
            known_fetch: None,
            lanes: lanes.into(),
            inputs: BTreeMap::new(),
            bools: [false; FLOW_CONSTANTS],
            loops: [LoopConstant::default(); FLOW_CONSTANTS],
            bindings: Bindings::default(),
            alternate: Bindings::default(),
            base_vertex: 0,
            start_instance: 0,
            semantics: Vec::new(),
            targets: Targets::default(),
            memories: Memories { scratch_elements, ..Memories::default() },
            quad_derivatives: false,
            clamp_gpr: false,
            kill_stops_pixel: false,
            wavefront: Wavefront::default(),
            memory,
        }
    }

    /// True if samples take their level from differences across the quad: only pixels have quads.
    pub(crate) fn takes_derivatives(&self) -> bool {
        let has_quads = self.program.info.stage == Stage::Pixel && matches!(self.lanes, Lanes::Area(_));
        self.quad_derivatives && has_quads
    }

    /// The number of the lane at (i, j).
    pub fn lane_number(&self, i: u32, j: u32) -> u32 {
        match self.lanes {
            Lanes::Area(domain) => {
                let width = domain.i1 - domain.i0 + 1;
                j.wrapping_sub(domain.j0).wrapping_mul(width).wrapping_add(i.wrapping_sub(domain.i0))
            }
            Lanes::Line(_) => j << 16 | i,
        }
    }

    /// Checks the environment: coordinates fit, registers exist, regions are mapped, textures have levels, and everything
    /// that the program reads by number is there.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn check(&self) -> Result<(), StateError> {
        if let Lanes::Area(domain) = self.lanes
            && !domain.is_empty()
            && (domain.i1 >= AXIS || domain.j1 >= AXIS)
        {
            return Err(StateError::Domain { i1: domain.i1, j1: domain.j1 });
        }
        if let Some((&register, _)) = self.inputs.iter().find(|(register, _)| usize::from(**register) >= GPRS) {
            return Err(StateError::InputRegister(register));
        }
        for (what, region) in self.regions() {
            Buffer::new(self.memory, region.base, region.length)
                .map_err(|range| StateError::Unmapped { what, range })?;
        }
        for bindings in [&self.bindings, &self.alternate] {
            for (&number, texture) in &bindings.textures {
                if texture.levels() == 0 || texture.samples() == 0 || texture.size.contains(&0) {
                    return Err(StateError::EmptyTexture(number));
                }
            }
        }
        if let Some(Surface { format: format @ Format::Uint8_4, .. }) = self.targets.depth {
            return Err(StateError::DepthFormat(format));
        }
        let uses = self.uses();
        let uses = || uses.iter().flatten();
        let of_stage = uses().map(|uses| (&uses.of_stage, &self.bindings));
        let of_other_stage = uses().map(|uses| (&uses.of_other_stage, &self.alternate));
        for (of, bindings) in of_stage.chain(of_other_stage) {
            if let Some(&number) = of.textures.iter().find(|number| !bindings.textures.contains_key(number)) {
                return Err(StateError::NoTexture(number));
            }
            if let Some(&number) = of.buffers.iter().find(|number| !bindings.buffers.contains_key(number)) {
                return Err(StateError::NoBuffer(number));
            }
            if let Some(&bank) = of.banks.iter().find(|bank| bindings.kcache[usize::from(**bank)].is_none()) {
                return Err(StateError::NoConstants(bank));
            }
        }
        Ok(())
    }

    /// What the program and the fetch program use.
    fn uses(&self) -> [Option<Cow<'_, Uses>>; 2] {
        let fetch = self.fetch_program.map(|fetch| match &self.known_fetch {
            Some(known) => known.uses_of(fetch),
            None => Cow::Owned(Uses::of(fetch)),
        });
        [Some(self.known.uses_of(self.program)), fetch]
    }

    /// Whether the program, or the fetch program, uses something.
    pub(crate) fn any_uses(&self, uses: impl Fn(&Uses) -> bool) -> bool {
        self.uses().iter().flatten().any(|of_program| uses(of_program))
    }

    /// Every region, with a name for it.
    fn regions(&self) -> impl Iterator<Item = (&'static str, Region)> {
        let Memories { ring, streams, reduction, export, strips, .. } = &self.memories;
        let inputs = self.inputs.values().filter_map(|input| match input {
            Input::Buffer(region) => Some(("an input", *region)),
            _ => None,
        });
        let bound = [&self.bindings, &self.alternate].into_iter().flat_map(|bindings| {
            let banks = bindings.kcache.iter().flatten().map(|region| ("a constant buffer", *region));
            let textures = bindings.textures.values().filter_map(|texture| match texture.texels {
                Texels::Vectors { region, .. } => Some(("a texture", region)),
                Texels::Surfaces(_) => None,
            });
            banks.chain(bindings.buffers.values().map(|buffer| ("a fetch buffer", buffer.region))).chain(textures)
        });
        let targets =
            self.targets.positions.iter().chain(&self.targets.parameters).chain([&self.targets.valid]).flatten();
        let items = streams.iter().chain([ring, strips]).flatten();
        inputs
            .chain(bound)
            .chain(targets.map(|region| ("an export target", *region)))
            .chain(items.map(|items| ("a ring or stream", items.region)))
            .chain(reduction.iter().chain(export).map(|region| ("a reduction or export buffer", *region)))
    }
}

/// Why a run did not complete.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// The environment does not fit the program; nothing ran.
    #[error(transparent)]
    State(#[from] StateError),
    /// A group trapped; groups before it completed, of those after it some may have.
    #[error(transparent)]
    Trap(#[from] Trap),
    /// The run was ended from outside: it was cancelled, or its budget was used up.
    #[error(transparent)]
    Halted(#[from] Halt),
}

/// What of the environment does not fit the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StateError {
    /// The domain is larger than the coordinates that lanes have.
    #[error("the domain reaches to ({i1}, {j1}), but coordinates have 16 bits: use a domain of at most 65536 x 65536")]
    Domain {
        /// Last column.
        i1: u32,
        /// Last row.
        j1: u32,
    },
    /// An input names a register that there is not.
    #[error("an input goes to register {0}: registers are R0 to R127")]
    InputRegister(u8),
    /// Bytes that the job names are not in memory.
    #[error("{what} is outside of memory: {range}")]
    Unmapped {
        /// What was to be there.
        what: &'static str,
        /// The bytes.
        range: RangeError,
    },
    /// A texture has no level, no sample, or a side of 0.
    #[error("texture resource {0} is empty: give it a surface and sides of at least 1")]
    EmptyTexture(u8),
    /// The depth target holds no numbers of depth.
    #[error(
        "the depth output's format is {0}: give it one channel for depth, two for depth and stencil, or four floats"
    )]
    DepthFormat(Format),
    /// The program fetches from a texture that is not bound.
    #[error("the program fetches from texture resource {0}, which has no data: bind a surface to it")]
    NoTexture(u8),
    /// The program fetches from a buffer that is not bound.
    #[error("the program fetches from buffer {0}, which has no data: bind a region to it")]
    NoBuffer(u8),
    /// The program reads a constant buffer that is not bound.
    #[error("the program reads constant buffer {0}, which has no data: bind a region to it")]
    NoConstants(u8),
}

/// A program did what the machine cannot do, or what is not executed. The lanes of its group wrote nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{kind} at {location}, in the group of lane ({i}, {j})")]
pub struct Trap {
    /// What happened.
    pub kind: TrapKind,
    /// Where.
    pub location: TrapLocation,
    /// Column of the group's first lane that was active (at the step limit: that would have executed the instruction),
    /// else of its first lane.
    pub i: u32,
    /// Row of that lane.
    pub j: u32,
}

/// Where a program trapped. Addresses are qword addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrapLocation {
    /// The control-flow instruction.
    pub pc: u32,
    /// The group or fetch instruction of its clause.
    pub slot: Option<u32>,
    /// Both are addresses of the fetch program.
    pub in_fetch_program: bool,
}

impl TrapLocation {
    /// The instruction, as counts and listings go by it.
    pub fn place(&self) -> InstructionPlace {
        let at = Address { program: self.in_fetch_program.into(), pc: self.slot.unwrap_or(self.pc) };
        InstructionPlace { at, in_clause: self.slot.is_some() }
    }
}

impl std::fmt::Display for TrapLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "control-flow address {}", self.pc)?;
        if let Some(slot) = self.slot {
            write!(f, ", clause address {slot}")?;
        }
        if self.in_fetch_program { write!(f, " of the fetch program") } else { Ok(()) }
    }
}

/// What a program did to trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TrapKind {
    /// A reserved opcode, or one that the family does not have.
    #[error("reserved operation")]
    BadOpcode,
    /// Execution went outside the image.
    #[error("program counter outside the code")]
    BadAddress,
    /// A clause that is not in the image, or a fetch clause at an odd address.
    #[error("clause outside the code or not aligned")]
    ClauseOutOfRange,
    /// A pop of the empty stack.
    #[error("stack underflow (pop, ELSE or RETURN without its counterpart)")]
    StackUnderflow,
    /// More open frames than STACK_SIZE has entries for.
    #[error("stack overflow (more than the program's STACK_SIZE)")]
    StackOverflow,
    /// The frame on top of the stack is of another kind than the instruction needs.
    #[error("stack mismatch (the innermost branch, loop or call is not what the instruction ends)")]
    StackMismatch,
    /// A loop end, break or continue outside any loop.
    #[error("loop operation outside any loop")]
    NoLoop,
    /// An instruction of geometry shaders in another stage.
    #[error("instruction that this stage does not have")]
    WrongStage,
    /// An ALU group that cannot be issued.
    #[error("illegal ALU group: {0}")]
    GroupIllegal(GroupError),
    /// A register beyond the program's.
    #[error("register outside of those that the program has")]
    GprOutOfRange,
    /// A constant outside what the clause locked.
    #[error("entry {entry} of constant-cache window {window}, which the clause did not lock")]
    ConstOutOfRange {
        /// The window.
        window: u8,
        /// The entry.
        entry: u8,
    },
    /// More instructions than the step limit.
    #[error("step limit reached (endless loop?)")]
    StepLimit,
    /// Something that is decoded but not executed.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
}
