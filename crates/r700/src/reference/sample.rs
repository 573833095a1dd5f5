//! Texture look-ups: levels, coordinates, filters and comparisons (R700 guide chapter 6).
//!
//! Decisions where the guide leaves the choice to the host: a sample without a level of its own takes level 0, or with
//! [`Job::quad_derivatives`](crate::Job::quad_derivatives) the level of detail that the quad's differences have; a level is
//! the integer nearest to the level of detail; slices and faces are the integer nearest to their coordinate; weights and
//! sums of the linear filter are rounded like every other operation, x first, then y, then z.

use super::machine::BoundTexture;
use crate::codes::{SampleOp, Select};
use crate::fetch::TexFields;
use crate::job::{Compare, Dimension, Filter, Sampler, Texture, Wrap};
use ctm_num::convert::float_to_coordinate;
use ctm_num::r700 as num;

const ONE: u32 = 0x3F80_0000;
const MINUS_ONE: u32 = 0xBF80_0000;
const MINUS_HALF: u32 = 0xBF00_0000;
const HALF: u32 = 0x3F00_0000;
/// 1/8 as a power of two.
const EIGHTH: i32 = -3;

/// A look-up of one pixel.
pub(super) struct Request<'a> {
    pub fields: &'a TexFields,
    /// x, y, z, w after the source selectors.
    pub coordinates: [u32; 4],
    /// What the coordinates have more on the right than on the left, and at the bottom than at the top of the quad, if
    /// levels depend on that.
    pub gradients: Option<[[u32; 4]; 2]>,
    pub sampler: Sampler,
}

/// LD: a texel by integer coordinates. A texture that is not there reads as 0.
pub(super) fn execute_load(request: &Request, texture: Option<&BoundTexture>) -> [u32; 4] {
    texture.map_or([0; 4], |texture| load(request, texture))
}

/// GET_TEXTURE_INFO, as [`execute_load`].
pub(super) fn execute_info(request: &Request, texture: Option<&BoundTexture>) -> [u32; 4] {
    texture.map_or([0; 4], |texture| info(request, texture))
}

/// A sample, as [`execute_load`].
pub(super) fn execute_sample(op: SampleOp, request: &Request, texture: Option<&BoundTexture>) -> [u32; 4] {
    let Some(texture) = texture else { return [0; 4] };
    let [_, _, z, w] = request.coordinates;
    let bias = num::scale(EIGHTH, num::int_to_float(i32::from(request.fields.lod_bias_eighths()).cast_unsigned()));
    let (level, reference) = match op {
        SampleOp::Detail | SampleOp::Zero => (0, None),
        SampleOp::Level => (w, None),
        SampleOp::Bias => (num::add(w, bias), None),
        SampleOp::CompareDetail | SampleOp::CompareZero => (0, Some(w)),
        SampleOp::CompareLevel => (w, Some(z)),
    };
    let level = match request.gradients.filter(|_| op.takes_level_of_detail()) {
        Some(gradients) => num::add(level_of_detail(request.fields, gradients, texture.texture), level),
        None => level,
    };
    sample(request, texture, level, reference)
}

/// log2 of the longer of the distances in texels of level 0 that the quad's neighbours are apart.
fn level_of_detail(fields: &TexFields, gradients: [[u32; 4]; 2], texture: &Texture) -> u32 {
    let [across, down] = gradients.map(|gradient| {
        let distance = |axis: usize| match texture.dimension.is_scaled(fields, axis) {
            true => num::mul_ieee(gradient[axis], num::uint_to_float(texture.size[axis])),
            false => gradient[axis],
        };
        let squares = (0..texture.dimension.axes()).map(distance).map(|distance| num::mul_ieee(distance, distance));
        squares.reduce(num::add).unwrap_or(0)
    });
    num::scale(-1, num::log(num::max(across, down)))
}

/// What the resource's own selectors make of a texel.
fn swizzle(texture: &BoundTexture, texel: [u32; 4]) -> [u32; 4] {
    texture.texture.swizzle.map(|sel| match (sel.channel(), sel) {
        (Some(channel), _) => texel[channel as usize],
        (None, Select::One) => ONE,
        (None, _) => 0,
    })
}

/// The texel at (x, y) of a slice of a level.
fn texel(texture: &BoundTexture, level: usize, [x, y, z]: [i64; 3]) -> [u32; 4] {
    let rows = i64::from(texture.texture.level_size(level)[1]);
    texture.levels[level].load(x, z * rows + y)
}

/// LD: integer coordinates, w is the level; 0 outside.
fn load(request: &Request, texture: &BoundTexture) -> [u32; 4] {
    let signed = |at: usize| i64::from(request.coordinates[at].cast_signed());
    let Some(level) = usize::try_from(signed(3)).ok().filter(|&level| level < texture.levels.len()) else {
        return [0; 4];
    };
    let size = texture.texture.level_size(level);
    let used = used_axes(texture.texture.dimension);
    let place: [i64; 3] = std::array::from_fn(|axis| match used[axis] {
        true => signed(axis) + i64::from(request.fields.offset_halves(axis) >> 1),
        false => 0,
    });
    let inside = place.iter().zip(size).all(|(&at, size)| (0..i64::from(size)).contains(&at));
    if inside { swizzle(texture, texel(texture, level, place)) } else { [0; 4] }
}

/// The axes that a coordinate belongs to; slices count.
fn used_axes(dimension: Dimension) -> [bool; 3] {
    match dimension {
        Dimension::D1 => [true, false, false],
        Dimension::D2 => [true, true, false],
        Dimension::D1Array => [true, false, true],
        Dimension::D3 | Dimension::D2Array | Dimension::Cube => [true, true, true],
    }
}

/// GET_TEXTURE_INFO: the size of level w, and the number of levels. Levels that there are not have size 0.
fn info(request: &Request, texture: &BoundTexture) -> [u32; 4] {
    let level = request.coordinates[3] as usize;
    let size = if level < texture.levels.len() { texture.texture.level_size(level) } else { [0; 3] };
    [size[0], size[1], size[2], texture.levels.len() as u32]
}

/// Where an axis of a sample takes texels: two with their weights, or one.
struct Axis {
    /// Texels inside the texture; none for the border.
    at: [Option<i64>; 2],
    /// Weight of the second; none without filter.
    weight: Option<u32>,
}

fn sample(request: &Request, texture: &BoundTexture, level: u32, reference: Option<u32>) -> [u32; 4] {
    let dimension = texture.texture.dimension;
    let last_level = texture.levels.len() as i64 - 1;
    let level = coordinate(num::rndne(level)).clamp(0, last_level) as usize;
    let size = texture.texture.level_size(level);
    let axes: Vec<Axis> = (0..dimension.axes()).map(|axis| place(request, dimension, axis, size[axis])).collect();
    let slice = match dimension {
        Dimension::D1 | Dimension::D2 | Dimension::D3 => 0,
        Dimension::D1Array | Dimension::D2Array | Dimension::Cube => {
            let slice = coordinate(num::rndne(request.coordinates[2]));
            slice.clamp(0, i64::from(size[2]) - 1)
        }
    };
    let tap = |taps: [usize; 3]| -> [u32; 4] {
        let mut place = [0, 0, slice];
        let mut inside = true;
        for (axis, taps) in axes.iter().zip(taps).enumerate().map(|(k, (axis, tap))| (k, axis.at[tap])) {
            inside &= taps.is_some();
            place[axis] = taps.unwrap_or(0);
        }
        let value = if inside { texel(texture, level, place) } else { request.sampler.border };
        match reference {
            None => value,
            Some(reference) => [if holds(request.sampler.compare, reference, value[0]) { ONE } else { 0 }; 4],
        }
    };
    swizzle(texture, filter(&axes, [0; 3], axes.len(), &tap))
}

/// The filtered value over the first `count` axes, the others fixed.
fn filter(axes: &[Axis], taps: [usize; 3], count: usize, tap: &dyn Fn([usize; 3]) -> [u32; 4]) -> [u32; 4] {
    let Some(axis) = count.checked_sub(1) else { return tap(taps) };
    let side = |which: usize| {
        let mut taps = taps;
        taps[axis] = which;
        filter(axes, taps, axis, tap)
    };
    let first = side(0);
    let Some(weight) = axes[axis].weight else { return first };
    let second = side(1);
    let rest = num::sub(ONE, weight);
    std::array::from_fn(|k| num::add(num::mul_ieee(first[k], rest), num::mul_ieee(second[k], weight)))
}

/// The integer at or below a coordinate, saturated at 32 bits; 0 for NaN.
fn coordinate(at: u32) -> i64 {
    float_to_coordinate(at).unwrap_or(0).clamp(i32::MIN.into(), i32::MAX.into())
}

/// Where the sample lies on an axis.
fn place(request: &Request, dimension: Dimension, axis: usize, size: u32) -> Axis {
    let mut at = request.coordinates[axis];
    if dimension == Dimension::Cube {
        at = num::add(at, MINUS_ONE);
    }
    if dimension.is_scaled(request.fields, axis) {
        at = num::mul_ieee(at, num::uint_to_float(size));
    }
    let halves = i32::from(request.fields.offset_halves(axis));
    if halves != 0 {
        at = num::add(at, num::mul_ieee(num::int_to_float(halves.cast_unsigned()), HALF));
    }
    let wrap = if dimension == Dimension::Cube { Wrap::Clamp } else { request.sampler.wrap[axis] };
    let texel = |at: i64| wrapped(wrap, at, size.into());
    match request.sampler.filter {
        Filter::Nearest => {
            let at = texel(coordinate(at));
            Axis { at: [at; 2], weight: None }
        }
        Filter::Linear => {
            let at = num::add(at, MINUS_HALF);
            let first = coordinate(at);
            Axis { at: [texel(first), texel((first + 1).min(i32::MAX.into()))], weight: Some(num::fract(at)) }
        }
    }
}

/// The texel that a coordinate means; none for the border.
fn wrapped(wrap: Wrap, at: i64, size: i64) -> Option<i64> {
    match wrap {
        Wrap::Repeat => Some(at.rem_euclid(size)),
        Wrap::Mirror => {
            let at = at.rem_euclid(2 * size);
            Some(at.min(2 * size - 1 - at))
        }
        Wrap::Clamp => Some(at.clamp(0, size - 1)),
        Wrap::Border => (0..size).contains(&at).then_some(at),
    }
}

/// The comparison of the reference (left) with a texel.
fn holds(compare: Compare, reference: u32, texel: u32) -> bool {
    match compare {
        Compare::Never => false,
        Compare::Less => num::greater(texel, reference),
        Compare::Equal => num::equal(reference, texel),
        Compare::LessEqual => num::greater_equal(texel, reference),
        Compare::Greater => num::greater(reference, texel),
        Compare::NotEqual => num::not_equal(reference, texel),
        Compare::GreaterEqual => num::greater_equal(reference, texel),
        Compare::Always => true,
    }
}
