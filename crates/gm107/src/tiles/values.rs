//! What programs get over primitives for which planes of plain numbers are not enough.

use ctm_pipeline::{AtPixels, PixelPlace, Values};
use ctm_raster::plane::Plane;
use ctm_raster::simd::Simd;

/// A component over a primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LineValue {
    /// The same bits everywhere.
    Constant(u32),
    /// The numbers of a plane.
    Varying(Plane),
    /// The same, between two numbers.
    Clamped(Plane, [f64; 2]),
}

/// The components of a primitive.
#[derive(Clone, Debug)]
pub struct LineValues(pub Box<[LineValue]>);

impl Values for LineValues {
    fn divisor(&self) -> Option<Plane> {
        None
    }

    #[inline(always)]
    fn component<S: Simd>(&self, simd: S, number: usize, _: S::Words, at: &impl AtPixels<S>) -> S::Words {
        match self.0.get(number) {
            None => simd.splat(0),
            Some(LineValue::Constant(bits)) => simd.splat(*bits),
            Some(LineValue::Varying(plane)) => at.attribute(plane, true, PixelPlace::Centre),
            Some(LineValue::Clamped(plane, [least, most])) => {
                simd.binary32(simd.clamped(at.numbers(plane, PixelPlace::Centre), *least, *most))
            }
        }
    }
}
