//! What graphics cards do with pixels: which of them a primitive covers, what is interpolated there, which pass, what is stored.
//!
//! The crate knows no card's registers, packets or instructions. A card describes its state in the types of this crate and
//! calls the functions; everything is scalar and exact, and does not depend on the host.
//!
//! - [`grid`]: window coordinates in sub-pixels;
//! - [`coverage`]: which samples of which pixels a convex shape covers; [`outline`]: the shapes of points and lines;
//! - [`covered`], [`sample_blocks`]: the same in blocks of pixels of one sample or of several; [`tiles`]: which primitives touch parts of a framebuffer;
//! - [`rows`]: rows of covered pixels that are rectangles;
//! - [`plane`]: depth and attributes as linear functions of the place;
//! - [`depth`]: depth and stencil test; [`orders`]: comparisons of many numbers at a time;
//! - [`channel`]: numbers in memory; [`target`]: formats of colour buffers; [`pixel`]: those with integers, sRGB and small floats as well; [`blend`]: blending and logic operations; [`colour`]: what is written of a pixel;
//! - [`bytes`], [`float_bytes`]: the same for many pixels of four bytes at a time, blended as bytes or as binary32 numbers;
//! - [`texel`], [`blocks`], [`bptc`], [`srgb`]: formats of textures; [`layout`]: where the bytes of surfaces in blocks of NVIDIA's cards are;
//! - [`sampler`]: wraps, levels of detail, filters;
//! - [`multisample`]: where samples lie, how they are averaged.
//!
//! Numbers enter and leave as the bits of binary32. A NaN that is computed here has the bits [`NAN`].
#![forbid(unsafe_code)]

pub mod blend;
pub mod blocks;
pub mod bptc;
pub mod bytes;
pub mod channel;
pub mod colour;
pub mod coverage;
pub mod covered;
pub mod depth;
pub mod float_bytes;
pub mod grid;
pub mod layout;
pub mod multisample;
pub mod narrow;
pub mod orders;
pub mod outline;
pub mod pixel;
pub mod plane;
pub mod quads;
pub mod rows;
pub mod sample_blocks;
pub mod sampler;
pub mod simd;
pub mod srgb;
pub mod target;
pub mod texel;
pub mod tiles;

/// The NaN that computations give.
pub const NAN: u32 = ctm_num::transcendental::NAN;

/// The bits of a computed number: every NaN becomes [`NAN`].
#[inline]
pub(crate) fn bits(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}
