//! Properties that hold for every function: the text form is exact, simplification keeps every observable bit, whatever
//! bits open NaNs have, and leaves a function that passes the verifier.

use crate::support;

use ctm_lane::effort::Effort;
use ctm_lane::{
    Function, assume_covered, hoist_invariants, run_inactive_lanes, simplify, simplify_with, verify, verify_form,
    version_full_mask_loops, zero_inactive_lanes,
};
use support::evaluate::{Evaluated, LANES, Run};
use support::generate;
use support::random::Random;

/// So many functions for a property; Miri, a thousand times slower, has time for a few.
const FUNCTIONS: u64 = if cfg!(miri) { 4 } else { 8000 };
const OPEN_NANS: [u32; 2] = [0x7FC0_0000, 0xFFAB_CDEF];

fn outcomes(function: &Function, seed: u32, covered: [bool; LANES]) -> Evaluated {
    let [first, second] = OPEN_NANS.map(|nan| Run::new(function, seed, covered, nan).run());
    assert_eq!(first, second, "open bits of NaNs are observed\n{function}");
    first
}

#[test]
fn text_is_exact() {
    for seed in 0..FUNCTIONS / 4 {
        let mut function = generate::function(&mut Random::new(seed), 40, true);
        function.compact();
        let text = function.to_string();
        let read: Function = text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(read, function, "seed {seed}");
        assert_eq!(read.to_string(), text, "seed {seed}");
    }
}

/// Replaces, drops or doubles a few words of a text.
fn damage(random: &mut Random, text: &str) -> String {
    let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ',']).collect();
    for _ in 0..1 + random.below(3) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(4) {
            0 => words[at] = words[other],
            1 => words.swap(at, other),
            2 => words.insert(at, words[other]),
            _ => drop(words.remove(at)),
        }
    }
    words.concat()
}

/// Damaged text, loops with two entrances among it, is refused, or simplified like any other.
#[test]
fn damaged_text_is_refused_or_right() {
    let mut right = 0;
    for seed in 0..4 * FUNCTIONS {
        let mut random = Random::new(seed);
        let size = 5 + random.below(25);
        let mut function = generate::function(&mut random, size, true);
        function.compact();
        let Ok(mut function) = damage(&mut random, &function.to_string()).parse::<Function>() else { continue };
        if verify(&function).is_err() {
            continue;
        }
        right += 1;
        let before = outcomes(&function, seed as u32, [true; LANES]);
        let original = function.clone();
        simplify(&mut function);
        verify_form(&function).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{original}\n=>\n{function}"));
        let after = outcomes(&function, seed as u32, [true; LANES]);
        assert!(before.endless || after == before, "seed {seed}:\n{original}\n=>\n{function}\n{before:?}\n{after:?}");
    }
    assert!(right > FUNCTIONS / 4 || cfg!(miri), "only {right} functions were right");
}

#[test]
fn simplification_keeps_every_bit() {
    let (mut shrunk, mut with_free_lanes, mut with_zeros, mut with_inner_loops) = (0, 0, 0, 0);
    for seed in 0..FUNCTIONS {
        let mut random = Random::new(seed);
        let size = 5 + random.below(60);
        let mut function = generate::function(&mut random, size, true);
        verify(&function).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
        let mut covered = [true; LANES];
        if seed % 3 == 0 {
            covered = covered.map(|_| random.chance(60));
        } else {
            assume_covered(&mut function);
        }
        let original = function.clone();
        let before = outcomes(&function, seed as u32, covered);
        let check = |pass: &str, function: &Function| {
            verify_form(function).unwrap_or_else(|error| panic!("seed {seed}, after {pass}: {error}\n{function}"));
            let after = outcomes(function, seed as u32, covered);
            assert!(after == before, "seed {seed}, after {pass}:\n{original}\n=>\n{function}\n{before:?}\n{after:?}");
        };
        simplify_with(&mut function, check);
        let mut freed = function.clone();
        if run_inactive_lanes(&mut freed, &Effort::default(), |_| true) {
            check("free lanes", &freed);
            with_free_lanes += 1;
        }
        let mut asked = function.clone();
        if version_full_mask_loops(&mut asked, &Effort::default()) {
            check("who leaves", &asked);
            with_inner_loops += 1;
        }
        let mut zeroed = function.clone();
        if zero_inactive_lanes(&mut zeroed, &Effort::default(), |_, _| true) {
            check("zero lanes", &zeroed);
            with_zeros += 1;
        }
        hoist_invariants(&mut function);
        check("invariants", &function);
        shrunk += u64::from(function.live_inst_count() < original.live_inst_count());
    }
    println!(
        "{with_free_lanes} functions with lanes that go on, {with_zeros} with zeros in lanes that do not come to a block, \
         {with_inner_loops} that ask who leaves"
    );
    assert!(shrunk > FUNCTIONS * 9 / 10 || cfg!(miri), "only {shrunk} functions became smaller");
}

/// A block to which the loop is left hands a value of it on to another one.
#[test]
fn ways_out_of_a_loop_that_lead_to_each_other() {
    let text = "surface s0\nb0:\n%0 = covered\n%1 = lane 0x3f800000\n%2 = pos_x\n%3 = pos_y\n%4 = utof %2\n%30 = uniform 0\n%31 = uniform 1\n%32 = uniform 9\n\
        jump b1(%0, %4, %30)\n\
        b1(%5: mask, %6: lane, %33: uniform):\n%7 = fmul.ftz %6, %6\n%8 = fcmp.olt.ftz %7, %1\n%9 = mask_and %5, %8\nany %9, b2, b3(%5)\n\
        b2:\nsurface_store.rgba s0, %2, %3, %7, %7, %7, %7, %9\n%10 = fcmp.olt.ftz %6, %1\n%11 = mask_and %5, %10\njump b3(%11)\n\
        b3(%12: mask):\n%13 = fadd.ftz %6, %7\n%14 = fmul.ftz %13, %13\n%34 = uniform_add %33, %31\nany %12, b4, b5\n\
        b4:\nif.ne %34, %32, b1(%12, %13, %34), b6(%13)\n\
        b5:\nsurface_store.rgba s0, %2, %3, %7, %7, %7, %7, %0\njump b6(%7)\n\
        b6(%15: lane):\nsurface_store.rgba s0, %2, %3, %14, %15, %14, %15, %0\nreturn\n";
    let mut function: Function = text.parse().unwrap_or_else(|error| panic!("{error:?}"));
    verify(&function).unwrap();
    let mut split = false;
    simplify_with(&mut function, |pass, function| {
        split |= pass == "full-mask loops";
        verify_form(function).unwrap_or_else(|error| panic!("after {pass}: {error}\n{function}"));
    });
    assert!(split, "{function}");
}

/// Counters of all kinds of steps and tests, and indices that are made of them: in whole numbers, in fractions, beyond what floats hold exactly,
/// clamped on the way; loops that end at once, and such that do not end.
#[test]
fn loops_that_are_counted_by_constants() {
    let plain = [1.0, 2.0, 3.0, 4.0];
    let special = [0.0, 1.0, 0.5, -1.0, 0.3, 16_777_214.0, -0.0, f32::NAN];
    let loops = FUNCTIONS / 4;
    let mut counted = 0;
    for seed in 0..loops {
        let mut random = Random::new(seed);
        let numbers = if random.below(2) == 0 { plain.as_slice() } else { &special };
        let mut number = || numbers[random.below(numbers.len())];
        let [first, step, factor, offset] = [0; 4].map(|_| number());
        let end = first + step * random.below(20) as f32;
        let [first, step, end, factor, offset] = [first, step, end, factor, offset].map(f32::to_bits);
        let (test, limit) = (["uge", "oge", "oeq"][random.below(3)], 1 + random.below(99));
        let text = format!(
            "surface s0\nsurface s1\nb0:\n%0 = lane {first:#x}\n%1 = lane {step:#x}\n%2 = lane {end:#x}\n%3 = lane {factor:#x}\n\
             %4 = lane {offset:#x}\n%5 = covered\n%6 = pos_x\n%7 = mask false\n%8 = mask true\n%9 = lane 0\njump b1(%0, %9, %9)\n\
             b1(%10: lane, %11: lane, %12: lane):\nsteps 1, 3, %5\n%13 = fcmp.{test}.ftz %10, %2\nany %13, b2, b3\n\
             b2:\nsteps 1, 4, %8\njump b4(%7, %10, %11, %12)\n\
             b3:\n%14 = fmul.ftz %10, %3\n%15 = fadd.ftz %14, %4\n%16 = float_to_index {limit}, %15\n%17 = fadd.ftz %15, %3\n\
             %18 = float_to_index 4, %17\n%19, %20, %21, %22 = surface_load s0, %16, %18, %5\n%23 = xor %11, %19\n%24 = iadd %12, %16\n\
             %25 = iadd %24, %20\n%26 = fadd.ftz %10, %1\n%31 = canon_nan 0x7fffffff, %26\njump b4(%8, %31, %23, %25)\n\
             b4(%27: mask, %28: lane, %29: lane, %30: lane):\nsteps 2, 5, %27\nany %27, b1(%28, %29, %30), b5\n\
             b5:\nsurface_store.rgba s1, %6, %6, %28, %29, %30, %28, %5\nreturn\n"
        );
        let function: Function = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        verify(&function).unwrap();
        let outcome = Run::new(&function, seed as u32, [true; LANES], OPEN_NANS[0]).run();
        let mut simple = function.clone();
        simplify_with(&mut simple, |pass, function| {
            counted += u64::from(pass == "strength reduction");
            verify_form(function).unwrap_or_else(|error| panic!("after {pass}: {error}\n{function}"));
        });
        assert_eq!(Run::new(&simple, seed as u32, [true; LANES], OPEN_NANS[1]).run(), outcome, "{function}\n{simple}");
    }
    assert!(counted > loops / 20, "{counted} of {loops} loops have indices that are counted");
}
