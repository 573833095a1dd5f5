//! The faces of cubes, as the reference has them (`reference/cube.rs`).

use super::machine::LiftState;
use ctm_lane::{Denorm, FloatTest, IntTest, Value};

const ONE: u32 = 0x3F80_0000;
const HALF: u32 = 0x3F00_0000;

/// What selects parts of directions by the number of a face.
struct FaceMasks {
    /// It lies on the negative side of its axis.
    is_negative: Value,
    /// Its axis is x; it is y.
    axes: [Value; 2],
}

impl LiftState<'_> {
    fn face_masks(&mut self, face: Value) -> FaceMasks {
        let [zero, one] = [0, 1].map(|bits| self.b.constant(bits));
        let (side, axis) = (self.b.and(face, one), self.b.shr(face, one));
        let axes = [zero, one].map(|number| self.b.icmp(IntTest::Eq, axis, number));
        FaceMasks { is_negative: self.b.icmp(IntTest::Ne, side, zero), axes }
    }

    /// The number with the sign of the face's axis.
    fn with_sign(&mut self, masks: &FaceMasks, value: Value) -> Value {
        let negative = self.b.neg(value);
        self.b.select(masks.is_negative, negative, value)
    }

    fn choice(&mut self, [is_x, is_y]: [Value; 2], [x, y, z]: [Value; 3]) -> Value {
        let other = self.b.select(is_y, y, z);
        self.b.select(is_x, x, other)
    }

    /// The direction that a place on a face has from the centre of the cube whose faces are `far` away.
    pub(super) fn direction(&mut self, face: Value, [across, down]: [Value; 2], far: Value) -> [Value; 3] {
        let masks = self.face_masks(face);
        let [major, across_signed, down_signed] = [far, across, down].map(|value| self.with_sign(&masks, value));
        let (across_flipped, up) = (self.b.neg(across_signed), self.b.neg(down));
        [
            self.choice(masks.axes, [major, across, across_signed]),
            self.choice(masks.axes, [up, major, up]),
            self.choice(masks.axes, [across_flipped, down_signed, major]),
        ]
    }

    /// A direction's parts across and down a face, and towards it.
    fn parts(&mut self, face: Value, [x, y, z]: [Value; 3]) -> [Value; 3] {
        let masks = self.face_masks(face);
        let [x_signed, y_signed, z_signed] = [x, y, z].map(|value| self.with_sign(&masks, value));
        let (z_flipped, up) = (self.b.neg(z_signed), self.b.neg(y));
        [
            self.choice(masks.axes, [z_flipped, x, x_signed]),
            self.choice(masks.axes, [up, z_signed, up]),
            self.choice(masks.axes, [x_signed, y_signed, z_signed]),
        ]
    }

    /// Where a direction meets the plane of a face, from 0 to 1.
    pub(super) fn place_on_face(&mut self, face: Value, direction: [Value; 3]) -> [Value; 2] {
        let [across, down, major] = self.parts(face, direction);
        let (inverse, one, half) = (self.b.rcp(Denorm::Flush, major), self.b.constant(ONE), self.b.constant(HALF));
        [across, down].map(|part| {
            let quotient = self.product(part, inverse);
            let sum = self.b.fadd(Denorm::Flush, quotient, one);
            self.product(sum, half)
        })
    }

    /// The face and the texel for (x, y), each at most one beyond the edges of a face of so many texels.
    pub(super) fn across_edge(&mut self, face: Value, [x, y]: [Value; 2], size: Value) -> [Value; 3] {
        let [one, ones] = [1, u32::MAX].map(|bits| self.b.constant(bits));
        let zero = self.b.constant(0);
        let last = self.b.iadd(size, ones);
        let [x_inside, y_inside] = [x, y].map(|at| self.b.icmp(IntTest::Ult, at, size));
        let crosses = self.b.mask_xor(x_inside, y_inside);
        let far = self.b.itof(size);
        let centred = [x, y].map(|at| {
            let twice = self.b.shl(at, one);
            let odd = self.b.iadd(twice, one);
            let from_centre = self.b.isub(odd, size);
            self.b.itof(from_centre)
        });
        let direction = self.direction(face, centred, far);
        let is_major = [0, 1].map(|axis| {
            let length = self.b.abs(direction[axis]);
            self.b.fcmp(FloatTest::Ogt, Denorm::Flush, length, far)
        });
        let [two, four, place] = [2, 4, 31].map(|bits| self.b.constant(bits));
        let (axis, major) = (self.choice(is_major, [zero, two, four]), self.choice(is_major, direction));
        let sign = self.b.shr(major, place);
        let neighbour = self.b.iadd(axis, sign);
        let [across, down, _] = self.parts(neighbour, direction);
        let clamped = |m: &mut Self, at: Value| {
            let at = m.b.smax(at, zero);
            m.b.smin(at, last)
        };
        let texel = |m: &mut Self, part: Value, at: Value| {
            let part = m.b.ftoi(part);
            let sum = m.b.iadd(part, size);
            let half = m.b.sar(sum, one);
            let (beyond, own) = (clamped(m, half), clamped(m, at));
            m.b.select(crosses, beyond, own)
        };
        let (x, y) = (texel(self, across, x), texel(self, down, y));
        [x, y, self.b.select(crosses, neighbour, face)]
    }
}
