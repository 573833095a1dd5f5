//! Colour targets, as blocks of pixels see them.

use crate::surfaces::{Layout, SurfaceQuads};
use ctm_raster::float_bytes::WriteFloats;

/// Colours of so many pixels, quad by quad: of each component, the bits of each pixel. Or what is stored for them: of each word, that of each pixel.
pub type Colours<const N: usize> = [[u32; N]; 4];

/// What is done with colours that are stored as bytes of a word.
pub trait BytesTask {
    /// Does it. It has to be inlined.
    fn run<W: WriteFloats>(self, bytes: W);
}

/// Where colours of a program go, and what happens to them on the way.
pub trait ColourTarget: Sync {
    /// Which of the program's colours it is.
    fn output(&self) -> usize;
    /// The one that is the second colour of blending, if that takes one.
    fn second(&self) -> Option<usize>;
    /// Whether what is stored depends on what is there.
    fn keeps(&self) -> bool;
    /// Whether colours are stored as they are, in vectors.
    fn stores_vectors(&self) -> bool;
    /// Whether pixels are bytes of a word.
    fn has_bytes(&self) -> bool;
    /// Has it done for them, if they are such; the most common ways that colours are stored have code of their own.
    fn with_bytes(&self, task: impl BytesTask);
    /// The pixels to be stored, for colours, the second ones that blending takes, and the pixels in memory.
    fn merged<const N: usize>(
        &self,
        colours: &Colours<N>,
        second: Option<&Colours<N>>,
        memory: &Colours<N>,
    ) -> Colours<N>;
}

/// Writes colours to quads, each with its place and a mask of its pixels. If what is stored depends on what is there, no two are the same quad.
#[inline(always)]
pub fn write_quads<const N: usize>(
    target: &impl ColourTarget,
    quads: &SurfaceQuads<impl Layout>,
    written: &[(u64, u8)],
    colours: &Colours<N>,
    second: Option<&Colours<N>>,
) {
    let mut memory = [[0; N]; 4];
    if target.keeps() {
        for (n, &(place, _)) in written.iter().enumerate() {
            quads.read(place, n, &mut memory);
        }
    }
    let new = target.merged(colours, second, &memory);
    for (n, &(place, mask)) in written.iter().enumerate() {
        quads.write(place, n, &new, mask);
    }
}
