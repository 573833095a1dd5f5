//! Arithmetic of rows with vectors of WebAssembly, where compilers make no such vectors by themselves, or none that know which operands
//! are denormals.

mod arithmetic;
mod functions;
mod multiply_add;

pub use arithmetic::{add, mul, multiply_add, sub};
pub use functions::{cos, ex2, ln2, sin};

use core::arch::wasm32::*;

const SIGN: u32 = 0x8000_0000;
const MAGNITUDE: u32 = 0x7FFF_FFFF;
const EXPONENT: u32 = 0x7F80_0000;
const MIN_NORMAL: u32 = 0x0080_0000;
/// Lanes that are looked at, and done again if need be, together.
const STRETCH: usize = 16;

#[inline(always)]
fn load(lanes: &[u32; STRETCH], first: usize) -> v128 {
    u32x4(lanes[first], lanes[first + 1], lanes[first + 2], lanes[first + 3])
}

#[inline(always)]
fn store(lanes: &mut [u32; STRETCH], first: usize, bits: v128) {
    lanes[first] = u32x4_extract_lane::<0>(bits);
    lanes[first + 1] = u32x4_extract_lane::<1>(bits);
    lanes[first + 2] = u32x4_extract_lane::<2>(bits);
    lanes[first + 3] = u32x4_extract_lane::<3>(bits);
}

/// Denormals become zeros of their sign.
#[inline(always)]
fn flush(bits: v128) -> v128 {
    let is_tiny = u32x4_eq(v128_and(bits, u32x4_splat(EXPONENT)), u32x4_splat(0));
    v128_andnot(bits, v128_and(is_tiny, u32x4_splat(MAGNITUDE)))
}

/// Flushes a result. Adds to `doubtful` the lanes whose magnitude is that of the smallest normal number: whether those are flushed
/// depends on the exact result.
#[inline(always)]
fn flush_result(bits: v128, doubtful: &mut v128) -> v128 {
    let magnitude = v128_and(bits, u32x4_splat(MAGNITUDE));
    // As signed numbers, since those are compared by one instruction; magnitudes have no sign.
    let is_tiny = i32x4_lt(magnitude, u32x4_splat(MIN_NORMAL));
    *doubtful = v128_or(*doubtful, u32x4_eq(magnitude, u32x4_splat(MIN_NORMAL)));
    v128_andnot(bits, v128_and(is_tiny, u32x4_splat(MAGNITUDE)))
}

/// For each four lanes, what `of` makes of the rows there. Stretches with lanes that it adds to its last argument are done again by `exact`,
/// which also does lanes that make no stretch.
#[inline(always)]
fn each<const N: usize>(
    d: &mut [u32],
    rows: [&[u32]; N],
    of: impl Fn([v128; N], &mut v128) -> v128,
    exact: impl Fn(&mut [u32], [&[u32]; N]),
) {
    let n = d.len();
    let (stretches, rest) = d.as_chunks_mut::<STRETCH>();
    let rows = rows.map(|row| row[..n].as_chunks::<STRETCH>());
    for (at, d) in stretches.iter_mut().enumerate() {
        let rows = rows.map(|(stretches, _)| &stretches[at]);
        let mut doubtful = u32x4_splat(0);
        for first in (0..STRETCH).step_by(4) {
            store(d, first, of(rows.map(|lanes| load(lanes, first)), &mut doubtful));
        }
        if v128_any_true(doubtful) {
            exact(d, rows.map(|lanes| lanes.as_slice()));
        }
    }
    if !rest.is_empty() {
        exact(rest, rows.map(|(_, rest)| rest));
    }
}
