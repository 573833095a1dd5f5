//! Texts that are not programs for this machine get an error that names the line and what is wrong, soon. Their first line says which:
//! `//! error: LINE TEXT`, with 0 for the whole text and `any` where the line depends on how well code is made.

use ctm_compile::{Language, Options, compile};
use ctm_testkit::project_path;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time for an error. Half of a second would do for all; machines that run tests are busy.
const SOON: Duration = Duration::from_secs(60);

fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let wanted =
        text.lines().next().and_then(|line| line.strip_prefix("//! error: ")).ok_or("no line `//! error: ...`")?;
    let (line, wanted) = wanted.split_once(' ').unwrap_or((wanted, ""));
    let language = match path.extension().is_some_and(|ending| ending == "wgsl") {
        true => Language::Wgsl,
        false => Language::Glsl,
    };
    let start = Instant::now();
    let made = compile(&text, language, &Options::default());
    let time = start.elapsed();
    let error = made.err().ok_or("it compiles")?;
    let found = error.line();
    match () {
        () if time > SOON => Err(format!("it takes {time:?}")),
        () if line != "any" && line != found.to_string() => Err(format!("line {found}, not {line}: {error}")),
        () if !error.to_string().contains(wanted) => Err(format!("`{error}` does not say `{wanted}`")),
        () => Ok(()),
    }
}

#[test]
fn errors_name_line_and_limit() {
    let folder = project_path("tests/shaders/unfit");
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 25, "the texts are missing");
    let failures = paths.iter().filter_map(|path| {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        check(path).err().map(|error| format!("{file}: {error}"))
    });
    let failures: Vec<_> = failures.collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
