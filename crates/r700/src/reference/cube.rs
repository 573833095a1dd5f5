//! The faces of cubes: where neighbours lie across their edges.
//!
//! Faces have the numbers +x, -x, +y, -y, +z, -z. What CUBE and the instructions after it make of a direction are a place on a face, from -1
//! to 1 across and down, and its number.

use ctm_num::r700 as num;

const ONE: u32 = 0x3F80_0000;
const HALF: u32 = 0x3F00_0000;
const SIGN: u32 = 1 << 31;

/// The number of a face, from a clamped coordinate.
pub(super) type Face = u32;

fn negated(value: u32, negative: bool) -> u32 {
    if negative { value ^ SIGN } else { value }
}

/// The direction that a place on a face has from the centre of the cube whose faces are `far` away.
pub(super) fn direction(face: Face, [across, down]: [u32; 2], far: u32) -> [u32; 3] {
    let negative = face & 1 == 1;
    let major = negated(far, negative);
    match face / 2 {
        0 => [major, down ^ SIGN, negated(across, !negative)],
        1 => [across, major, negated(down, negative)],
        _ => [negated(across, negative), down ^ SIGN, major],
    }
}

/// A direction's parts across and down a face, and towards it.
pub(super) fn parts(face: Face, [x, y, z]: [u32; 3]) -> [u32; 3] {
    let negative = face & 1 == 1;
    match face / 2 {
        0 => [negated(z, !negative), y ^ SIGN, negated(x, negative)],
        1 => [x, negated(z, negative), negated(y, negative)],
        _ => [negated(x, negative), y ^ SIGN, negated(z, negative)],
    }
}

/// Where a direction meets the plane of a face, from 0 to 1.
pub(super) fn place(face: Face, direction: [u32; 3]) -> [u32; 2] {
    let [across, down, major] = parts(face, direction);
    let inverse = num::recip(major);
    [across, down].map(|part| num::mul_ieee(num::add(num::mul_ieee(part, inverse), ONE), HALF))
}

/// The texel for (x, y), each at most one beyond the edges of a face of `size` texels: that of the neighbour beyond one edge, that of the corner
/// beyond two.
pub(super) fn across_edge(face: Face, [x, y]: [i64; 2], size: i64) -> (Face, [i64; 2]) {
    let last = size - 1;
    let is_inside = |at: i64| (0..size).contains(&at);
    if is_inside(x) == is_inside(y) {
        return (face, [x.clamp(0, last), y.clamp(0, last)]);
    }
    // In half texels from the centre; what is beyond the edge is longer than the way to the face.
    let float = |value: i64| (value as f32).to_bits();
    let from_centre = |at: i64| float(2 * at + 1 - size);
    let direction = direction(face, [x, y].map(from_centre), float(size));
    let is_major = |part: &u32| f32::from_bits(*part).abs() > size as f32;
    let axis = direction.iter().position(is_major).unwrap_or(0);
    let neighbour = 2 * axis as u32 + (direction[axis] >> 31);
    let [across, down, _] = parts(neighbour, direction);
    let texel = |part: u32| ((f32::from_bits(part) as i64 + size) / 2).clamp(0, last);
    (neighbour, [texel(across), texel(down)])
}
