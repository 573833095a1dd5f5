//! What surrounds a program: where its uniforms, textures, inputs and outputs are, by the names of the source. Those of pixel
//! shader text are its registers: `c0`, `s0`, `t0` or `v0`, `oC0`.

use ctm_x1k::{ProgramInfo, sampler};
use std::ops::RangeInclusive;

/// What the values of a uniform are in the source. All are floats in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UniformKind {
    /// Numbers.
    Float,
    /// Whole numbers.
    Int,
    /// Whole numbers that are not negative.
    Uint,
    /// Zero for false, one for true.
    Bool,
}

/// Where a uniform lies: column `c` of element `e` is in float constant `register + (e * columns + c)` from `channel` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UniformPlace {
    /// The first float constant.
    pub register: u8,
    /// The first channel, 0 to 3.
    pub channel: u8,
}

/// A uniform of a basic type, or an array of them. Members of structures and blocks are uniforms of their own, with
/// names such as `lights[1].position`.
#[derive(Debug, Clone, PartialEq)]
pub struct Uniform {
    /// The name in the source.
    pub name: String,
    /// What its values are.
    pub kind: UniformKind,
    /// Columns of a matrix; 1 for vectors and scalars.
    pub columns: u8,
    /// Channels of a vector, or of a column.
    pub rows: u8,
    /// Elements, if it is an array.
    pub elements: Option<u32>,
    /// Where it is.
    pub place: UniformPlace,
    /// The value that the source gives it, one number per channel, column and element; empty if it gives none.
    pub default: Vec<f32>,
}

/// What a texture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// One coordinate.
    Line,
    /// Two coordinates.
    Plane,
    /// Two coordinates in texels.
    Rectangle,
    /// Three coordinates.
    Volume,
    /// A direction.
    Cube,
}

/// A texture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texture {
    /// The name in the source.
    pub name: String,
    /// Number of the input.
    pub unit: u8,
    /// What it is.
    pub kind: TextureKind,
    /// Whether it is sampled; else it is only fetched from by whole coordinates.
    pub sampled: bool,
    /// Float constant and first channel where the program expects width, height and depth, if it asks for them.
    pub size: Option<(u8, u8)>,
    /// The same of the number of its levels.
    pub levels: Option<(u8, u8)>,
}

/// An interpolated input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Varying {
    /// The name in the source.
    pub name: String,
    /// The first of its slots; columns of matrices and elements of arrays take one each.
    pub slot: u8,
    /// How many slots.
    pub slots: u8,
    /// The first of its channels in each. Not 0 only where inputs share slots, as there are not enough for one each.
    pub channel: u8,
    /// Channels of each.
    pub channels: u8,
}

/// A colour output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColourOutput {
    /// The name in the source.
    pub name: String,
    /// The output register.
    pub slot: u8,
    /// How many channels are written.
    pub channels: u8,
}

/// A scalar of a variable of a source, for debuggers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePart {
    /// What holds it: the variable, or the member, element or column of it: `lights[1].colour`.
    pub name: String,
    /// Its channel there, if that is a vector.
    pub channel: Option<char>,
    /// What it is in the source.
    pub kind: UniformKind,
    /// The function that declares it; none for what stands outside of all.
    pub function: Option<String>,
    /// The lines of the source where the name means it.
    pub lines: RangeInclusive<u32>,
}

/// Something that a language allows, and that is hardly meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// Nothing is written.
    #[error("the shader writes no output, so colour 0 is 0 everywhere; write a colour")]
    NoOutput,
}

/// All of it. A texture's `size` and `levels` and all uniforms must be set before a program runs; `gl_FragCoord` and
/// `@builtin(position)` are (column + 0.5, row + 0.5, 0.5, 1.0).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interface {
    /// Uniforms that are used.
    pub uniforms: Vec<Uniform>,
    /// Textures that are used.
    pub textures: Vec<Texture>,
    /// Interpolated inputs that are used.
    pub varyings: Vec<Varying>,
    /// Outputs that are written.
    pub outputs: Vec<ColourOutput>,
    /// Whether the conditional value (depth) is written.
    pub depth: bool,
    /// Float constants below this number are the interface's; those from it on are free.
    pub float_constants: u16,
    /// Whether the text expects row 0 to be the lowest of the picture, as OpenGL has it: GLSL that has Shadertoy's `mainImage`, or that
    /// divides by the size of the picture.
    pub is_bottom_up: bool,
}

impl Interface {
    /// Notes what inputs have to be sampled as: volumes and cubes. Pictures may be inputs without a sampler.
    pub fn require_textures(&self, info: &mut ProgramInfo) {
        for texture in &self.textures {
            info.textures[usize::from(texture.unit)] = match texture.kind {
                TextureKind::Line | TextureKind::Plane | TextureKind::Rectangle => None,
                TextureKind::Volume => Some(sampler::TextureKind::Volume),
                TextureKind::Cube => Some(sampler::TextureKind::Cube),
            };
        }
    }
}
