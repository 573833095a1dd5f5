//! Programs that a real driver compiled give the pictures that another implementation made from their source.

use ctm_memory::Tiling;
use ctm_testkit::case::Case;
use ctm_testkit::expected::floats;
use ctm_testkit::{GROUP_WIDTHS, THREADS, engines, project_path};
use ctm_x1k::RunOptions;

#[test]
fn corpus() {
    let folder = project_path("tests/corpus/x1k");
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert!(names.len() >= 8, "cases are missing from {}", folder.display());
    for path in names {
        let case = Case::load(&path);
        let environments = [Tiling::Linear, Tiling::Tiled]
            .map(|tiling| case.environment(tiling, |texture| floats(&folder.join("../textures").join(&texture.file))));
        for engine in engines() {
            for group_width in GROUP_WIDTHS {
                for (environment, threads) in environments.iter().zip(THREADS) {
                    let options = RunOptions { group_width, threads, ..RunOptions::default() };
                    let stats = engine.run(&environment.job(&case), &options).unwrap();
                    assert!(!stats.out_of_range);
                    case.compare(environment)
                        .unwrap_or_else(|error| panic!("{}, width {group_width}: {error}", engine.name()));
                }
            }
        }
    }
}
