//! The R700 rules: NaNs, the zero rule, selections, reductions, conversions and components, against written-out tables and
//! wide arithmetic.

use crate::model::{INFINITY, MAX, ONE, Random, SIGN, STEP, specials};
use ctm_num::r700::{self, NormMode, R700_NAN, TrigRange};

const QUIET: u32 = 0x0040_0000;

fn f(value: f32) -> u32 {
    value.to_bits()
}

fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

#[test]
fn the_first_nan_operand_is_the_result_quieted() {
    let (first, second) = (0xFF80_0001, 0x7FC1_2345);
    type Binary = fn(u32, u32) -> u32;
    for (name, op) in [("add", r700::add as Binary), ("mul", r700::mul), ("mul_ieee", r700::mul_ieee)] {
        assert_eq!(op(first, second), first | QUIET, "{name}");
        assert_eq!(op(ONE, second), second, "{name}");
        assert_eq!(op(second, ONE), second, "{name}");
    }
    assert_eq!(r700::add(INFINITY, INFINITY | SIGN), R700_NAN);
    assert_eq!(r700::muladd(ONE, second, first), second, "the product comes before the addend");
    assert_eq!(r700::muladd(0, second, first), first | QUIET, "a vanished product is not a NaN");
    type Unary = fn(u32) -> u32;
    let unary: [(&str, Unary, u32); 12] = [
        ("exp", r700::exp, second),
        ("log", r700::log, f(-1.0)),
        ("recip", r700::recip, second),
        ("recipsqrt", r700::recipsqrt, f(-1.0)),
        ("sqrt", r700::sqrt, f(-1.0)),
        ("fract", r700::fract, INFINITY),
        ("floor", r700::floor, second),
        ("ceil", r700::ceil, second),
        ("trunc", r700::trunc, second),
        ("rndne", r700::rndne, second),
        ("sin", |a| r700::sin(TrigRange::Turns, a), INFINITY),
        ("cos", |a| r700::cos(TrigRange::Turns, a), INFINITY | SIGN),
    ];
    for (name, op, argument) in unary {
        assert_eq!(op(first), first | QUIET, "{name}");
        assert_eq!(op(argument), if is_nan(argument) { argument } else { R700_NAN }, "{name}");
    }
}

#[test]
fn products_with_zero() {
    for other in specials() {
        for zero in [0, SIGN, 1, SIGN | 0x007F_FFFF] {
            assert_eq!(r700::mul(zero, other), 0, "{zero:#x} {other:#x}");
            assert_eq!(r700::mul(other, zero), 0, "{zero:#x} {other:#x}");
        }
    }
    assert_eq!(r700::mul_ieee(SIGN, ONE), SIGN);
    assert_eq!(r700::mul_ieee(0, INFINITY), R700_NAN);
}

#[test]
fn multiply_adds_round_twice() {
    let (a, b) = (f(1.0 + f32::EPSILON), f(1.0 - f32::EPSILON));
    assert_eq!(r700::muladd(a, b, f(-1.0)), 0, "the product rounds to 1");
    assert_ne!((f32::from_bits(a)).mul_add(f32::from_bits(b), -1.0), 0.0);
    assert_eq!(r700::muladd_ieee(a, b, f(-1.0)), 0, "the product rounds to 1");
    assert_eq!([r700::muladd(0, INFINITY, ONE), r700::muladd_ieee(0, INFINITY, ONE)], [ONE, R700_NAN]);
    assert_eq!([r700::muladd, r700::muladd_ieee].map(|op| op(f(2.0), f(-3.0), f(4.0))), [f(-2.0); 2]);
    assert_eq!(r700::scale(2, f(1.5)), f(6.0));
    assert_eq!(r700::scale(-1, 0x0080_0000), 0, "flushed");
}

#[test]
fn literal_multiplication() {
    let minus_max = MAX | SIGN;
    for (b, c) in [(minus_max, ONE), (INFINITY | SIGN, ONE), (R700_NAN, ONE), (ONE, 0), (ONE, f(-1.0)), (ONE, R700_NAN)]
    {
        assert_eq!(r700::mul_lit(f(2.0), b, c), minus_max, "{b:#x} {c:#x}");
    }
    assert_eq!(r700::mul_lit(f(2.0), f(3.0), ONE), f(6.0));
}

#[test]
fn selections_keep_bits() {
    let nan = 0x7F80_0001;
    assert_eq!([r700::max(0, SIGN), r700::max(SIGN, 0)], [0, SIGN], "equal: the first");
    assert_eq!([r700::min(0, SIGN), r700::min(SIGN, 0)], [SIGN, 0], "equal: the second");
    assert_eq!([r700::max(nan, ONE), r700::max(ONE, nan)], [ONE, nan]);
    assert_eq!([r700::min(nan, ONE), r700::min(ONE, nan)], [ONE, nan]);
    assert_eq!([r700::max_dx10(nan, ONE), r700::max_dx10(ONE, nan), r700::max_dx10(nan, R700_NAN)], [ONE, ONE, nan]);
    assert_eq!([r700::min_dx10(nan, ONE), r700::min_dx10(ONE, nan), r700::min_dx10(nan, R700_NAN)], [ONE, ONE, nan]);
    assert_eq!(r700::max(1, 2), 1, "denormals compare as zeros and stay");
    assert!(r700::not_equal(ONE, 0) && !r700::not_equal(ONE, ONE) && !r700::not_equal(SIGN, 1));
    assert!(r700::not_equal(nan, nan) && !r700::equal(nan, nan) && !r700::greater_equal(nan, nan));
    for clamped in [SIGN, 1, f(-2.0)] {
        assert_eq!(r700::clamp(false, clamped), 0);
    }
    assert_eq!([r700::clamp(true, nan), r700::clamp(false, nan)], [0, nan]);
    assert_eq!([r700::clamp(true, INFINITY), r700::clamp(true, f(0.25))], [ONE, f(0.25)]);
}

#[test]
fn clamped_and_flushed_infinities() {
    let minus_max = MAX | SIGN;
    assert_eq!(
        [r700::log(0), r700::log_clamped(SIGN), r700::log_clamped(f(8.0))],
        [INFINITY | SIGN, minus_max, f(3.0)]
    );
    assert_eq!(
        [r700::recip(SIGN), r700::recip_clamped(SIGN), r700::recip_ff(SIGN)],
        [INFINITY | SIGN, minus_max, SIGN]
    );
    assert_eq!([r700::recipsqrt(0), r700::recipsqrt_clamped(0), r700::recipsqrt_ff(0)], [INFINITY, MAX, 0]);
    assert_eq!([r700::recip(f(4.0)), r700::recipsqrt(f(4.0)), r700::sqrt(f(4.0))], [f(0.25), f(0.5), f(2.0)]);
    assert_eq!([r700::recip_ff, r700::recip_clamped].map(|op| op(f(-4.0))), [f(-0.25); 2]);
    assert_eq!([r700::recipsqrt_ff, r700::recipsqrt_clamped].map(|op| op(f(4.0))), [f(0.5); 2]);
    assert_eq!([r700::exp(f(-1.0)), r700::exp(INFINITY | SIGN)], [f(0.5), 0]);
}

/// What rounds to zero keeps its sign, denormals too.
#[test]
fn roundings_to_integral_values() {
    for (value, [floor, ceil, trunc, rndne]) in [
        (1.5, [1.0, 2.0, 1.0, 2.0]),
        (2.5, [2.0, 3.0, 2.0, 2.0]),
        (-1.5, [-2.0, -1.0, -1.0, -2.0]),
        (0.75, [0.0, 1.0, 0.0, 1.0]),
        (-0.5, [-1.0, -0.0, -0.0, -0.0]),
        (-0.0, [-0.0; 4]),
        (f32::from_bits(1), [0.0; 4]),
        (-f32::from_bits(1), [-0.0; 4]),
        (8_388_609.0, [8_388_609.0; 4]),
        (f32::NEG_INFINITY, [f32::NEG_INFINITY; 4]),
    ] {
        let found = [r700::floor, r700::ceil, r700::trunc, r700::rndne].map(|op| op(f(value)));
        assert_eq!(found, [floor, ceil, trunc, rndne].map(f), "{value}");
    }
}

#[test]
fn angles_in_turns_and_in_radians() {
    assert_eq!(r700::sin(TrigRange::Turns, f(0.25)), ONE);
    assert_eq!(r700::cos(TrigRange::Turns, f(256.0)), ONE);
    assert_eq!(r700::sin(TrigRange::Turns, f(256.25)), 0, "out of range");
    assert_eq!(r700::cos(TrigRange::Turns, f(-300.25)), ONE, "out of range");
    for a in [0.1f32, -1.0, 3.0] {
        let (sin, cos) = (r700::sin(TrigRange::Radians, f(a)), r700::cos(TrigRange::Radians, f(a)));
        assert!((f32::from_bits(sin) - a.sin()).abs() < 1e-6 && (f32::from_bits(cos) - a.cos()).abs() < 1e-6, "{a}");
    }
}

#[test]
fn dot_products_add_from_left_to_right() {
    let (large, one) = (f(16_777_216.0), ONE);
    assert_eq!(r700::dot4([large, one, one, one], [ONE; 4]), large, "each 1 is lost");
    assert_eq!(r700::dot4([one, one, one, large], [ONE; 4]), f(16_777_220.0), "3 rounds up to even");
    assert_eq!(r700::dot4([0, ONE, 0, 0], [R700_NAN, ONE, INFINITY, 0]), ONE);
    assert_eq!(r700::dot4_ieee([0, ONE, 0, 0], [INFINITY, ONE, 0, 0]), R700_NAN);
    assert_eq!(r700::max4([f(-1.0), f(3.0), f(2.0), 0]), f(3.0));
}

#[test]
fn cube_faces() {
    // The direction, and t, s, twice the axis, face.
    let table: [([f32; 3], [f32; 4]); 14] = [
        ([4.0, 2.0, 1.0], [-2.0, -1.0, 8.0, 0.0]),
        ([-4.0, 2.0, 1.0], [-2.0, 1.0, -8.0, 1.0]),
        ([1.0, 4.0, 2.0], [2.0, 1.0, 8.0, 2.0]),
        ([1.0, -4.0, 2.0], [-2.0, 1.0, -8.0, 3.0]),
        ([1.0, 2.0, 4.0], [-2.0, 1.0, 8.0, 4.0]),
        ([1.0, 2.0, -4.0], [-2.0, -1.0, -8.0, 5.0]),
        ([4.0, -2.0, -1.0], [2.0, 1.0, 8.0, 0.0]),
        ([-4.0, -2.0, -1.0], [2.0, -1.0, -8.0, 1.0]),
        ([-1.0, 4.0, -2.0], [-2.0, -1.0, 8.0, 2.0]),
        ([-1.0, -4.0, -2.0], [2.0, -1.0, -8.0, 3.0]),
        ([-1.0, -2.0, 4.0], [2.0, -1.0, 8.0, 4.0]),
        ([-1.0, -2.0, -4.0], [2.0, 1.0, -8.0, 5.0]),
        ([1.0, 1.0, 1.0], [-1.0, 1.0, 2.0, 4.0]),
        ([1.0, 1.0, 0.5], [0.5, 1.0, 2.0, 2.0]),
    ];
    for (direction, expected) in table {
        assert_eq!(r700::cube(direction.map(f)), expected.map(f), "{direction:?}");
    }
}

#[test]
fn integers() {
    assert_eq!(
        [r700::lshl(1, 31), r700::lshl(1, 33), r700::lshr(SIGN, 31), r700::lshr(SIGN, 34)],
        [SIGN, 2, 1, SIGN >> 2]
    );
    assert_eq!([r700::ashr(SIGN, 31), r700::ashr(SIGN, 65), r700::ashr(7, 32)], [u32::MAX, SIGN | SIGN >> 1, 7]);
    // Rotation as piglit's glsl-rotate-left has it, by 34 and 2 - 34.
    assert_eq!(r700::lshl(0xAAEB_6FAF, 34) | r700::lshr(0xAAEB_6FAF, 32u32.wrapping_sub(34)), 0xABAD_BEBE);
    assert_eq!([r700::recip_uint(0), r700::recip_uint(1), r700::recip_uint(3)], [u32::MAX, u32::MAX, 0x5555_5555]);
    assert_eq!(
        [r700::recip_int(0), r700::recip_int(1), r700::recip_int(u32::MAX)],
        [0x7FFF_FFFF, 0x7FFF_FFFF, 0x8000_0001]
    );
    assert_eq!(r700::recip_int(SIGN), u32::MAX);
    let mut random = Random(7);
    for _ in (0..1000).step_by(STEP) {
        let (a, b) = (random.word(), random.word());
        assert_eq!(r700::recip_uint(b | 2), ((1u64 << 32) / u64::from(b | 2)) as u32);
        assert_eq!(u64::from(r700::mulhi_uint(a, b)) << 32 | u64::from(a.wrapping_mul(b)), u64::from(a) * u64::from(b));
    }
    assert_eq!(r700::mulhi_int(u32::MAX, 5), u32::MAX);
    assert_eq!(
        [r700::float_to_int(f(-1.9)), r700::float_to_int(R700_NAN), r700::float_to_int(f(3e9))],
        [u32::MAX, 0, i32::MAX as u32]
    );
    assert_eq!(
        [r700::float_to_uint(f(-1.0)), r700::float_to_uint(f(3e9)), r700::float_to_uint(f(5e9))],
        [0, 3_000_000_000, u32::MAX]
    );
    assert_eq!([r700::int_to_float(u32::MAX), r700::uint_to_float(u32::MAX)], [f(-1.0), f(4_294_967_296.0)]);
    assert_eq!([r700::mova(f(1.5)), r700::mova(f(-1.5)), r700::mova(f(1e9)), r700::mova(R700_NAN)], [2, -1, 255, 0]);
    assert_eq!(
        [r700::mova_floor(f(-0.5)), r700::mova_floor(f(-1e9)), r700::mova_int(1000), r700::mova_int(SIGN)],
        [-1, -256, 255, -256]
    );
}

#[test]
fn predicates_count_nesting() {
    assert_eq!([r700::simple(true).value, r700::simple(false).value], [0, ONE]);
    let inverted = [ONE, 0, f(3.0)].map(r700::set_inv);
    assert_eq!(inverted.map(|p| p.pass), [true, false, false]);
    assert_eq!(inverted.map(|p| p.value), [0, ONE, f(3.0)]);
    assert_eq!((r700::set_pop(f(3.0), ONE).value, r700::set_pop(ONE, ONE).pass), (f(2.0), true));
    assert_eq!((r700::set_clr().value, r700::set_clr().pass), (MAX, false));
    assert_eq!((r700::set_restore(f(2.0)).value, r700::set_restore(SIGN).pass), (f(2.0), true));
    assert_eq!(
        (r700::set_push(0, true).pass, r700::set_push(0, false).value, r700::set_push(ONE, true).value),
        (true, ONE, f(2.0))
    );
}

#[test]
fn fractions() {
    assert_eq!(
        [r700::unorm(0, 8), r700::unorm(255, 8), r700::unorm(u32::MAX, 32), r700::unorm(1, 1)],
        [0, ONE, ONE, ONE]
    );
    for code in (0..=u16::MAX).step_by(STEP) {
        assert_eq!(r700::unorm(code.into(), 16), ctm_num::convert::unorm16_to_f32(code));
    }
    let snorm = |v, mode| f32::from_bits(r700::snorm(v, 8, mode));
    assert_eq!([-128, -127, 0, 127].map(|v| snorm(v, NormMode::ZeroClampMinusOne)), [-1.0, -1.0, 0.0, 1.0]);
    assert_eq!([-128, 127].map(|v| snorm(v, NormMode::NoZero)), [-1.0, 1.0]);
    assert_eq!(snorm(0, NormMode::NoZero), 1.0 / 255.0);
    assert_eq!([0, -1].map(|v| r700::snorm(v, 1, NormMode::ZeroClampMinusOne)), [0, f(-1.0)]);
    assert_eq!(r700::snorm(i32::MIN, 32, NormMode::NoZero), f(-1.0));
}

#[test]
fn small_floats() {
    for (half, wide) in [
        (0x3C00, ONE),
        (0xC000, f(-2.0)),
        (0x7BFF, f(65504.0)),
        (0x0001, f(5.960_464_5e-8)),
        (0x8000, SIGN),
        (0xFC00, INFINITY | SIGN),
        (0x7C01, 0x7F80_2000),
    ] {
        assert_eq!(r700::float_16(half), wide, "{half:#x}");
    }
    assert_eq!([r700::float_11(0x3C0), r700::float_11(0x7C0), r700::float_11(1)], [ONE, INFINITY, f(9.536_743e-7)]);
    assert_eq!([r700::float_10(0x1E0), r700::float_10(0x3E0), r700::float_10(0x1F0)], [ONE, INFINITY, f(1.5)]);
    assert_eq!(
        [r700::float_24(0xF0_0000), r700::float_24(0xFF_FFFF), r700::float_24(0)],
        [ONE, f(2.0 - 1.0 / 1_048_576.0), 0]
    );
    assert_eq!(
        [r700::shared_exponent(256, 16), r700::shared_exponent(511, 31), r700::shared_exponent(0, 3)],
        [ONE, f(65408.0), 0]
    );
}
