//! Where a sample takes texels in one direction: wraps, and the weights of linear filters.

use super::multiply;
use ctm_lane::{Builder, Denorm, FloatTest, IntTest, Round, Value};
use ctm_raster::sampler::{Scale, Wrap};

/// Steps of the weights of linear filters.
const STEPS: f32 = 256.0;
/// Places are clamped to this many texels.
const BOUND: u32 = 1 << 20;

/// A direction of a level.
pub struct Axis {
    /// What coordinates outside mean.
    pub wrap: Wrap,
    /// What coordinates are counted in.
    pub scale: Scale,
    /// Texels.
    pub size: u32,
}

/// A texel in one direction.
pub struct Tap {
    /// Its number; any number where there is the border.
    pub index: Value,
    /// The lanes in which it is none of the border; none if it never is.
    pub inside: Option<Value>,
}

/// What a linear filter takes.
pub struct Pair {
    /// The texels.
    pub taps: [Tap; 2],
    /// Weights of both.
    pub weights: [Value; 2],
}

impl Axis {
    /// The coordinate in texels.
    fn place(&self, b: &mut Builder, coordinate: Value) -> Value {
        let texels = self.size as f32;
        let (end, is_scaled) = match self.scale {
            Scale::Texture => (1.0, true),
            Scale::Texels => (texels, false),
        };
        let inside = match (self.wrap, self.scale) {
            (Wrap::Repeat, Scale::Texture) => {
                let floor = b.fround(Round::Floor, Denorm::Flush, coordinate);
                b.fsub(Denorm::Flush, coordinate, floor)
            }
            (Wrap::Mirror, Scale::Texture) => {
                let (one, two) = (b.float_constant(1.0), b.float_constant(2.0));
                let pairs = b.scale(-1, coordinate);
                let pairs = b.fround(Round::Floor, Denorm::Flush, pairs);
                let before = b.fadd(Denorm::Flush, pairs, pairs);
                let twice = b.fsub(Denorm::Flush, coordinate, before);
                let mirrored = b.fsub(Denorm::Flush, two, twice);
                let is_second = b.fcmp(FloatTest::Ogt, Denorm::Flush, twice, one);
                b.select(is_second, mirrored, twice)
            }
            (Wrap::Repeat | Wrap::Mirror, Scale::Texels) | (Wrap::ClampToEdge | Wrap::ClampToBorder, _) => coordinate,
            (Wrap::MirrorOnceToEdge | Wrap::MirrorOnceToBorder, _) => b.abs(coordinate),
            // A NaN stays one.
            (Wrap::Clamp, _) => {
                let (zero, end) = (b.constant(0), b.float_constant(end));
                let above = b.fmax(Denorm::Flush, zero, coordinate);
                b.fmin(Denorm::Flush, end, above)
            }
            // A NaN becomes the end.
            (Wrap::MirrorOnceClamp, _) => {
                let (size, end) = (b.abs(coordinate), b.float_constant(end));
                b.fmin(Denorm::Flush, size, end)
            }
        };
        if !is_scaled {
            return inside;
        }
        let texels = b.float_constant(texels);
        multiply(b, inside, texels)
    }

    /// The texel at a coordinate.
    pub fn nearest(&self, b: &mut Builder, coordinate: Value) -> Tap {
        let place = self.place(b, coordinate);
        match (self.wrap, self.scale) {
            (Wrap::ClampToEdge | Wrap::MirrorOnceToEdge | Wrap::Clamp | Wrap::MirrorOnceClamp, _)
            | (Wrap::Mirror, Scale::Texture) => Tap { index: b.float_to_index(self.size, place), inside: None },
            (Wrap::Repeat, Scale::Texture) => {
                // A fraction that is rounded up to 1 is the first texel again.
                let index = b.float_to_index(self.size + 1, place);
                let (end, zero) = (b.constant(self.size), b.constant(0));
                let is_end = b.icmp(IntTest::Eq, index, end);
                Tap { index: b.select(is_end, zero, index), inside: None }
            }
            (Wrap::Repeat | Wrap::Mirror, Scale::Texels) | (Wrap::ClampToBorder | Wrap::MirrorOnceToBorder, _) => {
                let zero = b.constant(0);
                let place = numbers(b, place, zero);
                let place = bounded(b, place);
                let index = b.float_to_coordinate(place);
                self.tap(b, index)
            }
        }
    }

    /// The two texels around a coordinate. Of a NaN it is the first texel.
    pub fn pair(&self, b: &mut Builder, coordinate: Value) -> Pair {
        let place = self.place(b, coordinate);
        let (one, half) = (b.float_constant(1.0), b.float_constant(0.5));
        let place = numbers(b, place, half);
        let place = bounded(b, place);
        let place = b.fsub(Denorm::Flush, place, half);
        let floor = b.fround(Round::Floor, Denorm::Flush, place);
        let index = b.float_to_coordinate(place);
        let fraction = b.fsub(Denorm::Flush, place, floor);
        let (steps, step) = (b.float_constant(STEPS), b.float_constant(1.0 / STEPS));
        let fraction = multiply(b, fraction, steps);
        let fraction = b.fround(Round::Floor, Denorm::Flush, fraction);
        let second = multiply(b, fraction, step);
        let first = b.fsub(Denorm::Flush, one, second);
        let next = b.constant(1);
        let following = b.iadd(index, next);
        Pair { taps: [self.tap(b, index), self.tap(b, following)], weights: [first, second] }
    }

    /// The texel that an index means, of a linear filter, or of a point filter where that makes no difference.
    fn tap(&self, b: &mut Builder, index: Value) -> Tap {
        let (last, zero) = (b.constant(self.size - 1), b.constant(0));
        let mut inside = None;
        let index = match (self.wrap, self.scale) {
            (Wrap::Repeat, _) if self.size.is_power_of_two() => b.and(index, last),
            // Places are between the first texel and the end.
            (Wrap::Repeat, Scale::Texture) => {
                let (before, behind) = (b.icmp(IntTest::Slt, index, zero), b.icmp(IntTest::Sgt, index, last));
                let index = b.select(before, last, index);
                b.select(behind, zero, index)
            }
            (Wrap::Repeat, Scale::Texels) => modulo(b, index, self.size),
            (Wrap::Mirror, Scale::Texels) => {
                let twice = modulo(b, index, 2 * self.size);
                let end = b.constant(2 * self.size - 1);
                let mirrored = b.isub(end, twice);
                b.umin(twice, mirrored)
            }
            (Wrap::Mirror, Scale::Texture) | (Wrap::ClampToEdge | Wrap::MirrorOnceToEdge, _) => {
                let index = b.smax(index, zero);
                b.smin(index, last)
            }
            (Wrap::Clamp | Wrap::MirrorOnceClamp | Wrap::ClampToBorder | Wrap::MirrorOnceToBorder, _) => {
                let size = b.constant(self.size);
                inside = Some(b.icmp(IntTest::Ult, index, size));
                index
            }
        };
        Tap { index, inside }
    }
}

/// The places, with another one for those that are not numbers.
fn numbers(b: &mut Builder, place: Value, other: Value) -> Value {
    let is_number = b.fcmp(FloatTest::Ord, Denorm::Flush, place, place);
    b.select(is_number, place, other)
}

fn bounded(b: &mut Builder, place: Value) -> Value {
    let (low, high) = (b.float_constant(-(BOUND as f32)), b.float_constant(BOUND as f32));
    let place = b.fmax(Denorm::Flush, place, low);
    b.fmin(Denorm::Flush, place, high)
}

/// An index within the bound modulo a count.
fn modulo(b: &mut Builder, index: Value, count: u32) -> Value {
    if count.is_power_of_two() {
        let last = b.constant(count - 1);
        return b.and(index, last);
    }
    let (above, count) = (b.constant((BOUND + 1).next_multiple_of(count)), b.constant(count));
    let index = b.iadd(index, above);
    let passes = b.udiv(index, count);
    let whole = b.imul(passes, count);
    b.isub(index, whole)
}
