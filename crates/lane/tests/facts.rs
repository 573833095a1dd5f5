//! Ranges and shapes of values.

use crate::support::random::Random;
use ctm_lane::{Axis, Function, Graph, LaneShape, LaneShapes, Op, Type, Value, ValueRange, ValueRanges, verify};

/// Gives the function, and the values by their names in the text, which are numbered in order.
fn read(text: &str) -> (Function, Graph) {
    let function: Function = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let graph = Graph::new(&function);
    (function, graph)
}

#[test]
fn coordinates_are_positions_and_constants() {
    let (function, graph) = read(
        "surface s0
        table t0 4
        array a0 4 lane
        array a1 4 mask
        b0:
        %0 = pos_x
        %1 = itof %0
        %2 = lane 0x3fc00000 ; 1.5
        %3 = fadd.ftz %1, %2
        %4 = float_to_index 64, %3
        %5 = lane 0xc0000000 ; -2.0
        %6 = lane 0x3f800000 ; 1.0
        %7 = fma.ftz.zx %3, %6, %5
        %8 = float_to_coordinate %7
        %9 = lane 0x3dcccccd ; 0.1, which is not a multiple of 1/64
        %10 = fadd.ftz %1, %9
        %11 = float_to_index 64, %10
        %12 = pos_y
        %13 = lane 7
        %14 = iadd %13, %12
        %15 = iadd %12, %0
        %16 = table_splat t0, 1
        %17 = fadd.ftz %1, %16
        %18 = fmul.ftz %16, %16
        %19 = fcmp.olt.ftz %18, %16
        %20 = select %19, %16, %18
        %21 = fmul.ftz %1, %16
        %22 = uniform 1
        %23 = array_read a0, %22
        %24 = mask_array_read a1, %22
        %25 = covered
        %26, %27, %28, %29 = surface_load s0, %13, %13, %25
        %30 = mask true
        %31, %32, %33, %34 = surface_load s0, %13, %13, %30
        %35 = surface_test.lt s0, %13, %13, %13, %30
        %36 = fma.ftz %5, %2, %1
        %37 = fma.ftz %9, %9, %1
        return",
    );
    let shapes = LaneShapes::new(&function, &graph);
    let shape = |number| shapes.get(Value(number));
    assert_eq!(shape(3), LaneShape::Coordinate { axis: Axis::X, offset: 1.5 });
    assert_eq!(shape(4), LaneShape::Index { axis: Axis::X, offset: 1, limit: Some(64) });
    assert_eq!(shape(7), LaneShape::Coordinate { axis: Axis::X, offset: -0.5 });
    assert_eq!(shape(8), LaneShape::Index { axis: Axis::X, offset: -1, limit: None });
    assert_eq!(shape(10), LaneShape::Along(Axis::X));
    assert_eq!(shape(11), LaneShape::Along(Axis::X));
    assert_eq!(shape(14), LaneShape::Index { axis: Axis::Y, offset: 7, limit: None });
    assert_eq!(shape(15), LaneShape::Varying);
    assert_eq!(shape(17), LaneShape::Along(Axis::X));
    assert_eq!(shape(36), LaneShape::Coordinate { axis: Axis::X, offset: -3.0 });
    assert_eq!(shape(37), LaneShape::Along(Axis::X), "the product is rounded");
    for uniform in [16, 18, 19, 20, 30, 31, 34] {
        assert_eq!(shape(uniform), LaneShape::Uniform, "%{uniform}");
    }
    for varying in [21, 23, 24, 25, 26, 35] {
        assert_eq!(shape(varying), LaneShape::Varying, "%{varying}");
    }
}

/// What operations make of a position, which they move, blur or lose.
#[test]
fn shapes_of_operations() {
    const GIVEN: &str = "table t0 4
        b0:
        %0 = pos_x
        %1 = pos_y
        %2 = covered
        %3 = itof %0
        %4 = itof %1
        %5 = lane 0x3f800000 ; 1.0
        %6 = lane 0x3f000000 ; 0.5
        %7 = table_splat t0, 1
        %8 = table_splat t0, 2
        %9 = fcmp.olt %7, %8
        %10 = lane 3
        %11 = iadd %0, %10
        %12 = lane 0xfffffffd ; -3
        %13 = iadd %0, %12
        %14 = uniform 1
        ";
    let shape = |operation: &str| {
        let (function, graph) = read(&format!("{GIVEN}%15 = {operation}\nreturn"));
        LaneShapes::new(&function, &graph).get(Value(15))
    };
    let at = |axis, offset| LaneShape::Coordinate { axis, offset };
    for (operation, expected) in [
        ("canon_nan 0x7fffffff, %3", at(Axis::X, 0.0)),
        ("utof %11", at(Axis::X, 3.0)),
        ("utof %13", LaneShape::Along(Axis::X)),
        ("itof %13", at(Axis::X, -3.0)),
        ("fsub %3, %6", at(Axis::X, -0.5)),
        ("fadd %6, %4", at(Axis::Y, 0.5)),
        ("fsub %6, %3", LaneShape::Along(Axis::X)),
        ("fsub %3, %7", LaneShape::Along(Axis::X)),
        ("fmul %3, %5", at(Axis::X, 0.0)),
        ("fmul %5, %3", at(Axis::X, 0.0)),
        ("fmul %3, %6", LaneShape::Varying),
        ("fma %3, %5, %6", at(Axis::X, 0.5)),
        ("fround.floor %3", LaneShape::Along(Axis::X)),
        ("fround.floor %7", LaneShape::Uniform),
        ("select %9, %3, %3", at(Axis::X, 0.0)),
        ("select %9, %7, %8", LaneShape::Uniform),
        ("select %9, %3, %4", LaneShape::Varying),
        ("select %2, %3, %11", LaneShape::Along(Axis::X)),
        ("select %2, %3, %4", LaneShape::Varying),
        ("select %2, %7, %7", LaneShape::Varying),
        ("select %2, %3, %7", LaneShape::Varying),
        ("splat %14", LaneShape::Uniform),
        ("iadd %7, %8", LaneShape::Uniform),
        ("iadd %3, %4", LaneShape::Varying),
    ] {
        assert_eq!(shape(operation), expected, "{operation}");
    }
}

#[test]
fn shapes_in_loops() {
    let (function, graph) = read(
        "b0:
        %0 = pos_x
        %1 = itof %0
        %2 = lane 0x3f800000
        %3 = covered
        %4 = fcmp.ord.ftz %2, %2
        jump b1(%1, %2, %2, %3)
        b1(%5: lane, %6: lane, %7: lane, %8: mask):
        %9 = fadd.ftz %5, %2
        %10 = fadd.ftz %6, %2
        %11 = fadd.ftz %7, %5
        %12 = mask_and %4, %4
        any %12, b1(%9, %10, %11, %12), b2
        b2:
        return",
    );
    let shapes = LaneShapes::new(&function, &graph);
    assert_eq!(shapes.get(Value(5)), LaneShape::Along(Axis::X));
    assert_eq!(shapes.get(Value(10)), LaneShape::Uniform);
    assert_eq!(shapes.get(Value(7)), LaneShape::Varying);
    assert_eq!(shapes.get(Value(12)), LaneShape::Uniform);
    assert_eq!(shapes.get(Value(8)), LaneShape::Varying);
}

/// What depends on nothing of a position but its row.
#[test]
fn values_of_rows() {
    let (function, graph) = read(
        "surface s0
        table t0 4
        array a0 4 lane
        b0:
        %0 = pos_x
        %1 = pos_y
        %2 = mask true
        %3 = covered
        %4 = utof %1
        %5 = table_splat t0, 1
        %6 = fmul.ftz %4, %5
        %7 = float_to_index 64, %6
        %8 = float_to_index 64, %5
        %9, %10, %11, %12 = surface_load s0, %8, %7, %2
        %13, %14, %15, %16 = surface_load s0, %0, %7, %2
        %17, %18, %19, %20 = surface_load s0, %8, %7, %3
        %21 = quad.0123 %6
        %22 = uniform 1
        %23 = array_read a0, %22
        jump b1(%4, %4, %5)
        b1(%24: lane, %25: lane, %26: lane):
        %27 = fadd.ftz %24, %9
        %28 = fadd.ftz %25, %13
        %29 = fcmp.olt.ftz %24, %5
        any %29, b1(%27, %28, %26), b2
        b2:
        return",
    );
    let shapes = LaneShapes::new(&function, &graph);
    for same in [1, 2, 4, 5, 6, 7, 8, 9, 12, 24, 26, 27, 29] {
        assert!(shapes.is_same_in_rows(Value(same)), "%{same}");
    }
    for different in [0, 3, 13, 16, 17, 21, 23, 25, 28] {
        assert!(!shapes.is_same_in_rows(Value(different)), "%{different}");
    }
}

#[test]
fn ranges_in_loops_end() {
    let (function, graph) = read(
        "surface s0 unit whole
        b0:
        %0 = pos_x
        %1 = lane 0
        %2 = lane 0x3f800000
        %3 = mask true
        %4 = itof %0
        jump b1(%1, %1, %4)
        b1(%5: lane, %6: lane, %7: lane):
        %8, %9, %10, %11 = surface_load s0, %0, %0, %3
        %12 = fadd.ftz %5, %8
        %13 = fmul.ftz %6, %8
        %14 = fma.ftz %13, %8, %9
        %15 = clamp01.ftz %14
        %16 = frc %7
        %17 = canon_nan 0x7fffffff, %16
        %18 = fdiv.ftz %2, %7
        any %3, b1(%12, %15, %17), b2
        b2:
        return",
    );
    let ranges = ValueRanges::new(&function, &graph);
    let range = |number| ranges.get(Value(number));
    let ends = |range: ValueRange| (range.lo, range.hi, range.nan);
    assert_eq!(ends(range(4)), (0.0, 65_535.0, false));
    // Nothing up to 1 that is added to the greatest number rounds to infinity.
    assert_eq!(ends(range(5)), (0.0, f32::MAX, false));
    assert_eq!(ends(range(6)), (0.0, 1.0, false));
    assert_eq!(ends(range(14)), (0.0, 2.0, false));
    assert_eq!(ends(range(7)), (0.0, 65_535.0, false));
    assert!(range(18).may_be_infinite() && !range(18).nan);
}

/// What operations make of given ranges.
#[test]
fn ranges_of_operations() {
    const GIVEN: &str = "surface s0 unit whole
        surface s1 whole
        table t0 4
        table t1 4 finite
        b0:
        %0 = pos_x
        %1 = covered
        %2, %3, %4, %5 = surface_load s0, %0, %0, %1
        %6, %7, %8, %9 = surface_load s1, %0, %0, %1
        %10 = lane 0x40000000 ; 2.0
        %11 = lane 0xc0400000 ; -3.0
        %12 = select %1, %10, %11
        %13 = fadd %2, %10
        %14 = float_to_index 64, %6
        %15 = lane 0x40200000 ; 2.5
        %16 = lane 0xc0600000 ; -3.5
        %17 = select %1, %15, %16
        %18 = lane 0x00800000 ; the least normal number
        %19 = lane 0x80800000 ; its negative
        %20 = lane 2
        %21 = lane 28
        %22 = lane 1
        %23 = iadd %14, %22
        %24 = uniform 255
        %25 = uniform -1
        %26 = table_uniform t0, 1
        %27 = uniform_and %26, %24
        %28 = uniform_and %26, %25
        %29 = fround.floor %12
        %30 = fround.floor %6
        %31 = lane 0xc3480000 ; -200.0
        %32 = lane 0x7f7fffff ; the greatest number
        ";
    const INF: f32 = f32::INFINITY;
    let range = |operation: &str| {
        let (function, graph) = read(&format!("{GIVEN}%40 = {operation}\nreturn").replace("%40", "%33"));
        ValueRanges::new(&function, &graph).get(Value(33))
    };
    for (operation, lo, hi, nan) in [
        ("fsqrt %13", 2f32.sqrt(), 3f32.sqrt(), false),
        ("fsqrt %12", 0.0, 2f32.sqrt(), true),
        ("fround.floor %17", -4.0, 2.0, false),
        ("fround.ceil %17", -3.0, 3.0, false),
        ("fround.trunc %17", -3.0, 2.0, false),
        ("fround.even %17", -4.0, 2.0, false),
        ("frc %12", 0.0, 1.0, false),
        ("frc %6", 0.0, 1.0, true),
        ("sin %12", -1.0, 1.0, false),
        ("cos %6", -1.0, 1.0, true),
        ("ex2 %12", 0.0, 8.0, false),
        ("ex2 %31", 0.0, 2f32.powi(-119), false),
        ("ex2 %6", 0.0, INF, true),
        ("ex2 %32", 0.0, INF, false),
        ("ln2 %13", -127.0, 129.0, false),
        ("ln2 %2", -INF, 129.0, false),
        ("ln2 %12", -INF, 129.0, true),
        ("ln2 %6", -INF, INF, true),
        ("fmin %12, %2", -3.0, 1.0, false),
        ("fmax %12, %2", 0.0, 2.0, false),
        ("fmin %6, %2", -INF, 1.0, false),
        ("fmax %6, %2", 0.0, INF, false),
        ("select %1, %12, %15", -3.0, 2.5, false),
        ("clamp01 %6", 0.0, 1.0, false),
        ("neg %12", -2.0, 3.0, false),
        ("abs %12", 0.0, 3.0, false),
        ("abs %13", 2.0, 3.0, false),
        ("nabs %12", -3.0, -0.0, false),
        ("nabs %13", -3.0, -2.0, false),
        ("itof %14", 0.0, 63.0, false),
        ("utof %14", 0.0, 63.0, false),
        ("itof %6", -2_147_483_648.0, 2_147_483_648.0, false),
        ("utof %6", 0.0, 4_294_967_296.0, false),
        ("fsub %12, %29", 0.0, 1.0, false),
        ("fsub %6, %30", 0.0, 1.0, true),
        ("fsub %12, %13", -6.0, 0.0, false),
        ("fmul %12, %12", 0.0, 9.0, false),
        ("fmul %12, %13", -9.0, 6.0, false),
        ("fma %12, %12, %13", 2.0, 12.0, false),
        ("fma %12, %13, %2", -9.0, 7.0, false),
        ("fma %12, %13, %6", -INF, INF, true),
        ("fdiv %12, %13", -1.5, 1.0, false),
        ("fdiv %12, %2", -INF, INF, true),
        ("fdiv %13, %2", -INF, INF, false),
        ("fdiv %13, %18", 2f32.powi(127), 3.0 * 2f32.powi(126), false),
        ("fdiv %22, %18", 2f32.powi(-23), 2f32.powi(-23), false),
        ("table_splat t1, 0", f32::MIN, f32::MAX, false),
        ("table_splat t0, 0", -INF, INF, true),
        ("canon_nan 0x7fffffff, %12", -3.0, 2.0, false),
        ("quad.0123 %12", -3.0, 2.0, false),
    ] {
        let found = range(operation);
        assert_eq!((found.lo, found.hi, found.nan), (lo, hi, nan), "{operation}");
    }
    let any = (i32::MIN, i32::MAX);
    for (operation, int) in [
        ("float_to_index 8, %6", (0, 7)),
        ("float_to_index 0, %6", (0, 0)),
        ("and %14, %6", (0, 63)),
        ("and %6, %7", any),
        ("and %14, %20", (0, 2)),
        ("shr %14, %20", (0, 15)),
        ("shr %6, %21", (0, 15)),
        ("shr %6, %23", (0, i32::MAX)),
        ("shr %6, %14", any),
        ("popcount %6", (0, 32)),
        ("clz %6", (0, 32)),
        ("ftoh %6", (0, 65_535)),
        ("iadd %14, %14", (0, 126)),
        ("isub %14, %23", (-64, 62)),
        ("iadd %6, %14", any),
        ("splat %27", (0, 255)),
        ("splat %28", any),
        ("splat %26", any),
        ("neg %14", any),
        ("canon_nan 0x7fffffff, %14", any),
    ] {
        assert_eq!(range(operation).int, int, "{operation}");
    }
}

/// What does not move in a loop keeps its end, and what grows by integers ends.
#[test]
fn ranges_of_loops_move_where_values_do() {
    let (function, graph) = read(
        "surface s0 unit whole
        b0:
        %0 = pos_x
        %1 = covered
        %2, %3, %4, %5 = surface_load s0, %0, %0, %1
        %6 = lane 0x40000000 ; 2.0
        %7 = float_to_index 8, %2
        %8 = lane 7
        %9 = lane 1
        jump b1(%6, %7, %9)
        b1(%10: lane, %11: lane, %12: lane):
        %13 = fadd %10, %2
        %14 = and %11, %8
        %15 = iadd %12, %9
        any %1, b1(%13, %14, %15), b2
        b2:
        return",
    );
    let ranges = ValueRanges::new(&function, &graph);
    let range = |number| ranges.get(Value(number));
    assert_eq!((range(10).lo, range(10).nan), (2.0, false));
    assert_eq!((range(11).int, range(12).int), ((0, 7), (i32::MIN, i32::MAX)));
}

/// Every result lies in its range, for arguments that do.
#[test]
fn ranges_hold_all_results() {
    const UNARY: [&str; 16] = [
        "fsqrt",
        "fsqrt.ftz",
        "fround.floor",
        "fround.even.ftz",
        "frc",
        "ex2",
        "ln2",
        "sin",
        "cos",
        "clamp01",
        "clamp01.ftz",
        "neg",
        "abs",
        "nabs",
        "itof",
        "utof",
    ];
    const OF_BITS: [&str; 4] = ["itof", "utof", "and", "shr"];
    const BINARY: [&str; 12] = [
        "fadd",
        "fadd.ftz",
        "fsub",
        "fsub.ftz",
        "fmul",
        "fmul.ftz",
        "fmul.ftz.zx",
        "fmul.zz",
        "fdiv",
        "fdiv.ftz",
        "fmin.ftz",
        "fmax.ftz",
    ];
    let mut random = Random::new(7);
    for round in 0..if cfg!(miri) { 12 } else { 30_000 } {
        // Each operand is a choice of two constants, so that its range is all between them.
        let mut bits: [u32; 6] = std::array::from_fn(|_| random.float_bits());
        // Few bits, or all, to be masked and moved by.
        if round % 4 == 3 {
            (2..4).for_each(|at| bits[at] = bits[at] & 63 | if random.chance(10) { u32::MAX << 31 } else { 0 });
            (0..2).for_each(|at| bits[at] >>= random.below(32));
        }
        let mut text = "b0:\n%0 = covered\n".to_owned();
        for (at, bits) in bits.iter().enumerate() {
            text += &format!("%{} = lane {bits:#x}\n", at + 1);
        }
        text += "%7 = select %0, %1, %2\n%8 = select %0, %3, %4\n%9 = select %0, %5, %6\n";
        let is_square = round % 4 != 3 && random.chance(30);
        let (operation, operands) = match round % 4 {
            0 => (random.pick(&UNARY), "%7"),
            1 => (random.pick(&BINARY), if is_square { "%7, %7" } else { "%7, %8" }),
            3 => (random.pick(&["and", "shr"]), "%7, %8"),
            _ => {
                let operands = if is_square { "%7, %7, %9" } else { "%7, %8, %9" };
                (random.pick(&["fma", "fma.ftz", "fma.ftz.zx", "fma.zz"]), operands)
            }
        };
        text += &format!("%10 = {operation} {operands}\nreturn");
        let (function, graph) = read(&text);
        let ranges = ValueRanges::new(&function, &graph);
        let result = *function.insts(Function::ENTRY).last().expect("there are instructions");
        let range = ranges.get(function.result(result));
        assert_eq!(function.value_type(function.result(result)), Type::Lane);
        let op: &Op = function.op(result);
        for _ in 0..8 {
            // Between the floats that two integers are as bits, there are other integers.
            let of_integers = OF_BITS.contains(&operation);
            let mut choose = |at: usize| match of_integers {
                true => bits[2 * at + usize::from(random.chance(50))],
                false => between(&mut random, bits[2 * at], bits[2 * at + 1]),
            };
            let mut args: Vec<u32> = (0..3).map(&mut choose).collect();
            if is_square {
                args[1] = args[0];
            }
            let bits = ctm_lane::evaluate(op, &args[..op.info().operands.len()]).expect("the operation is pure");
            let value = f32::from_bits(bits);
            let held = if value.is_nan() {
                range.nan
            } else {
                range.lo <= value && value <= range.hi && (range.denormal || !value.is_subnormal())
            };
            let held = held && (range.int.0..=range.int.1).contains(&bits.cast_signed());
            assert!(held, "{text}\n{value:e} of {args:x?} is not in {range:?}");
        }
    }
}

/// A value that the range of a select between two constants holds: one of them, or a float between them.
fn between(random: &mut Random, a: u32, b: u32) -> u32 {
    let (x, y) = (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(b)));
    let inner = (x + (y - x) * random.below(1000) as f64 / 1000.0) as f32;
    if random.chance(50) || !inner.is_normal() {
        return if random.chance(50) { a } else { b };
    }
    inner.to_bits()
}
