//! Properties that hold for every function: the text form is exact, simplification keeps every observable bit, whatever
//! bits open NaNs have, and leaves a function that passes the verifier.

mod support;

use ctm_lane::{Function, assume_covered, simplify_with, verify, verify_form};
use support::evaluate::{LANES, Outcome, Run};
use support::generate;
use support::random::Random;

const FUNCTIONS: u64 = 3000;
const OPEN_NANS: [u32; 2] = [0x7FC0_0000, 0xFFAB_CDEF];

fn outcomes(function: &Function, seed: u32, covered: [bool; LANES]) -> Outcome {
    let [first, second] = OPEN_NANS.map(|nan| Run::new(function, seed, covered, nan).run());
    assert_eq!(first, second, "open bits of NaNs are observed\n{function}");
    first
}

#[test]
fn text_is_exact() {
    for seed in 0..500 {
        let mut function = generate::function(&mut Random::new(seed), 40);
        function.compact();
        let text = function.to_string();
        let read: Function = text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(read, function, "seed {seed}");
        assert_eq!(read.to_string(), text, "seed {seed}");
    }
}

#[test]
fn simplification_keeps_every_bit() {
    let mut shrunk = 0;
    for seed in 0..FUNCTIONS {
        let mut random = Random::new(seed);
        let size = 5 + random.below(60);
        let mut function = generate::function(&mut random, size);
        verify(&function).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
        let mut covered = [true; LANES];
        if seed % 3 == 0 {
            covered = covered.map(|_| random.chance(60));
        } else {
            assume_covered(&mut function);
        }
        let original = function.clone();
        let before = outcomes(&function, seed as u32, covered);
        simplify_with(&mut function, |pass, function| {
            verify_form(function).unwrap_or_else(|error| panic!("seed {seed}, after {pass}: {error}\n{function}"));
            let after = outcomes(function, seed as u32, covered);
            assert!(after == before, "seed {seed}, after {pass}:\n{original}\n=>\n{function}\n{before:?}\n{after:?}");
        });
        shrunk += usize::from(function.live_inst_count() < original.live_inst_count());
    }
    assert!(shrunk as u64 > FUNCTIONS * 9 / 10, "only {shrunk} functions became smaller");
}
