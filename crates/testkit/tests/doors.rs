//! A short, deterministic knock on every door; and every input that once broke one. `fuzz/` and the example `fuzz-doors`
//! knock for longer.

use ctm_testkit::doors::DOORS;
use ctm_testkit::knock::{input, seeds};
use ctm_testkit::project_path;
use ctm_testkit::random::Random;
use std::panic::catch_unwind;

const ROUNDS: usize = 4000;

#[test]
fn mutated_seeds() {
    for (name, door) in DOORS {
        let seeds = seeds(name);
        let mut random = Random::new(1);
        for seed in &seeds {
            door(seed);
        }
        // A device and its memory are made for each of these.
        let rounds = match name {
            "commands" | "trace" => ROUNDS / 8,
            "engines" | "r700_engines" => ROUNDS / 40,
            _ => ROUNDS,
        };
        for round in 0..rounds {
            let bytes = input(&mut random, &seeds);
            if catch_unwind(|| door(&bytes)).is_err() {
                let path = std::env::temp_dir().join(format!("ctm-{name}-{round}"));
                std::fs::write(&path, &bytes).expect("a file for the input");
                panic!("the input that broke `{name}` is in {}", path.display());
            }
        }
    }
}

#[test]
fn regressions() {
    for (name, door) in DOORS {
        let folder = project_path("fuzz/regressions").join(name);
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            door(&std::fs::read(entry.expect("a directory entry").path()).expect("a regression"));
        }
    }
}
