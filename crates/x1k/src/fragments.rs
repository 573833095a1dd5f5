//! Fragment programs as a card runs them: over quads of fragments, whose temporaries the interpolators have filled, with a
//! texture unit after the texture instructions, and outputs that go on to the colour and depth units.

use crate::codes::TexOp;
use crate::job::Constants;
use crate::program::{OUTPUTS, Program};
use ctm_lane::domain::QUAD;
use ctm_num::x1k;
use ctm_raster::sampler::{LevelOfDetail, Sampler, Scale, Texels, TextureShape, levels_of_quad, sample_quad};

/// A vector register of the four fragments of a quad, as binary32 bits: upper left, upper right, lower left, lower right.
pub type QuadVector = [[u32; 4]; QUAD];

/// What a texture instruction asks of the texture unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Number of the texture.
    pub unit: u8,
    /// The operation: one that fetches.
    pub op: TexOp,
    /// Coordinates are in texels.
    pub unscaled: bool,
    /// S, T, R, Q of each fragment. Those that do not execute the instruction have some, too: level of detail is a matter of the quad.
    pub coordinates: QuadVector,
    /// Derivatives of the coordinates in x, for DXDY.
    pub dx: QuadVector,
    /// Derivatives of the coordinates in y, for DXDY.
    pub dy: QuadVector,
}

impl Fetch {
    /// What the instruction gets of a texture: PROJ divides coordinates by Q, LODBIAS adds Q to the level of detail, LOD has it in Q, DXDY has
    /// derivatives.
    pub fn sample<T: Texels>(&self, sampler: &Sampler, shape: &TextureShape, texels: &T) -> QuadVector {
        let Some((coordinates, lod)) = self.places() else { return [[0; 4]; 4] };
        sample_quad(sampler, shape, texels, &coordinates, self.scale(), lod)
    }

    /// The levels of detail (bits) with which [`sample`](Self::sample) samples a texture that is not a cube.
    pub fn levels_of_detail(&self, sampler: &Sampler, shape: &TextureShape) -> [u32; 4] {
        let Some((coordinates, lod)) = self.places() else { return [0; 4] };
        levels_of_quad(sampler, shape, &coordinates, self.scale(), lod).map(f32::to_bits)
    }

    fn scale(&self) -> Scale {
        if self.unscaled { Scale::Texels } else { Scale::Texture }
    }

    /// Where it fetches, and where its levels of detail come from; `None` if it fetches nothing.
    fn places(&self) -> Option<(QuadVector, LevelOfDetail<'_>)> {
        let coordinates = &self.coordinates;
        let fourth = coordinates.map(|[_, _, _, q]| q);
        let no_bias = LevelOfDetail::Differences { bias: [0; 4] };
        Some(match self.op {
            TexOp::Ld => (*coordinates, no_bias),
            TexOp::Proj => {
                let projected = coordinates.map(|[s, t, r, q]| [x1k::div(s, q), x1k::div(t, q), x1k::div(r, q), q]);
                (projected, no_bias)
            }
            TexOp::Lodbias => (*coordinates, LevelOfDetail::Differences { bias: fourth }),
            TexOp::Lod => (*coordinates, LevelOfDetail::Explicit(fourth)),
            TexOp::Dxdy => (*coordinates, LevelOfDetail::Derivatives { dx: &self.dx, dy: &self.dy }),
            TexOp::Nop | TexOp::Texkill | TexOp::Reserved7 => return None,
        })
    }
}

/// The texture unit after a program.
pub trait TextureUnit: Sync {
    /// Red, green, blue and alpha for each fragment.
    fn fetch(&self, fetch: &Fetch) -> QuadVector;
}

/// A program that runs over quads of fragments.
#[derive(Clone, Copy)]
pub struct FragmentJob<'a> {
    /// What runs. Its notes say which outputs it writes; its position is not set.
    pub program: &'a Program,
    /// What its constants are.
    pub constants: &'a Constants,
    /// The temporaries that fragments bring, in the order of [`Quad::inputs`].
    pub presets: &'a [u8],
    /// What its texture instructions fetch from.
    pub textures: &'a dyn TextureUnit,
}

/// Four fragments that run together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quad {
    /// Column and row of the upper left one, even numbers.
    pub position: (u32, u32),
    /// Bit k: fragment k counts. The others compute for its sake.
    pub covered: u8,
    /// What they bring.
    pub inputs: Vec<QuadVector>,
}

/// What a program makes of a quad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shaded {
    /// Bit k: fragment k is covered and was not killed.
    pub live: u8,
    /// Outputs A to D.
    pub outputs: [QuadVector; OUTPUTS],
    /// What the program wrote to W, or 0.
    pub depth: [u32; QUAD],
}
