//! Programs as emulators of the Wii U leave them: bare words, in files whose names say what they are for.
//!
//! ```text
//! Cemu     <hash>_<hash>_<vs|ps|gs|copy|fs|compute>.bin
//! decaf    <vs|ps|gs>_<address>[_<address>].bin, and the same with _fs for the fetch program of a vertex program
//! ```

use ctm_r700::Stage;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dump {
    /// A program of this stage.
    Stage(Stage),
    /// A compute program, of which this machine has no stage.
    Compute,
}

/// How names call stages.
const STAGES: [(&str, Dump); 6] = [
    ("vs", Dump::Stage(Stage::Vertex)),
    ("ps", Dump::Stage(Stage::Pixel)),
    ("gs", Dump::Stage(Stage::Geometry)),
    ("copy", Dump::Stage(Stage::Copy)),
    ("fs", Dump::Stage(Stage::Fetch)),
    ("compute", Dump::Compute),
];

fn is_hexadecimal(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|digit| digit.is_ascii_hexdigit())
}

/// What the name of a file says of the program in it, if it is that of a dump.
pub fn named(path: &Path) -> Option<Dump> {
    if !path.extension()?.eq_ignore_ascii_case("bin") {
        return None;
    }
    let stage = |name: &str| STAGES.iter().find(|(known, _)| *known == name).map(|&(_, dump)| dump);
    let parts: Vec<&str> = path.file_stem()?.to_str()?.split('_').collect();
    match parts[..] {
        [first, second, last] if is_hexadecimal(first) && is_hexadecimal(second) => stage(last),
        [first @ ("vs" | "ps" | "gs"), ref addresses @ .., last]
            if addresses.iter().all(|part| is_hexadecimal(part)) =>
        {
            match last {
                "fs" if first == "vs" && !addresses.is_empty() => Some(Dump::Stage(Stage::Fetch)),
                _ => stage(first).filter(|_| is_hexadecimal(last)),
            }
        }
        _ => None,
    }
}

/// Where the fetch program of a dumped vertex program is, by its name.
pub fn fetch_program(path: &Path) -> Option<PathBuf> {
    if named(path)? != Dump::Stage(Stage::Vertex) {
        return None;
    }
    let stem = path.file_stem().and_then(OsStr::to_str)?;
    let stem = stem.strip_suffix("_vs").unwrap_or(stem);
    Some(path.with_file_name(format!("{stem}_fs.bin")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_stage() {
        use Dump::Compute;
        for (name, expected) in [
            ("d/01ab_00_vs.bin", Some(Dump::Stage(Stage::Vertex))),
            ("0123456789abcdef_0000000000000079_ps.bin", Some(Dump::Stage(Stage::Pixel))),
            ("1_2_gs.bin", Some(Dump::Stage(Stage::Geometry))),
            ("1_2_copy.bin", Some(Dump::Stage(Stage::Copy))),
            ("1_2_fs.bin", Some(Dump::Stage(Stage::Fetch))),
            ("1_2_compute.bin", Some(Compute)),
            ("vs_1A2B_3c.bin", Some(Dump::Stage(Stage::Vertex))),
            ("vs_1A2B_3c_fs.bin", Some(Dump::Stage(Stage::Fetch))),
            ("vs_1a_fs.bin", Some(Dump::Stage(Stage::Fetch))),
            ("ps_1a2b.bin", Some(Dump::Stage(Stage::Pixel))),
            ("gs_1.bin", Some(Dump::Stage(Stage::Geometry))),
            ("1_2_vs.u32", None),
            ("1_2_hs.bin", None),
            ("x_2_vs.bin", None),
            ("vs_.bin", None),
            ("vs_fs.bin", None),
            ("vs.bin", None),
            ("ps_1_fs.bin", None),
            ("program.bin", None),
        ] {
            assert_eq!(named(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn vertex_programs_have_fetch_programs() {
        let fetch = |name: &str| fetch_program(Path::new(name)).map(|path| path.display().to_string());
        assert_eq!(fetch("d/1_2_vs.bin").as_deref(), Some("d/1_2_fs.bin"));
        assert_eq!(fetch("vs_1_2.bin").as_deref(), Some("vs_1_2_fs.bin"));
        assert_eq!([fetch("1_2_ps.bin"), fetch("ps_1.bin"), fetch("vs_1_2_fs.bin")], [None, None, None]);
    }
}
