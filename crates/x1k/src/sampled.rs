//! Inputs that are sampled as the textures of a card are.

use crate::codes::TexOp;
use crate::instruction::{Body, Instruction};
use ctm_memory::Surface;
use ctm_raster::sampler::{Sampler, TextureKind, TextureShape};

/// The words for kinds of textures, in the order of their codes in program images.
pub const TEXTURE_KINDS: [(&str, TextureKind); 3] =
    [("flat", TextureKind::Flat), ("volume", TextureKind::Volume), ("cube", TextureKind::Cube)];

/// The word for a kind of textures.
pub fn texture_kind_name(kind: TextureKind) -> &'static str {
    TEXTURE_KINDS.iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| name)
}

/// How an input is sampled, and what it is as a texture.
///
/// A surface holds a level: its slices or faces one below the other, each with as many rows as the level is high. The surface of the finest
/// level is the input's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputSampler {
    /// Wraps and filters.
    pub sampler: Sampler,
    /// Directions, and elements of the finest level: its surface may have more columns.
    pub shape: TextureShape,
    /// The other levels, finest first: as many as the shape says.
    pub levels: Vec<Surface>,
}

impl InputSampler {
    /// Whether surfaces are as large as the shape says; `surface` is that of the finest level.
    pub fn fits(&self, surface: &Surface) -> bool {
        let TextureShape { kind, size, last_level } = self.shape;
        let is_in_range = |&side: &u32| (1..=1 << 20).contains(&side);
        let is_square = kind != TextureKind::Cube || size[0] == size[1];
        let holds = |(level, surface): (u32, &Surface)| {
            let [width, height, _] = self.shape.level_size(level);
            let rows = u64::from(height) * u64::from(self.shape.layers(level));
            surface.pitch >= width && (surface.height == 0 || u64::from(surface.height) >= rows)
        };
        size.iter().all(is_in_range)
            && is_square
            && self.levels.len() as u64 == u64::from(last_level)
            && last_level <= 20
            && (0..).zip(std::iter::once(surface).chain(&self.levels)).all(holds)
    }
}

/// Whether some instruction fetches with a level of detail that follows from the coordinates of its quad, from an input that is sampled so
/// that this matters; `sampled` gives how inputs are sampled.
pub fn reads_quads<'s>(code: &[Instruction], sampled: impl Fn(u8) -> Option<(&'s Sampler, &'s TextureShape)>) -> bool {
    let needs_level = |input: u8| sampled(input).is_some_and(|(sampler, shape)| sampler.needs_level(shape));
    code.iter().any(|instruction| match &instruction.body {
        Body::Tex(tex) => match tex.op {
            TexOp::Ld | TexOp::Proj | TexOp::Lodbias => needs_level(tex.id),
            TexOp::Nop | TexOp::Texkill | TexOp::Lod | TexOp::Dxdy | TexOp::Reserved7 => false,
        },
        Body::Alu(_) | Body::Out(_) | Body::Flow(_) => false,
    })
}
