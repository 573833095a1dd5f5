//! Sums and products whose operands and results are flushed. `normal` says of operands that they are not denormals, bit n of operand n, and
//! `exact` is the definition of the operation.
//!
//! Functions with a loop are not inlined: engines of WebAssembly compile a function as a whole, when it is hot, and the interpreter with all
//! loops in it takes them long.

use super::multiply_add::{Double, MultiplyAdd, Single, has_one_rounding};
use super::{each, flush, flush_result};
use core::arch::wasm32::*;
use ctm_lane::Zero;

/// Operand `number`, flushed if it may be a denormal.
#[inline(always)]
fn operand<const NORMAL: u8>(number: u8, bits: v128) -> v128 {
    if NORMAL >> number & 1 != 0 { bits } else { flush(bits) }
}

/// An expression in which `NORMAL` is a constant: this number, which is one of these.
macro_rules! with_normal {
    ($number:expr, [$($value:literal),+ | $last:literal], $call:expr) => {
        match $number {
            $($value => {
                const NORMAL: u8 = $value;
                $call
            })+
            _ => {
                const NORMAL: u8 = $last;
                $call
            }
        }
    };
}

/// a * b + c, rounded once.
#[inline(always)]
pub fn multiply_add(d: &mut [u32], rows: [&[u32]; 3], normal: u8, zero: Zero, exact: impl Fn(&mut [u32], [&[u32]; 3])) {
    if has_one_rounding() {
        with_normal!(normal & 7, [0, 1, 2, 3, 4, 5, 6 | 7], multiply_add_of::<NORMAL, Single>(d, rows, zero, &exact));
    } else {
        with_normal!(normal & 7, [0, 1, 2, 3, 4, 5, 6 | 7], multiply_add_of::<NORMAL, Double>(d, rows, zero, &exact));
    }
}

#[inline(never)]
fn multiply_add_of<const NORMAL: u8, M: MultiplyAdd>(
    d: &mut [u32],
    rows: [&[u32]; 3],
    zero: Zero,
    exact: &impl Fn(&mut [u32], [&[u32]; 3]),
) {
    let operands = |[a, b, c]: [v128; 3]| [operand::<NORMAL>(0, a), operand::<NORMAL>(1, b), operand::<NORMAL>(2, c)];
    let addend = |c| f32x4_add(c, f32x4_splat(0.0));
    match zero {
        Zero::Ieee => each(
            d,
            rows,
            |lanes, doubtful| {
                let [a, b, c] = operands(lanes);
                flush_result(M::multiply_add(a, b, c, doubtful), doubtful)
            },
            exact,
        ),
        Zero::Special => each(
            d,
            rows,
            |lanes, doubtful| {
                let [a, b, c] = operands(lanes);
                let sum = M::multiply_add(a, b, c, doubtful);
                // Zero times infinity or NaN always shows as a NaN result.
                let replaced = v128_and(f32x4_ne(sum, sum), vanishes(a, b));
                flush_result(v128_bitselect(addend(c), sum, replaced), doubtful)
            },
            exact,
        ),
        Zero::Always => each(
            d,
            rows,
            |lanes, doubtful| {
                let [a, b, c] = operands(lanes);
                let sum = M::multiply_add(a, b, c, doubtful);
                flush_result(v128_bitselect(addend(c), sum, vanishes(a, b)), doubtful)
            },
            exact,
        ),
    }
}

/// Where a factor is zero.
#[inline(always)]
fn vanishes(a: v128, b: v128) -> v128 {
    v128_or(f32x4_eq(a, f32x4_splat(0.0)), f32x4_eq(b, f32x4_splat(0.0)))
}

/// a * b.
#[inline(always)]
pub fn mul(d: &mut [u32], rows: [&[u32]; 2], normal: u8, zero: Zero, exact: impl Fn(&mut [u32], [&[u32]; 2])) {
    with_normal!(normal & 3, [0, 1, 2 | 3], mul_of::<NORMAL>(d, rows, zero, &exact));
}

#[inline(never)]
fn mul_of<const NORMAL: u8>(d: &mut [u32], rows: [&[u32]; 2], zero: Zero, exact: &impl Fn(&mut [u32], [&[u32]; 2])) {
    let operands = |[a, b]: [v128; 2]| [operand::<NORMAL>(0, a), operand::<NORMAL>(1, b)];
    match zero {
        Zero::Ieee => each(
            d,
            rows,
            |lanes, doubtful| {
                let [a, b] = operands(lanes);
                flush_result(f32x4_mul(a, b), doubtful)
            },
            exact,
        ),
        Zero::Special => each(
            d,
            rows,
            |lanes, doubtful| {
                let [a, b] = operands(lanes);
                let product = f32x4_mul(a, b);
                let replaced = v128_and(f32x4_ne(product, product), vanishes(a, b));
                flush_result(v128_andnot(product, replaced), doubtful)
            },
            exact,
        ),
        Zero::Always => each(
            d,
            rows,
            |lanes, doubtful| {
                let [a, b] = operands(lanes);
                flush_result(v128_andnot(f32x4_mul(a, b), vanishes(a, b)), doubtful)
            },
            exact,
        ),
    }
}

/// a + b. Sums below the normal numbers are exact, so that none of them is doubtful.
#[inline(always)]
pub fn add(d: &mut [u32], rows: [&[u32]; 2], normal: u8, exact: impl Fn(&mut [u32], [&[u32]; 2])) {
    with_normal!(normal & 3, [0, 1, 2 | 3], sum_of::<NORMAL>(d, rows, |a, b| f32x4_add(a, b), &exact));
}

/// a - b. As [`add`].
#[inline(always)]
pub fn sub(d: &mut [u32], rows: [&[u32]; 2], normal: u8, exact: impl Fn(&mut [u32], [&[u32]; 2])) {
    with_normal!(normal & 3, [0, 1, 2 | 3], sum_of::<NORMAL>(d, rows, |a, b| f32x4_sub(a, b), &exact));
}

#[inline(never)]
fn sum_of<const NORMAL: u8>(
    d: &mut [u32],
    rows: [&[u32]; 2],
    sum: impl Fn(v128, v128) -> v128,
    exact: &impl Fn(&mut [u32], [&[u32]; 2]),
) {
    each(d, rows, |[a, b], _| flush(sum(operand::<NORMAL>(0, a), operand::<NORMAL>(1, b))), exact);
}
