//! Conversions between numbers and integers.

use ctm_num::convert::{
    f16_to_f32, f32_to_f16, f32_to_snorm, f32_to_unorm8, f32_to_unorm16, f32_to_unorm24, float_to_coordinate,
    float_to_index, unorm8_to_f32, unorm16_to_f32,
};
use ctm_num::ieee::{BINARY16, BINARY32, Rounding};

use crate::model::{INFINITY, MAX, NAN, ONE, Random, SIGN, STEP, specials};

/// floor(v * max + 1/2) of a number in [0, 1] in integers: v is mantissa * 2^-shift.
fn unorm_model(bits: u32, max: u32) -> u32 {
    if bits & !SIGN > INFINITY || bits & SIGN != 0 {
        return 0;
    }
    if bits >= ONE {
        return max;
    }
    let (exponent, fraction) = (bits >> 23, bits & 0x7F_FFFF);
    let mantissa = if exponent == 0 { fraction } else { fraction | 0x80_0000 };
    let shift = 150 - exponent.max(1);
    let product = u128::from(mantissa) * u128::from(max);
    // Below 2^48 / 2^60 the sum is less than 1.
    if shift > 60 { 0 } else { ((product + (1 << (shift - 1))) >> shift) as u32 }
}

#[track_caller]
fn check_unorm(bits: u32) {
    assert_eq!(u32::from(f32_to_unorm8(bits)), unorm_model(bits, 0xFF), "unorm8 of {bits:08X}");
    assert_eq!(u32::from(f32_to_unorm16(bits)), unorm_model(bits, 0xFFFF), "unorm16 of {bits:08X}");
    assert_eq!(f32_to_unorm24(bits), unorm_model(bits, 0xFF_FFFF), "unorm24 of {bits:08X}");
}

#[test]
fn every_code_survives_the_round_trip() {
    for code in 0..=u8::MAX {
        assert_eq!(f32_to_unorm8(unorm8_to_f32(code)), code);
    }
    for code in (0..=u16::MAX).step_by(STEP) {
        assert_eq!(f32_to_unorm16(unorm16_to_f32(code)), code);
    }
}

#[test]
fn codes_are_read_correctly_rounded() {
    // |r - code/max| <= ulp/2, with everything multiplied by max * 2^k to stay in integers.
    let check = |bits: u32, code: u32, max: u32| {
        let (exponent, mantissa) = (bits >> 23, u128::from(bits & 0x7F_FFFF | 0x80_0000));
        let exact = u128::from(code) << (150 - exponent);
        let error = (mantissa * u128::from(max)).abs_diff(exact);
        assert!(2 * error <= u128::from(max), "{code}/{max} reads as {bits:08X}");
    };
    for code in 1..=u8::MAX {
        check(unorm8_to_f32(code), code.into(), 0xFF);
    }
    for code in (1..=u16::MAX).step_by(STEP) {
        check(unorm16_to_f32(code), code.into(), 0xFFFF);
    }
    assert_eq!((unorm8_to_f32(0), unorm8_to_f32(255)), (0, ONE));
    assert_eq!((unorm16_to_f32(0), unorm16_to_f32(65535)), (0, ONE));
}

#[test]
fn writes_clamp_and_round_halves_up() {
    for bits in specials() {
        check_unorm(bits);
    }
    let expected = [(NAN, 0), (NAN | SIGN, 0), (INFINITY, 255), (INFINITY | SIGN, 0), (MAX, 255), (MAX | SIGN, 0)];
    for (bits, code) in expected {
        assert_eq!(f32_to_unorm8(bits), code, "{bits:08X}");
    }
    // 0.5 * 255 = 127.5, 0.5 * 65535 = 32767.5, 0.5 * 16777215 = 8388607.5.
    let half = 0.5f32.to_bits();
    assert_eq!((f32_to_unorm8(half), f32_to_unorm16(half), f32_to_unorm24(half)), (128, 0x8000, 0x80_0000));
    let below = half - 1;
    assert_eq!((f32_to_unorm8(below), f32_to_unorm16(below), f32_to_unorm24(below)), (127, 0x7FFF, 0x7F_FFFF));
}

/// Around every boundary between two codes, and at random.
#[test]
fn writes_are_exact() {
    for code in (0..0xFFFFu32).step_by(STEP) {
        for max in [0xFFu32, 0xFFFF, 0xFF_FFFF] {
            let boundary = ((f64::from(code) + 0.5) / f64::from(max)) as f32;
            for bits in boundary.to_bits() - 2..=boundary.to_bits() + 2 {
                check_unorm(bits);
            }
        }
    }
    let mut random = Random(10);
    for _ in (0..100_000).step_by(STEP) {
        check_unorm(random.with_exponent(90..128));
    }
}

#[test]
fn lookup_coordinates_are_floored_and_clamped() {
    let index = |value: f32, n: u32| float_to_index(value.to_bits(), n);
    let rows = [
        (0.0, 0),
        (-0.0, 0),
        (0.99, 0),
        (1.0, 1),
        (6.5, 6),
        (7.0, 7),
        (7.99, 7),
        (8.0, 7),
        (-0.01, 0),
        (-5.0, 0),
        (1e-40, 0),
        (-1e-40, 0),
        (4e9, 7),
        (5e9, 7),
        (f32::MAX, 7),
        (f32::MIN, 0),
        (f32::INFINITY, 7),
        (f32::NEG_INFINITY, 0),
    ];
    for (value, want) in rows {
        assert_eq!(index(value, 8), want, "index of {value} in 8");
    }
    for nan in [NAN, NAN | SIGN, 0x7F80_0001, 0xFFC0_0000] {
        assert_eq!(float_to_index(nan, 8), 0);
    }
    assert_eq!((index(5.0, 1), index(5.0, 0), index(f32::INFINITY, 0)), (0, 0, 0));
    assert_eq!(index(8191.0, 8192), 8191);
}

#[test]
fn scatter_coordinates_are_floored() {
    let coordinate = |value: f32| float_to_coordinate(value.to_bits());
    let rows = [(0.0, 0), (-0.0, 0), (2.99, 2), (-0.5, -1), (-3.0, -3), (4095.5, 4095), (1e-40, 0), (-1e-40, 0)];
    for (value, want) in rows {
        assert_eq!(coordinate(value), Some(want), "coordinate {value}");
    }
    assert_eq!((coordinate(f32::INFINITY), coordinate(f32::NEG_INFINITY)), (Some(i64::MAX), Some(i64::MIN)));
    for nan in [NAN, NAN | SIGN, 0x7F80_0001] {
        assert_eq!(float_to_coordinate(nan), None);
    }
}

#[test]
fn halves_are_those_of_the_exact_conversion() {
    let check = |bits: u32| {
        let half = u32::from(f32_to_f16(bits));
        match BINARY32.convert(Rounding::NearestEven, bits.into(), BINARY16) {
            Some(exact) => assert_eq!(half, exact as u32, "{bits:08X}"),
            None => assert_eq!(half, bits >> 16 & 0x8000 | 0x7E00 | bits >> 13 & 0x3FF, "{bits:08X}"),
        }
    };
    for half in (0..=u16::MAX).step_by(STEP) {
        let bits = f16_to_f32(half);
        match BINARY16.convert(Rounding::NearestEven, half.into(), BINARY32) {
            Some(exact) => {
                assert_eq!(bits, exact as u32, "{half:04X}");
                assert_eq!(f32_to_f16(bits), half);
                // The halfway points to both neighbours, and what lies next to these.
                for distance in [0, 1, 0xFFF, 0x1000, 0x1001] {
                    check(bits.wrapping_add(distance));
                    check(bits.wrapping_sub(distance));
                }
            }
            None => assert_eq!(bits, u32::from(half & 0x8000) << 16 | 0x7FC0_0000 | u32::from(half & 0x3FF) << 13),
        }
    }
    let mut random = Random(6);
    for _ in 0..100_000 {
        check(random.word());
    }
    specials().for_each(check);
}

#[test]
fn signed_codes_are_those_of_the_magnitude() {
    let mut random = Random(7);
    let check = |bits: u32| {
        let expected = unorm_model(bits & !SIGN, 127) as i32;
        assert_eq!(f32_to_snorm(bits, 127), if bits & SIGN != 0 { -expected } else { expected }, "{bits:08X}");
    };
    specials().for_each(check);
    (0..100_000).for_each(|_| check(random.word()));
}
