//! Levels of detail.

use super::cube::Face;
use super::{LiftedDetail, Sampling, multiply};
use ctm_lane::{Builder, Denorm, QuadOrder, Round, Value};
use ctm_raster::sampler::Scale;

/// The level of detail with all biases, a multiple of the sampler's step, between its bounds. Cubes have faces.
pub fn level_of_detail(
    b: &mut Builder,
    sampling: &Sampling<'_>,
    coordinates: [Value; 3],
    face: Option<&Face>,
    detail: &LiftedDetail,
) -> Value {
    let texels = |b: &mut Builder, at: [Value; 3]| texels(b, sampling, face, at);
    let level = match detail {
        LiftedDetail::Rounded(level) => return *level,
        LiftedDetail::Explicit(level) => *level,
        LiftedDetail::Differences { bias } => {
            let [first, right, down] = match face {
                // Neighbours are projected onto the pixel's own face.
                Some(_) => [0, 1, 2].map(|lane| {
                    let at = coordinates.map(|part| of_pixel(b, part, lane));
                    texels(b, at)
                }),
                None => {
                    let at = texels(b, coordinates);
                    [0, 1, 2].map(|lane| at.iter().map(|&part| of_pixel(b, part, lane)).collect())
                }
            };
            let ways = [right, down].map(|to| difference(b, &to, &first));
            let level = of_ways(b, ways);
            bias.map_or(level, |bias| b.fadd(Denorm::Flush, level, bias))
        }
        LiftedDetail::Derivatives(ways) => {
            let ways = match face {
                Some(_) => {
                    let here = texels(b, coordinates);
                    ways.map(|way| {
                        let next = std::array::from_fn(|n| b.fadd(Denorm::Flush, coordinates[n], way[n]));
                        let next = texels(b, next);
                        difference(b, &next, &here)
                    })
                }
                None => ways.map(|way| texels(b, way)),
            };
            of_ways(b, ways)
        }
    };
    let level = match sampling.sampler.bias {
        0 => level,
        bias => {
            let bias = b.constant(bias);
            b.fadd(Denorm::Flush, level, bias)
        }
    };
    let range = sampling.sampler.detail;
    let (steps, step) = (b.float_constant(range.steps as f32), b.float_constant(1.0 / range.steps as f32));
    let level = multiply(b, level, steps);
    let level = b.fround(Round::Floor, Denorm::Flush, level);
    let level = multiply(b, level, step);
    if !range.has_bounds() {
        return level;
    }
    // What is not a number becomes the least.
    let (least, greatest) = (b.constant(range.least), b.constant(range.greatest));
    let level = b.fmax(Denorm::Flush, level, least);
    b.fmin(Denorm::Flush, level, greatest)
}

/// The value of a pixel of the quad in all of its pixels.
fn of_pixel(b: &mut Builder, value: Value, lane: u8) -> Value {
    b.quad(QuadOrder([lane; 4]), value)
}

/// Coordinates in texels of level 0; of a cube, those on the face.
fn texels(b: &mut Builder, sampling: &Sampling<'_>, face: Option<&Face>, at: [Value; 3]) -> Vec<Value> {
    let (parts, scale) = match face {
        Some(face) => (face.place(b, at).to_vec(), Scale::Texture),
        None => (at[..sampling.shape.directions()].to_vec(), sampling.scale),
    };
    let scaled = |(n, part): (usize, Value)| match scale {
        Scale::Texels => part,
        Scale::Texture => {
            let size = b.float_constant(sampling.shape.size[n] as f32);
            multiply(b, part, size)
        }
    };
    parts.into_iter().enumerate().map(scaled).collect()
}

fn difference(b: &mut Builder, to: &[Value], from: &[Value]) -> Vec<Value> {
    to.iter().zip(from).map(|(&to, &from)| b.fsub(Denorm::Flush, to, from)).collect()
}

/// log2 of the longer of two ways, in levels.
fn of_ways(b: &mut Builder, ways: [Vec<Value>; 2]) -> Value {
    let [x, y] = ways.map(|way| {
        let squares: Vec<Value> = way.into_iter().map(|part| multiply(b, part, part)).collect();
        let zero = b.constant(0);
        squares.into_iter().reduce(|sum, square| b.fadd(Denorm::Flush, sum, square)).unwrap_or(zero)
    });
    let longer = b.fmax(Denorm::Flush, x, y);
    let logarithm = b.ln2(longer);
    b.scale(-1, logarithm)
}
