//! The faces of cubes, as the reference has them (`reference/cube.rs`).

use super::machine::LiftState;
use ctm_lane::{Denorm, FloatTest, IntTest, Value};

const ONE: u32 = 0x3F80_0000;
const HALF: u32 = 0x3F00_0000;
const SIGN: u32 = 1 << 31;

/// What selects parts of directions by the number of a face.
struct FaceMasks {
    /// The sign of its axis.
    sign: Value,
    is_x: Value,
    is_y: Value,
}

impl LiftState<'_> {
    fn face_masks(&mut self, face: Value) -> FaceMasks {
        let [zero, one, place] = [0, 1, 31].map(|bits| self.b.constant(bits));
        let (sign, axis) = (self.b.shl(face, place), self.b.shr(face, one));
        let (is_x, is_y) = (self.b.icmp(IntTest::Eq, axis, zero), self.b.icmp(IntTest::Eq, axis, one));
        FaceMasks { sign, is_x, is_y }
    }

    fn choice(&mut self, masks: &FaceMasks, [x, y, z]: [Value; 3]) -> Value {
        let other = self.b.select(masks.is_y, y, z);
        self.b.select(masks.is_x, x, other)
    }

    /// The direction that a place on a face has from the centre of the cube whose faces are `far` away.
    pub(super) fn direction(&mut self, face: Value, [across, down]: [Value; 2], far: Value) -> [Value; 3] {
        let masks = self.face_masks(face);
        let minus = self.b.constant(SIGN);
        let [major, across_signed, down_signed] = [far, across, down].map(|value| self.b.xor(value, masks.sign));
        let (across_flipped, up) = (self.b.xor(across_signed, minus), self.b.xor(down, minus));
        [
            self.choice(&masks, [major, across, across_signed]),
            self.choice(&masks, [up, major, up]),
            self.choice(&masks, [across_flipped, down_signed, major]),
        ]
    }

    /// A direction's parts across and down a face, and towards it.
    fn parts(&mut self, face: Value, [x, y, z]: [Value; 3]) -> [Value; 3] {
        let masks = self.face_masks(face);
        let minus = self.b.constant(SIGN);
        let [x_signed, y_signed, z_signed] = [x, y, z].map(|value| self.b.xor(value, masks.sign));
        let (z_flipped, up) = (self.b.xor(z_signed, minus), self.b.xor(y, minus));
        [
            self.choice(&masks, [z_flipped, x, x_signed]),
            self.choice(&masks, [up, z_signed, up]),
            self.choice(&masks, [x_signed, y_signed, z_signed]),
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
        let [is_x, is_y] = [0, 1].map(|axis| {
            let length = self.b.abs(direction[axis]);
            self.b.fcmp(FloatTest::Ogt, Denorm::Flush, length, far)
        });
        let [two, four, place] = [2, 4, 31].map(|bits| self.b.constant(bits));
        let masks = FaceMasks { sign: zero, is_x, is_y };
        let (axis, major) = (self.choice(&masks, [zero, two, four]), self.choice(&masks, direction));
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
