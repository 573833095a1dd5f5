//! X1K operations but the transcendentals: the tables of CTM Guide p.41-42 written out, and grids of special values.

use ctm_num::x1k::*;

use crate::model::{
    self, INFINITY, MAX, MIN_NORMAL, NAN, ONE, Random, SIGN, STEP, is_nan, operand, power_of_two, specials,
};

const FUSED: MadRules = MadRules { unfused: false, zero_times_anything: false };
const UNFUSED: MadRules = MadRules { unfused: true, zero_times_anything: false };
const ZERO_WINS: MadRules = MadRules { unfused: false, zero_times_anything: true };
const UNFUSED_ZERO_WINS: MadRules = MadRules { unfused: true, zero_times_anything: true };
const ALL_RULES: [MadRules; 4] = [FUSED, UNFUSED, ZERO_WINS, UNFUSED_ZERO_WINS];

const MINUS_ZERO: u32 = SIGN;
const MINUS_ONE: u32 = SIGN | ONE;
const MINUS_INFINITY: u32 = SIGN | INFINITY;
const HALF: u32 = 0x3F00_0000;
const TWO: u32 = 0x4000_0000;
const DENORMAL: u32 = 0x0012_3456;
const PAYLOAD: u32 = 0xFF81_2345;

#[test]
fn nan_is_the_standard_one() {
    assert_eq!(X1K_NAN, 0x7FFF_FFFF);
}

/// Rows of the table of sums and products: a * b + c.
#[test]
fn mad_table() {
    let rows = [
        // x + NaN
        (TWO, ONE, NAN, NAN),
        (TWO, ONE, PAYLOAD, NAN),
        (PAYLOAD, ONE, TWO, NAN),
        // inf + -inf, inf + inf, inf + -1
        (INFINITY, ONE, MINUS_INFINITY, NAN),
        (INFINITY, ONE, INFINITY, INFINITY),
        (MINUS_INFINITY, ONE, MINUS_INFINITY, MINUS_INFINITY),
        (INFINITY, ONE, MINUS_ONE, INFINITY),
        // 0 + -0, -0 + -0
        (0, ONE, MINUS_ZERO, 0),
        (MINUS_ZERO, ONE, 0, 0),
        (MINUS_ZERO, ONE, MINUS_ZERO, MINUS_ZERO),
        // 0 * inf, 0 * NaN, inf * x
        (0, INFINITY, 0, NAN),
        (DENORMAL, INFINITY, 0, NAN),
        (MINUS_INFINITY, 0, ONE, NAN),
        (0, PAYLOAD, 0, NAN),
        (INFINITY, TWO, 0, INFINITY),
        (INFINITY, SIGN | MIN_NORMAL, 0, MINUS_INFINITY),
        // -0 * 0 is -0, and shows only if the sum keeps it
        (MINUS_ZERO, 0, MINUS_ZERO, MINUS_ZERO),
        (MINUS_ZERO, 0, 0, 0),
        // overflow
        (MAX, TWO, 0, INFINITY),
        (MAX, SIGN | TWO, 0, MINUS_INFINITY),
        (ONE, MAX, MAX, INFINITY),
        // x + -x
        (MAX, ONE, SIGN | MAX, 0),
        (SIGN | MIN_NORMAL, ONE, MIN_NORMAL, 0),
        // denormals
        (DENORMAL, TWO, SIGN | DENORMAL, 0),
        (SIGN | DENORMAL, TWO, SIGN | DENORMAL, MINUS_ZERO),
        (MIN_NORMAL, HALF, 0, 0),
        (MIN_NORMAL, SIGN | HALF, MINUS_ZERO, MINUS_ZERO),
    ];
    for rules in [FUSED, UNFUSED] {
        for (a, b, c, want) in rows {
            let got = mad(rules, a, b, c);
            assert_eq!(got, want, "{a:08X} * {b:08X} + {c:08X} = {got:08X}, not {want:08X} ({rules:?})");
        }
    }
}

/// The step as its rules describe it, from the model's fused and separate steps.
fn mad_model(rules: MadRules, a: u32, b: u32, c: u32) -> u32 {
    let is_zero = |bits: u32| operand(bits) & !SIGN == 0;
    let is_wild = |bits: u32| bits & !SIGN >= INFINITY;
    if rules.zero_times_anything && (is_zero(a) && is_wild(b) || is_wild(a) && is_zero(b)) {
        model::add(0, c)
    } else if rules.unfused {
        model::add(model::mul(a, b), c)
    } else {
        model::fma(a, b, c)
    }
}

#[test]
fn mad_follows_its_rules() {
    let check = |a: u32, b: u32, c: u32| {
        for rules in ALL_RULES {
            let (got, want) = (mad(rules, a, b, c), mad_model(rules, a, b, c));
            assert_eq!(got, want, "{a:08X} * {b:08X} + {c:08X} = {got:08X}, not {want:08X} ({rules:?})");
        }
    };
    for a in specials() {
        for b in specials() {
            for c in specials() {
                check(a, b, c);
            }
        }
    }
    let mut random = Random(20);
    for _ in (0..100_000).step_by(STEP) {
        check(random.with_exponent(100..150), random.with_exponent(100..150), random.with_exponent(80..170));
    }
}

#[test]
fn one_rounding_or_two() {
    // (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46, which the rounded product loses.
    let (x, rounded) = (ONE + 1, SIGN | (ONE + 2));
    assert_eq!(mad(FUSED, x, x, rounded), (127 - 46) << 23);
    assert_eq!(mad(UNFUSED, x, x, rounded), 0);
    // The rounded product overflows, or is flushed.
    assert_eq!(mad(FUSED, MAX, TWO, SIGN | MAX), MAX);
    assert_eq!(mad(UNFUSED, MAX, TWO, SIGN | MAX), INFINITY);
    assert_eq!(mad(FUSED, MIN_NORMAL, HALF, MIN_NORMAL), 0x00C0_0000);
    assert_eq!(mad(UNFUSED, MIN_NORMAL, HALF, MIN_NORMAL), MIN_NORMAL);
}

#[test]
fn zero_times_anything() {
    for rules in [ZERO_WINS, UNFUSED_ZERO_WINS] {
        for (zero, wild) in
            [(0, INFINITY), (MINUS_ZERO, INFINITY), (0, NAN), (SIGN | DENORMAL, PAYLOAD), (DENORMAL, MINUS_INFINITY)]
        {
            for (a, b) in [(zero, wild), (wild, zero)] {
                assert_eq!(mul_start(rules, a, b), 0);
                assert_eq!(mad(rules, a, b, TWO), TWO);
                assert_eq!(mad(rules, a, b, MINUS_ZERO), 0);
                assert_eq!(mad(rules, a, b, MINUS_INFINITY), MINUS_INFINITY);
                assert_eq!(mad(rules, a, b, PAYLOAD), NAN);
                assert_eq!(dp3(rules, [a, ONE, a], [b, TWO, b]), TWO);
            }
        }
        // Finite products keep the sign of their zero; other NaNs stay.
        assert_eq!(mul_start(rules, MINUS_ZERO, ONE), MINUS_ZERO);
        assert_eq!(mad(rules, MINUS_ZERO, ONE, MINUS_ZERO), MINUS_ZERO);
        assert_eq!(mad(rules, PAYLOAD, ONE, ONE), NAN);
        assert_eq!(mad(rules, INFINITY, ONE, MINUS_INFINITY), NAN);
        assert_eq!(mad(rules, 0, ONE, PAYLOAD), NAN);
    }
}

#[test]
fn dot_products_are_chains_in_channel_order() {
    let mut random = Random(21);
    let all: Vec<u32> = specials().collect();
    for round in (0..100_000).step_by(STEP) {
        let mut next = || {
            if round % 2 == 0 { random.with_exponent(110..145) } else { all[random.below(all.len() as u32) as usize] }
        };
        let [a, b]: [[u32; 4]; 2] = [[next(), next(), next(), next()], [next(), next(), next(), next()]];
        let c = next();
        for rules in ALL_RULES {
            // A sum with -0 keeps every product, sign of zero included.
            let product = mad_model(rules, a[0], b[0], MINUS_ZERO);
            let three = mad_model(rules, a[2], b[2], mad_model(rules, a[1], b[1], product));
            assert_eq!(dp3(rules, [a[0], a[1], a[2]], [b[0], b[1], b[2]]), three, "{a:08X?} {b:08X?} {rules:?}");
            assert_eq!(dp4(rules, a, b), mad_model(rules, a[3], b[3], three), "{a:08X?} {b:08X?} {rules:?}");
            let two = mad_model(rules, a[1], b[1], mad_model(rules, a[0], b[0], c));
            assert_eq!(d2a(rules, [a[0], a[1]], [b[0], b[1]], c), two, "{a:08X?} {b:08X?} {c:08X} {rules:?}");
        }
    }
    // Order: 2^30 - 2^30 + 1 is 1, but 1 + 2^30 - 2^30 is 0.
    let large = (127 + 30) << 23;
    assert_eq!(dp3(FUSED, [large, SIGN | large, ONE], [ONE; 3]), ONE);
    assert_eq!(dp3(FUSED, [ONE, large, SIGN | large], [ONE; 3]), 0);
    assert_eq!(d2a(FUSED, [large, SIGN | large], [ONE; 2], ONE), 0);
}

#[test]
fn presubtract() {
    for a in specials() {
        for rules in ALL_RULES {
            assert_eq!(bias(rules, a), mad_model(rules, SIGN | TWO, a, ONE), "1 - 2*{a:08X}");
        }
        for b in specials() {
            assert_eq!(add(a, b), model::add(a, b));
            assert_eq!(sub(a, b), model::add(a, b ^ SIGN));
            assert_eq!(mul(a, b), model::mul(a, b));
            assert_eq!(div(a, b), model::div(a, b));
        }
    }
    assert_eq!((bias(FUSED, 0), bias(FUSED, HALF), bias(FUSED, ONE)), (ONE, 0, MINUS_ONE));
    assert_eq!((sub(ONE, ONE), sub(PAYLOAD, ONE)), (0, NAN));
}

/// value, == 0, < 0, >= 0, != 0
#[test]
fn tests_against_zero() {
    let rows = [
        (0, true, false, true, false),
        (DENORMAL, true, false, true, false),
        (MINUS_ZERO, true, false, true, false),
        (SIGN | DENORMAL, true, false, true, false),
        (SIGN | 0x007F_FFFF, true, false, true, false),
        (MIN_NORMAL, false, false, true, true),
        (MAX, false, false, true, true),
        (SIGN | MIN_NORMAL, false, true, false, true),
        (SIGN | MAX, false, true, false, true),
        (INFINITY, false, false, true, true),
        (MINUS_INFINITY, false, true, false, true),
        (NAN, false, false, false, true),
        (PAYLOAD, false, false, false, true),
    ];
    for (value, zero, negative, not_negative, not_zero) in rows {
        assert_eq!(is_zero(value), zero, "{value:08X} == 0");
        assert_eq!(is_less_zero(value), negative, "{value:08X} < 0");
        assert_eq!(is_greater_equal_zero(value), not_negative, "{value:08X} >= 0");
        assert_eq!(is_not_zero(value), not_zero, "{value:08X} != 0");
    }
}

/// a, b, MIN, MAX
#[test]
fn minimum_and_maximum() {
    let rows = [
        (ONE, TWO, ONE, TWO),
        (TWO, ONE, ONE, TWO),
        (MINUS_ONE, ONE, MINUS_ONE, ONE),
        (INFINITY, MAX, MAX, INFINITY),
        (MINUS_INFINITY, SIGN | MAX, MINUS_INFINITY, SIGN | MAX),
        // Two zeros: the second.
        (0, MINUS_ZERO, MINUS_ZERO, MINUS_ZERO),
        (MINUS_ZERO, 0, 0, 0),
        (DENORMAL, MINUS_ZERO, MINUS_ZERO, MINUS_ZERO),
        (0, DENORMAL, DENORMAL, DENORMAL),
        (DENORMAL, SIGN | DENORMAL, SIGN | DENORMAL, SIGN | DENORMAL),
        // A NaN on either side: the second.
        (PAYLOAD, ONE, ONE, ONE),
        (ONE, PAYLOAD, PAYLOAD, PAYLOAD),
        (NAN, PAYLOAD, PAYLOAD, PAYLOAD),
        // Chosen arguments stay as they are.
        (MINUS_ONE, DENORMAL, MINUS_ONE, DENORMAL),
        (SIGN | DENORMAL, ONE, SIGN | DENORMAL, ONE),
    ];
    for (a, b, smaller, larger) in rows {
        assert_eq!(min(a, b), smaller, "min({a:08X}, {b:08X})");
        assert_eq!(max(a, b), larger, "max({a:08X}, {b:08X})");
    }
    for bits in specials() {
        assert_eq!((min(bits, bits), max(bits, bits)), (bits, bits));
    }
}

#[test]
fn conditional_moves() {
    let (a, b) = (PAYLOAD, DENORMAL);
    // c, CND (c > 0.5), CMP (c >= 0)
    let rows = [
        (HALF, b, a),
        (HALF + 1, a, a),
        (HALF - 1, b, a),
        (ONE, a, a),
        (INFINITY, a, a),
        (MINUS_INFINITY, b, b),
        (MINUS_ONE, b, b),
        (0, b, a),
        (MINUS_ZERO, b, a),
        (DENORMAL, b, a),
        (SIGN | DENORMAL, b, a),
        (SIGN | MIN_NORMAL, b, b),
        (NAN, b, b),
        (PAYLOAD, b, b),
    ];
    for (c, by_half, by_zero) in rows {
        assert_eq!(cnd(a, b, c), by_half, "cnd by {c:08X}");
        assert_eq!(cmp(a, b, c), by_zero, "cmp by {c:08X}");
    }
}

#[test]
fn fraction() {
    let rows = [
        (0, 0),
        (MINUS_ZERO, 0),
        (DENORMAL, 0),
        (SIGN | DENORMAL, 0),
        (MIN_NORMAL, MIN_NORMAL),
        (ONE, 0),
        (MINUS_ONE, 0),
        (1.75f32.to_bits(), 0.75f32.to_bits()),
        ((-1.75f32).to_bits(), 0.25f32.to_bits()),
        (HALF, HALF),
        (SIGN | HALF, HALF),
        (8_388_607.5f32.to_bits(), HALF),
        ((-8_388_607.5f32).to_bits(), HALF),
        (MAX, 0),
        (SIGN | MAX, 0),
        // 1 - 2^-24 is the largest fraction; what would round to 1 becomes that.
        (SIGN | 0x3380_0000, 0x3F7F_FFFF),
        (SIGN | 0x3300_0000, 0x3F7F_FFFF),
        (SIGN | MIN_NORMAL, 0x3F7F_FFFF),
        (INFINITY, NAN),
        (MINUS_INFINITY, NAN),
        (PAYLOAD, NAN),
    ];
    for (a, want) in rows {
        assert_eq!(frc(a), want, "fraction of {a:08X}");
    }
    let mut random = Random(22);
    for _ in (0..100_000).step_by(STEP) {
        let a = random.with_exponent(90..160);
        let exact = f64::from(f32::from_bits(a)).rem_euclid(1.0);
        let fraction = f32::from_bits(frc(a));
        assert!((0.0..1.0).contains(&fraction) && fraction.to_bits() & SIGN == 0, "fraction of {a:08X}");
        assert!((f64::from(fraction) - exact).abs() <= exact * f64::powi(2.0, -24), "fraction of {a:08X}");
    }
}

#[test]
fn output_modifier() {
    for value in specials() {
        for exponent in -3..=3 {
            let factor = power_of_two(exponent);
            assert_eq!(scale(exponent, value), model::mul(value, factor), "{value:08X} * 2^{exponent}");
        }
        let kept = if is_nan(value) { NAN } else { operand(value) };
        assert_eq!(scale(0, value), kept);
    }
    let rows = [
        (1, 0x7F00_0000, INFINITY),
        (3, SIGN | MAX, MINUS_INFINITY),
        (-1, MIN_NORMAL, 0),
        (-1, SIGN | 0x00FF_FFFF, MINUS_ZERO),
        (-3, SIGN | 0x0200_0001, SIGN | 0x0080_0001),
        (2, SIGN | DENORMAL, MINUS_ZERO),
        (0, PAYLOAD, NAN),
    ];
    for (exponent, value, want) in rows {
        assert_eq!(scale(exponent, value), want, "{value:08X} * 2^{exponent}");
    }
}

#[test]
fn clamping() {
    let rows = [
        (0, 0),
        (MINUS_ZERO, 0),
        (DENORMAL, 0),
        (SIGN | DENORMAL, 0),
        (MIN_NORMAL, MIN_NORMAL),
        (SIGN | MIN_NORMAL, 0),
        (HALF, HALF),
        (0x3F7F_FFFF, 0x3F7F_FFFF),
        (ONE, ONE),
        (ONE + 1, ONE),
        (MAX, ONE),
        (MINUS_ONE, 0),
        (INFINITY, ONE),
        (MINUS_INFINITY, 0),
        (NAN, 0),
        (PAYLOAD, 0),
    ];
    for (value, want) in rows {
        assert_eq!(clamp(value), want, "clamp of {value:08X}");
    }
}
