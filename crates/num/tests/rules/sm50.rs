//! The functions of MUFU against f64, and rules of the SPA 5.0 that no single instruction vector shows.

use crate::model::{INFINITY, NAN, ONE, Random, SIGN, STEP};
use ctm_num::ieee::{BINARY16, BINARY32, BINARY64, Rounding};
use ctm_num::sm50::*;

fn randoms(seed: u64, count: usize) -> impl Iterator<Item = u32> {
    let mut random = Random(seed);
    (0..count).step_by(STEP).map(move |_| random.word())
}

/// Arguments from 2^-exponents to 2^exponents, of the sign that `sign` says.
fn moderate(seed: u64, exponents: u32, sign: u32) -> impl Iterator<Item = f32> {
    randoms(seed, 30_000).map(move |word| {
        let exponent = 127 - exponents + (word >> 23 & 0xFF) % (2 * exponents);
        f32::from_bits(word & 0x007F_FFFF | word & sign | exponent << 23)
    })
}

#[test]
fn functions_keep_their_tolerances() {
    for x in moderate(1, 120, SIGN) {
        let got = f32::from_bits(rcp(x.to_bits()));
        assert!((f64::from(got) * f64::from(x) - 1.0).abs() <= 2f64.powi(-23), "rcp {x:e}");
    }
    for x in moderate(2, 120, 0) {
        let exact = f64::from(x);
        let (rsq, lg2) = (f32::from_bits(rsq(x.to_bits())), f32::from_bits(lg2(x.to_bits())));
        assert!((f64::from(rsq) * exact.sqrt() - 1.0).abs() <= 2f64.powi(-22), "rsq {x:e}");
        let error = (f64::from(lg2) - exact.log2()).abs();
        let unit = if 0.5 < x && x < 2.0 { 1.0 } else { exact.log2().abs() };
        assert!(error <= unit * 2f64.powi(-22), "lg2 {x:e}");
    }
    for x in moderate(3, 6, SIGN) {
        let (got, exact) = (f64::from(f32::from_bits(ex2(x.to_bits()))), f64::from(x).exp2());
        assert!((got / exact - 1.0).abs() <= 2f64.powi(-22), "ex2 {x:e}");
    }
    for x in moderate(4, 3, SIGN).filter(|x| x.abs() <= std::f32::consts::TAU) {
        let (sin, cos) = (f32::from_bits(sin(x.to_bits())), f32::from_bits(cos(x.to_bits())));
        assert!((f64::from(sin) - f64::from(x).sin()).abs() <= 2f64.powf(-20.5), "sin {x:e}");
        assert!((f64::from(cos) - f64::from(x).cos()).abs() <= 2f64.powf(-20.5), "cos {x:e}");
    }
    // Far out the reduction is as good as its factor.
    for x in moderate(5, 12, SIGN) {
        let (sin, exact) = (f32::from_bits(sin(x.to_bits())), f64::from(x).sin());
        let bound = 2f64.powf(-20.5) + f64::from(x.abs()) * 2f64.powi(-24);
        assert!((f64::from(sin) - exact).abs() <= bound, "sin {x:e}");
    }
    for high in randoms(6, 30_000).map(|word| word & 0x3FFF_FFFF | 0x2000_0000) {
        let d = f64::from_bits(u64::from(high) << 32);
        let value = |high: u32| f64::from_bits(u64::from(high) << 32);
        assert!((value(rcp64h(high)) * d - 1.0).abs() <= 2f64.powi(-20), "rcp64h {high:#x}");
        assert!((value(rsq64h(high)) * d.sqrt() - 1.0).abs() <= 2f64.powi(-20), "rsq64h {high:#x}");
    }
}

type Function = fn(u32) -> u32;

const MUFU: [(&str, Function); 6] =
    [("COS", cos), ("SIN", sin), ("EX2", ex2), ("LG2", lg2), ("RCP", rcp), ("RSQ", rsq)];

#[test]
fn functions_have_the_bits_of_the_machine() {
    let mut count = 0;
    for line in include_str!("mufu.txt").lines().filter(|line| !line.starts_with('#')) {
        let [name, argument, expected] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let [argument, expected] = [argument, expected].map(|word| u32::from_str_radix(word, 16).unwrap());
        let (_, function) = MUFU.iter().find(|row| row.0 == name).unwrap();
        assert_eq!(function(argument), expected, "{name} of {argument:#x} is {:#x}", function(argument));
        count += 1;
    }
    assert_eq!(count, 672);
}

/// Every 1021st argument: the digests are those of the models that made `mufu.txt`.
#[test]
#[cfg_attr(miri, ignore = "a digest is of all 4,206,628 results or of none, too many for Miri")]
fn functions_have_the_digests_of_the_machine() {
    let digests = [
        0x766A_7881_398F_AC91,
        0xA937_FF12_37C6_2692,
        0xD69E_F438_499C_720D,
        0x441B_35A7_DC10_C68B,
        0x152B_1177_80FD_73F1,
        0x3ED8_C188_EB7D_B576,
    ];
    for ((name, function), expected) in MUFU.into_iter().zip(digests) {
        let digest = (0..=u32::MAX).step_by(1021).fold(0u64, |digest, argument| {
            (digest ^ u64::from(function(argument))).wrapping_mul(0x100_0000_01B3).rotate_left(29)
        });
        assert_eq!(digest, expected, "{name}");
    }
}

/// Machine code computes with the tables as words; 2^f shows what each part of them means.
#[test]
fn tables_of_words_give_the_functions() {
    use ctm_num::sm50::mufu::{BELOW_CONSTANT, COEFFICIENT_ROWS, EX2, POINT, REST_BITS, coefficients, square};
    let words = coefficients();
    assert_eq!(words.len(), 2 * COEFFICIENT_ROWS as usize);
    for fixed in (0..1u32 << 23).step_by(1021) {
        let (interval, rest) = (EX2.first + (fixed >> REST_BITS), fixed % (1 << REST_BITS));
        let (constant, others) = (words[interval as usize], words[(COEFFICIENT_ROWS + interval) as usize]);
        let (linear, quadratic) = (others % (1 << REST_BITS), others >> REST_BITS);
        let value = (i64::from(constant) << BELOW_CONSTANT)
            + i64::from(linear) * i64::from(rest) * i64::from(EX2.linear)
            + i64::from(quadratic) * i64::from(square(rest)) * i64::from(EX2.quadratic)
            + i64::from(EX2.rounding);
        let argument = fixed as f32 / (1 << 23) as f32;
        assert_eq!(ex2(argument.to_bits()), (value >> (POINT - 23)) as u32 - (1 << 23) + ONE, "{argument}");
    }
}

#[test]
fn functions_have_the_special_values() {
    let negative = |bits: u32| bits | SIGN;
    type Row<'a> = (Function, &'a [(u32, u32)]);
    let rows: &[Row] = &[
        (rcp, &[(0, INFINITY), (SIGN, negative(INFINITY)), (INFINITY, 0), (negative(INFINITY), SIGN), (NAN, NAN)]),
        (rsq, &[(0, INFINITY), (SIGN, negative(INFINITY)), (INFINITY, 0), (negative(ONE), NAN), (NAN, NAN)]),
        (lg2, &[(0, negative(INFINITY)), (SIGN, negative(INFINITY)), (INFINITY, INFINITY), (negative(ONE), NAN)]),
        (ex2, &[(negative(INFINITY), 0), (INFINITY, INFINITY), (0, ONE), (1, ONE), (NAN, NAN)]),
        (sin, &[(0, 0), (SIGN, SIGN), (INFINITY, NAN), (negative(INFINITY), NAN), (NAN, NAN), (0x8000_0001, SIGN)]),
        (cos, &[(0, ONE), (SIGN, ONE), (INFINITY, NAN), (NAN, NAN)]),
        (
            rcp64h,
            &[(0, 0x7FF0_0000), (SIGN, 0xFFF0_0000), (0x7FF0_0000, 0), (0x7FF8_0000, NAN), (0x3FF0_0000, 0x3FF0_0000)],
        ),
        (rsq64h, &[(0, 0x7FF0_0000), (0x7FF0_0000, 0), (0xBFF0_0000, NAN), (0x4010_0000, 0x3FE0_0000)]),
    ];
    for (number, (function, pairs)) in rows.iter().enumerate() {
        for &(argument, expected) in *pairs {
            assert_eq!(function(argument), expected, "function {number} of {argument:#x}");
        }
    }
}

#[test]
fn flushing_looks_at_the_rounded_result() {
    // The exact result is 2^-126 less half a denormal unit. It rounds to 2^-126, which is not a denormal.
    let rules = FloatRules { denormals: Denormals::Flush, ..FloatRules::default() };
    assert_eq!(ffma(rules, 0x3F7F_FFFF, 0x0080_0000, 0), 0x0080_0000);
    let downwards = FloatRules { rounding: Rounding::Zero, ..rules };
    assert_eq!(ffma(downwards, 0x3F7F_FFFF, 0x0080_0000, 0), 0);
    assert_eq!(fmul(rules, 0x0080_0000, 0xBF00_0000, 0), SIGN);
}

#[test]
fn zero_times_anything() {
    let rules = FloatRules { denormals: Denormals::FlushZero, ..FloatRules::default() };
    assert_eq!(fmul(rules, SIGN, ONE, 0), 0);
    assert_eq!(fmul(rules, 1, NAN, 0), 0);
    assert_eq!(ffma(rules, INFINITY, 0, SIGN), 0);
    assert_eq!(ffma(rules, INFINITY, 0, NAN), NAN);
    assert_eq!(ffma(FloatRules { rounding: Rounding::Down, ..rules }, 0, ONE, SIGN), SIGN);
}

#[test]
fn multiword_sums_and_comparisons_are_those_of_long_integers() {
    let words: Vec<u32> =
        randoms(9, 4000).map(|word| if word & 7 < 4 { word } else { word as i32 as u32 >> 29 }).collect();
    for parts in words.chunks_exact(4) {
        let [a, b] = [[parts[0], parts[1]], [parts[2], parts[3]]];
        let long = |[low, high]: [u32; 2]| u64::from(high) << 32 | u64::from(low);
        for negate_b in [false, true] {
            let rules = AddRules { negate_b, ..AddRules::default() };
            let (low, flags) = iadd(rules, a[0], b[0], Flags::default());
            let (high, flags) = iadd(AddRules { extended: true, ..rules }, a[1], b[1], flags);
            let expected = if negate_b { long(a).wrapping_sub(long(b)) } else { long(a).wrapping_add(long(b)) };
            assert_eq!(long([low, high]), expected);
            assert_eq!(flags.zero, expected == 0);
        }
        let subtract = AddRules { negate_b: true, ..AddRules::default() };
        let (_, flags) = iadd(subtract, a[0], b[0], Flags::default());
        for signed in [false, true] {
            let ordering = if signed { (long(a) as i64).cmp(&(long(b) as i64)) } else { long(a).cmp(&long(b)) };
            assert_eq!(icompare_extended(signed, a[1], b[1], flags), Some(ordering).into(), "{a:x?} {b:x?}");
            let (high, flags) = imnmx_extended(true, true, signed, a[1], b[1], Flags::default());
            let (low, _) = imnmx_extended(false, true, false, a[0], b[0], flags);
            let least = if ordering.is_lt() { long(a) } else { long(b) };
            assert_eq!(long([low, high]), least, "{a:x?} {b:x?}");
        }
    }
}

#[test]
fn products_of_halves_make_products_of_words() {
    // The sequence that compilers emit for a 32-bit product.
    for parts in randoms(10, 4000).collect::<Vec<_>>().chunks_exact(2) {
        let [a, b] = [parts[0], parts[1]];
        let no = Flags::default();
        let low = xmad(XmadRules::default(), [a, b, 0], no).0;
        let merged = xmad(XmadRules { high: [false, true], merge: true, ..XmadRules::default() }, [a, b, 0], no).0;
        let rules =
            XmadRules { high: [true, true], shift_product: true, addend: AddendOfXmad::WithB, ..XmadRules::default() };
        assert_eq!(xmad(rules, [a, merged, low], no).0, a.wrapping_mul(b), "{a:#x} {b:#x}");
    }
}

#[test]
fn bit_fields_at_the_edges() {
    let field = |position: u32, length: u32| position | length << 8;
    let model = |a: u32, position: u32, length: u32, signed: bool| {
        let bit = |n: u32| a >> n & 1;
        let fill = if signed && length > 0 { bit((position + length - 1).min(31)) } else { 0 };
        (0..32).fold(0, |r, i| r | if i < length && position + i <= 31 { bit(position + i) } else { fill } << i)
    };
    for a in [0xDEAD_BEEF, 0x8000_0000, 0x7FFF_FFFF, 0x1234_5678] {
        for position in [0, 1, 7, 30, 31, 32, 33, 255] {
            for length in [0, 1, 8, 31, 32, 33, 255] {
                let b = field(position, length);
                for signed in [false, true] {
                    assert_eq!(bfe(a, b, signed), model(a, position, length, signed), "{a:#x} {position} {length}");
                }
                let inside = |i: u32| i >= position && i < (position + length).min(32);
                let put = (0..32u32).fold(0, |r, i| r | if inside(i) { a >> (i - position) & 1 } else { 1 } << i);
                assert_eq!(bfi(a, b, u32::MAX), put, "{a:#x} {position} {length}");
            }
        }
    }
}

/// Measured on a GM20B by the authors of nxgpucatch; zero is bit 0, sign 1, carry 2, overflow 3.
#[test]
fn each_of_the_two_sums_of_iadd3_has_a_carry() {
    const ALL: u32 = u32::MAX;
    let flags = |shift, operands| iadd3(shift, false, operands, Flags::default()).1.image();
    let rows = [
        ([0, 0, 0], 1),
        ([ALL - 1, 1, 1], 5),
        ([1, ALL, 0], 9),
        ([ALL, 0, 0], 2),
        ([0, 0, ALL], 2),
        ([ALL, 2, 0], 8),
        ([1, ALL, 1], 8),
        ([0, 2, ALL], 4),
    ];
    for (operands, expected) in rows {
        assert_eq!(flags(SumShift::None, operands), expected, "{operands:x?}");
    }
    assert_eq!(flags(SumShift::Right, [2, 2, 0]), 1);
    assert_eq!(flags(SumShift::Left, [0x8000, 2, 1]), 2);
    // Both of them, and the carry that goes in.
    assert_eq!(flags(SumShift::None, [ALL, ALL, 3]), 12);
    let before = Flags { zero: true, carry: true, overflow: true, ..Flags::default() };
    let (sum, after) = iadd3(SumShift::None, true, [ALL, 0, 0], before);
    assert_eq!((sum, after.image()), (0, 5));
    assert_eq!(iadd3(SumShift::Right, false, [ALL, 1, 0], before).0, 0x1_0000);
}

#[test]
fn flags_of_floats_tell_nan_from_zero() {
    for (bits, expected) in [(0, 1), (SIGN, 1), (NAN, 3), (0xFFC0_0000, 3), (SIGN | 1, 2), (1, 0), (SIGN | INFINITY, 2)]
    {
        assert_eq!(Flags::of_float(BINARY32, bits.into()).image(), expected, "{bits:#x}");
    }
    assert_eq!(Flags::of_float(BINARY16, 0xBC00).image(), 2);
    assert_eq!(Flags::of_float(BINARY16, 0x8000).image(), 1);
    assert_eq!(Flags::of_float(BINARY64, 0xFFF0_0000_0000_0001).image(), 3);
    assert_eq!(Flags::of_float(BINARY64, 0x8000_0000_0000_0001).image(), 2);
}

/// Measured on a GM20B by the authors of nxgpucatch, but for the conversions between integers with modifiers.
#[test]
fn conversions_at_the_ends_of_types() {
    let of = |bits, signed| IntegerType { bits, signed };
    let nearest = Rounding::NearestEven;
    let to_float =
        |from, value, modifiers| f32::from_bits(integer_to_float(from, value, modifiers, BINARY32, nearest) as u32);
    for bits in [8, 16, 32, 64] {
        let least = 1u64 << (bits - 1);
        let magnitude = least as f32;
        for modifiers in [[false, true], [true, false], [true, true], [false, false]] {
            assert_eq!(to_float(of(bits, true), least, modifiers), -magnitude, "{bits} {modifiers:?}");
        }
        assert_eq!(to_float(of(bits, true), least + 1, [true, false]), (least - 1) as f32);
        assert_eq!(to_float(of(bits, false), least, [true, false]), magnitude);
        assert_eq!(to_float(of(bits, false), least, [false, true]), -magnitude);
        assert_eq!(integer_to_integer(of(bits, true), least, [false, true], of(64, true), false), least.wrapping_neg());
    }
    let cut = |value: i64, bits, saturate| {
        integer_to_integer(of(32, true), value as u64, [false; 2], of(bits, true), saturate)
    };
    assert_eq!([cut(-5, 8, false), cut(-5, 16, false), cut(-5, 32, false)], [0xFB, 0xFFFB, 0xFFFF_FFFB]);
    assert_eq!([cut(-5, 8, true), cut(-500, 8, true), cut(500, 8, true)], [0xFFFF_FFFB, 0xFFFF_FF80, 0x7F]);
    let of_nan = |from, nan, bits, signed| float_to_integer(from, nan, false, nearest, of(bits, signed));
    for signed in [false, true] {
        assert_eq!(of_nan(BINARY32, NAN.into(), 64, signed), 1 << 63);
        assert_eq!(of_nan(BINARY32, NAN.into(), 32, signed), 0);
        assert_eq!(of_nan(BINARY16, 0x7FFF, 32, signed), 0);
        assert_eq!(of_nan(BINARY64, NAN_F64, 64, signed), 1 << 63);
        assert_eq!(of_nan(BINARY64, NAN_F64, 32, signed), 1 << 31);
    }
    // A double has neither FTZ nor SAT.
    let precise = FloatRounding::Precision(nearest);
    let tiny = f64::from(f32::from_bits(1)).to_bits();
    assert_eq!(float_to_float(BINARY64, BINARY32, tiny, precise, true, false), 1);
    assert_eq!(float_to_float(BINARY32, BINARY64, 1, precise, true, true), tiny);
    assert_eq!(float_to_float(BINARY64, BINARY32, 2f64.to_bits(), precise, true, true), 2f32.to_bits().into());
    assert_eq!(float_to_float(BINARY32, BINARY32, 1, precise, true, false), 0);
    assert_eq!(float_to_float(BINARY32, BINARY16, 2f32.to_bits().into(), precise, false, true), 0x3C00);
}
