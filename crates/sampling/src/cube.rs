//! The faces of a cube.

use super::multiply;
use ctm_lane::{Builder, Denorm, FloatTest, Value};

/// The face of each lane, by the lanes whose longest part it is.
pub struct Face {
    is_t: Value,
    is_r: Value,
    negative: Value,
}

impl Face {
    /// The faces that directions point to: those of their longest parts; of parts of the same length, the last.
    pub fn of(b: &mut Builder, direction: [Value; 3]) -> Self {
        let [s, t, r] = direction.map(|part| b.abs(part));
        let mut is_longer = |a, c| b.fcmp(FloatTest::Oge, Denorm::Flush, a, c);
        let (than_t, than_s, is_t) = (is_longer(r, t), is_longer(r, s), is_longer(t, s));
        let is_r = b.mask_and(than_t, than_s);
        let face = Face { is_t, is_r, negative: is_r };
        let (major, zero) = (face.of_axis(b, direction), b.constant(0));
        let negative = b.fcmp(FloatTest::Olt, Denorm::Flush, major, zero);
        Face { negative, ..face }
    }

    /// Of three values, the one of each lane's axis.
    fn of_axis(&self, b: &mut Builder, [s, t, r]: [Value; 3]) -> Value {
        let other = b.select(self.is_t, t, s);
        b.select(self.is_r, r, other)
    }

    /// Numbers of the faces, in order +x, -x, +y, -y, +z, -z.
    pub fn layer(&self, b: &mut Builder) -> Value {
        let [positive, negative] = [[0, 2, 4], [1, 3, 5]].map(|numbers| numbers.map(|number| b.constant(number)));
        let (positive, negative) = (self.of_axis(b, positive), self.of_axis(b, negative));
        b.select(self.negative, negative, positive)
    }

    /// Where directions meet the planes of the faces, from 0 to 1 across and down.
    pub fn place(&self, b: &mut Builder, [s, t, r]: [Value; 3]) -> [Value; 2] {
        let [minus_s, minus_t, minus_r] = [s, t, r].map(|part| b.neg(part));
        let mut by_sign = |negative, positive| b.select(self.negative, negative, positive);
        let across = [by_sign(r, minus_r), s, by_sign(minus_s, s)];
        let down = [minus_t, by_sign(minus_r, r), minus_t];
        let major = [by_sign(minus_s, s), by_sign(minus_t, t), by_sign(minus_r, r)];
        let [across, down, major] = [across, down, major].map(|values| self.of_axis(b, values));
        let (one, half) = (b.float_constant(1.0), b.float_constant(0.5));
        [across, down].map(|part| {
            let part = b.fdiv(Denorm::Flush, part, major);
            let part = b.fadd(Denorm::Flush, part, one);
            multiply(b, part, half)
        })
    }
}
