//! What programs get of primitives, where that is more than planes that are linear on the screen: cards say what.

use ctm_raster::plane::Plane;
use ctm_raster::simd::{LaneWords, Simd};

/// Where in a pixel something is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixelPlace {
    /// At its centre; at the sample, where the program runs for each.
    Centre,
    /// At its centre, if all of its samples are covered or none; else at the first one that is.
    Centroid,
}

/// What planes give at eight pixels of a primitive. Its functions are inlined wherever they are used: closures are not, where there are several uses, and
/// are compiled without the host's vectors then.
pub trait AtPixels<S: Simd> {
    /// The numbers of a plane.
    fn numbers(&self, plane: &Plane, place: PixelPlace) -> S::Numbers;
    /// The bits of an attribute, without perspective if it is `linear`.
    fn attribute(&self, plane: &Plane, linear: bool, place: PixelPlace) -> S::Words;
    /// The number of the sample, where the program runs for each; else 0.
    fn sample(&self) -> u32;
    /// Columns and rows of the pixels.
    fn places(&self) -> [LaneWords; 2];
}

/// What programs get over a primitive.
pub trait Values: Send + Sync {
    /// The plane that attributes with perspective are divided by.
    fn divisor(&self) -> Option<Plane>;

    /// The bits of a component at eight pixels. Bit n of `covered`: sample n of the pixel is covered.
    fn component<S: Simd>(&self, simd: S, number: usize, covered: S::Words, at: &impl AtPixels<S>) -> S::Words;
}
