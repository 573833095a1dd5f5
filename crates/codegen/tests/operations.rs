//! Every operation as machine code against its definition, over grids of special values.
#![cfg(target_arch = "x86_64")]

use crate::support::*;
use ctm_codegen::x64::Jit;
use ctm_engine::{KernelSource, SurfaceLayout};
use ctm_lane::Function;
use ctm_lane::domain::Domain;
use ctm_lane::effort::Effort;
use ctm_memory::{Bounds, Format, Tiling};

/// Wraps operations on %4..%11 (the channels of two surfaces with special values) into a function that stores the results.
fn function(body: &str, results: [&str; 4]) -> Function {
    let results = results.join(", ");
    storing(&format!("{body}\nsteps 3, 0, %2\nsurface_store.rgba s2, %0, %1, {results}, %2"))
}

/// The same for operations that store what they want to.
fn storing(body: &str) -> Function {
    let text = format!(
        "surface s0 whole\nsurface s1 whole\nsurface s2 whole\ntable t0 16\ntable t1 4 finite\narray a0 8 lane\narray a1 2 mask\narray a2 2 uniform\nbuffers 1\n\
         b0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n%3 = lane 0x3f800000\n\
         %4, %5, %6, %7 = surface_load s0, %0, %1, %2\n%8, %9, %10, %11 = surface_load s1, %0, %1, %2\n\
         {body}\nreturn\n"
    );
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn check(backend: &Jit, function: &Function, data: Data, what: &str) {
    ctm_lane::verify(function).unwrap_or_else(|error| panic!("{error:?}\n{function}"));
    let has_test = function.to_string().contains("surface_test");
    let written = if has_test { Format::Float32_1 } else { Format::Float32_4 };
    let kinds = [
        (Format::Float32_4, Tiling::Linear, 64, 24, Bounds::Clamp),
        (Format::Float32_4, Tiling::Linear, 64, 24, Bounds::Clamp),
        (written, Tiling::Linear, 64, 24, Bounds::Drop),
    ];
    let surfaces = surfaces(&kinds);
    let tables =
        vec![(0..16).map(|at| content(5, at, data)).collect(), (0..4).map(|at| content(6, at, Data::Tame)).collect()];
    for (seed, domain) in [(1, Domain { i0: 0, j0: 0, i1: 63, j1: 23 }), (2, Domain { i0: 3, j0: 1, i1: 52, j1: 20 })] {
        let (first, second) = (space(seed, data), space(seed, data));
        let setup = Setup { function, surfaces: &surfaces, tables: &tables, domain, budget: u64::MAX };
        let expected = run_plain(backend.lanes(), setup, &first);
        let found = run_code(backend, setup, &second);
        assert_eq!(found, Some(expected), "{what}: instructions\n{function}");
        if let Some(difference) = difference(&first, &second) {
            panic!("{what}: {difference}\n{function}");
        }
    }
}

fn each_form(name: &str, body: &str, result: &str) {
    together(name, body, [result, "%3", "%3", "%3"]);
}

/// Operations with up to four results.
fn together(name: &str, body: &str, results: [&str; 4]) {
    in_each_form(name, &function(body, results));
}

fn in_each_form(name: &str, function: &Function) {
    for backend in backends() {
        for data in Data::ALL {
            check(&backend, function, data, name);
        }
    }
}

/// One instruction that gives a float with open NaN bits.
fn float(name: &str, operands: &str) {
    each_form(name, &format!("%12 = {name} {operands}\n%13 = canon_nan 0x7fffffff, %12"), "%13");
}

fn bits(name: &str, operands: &str) {
    each_form(name, &format!("%12 = {name} {operands}"), "%12");
}

#[test]
fn float_arithmetic() {
    for name in ["fadd.ftz", "fsub.ftz", "fmul.ftz", "fmul.ftz.zx", "fmul.ftz.zz", "fdiv.ftz"] {
        float(name, "%4, %8");
        float(name, "%4, %3");
        float(name, "%3, %4");
    }
    for name in ["fma.ftz", "fma.ftz.zx", "fma.ftz.zz"] {
        float(name, "%4, %8, %5");
        float(name, "%3, %8, %5");
        float(name, "%8, %8, %3");
        float(name, "%8, %5, %5");
    }
    for name in ["fsqrt.ftz", "fround.floor.ftz", "fround.ceil.ftz", "fround.trunc.ftz", "fround.even.ftz", "frc"] {
        float(name, "%4");
    }
    for name in ["ex2", "ln2", "sin", "cos"] {
        float(name, "%4");
    }
}

#[test]
fn signs_in_multiply_adds() {
    for zero in ["", ".zx"] {
        for signs in 0..8 {
            let mut body = String::new();
            let operands: Vec<String> = ["%4", "%8", "%5"]
                .iter()
                .enumerate()
                .map(|(at, operand)| {
                    if signs >> at & 1 == 0 {
                        return operand.to_string();
                    }
                    let name = format!("%{}", 12 + body.lines().count());
                    body.push_str(&format!("{name} = neg {operand}\n"));
                    name
                })
                .collect();
            let next = 12 + body.lines().count();
            body.push_str(&format!("%{next} = fma.ftz{zero} {}\n", operands.join(", ")));
            body.push_str(&format!("%{} = canon_nan 0x7fffffff, %{next}", next + 1));
            each_form("fma with signs", &body, &format!("%{}", next + 1));
        }
    }
}

#[test]
fn choices_and_conversions() {
    for name in ["fmin.ftz", "fmax.ftz", "pass_nan"] {
        bits(name, "%4, %8");
        bits(name, "%4, %3");
    }
    for name in ["neg", "abs", "nabs", "clamp01.ftz", "itof", "utof", "ftoi", "ftou", "float_to_coordinate"] {
        bits(name, "%4");
    }
    for limit in [0, 1, 17, 4096] {
        bits("float_to_index", &format!("{limit}, %4"));
    }
    for test in ["oeq", "olt", "ole", "ogt", "oge", "one", "ord", "ueq", "ult", "ule", "ugt", "uge", "une", "uno"] {
        each_form(test, &format!("%12 = fcmp.{test}.ftz %4, %8\n%13 = select %12, %5, %9"), "%13");
    }
    for test in ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"] {
        each_form(test, &format!("%12 = icmp.{test} %4, %8\n%13 = select %12, %5, %3"), "%13");
    }
}

/// Conversions of what is known to be in a range.
#[test]
fn conversions_of_bounded_numbers() {
    for (low, high) in [("0x00000000", "0x437f0000"), ("0xc9800000", "0x49800000"), ("0xcf000000", "0x4effffff")] {
        for name in ["ftoi", "ftou", "float_to_coordinate"] {
            let bounded =
                format!("%12 = lane {low}\n%13 = lane {high}\n%14 = fmax.ftz %4, %12\n%15 = fmin.ftz %14, %13");
            each_form(name, &format!("{bounded}\n%16 = {name} %15"), "%16");
        }
    }
    for mask in ["0x000000ff", "0x7fffffff", "0xffffffff"] {
        each_form("utof of bits", &format!("%12 = lane {mask}\n%13 = and %4, %12\n%14 = utof %13"), "%14");
    }
    for count in [1, 8, 31, 32, 33] {
        each_form("utof of high bits", &format!("%12 = lane {count}\n%13 = shr %4, %12\n%14 = utof %13"), "%14");
    }
}

#[test]
fn integers() {
    for name in [
        "iadd",
        "isub",
        "imul",
        "smul_high",
        "umul_high",
        "smin",
        "smax",
        "umin",
        "umax",
        "and",
        "or",
        "xor",
        "shl",
        "shr",
        "sar",
    ] {
        bits(name, "%4, %8");
        bits(name, "%3, %8");
    }
    for name in ["shl", "shr", "sar"] {
        each_form(name, &format!("%12 = lane 63\n%13 = and %8, %12\n%14 = {name} %4, %13"), "%14");
    }
}

#[test]
fn counts_and_quotients() {
    let body = "%12 = lane 0x0000007f\n%13 = and %8, %12\n%14 = udiv %4, %8\n%15 = udiv %4, %13";
    together("udiv", &format!("{body}\n%16 = udiv %13, %4\n%17 = udiv %9, %3"), ["%14", "%15", "%16", "%17"]);
    let body = "%12 = shr %4, %1\n%13 = popcount %4\n%14 = clz %4\n%15 = clz %12\n%16 = bit_reverse %4";
    together("bits", body, ["%13", "%14", "%15", "%16"]);
}

/// The first four of these operations, whose operands are %4.., into %20.. with one NaN.
fn canonical(name: &str, setup: &str, operations: [&str; 4]) {
    let numbered = |first: usize, line: &dyn Fn(usize) -> String| -> String {
        (0..4).map(|at| format!("%{} = {}\n", first + at, line(at))).collect()
    };
    let first = 12 + setup.lines().count();
    let body = numbered(first, &|at| operations[at].to_owned());
    let fixed = numbered(first + 4, &|at| format!("canon_nan 0x7fffffff, %{}", first + at));
    let results = [4, 5, 6, 7].map(|at| format!("%{}", first + at));
    let body = format!("{setup}{body}{}", fixed.trim_end());
    together(name, &body, [0, 1, 2, 3].map(|at| results[at].as_str()));
}

const DIRECTIONS: [&str; 4] = ["", ".down", ".up", ".zero"];

#[test]
fn arithmetic_with_denormals() {
    canonical("keep", "", ["fadd %4, %8", "fsub %4, %8", "fmul %4, %8", "fdiv %4, %8"]);
    canonical("keep", "", ["fma %4, %8, %5", "fma.zx %4, %8, %5", "fma.zz %4, %8, %5", "fsqrt %4"]);
    canonical("keep", "", ["fmul.zx %4, %8", "fmul.zz %4, %8", "fround.floor %4", "fround.ceil %4"]);
    together(
        "keep",
        "%12 = fmin %4, %8\n%13 = fmax %4, %8\n%14 = clamp01 %4\n%15 = fcmp.olt %4, %8\n%16 = select %15, %4, %5",
        ["%12", "%13", "%14", "%16"],
    );
    // Modes side by side.
    canonical("modes", "", ["fadd.ftz %4, %8", "fadd %4, %8", "fma.ftz %4, %8, %5", "fma_rounded.up %4, %8, %5"]);
}

#[test]
fn directions_of_rounding() {
    for way in DIRECTIONS {
        let operation = |text: &str| text.replace("@", way);
        let sums =
            ["fadd_rounded@ %4, %8", "fmul_rounded@ %4, %8", "fma_rounded@ %4, %8, %5", "fma_rounded@ %3, %6, %9"];
        let sums = sums.map(operation);
        canonical(way, "", [0, 1, 2, 3].map(|at| sums[at].as_str()));
        let halves =
            "%12 = lane 0x38000000\n%13 = fmul_rounded@ %4, %12\n%14 = ftoh@ %4\n%15 = ftoh@ %13\n%16 = ftoh@ %8";
        together(way, &operation(&format!("{halves}\n%17 = htof %4")), ["%14", "%15", "%16", "%17"]);
    }
}

/// Three binary64 numbers, %20, %21 and so on: some have any words, and some were floats.
const DOUBLES: &str = "%12, %13 = ftod %4\n%14, %15 = ftod %8\n%16, %17 = ftod %9\n%18 = fcmp.olt.ftz %6, %10\n%19 = fcmp.olt.ftz %7, %11\n\
    %20 = select %18, %12, %4\n%21 = select %18, %13, %5\n%22 = select %19, %14, %8\n%23 = select %19, %15, %9\n\
    %24 = select %18, %16, %6\n%25 = select %18, %17, %7";

#[test]
fn doubles() {
    let doubles = |name: &str, body: &str, results: [&str; 4]| together(name, &format!("{DOUBLES}\n{body}"), results);
    for way in DIRECTIONS {
        let operation = |text: &str| text.replace("@", way);
        let body = "%26, %27 = dadd@ %20, %21, %22, %23\n%28, %29 = dmul@ %20, %21, %22, %23";
        doubles(way, &operation(body), ["%26", "%27", "%28", "%29"]);
        // Products of floats have the places of denormal floats.
        let body = "%26, %27 = dfma@ %20, %21, %22, %23, %24, %25\n%28, %29 = dmul@ %12, %13, %14, %15\n%30 = dtof@ %28, %29\n%31 = dtof@ %20, %21";
        doubles(way, &operation(body), ["%26", "%27", "%30", "%31"]);
    }
    let body = "%26, %27 = ddiv %20, %21, %22, %23\n%28, %29 = dsqrt %20, %21";
    doubles("quotient and root", body, ["%26", "%27", "%28", "%29"]);
    for [one, other] in [["even", "floor"], ["ceil", "trunc"]] {
        let body = format!("%26, %27 = dround.{one} %20, %21\n%28, %29 = dround.{other} %20, %21");
        doubles("dround", &body, ["%26", "%27", "%28", "%29"]);
    }
    let body = "%26, %27 = itod %4\n%28, %29 = utod %4";
    doubles("from integers", body, ["%26", "%27", "%28", "%29"]);
    // Numbers with and without fractions near the limits of integers.
    let body = "%26 = lane 0x41dfffff\n%27 = lane 0x41efffff\n%28 = lane 0xc1e00000\n%29 = dtoi %20, %21\n%30 = dtou %20, %21\n\
        %31 = dtoi %4, %26\n%32 = dtou %4, %27\n%33 = dtoi %4, %28\n%34 = xor %31, %33";
    doubles("to integers", body, ["%29", "%30", "%34", "%32"]);
    for tests in ["oeq olt ole ogt", "oge one ord ueq", "ult ule ugt uge", "une uno oeq olt"] {
        let mut body = String::new();
        for (at, test) in tests.split(' ').enumerate() {
            let (mask, result) = (26 + 2 * at, 27 + 2 * at);
            body.push_str(&format!("%{mask} = dcmp.{test} %20, %21, %22, %23\n%{result} = select %{mask}, %3, %4\n"));
        }
        doubles("dcmp", body.trim_end(), ["%27", "%29", "%31", "%33"]);
    }
}

#[test]
fn tables_arrays_quads() {
    bits("table_splat", "t0, 5");
    bits("table_gather", "t0, %4");
    each_form("table_at", "%12 = table_uniform t0, 3\n%13 = table_at t0, %12", "%13");
    each_form(
        "splat",
        "%12 = table_uniform t0, 7\n%13 = uniform 5\n%14 = uniform_mul %12, %13\n%15 = splat %14",
        "%15",
    );
    for order in ["0000", "3210", "1032", "2301", "1123"] {
        bits(&format!("quad.{order}"), "%4");
    }
    each_form(
        "arrays",
        "%12 = uniform 3\n%13 = fcmp.olt.ftz %4, %8\narray_write a0, %12, %5, %13\narray_scatter a0, %6, %7, %13\n%14 = array_gather a0, %9\n%15 = array_read a0, %12\n%16 = xor %14, %15",
        "%16",
    );
    each_form(
        "arrays of masks and uniforms",
        "%12 = uniform 1\n%13 = fcmp.olt.ftz %4, %8\nmask_array_write a1, %12, %13\nuniform_array_write a2, %12, %12\n%14 = uniform_array_read a2, %12\n%15 = mask_array_read a1, %14\n%16 = select %15, %4, %5",
        "%16",
    );
}

/// What one operation asks of the floating-point unit must not reach the next.
#[test]
fn modes_side_by_side() {
    for conversion in ["itof", "utof"] {
        let down = "%12 = fadd_rounded.down %4, %8\n%13 = canon_nan 0x7fc00000, %12";
        each_form(conversion, &format!("{down}\n%14 = {conversion} %5\n%15 = xor %13, %14"), "%15");
    }
    each_form("denormals through extremes", "%12 = fmin.ftz %4, %8\n%13 = fmax.ftz %12, %5", "%13");
    let kept = "%12 = fadd %4, %8\n%13 = canon_nan 0x7fc00000, %12";
    each_form("coordinate", &format!("{kept}\n%14 = float_to_coordinate %5\n%15 = xor %13, %14"), "%15");
    let ways = "%12 = fmin.ftz %4, %8\n%13 = icmp.slt %5, %9\nany %13, b1, b2(%12)\nb1:\njump b2(%12)\nb2(%14: lane):";
    each_form("denormals to other blocks", ways, "%14");
}

/// `canon_nan` and `pass_nan` of these operands, the first one last, after %12.
fn chain(operation: &str, passes: &str) -> String {
    let mut text = format!("%12 = {operation}\n%13 = canon_nan 0x7fc00000, %12");
    for (number, pass) in passes.split(' ').rev().enumerate() {
        text.push_str(&format!("\n%{} = pass_nan %{}, {pass}", number + 14, number + 13));
    }
    text
}

#[test]
fn nans_of_operands() {
    for operation in ["fadd.ftz", "fmul.ftz", "fsub.ftz", "fdiv.ftz", "fmul.ftz.zx"] {
        // In the instruction's order, in the other one, an operand left out, another value.
        for passes in ["%4 %8", "%8 %4", "%8 %8", "%9 %4"] {
            each_form(operation, &chain(&format!("{operation} %4, %8"), passes), "%15");
        }
        each_form(operation, &chain(&format!("{operation} %4, %3"), "%4"), "%14");
        each_form(operation, &chain(&format!("{operation} %4, %4"), "%4"), "%14");
    }
    for operation in ["fsqrt.ftz", "fround.floor.ftz"] {
        each_form(operation, &chain(&format!("{operation} %4"), "%4"), "%14");
    }
    // Operands that are not part of the operation.
    each_form("another value", &chain("fadd.ftz %4, %3", "%8"), "%14");
    let root = "%12 = fmul.ftz %4, %3\n%13 = fsqrt.ftz %12\n%14 = canon_nan 0x7fc00000, %13\n%15 = pass_nan %14, %8";
    each_form("another value after a root", root, "%15");
    let negated = "%12 = neg %9\n%13 = fsub.ftz %4, %8\n%14 = canon_nan 0x7fc00000, %13\n%15 = pass_nan %14, %12";
    each_form("another value after a difference", negated, "%15");
    // An operand on its way through other operations.
    let scaled =
        "%16 = fmul.ftz %14, %3\n%17 = fsqrt.ftz %16\n%18 = canon_nan 0x7fc00000, %17\n%19 = pass_nan %18, %14";
    each_form("scaled", &format!("{}\n%15 = lane 1\n{scaled}", chain("fadd.ftz %4, %3", "%4")), "%19");
    let both =
        "%16 = fadd.ftz %12, %9\n%17 = canon_nan 0x7fc00000, %16\n%18 = pass_nan %17, %15\n%19 = pass_nan %18, %9";
    each_form("both", &format!("{}\n{both}", chain("fmul.ftz %4, %8", "%4 %8")), "%19");
    let negated = "%12 = neg %8\n%13 = fsub.ftz %4, %8\n%14 = canon_nan 0x7fc00000, %13\n%15 = pass_nan %14";
    each_form("negated", &format!("{negated}, %12\n%16 = pass_nan %15, %4"), "%16");
    each_form("negated first", &format!("{negated}, %4\n%16 = pass_nan %15, %12"), "%16");
    // A NaN constant where only a mask keeps it away.
    let constant =
        "%12 = lane 0xffffffff\n%13 = fcmp.olt.ftz %4, %8\n%14 = select %13, %12, %9\n%15 = fadd.ftz %14, %8";
    let passes = "%16 = canon_nan 0x7fc00000, %15\n%17 = pass_nan %16, %8\n%18 = pass_nan %17, %14";
    each_form("constant", &format!("{constant}\n{passes}"), "%18");
}

/// After this, %13 is a number that a rule about NaNs made, and %14 a mask to choose it by.
const TAINTED: &str = "%12 = fmul.ftz.zx %4, %8\n%13 = canon_nan 0x7fffffff, %12\n%14 = fcmp.olt.ftz %5, %9";

fn look(body: &str, result: &str) {
    each_form(body, &format!("{TAINTED}\n{body}"), result);
}

/// What looks at a number that a rule about NaNs made. The rule, left out, would show.
#[test]
fn watched_numbers() {
    for test in ["oeq", "olt", "ole", "ogt", "oge", "one", "ord", "ueq", "ult", "ule", "ugt", "uge", "une", "uno"] {
        look(&format!("%15 = fcmp.{test}.ftz %13, %10\n%16 = select %15, %5, %9"), "%16");
        look(&format!("%15 = fcmp.{test} %10, %13\n%16 = mask_and %14, %15\n%17 = select %16, %5, %9"), "%17");
        look(&format!("%15 = fcmp.{test} %13, %3\n%16 = mask_andnot %14, %15\n%17 = select %16, %5, %9"), "%17");
    }
    for name in ["fmin.ftz", "fmin", "fmax.ftz", "fmax", "iadd", "icmp.slt"] {
        let last = |at: u32| match name {
            "icmp.slt" => format!("\n%{} = select %{at}, %5, %9", at + 1),
            _ => format!("\n%{} = neg %{at}", at + 1),
        };
        look(&format!("%15 = {name} %13, %10{}", last(15)), "%16");
        look(&format!("%15 = {name} %10, %13{}", last(15)), "%16");
        for arms in ["%13, %6", "%6, %13", "%13, %13"] {
            look(&format!("%15 = select %14, {arms}\n%16 = {name} %15, %10{}", last(16)), "%17");
        }
        let twice = "%15 = fcmp.ogt.ftz %6, %9\n%16 = select %14, %13, %6\n%17 = select %15, %16, %7";
        look(&format!("{twice}\n%18 = {name} %17, %10{}", last(18)), "%19");
    }
    for name in ["clamp01.ftz", "ftoi", "ftou", "float_to_coordinate", "float_to_index 17,", "popcount"] {
        look(&format!("%15 = {name} %13"), "%15");
        look(
            &format!("%15 = fma.ftz %13, %5, %9\n%16 = ex2 %15\n%17 = canon_nan 0x7fc00000, %16\n%18 = {name} %17"),
            "%18",
        );
    }
    let through_array = "%15 = uniform 3\narray_write a0, %15, %13, %14\n%16 = array_read a0, %15\n%17 = iadd %16, %9";
    look(through_array, "%17");
    look("%15 = quad.1032 %13\n%16 = iadd %15, %9", "%16");
    look("%15 = abs %13\n%16 = fadd.ftz %15, %5\n%17 = frc %16\n%18 = canon_nan 0x7fc00000, %17", "%18");
}

/// The same in lanes that other looks left out, of numbers whose operands are none of its own, and among denormals.
#[test]
fn watched_numbers_once_more() {
    look("%15 = select %14, %13, %6\n%16 = iadd %15, %9\n%17 = isub %13, %10\n%18 = xor %16, %17", "%18");
    look("%15 = select %14, %13, %6\n%16 = select %14, %7, %13\n%17 = iadd %15, %16", "%17");
    look("array_scatter a0, %13, %5, %14\n%15 = array_gather a0, %9", "%15");
    each_form(
        "product",
        "%12 = fmax.ftz %4, %3\n%13 = fmin.ftz %8, %3\n%14 = fmul.ftz.zx %12, %13\n%15 = iadd %14, %9",
        "%15",
    );
    for other in ["%14 = ftoh %13", "%15, %14 = ftod %13"] {
        each_form(other, &format!("%12 = fmul.zx %4, %8\n%13 = canon_nan 0x7fffffff, %12\n{other}"), "%14");
    }
}

/// What was looked at in one block need not have been for all the lanes that come to the next.
#[test]
fn watched_numbers_in_other_blocks() {
    let few = "%15 = lane 0x00000005\n%16 = icmp.eq %0, %15";
    look(
        &format!(
            "{few}\nany %16, b1, b2(%9)\nb1:\n%17 = iadd %13, %9\njump b2(%17)\nb2(%18: lane):\n%19 = isub %13, %18"
        ),
        "%19",
    );
    look(&format!("{few}\nany %16, b1(%13), b1(%9)\nb1(%17: lane):\n%18 = iadd %17, %9"), "%18");
    let passes = "%15 = uniform 0\n%16 = uniform 1\n%17 = uniform 2\njump b1(%15, %9)\nb1(%18: uniform, %19: lane):\n\
        %20 = xor %19, %6\n%21 = uniform_add %18, %16\nif.slt %21, %17, b1(%21, %13), b2\nb2:";
    look(passes, "%20");
}

/// Stores whose places and lanes depend on numbers: what they would write in vain, nothing takes back.
#[test]
fn watched_numbers_before_stores() {
    let tested = "%15 = fcmp.uge.ftz %13, %10\n%16 = mask_and %2, %15";
    let masked = |values: &str, mask: &str| format!("surface_store.rgba s2, %0, %1, {values}, {mask}");
    let more = "%22 = fadd.ftz %13, %3";
    let placed = "%17 = float_to_index 64, %22\n%18 = float_to_index 24, %9\nsurface_store.rgba s2, %17, %18, %0, %1, %5, %6, %2";
    let word = "%19 = lane 0x000003ff\n%20 = ftoi %22\n%21 = and %20, %19";
    // A word of the buffer for each column of four rows; 0 times infinity is in many lanes.
    let own = "%23 = lane 0x00000002\n%24 = shl %0, %23\n%25 = lane 0x00000300\n%26 = lane 0x00000008\n%27 = shl %1, %26\n\
        %29 = and %27, %25\n%28 = or %24, %29\n%30 = lane 0x7f800000\n%31 = fmul.ftz.zx %4, %30\n%32 = fcmp.uge.ftz %31, %3\n\
        %33 = mask_and %2, %32";
    for stores in [
        masked("%4, %5, %6, %7", "%16"),
        masked("%13, %5, %13, %7", "%14"),
        masked("%13, %5, %13, %7", "%16"),
        format!("{}\n{placed}", masked("%4, %5, %6, %7", "%14")),
        placed.to_string(),
        "%17 = surface_test.always.write s2, %0, %1, %5, %16".to_string(),
        format!("{own}\nbuffer_store m0, %28, %1, %33"),
        format!("{word}\nbuffer_store m0, %21, %13, %16\n{}", masked("%20, %5, %6, %7", "%16")),
        format!(
            "{word}\nbuffer_store m0, %0, %13, %14\nany %14, b1, b2\nb1:\nbuffer_store m0, %21, %0, %16\njump b2\nb2:"
        ),
    ] {
        in_each_form(&stores, &storing(&format!("{TAINTED}\n{tested}\n{more}\n{stores}")));
    }
}

/// Tables may have NaNs too, which no lane made.
#[test]
fn watched_entries() {
    for entry in 0..16 {
        look(&format!("%15 = table_splat t0, {entry}\n%16 = canon_nan 0x7fffffff, %15\n%17 = iadd %16, %9"), "%17");
    }
}

/// Comparisons in the lanes of others, and steps of both.
#[test]
fn masks_of_masks() {
    let tests = "%12 = fcmp.olt.ftz %4, %8\n%13 = fcmp.ogt.ftz %5, %9\n%14 = fcmp.ole.ftz %6, %10";
    for last in ["mask_and %12, %14", "mask_and %14, %12", "mask_andnot %12, %14", "mask_andnot %14, %12"] {
        for both in ["mask_and %13, %15", "mask_and %15, %13", "mask_andnot %13, %15"] {
            let chosen = format!("{tests}\n%15 = {last}\n%16 = {both}\n%17 = select %16, %5, %9");
            each_form(last, &format!("{chosen}\nsteps 2, 3, %16\nsteps 4, 5, %2"), "%17");
        }
    }
    each_form("steps", &format!("{tests}\nsteps 2, 3, %12\nsteps 4, 5, %13\nsteps 1, 9, %12"), "%4");
}

/// More masks than there are registers, wanted where they are made and long after.
#[test]
fn masks_that_live_long() {
    let (mut body, mut next, mut last) = (String::new(), 12, 9);
    let mut emit = |body: &mut String, text: String| {
        body.push_str(&format!("%{next} = {text}\n"));
        next += 1;
        next - 1
    };
    let masks: Vec<u32> = (0..10)
        .map(|at| {
            let bound = emit(&mut body, format!("lane {:#010x}", (at as f32 * 3.0 - 15.0).to_bits()));
            let mask = emit(&mut body, format!("fcmp.olt.ftz %{}, %{bound}", 4 + at % 8));
            last = emit(&mut body, format!("select %{mask}, %{last}, %{}", 5 + at % 7));
            mask
        })
        .collect();
    for round in 0..60 {
        last = emit(&mut body, format!("xor %{last}, %{}", 4 + round % 8));
    }
    for (at, mask) in masks.iter().enumerate() {
        last = emit(&mut body, format!("select %{mask}, %{last}, %{}", 4 + at % 8));
    }
    each_form("masks", body.trim_end(), &format!("%{last}"));
}

#[test]
fn buffers() {
    // Addresses: anything, and what lies near the buffer's end.
    let near = "%12 = lane 0x000003ff\n%13 = and %8, %12\n%14 = fcmp.olt.ftz %5, %9";
    each_form(
        "load",
        &format!("{near}\n%15 = buffer_load m0, %13, %14\n%16 = buffer_load m0, %4, %2\n%17 = xor %15, %16"),
        "%17",
    );
    each_form("store", &format!("{near}\nbuffer_store m0, %13, %4, %14\nbuffer_store m0, %4, %5, %2"), "%4");
}

#[test]
fn budgets_and_traps() {
    let text = "surface s0 whole\nb0:\n%0 = pos_x\n%1 = covered\n%2 = lane 100\n%3 = icmp.eq %0, %2\n\
         steps 2, 0, %1\nany %3, b3, b1(%0)\n\
         b1(%4: lane):\nsteps 3, 2, %1\n%5 = lane 1\n%6 = isub %4, %5\n%7 = lane 90\n%8 = icmp.sgt %6, %7\nany %8, b1(%6), b2\n\
         b2:\nsteps 1, 5, %1\n%9 = lane 0\nsurface_store.rgba s0, %0, %9, %0, %0, %0, %0, %1\nreturn\n\
         b3:\ntrap 1, 1, %3\n";
    let function: Function = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let surfaces = surfaces(&[(Format::Float32_4, Tiling::Linear, 256, 4, Bounds::Drop)]);
    for backend in backends() {
        for (last, budget) in [(15, 6), (15, 5), (96, 5), (96, 23), (96, 24), (96, 1 << 40), (100, 1 << 40)] {
            let domain = Domain { i0: 0, j0: 0, i1: last, j1: 0 };
            let setup = Setup { function: &function, surfaces: &surfaces, tables: &[], domain, budget };
            let expected = run_plain(backend.lanes(), setup, &space(1, Data::Wild));
            let found = run_code(&backend, setup, &space(1, Data::Wild));
            assert_eq!(found, Some(expected), "{last} {budget}");
        }
    }
}

#[test]
fn shows_its_code() {
    let function = function("%12 = fsqrt.ftz %4\n%13 = canon_nan 0x7fffffff, %12", ["%13", "%3", "%3", "%3"]);
    let space = space(1, Data::Wild);
    let kinds = [(Format::Float32_4, Tiling::Linear, 64, 24, Bounds::Drop); 3];
    let layouts: Vec<_> =
        surfaces(&kinds).iter().map(|(surface, bounds)| SurfaceLayout::of(&space, surface, *bounds)).collect();
    for backend in backends() {
        let source = KernelSource { function: &function, interior: &function, surfaces: &layouts, may_stop: false };
        let text = backend.disassemble(&source, &Effort::default()).unwrap();
        assert!(text.contains("interior:") && text.contains("general:"), "{text}");
        assert_eq!(text.matches("vsqrtps").count(), 2, "{text}");
        assert_eq!(text.lines().filter(|line| line.ends_with("ret")).count(), 2, "{text}");
    }
}
