//! Texture look-ups: levels, coordinates, filters and comparisons (R700 guide chapter 6), by the decisions of the
//! reference.

use super::machine::LiftState;
use super::specialisation::{SurfaceBinding, TextureLayout};
use crate::codes::{SampleOp, Select};
use crate::fetch::TexFields;
use crate::job::{Compare, Dimension, Filter, Sampler, Wrap};
use ctm_lane::{Denorm, FloatTest, IntTest, Round, Value};
use ctm_num::r700 as num;

const ONE: u32 = 0x3F80_0000;
const MINUS_ONE: u32 = 0xBF80_0000;
const MINUS_HALF: u32 = 0xBF00_0000;
/// 1/8 and 1/2 as powers of two.
const EIGHTH: i32 = -3;
const HALF: i32 = -1;

/// A look-up.
pub(super) struct Request<'a> {
    pub fields: &'a TexFields,
    /// x, y, z, w after the source selectors.
    pub coordinates: [Value; 4],
    /// Their differences from left to right and from top to bottom of the quad, if the level depends on that.
    pub gradients: Option<[[Value; 4]; 2]>,
    pub sampler: Sampler,
    /// The pixels that execute it.
    pub lanes: Value,
}

/// A level of a texture.
struct Level<'a> {
    texture: &'a TextureLayout,
    size: [u32; 3],
    surface: ctm_lane::Surface,
}

/// Where an axis of a sample takes texels: two with their weights, or one.
struct Axis {
    /// Texels.
    at: [Value; 2],
    /// The lanes in which they are inside the texture; none where they always are.
    inside: [Option<Value>; 2],
    /// Weight of the second; none without filter.
    weight: Option<Value>,
}

/// What the taps of a sample share.
struct Sample<'a> {
    request: &'a Request<'a>,
    level: &'a Level<'a>,
    axes: Vec<Axis>,
    slice: Value,
    reference: Option<Value>,
    lanes: Value,
}

impl<'a> LiftState<'a> {
    /// GET_TEXTURE_INFO. A texture that is not there reads as 0.
    pub fn texture_info(&mut self, request: &Request) -> [Value; 4] {
        match self.texture(request) {
            Some(texture) => self.info(request.coordinates[3], texture),
            None => [self.b.constant(0); 4],
        }
    }

    /// LD, of the level in w. A texture that is not there reads as 0.
    pub fn load_texel(&mut self, request: &Request) -> [Value; 4] {
        let Some(texture) = self.texture(request) else { return [self.b.constant(0); 4] };
        let level = Some(request.coordinates[3]);
        self.by_level(request, texture, level, |m, level, lanes| m.load_from(request, level, lanes))
    }

    /// A sample. A texture that is not there reads as 0.
    pub fn sample(&mut self, op: SampleOp, request: &Request) -> [Value; 4] {
        let [_, _, z, w] = request.coordinates;
        let (level, reference) = match op {
            SampleOp::Detail | SampleOp::Zero => (None, None),
            SampleOp::Level => (Some(w), None),
            SampleOp::Bias => {
                let bias = i32::from(request.fields.lod_bias_eighths()).cast_unsigned();
                let bias = self.b.constant(num::scale(EIGHTH, num::int_to_float(bias)));
                (Some(self.add_floats(w, bias)), None)
            }
            SampleOp::CompareDetail | SampleOp::CompareZero => (None, Some(w)),
            SampleOp::CompareLevel => (Some(w), Some(z)),
        };
        let Some(texture) = self.texture(request) else { return [self.b.constant(0); 4] };
        let level = match (request.gradients, level) {
            (Some(gradients), level) => {
                let of_detail = self.level_of_detail(request.fields, gradients, texture);
                Some(level.map_or(of_detail, |level| self.add_floats(of_detail, level)))
            }
            (None, level) => level,
        };
        let level = level.filter(|_| texture.levels.len() > 1).map(|level| {
            let nearest = self.round(Round::Even, level);
            let level = self.coordinate(nearest);
            self.clamped(level, texture.levels.len() as u32)
        });
        self.by_level(request, texture, level, |m, level, lanes| m.sample_from(request, level, reference, lanes))
    }

    fn texture(&self, request: &Request) -> Option<&'a TextureLayout> {
        let bindings = &self.specialisation.bindings[usize::from(request.fields.alt_const)];
        bindings.textures.get(&request.fields.resource_id)
    }

    /// What is looked up in the level of each lane; in the first one without levels.
    fn by_level(
        &mut self,
        request: &Request,
        texture: &TextureLayout,
        level: Option<Value>,
        look_up: impl Fn(&mut Self, &Level, Value) -> [Value; 4],
    ) -> [Value; 4] {
        let (alternate, number) = (request.fields.alt_const, request.fields.resource_id);
        let mut value = [self.b.constant(0); 4];
        for (k, layout) in texture.levels.iter().enumerate() {
            let lanes = match level {
                Some(level) => {
                    let k = self.b.constant(k as u32);
                    let these = self.b.icmp(IntTest::Eq, level, k);
                    self.b.mask_and(request.lanes, these)
                }
                None => request.lanes,
            };
            let surface = self.surface(SurfaceBinding::Texture { alternate, number, level: k }, layout);
            let level_of = Level { texture, size: texture.sizes[k], surface };
            let of_level = look_up(self, &level_of, lanes);
            if level.is_none() {
                return of_level;
            }
            value = std::array::from_fn(|channel| self.b.select(lanes, of_level[channel], value[channel]));
        }
        value
    }

    /// log2 of the longer of the distances in texels of level 0 that the quad's neighbours are apart.
    fn level_of_detail(&mut self, fields: &TexFields, gradients: [[Value; 4]; 2], texture: &TextureLayout) -> Value {
        let [across, down] = gradients.map(|gradient| {
            let squares = (0..texture.dimension.axes()).map(|axis| {
                let mut distance = gradient[axis];
                if texture.dimension.is_scaled(fields, axis) {
                    let size = self.b.constant(num::uint_to_float(texture.sizes[0][axis]));
                    distance = self.mul_ieee(distance, size);
                }
                self.mul_ieee(distance, distance)
            });
            let squares: Vec<Value> = squares.collect();
            squares.into_iter().reduce(|sum, square| self.add_floats(sum, square)).expect("every texture has an axis")
        });
        let longer = self.max(across, down);
        let logarithm = self.log(longer);
        self.scale(HALF, logarithm)
    }

    /// What the resource's own selectors make of a texel.
    fn swizzle(&mut self, texture: &TextureLayout, texel: [Value; 4]) -> [Value; 4] {
        texture.swizzle.map(|sel| match (sel.channel(), sel) {
            (Some(channel), _) => texel[channel as usize],
            (None, Select::One) => self.b.constant(ONE),
            (None, _) => self.b.constant(0),
        })
    }

    /// The texel at (x, y) of slice z.
    fn texel(&mut self, level: &Level, [x, y, z]: [Value; 3], lanes: Value) -> [Value; 4] {
        let row = match self.b.function.lane_constant(z) {
            Some(0) => y,
            _ => {
                let rows = self.b.constant(level.size[1]);
                let first = self.b.imul(z, rows);
                self.b.iadd(first, y)
            }
        };
        self.b.surface_load(level.surface, x, row, lanes)
    }

    /// LD: integer coordinates; 0 outside.
    fn load_from(&mut self, request: &Request, level: &Level, lanes: Value) -> [Value; 4] {
        let used = used_axes(level.texture.dimension);
        let zero = self.b.constant(0);
        let (mut place, mut lanes) = ([zero; 3], lanes);
        for axis in (0..3).filter(|&axis| used[axis]) {
            let at = request.coordinates[axis];
            let offset = i32::from(request.fields.offset_halves(axis) >> 1);
            let size = self.b.constant(level.size[axis]);
            place[axis] = at;
            if offset != 0 {
                let offset_value = self.b.constant(offset.cast_unsigned());
                place[axis] = self.b.iadd(at, offset_value);
                // Sums do not wrap: what overflows is outside.
                let edge = if offset > 0 { i32::MAX - offset } else { i32::MIN - offset };
                let edge = self.b.constant(edge.cast_unsigned());
                let test = if offset > 0 { IntTest::Sle } else { IntTest::Sge };
                let fits = self.b.icmp(test, at, edge);
                lanes = self.b.mask_and(lanes, fits);
            }
            let inside = self.b.icmp(IntTest::Ult, place[axis], size);
            lanes = self.b.mask_and(lanes, inside);
        }
        let texel = self.texel(level, place, lanes);
        let value = self.swizzle(level.texture, texel);
        // The resource's selectors may give a constant, but not outside.
        value.map(|value| self.b.select(lanes, value, zero))
    }

    /// GET_TEXTURE_INFO: the size of level w, and the number of levels. Levels that there are not have size 0.
    fn info(&mut self, level: Value, texture: &TextureLayout) -> [Value; 4] {
        let zero = self.b.constant(0);
        let mut size = [zero; 3];
        for (k, of_level) in texture.sizes.iter().enumerate() {
            let k = self.b.constant(k as u32);
            let these = self.b.icmp(IntTest::Eq, level, k);
            for (size, &of_level) in size.iter_mut().zip(of_level) {
                let of_level = self.b.constant(of_level);
                *size = self.b.select(these, of_level, *size);
            }
        }
        [size[0], size[1], size[2], self.b.constant(texture.levels.len() as u32)]
    }

    fn sample_from(&mut self, request: &Request, level: &Level, reference: Option<Value>, lanes: Value) -> [Value; 4] {
        let dimension = level.texture.dimension;
        let axes: Vec<Axis> =
            (0..dimension.axes()).map(|axis| self.axis(request, dimension, axis, level.size[axis])).collect();
        let slice = match dimension {
            Dimension::D1 | Dimension::D2 | Dimension::D3 => self.b.constant(0),
            Dimension::D1Array | Dimension::D2Array | Dimension::Cube => {
                let nearest = self.round(Round::Even, request.coordinates[2]);
                self.b.float_to_index(level.size[2], nearest)
            }
        };
        let sample = Sample { request, level, axes, slice, reference, lanes };
        let value = self.filtered(&sample, [0; 3], sample.axes.len());
        self.swizzle(level.texture, value)
    }

    /// The filtered value over the first `count` axes, the others fixed.
    fn filtered(&mut self, sample: &Sample, taps: [usize; 3], count: usize) -> [Value; 4] {
        let Some(axis) = count.checked_sub(1) else { return self.tap(sample, taps) };
        let first = self.filtered(sample, taps, axis);
        let Some(weight) = sample.axes[axis].weight else { return first };
        let mut taps = taps;
        taps[axis] = 1;
        let second = self.filtered(sample, taps, axis);
        let one = self.b.constant(ONE);
        let rest = self.sub_floats(one, weight);
        std::array::from_fn(|k| {
            let (first, second) = (self.mul_ieee(first[k], rest), self.mul_ieee(second[k], weight));
            self.add_floats(first, second)
        })
    }

    /// The texel, or its comparison, that these taps name.
    fn tap(&mut self, sample: &Sample, taps: [usize; 3]) -> [Value; 4] {
        let Sample { request, level, reference, lanes, .. } = *sample;
        let zero = self.b.constant(0);
        let mut place = [zero, zero, sample.slice];
        let mut inside: Option<Value> = None;
        for (k, (axis, tap)) in sample.axes.iter().zip(taps).enumerate() {
            place[k] = axis.at[tap];
            inside = match (inside, axis.inside[tap]) {
                (Some(a), Some(b)) => Some(self.b.mask_and(a, b)),
                (a, b) => a.or(b),
            };
        }
        let value = match inside {
            None => self.texel(level, place, lanes),
            Some(inside) => {
                let loaded = self.b.mask_and(lanes, inside);
                let texel = self.texel(level, place, loaded);
                let border = request.sampler.border.map(|channel| self.b.constant(channel));
                std::array::from_fn(|channel| self.b.select(inside, texel[channel], border[channel]))
            }
        };
        match reference {
            None => value,
            Some(reference) => {
                let holds = self.holds(request.sampler.compare, reference, value[0]);
                [self.float_of_mask(holds); 4]
            }
        }
    }

    /// floor(a) as a signed integer, saturated; 0 for NaN.
    fn coordinate(&mut self, a: Value) -> Value {
        let (coordinate, zero) = (self.b.float_to_coordinate(a), self.b.constant(0));
        let is_number = self.b.fcmp(FloatTest::Ord, Denorm::Flush, a, a);
        self.b.select(is_number, coordinate, zero)
    }

    /// A signed integer clamped to 0..=size-1.
    fn clamped(&mut self, at: Value, size: u32) -> Value {
        let (zero, last) = (self.b.constant(0), self.b.constant(size.saturating_sub(1)));
        let at = self.b.smax(at, zero);
        self.b.smin(at, last)
    }

    /// Where the sample lies on an axis.
    fn axis(&mut self, request: &Request, dimension: Dimension, axis: usize, size: u32) -> Axis {
        let mut at = request.coordinates[axis];
        if dimension == Dimension::Cube {
            let minus_one = self.b.constant(MINUS_ONE);
            at = self.add_floats(at, minus_one);
        }
        if dimension.is_scaled(request.fields, axis) {
            let size = self.b.constant(num::uint_to_float(size));
            at = self.mul_ieee(at, size);
        }
        let halves = i32::from(request.fields.offset_halves(axis));
        if halves != 0 {
            let offset = num::scale(HALF, num::int_to_float(halves.cast_unsigned()));
            let offset = self.b.constant(offset);
            at = self.add_floats(at, offset);
        }
        let wrap = if dimension == Dimension::Cube { Wrap::Clamp } else { request.sampler.wrap[axis] };
        match request.sampler.filter {
            Filter::Nearest if wrap == Wrap::Clamp => {
                let at = self.b.float_to_index(size, at);
                Axis { at: [at; 2], inside: [None; 2], weight: None }
            }
            Filter::Nearest => {
                let at = self.coordinate(at);
                let (at, inside) = self.wrapped(wrap, at, size);
                Axis { at: [at; 2], inside: [inside; 2], weight: None }
            }
            Filter::Linear => {
                let minus_half = self.b.constant(MINUS_HALF);
                let at = self.add_floats(at, minus_half);
                let first = self.coordinate(at);
                let (one, most) = (self.b.constant(1), self.b.constant(i32::MAX as u32));
                let next = self.b.iadd(first, one);
                let is_last = self.b.icmp(IntTest::Eq, first, most);
                let second = self.b.select(is_last, most, next);
                let (first, first_inside) = self.wrapped(wrap, first, size);
                let (second, second_inside) = self.wrapped(wrap, second, size);
                let weight = Some(self.fract(at));
                Axis { at: [first, second], inside: [first_inside, second_inside], weight }
            }
        }
    }

    /// The texel that a coordinate means, and the lanes in which it is none of the border.
    fn wrapped(&mut self, wrap: Wrap, at: Value, size: u32) -> (Value, Option<Value>) {
        match wrap {
            Wrap::Repeat => (self.repeated(at, size), None),
            Wrap::Mirror => {
                let at = self.repeated(at, 2 * size);
                let last = self.b.constant(2 * size - 1);
                let mirrored = self.b.isub(last, at);
                (self.b.smin(at, mirrored), None)
            }
            Wrap::Clamp => (self.clamped(at, size), None),
            Wrap::Border => {
                let size = self.b.constant(size);
                (at, Some(self.b.icmp(IntTest::Ult, at, size)))
            }
        }
    }

    /// A signed integer modulo a size, at least 0.
    fn repeated(&mut self, at: Value, size: u32) -> Value {
        let last = self.b.constant(size - 1);
        if size.is_power_of_two() {
            return self.b.and(at, last);
        }
        let (zero, ones, size) = (self.b.constant(0), self.b.constant(u32::MAX), self.b.constant(size));
        let is_negative = self.b.icmp(IntTest::Slt, at, zero);
        let flipped = self.b.xor(at, ones);
        // Below 0 the texels count backwards from -1.
        let distance = self.b.select(is_negative, flipped, at);
        let passes = self.b.udiv(distance, size);
        let whole = self.b.imul(passes, size);
        let rest = self.b.isub(distance, whole);
        let backwards = self.b.isub(last, rest);
        self.b.select(is_negative, backwards, rest)
    }

    /// The comparison of the reference (left) with a texel.
    fn holds(&mut self, compare: Compare, reference: Value, texel: Value) -> Value {
        let test = match compare {
            Compare::Never => return self.b.mask_constant(false),
            Compare::Always => return self.b.mask_constant(true),
            Compare::Less => FloatTest::Olt,
            Compare::Equal => FloatTest::Oeq,
            Compare::LessEqual => FloatTest::Ole,
            Compare::Greater => FloatTest::Ogt,
            Compare::NotEqual => FloatTest::Une,
            Compare::GreaterEqual => FloatTest::Oge,
        };
        self.b.fcmp(test, Denorm::Flush, reference, texel)
    }
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
