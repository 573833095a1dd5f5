//! Texture look-ups: coordinates, filters and comparisons (R700 guide chapter 6).
//!
//! Decision R24, where the guide leaves the choice to the host: a sample without a level of its own takes level 0, or with
//! [`Job::quad_derivatives`](crate::Job::quad_derivatives) the level of detail that the differences of the quad's upper left pixel to its
//! neighbours have; slices and faces are the integer nearest to their coordinate; weights have 8 bits; sums of filters are rounded like
//! every other operation, x first, then y, then z, then levels, and a NaN that they give has the machine's own bits.

use super::cube;
use super::level::{Change, face, level_of_detail, levels, query, weight};
use super::machine::BoundTexture;
use crate::codes::{LevelSource, SampleOp, Select};
use crate::fetch::TexFields;
use crate::resource::{Compare, Dimension, Filter, MipFilter, Sampler, TexelNumbers, Wrap};
use ctm_num::convert::float_to_coordinate;
use ctm_num::r700 as num;

const ONE: u32 = 0x3F80_0000;
const TWO: u32 = 0x4000_0000;
const MINUS_ONE: u32 = 0xBF80_0000;
const MINUS_HALF: u32 = 0xBF00_0000;
const HALF: u32 = 0x3F00_0000;
const SIGN: u32 = 1 << 31;

/// A look-up of one pixel.
pub(super) struct Request<'a> {
    pub fields: &'a TexFields,
    /// x, y, z, w after the source selectors.
    pub coordinates: [u32; 4],
    /// How they change from pixel to pixel, if levels depend on that.
    pub change: Option<Change>,
    pub sampler: &'a Sampler,
}

/// LD: a texel by integer coordinates. A texture that is not there reads as 0.
pub(super) fn execute_load(request: &Request, texture: Option<&BoundTexture>) -> [u32; 4] {
    texture.map_or([0; 4], |texture| load(request, texture))
}

/// GET_TEXTURE_INFO, as [`execute_load`].
pub(super) fn execute_info(request: &Request, texture: Option<&BoundTexture>) -> [u32; 4] {
    texture.map_or([0; 4], |texture| info(request, texture))
}

/// GET_SAMPLE_INFO: the number of samples, in w, where Mesa's driver takes it from; as [`execute_load`].
pub(super) fn execute_samples(texture: Option<&BoundTexture>) -> [u32; 4] {
    texture.map_or([0; 4], |texture| [0, 0, 0, texture.texture.samples()])
}

/// GET_COMP_TEX_LOD, as [`execute_load`].
pub(super) fn execute_level(request: &Request, texture: Option<&BoundTexture>) -> [u32; 4] {
    texture.map_or([0; 4], |texture| query(request, texture.texture))
}

/// A sample, as [`execute_load`].
pub(super) fn execute_sample(op: SampleOp, request: &Request, texture: Option<&BoundTexture>) -> [u32; 4] {
    let Some(texture) = texture else { return [0; 4] };
    let [_, _, z, w] = request.coordinates;
    let is_cube = texture.texture.dimension == Dimension::Cube;
    let reference = op.compares.then_some(if op.has_level_in_w() && !is_cube { z } else { w });
    let clamps = texture.texture.numbers == TexelNumbers::Fraction;
    let look_up = LookUp {
        request,
        texture,
        reference: reference.map(|reference| if clamps { num::clamp(true, reference) } else { reference }),
        slice: slice(op, request, texture),
    };
    look_up.sample(op)
}

/// FETCH4, as [`execute_load`]. Level 0 counts, whatever the sampler says of levels and filters.
pub(super) fn execute_gather(request: &Request, texture: Option<&BoundTexture>) -> [u32; 4] {
    let Some(texture) = texture else { return [0; 4] };
    let slice = slice(SampleOp::of(LevelSource::Zero, false), request, texture);
    LookUp { request, texture, reference: None, slice }.gather()
}

/// What the resource's own selectors make of a texel.
fn swizzle(texture: &BoundTexture, texel: [u32; 4]) -> [u32; 4] {
    let one = if texture.texture.numbers == TexelNumbers::Integer { 1 } else { ONE };
    texture.texture.swizzle.map(|sel| match (sel.channel(), sel) {
        (Some(channel), _) => texel[channel as usize],
        (None, Select::One) => one,
        (None, _) => 0,
    })
}

/// LD: integer coordinates, w is the level, or the sample of textures that have several; 0 outside, before selectors.
fn load(request: &Request, texture: &BoundTexture) -> [u32; 4] {
    let signed = |at: usize| i64::from(request.coordinates[at].cast_signed());
    let (levels, samples) = (texture.texture.levels(), texture.texture.samples());
    let count = if samples > 1 { samples as usize } else { levels };
    let number = usize::try_from(signed(3)).ok().filter(|&number| number < count);
    let place = number.and_then(|number| {
        let (level, sample) = if samples > 1 { (0, number) } else { (number, 0) };
        let size = texture.texture.level_size(level);
        let used = used_axes(texture.texture.dimension);
        let place: [i64; 3] = std::array::from_fn(|axis| match used[axis] {
            true => signed(axis) + i64::from(request.fields.offset_halves(axis) >> 1),
            false => 0,
        });
        let inside = place.iter().zip(size).all(|(&at, size)| (0..i64::from(size)).contains(&at));
        inside.then_some((level, place, sample as u32))
    });
    swizzle(texture, place.map_or([0; 4], |(level, place, sample)| texture.texel(level, place, sample)))
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

/// GET_TEXTURE_INFO: the size of level x, and the number of levels. Levels that there are not have size 0. Layers of one dimension are in y, as
/// drivers read no other components than a size has.
fn info(request: &Request, texture: &BoundTexture) -> [u32; 4] {
    let (level, levels) = (request.coordinates[0] as usize, texture.texture.levels());
    let size = if level < levels { texture.texture.level_size(level) } else { [0; 3] };
    let [x, y, z] = match texture.texture.dimension {
        Dimension::D1Array => [size[0], size[2], size[1]],
        Dimension::D1 | Dimension::D2 | Dimension::D3 | Dimension::D2Array | Dimension::Cube => size,
    };
    [x, y, z, levels as u32]
}

/// The slice that a sample takes; that of a face.
fn slice(op: SampleOp, request: &Request, texture: &BoundTexture) -> i64 {
    let axis = match texture.texture.dimension {
        Dimension::D1 | Dimension::D2 | Dimension::D3 => return 0,
        Dimension::Cube => return face(&request.coordinates).into(),
        // z is the reference there.
        Dimension::D1Array if op.compares && op.has_level_in_w() => 1,
        Dimension::D1Array | Dimension::D2Array => 2,
    };
    let slice = coordinate(num::rndne(request.coordinates[axis]));
    slice.clamp(0, i64::from(texture.texture.size[2]) - 1)
}

/// The integer at or below a coordinate, saturated at 32 bits; 0 for NaN.
pub(super) fn coordinate(at: u32) -> i64 {
    float_to_coordinate(at).unwrap_or(0).clamp(i32::MIN.into(), i32::MAX.into())
}

/// Where an axis of a sample takes texels: two with their weights, or one.
#[derive(Clone, Copy, Default)]
struct Axis {
    /// Texels inside the texture; none for the border. Those of seamless cubes may be one beyond the edge.
    at: [Option<i64>; 2],
    /// Weight of the second; none without filter.
    weight: Option<u32>,
}

/// A sample of one pixel.
struct LookUp<'a> {
    request: &'a Request<'a>,
    texture: &'a BoundTexture<'a>,
    reference: Option<u32>,
    slice: i64,
}

impl LookUp<'_> {
    fn sample(&self, op: SampleOp) -> [u32; 4] {
        let (sampler, texture) = (self.request.sampler, self.texture.texture);
        let is_integer = texture.numbers == TexelNumbers::Integer;
        let [magnification, minification] = [sampler.magnification, sampler.minification]
            .map(|filter| if is_integer { Filter::Nearest } else { filter });
        let last = texture.levels() - 1;
        let has_levels = last > 0 && sampler.mip != MipFilter::None;
        let needs_level = has_levels || magnification != minification;
        let detail = if needs_level { level_of_detail(op, self.request, texture) } else { 0 };
        let levels = levels(detail, sampler, last);
        let filter = if levels.magnified { magnification } else { minification };
        let fine = self.level(levels.fine, filter);
        match levels.weight {
            Some(weight) if !is_integer => mix(fine, self.level(levels.fine + 1, filter), weight).map(canonical),
            Some(_) | None => fine,
        }
    }

    /// The first channel of the four texels that a linear filter takes: lower right, upper right, lower left, upper left, where x goes to the
    /// right and y down.
    fn gather(&self) -> [u32; 4] {
        let texture = self.texture.texture;
        let (size, count) = (texture.level_size(0), texture.dimension.axes());
        let axes: [Axis; 3] = std::array::from_fn(|axis| match axis {
            _ if axis >= count => Axis::default(),
            0 | 1 => self.axis(axis, size[axis], Filter::Linear),
            _ => self.axis(axis, size[axis], Filter::Nearest),
        });
        [[1, 1], [1, 0], [0, 1], [0, 0]].map(|[x, y]| self.tap(0, &axes[..count], [x, y, 0])[0])
    }

    fn level(&self, level: usize, filter: Filter) -> [u32; 4] {
        let texture = self.texture.texture;
        let (size, count) = (texture.level_size(level), texture.dimension.axes());
        let mut axes = [Axis::default(); 3];
        for (axis, place) in axes.iter_mut().enumerate().take(count) {
            *place = self.axis(axis, size[axis], filter);
        }
        let value = self.filtered(level, &axes[..count], [0; 3], count);
        match filter {
            Filter::Nearest => value,
            Filter::Linear => value.map(canonical),
        }
    }

    /// The filtered value over the first `count` axes, the others fixed.
    fn filtered(&self, level: usize, axes: &[Axis], taps: [usize; 3], count: usize) -> [u32; 4] {
        let Some(axis) = count.checked_sub(1) else { return self.tap(level, axes, taps) };
        let side = |which: usize| {
            let mut taps = taps;
            taps[axis] = which;
            self.filtered(level, axes, taps, axis)
        };
        match axes[axis].weight {
            Some(weight) => mix(side(0), side(1), weight),
            None => side(0),
        }
    }

    /// The texel, or its comparison, that these taps name, by the resource's selectors; the border's colour is not affected by these.
    fn tap(&self, level: usize, axes: &[Axis], taps: [usize; 3]) -> [u32; 4] {
        let texture = self.texture.texture;
        let mut place = [0, 0, self.slice];
        let mut inside = true;
        for (place, (axis, tap)) in place.iter_mut().zip(axes.iter().zip(taps)) {
            let at = axis.at[tap];
            inside &= at.is_some();
            *place = at.unwrap_or(0);
        }
        if texture.dimension == Dimension::Cube {
            let [x, y, face] = place;
            let size = texture.level_size(level)[0].into();
            let (face, [x, y]) = cube::across_edge(face as u32, [x, y], size);
            place = [x, y, face.into()];
        }
        let value = if inside { self.texture.texel(level, place, 0) } else { self.request.sampler.border };
        match self.reference {
            None if inside => swizzle(self.texture, value),
            None => value,
            Some(reference) => {
                let clamps = texture.numbers == TexelNumbers::Fraction;
                let texel = if clamps { num::clamp(true, value[0]) } else { value[0] };
                let result = if holds(self.request.sampler.compare, reference, texel) { ONE } else { 0 };
                swizzle(self.texture, [result; 4])
            }
        }
    }

    /// Where the sample lies on an axis of a level with so many texels there.
    fn axis(&self, axis: usize, size: u32, filter: Filter) -> Axis {
        let Request { fields, coordinates, sampler, .. } = self.request;
        let dimension = self.texture.texture.dimension;
        let is_cube = dimension == Dimension::Cube;
        let wrap = if is_cube { Wrap::Clamp } else { sampler.wrap[axis] };
        let halves = i32::from(fields.offset_halves(axis));
        let is_scaled = dimension.is_scaled(fields, axis);
        let width = num::uint_to_float(size);
        let mut at = coordinates[axis];
        if is_cube {
            at = num::add(at, MINUS_ONE);
        }
        // Parts of the texture repeat before they become texels, of which there may be too many for a float.
        let folds = is_scaled && halves == 0;
        if folds {
            at = folded(wrap, at);
        }
        if is_scaled {
            at = num::mul_ieee(at, width);
        }
        if halves != 0 {
            at = num::add(at, num::mul_ieee(num::int_to_float(halves.cast_unsigned()), HALF));
        }
        if wrap.is_mirrored_once() {
            at &= !SIGN;
        }
        if wrap.is_half_border() {
            at = num::min(num::max(at, 0), width);
        }
        let is_seamless = is_cube && sampler.seamless;
        let texel = |at: i64| match is_seamless {
            true => Some(at.clamp(-1, size.into())),
            false => wrapped(wrap, at, size.into(), filter),
        };
        match filter {
            Filter::Nearest => {
                let at = wrapped(wrap, coordinate(at), size.into(), filter);
                Axis { at: [at; 2], weight: None }
            }
            Filter::Linear => {
                let at = num::add(at, MINUS_HALF);
                let first = coordinate(at);
                let second = (first + 1).min(i32::MAX.into());
                Axis { at: [texel(first), texel(second)], weight: Some(weight(at, num::floor(at))) }
            }
        }
    }
}

/// (1 - weight) * a + weight * b.
fn mix(a: [u32; 4], b: [u32; 4], weight: u32) -> [u32; 4] {
    let rest = num::sub(ONE, weight);
    std::array::from_fn(|k| num::add(num::mul_ieee(a[k], rest), num::mul_ieee(b[k], weight)))
}

/// A computed number: every NaN becomes the machine's own.
pub(super) fn canonical(value: u32) -> u32 {
    if f32::from_bits(value).is_nan() { num::R700_NAN } else { value }
}

/// A coordinate, as a part of the texture's size, inside of the first copy of a texture that repeats.
fn folded(wrap: Wrap, at: u32) -> u32 {
    match wrap {
        Wrap::Repeat => num::fract(at),
        Wrap::Mirror => {
            let pairs = num::floor(num::mul_ieee(at, HALF));
            let within = num::sub(at, num::add(pairs, pairs));
            if num::greater(within, ONE) { num::sub(TWO, within) } else { within }
        }
        Wrap::Clamp
        | Wrap::MirrorOnce
        | Wrap::HalfBorder
        | Wrap::MirrorOnceHalfBorder
        | Wrap::Border
        | Wrap::MirrorOnceBorder => at,
    }
}

/// The texel that a coordinate means; none for the border.
fn wrapped(wrap: Wrap, at: i64, size: i64, filter: Filter) -> Option<i64> {
    let inside = (0..size).contains(&at).then_some(at);
    let edge = Some(at.clamp(0, size - 1));
    match (wrap, filter) {
        (Wrap::Repeat, _) => Some(at.rem_euclid(size)),
        (Wrap::Mirror, _) => {
            let at = at.rem_euclid(2 * size);
            Some(at.min(2 * size - 1 - at))
        }
        (Wrap::Clamp | Wrap::MirrorOnce, _) => edge,
        (Wrap::HalfBorder | Wrap::MirrorOnceHalfBorder, Filter::Nearest) => edge,
        (Wrap::HalfBorder | Wrap::MirrorOnceHalfBorder, Filter::Linear) => inside,
        (Wrap::Border | Wrap::MirrorOnceBorder, _) => inside,
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
