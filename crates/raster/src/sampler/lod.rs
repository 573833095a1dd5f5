//! Levels of detail.

use super::cube::CubeFace as Face;
use super::{LevelOfDetail, Scale, TextureShape, number};

/// A number, 0 if it is a denormal.
fn flushed(number: f32) -> f32 {
    f32::from_bits(ctm_num::flush(number.to_bits()))
}

/// log2 of the longer of two ways, in levels. Ways without third part have 0 there. Squares that are denormals are zeros.
fn of_ways(dx: [f32; 3], dy: [f32; 3]) -> f32 {
    let square = |[u, v, w]: [f32; 3]| flushed(u * u) + flushed(v * v) + flushed(w * w);
    let (x, y) = (square(dx), square(dy));
    let longer = if x > y { x } else { y };
    0.5 * f32::from_bits(ctm_num::transcendental::ln2(longer.to_bits()))
}

fn difference(to: [f32; 3], from: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|n| to[n] - from[n])
}

/// The level of detail of each pixel, without the sampler's bias.
pub(super) fn of_quad(shape: &TextureShape, places: &[[f32; 3]; 4], scale: Scale, lod: LevelOfDetail<'_>) -> [f32; 4] {
    let texels = |place: [f32; 3]| -> [f32; 3] {
        std::array::from_fn(|n| {
            let factor = match scale {
                Scale::Texture => shape.size[n] as f32,
                Scale::Texels => 1.0,
            };
            if n < shape.directions() { place[n] * factor } else { 0.0 }
        })
    };
    match lod {
        LevelOfDetail::Differences { bias } => {
            let [first, right, down] = [places[0], places[1], places[2]].map(texels);
            let level = of_ways(difference(right, first), difference(down, first));
            bias.map(|bias| level + f32::from_bits(bias))
        }
        LevelOfDetail::Explicit(levels) => levels.map(f32::from_bits),
        LevelOfDetail::Derivatives { dx, dy } => {
            std::array::from_fn(|pixel| of_ways(texels(number(dx[pixel])), texels(number(dy[pixel]))))
        }
    }
}

/// The level of detail of one pixel of a cube, without the sampler's bias: neighbours are projected onto the pixel's own face.
pub(super) fn of_cube(
    shape: &TextureShape,
    face: Face,
    directions: &[[f32; 3]; 4],
    pixel: usize,
    lod: LevelOfDetail<'_>,
) -> f32 {
    let texels = |direction: [f32; 3]| {
        let [s, t, _] = face.place(direction);
        [s * shape.size[0] as f32, t * shape.size[1] as f32, 0.0]
    };
    match lod {
        LevelOfDetail::Differences { bias } => {
            let [first, right, down] = [directions[0], directions[1], directions[2]].map(texels);
            of_ways(difference(right, first), difference(down, first)) + f32::from_bits(bias[pixel])
        }
        LevelOfDetail::Explicit(levels) => f32::from_bits(levels[pixel]),
        LevelOfDetail::Derivatives { dx, dy } => {
            let here = directions[pixel];
            let way = |step: [u32; 4]| {
                let step = number(step);
                difference(texels(std::array::from_fn(|n| flushed(here[n] + step[n]))), texels(here))
            };
            of_ways(way(dx[pixel]), way(dy[pixel]))
        }
    }
}
