//! Machine code of everything that the project shows, measures and was given is shown to be safe as it is made first.

use ctm_lane::run::RunOptions;
use ctm_memory::{Format, Tiling};
use ctm_testkit::buffers::Buffers;
use ctm_testkit::forms::Forms;
use ctm_testkit::sm50::comparison::ComparingRunner;
use ctm_testkit::{case, project_path, r700, sm50};
use ctm_x1k::{Domain, Job};
use std::path::PathBuf;

/// Columns and rows of the examples' surfaces.
const SIDE: u32 = 64;
/// Bytes between two surfaces, at most.
const GAP: u32 = 1 << 18;

/// What a folder has, in order.
fn entries(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(project_path(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// All is proven, and so many programs are compiled, where machine code can be made at all.
fn assert_proven(forms: &Forms, compiled: usize, least: usize) {
    forms.check_proven().unwrap_or_else(|error| panic!("{error}"));
    let makes_code = forms.each(true).count() > 1;
    assert!(!makes_code || compiled >= least, "{compiled} programs are compiled");
}

#[test]
fn x1k() {
    let (forms, mut compiled) = (Forms::new(), 0);
    let mut is_compiled =
        |job: &Job| compiled += usize::from(forms.engine().compiles(job, &RunOptions::default()).is_ok());
    for folder in ["benches/x1k", "tests/corpus/x1k"].into_iter().flat_map(entries) {
        let case = case::Case::load(&folder);
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            let texture = |texture: &case::Texture| vec![0.0; (texture.width * texture.height * 4) as usize];
            is_compiled(&case.environment(tiling, texture).job(&case));
        }
    }
    for path in entries("examples").iter().filter(|path| path.extension().is_some_and(|kind| kind == "x1k")) {
        let program = ctm_x1k::text::parse(&std::fs::read_to_string(path).unwrap())
            .unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()))
            .program;
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            let count = (ctm_x1k::INPUTS + ctm_x1k::OUTPUTS) as u32;
            let mut buffers = Buffers::new(count * (SIDE * SIDE * 16 + GAP));
            let mut surface = || Some(buffers.allocate(SIDE, SIDE, Format::Float32_4, tiling));
            let (inputs, outputs) = (std::array::from_fn(|_| surface()), std::array::from_fn(|_| surface()));
            let domain = Domain { i0: 0, j0: 0, i1: SIDE - 1, j1: SIDE - 1 };
            is_compiled(&Job { inputs, outputs, ..Job::new(&program, domain, buffers.space()) });
        }
    }
    assert_proven(&forms, compiled, 60);
}

#[test]
fn r700() {
    let (forms, mut compiled) = (Forms::new(), 0);
    for folder in ["benches/r700", "tests/corpus/r700"].into_iter().flat_map(entries) {
        let case = r700::case::Case::load(&folder);
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            let texture = |texture: &case::Texture| vec![0.0; (texture.width * texture.height * 4) as usize];
            let environment = case.environment(tiling, texture);
            let is_compiled = forms.engine().compiles(&environment.job(&case), &RunOptions::default());
            compiled += usize::from(is_compiled.is_ok());
        }
    }
    assert_proven(&forms, compiled, 20);
}

/// The runner looks at each launch.
#[test]
fn sm50() {
    let runner = ComparingRunner::new();
    for folder in entries("tests/corpus/sm50") {
        sm50::case::Case::load(&folder).check(&runner).unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(runner.compiled() > 0);
}
