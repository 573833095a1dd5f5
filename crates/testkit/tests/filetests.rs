//! Every file of `tests/filetests/x1k`.

use ctm_testkit::{filetest, project_path};

#[test]
fn filetests() {
    let folder = project_path("tests/filetests/x1k");
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "x1k"));
    paths.sort();
    assert!(paths.len() >= 40, "files are missing from {}", folder.display());
    let failures: Vec<String> = paths.iter().filter_map(|path| filetest::run(path).err()).collect();
    assert!(failures.is_empty(), "{} of {} files fail:\n{}", failures.len(), paths.len(), failures.join("\n"));
}
