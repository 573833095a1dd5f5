//! Random functions as machine code against a plain evaluator.
#![cfg(target_arch = "x86_64")]

mod jit_support;

#[path = "../../lane/tests/support/generate.rs"]
mod generate;
#[path = "../../lane/tests/support/random.rs"]
#[allow(dead_code, reason = "the generator uses a part")]
mod random;

use ctm_engine::jit::Jit;
use ctm_lane::{Function, Op};
use ctm_memory::{Bounds, Format, Tiling};
use ctm_x1k::Domain;
use jit_support::*;
use random::Random;

/// Warps are wider than the groups of machine code, which refuses what looks across them.
fn without_warps(function: &Function) -> Function {
    let line = |line: &str| match line.split_once("= ballot ").or_else(|| line.split_once("= shuffle ")) {
        Some((result, _)) => format!("{result}= lane 0x00000005\n"),
        None => format!("{line}\n"),
    };
    let text: String = function.to_string().lines().map(line).collect();
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// The same with other surfaces to read than to write, and no buffer to read, as most programs have them.
fn without_feedback(function: &Function) -> Function {
    let line = |line: &str| {
        if let Some((result, _)) = line.split_once("= buffer_load ") {
            return format!("{result}= lane 0x3fc00000\n");
        }
        let (from, to) = match line.contains("surface_load") {
            true => (["s1,", "s1,"], "s0,"),
            false if line.contains("surface_") => (["s0,", "s2,"], "s1,"),
            false => return format!("{line}\n"),
        };
        format!("{}\n", line.replace(from[0], to).replace(from[1], to))
    };
    let text: String = function.to_string().lines().map(line).collect();
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn tests_surface(function: &Function) -> bool {
    function
        .blocks()
        .any(|block| function.insts(block).iter().any(|&inst| matches!(function.op(inst), Op::SurfaceTest { .. })))
}

#[test]
fn functions_agree() {
    backends().iter().for_each(functions_of);
}

fn functions_of(backend: &Jit) {
    let count = 500;
    let (mut compiled, mut stopped) = (0, 0);
    for seed in 0..count {
        let mut random = Random::new(seed);
        let size = 3 + random.below(120);
        let mut function = generate::function(&mut random, size, true);
        function.compact();
        let mut function = without_warps(&function);
        if seed % 2 == 0 {
            function = without_feedback(&function);
        }
        ctm_lane::verify(&function).unwrap_or_else(|error| panic!("{error:?}\n{function}"));
        let tiling = |random: &mut Random| random.pick(&[Tiling::Linear, Tiling::Linear, Tiling::Tiled]);
        let floats = if tests_surface(&function) {
            [Format::Float32_1; 3]
        } else {
            [Format::Float32_4, Format::Float32_1, Format::Float32_2]
        };
        let bounds = |random: &mut Random| random.pick(&[Bounds::Clamp, Bounds::Drop]);
        let kinds = [
            (random.pick(&[Format::Uint8_4, Format::Uint16_1]), tiling(&mut random), 64, 8, bounds(&mut random)),
            (random.pick(&floats), tiling(&mut random), 64, random.pick(&[8, 6, 0]), Bounds::Drop),
            (random.pick(&floats), tiling(&mut random), 64, 9, bounds(&mut random)),
        ];
        let surfaces = surfaces(&kinds);
        let data = random.pick(&Data::ALL);
        let seed_of_content = random.below(4) as u32;
        let tables = vec![
            (0..16).map(|at| content(seed_of_content, at, data)).collect(),
            (0..4).map(|at| content(seed_of_content + 1, at, Data::Tame)).collect(),
        ];
        let (x, y) = (random.below(20) as u32, random.below(4) as u32);
        let domain = Domain { i0: x, j0: y, i1: x + random.below(60) as u32, j1: y + random.below(5) as u32 };
        let (first, second) = (space(seed_of_content, data), space(seed_of_content, data));
        let few = random.below(40) as u64;
        let budget = random.pick(&[u64::MAX, u64::MAX, 1000, few]);
        let setup = Setup { function: &function, surfaces: &surfaces, tables: &tables, domain, budget };
        let Some(found) = run_code(backend, setup, &second) else { continue };
        compiled += 1;
        // Simplification decides on the shape of groups.
        let mut simplified = function.clone();
        ctm_lane::simplify(&mut simplified);
        let expected = run_plain(backend.lanes(), Setup { function: &simplified, ..setup }, &first);
        assert_eq!(found, expected, "seed {seed}: instructions, {kinds:?} {domain:?} {budget}\n{function}");
        if found.is_none() {
            stopped += 1;
            continue;
        }
        if let Some(difference) = difference(&first, &second) {
            panic!("seed {seed}: {difference}, {surfaces:?} {domain:?}\n{function}");
        }
    }
    assert!(compiled * 2 > count && stopped * 20 > count, "{compiled} of {count} were compiled, {stopped} stopped");
}
