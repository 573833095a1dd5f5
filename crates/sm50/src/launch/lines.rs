//! Fragment programs over lines of words in memory: of each input that a program reads, and of each register that it puts out, a word for each lane. Who
//! draws many pixels has such lines, and needs neither quads with their primitives nor a list of results.

use ctm_memory::{Format, Space, Surface, Tiling};

/// What a fragment program reads of primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineInput {
    /// The address of the input.
    pub address: u32,
    /// It is the value of the provoking vertex, not that of the pixel.
    pub is_provoking: bool,
}

/// The lines of a launch. Each input and each register has two rows of words, one after the other: lane (x, y) has word x of row y. Its quad is
/// lanes (x & !1, 0) and three others.
#[derive(Clone, Copy, Debug)]
pub struct PixelLines<'a> {
    /// What they lie in.
    pub memory: &'a Space,
    /// Words of a row.
    pub pitch: u32,
    /// The addresses of the inputs.
    pub inputs: &'a [(LineInput, u32)],
    /// The addresses of the registers that the program puts out, as far as somebody wants them.
    pub outputs: &'a [Option<u32>],
    /// The address of what says which lanes are not killed: not 0 for these.
    pub valid: Option<u32>,
    /// The shade model is flat.
    pub is_flat: bool,
}

impl PixelLines<'_> {
    /// Rows of each input and register.
    pub const ROWS: u32 = 2;

    /// What a line is as a surface, with rows of so many words.
    pub(crate) const fn layout(pitch: u32) -> Surface {
        let (format, tiling) = (Format::Float32_1, Tiling::Linear);
        Surface { base: 0, pitch, height: Self::ROWS, tiling, superfine: false, format }
    }
}
