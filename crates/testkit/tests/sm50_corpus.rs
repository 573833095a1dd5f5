//! Pipelines that a real driver compiled give the records that another implementation made from their source.

use ctm_sm50::reference::Reference;
use ctm_testkit::project_path;
use ctm_testkit::sm50::case::Case;

#[test]
fn corpus() {
    let folder = project_path("tests/corpus/sm50");
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert!(names.len() >= 5, "cases are missing from {}", folder.display());
    for path in names {
        Case::load(&path).check(&Reference).unwrap();
    }
}

#[test]
fn real_programs_have_no_findings() {
    for entry in std::fs::read_dir(project_path("tests/corpus/sm50")).unwrap() {
        for program in Case::load(&entry.unwrap().path()).programs() {
            let findings = ctm_sm50::check::check(program);
            assert!(findings.is_empty(), "{findings:#?}");
        }
    }
}
