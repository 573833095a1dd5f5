//! Every command of `docs/tour.md` and of the README's stories runs, and writes the pictures that the pages show.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::Command;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project's folder")
}

/// What the commands write and the page shows.
const PICTURES: [&str; 11] = [
    "mandelbrot.png",
    "julia.png",
    "blurred.png",
    "life.png",
    "numbers.png",
    "sorted.png",
    "histogram.png",
    "newton.png",
    "card-wave.png",
    "chain.png",
    "cells.png",
];
/// Those that compiled shaders make.
const SHADED: [&str; 3] = ["shader-plasma.png", "shader-clouds.png", "shader-raymarch.png"];
/// The drawing, byte by byte.
const DRAWING: &str = "ripple.svg";

/// The `sh` blocks of a page; those marked `setup` need what the tests do not (an installation, a terminal, a driver).
fn commands(page: &str) -> Vec<&str> {
    page.split("\n```sh\n").skip(1).map(|rest| rest.split_once("\n```").expect("the end of a block").0).collect()
}

fn pixels(path: &Path) -> ctm_array::Array {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    ctm_array::read_png(&bytes).expect("a picture")
}

#[cfg(unix)]
#[test]
fn commands_of_the_pages() {
    let project = project();
    let page =
        |name: &str| std::fs::read_to_string(project.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let [tour, readme] = ["docs/tour.md", "README.md"].map(page);
    let folder = std::env::temp_dir().join(format!("ctm-tour-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder to work in");
    for name in ["examples", "tests"] {
        std::os::unix::fs::symlink(project.join(name), folder.join(name)).expect("a link");
    }
    let program = Path::new(env!("CARGO_BIN_EXE_ctm"));
    let path = format!("{}:{}", program.parent().expect("a folder").display(), std::env::var("PATH").expect("PATH"));
    let run = |script: &str| {
        let mut shell = Command::new("sh");
        let output =
            shell.args(["-eu", "-c", script]).current_dir(&folder).env("PATH", &path).output().expect("a shell");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}\n{errors}");
        assert!(!errors.contains("warning"), "{script}\n{errors}");
    };

    for (page, least) in [(&tour, 10), (&readme, 1)] {
        let blocks = commands(page);
        assert!(blocks.len() >= least, "only {} blocks", blocks.len());
        run("ctm run examples/mandelbrot.x1k -o mandelbrot.png");
        blocks.into_iter().for_each(run);
    }
    for picture in PICTURES {
        let shown = pixels(&project.join("docs/images").join(picture));
        assert!(pixels(&folder.join(picture)) == shown, "{picture} is not what docs/images shows");
    }
    for picture in SHADED {
        let [made, shown] = [folder.join(picture), project.join("docs/images").join(picture)].map(|path| pixels(&path));
        assert!(common::is_alike(&made, &shown), "{picture} is not what docs/images shows");
    }
    let shown = std::fs::read(project.join("docs/images").join(DRAWING)).expect("the drawing of the page");
    assert!(std::fs::read(folder.join(DRAWING)).expect(DRAWING) == shown, "{DRAWING} is not what docs/images shows");
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}
