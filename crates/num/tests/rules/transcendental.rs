//! EX2, LN2, RCP, RSQ, SIN and COS: special values, exact cases, error bounds on samples, and the very bits.
//! (`examples/accuracy.rs` measures the errors over all inputs.)

use std::f64::consts::TAU;

use ctm_num::x1k::{cos, ex2, ln2, rcp, rsq, sin};

use crate::model::{
    self, INFINITY, MAX, MIN_NORMAL, NAN, ONE, Random, SIGN, STEP, is_nan, operand, power_of_two, specials,
};

const MINUS_ZERO: u32 = SIGN;
const MINUS_INFINITY: u32 = SIGN | INFINITY;

fn wide(bits: u32) -> f64 {
    f64::from(f32::from_bits(operand(bits)))
}

#[test]
fn special_values() {
    let zeros = [(0, 1), (0x007F_FFFF, 0x0000_1000)];
    for (name, operation, [minus_infinity, minus_zero, plus_zero, plus_infinity]) in [
        ("EX2", ex2 as fn(u32) -> u32, [0, ONE, ONE, INFINITY]),
        ("LN2", ln2, [NAN, MINUS_INFINITY, MINUS_INFINITY, INFINITY]),
        ("RCP", rcp, [MINUS_ZERO, MINUS_INFINITY, INFINITY, 0]),
        ("RSQ", rsq, [NAN, MINUS_INFINITY, INFINITY, 0]),
        ("SIN", sin, [NAN, MINUS_ZERO, 0, NAN]),
        ("COS", cos, [NAN, ONE, ONE, NAN]),
    ] {
        for nan in [NAN, SIGN | NAN, 0x7F80_0001, 0xFFC0_0000] {
            assert_eq!(operation(nan), NAN, "{name} of {nan:08X}");
        }
        assert_eq!(operation(MINUS_INFINITY), minus_infinity, "{name} of -inf");
        assert_eq!(operation(INFINITY), plus_infinity, "{name} of inf");
        for zero in zeros.into_iter().flat_map(|(a, b)| [a, b]) {
            assert_eq!(operation(zero), plus_zero, "{name} of {zero:08X}");
            assert_eq!(operation(SIGN | zero), minus_zero, "{name} of -{zero:08X}");
        }
    }
    for negative in [SIGN | MIN_NORMAL, SIGN | ONE, SIGN | MAX] {
        assert_eq!((ln2(negative), rsq(negative)), (NAN, NAN), "{negative:08X}");
    }
}

#[test]
fn ex2_of_integers() {
    for n in -126..=127 {
        assert_eq!(ex2((n as f32).to_bits()), power_of_two(n), "2^{n}");
    }
    for n in [-127, -128, -149, -150, -151, -200, -201, -1000, -16_777_216] {
        assert_eq!(ex2((n as f32).to_bits()), 0, "2^{n}");
    }
    for n in [128, 129, 199, 200, 201, 255, 256, 1000, 16_777_216] {
        assert_eq!(ex2((n as f32).to_bits()), INFINITY, "2^{n}");
    }
    assert_eq!((ex2(MAX), ex2(SIGN | MAX)), (INFINITY, 0));
    // The neighbours of the ends.
    assert_eq!(ex2(((-126f32).to_bits()) + 1), 0);
    assert!(ex2(128f32.to_bits() - 1) < INFINITY);
}

#[test]
fn ln2_of_powers_of_two() {
    for n in -126..=127 {
        assert_eq!(ln2(power_of_two(n)), (n as f32).to_bits(), "log2(2^{n})");
    }
}

#[test]
fn reciprocals_of_powers_of_two() {
    for n in -126..=126 {
        assert_eq!(rcp(power_of_two(n)), power_of_two(-n), "1/2^{n}");
        assert_eq!(rcp(SIGN | power_of_two(n)), SIGN | power_of_two(-n), "1/-2^{n}");
    }
    // Beyond 2^126 the result would be a denormal.
    for large in [power_of_two(126) + 1, power_of_two(127), MAX] {
        assert_eq!((rcp(large), rcp(SIGN | large)), (0, MINUS_ZERO));
    }
    for n in -63..=63 {
        assert_eq!(rsq(power_of_two(2 * n)), power_of_two(-n), "1/sqrt(2^{})", 2 * n);
    }
}

#[test]
fn sines_of_quarter_turns() {
    for quarter in (-70_000..=70_000i32).step_by(STEP).chain([16_777_213, 16_777_214, 16_777_215, 33_554_430]) {
        let turns = (quarter as f32 / 4.0).to_bits();
        if quarter != 0 {
            let sine = [0, ONE, 0, SIGN | ONE][quarter.rem_euclid(4) as usize];
            assert_eq!(sin(turns), sine, "sin of {quarter}/4");
        }
        let cosine = [ONE, 0, SIGN | ONE, 0][quarter.rem_euclid(4) as usize];
        assert_eq!(cos(turns), cosine, "cos of {quarter}/4");
    }
    // Numbers from 2^23 on are integers.
    for large in [8_388_608f32.to_bits(), 8_388_609f32.to_bits(), MAX] {
        assert_eq!([sin(large), sin(SIGN | large)], [0, 0]);
        assert_eq!([cos(large), cos(SIGN | large)], [ONE, ONE]);
    }
}

#[test]
fn symmetries() {
    let mut random = Random(30);
    for _ in (0..100_000).step_by(STEP) {
        let a = random.with_exponent(1..255);
        let (sine, opposite) = (sin(a), sin(a ^ SIGN));
        assert!(opposite == sine ^ SIGN || (sine, opposite) == (0, 0), "sin of +-{a:08X}");
        assert_eq!(cos(a), cos(a ^ SIGN), "cos of +-{a:08X}");
    }
}

#[test]
fn reciprocals_are_correctly_rounded() {
    let mut random = Random(31);
    for a in specials().chain((0..200_000).step_by(STEP).map(|_| random.word())) {
        assert_eq!(rcp(a), model::div(ONE, a), "1/{a:08X}");
        assert_eq!(rsq(a), model::div(ONE, model::sqrt(a)), "1/sqrt({a:08X})");
    }
}

#[test]
fn errors_are_bounded() {
    let mut random = Random(32);
    for _ in (0..400_000).step_by(STEP) {
        let a = random.with_exponent(100..134);
        let (x, want) = (wide(a), wide(a).exp2());
        if want >= f64::from(f32::MIN_POSITIVE) && want <= f64::from(f32::MAX) {
            let error = (wide(ex2(a)) - want).abs() / want;
            assert!(error <= f64::powi(2.0, -23), "2^{x:e}: error {error:e}");
        }

        let a = random.with_exponent(1..255) & !SIGN;
        let (x, want) = (wide(a), wide(a).log2());
        let error = (wide(ln2(a)) - want).abs() / want.abs().max(1.0);
        assert!(error <= f64::powi(2.0, -23), "log2({x:e}): error {error:e}");

        let a = random.with_exponent(1..143);
        let x = wide(a);
        let turns = TAU * (x - x.round());
        for (name, result, want) in [("sin", sin(a), turns.sin()), ("cos", cos(a), turns.cos())] {
            let error = (wide(result) - want).abs();
            assert!(error <= f64::powi(2.0, -22), "{name} of {x:e} turns: error {error:e}");
        }
    }
}

/// Near 1 the logarithm keeps its relative precision, and so does the sine near 0.
#[test]
fn small_results_are_relatively_precise() {
    let mut random = Random(33);
    for _ in (0..200_000).step_by(STEP) {
        let a = (ONE - 1000 + random.below(2000)).max(1);
        let want = wide(a).log2();
        assert!((wide(ln2(a)) - want).abs() <= want.abs() * f64::powi(2.0, -22), "log2 of {a:08X}");
        let a = random.with_exponent(1..110);
        let want = TAU * wide(a);
        assert!((wide(sin(a)) - want).abs() <= want.abs() * f64::powi(2.0, -22), "sin of {a:08X}");
    }
}

#[test]
fn sines_stay_within_one() {
    let mut random = Random(34);
    // Around the extremes, where rounding could carry a result beyond 1, and anywhere.
    let near_extremes = (0..4000).step_by(STEP).map(|offset| 0.25f32.to_bits() - 2000 + offset);
    let anywhere = (0..300_000).step_by(STEP).map(|_| random.word());
    for a in near_extremes.chain(anywhere).filter(|&a| a & !SIGN < INFINITY) {
        assert!(sin(a) & !SIGN <= ONE, "sin of {a:08X} is {:08X}", sin(a));
        assert!(cos(a) & !SIGN <= ONE, "cos of {a:08X} is {:08X}", cos(a));
    }
}

/// Results are part of the contract between engines, so the bits are pinned: other coefficients, another order of steps
/// or a host whose multiply-add rounds twice show here.
#[test]
#[cfg_attr(miri, ignore = "a digest is of all 65,536 results or of none, too many for Miri")]
fn the_bits_are_pinned() {
    let digest = |operation: fn(u32) -> u32| {
        // FNV-1a over the results of 2^16 inputs spread over all encodings.
        (0..=0xFFFFu32).map(|i| operation(i.wrapping_mul(65_539))).fold(0xCBF2_9CE4_8422_2325u64, |hash, word| {
            assert!(!is_nan(word) || word == NAN);
            (hash ^ u64::from(word)).wrapping_mul(0x100_0000_01B3)
        })
    };
    assert_eq!(digest(ex2), 0x903C_782E_4BED_525A);
    assert_eq!(digest(ln2), 0xE90F_74AD_7129_5542);
    assert_eq!(digest(rcp), 0x2217_548C_F2AD_14D9);
    assert_eq!(digest(rsq), 0xC410_BF8D_7150_7745);
    assert_eq!(digest(sin), 0xD676_562A_6E92_17C3);
    assert_eq!(digest(cos), 0x5915_34CD_5108_468E);
}
