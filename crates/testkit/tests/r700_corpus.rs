//! R700 programs that a real driver compiled give the pictures that another implementation made from their source.

use ctm_lane::run::RunOptions;
use ctm_memory::Tiling;
use ctm_r700::check::{self, Severity};
use ctm_r700::{Wavefront, reference};
use ctm_testkit::expected::floats;
use ctm_testkit::r700::case::Case;
use ctm_testkit::{GROUP_WIDTHS, THREADS, project_path};

#[test]
fn corpus() {
    let folder = project_path("tests/corpus/r700");
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert!(names.len() >= 6, "cases are missing from {}", folder.display());
    for path in names {
        let case = Case::load(&path);
        assert!(!case.expected.is_empty(), "{}", case.name);
        let findings = check::check(&case.program, Wavefront::W64);
        assert!(findings.iter().all(|finding| finding.severity > Severity::Warning), "{}: {findings:#?}", case.name);
        let environments = [Tiling::Linear, Tiling::Tiled]
            .map(|tiling| case.environment(tiling, |texture| floats(&folder.join("../textures").join(&texture.file))));
        let mut instructions = None;
        for (group_width, (environment, threads)) in
            GROUP_WIDTHS.into_iter().zip(environments.iter().zip(THREADS).cycle())
        {
            let options = RunOptions { group_width, threads, ..RunOptions::default() };
            let stats = reference::run(&environment.job(&case), &options).unwrap();
            assert!(!stats.out_of_range);
            assert_eq!(*instructions.get_or_insert(stats.instructions), stats.instructions, "{}", case.name);
            case.compare(environment).unwrap_or_else(|error| panic!("width {group_width}: {error}"));
        }
    }
}
