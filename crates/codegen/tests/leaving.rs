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
