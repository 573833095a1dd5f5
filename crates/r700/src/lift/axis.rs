//! Where a sample takes texels on an axis: wraps and weights, as the reference has them (`reference/sample.rs`). What is a NaN here becomes an
//! index or a weight, so that its bits do not matter.

use super::machine::LiftState;
use super::sample::{Level, Request};
use crate::resource::{Dimension, Filter, Wrap};
use ctm_lane::{Denorm, FloatTest, IntTest, Round, Value};
use ctm_num::r700 as num;

const ONE: u32 = 0x3F80_0000;
const TWO: u32 = 0x4000_0000;
const MINUS_ONE: u32 = 0xBF80_0000;
const MINUS_HALF: u32 = 0xBF00_0000;
/// 1/2 as a power of two.
const HALF: i32 = -1;

/// Where the linear filter is taken, and not the nearest texel.
#[derive(Clone, Copy)]
pub(super) enum Linear {
    Never,
    Always,
    /// In these lanes.
    Lanes(Value),
}

/// Where an axis of a sample takes texels: two with their weights, or one.
pub(super) struct Axis {
    /// Texels.
    pub at: [Value; 2],
    /// The lanes in which they are inside the texture; none where they always are.
    pub inside: [Option<Value>; 2],
    /// Weight of the second; none without filter.
    pub weight: Option<Value>,
    /// Texels may be one beyond the edge of a cube's face.
    pub crosses_edges: bool,
}

/// A coordinate in texels.
struct Place {
    at: Value,
    wrap: Wrap,
    size: Value,
    /// It is inside of the first copy of a texture that repeats.
    folded: bool,
    /// It may be one beyond the edge.
    seamless: bool,
}

impl Place {
    /// Whether texels are at most one beyond the edge.
    fn is_inside(&self) -> bool {
        self.folded && matches!(self.wrap, Wrap::Repeat | Wrap::Mirror)
    }
}

impl LiftState<'_> {
    /// Where the sample lies on an axis.
    pub(super) fn axis(&mut self, request: &Request, level: &Level, axis: usize, linear: Linear) -> Axis {
        let place = self.place(request, level, axis);
        match linear {
            Linear::Never => self.nearest(&place),
            Linear::Always => self.linear(&place),
            Linear::Lanes(lanes) => {
                let (nearest, linear) = (self.nearest(&place), self.linear(&place));
                let first = self.b.select(lanes, linear.at[0], nearest.at[0]);
                let inside = match (linear.inside[0], nearest.inside[0]) {
                    (Some(linear), Some(nearest)) => Some(self.b.mask_select(lanes, linear, nearest)),
                    (Some(linear), None) => {
                        let always = self.b.mask_not(lanes);
                        Some(self.b.mask_or(always, linear))
                    }
                    (None, Some(nearest)) => Some(self.b.mask_or(lanes, nearest)),
                    (None, None) => None,
                };
                Axis { at: [first, linear.at[1]], inside: [inside, linear.inside[1]], ..linear }
            }
        }
    }

    fn place(&mut self, request: &Request, level: &Level, axis: usize) -> Place {
        let (dimension, size, width) = (level.texture.dimension, level.size[axis], level.width[axis]);
        let is_cube = dimension == Dimension::Cube;
        let wrap = if is_cube { Wrap::Clamp } else { request.sampler.wrap[axis] };
        let halves = i32::from(request.fields.offset_halves(axis));
        let is_scaled = dimension.is_scaled(request.fields, axis);
        let folded = is_scaled && halves == 0;
        let mut at = request.coordinates[axis];
        if is_cube {
            let minus_one = self.b.constant(MINUS_ONE);
            at = self.b.fadd(Denorm::Flush, at, minus_one);
        }
        if folded {
            at = self.folded(wrap, at);
        }
        if is_scaled {
            at = self.product(at, width);
        }
        if halves != 0 {
            let offset = num::scale(HALF, num::int_to_float(halves.cast_unsigned()));
            let offset = self.b.constant(offset);
            at = self.b.fadd(Denorm::Flush, at, offset);
        }
        if wrap.is_mirrored_once() {
            at = self.b.abs(at);
        }
        if wrap.is_half_border() {
            let zero = self.b.constant(0);
            at = self.max(at, zero);
            at = self.b.fmin(Denorm::Flush, at, width);
        }
        Place { at, wrap, size, folded, seamless: is_cube && request.sampler.seamless }
    }

    fn nearest(&mut self, place: &Place) -> Axis {
        let limit = self.b.function.lane_constant(place.size);
        if let (Wrap::Clamp, Some(limit)) = (place.wrap, limit) {
            let at = self.b.float_to_index(limit, place.at);
            return Axis { at: [at; 2], inside: [None; 2], weight: None, crosses_edges: false };
        }
        let at = self.coordinate(place.at);
        let (at, inside) = self.wrapped(place, at, Filter::Nearest);
        Axis { at: [at; 2], inside: [inside; 2], weight: None, crosses_edges: false }
    }

    fn linear(&mut self, place: &Place) -> Axis {
        let minus_half = self.b.constant(MINUS_HALF);
        let at = self.b.fadd(Denorm::Flush, place.at, minus_half);
        let first = self.coordinate(at);
        let one = self.b.constant(1);
        let next = self.b.iadd(first, one);
        let second = if place.is_inside() {
            next
        } else {
            let most = self.b.constant(i32::MAX as u32);
            let is_last = self.b.icmp(IntTest::Eq, first, most);
            self.b.select(is_last, most, next)
        };
        let floor = self.b.fround(Round::Floor, Denorm::Flush, at);
        let weight = Some(self.weight(at, floor));
        if place.seamless {
            let least = self.b.constant(u32::MAX);
            let at = [first, second].map(|at| {
                let at = self.b.smax(at, least);
                self.b.smin(at, place.size)
            });
            return Axis { at, inside: [None; 2], weight, crosses_edges: true };
        }
        let (first, first_inside) = self.wrapped(place, first, Filter::Linear);
        let (second, second_inside) = self.wrapped(place, second, Filter::Linear);
        Axis { at: [first, second], inside: [first_inside, second_inside], weight, crosses_edges: false }
    }

    /// floor(a) as a signed integer, saturated; 0 for NaN.
    pub(super) fn coordinate(&mut self, a: Value) -> Value {
        let (coordinate, zero) = (self.b.float_to_coordinate(a), self.b.constant(0));
        let is_number = self.b.fcmp(FloatTest::Ord, Denorm::Flush, a, a);
        self.b.select(is_number, coordinate, zero)
    }

    /// A signed integer clamped to 0..=size-1.
    pub(super) fn clamped(&mut self, at: Value, size: Value) -> Value {
        let (zero, ones) = (self.b.constant(0), self.b.constant(u32::MAX));
        let last = self.b.iadd(size, ones);
        let at = self.b.smax(at, zero);
        self.b.smin(at, last)
    }

    /// A coordinate, as a part of the texture's size, inside of the first copy of a texture that repeats.
    fn folded(&mut self, wrap: Wrap, at: Value) -> Value {
        match wrap {
            Wrap::Repeat => {
                let floor = self.b.fround(Round::Floor, Denorm::Flush, at);
                self.b.fsub(Denorm::Flush, at, floor)
            }
            Wrap::Mirror => {
                let (one, two) = (self.b.constant(ONE), self.b.constant(TWO));
                let pairs = self.b.scale(HALF, at);
                let pairs = self.b.fround(Round::Floor, Denorm::Flush, pairs);
                let twice = self.b.fadd(Denorm::Flush, pairs, pairs);
                let within = self.b.fsub(Denorm::Flush, at, twice);
                let mirrored = self.b.fsub(Denorm::Flush, two, within);
                let is_second = self.b.fcmp(FloatTest::Ogt, Denorm::Flush, within, one);
                self.b.select(is_second, mirrored, within)
            }
            Wrap::Clamp
            | Wrap::MirrorOnce
            | Wrap::HalfBorder
            | Wrap::MirrorOnceHalfBorder
            | Wrap::Border
            | Wrap::MirrorOnceBorder => at,
        }
    }

    /// The texel that a coordinate means, and the lanes in which it is none of the border.
    fn wrapped(&mut self, place: &Place, at: Value, filter: Filter) -> (Value, Option<Value>) {
        let size = place.size;
        match (place.wrap, filter) {
            (Wrap::Repeat, _) if place.is_inside() && !self.is_power_of_two(size) => {
                let zero = self.b.constant(0);
                let (before, behind) = (self.b.iadd(at, size), self.b.isub(at, size));
                let is_before = self.b.icmp(IntTest::Slt, at, zero);
                let is_behind = self.b.icmp(IntTest::Sge, at, size);
                let at = self.b.select(is_behind, behind, at);
                (self.b.select(is_before, before, at), None)
            }
            (Wrap::Repeat, _) => (self.repeated(at, size), None),
            (Wrap::Mirror, _) if place.folded => (self.clamped(at, size), None),
            (Wrap::Mirror, _) => {
                let twice = self.b.iadd(size, size);
                let at = self.repeated(at, twice);
                let ones = self.b.constant(u32::MAX);
                let last = self.b.iadd(twice, ones);
                let mirrored = self.b.isub(last, at);
                (self.b.smin(at, mirrored), None)
            }
            (Wrap::Clamp | Wrap::MirrorOnce, _) | (Wrap::HalfBorder | Wrap::MirrorOnceHalfBorder, Filter::Nearest) => {
                (self.clamped(at, size), None)
            }
            (Wrap::HalfBorder | Wrap::MirrorOnceHalfBorder, Filter::Linear)
            | (Wrap::Border | Wrap::MirrorOnceBorder, _) => (at, Some(self.b.icmp(IntTest::Ult, at, size))),
        }
    }

    /// Whether a size is known to be a power of two.
    fn is_power_of_two(&self, size: Value) -> bool {
        self.b.function.lane_constant(size).is_some_and(u32::is_power_of_two)
    }

    /// A signed integer modulo a size, at least 0.
    fn repeated(&mut self, at: Value, size: Value) -> Value {
        let (zero, ones) = (self.b.constant(0), self.b.constant(u32::MAX));
        let last = self.b.iadd(size, ones);
        if self.is_power_of_two(size) {
            return self.b.and(at, last);
        }
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
}
