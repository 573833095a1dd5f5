//! The text form: what is printed reads back as the same function, and what is wrong is refused with line and cause.

use ctm_lane::{Function, ParseCause, verify};

const EVERY_KIND: &str = "\
surface s0 unit whole
surface s1
table t0 1024 finite
array a0 128 lane
array a1 4 mask
buffers 1
b0:
    %0 = pos_x
    %1 = covered
    %2 = itof %0
    %3 = lane 0x3f800000 ; 1.0
    %4 = uniform -3
    %5 = table_splat t0, 17
    any %1, b1(%2, %1), b2
b1(%6: lane, %7: mask):
    %8 = fma.ftz.zx %6, %3, %5
    %9 = fmul.zz %8, %8
    %10 = fround.floor.ftz %9
    %11 = canon_nan 0x7fffffff, %10
    %12 = fcmp.oge.ftz %11, %3
    %13, %14, %15, %16 = surface_load s0, %0, %0, %12
    surface_store s1.rba, %0, %0, %13, %14, %15, %16, %7
    %17 = surface_test.lt.write s1, %0, %0, %13, %7
    array_write a0, %4, %13, %17
    mask_array_write a1, %4, %17
    %18 = quad.0022 %13
    %19 = float_to_index 64, %18
    %20 = buffer_load m0, %19, %7
    %21, %22 = ftod %13
    %23, %24 = dfma.zero %21, %22, %21, %22, %21, %22
    %25 = dtof %23, %24
    %26 = ballot %17
    steps 5, 12, %7
    if.slt %4, %4, b1(%20, %17), b2
b2:
    trap 7, 31, %1
";

#[test]
fn printing_inverts_parsing() {
    // The suffix of a store belongs to its name.
    let text = EVERY_KIND.replace("surface_store s1.rba", "surface_store.rba s1");
    let function: Function = text.parse().unwrap();
    verify(&function).unwrap();
    assert_eq!(function.to_string(), text);
    let mut ordered = function.clone();
    ordered.compact();
    assert_eq!(ordered, function);
}

#[test]
fn wrong_lines_are_refused() {
    let cases = [
        ("b0:\n    %0 = frobnicate\n    return", 2, ParseCause::UnknownOperation("frobnicate".into())),
        ("b0:\n    %0 = pos_x.ftz\n    return", 2, ParseCause::UnknownSuffix("ftz".into())),
        ("b0:\n    %0 = fadd %1, %1\n    return", 2, ParseCause::UndefinedValue("%1".into())),
        ("b0:\n    %0 = pos_x\n    %0 = pos_y\n    return", 3, ParseCause::RedefinedValue("%0".into())),
        ("b0:\n    %0 = pos_x\n    %1 = neg %0, %0\n    return", 3, ParseCause::Surplus("%0".into())),
        ("b0:\n    %0, %1 = pos_x\n    return", 2, ParseCause::Results { has: 1, written: 2 }),
        ("b0:\n    jump b1", 2, ParseCause::UndefinedBlock("b1".into())),
        ("b1:\n    return", 1, ParseCause::OutOfOrder("b0".into())),
        ("b0:\n    return\n    return", 3, ParseCause::OutsideBlock),
        ("b0:\n    %0 = pos_x", 2, ParseCause::Unterminated),
        ("b0:\n    %0 = lane 0x1ffffffff\n    return", 2, ParseCause::Expected("a number")),
        ("b0:\n    %0 = uniform 4294967295\n    return", 2, ParseCause::NumberRange),
        ("b0:\n    %0 = pos_x\n    %1 = fcmp %0, %0\n    return", 3, ParseCause::Expected("a float test")),
    ];
    for (text, line, cause) in cases {
        let error = text.parse::<Function>().unwrap_err();
        assert_eq!((error.line, error.cause), (line, cause), "{text}");
    }
}
