//! Levels of detail (R700 guide chapter 6; `DECISION`s of the sample instructions).

use super::cube;
use super::sample::{Request, canonical, coordinate};
use crate::codes::{LevelSource, SampleOp};
use crate::fetch::TexFields;
use crate::resource::{Dimension, MipFilter, Sampler, Texture};
use ctm_num::r700 as num;

const ONE: u32 = 0x3F80_0000;
const HALF: u32 = 0x3F00_0000;
const MINUS_THREE: u32 = 0xC040_0000;
/// Steps of weights, as a float, and a step.
const STEPS: u32 = 0x4380_0000;
const STEP: i32 = -8;
/// 1/8 as a power of two.
const EIGHTH: i32 = -3;

/// How coordinates change from pixel to pixel.
pub(super) enum Change {
    /// Those of the upper left pixel of the quad, of the one to its right and of the one below it.
    Quad([[u32; 4]; 3]),
    /// What they have more to the right, and what below.
    Given([[u32; 4]; 2]),
}

/// The levels of a sample.
pub(super) struct Levels {
    /// Texels are larger than pixels.
    pub magnified: bool,
    /// The level; the finer one of two.
    pub fine: usize,
    /// Weight of the level after it, if that is looked at.
    pub weight: Option<u32>,
}

/// The level of detail with all biases, before limits.
pub(super) fn level_of_detail(op: SampleOp, request: &Request, texture: &Texture) -> u32 {
    let w = request.coordinates[3];
    let eighths = i32::from(request.fields.lod_bias_eighths()).cast_unsigned();
    let found = request.change.as_ref().map_or(0, |change| of_change(request, change, texture));
    let level = match op.level {
        LevelSource::Detail | LevelSource::Gradients => found,
        LevelSource::Given => w,
        LevelSource::Biased | LevelSource::BiasedGradients => {
            num::add(found, num::add(w, num::scale(EIGHTH, num::int_to_float(eighths))))
        }
        LevelSource::Zero => 0,
    };
    let [_, _, bias] = request.sampler.levels();
    num::add(level, bias)
}

/// log2 of the longer of the ways in texels of level 0 that coordinates make from pixel to pixel.
fn of_change(request: &Request, change: &Change, texture: &Texture) -> u32 {
    let difference =
        |from: &[u32], to: &[u32]| -> Vec<u32> { from.iter().zip(to).map(|(&a, &b)| num::sub(b, a)).collect() };
    let ways: [Vec<u32>; 2] = match change {
        Change::Given(ways) => ways.map(Vec::from),
        Change::Quad(quad) => match texture.dimension {
            Dimension::Cube => {
                // All pixels are projected onto the face of this one.
                let face = face(&request.coordinates);
                let [first, right, below] = quad.map(|at| {
                    let centred = [at[0], at[1]].map(|at| num::add(num::add(at, at), MINUS_THREE));
                    cube::place(face, cube::direction(self::face(&at), centred, ONE))
                });
                [difference(&first, &right), difference(&first, &below)]
            }
            Dimension::D1 | Dimension::D2 | Dimension::D3 | Dimension::D1Array | Dimension::D2Array => {
                let [first, right, below] = quad;
                [difference(first, right), difference(first, below)]
            }
        },
    };
    let [across, down] = ways.map(|way| square(request.fields, &way, texture));
    num::scale(-1, num::log(num::max(across, down)))
}

/// The square of a way's length in texels of level 0.
fn square(fields: &TexFields, way: &[u32], texture: &Texture) -> u32 {
    let distance = |axis: usize| match texture.dimension.is_scaled(fields, axis) {
        true => num::mul_ieee(way[axis], num::uint_to_float(texture.size[axis])),
        false => way[axis],
    };
    let squares = (0..texture.dimension.axes()).map(distance).map(|distance| num::mul_ieee(distance, distance));
    squares.reduce(num::add).unwrap_or(0)
}

/// The face that coordinates name.
pub(super) fn face(coordinates: &[u32; 4]) -> u32 {
    coordinate(num::rndne(coordinates[2])).clamp(0, 5) as u32
}

/// A level of detail between the limits of a sampler.
fn limited(level: u32, sampler: &Sampler) -> u32 {
    let [least, greatest, _] = sampler.levels();
    num::min(num::max(level, least), greatest)
}

/// The levels that a sampler takes at a level of detail.
pub(super) fn levels(level: u32, sampler: &Sampler, last: usize) -> Levels {
    let level = limited(level, sampler);
    let magnified = !num::greater(level, 0);
    let level = num::min(level, num::uint_to_float(last as u32));
    let integer = |level: u32| coordinate(level).clamp(0, last as i64) as usize;
    match sampler.mip {
        MipFilter::None => Levels { magnified, fine: 0, weight: None },
        MipFilter::Nearest => {
            // The integer nearest to it; of two, the lower one.
            let above = num::ceil(num::add(level, HALF));
            Levels { magnified, fine: integer(num::sub(above, ONE)), weight: None }
        }
        MipFilter::Linear => {
            let weight = weight(level, num::floor(level));
            Levels { magnified, fine: integer(level), weight: (weight != 0).then_some(weight) }
        }
    }
}

/// The weight, of 8 bits, of what is above an integer.
pub(super) fn weight(at: u32, floor: u32) -> u32 {
    let steps = num::float_to_int(num::mul_ieee(num::sub(at, floor), STEPS));
    num::scale(STEP, num::int_to_float(steps))
}

/// GET_LOD: the level of detail, and the level that is looked at.
pub(super) fn query(request: &Request, texture: &Texture) -> [u32; 4] {
    let op = SampleOp { level: LevelSource::Detail, compares: false };
    let level = level_of_detail(op, request, texture);
    let last = texture.levels() as u32 - 1;
    let limited = num::min(limited(level, request.sampler), num::uint_to_float(last));
    let taken = match request.sampler.mip {
        MipFilter::None => 0,
        MipFilter::Nearest => num::sub(num::ceil(num::add(limited, HALF)), ONE),
        MipFilter::Linear => limited,
    };
    [canonical(level), canonical(taken), 0, 0]
}
