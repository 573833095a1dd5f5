//! The flushed arithmetic against a model in integers.

use ctm_num::{flush, flushed};

use crate::model::{self, INFINITY, MAX, MIN_NORMAL, NAN, ONE, Random, SIGN, STEP, operand, power_of_two, specials};

fn fma(a: u32, b: u32, c: u32) -> u32 {
    flushed::fma::<NAN>(a, b, c)
}

#[track_caller]
fn check_fma(a: u32, b: u32, c: u32) {
    let (got, want) = (fma(a, b, c), model::fma(a, b, c));
    assert_eq!(got, want, "fma({a:08X}, {b:08X}, {c:08X}) = {got:08X}, not {want:08X}");
}

#[track_caller]
fn check_pair(a: u32, b: u32) {
    let rows = [
        ("add", flushed::add::<NAN>(a, b), model::add(a, b)),
        ("sub", flushed::sub::<NAN>(a, b), model::add(a, b ^ SIGN)),
        ("mul", flushed::mul::<NAN>(a, b), model::mul(a, b)),
        ("div", flushed::div::<NAN>(a, b), model::div(a, b)),
    ];
    for (name, got, want) in rows {
        assert_eq!(got, want, "{name}({a:08X}, {b:08X}) = {got:08X}, not {want:08X}");
    }
}

#[track_caller]
fn check_sqrt(a: u32) {
    let (got, want) = (flushed::sqrt::<NAN>(a), model::sqrt(a));
    assert_eq!(got, want, "sqrt({a:08X}) = {got:08X}, not {want:08X}");
}

#[test]
fn special_values() {
    for a in specials() {
        check_sqrt(a);
        for b in specials() {
            check_pair(a, b);
            for c in specials() {
                check_fma(a, b, c);
            }
        }
    }
}

#[test]
fn random_bits() {
    let mut random = Random(1);
    for _ in (0..400_000).step_by(STEP) {
        let (a, b, c) = (random.word(), random.word(), random.word());
        check_fma(a, b, c);
        check_pair(a, b);
        check_sqrt(a);
    }
}

/// Products and addends of similar size, so that terms cancel and round in every way.
#[test]
fn cancellation() {
    let mut random = Random(2);
    for _ in (0..400_000).step_by(STEP) {
        let (a, b) = (random.with_exponent(64..192), random.with_exponent(64..192));
        let field = |bits: u32| bits >> 23 & 0xFF;
        let exponent = (field(a) + field(b)).saturating_sub(157).min(195);
        check_fma(a, b, random.with_exponent(exponent..exponent + 60));
        check_fma(a, b, flushed::mul::<NAN>(a, b) ^ SIGN);
        check_pair(a, random.with_exponent(field(a)..field(a) + 3));
    }
}

/// Results within some units of 2^-126, on both sides of every boundary there.
#[test]
fn near_underflow() {
    let mut random = Random(3);
    for _ in (0..400_000).step_by(STEP) {
        let a = random.with_exponent(1..254);
        // b = about +-2^-126 / a, some units away from it.
        let b = (f64::from(f32::MIN_POSITIVE) / f64::from(f32::from_bits(a))) as f32;
        let b = b.to_bits().wrapping_add(random.below(9)).wrapping_sub(4);
        check_pair(a, b);
        check_fma(a, b, random.with_exponent(0..8));
        // Small products added to +-2^-126, about where they begin to count.
        let (p, q) = (random.with_exponent(1..40), random.with_exponent(60..130));
        check_fma(p, q, MIN_NORMAL | random.word() & SIGN);
        // Dividend and divisor with nearly the same mantissa.
        let divisor = random.with_exponent(127..254);
        let dividend = (divisor & !SIGN).wrapping_sub(126 << 23).wrapping_add(random.below(5)).wrapping_sub(2);
        check_pair(dividend, divisor);
    }
}

/// Exact results that round to 2^-126 where denormals are kept, but are tiny.
#[test]
fn tiny_after_rounding_is_flushed() {
    const HALF: u32 = 0x3F00_0000;
    const BELOW_TWO_MIN: u32 = 0x00FF_FFFF;
    // 2^-126 - 2^-150 exactly, and its negative.
    assert_eq!(flushed::mul::<NAN>(BELOW_TWO_MIN, HALF), 0);
    assert_eq!(flushed::mul::<NAN>(BELOW_TWO_MIN, HALF | SIGN), SIGN);
    assert_eq!(flushed::div::<NAN>(BELOW_TWO_MIN, 0x4000_0000), 0);
    assert_eq!(flushed::div::<NAN>(BELOW_TWO_MIN | SIGN, 0x4000_0000), SIGN);
    assert_eq!(fma(BELOW_TWO_MIN, HALF, 0), 0);
    assert_eq!(fma(BELOW_TWO_MIN, HALF, SIGN), 0);
    // 2^-126 - 2^-151 is a tie, and rounds to 2^-126.
    let step = |exponent: u32| exponent << 23;
    assert_eq!(fma(step(51), step(52) | SIGN, MIN_NORMAL), MIN_NORMAL);
    // A little less than that is tiny, although binary64 cannot tell the two apart: 277*30269 * 5*1013*1657 = 2^46 + 1.
    // A little more is not: 2351*4513 * 13264529 = 2^47 - 1.
    let scaled = |mantissa: u32, exponent: i32| (mantissa as f32 * f32::from_bits(power_of_two(exponent))).to_bits();
    let (above, below) = ((8_384_513, 8_392_705, -46), (10_610_063, 13_264_529, -47));
    for ((p, q, bits), want) in [(above, 0), (below, MIN_NORMAL)] {
        // p*q*2^bits is about 1; the product subtracts about 2^-151.
        let (a, b) = (scaled(p, -76), scaled(q, bits + 76 - 151));
        assert_eq!(fma(a, b | SIGN, MIN_NORMAL), want);
        assert_eq!(fma(a, b, MIN_NORMAL | SIGN), if want == 0 { SIGN } else { want | SIGN });
        check_fma(a, b | SIGN, MIN_NORMAL);
    }
    // The tie as a product: 18631 * 1801 = 2^25 - 1.
    let (a, b) = (scaled(18631, -76), scaled(1801, -75));
    assert_eq!([flushed::mul::<NAN>(a, b), flushed::mul::<NAN>(a, b | SIGN)], [MIN_NORMAL, MIN_NORMAL | SIGN]);
    assert_eq!(flushed::mul::<NAN>(scaled(18630, -76), b), 0);
}

#[test]
fn denormals_are_zeros() {
    assert_eq!([1, 0x007F_FFFF, SIGN | 1, 0x807F_FFFF].map(flush), [0, 0, SIGN, SIGN]);
    for bits in [0, SIGN, MIN_NORMAL, ONE, MAX, INFINITY, 0x7F80_0001, 0xFFC1_2345, NAN] {
        assert_eq!(flush(bits), bits);
    }
}

#[test]
fn comparisons_see_flushed_values() {
    for a in specials() {
        for b in specials() {
            let (x, y) = (f32::from_bits(operand(a)), f32::from_bits(operand(b)));
            assert_eq!(flushed::less(a, b), x < y, "{a:08X} < {b:08X}");
            assert_eq!(flushed::equal(a, b), x == y, "{a:08X} == {b:08X}");
            assert_eq!(flushed::compare(a, b), x.partial_cmp(&y), "{a:08X} to {b:08X}");
        }
    }
}

#[test]
fn the_guest_chooses_its_nan() {
    const OTHER: u32 = 0xFFC0_0001;
    assert_eq!(flushed::fma::<OTHER>(0, INFINITY, ONE), OTHER);
    assert_eq!(flushed::add::<OTHER>(INFINITY, INFINITY | SIGN), OTHER);
    assert_eq!(flushed::sub::<OTHER>(0x7F80_0001, ONE), OTHER);
    assert_eq!(flushed::mul::<OTHER>(NAN, ONE), OTHER);
    assert_eq!(flushed::div::<OTHER>(1, SIGN | 1), OTHER);
    assert_eq!(flushed::sqrt::<OTHER>(ONE | SIGN), OTHER);
}
