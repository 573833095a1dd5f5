//! Every engine does with R700 programs what the reference does: memory, statistics and errors.

use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::Tiling;
use ctm_r700::lift::Dependence;
use ctm_testkit::expected::floats;
use ctm_testkit::r700::case::Case;
use ctm_testkit::r700::differential::Differential;
use ctm_testkit::r700::jobs::{ProgramKind, check};
use ctm_testkit::random::Random;
use ctm_testkit::{engines, project_path};
use std::path::{Path, PathBuf};

/// Checks so many jobs.
fn jobs(kind: ProgramKind, count: u64) -> Differential {
    let mut differential = Differential::new();
    for seed in 0..count {
        let checked = check(&mut differential, kind, Random::new(seed));
        checked.unwrap_or_else(|difference| panic!("{kind:?}, seed {seed}: {difference}"));
    }
    differential
}

#[test]
fn structured_programs() {
    let differential = jobs(ProgramKind::Structured, 12);
    assert_eq!(
        differential.independent, differential.jobs,
        "compilers' idioms are none of the business of the reference"
    );
}

#[test]
fn changed_programs() {
    let differential = jobs(ProgramKind::Changed, 40);
    assert!(differential.independent > 15 && differential.grouped > 2 && differential.trapped > 5, "{differential:?}");
}

#[test]
fn filled_programs() {
    let differential = jobs(ProgramKind::Filled, 40);
    assert!(differential.independent > 8 && differential.compiled > 8, "{differential:?}");
}

#[test]
fn woven_programs() {
    let differential = jobs(ProgramKind::Woven, 80);
    assert!(differential.independent > 30 && differential.compiled > 30, "{differential:?}");
}

#[test]
fn straight_programs() {
    let differential = jobs(ProgramKind::Straight, 200);
    assert!(differential.independent > 100 && differential.trapped > 30, "{differential:?}");
}

#[test]
fn unrolled_programs() {
    let differential = jobs(ProgramKind::Unrolled, 60);
    assert!(differential.rolled > 20 && differential.compiled > 30, "{differential:?}");
}

#[test]
fn wild_programs() {
    let differential = jobs(ProgramKind::Wild, 150);
    assert!(differential.independent > 80 && differential.grouped > 2 && differential.trapped > 30, "{differential:?}");
}

#[test]
fn aliased_jobs() {
    let differential = jobs(ProgramKind::Aliased, 150);
    assert!(differential.ordered > 100 && differential.trapped > 30, "{}", differential.summary());
}

/// The folders in a folder.
fn folders(folder: &str) -> Vec<PathBuf> {
    let mut folders: Vec<_> =
        std::fs::read_dir(project_path(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

/// Runs a case on every engine, and compares it with the reference.
fn same_as_reference(case: &Case, tiling: Tiling, textures: &Path) {
    let mut expected = None;
    for engine in engines() {
        let environment = case.environment(tiling, |texture| {
            let size = (texture.width * texture.height * 4) as usize;
            match textures.join(&texture.file) {
                file if file.exists() => floats(&file),
                _ => (0..size).map(|at| (at % 61) as f32 * 0.125 - 3.0).collect(),
            }
        });
        let job = environment.job(case);
        assert_eq!(Differential::dependence(&job), Ok(Dependence::Independent), "{}", case.name);
        let stats = engine.run(&job, &RunOptions { threads: 2, ..RunOptions::default() });
        let found = (stats, environment.pixels(case));
        assert!(*expected.get_or_insert_with(|| found.clone()) == found, "{} on {}", case.name, engine.name());
    }
}

#[test]
fn compiled_programs() {
    let textures = project_path("tests/corpus/textures");
    for folder in folders("tests/corpus/r700") {
        let case = Case::load(&folder);
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            same_as_reference(&case, tiling, &textures);
        }
    }
    for folder in folders("benches/r700") {
        let mut case = Case::load(&folder);
        case.domain = Domain { i0: 5, j0: 3, i1: 20, j1: 5 };
        same_as_reference(&case, Tiling::Linear, &textures);
    }
}
