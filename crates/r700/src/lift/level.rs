//! Levels of detail, as the reference has them (`reference/level.rs`). What is a NaN here becomes a level or a weight, so that its bits do not
//! matter.

use super::machine::LiftState;
use super::sample::Request;
use super::specialisation::{
    FLOAT_SIZES, GREATEST_LEVEL, LAST_LEVEL, LEAST_LEVEL, LEVEL_BIAS, SAMPLER_ENTRIES, TEXTURE_ENTRIES, TableBinding,
    TexelLayout, TextureLayout,
};
use crate::codes::LevelSource;
use crate::resource::{Dimension, MipFilter};
use ctm_lane::{Bits, Denorm, FloatTest, Round, Value, Zero};
use ctm_num::r700 as num;

const ONE: u32 = 0x3F80_0000;
const HALF: u32 = 0x3F00_0000;
const MINUS_THREE: u32 = 0xC040_0000;
const STEPS: u32 = 0x4380_0000;
const STEP: i32 = -8;
/// 1/8 and 1/2 as powers of two.
const EIGHTH: i32 = -3;
const ROOT: i32 = -1;

/// How coordinates change from pixel to pixel.
pub(super) enum Change {
    /// By the differences across the quad.
    Quad,
    /// By these.
    Given([[Value; 4]; 2]),
}

/// The levels of a sample.
pub(super) struct Levels {
    /// Where texels are larger than pixels.
    pub magnified: Value,
    /// The level; the finer one of two. None: level 0.
    pub fine: Option<Value>,
    /// Weight of the level after it, if that is looked at.
    pub weight: Option<Value>,
}

impl LiftState<'_> {
    /// A product of two numbers.
    pub(super) fn product(&mut self, a: Value, b: Value) -> Value {
        self.b.fmul(Denorm::Flush, Zero::Ieee, a, b)
    }

    fn float_sum(&mut self, a: Value, b: Value) -> Value {
        self.b.fadd(Denorm::Flush, a, b)
    }

    /// A number of the request's texture.
    pub(super) fn texture_entry(&mut self, request: &Request, entry: u32) -> Value {
        let (alternate, number) = (request.fields.alt_const, request.fields.resource_id);
        let table = self.table(TableBinding::Texture { alternate, number }, TEXTURE_ENTRIES, false);
        self.b.table_splat(table, entry)
    }

    /// A number of the request's sampler.
    pub(super) fn sampler_entry(&mut self, request: &Request, entry: u32) -> Value {
        let (alternate, number) = (request.fields.alt_const, request.fields.sampler_id);
        let table = self.table(TableBinding::Sampler { alternate, number }, SAMPLER_ENTRIES, false);
        self.b.table_splat(table, entry)
    }

    /// The size of level 0 on an axis, as a float.
    fn float_size(&mut self, request: &Request, texture: &TextureLayout, axis: usize) -> Value {
        match &texture.texels {
            TexelLayout::Surfaces { sizes, .. } => self.b.constant(num::uint_to_float(sizes[0][axis])),
            TexelLayout::Vectors { .. } => self.texture_entry(request, FLOAT_SIZES + axis as u32),
        }
    }

    /// The last level, as a float.
    fn last_level(&mut self, request: &Request, texture: &TextureLayout) -> Value {
        match &texture.texels {
            TexelLayout::Surfaces { levels, .. } => self.b.constant(num::uint_to_float(levels.len() as u32 - 1)),
            TexelLayout::Vectors { .. } => self.texture_entry(request, LAST_LEVEL),
        }
    }

    /// The level of detail with all biases, before limits.
    pub(super) fn level_of_detail(&mut self, from: LevelSource, request: &Request, texture: &TextureLayout) -> Value {
        let w = request.coordinates[3];
        let found = match &request.change {
            Some(change) => self.of_change(request, change, texture),
            None => self.b.constant(0),
        };
        let level = match from {
            LevelSource::Detail | LevelSource::Gradients => found,
            LevelSource::Given => w,
            LevelSource::Biased | LevelSource::BiasedGradients => {
                let eighths = i32::from(request.fields.lod_bias_eighths()).cast_unsigned();
                let bias = self.b.constant(num::scale(EIGHTH, num::int_to_float(eighths)));
                let bias = self.float_sum(w, bias);
                self.float_sum(found, bias)
            }
            LevelSource::Zero => self.b.constant(0),
        };
        let bias = self.sampler_entry(request, LEVEL_BIAS);
        self.float_sum(level, bias)
    }

    /// log2 of the longer of the ways in texels of level 0 that coordinates make from pixel to pixel.
    fn of_change(&mut self, request: &Request, change: &Change, texture: &TextureLayout) -> Value {
        let ways: [Vec<Value>; 2] = match change {
            Change::Given(ways) => ways.map(|way| way.to_vec()),
            Change::Quad => {
                let quad: [Vec<Value>; 3] = match texture.dimension {
                    Dimension::Cube => self.on_own_face(request),
                    Dimension::D1 | Dimension::D2 | Dimension::D3 | Dimension::D1Array | Dimension::D2Array => {
                        let used = &request.coordinates[..texture.dimension.axes()];
                        [0, 1, 2].map(|lane| used.iter().map(|&value| self.of_pixel(value, lane)).collect())
                    }
                };
                let [first, right, below] = quad;
                [right, below]
                    .map(|to| to.iter().zip(&first).map(|(&to, &from)| self.b.fsub(Denorm::Flush, to, from)).collect())
            }
        };
        let [across, down] = ways.map(|way| {
            let squares: Vec<Value> = (0..texture.dimension.axes())
                .map(|axis| {
                    let mut distance = way[axis];
                    if texture.dimension.is_scaled(request.fields, axis) {
                        let size = self.float_size(request, texture, axis);
                        distance = self.product(distance, size);
                    }
                    self.product(distance, distance)
                })
                .collect();
            let zero = self.b.constant(0);
            squares.into_iter().reduce(|sum, square| self.float_sum(sum, square)).unwrap_or(zero)
        });
        let longer = self.max(across, down);
        let logarithm = self.b.ln2(longer);
        self.b.scale(ROOT, logarithm)
    }

    /// The value of a pixel of the quad in all of its pixels.
    fn of_pixel(&mut self, value: Value, lane: u8) -> Value {
        self.b.quad(ctm_lane::QuadOrder([lane; 4]), value)
    }

    /// Where the first three pixels of the quad look on the face of each pixel.
    fn on_own_face(&mut self, request: &Request) -> [Vec<Value>; 3] {
        let own = self.face(request);
        let (minus_three, far) = (self.b.constant(MINUS_THREE), self.b.constant(ONE));
        let centred = [0, 1].map(|axis| {
            let at = request.coordinates[axis];
            let twice = self.float_sum(at, at);
            self.float_sum(twice, minus_three)
        });
        let direction = self.direction(own, centred, far);
        [0, 1, 2].map(|lane| {
            let direction = direction.map(|part| self.of_pixel(part, lane));
            self.place_on_face(own, direction).to_vec()
        })
    }

    /// The face that coordinates name.
    pub(super) fn face(&mut self, request: &Request) -> Value {
        let nearest = self.b.fround(Round::Even, Denorm::Flush, request.coordinates[2]);
        self.b.float_to_index(6, nearest)
    }

    fn limited(&mut self, level: Value, request: &Request) -> Value {
        let [least, greatest] = [LEAST_LEVEL, GREATEST_LEVEL].map(|entry| self.sampler_entry(request, entry));
        let level = self.max(level, least);
        self.b.fmin(Denorm::Flush, level, greatest)
    }

    /// The levels that a sampler takes at a level of detail.
    pub(super) fn levels(&mut self, level: Value, request: &Request, texture: &TextureLayout) -> Levels {
        let level = self.limited(level, request);
        let zero = self.b.constant(0);
        let larger = self.b.fcmp(FloatTest::Ogt, Denorm::Flush, level, zero);
        let magnified = self.b.mask_not(larger);
        if !texture.has_levels() {
            return Levels { magnified, fine: None, weight: None };
        }
        let last = self.last_level(request, texture);
        let level = self.b.fmin(Denorm::Flush, level, last);
        match request.sampler.mip {
            MipFilter::None => Levels { magnified, fine: None, weight: None },
            MipFilter::Nearest => {
                let nearest = self.nearest_level(level);
                Levels { magnified, fine: Some(self.b.ftoi(nearest)), weight: None }
            }
            MipFilter::Linear => {
                let floor = self.b.fround(Round::Floor, Denorm::Flush, level);
                let weight = self.weight(level, floor);
                Levels { magnified, fine: Some(self.b.ftoi(floor)), weight: Some(weight) }
            }
        }
    }

    /// The integer nearest to a level; of two, the lower one.
    fn nearest_level(&mut self, level: Value) -> Value {
        let (half, one) = (self.b.constant(HALF), self.b.constant(ONE));
        let above = self.float_sum(level, half);
        let above = self.b.fround(Round::Ceil, Denorm::Flush, above);
        self.b.fsub(Denorm::Flush, above, one)
    }

    /// The weight, of 8 bits, of what is above an integer.
    pub(super) fn weight(&mut self, at: Value, floor: Value) -> Value {
        let fraction = self.b.fsub(Denorm::Flush, at, floor);
        let steps = self.b.constant(STEPS);
        let steps = self.product(fraction, steps);
        // A fraction is from 0 to 1, or a NaN, whose weight is 0.
        let (whole, zero) = (self.b.fround(Round::Floor, Denorm::Flush, steps), self.b.constant(0));
        let steps = self.b.fmax(Denorm::Keep, whole, zero);
        self.b.scale(STEP, steps)
    }

    /// GET_COMP_TEX_LOD: the level of detail, and the level that is looked at. A texture that is not there reads as 0.
    pub(super) fn level_query(&mut self, request: &Request) -> [Value; 4] {
        let zero = self.b.constant(0);
        let Some(texture) = self.texture(request) else { return [zero; 4] };
        let level = self.level_of_detail(LevelSource::Detail, request, texture);
        let (limited, last) = (self.limited(level, request), self.last_level(request, texture));
        let limited = self.b.fmin(Denorm::Flush, limited, last);
        let taken = match request.sampler.mip {
            MipFilter::None => zero,
            MipFilter::Nearest => self.nearest_level(limited),
            MipFilter::Linear => limited,
        };
        let [level, taken] = [level, taken].map(|level| self.b.canon_nan(Bits(num::R700_NAN), level));
        [level, taken, zero, zero]
    }
}
