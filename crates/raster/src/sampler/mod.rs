//! Texture sampling: wraps, levels of detail, filters.
//!
//! Arithmetic is that of binary32, each operation rounded once, in the order that the functions are written in; logarithms are those of
//! [`ctm_num::transcendental`].

mod cube;
mod filter;
mod lod;
mod wrap;

pub use cube::{CubeFace, beyond_edge};
pub use wrap::Wrap;

use cube::CubeFace as Face;

/// How texels near a place become a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The texel that the place is in.
    Point,
    /// The nearest two in each direction, weighted with 8 bits.
    Linear,
}

/// How levels become a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MipFilter {
    /// The finest level only.
    None,
    /// The nearest level.
    Point,
    /// The nearest two, weighted by steps of the level of detail.
    Linear,
}

/// How a texture is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// What coordinates outside of the texture mean, per direction.
    pub wrap: [Wrap; 3],
    /// Filter where texels are larger than pixels.
    pub magnification: Filter,
    /// Filter where texels are smaller than pixels.
    pub minification: Filter,
    /// Filter between levels.
    pub mip: MipFilter,
    /// The finest level that is used.
    pub finest: u32,
    /// What is added to every level of detail, in levels (bits).
    pub bias: u32,
    /// What lies outside, for wraps that have a border (bits).
    pub border: [u32; 4],
    /// How levels of detail are rounded and bounded.
    pub detail: DetailRange,
    /// Linear filters of cubes take texels of the neighbouring faces beyond the edges of a face.
    pub seamless: bool,
}

/// How levels of detail are rounded, and between which bounds they stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DetailRange {
    /// Steps of a level that are told apart: a power of two, at most 256.
    pub steps: u32,
    /// The least level of detail (bits).
    pub least: u32,
    /// The greatest level of detail (bits).
    pub greatest: u32,
    /// In the middle between two levels the finer one is the nearest.
    pub halves_down: bool,
}

impl DetailRange {
    /// 32 steps, without bounds.
    pub const UNBOUNDED: DetailRange = DetailRange {
        steps: 32,
        least: f32::NEG_INFINITY.to_bits(),
        greatest: f32::INFINITY.to_bits(),
        halves_down: false,
    };

    /// Whether there are bounds.
    pub fn has_bounds(&self) -> bool {
        let none = Self::UNBOUNDED;
        (self.least, self.greatest) != (none.least, none.greatest)
    }

    /// A level of detail with a bias: rounded down to a step, and brought between the bounds.
    fn rounded(&self, level: f32, bias: f32) -> f32 {
        let steps = self.steps as f32;
        let level = ((level + bias) * steps).floor() / steps;
        if self.has_bounds() { level.max(f32::from_bits(self.least)).min(f32::from_bits(self.greatest)) } else { level }
    }

    /// What is added to a level of detail so that the integer below is the nearest level.
    pub fn to_nearest(&self) -> f32 {
        if self.halves_down { 0.5 - 0.5 / self.steps as f32 } else { 0.5 }
    }
}

impl Sampler {
    /// One filter, one level, and a border of zeros.
    pub const fn new(filter: Filter, wrap: [Wrap; 3]) -> Self {
        Sampler {
            wrap,
            magnification: filter,
            minification: filter,
            mip: MipFilter::None,
            finest: 0,
            bias: 0,
            border: [0; 4],
            detail: DetailRange::UNBOUNDED,
            seamless: false,
        }
    }

    /// The same with a filter between levels, which is that of small texels.
    pub const fn between_levels(self) -> Self {
        let mip = match self.minification {
            Filter::Point => MipFilter::Point,
            Filter::Linear => MipFilter::Linear,
        };
        Sampler { mip, ..self }
    }

    /// Whether what is sampled depends on the level of detail.
    #[inline]
    pub fn needs_level(&self, shape: &TextureShape) -> bool {
        let has_levels = self.mip != MipFilter::None && self.finest < shape.last_level;
        has_levels || self.magnification != self.minification
    }

    /// The level of which single texels are taken, if they are whatever the level of detail is.
    pub fn point_level(&self, shape: &TextureShape) -> Option<u32> {
        let always = self.magnification == Filter::Point && !self.needs_level(shape);
        always.then(|| self.finest.min(shape.last_level))
    }

    /// The texel that a point filter takes in a direction of a level at a coordinate (bits); `None`: the border.
    #[inline]
    pub fn nearest(
        &self,
        shape: &TextureShape,
        level: u32,
        direction: usize,
        coordinate: u32,
        scale: Scale,
    ) -> Option<u32> {
        let size = shape.level_size(level)[direction];
        self.wrap[direction].point(f32::from_bits(coordinate), scale, size)
    }
}

/// How many directions a texture has, and what its layers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// Two directions, one layer.
    Flat,
    /// Three directions; layers are slices.
    Volume,
    /// A direction from the centre of a cube; layers are its faces in order +x, -x, +y, -y, +z, -z. Filters stay inside of a face.
    Cube,
}

/// Sizes of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureShape {
    /// Directions and layers.
    pub kind: TextureKind,
    /// Texels of level 0 across, down and, of volumes, deep: 1 to 2^20.
    pub size: [u32; 3],
    /// The coarsest level: at most 20.
    pub last_level: u32,
}

impl TextureShape {
    /// A texture with two directions and one level.
    pub const fn flat(width: u32, height: u32) -> Self {
        TextureShape { kind: TextureKind::Flat, size: [width, height, 1], last_level: 0 }
    }

    /// Texels of a level in each direction.
    #[inline]
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        self.size.map(|size| (size >> level.min(31)).max(1))
    }

    /// Faces, or slices of a level.
    #[inline]
    pub fn layers(&self, level: u32) -> u32 {
        match self.kind {
            TextureKind::Flat => 1,
            TextureKind::Volume => self.level_size(level)[2],
            TextureKind::Cube => 6,
        }
    }

    /// Directions that coordinates have.
    #[inline]
    pub fn directions(&self) -> usize {
        match self.kind {
            TextureKind::Flat => 2,
            TextureKind::Volume | TextureKind::Cube => 3,
        }
    }
}

/// Where texels come from.
pub trait Texels {
    /// The texel (bits of red, green, blue and alpha) of a level at column `x` and row `y` of `layer` (face or slice). All are inside of the
    /// texture's shape.
    fn texel(&self, level: u32, layer: u32, x: u32, y: u32) -> [u32; 4];
}

/// What coordinates are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scale {
    /// The texture's sizes.
    Texture,
    /// Texels of level 0. Cubes have no such coordinates; they are taken as directions.
    Texels,
}

/// Where the level of detail comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LevelOfDetail<'a> {
    /// From the differences of the quad's coordinates, plus a bias for each pixel (bits).
    Differences {
        /// In levels.
        bias: [u32; 4],
    },
    /// Given for each pixel (bits), in levels.
    Explicit([u32; 4]),
    /// From given changes of the coordinates (bits) to the next pixel.
    Derivatives {
        /// To the right.
        dx: &'a [[u32; 4]; 4],
        /// Down.
        dy: &'a [[u32; 4]; 4],
    },
}

/// Samples a texture for the pixels of a quad, in order upper left, upper right, lower left, lower right. Coordinates and results are bits;
/// the fourth coordinate is not used, and denormal coordinates are zeros.
///
/// A level of detail is log2 of how many texels of level 0 the coordinates move from one pixel to the next, rounded down to a
/// [step](DetailRange) with all biases. All pixels of a quad take the differences of its upper left pixel to its neighbours; for cubes, each pixel takes them on its own
/// face.
pub fn sample_quad<T: Texels>(
    sampler: &Sampler,
    shape: &TextureShape,
    texels: &T,
    coordinates: &[[u32; 4]; 4],
    scale: Scale,
    lod: LevelOfDetail<'_>,
) -> [[u32; 4]; 4] {
    let places = coordinates.map(number);
    let source = filter::Source { sampler, shape, texels };
    let levels = levels_of_quad(sampler, shape, coordinates, scale, lod);
    std::array::from_fn(|pixel| match shape.kind {
        TextureKind::Cube => {
            let face = Face::of(places[pixel]);
            source.sample(face.place(places[pixel]), Scale::Texture, face.layer(), levels[pixel])
        }
        TextureKind::Flat | TextureKind::Volume => source.sample(places[pixel], scale, 0, levels[pixel]),
    })
}

/// The levels of detail with which [`sample_quad`] samples: multiples of a step with all biases.
pub fn levels_of_quad(
    sampler: &Sampler,
    shape: &TextureShape,
    coordinates: &[[u32; 4]; 4],
    scale: Scale,
    lod: LevelOfDetail<'_>,
) -> [f32; 4] {
    let places = coordinates.map(number);
    let levels = match shape.kind {
        _ if !sampler.needs_level(shape) => [0.0; 4],
        TextureKind::Cube => {
            std::array::from_fn(|pixel| lod::of_cube(shape, Face::of(places[pixel]), &places, pixel, lod))
        }
        TextureKind::Flat | TextureKind::Volume => lod::of_quad(shape, &places, scale, lod),
    };
    let bias = f32::from_bits(sampler.bias);
    levels.map(|level| sampler.detail.rounded(level, bias))
}

/// The first three coordinates.
#[inline]
fn number([s, t, r, _]: [u32; 4]) -> [f32; 3] {
    [s, t, r].map(|bits| f32::from_bits(ctm_num::flush(bits)))
}

#[cfg(test)]
mod tests;
