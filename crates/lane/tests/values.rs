//! Values of operations and tests, computed by hand or by the host's own arithmetic in other ways.

use ctm_lane::{ElementTest, FloatTest, Function, IntTest, Op, evaluate, evaluate_pair};
use std::cmp::Ordering;

/// An operation by its text, as `fadd.ftz`.
fn operation(text: &str, operands: usize) -> Op {
    let (name, attribute) = text.split_once(' ').map_or((text, ""), |(name, attribute)| (name, attribute));
    let args: Vec<String> = (0..operands).map(|number| format!("%{number}")).collect();
    let args = if attribute.is_empty() { args.join(", ") } else { format!("{attribute}, {}", args.join(", ")) };
    let lanes: String = (0..operands).map(|number| format!("%{number} = lane 0\n")).collect();
    let results = (0..3)
        .map(|results| (0..=results).map(|number| format!("%{}", operands + number)).collect::<Vec<_>>().join(", "));
    let function = results
        .map(|results| format!("b0:\n{lanes}{results} = {name} {args}\nreturn").parse::<Function>())
        .find_map(Result::ok);
    let function = function.unwrap_or_else(|| panic!("{text}"));
    *function.op(*function.insts(Function::ENTRY).last().unwrap())
}

#[track_caller]
fn gives(text: &str, args: &[u32], expected: u32) {
    assert_eq!(evaluate(&operation(text, args.len()), args), Some(expected), "{text} {args:x?}");
}

/// Two results that are a binary64 number.
#[track_caller]
fn gives_double(text: &str, args: &[u32], expected: f64) {
    let bits = expected.to_bits();
    let found = evaluate_pair(&operation(text, args.len()), args);
    assert_eq!(found, Some([bits as u32, (bits >> 32) as u32]), "{text} {args:x?} is not {expected}");
}

fn words(values: &[f64]) -> Vec<u32> {
    values.iter().flat_map(|value| [value.to_bits() as u32, (value.to_bits() >> 32) as u32]).collect()
}

#[test]
fn numbers_are_rounded_in_four_directions() {
    for (way, values) in [
        ("floor", [2.0f32, -3.0, 3.0, -4.0]),
        ("ceil", [3.0, -2.0, 4.0, -3.0]),
        ("trunc", [2.0, -2.0, 3.0, -3.0]),
        ("even", [2.0, -2.0, 4.0, -4.0]),
    ] {
        for (value, expected) in [2.5f32, -2.5, 3.5, -3.5].into_iter().zip(values) {
            gives(&format!("fround.{way}"), &[value.to_bits()], expected.to_bits());
            gives_double(&format!("dround.{way}"), &words(&[value.into()]), expected.into());
        }
    }
}

#[test]
fn high_halves_and_shifts() {
    gives("smul_high", &[0x8000_0000, 2], 0xFFFF_FFFF);
    gives("smul_high", &[0x4000_0000, 8], 2);
    gives("smul_high", &[0xFFFF_FFFF, 0xFFFF_FFFF], 0);
    gives("umul_high", &[0x8000_0000, 2], 1);
    gives("umul_high", &[0xFFFF_FFFF, 0xFFFF_FFFF], 0xFFFF_FFFE);
    for (count, [left, right, signed]) in [
        (0, [0x8000_0010, 0x8000_0010, 0x8000_0010]),
        (4, [0x100, 0x0800_0001, 0xF800_0001]),
        (31, [0, 1, 0xFFFF_FFFF]),
        (32, [0, 0, 0xFFFF_FFFF]),
        (u32::MAX, [0, 0, 0xFFFF_FFFF]),
    ] {
        gives("shl", &[0x8000_0010, count], left);
        gives("shr", &[0x8000_0010, count], right);
        gives("sar", &[0x8000_0010, count], signed);
    }
    gives("udiv", &[7, 2], 3);
    gives("udiv", &[7, 0], u32::MAX);
}

#[test]
fn nans_and_zeros() {
    // The second operand is made quiet, where both are NaNs.
    gives("pass_nan", &[0x7FC0_0000, 0xFF80_1234], 0xFFC0_1234);
    gives("pass_nan", &[0x7FC0_0000, 0x3F80_0000], 0x7FC0_0000);
    gives("pass_nan", &[0x3F80_0000, 0xFF80_1234], 0x3F80_0000);
    let (inf, one, two) = (0x7F80_0000, 0x3F80_0000, 0x4000_0000);
    for (rule, of_infinity, of_one) in [("fma.zx", two, two), ("fma.ftz.zx", two, two), ("fma.zz", two, two)] {
        gives(rule, &[0, inf, two], of_infinity);
        gives(rule, &[0x8000_0000, one, two], of_one);
    }
    gives("fmul.zx", &[0x8000_0000, inf], 0);
    gives("fmul.zx", &[0x8000_0000, one], 0x8000_0000);
    gives("fmul.zz", &[0x8000_0000, one], 0);
    gives("clamp01", &[0x8000_0000], 0);
    gives("clamp01", &[two], one);
    gives("clamp01", &[0x7FC0_0000], 0);
}

#[test]
fn doubles_in_two_words() {
    gives_double("ftod", &[1.5f32.to_bits()], 1.5);
    gives_double("itod", &[(-2i32).cast_unsigned()], -2.0);
    gives_double("utod", &[u32::MAX], 4_294_967_295.0);
    let (third, tiny) = (1.0 / 3.0, 2f64.powi(-60));
    gives_double("dadd", &words(&[0.1, 0.2]), 0.1 + 0.2);
    gives_double("dadd.up", &words(&[1.0, tiny]), 1.0 + f64::EPSILON);
    gives_double("dadd.down", &words(&[1.0, tiny]), 1.0);
    gives_double("dmul", &words(&[third, 3.0]), third * 3.0);
    gives_double("dmul.zero", &words(&[third, 3.0]), 1.0 - f64::EPSILON / 2.0);
    gives_double("dfma", &words(&[third, 3.0, -1.0]), third.mul_add(3.0, -1.0));
    gives_double("dfma.up", &words(&[1.0, 1.0, tiny]), 1.0 + f64::EPSILON);
    gives_double("ddiv", &words(&[1.0, 3.0]), third);
    gives_double("ddiv", &words(&[5.0, 0.5]), 10.0);
    gives_double("dsqrt", &words(&[2.0]), 2f64.sqrt());
    gives("dtof", &words(&[0.1]), 0.1f32.to_bits());
    gives("dtoi", &words(&[-2.7]), (-2i32).cast_unsigned());
    gives("dtou", &words(&[2.7]), 2);
    gives("dcmp.olt", &words(&[1.0, 2.0]), 1);
    gives("dcmp.olt", &words(&[2.0, 1.0]), 0);
}

/// Tests are named by what they say: unordered ones hold of NaNs too.
#[test]
fn tests_of_floats() {
    let orders = [Some(Ordering::Less), Some(Ordering::Equal), Some(Ordering::Greater), None];
    for (name, expected) in [
        ("oeq", [false, true, false, false]),
        ("olt", [true, false, false, false]),
        ("ole", [true, true, false, false]),
        ("ogt", [false, false, true, false]),
        ("oge", [false, true, true, false]),
        ("one", [true, false, true, false]),
        ("ord", [true, true, true, false]),
        ("ueq", [false, true, false, true]),
        ("ult", [true, false, false, true]),
        ("ule", [true, true, false, true]),
        ("ugt", [false, false, true, true]),
        ("uge", [false, true, true, true]),
        ("une", [true, false, true, true]),
        ("uno", [false, false, false, true]),
    ] {
        let Op::Fcmp { test, .. } = operation(&format!("fcmp.{name}"), 2) else { panic!("{name}") };
        assert_eq!(orders.map(|order| test.holds(order)), expected, "{name}");
        assert_eq!(orders.map(|order| test.negated().holds(order)), expected.map(|holds| !holds), "{name}");
        assert_eq!(orders.map(|order| test.exchanged().holds(order.map(Ordering::reverse))), expected, "{name}");
    }
    assert_eq!(FloatTest::ALL.len(), 14);
    for (test, expected) in [
        (ElementTest::Never, [false; 4]),
        (ElementTest::Lt, [true, false, false, false]),
        (ElementTest::Le, [true, true, false, false]),
        (ElementTest::Eq, [false, true, false, false]),
        (ElementTest::Ge, [false, true, true, false]),
        (ElementTest::Gt, [false, false, true, false]),
        (ElementTest::Ne, [true, false, true, true]),
        (ElementTest::Always, [true; 4]),
    ] {
        assert_eq!(orders.map(|order| test.passes(order)), expected, "{test:?}");
        assert_eq!(test.reads(), expected != [false; 4] && expected != [true; 4]);
    }
}

#[test]
fn tests_of_integers() {
    let words = [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, u32::MAX];
    for a in words {
        for b in words {
            let signed = i64::from(a.cast_signed()) - i64::from(b.cast_signed());
            let unsigned = i64::from(a) - i64::from(b);
            let expected = [
                ("eq", unsigned == 0),
                ("ne", unsigned != 0),
                ("slt", signed.is_negative()),
                ("sle", !signed.is_positive()),
                ("sgt", signed.is_positive()),
                ("sge", !signed.is_negative()),
                ("ult", unsigned.is_negative()),
                ("ule", !unsigned.is_positive()),
                ("ugt", unsigned.is_positive()),
                ("uge", !unsigned.is_negative()),
            ];
            assert_eq!(expected.len(), IntTest::ALL.len());
            for (name, holds) in expected {
                let Op::Icmp { test } = operation(&format!("icmp.{name}"), 2) else { panic!("{name}") };
                assert_eq!(test.holds(a, b), holds, "{a:x} {name} {b:x}");
                assert_eq!(test.negated().holds(a, b), !holds, "not {a:x} {name} {b:x}");
                assert_eq!(test.exchanged().holds(b, a), holds, "{b:x} {name} {a:x}");
            }
        }
    }
}
