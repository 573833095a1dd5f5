//! Fragment programs as a card runs them: over quads of fragments, whose temporaries the interpolators have filled, with a
//! texture unit behind the texture instructions, and outputs that go on to the colour and depth units.

use crate::codes::TexOp;
use crate::job::Constants;
use crate::program::{OUTPUTS, Program};
use ctm_lane::domain::QUAD;

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

/// The texture unit behind a program.
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
