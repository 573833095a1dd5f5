//! The operations that take all four vector units. Operands are in the order of the units x, y, z, w.

use super::{SIGN, add, greater_equal, max, mul, mul_ieee, scale};
use crate::flushed;

/// The products summed from left to right, each step rounded.
#[inline]
fn sum(products: [u32; 4]) -> u32 {
    add(add(add(products[0], products[1]), products[2]), products[3])
}

/// DOT4: products by the rule of [`mul`].
#[inline]
pub fn dot4(a: [u32; 4], b: [u32; 4]) -> u32 {
    sum(std::array::from_fn(|k| mul(a[k], b[k])))
}

/// DOT4_IEEE: products by the rule of [`mul_ieee`].
#[inline]
pub fn dot4_ieee(a: [u32; 4], b: [u32; 4]) -> u32 {
    sum(std::array::from_fn(|k| mul_ieee(a[k], b[k])))
}

/// MAX4: the largest operand.
#[inline]
pub fn max4(a: [u32; 4]) -> u32 {
    max(max(a[0], a[1]), max(a[2], a[3]))
}

/// CUBE of the direction (x, y, z): t, s, twice the major axis, and the face's number as a float.
///
/// Faces are +X, -X, +Y, -Y, +Z, -Z, and s on the X faces is -z and +z, as D3D and GL lay cubes out.
#[inline]
pub fn cube([x, y, z]: [u32; 3]) -> [u32; 4] {
    let magnitude = |bits: u32| bits & !SIGN;
    let negated = |bits: u32| bits ^ SIGN;
    let is_negative = |bits: u32| flushed::less(bits, 0);
    let at_least = |a: u32, b: u32| greater_equal(magnitude(a), magnitude(b));
    let (t, s, axis, positive_face) = if at_least(z, x) && at_least(z, y) {
        (negated(y), if is_negative(z) { negated(x) } else { x }, z, 4)
    } else if at_least(y, x) {
        (if is_negative(y) { negated(z) } else { z }, x, y, 2)
    } else {
        (negated(y), if is_negative(x) { z } else { negated(z) }, x, 0)
    };
    let face = positive_face + u8::from(is_negative(axis));
    [t, s, scale(1, axis), f32::from(face).to_bits()]
}
