//! Loops that lanes leave one after the other: groups side by side ask together whether a lane leaves.
#![cfg(target_arch = "x86_64")]

use crate::support::*;
use ctm_lane::{Function, domain::Domain};
use ctm_memory::{Bounds, Format, Tiling};

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
fn two_steps() -> Function {
    let start = "surface s0\ntable t0 1\nb0:\n%0 = covered\n%1 = pos_x\n%2 = pos_y\n%3 = utof %1\n%4 = utof %2\n%5 = table_splat t0, 0\n\
        %6 = lane 0xc00ccccd\n%7 = lane 0xbfa00000\n%8 = lane 0x40800000\n%9 = lane 0\n%10 = lane 0x3f800000\n%11 = lane 0x40000000\n\
        %12 = uniform 40\n%13 = uniform 1\n%14 = uniform 0\n\
        %15 = fmul.ftz %3, %5\n%16 = fadd.ftz %15, %6\n%17 = fmul.ftz %4, %5\n%18 = fadd.ftz %17, %7\njump b1(%0, %9, %9, %9, %9, %12)\n\
        b1(%20: mask, %21: lane, %22: lane, %23: lane, %24: lane, %25: uniform):\n";
    // Registers are numbered from `first` on.
    let step = |first: u32, [mask, x, y, leaving]: [u32; 4], count: u32| {
        let [
            xx,
            yy,
            difference,
            sum,
            new_x,
            double,
            product,
            other,
            new_y,
            chosen_x,
            chosen_y,
            a,
            b,
            square,
            test,
            stay,
            leave,
            number,
            kept,
        ] = std::array::from_fn(|at| first + at as u32);
        format!(
            "steps 9, {first}, %{mask}\n%{xx} = fmul.ftz.zx %{x}, %{x}\n%{yy} = fmul.ftz.zx %{y}, %{y}\n%{difference} = fsub.ftz %{xx}, %{yy}\n\
             %{sum} = fadd.ftz %16, %{difference}\n%{new_x} = canon_nan 0x7fc00000, %{sum}\n%{double} = fadd.ftz %{x}, %{x}\n\
             %{product} = fmul.ftz.zx %{double}, %{y}\n%{other} = fadd.ftz %18, %{product}\n%{new_y} = canon_nan 0x7fc00000, %{other}\n\
             %{chosen_x} = select %{mask}, %{new_x}, %{x}\n%{chosen_y} = select %{mask}, %{new_y}, %{y}\n\
             %{a} = fmul.ftz.zx %{new_x}, %{new_x}\n%{b} = fmul.ftz.zx %{new_y}, %{new_y}\n%{square} = fadd.ftz %{a}, %{b}\n\
             %{test} = fcmp.ule.ftz %{square}, %8\n%{stay} = mask_and %{mask}, %{test}\n%{leave} = mask_andnot %{mask}, %{stay}\n\
             %{number} = fadd.ftz %24, %{count}\n%{kept} = select %{leave}, %{number}, %{leaving}\n\
             steps 2, {stay}, %{stay}\nsteps 3, {leave}, %{leave}\n"
        )
    };
    let (first, second) = (step(30, [20, 21, 22, 23], 10), step(60, [45, 39, 40, 48], 11));
    let text = format!(
        "{start}{first}any %45, b2, b4(%48, %39, %40)\nb2:\n{second}any %75, b3, b4(%78, %69, %70)\nb3:\n%80 = uniform_sub %25, %13\n\
         if.ne %80, %14, b1(%75, %69, %70, %78, %77, %80), b4(%78, %69, %70)\nb4(%90: lane, %91: lane, %92: lane):\n\
         surface_store.rgba s0, %1, %2, %90, %91, %92, %90, %0\nreturn\n"
    );
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

#[test]
fn lanes_leave_at_one_of_several_tests() {
    let function = two_steps();
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
