//! A short, deterministic run of every fuzz target; and every input that once broke one. `fuzz/` and the example `hunt` go on
//! for longer.

use ctm_testkit::mutate::{input, seeds};
use ctm_testkit::project_path;
use ctm_testkit::random::Random;
use ctm_testkit::targets::{FuzzTarget, TARGETS};
use std::panic::catch_unwind;

const ROUNDS: usize = 4000;

#[test]
fn mutated_seeds() {
    for FuzzTarget { name, run } in TARGETS {
        let seeds = seeds(name);
        let mut random = Random::new(1);
        for seed in &seeds {
            run(seed);
        }
        // A device and its memory are made for each of these.
        let rounds = match name {
            "commands" | "trace" => ROUNDS / 8,
            "engines" | "r700_engines" | "sm50_engines" | "card_trace" => ROUNDS / 40,
            "c_calls" | "lane_text" | "glsl" | "wgsl" => ROUNDS / 8,
            _ => ROUNDS,
        };
        for round in 0..rounds {
            let bytes = input(&mut random, &seeds);
            if catch_unwind(|| run(&bytes)).is_err() {
                let path = std::env::temp_dir().join(format!("ctm-{name}-{round}"));
                std::fs::write(&path, &bytes).expect("a file for the input");
                panic!("the input that broke `{name}` is in {}", path.display());
            }
        }
    }
}

#[test]
fn regressions() {
    for FuzzTarget { name, run } in TARGETS {
        let folder = project_path("fuzz/regressions").join(name);
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            run(&std::fs::read(entry.expect("a directory entry").path()).expect("a regression"));
        }
    }
}

#[test]
fn every_target_has_a_binary() {
    let files = std::fs::read_dir(project_path("fuzz/fuzz_targets")).expect("a folder of binaries");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    let mut names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    names.sort_unstable();
    let stems: Vec<_> = files.iter().filter_map(|file| file.file_stem()?.to_str()).collect();
    assert_eq!(stems, names);
    let manifest = std::fs::read_to_string(project_path("fuzz/Cargo.toml")).expect("a manifest");
    for (name, file) in names.iter().zip(&files) {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not in fuzz/Cargo.toml");
        let text = std::fs::read_to_string(file).expect("a source");
        assert!(text.contains(&format!("run(\"{name}\", data)")), "{name}: {text}");
    }
}
