//! Every file of `tests/filetests`.

use ctm_testkit::{filetest, project_path, r700};
use std::path::Path;

/// Runs all files of a folder, of which there are at least so many.
fn all(folder: &str, least: usize, run: fn(&Path) -> Result<(), String>) {
    let path = project_path("tests/filetests").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == folder));
    paths.sort();
    assert!(paths.len() >= least, "files are missing from {}", path.display());
    let failures: Vec<String> = paths.iter().filter_map(|path| run(path).err()).collect();
    assert!(failures.is_empty(), "{} of {} files fail:\n{}", failures.len(), paths.len(), failures.join("\n"));
}

#[test]
fn x1k() {
    all("x1k", 40, filetest::run);
}

#[test]
fn r700_control_flow() {
    all("r700", 61, r700::filetest::run);
}

#[test]
fn sm50() {
    all("sm50", 2, ctm_testkit::sm50::filetest::run);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn lane() {
    all("lane", 4, ctm_testkit::lane::filetest::run);
}
