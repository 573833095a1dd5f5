//! What fetches read: regions of memory, textures with their samplers, and fetch buffers.

use crate::codes::{EndianSwap, Select};
use crate::fetch::{ElementFormat, TexFields};
use ctm_memory::Surface;
use ctm_num::r700 as num;

/// A range of bytes in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Region {
    /// First address.
    pub base: u32,
    /// Bytes.
    pub length: u32,
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
    /// A dword, which is the first number; the others are 0.
    Scalar,
}

impl VectorForm {
    /// All forms.
    pub const ALL: [VectorForm; 3] = [VectorForm::Dwords, VectorForm::Bytes, VectorForm::Scalar];

    /// Bytes of a vector.
    pub const fn bytes(self) -> u32 {
        match self {
            VectorForm::Dwords => 16,
            VectorForm::Bytes | VectorForm::Scalar => 4,
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
    /// Bytes after it that elements may have as if they belonged to it: they are 0.
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
