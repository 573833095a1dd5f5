//! Loops that lanes leave one after the other: groups side by side ask together whether a lane leaves.
#![cfg(target_arch = "x86_64")]

mod support;

use ctm_lane::{Function, domain::Domain};
use ctm_memory::{Bounds, Format, Tiling};
use support::*;

/// Squares of complex numbers plus one that a lane begins with, until the square of the magnitude passes a limit.
const LOOP: &str = include_str!("kernels/mandelbrot.lane");
const TEST: &str = "fcmp.ogt.ftz %44, %5";
const LIMIT: &str = "%5 = lane 0x40800000";

/// The loop with another test and limit. Where products with zero are those of IEEE 754, code looks for no NaNs.
fn function(test: &str, limit: f32, is_ieee: bool) -> Function {
    assert!(LOOP.contains(TEST) && LOOP.contains(LIMIT));
    let text: String = LOOP.lines().filter(|line| !line.starts_with(';')).map(|line| format!("{line}\n")).collect();
    let text = text.replace(TEST, &TEST.replace("ogt", test));
    let text = text.replace(LIMIT, &LIMIT.replace("0x40800000", &format!("{:#010x}", limit.to_bits())));
    let text = if is_ieee { text.replace(".ftz.zx", ".ftz") } else { text };
    // A sum of products that may be negative, where lanes leave by what is less.
    let text = if test.starts_with("ol") { text.replace(" %40, %40, %43", " %40, %39, %43") } else { text };
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// Two steps of the same in a pass, each with a test, as a guest's compiler leaves a loop that it has unrolled. What a lane leaves with is the number of the
/// step; the others have their last numbers.
const TWICE: &str = "surface s0
table t0 1
b0:
%0 = covered
%1 = pos_x
%2 = pos_y
%3 = utof %1
%4 = utof %2
%5 = table_splat t0, 0
%6 = lane 0xc00ccccd
%7 = lane 0xbfa00000
%8 = lane 0x40800000
%9 = lane 0
%10 = lane 0x3f800000
%11 = lane 0x40000000
%12 = uniform 40
%13 = uniform 1
%14 = uniform 0
%15 = fmul.ftz %3, %5
%16 = fadd.ftz %15, %6
%17 = fmul.ftz %4, %5
%18 = fadd.ftz %17, %7
jump b1(%0, %9, %9, %9, %9, %12)
b1(%20: mask, %21: lane, %22: lane, %23: lane, %24: lane, %25: uniform):
steps 9, 20, %20
%26 = fmul.ftz.zx %21, %21
%27 = fmul.ftz.zx %22, %22
%28 = fsub.ftz %26, %27
%29 = fadd.ftz %16, %28
%30 = canon_nan 0x7fc00000, %29
%31 = fadd.ftz %21, %21
%32 = fmul.ftz.zx %31, %22
%33 = fadd.ftz %18, %32
%34 = canon_nan 0x7fc00000, %33
%35 = select %20, %30, %21
%36 = select %20, %34, %22
%37 = fmul.ftz.zx %30, %30
%38 = fmul.ftz.zx %34, %34
%39 = fadd.ftz %37, %38
%40 = fcmp.ule.ftz %39, %8
%41 = mask_and %20, %40
%42 = mask_andnot %20, %41
%43 = fadd.ftz %24, %10
%44 = select %42, %43, %23
steps 2, 40, %41
steps 3, 42, %42
any %41, b2, b4(%44, %35, %36)
b2:
steps 9, 50, %41
%50 = fsub.ftz %37, %38
%51 = fadd.ftz %16, %50
%52 = canon_nan 0x7fc00000, %51
%53 = fadd.ftz %30, %30
%54 = fmul.ftz.zx %53, %34
%55 = fadd.ftz %18, %54
%56 = canon_nan 0x7fc00000, %55
%57 = select %41, %52, %35
%58 = select %41, %56, %36
%59 = fmul.ftz.zx %52, %52
%60 = fmul.ftz.zx %56, %56
%61 = fadd.ftz %59, %60
%62 = fcmp.ule.ftz %61, %8
%63 = mask_and %41, %62
%64 = mask_andnot %41, %63
%65 = fadd.ftz %24, %11
%66 = select %64, %65, %44
steps 2, 70, %63
steps 3, 72, %64
any %63, b3, b4(%66, %57, %58)
b3:
%70 = uniform_sub %25, %13
if.ne %70, %14, b1(%63, %57, %58, %66, %65, %70), b4(%66, %57, %58)
b4(%80: lane, %81: lane, %82: lane):
surface_store.rgba s0, %1, %2, %80, %81, %82, %80, %0
return
";

#[test]
fn lanes_leave_at_one_of_several_tests() {
    let function: Function = TWICE.parse().unwrap_or_else(|error| panic!("{error:?}"));
    let surfaces = surfaces(&[(Format::Float32_4, Tiling::Linear, 128, 16, Bounds::Drop)]);
    let domain = Domain { i0: 0, j0: 0, i1: 127, j1: 15 };
    for backend in backends() {
        for scale in [1.0f32 / 48.0, 1.0 / 1024.0, 0.5, 3e17, 1e38, f32::NAN] {
            let tables = vec![vec![scale.to_bits()]];
            // Budgets that end within passes, too.
            for budget in [u64::MAX, 100_000, 40_000, 777] {
                let (expected, found) = (space(1, Data::Tame), space(1, Data::Tame));
                let setup = Setup { function: &function, surfaces: &surfaces, tables: &tables, domain, budget };
                let code = run_code(&backend, setup, &found).expect("machine code");
                assert_eq!(code, run_plain(backend.lanes(), setup, &expected), "{scale} {budget}");
                if code.is_some()
                    && let Some(difference) = difference(&expected, &found)
                {
                    panic!("{difference}, {scale} on {} lanes", backend.lanes());
                }
            }
        }
    }
}

#[test]
fn lanes_leave_when_they_should() {
    // Eight groups of 16 lanes, which code takes three at a time.
    let domain = Domain { i0: 0, j0: 0, i1: 127, j1: 15 };
    let surfaces = surfaces(&[(Format::Float32_4, Tiling::Linear, 128, 16, Bounds::Drop)]);
    for backend in backends() {
        for (test, limit, is_ieee) in [
            ("ogt", 4.0, true),
            ("ogt", 4.0, false),
            ("ogt", 0.0, true),
            ("ogt", -1.0, true),
            ("oge", 4.0, true),
            ("oge", 0.0, true),
            ("olt", -0.5, true),
            ("olt", -0.5, false),
            ("olt", 0.5, true),
            ("ole", -0.5, true),
            ("ole", 0.0, true),
            ("ugt", 4.0, true),
            ("ugt", 4.0, false),
        ] {
            let function = function(test, limit, is_ieee);
            // From a part of the plane to numbers whose squares are infinite, and lose their meaning.
            for scale in [1.0f32 / 48.0, 1.0 / 1024.0, 3e17, 1e38, -1e30] {
                let words = |words: &[f32]| words.iter().map(|word| word.to_bits()).collect::<Vec<u32>>();
                let mut tables =
                    vec![words(&[scale]), words(&[scale, 100.0]), words(&[-2.2, 2.0]), words(&[-1.25, 4.0]), vec![100]];
                tables.resize(function.tables.len(), Vec::new());
                for (words, table) in tables.iter_mut().zip(&function.tables) {
                    words.resize(table.entries as usize, 0);
                }
                let (expected, found) = (space(1, Data::Tame), space(1, Data::Tame));
                let setup =
                    Setup { function: &function, surfaces: &surfaces, tables: &tables, domain, budget: u64::MAX };
                let code = run_code(&backend, setup, &found).expect("machine code");
                assert_eq!(code, run_plain(backend.lanes(), setup, &expected), "{test} {limit} {scale}");
                if let Some(difference) = difference(&expected, &found) {
                    panic!("{difference}, {test} {limit} {scale} on {} lanes", backend.lanes());
                }
            }
        }
    }
}
