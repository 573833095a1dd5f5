//! Rounding in all directions: the host's arithmetic, corrected by the sign of its error.

use crate::model::{Random, STEP, specials};
use ctm_num::ieee::{BINARY16, BINARY32, BINARY64, Exact, Format, Rounding, power_of_two};

/// a * b + c in f64, and the sign of what that lacks to the exact value. All factors are f32 numbers.
fn exact_fma(a: f32, b: f32, c: f32) -> (f64, f64) {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let part = sum - product;
    (sum, (product - (sum - part)) + (c - part))
}

/// What the rounding to nearest becomes in another direction, if the exact value minus it has the sign of `error`.
fn directed(nearest: f32, error: f64, rounding: Rounding) -> f32 {
    let down = if error < 0.0 { nearest.next_down() } else { nearest };
    let up = if error > 0.0 { nearest.next_up() } else { nearest };
    match rounding {
        Rounding::NearestEven => nearest,
        Rounding::Down => down,
        Rounding::Up => up,
        Rounding::Zero if nearest > 0.0 || nearest == 0.0 && error > 0.0 => down,
        Rounding::Zero => up,
    }
}

fn expect_fma(rounding: Rounding, a: f32, b: f32, c: f32) -> Option<u32> {
    let nearest = a.mul_add(b, c);
    if nearest.is_nan() {
        return None;
    }
    if a == 0.0 || b == 0.0 {
        // An exact product of zero: only the sign of a zero sum depends on the direction.
        let cancels = c == 0.0 && (a * b).is_sign_negative() != c.is_sign_negative();
        return Some(if cancels && rounding == Rounding::Down { 0x8000_0000 } else { nearest.to_bits() });
    }
    if ![a, b, c].iter().all(|value| value.is_finite()) {
        return Some(nearest.to_bits());
    }
    let (sum, rest) = exact_fma(a, b, c);
    if sum == 0.0 && rest == 0.0 {
        return Some(if rounding == Rounding::Down { 0x8000_0000 } else { nearest.to_bits() });
    }
    let difference = sum - f64::from(nearest);
    let error = if difference == 0.0 { rest } else { difference };
    Some(directed(nearest, error, rounding).to_bits())
}

fn check_fma(a: u32, b: u32, c: u32) {
    for rounding in Rounding::ALL {
        let [x, y, z] = [a, b, c].map(f32::from_bits);
        let got = BINARY32.fma(rounding, a.into(), b.into(), c.into()).map(|bits| bits as u32);
        assert_eq!(got, expect_fma(rounding, x, y, z), "{a:#x} * {b:#x} + {c:#x} {rounding:?}");
    }
}

#[test]
fn fused_multiply_add_rounds_once_in_every_direction() {
    for a in specials() {
        for b in specials() {
            for c in specials() {
                check_fma(a, b, c);
            }
        }
    }
    let mut random = Random(1);
    for _ in (0..30_000).step_by(STEP) {
        // Factors around one, and an addend near the product's magnitude, cancel often.
        let near = |word: u32| word & 0x807F_FFFF | (120 + (word >> 23 & 15)) << 23;
        check_fma(random.word(), random.word(), random.word());
        let (a, b) = (near(random.word()), near(random.word()));
        let product = (f32::from_bits(a) * f32::from_bits(b)).to_bits();
        check_fma(a, b, near(random.word()));
        check_fma(a, b, product ^ 0x8000_0000 ^ random.word() & 3);
        check_fma(a & 0x8FFF_FFFF, b & 0x9FFF_FFFF, random.word() & 0x807F_FFFF);
    }
}

#[test]
fn sums_and_products_are_those_of_the_host() {
    let mut random = Random(2);
    let mut long = || u64::from(random.word()) << 32 | u64::from(random.word());
    let some = |value: f64| (!value.is_nan()).then(|| value.to_bits());
    for _ in (0..30_000).step_by(STEP) {
        let (a, c, shift) = (long(), long(), long() % 40);
        let b = (a ^ c & 0x001F_FFFF_FFFF_FFFF).wrapping_add(shift << 52);
        for (a, b) in [(a, c), (a, b), (a, a ^ 1 << 63)] {
            let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            assert_eq!(BINARY64.add(Rounding::NearestEven, a, b), some(x + y), "{a:#x} + {b:#x}");
            assert_eq!(BINARY64.mul(Rounding::NearestEven, a, b, 0), some(x * y), "{a:#x} * {b:#x}");
            assert_eq!(BINARY64.fma(Rounding::NearestEven, a, b, c), some(x.mul_add(y, z)), "{a:#x} * {b:#x} + {c:#x}");
            assert_eq!(BINARY64.compare(a, b), x.partial_cmp(&y), "{a:#x} {b:#x}");
        }
    }
}

#[test]
fn powers_of_two_are_exact() {
    let found = [-1022, -1, 0, 10, 1023].map(power_of_two);
    assert_eq!(found, [f64::MIN_POSITIVE, 0.5, 1.0, 1024.0, f64::from_bits(0x7FE0_0000_0000_0000)]);
}

#[test]
fn a_scale_is_part_of_the_one_rounding() {
    // 3 * 2^-149 * 2^-1 is a tie between 1 and 2 denormal units; rounding twice would not matter here, but for 2^-3 of
    // 0x1.8p-126 it does: the product alone would be exact.
    assert_eq!(BINARY32.mul(Rounding::NearestEven, 3, 0x3F80_0000, -1), Some(2));
    assert_eq!(BINARY32.mul(Rounding::Zero, 3, 0x3F80_0000, -1), Some(1));
    assert_eq!(BINARY32.mul(Rounding::NearestEven, 0x7F00_0000, 0x4000_0000, -2), Some(0x7E80_0000));
}

#[test]
fn formats_convert_as_the_host_does() {
    let mut random = Random(3);
    for _ in (0..30_000).step_by(STEP) {
        let bits = u64::from(random.word()) << 32 | u64::from(random.word());
        let double = f64::from_bits(bits & 0xC7FF_FFFF_FFFF_FFFF | 0x3800_0000_0000_0000 & (bits << 1));
        let nearest = BINARY64.convert(Rounding::NearestEven, double.to_bits(), BINARY32);
        let expected = (!double.is_nan()).then(|| u64::from((double as f32).to_bits()));
        assert_eq!(nearest, expected, "{double:e}");
        let single = random.word();
        let wide = f64::from(f32::from_bits(single));
        let expected = (!wide.is_nan()).then(|| wide.to_bits());
        assert_eq!(BINARY32.convert(Rounding::Down, single.into(), BINARY64), expected);
    }
    // Half precision, from its definition; the least number is 2^-24.
    let least: f64 = 1.0 / 16_777_216.0;
    for (half, value) in [(0x0001, least), (0x03FF, 1023.0 * least), (0x3C01, 1.0009765625), (0xFBFF, -65504.0)] {
        assert_eq!(BINARY16.convert(Rounding::Zero, half, BINARY64), Some(value.to_bits()), "{half:#x}");
        assert_eq!(BINARY64.convert(Rounding::Up, value.to_bits(), BINARY16), Some(half), "{half:#x}");
    }
    let convert = |rounding, value: f32| BINARY32.convert(rounding, value.to_bits().into(), BINARY16);
    assert_eq!(convert(Rounding::NearestEven, 65519.0), Some(0x7BFF));
    assert_eq!(convert(Rounding::NearestEven, 65520.0), Some(0x7C00));
    assert_eq!(convert(Rounding::Zero, 1e9), Some(0x7BFF));
    assert_eq!(convert(Rounding::Up, -1e9), Some(0xFBFF));
    assert_eq!(convert(Rounding::Down, -1e9), Some(0xFC00));
}

#[test]
fn integral_values_and_integers() {
    let mut random = Random(4);
    let words = specials().chain((0..30_000).step_by(STEP).map(|_| {
        let word = random.word();
        if word & 1 == 0 { word } else { word & 0x807F_FFFF | (124 + (word >> 23 & 31)) << 23 }
    }));
    for word in words.collect::<Vec<_>>() {
        let value = f32::from_bits(word);
        let expected = [value.round_ties_even(), value.floor(), value.ceil(), value.trunc()];
        for (rounding, expected) in Rounding::ALL.into_iter().zip(expected) {
            let some = (!expected.is_nan()).then(|| u64::from(expected.to_bits()));
            assert_eq!(BINARY32.round_to_integral(rounding, word.into()), some, "{value:e} {rounding:?}");
            if let ctm_num::ieee::Number::Finite(exact) = BINARY32.unpack(word.into()) {
                let integer = (expected.abs() < 18_446_744_073_709_551_616.0).then_some(expected as i128);
                assert_eq!(exact.to_integer(rounding), integer, "{value:e} {rounding:?}");
            }
        }
    }
    for value in [0, 1, -1, (1 << 24) + 1, i128::from(i64::MIN), i128::from(u64::MAX)] {
        let round = |format: Format, rounding| format.round(Exact::integer(value), rounding);
        assert_eq!(round(BINARY32, Rounding::NearestEven), u64::from((value as f32).to_bits()));
        assert_eq!(round(BINARY64, Rounding::NearestEven), (value as f64).to_bits());
    }
}
