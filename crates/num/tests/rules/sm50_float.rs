//! Sums, minimum and maximum, clamps and conversions of the SPA 5.0's floats: f64 against the host, f32 against tables.

use crate::model::{INFINITY, MIN_NORMAL, NAN, ONE, Random, SIGN, STEP};
use ctm_num::ieee::{BINARY16, BINARY32, BINARY64, Format, Rounding};
use ctm_num::sm50::*;

/// Just above the numbers that round to 1.
const HALF_STEP_OF_ONE: u32 = 0x3380_0000;

fn f(value: f32) -> u32 {
    value.to_bits()
}

#[test]
fn sums_round_and_flush_as_their_rules_say() {
    let rounded = |rounding| fadd(FloatRules { rounding, ..FloatRules::default() }, ONE, HALF_STEP_OF_ONE);
    let directions = [Rounding::NearestEven, Rounding::Down, Rounding::Up, Rounding::Zero];
    assert_eq!(directions.map(rounded), [ONE, ONE, ONE + 1, ONE]);
    for (denormals, operand, result) in
        [(Denormals::Keep, MIN_NORMAL + 1, 1), (Denormals::Flush, MIN_NORMAL, 0), (Denormals::FlushZero, MIN_NORMAL, 0)]
    {
        let rules = FloatRules { denormals, ..FloatRules::default() };
        assert_eq!(fadd(rules, MIN_NORMAL, 1), operand, "{denormals:?}: denormal operands");
        assert_eq!(fadd(rules, MIN_NORMAL + 1, MIN_NORMAL | SIGN), result, "{denormals:?}: denormal results");
    }
    let rules = FloatRules::default();
    assert_eq!([fadd(rules, SIGN, SIGN), fadd(rules, INFINITY, INFINITY | SIGN)], [SIGN, NAN]);
}

#[test]
fn products_of_zero_are_special_with_fmz_only() {
    let rules = |denormals| FloatRules { denormals, ..FloatRules::default() };
    for denormals in [Denormals::Keep, Denormals::Flush] {
        assert_eq!(fmul(rules(denormals), 0, INFINITY, 0), NAN, "{denormals:?}");
        assert_eq!(fmul(rules(denormals), SIGN, ONE, 0), SIGN, "{denormals:?}");
        assert_eq!(ffma(rules(denormals), 0, NAN, ONE), NAN, "{denormals:?}");
    }
    for denormals in [Denormals::Keep, Denormals::Flush, Denormals::FlushZero] {
        assert_eq!(fmul(rules(denormals), f(-2.0), f(3.0), 0), f(-6.0), "{denormals:?}");
        assert_eq!(ffma(rules(denormals), f(-2.0), f(3.0), ONE), f(-5.0), "{denormals:?}");
    }
}

#[test]
fn saturated_results_are_from_0_to_1() {
    for (bits, saturated) in [
        (0, 0),
        (SIGN, 0),
        (1, 1),
        (SIGN | 1, 0),
        (f(0.5), f(0.5)),
        (f(-0.5), 0),
        (ONE, ONE),
        (ONE + 1, ONE),
        (INFINITY, ONE),
        (INFINITY | SIGN, 0),
        (NAN, 0),
        (NAN | SIGN, 0),
    ] {
        assert_eq!(saturate(bits), saturated, "{bits:#x}");
        let rules = FloatRules { saturate: true, ..FloatRules::default() };
        assert_eq!(fadd(rules, bits, 0), saturated, "{bits:#x}");
        let to_float = |to: Format| {
            let precise = FloatRounding::Precision(Rounding::NearestEven);
            float_to_float(BINARY32, to, bits.into(), precise, false, true)
        };
        assert_eq!(to_float(BINARY32), saturated.into(), "{bits:#x}");
        let half = BINARY32.convert(Rounding::NearestEven, saturated.into(), BINARY16);
        assert_eq!(Some(to_float(BINARY16)), half, "{bits:#x}");
    }
}

#[test]
fn nans_are_those_of_the_format_that_they_come_to() {
    let precise = FloatRounding::Precision(Rounding::NearestEven);
    for (from, nan) in [(BINARY16, 0xFC01), (BINARY32, 0x7F80_0001), (BINARY64, 0xFFF8_0000_0000_0000)] {
        let found = [BINARY16, BINARY32, BINARY64].map(|to| float_to_float(from, to, nan, precise, false, false));
        assert_eq!(found, [0x7FFF, 0x7FFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF], "{nan:#x}");
    }
    // FTZ keeps the sign of what it flushes.
    assert_eq!(float_to_float(BINARY32, BINARY32, u64::from(SIGN | 1), precise, true, false), SIGN.into());
    assert_eq!(float_to_float(BINARY32, BINARY32, MIN_NORMAL.into(), precise, true, false), MIN_NORMAL.into());
}

#[test]
fn integers_end_where_their_type_does() {
    let of = |bits, signed| IntegerType { bits, signed };
    for bits in [8, 16, 32, 64] {
        let to = |value: f64, signed| {
            float_to_integer(BINARY64, value.to_bits(), false, Rounding::NearestEven, of(bits, signed))
        };
        let ones = u64::MAX >> (64 - bits);
        assert_eq!([1e30, f64::INFINITY, -1e30, -1.0].map(|value| to(value, false)), [ones, ones, 0, 0], "{bits}");
        assert_eq!([1e30, f64::INFINITY].map(|value| to(value, true)), [ones >> 1; 2], "{bits}");
        // Registers hold negative numbers of small types as those of 32 bits.
        let least = if bits == 64 { 1 << 63 } else { u64::from((-1i32 << (bits - 1)).cast_unsigned()) };
        assert_eq!([-1e30, f64::NEG_INFINITY].map(|value| to(value, true)), [least; 2], "{bits}");
        let saturated = |value: u64, from| integer_to_integer(from, value, [false; 2], of(bits, false), true);
        assert_eq!(saturated(u64::MAX, of(64, false)), ones, "{bits}");
        assert_eq!([saturated(u64::MAX, of(64, true)), saturated(7, of(64, true))], [0, 7], "{bits}");
    }
}

/// From the least to the greatest, -0 below +0; of a NaN and a number the number.
#[test]
fn minima_and_maxima() {
    let values = [f32::NEG_INFINITY, -2.0, -1.5, -0.0, 0.0, 0.5, 1.0, f32::INFINITY];
    for (n, &low) in values.iter().enumerate() {
        for &high in &values[n..] {
            for [a, b] in [[low, high], [high, low]] {
                let single = [true, false].map(|min| fmnmx(min, Denormals::Keep, f(a), f(b)));
                assert_eq!(single, [f(low), f(high)], "{a} {b}");
                let [wide_a, wide_b] = [a, b].map(|value| f64::from(value).to_bits());
                let double = [true, false].map(|min| dmnmx(min, wide_a, wide_b));
                assert_eq!(double, [low, high].map(|value| f64::from(value).to_bits()), "{a} {b}");
            }
        }
        for min in [true, false] {
            let (nan, low, wide_nan, wide) = (0xFF80_0001, f(low), 0x7FF0_0000_0000_0001, f64::from(low).to_bits());
            assert_eq!([fmnmx(min, Denormals::Keep, nan, low), fmnmx(min, Denormals::Keep, low, nan)], [low; 2]);
            assert_eq!([dmnmx(min, wide_nan, wide), dmnmx(min, wide, wide_nan)], [wide; 2]);
            assert_eq!((fmnmx(min, Denormals::Keep, nan, nan), dmnmx(min, wide_nan, wide_nan)), (NAN, NAN_F64));
        }
    }
    assert_eq!([Denormals::Keep, Denormals::Flush].map(|denormals| fmnmx(true, denormals, 1, ONE)), [1, 0]);
    assert_eq!([Denormals::Keep, Denormals::Flush].map(|denormals| fmnmx(false, denormals, 1, SIGN)), [1, 0]);
}

/// The host's f64 rounds to nearest.
#[test]
fn doubles_are_those_of_the_host() {
    let mut random = Random(11);
    let mut double = |spread: u64| {
        let bits = u64::from(random.word()) << 32 | u64::from(random.word());
        // Exponents near that of 1, so that terms overlap.
        let exponent = 1023 - spread / 2 + (bits >> 52) % spread;
        f64::from_bits(bits & 0x800F_FFFF_FFFF_FFFF | exponent << 52)
    };
    let nearest = Rounding::NearestEven;
    for spread in (0..3000).step_by(STEP).map(|n| 1 + n % 110) {
        let [a, b, c] = [double(spread), double(spread), double(spread)];
        let [x, y, z] = [a, b, c].map(f64::to_bits);
        assert_eq!(dadd(nearest, x, y), (a + b).to_bits(), "{a} + {b}");
        assert_eq!(dmul(nearest, x, y), (a * b).to_bits(), "{a} * {b}");
        assert_eq!(dfma(nearest, x, y, z), a.mul_add(b, c).to_bits(), "{a} * {b} + {c}");
        // What the product lacks: its lower half has to be there.
        let rounded = -(a * b);
        assert_eq!(dfma(nearest, x, y, rounded.to_bits()), a.mul_add(b, rounded).to_bits(), "{a} * {b}");
    }
    let [one, infinity, tiny] = [1.0, f64::INFINITY, f64::EPSILON / 4.0].map(f64::to_bits);
    assert_eq!(dadd(nearest, infinity, infinity | 1 << 63), NAN_F64);
    assert_eq!(dmul(nearest, infinity, 0), NAN_F64);
    assert_eq!(dfma(nearest, infinity, one, infinity | 1 << 63), NAN_F64);
    assert_eq!([Rounding::Up, Rounding::Down].map(|rounding| dadd(rounding, one, tiny)), [one + 1, one]);
    assert_eq!([Rounding::Up, Rounding::Down].map(|rounding| dmul(rounding, one + 1, one + 1)), [one + 3, one + 2]);
    assert_eq!([Rounding::Up, Rounding::Down].map(|rounding| dfma(rounding, one, one, tiny)), [one + 1, one]);
}

/// Decision S35, by biased exponents.
#[test]
fn divisions_that_need_care() {
    for (a, b, needs_care) in [
        (127, 127, false),
        (254, 200, false),
        (255, 200, true),
        (200, 255, true),
        (25, 1, false),
        (25, 0, true),
        (25, 25, false),
        (24, 25, true),
        (252, 252, false),
        (252, 253, true),
        (151, 26, false),
        (152, 26, true),
        (26, 151, false),
        (26, 152, true),
    ] {
        // Neither signs nor mantissas count.
        for noise in [0, 0x807F_FFFF] {
            let [a, b] = [a, b].map(|exponent: u32| exponent << 23 | noise);
            assert_eq!(division_needs_care(a, b), needs_care, "{a:#x} / {b:#x}");
        }
    }
}
