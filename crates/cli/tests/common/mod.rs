//! Running the `ctm` program in a folder of its own.

// Every test file compiles this module and uses a part of it.
#![allow(dead_code)]

#[cfg(target_os = "linux")]
pub mod limits;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{fs, str};

/// A file or folder of the project.
pub fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A folder for the files of one test, empty at first.
pub struct Folder(pub PathBuf);

impl Folder {
    /// The folder of the test with this name.
    pub fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the temporary folder can be made");
        Folder(path)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        fs::write(self.0.join(name), content).expect("files can be written");
        self
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Reads a file of binary32 numbers.
    pub fn read_floats(&self, name: &str) -> Vec<f32> {
        floats(&self.read(name))
    }

    /// Names of the files in the folder, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder can be listed");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The program, to be started in this folder.
    pub fn command(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ctm"));
        command.current_dir(&self.0).args(arguments).stdin(Stdio::null()).env_remove("NO_COLOR");
        command
    }

    /// Runs the program with arguments that contain no spaces.
    pub fn ctm(&self, line: &str) -> Done {
        self.ctm_args(line.split_whitespace())
    }

    /// Runs the program.
    pub fn ctm_args(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Done {
        Done(self.command(arguments).output().expect("ctm starts"))
    }
}

/// What came of running the program.
pub struct Done(pub Output);

impl Done {
    /// Standard output as text.
    pub fn out(&self) -> &str {
        str::from_utf8(&self.0.stdout).expect("standard output is text")
    }

    /// Standard error as text.
    pub fn err(&self) -> &str {
        str::from_utf8(&self.0.stderr).expect("standard error is text")
    }

    /// Checks that it succeeded.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert!(self.0.status.success(), "{}\n{}", self.0.status, self.err());
        self
    }

    /// Checks that it failed with this exit code and names all these things, in a form fit for people.
    #[track_caller]
    pub fn fails(self, code: i32, expected: &[&str]) -> Self {
        assert_eq!(self.0.status.code(), Some(code), "{}", self.err());
        for part in expected {
            assert!(self.err().contains(part), "'{part}' is not in:\n{}", self.err());
        }
        for word in ["panicked", "RUST_BACKTRACE", "Some(", "Err(", " { ", "\u{1b}"] {
            assert!(!self.err().contains(word), "'{word}' is in:\n{}", self.err());
        }
        self
    }
}

/// Little-endian binary32 numbers.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&chunk| f32::from_le_bytes(chunk)).collect()
}

/// A program that writes (i, j, i, 1) + c0.
pub const POSITION: &str = "\
OUT TEX_SEM_WAIT
  src0.rgb = temp[0], src0.a = temp[0], src1.rgb = const[0], src1.a = const[0] :
  out[0].rgb = MAD src0.rgr src0.111 src1.rgb,
  out[0].a = MAD src0.1 src0.1 src1.a ;
";

/// Whether two pictures look the same: of a hundred channels, at most one is further away than two of 255 steps. What a compiler makes of a shader rounds
/// in other places from version to version.
pub fn is_alike(made: &ctm_array::Array, shown: &ctm_array::Array) -> bool {
    let (ours, theirs) = (made.to_floats(), shown.to_floats());
    let pairs = ours.iter().zip(&theirs);
    let far = pairs.filter(|(ours, theirs)| (**ours - **theirs).abs() > 2.5 / 255.0).count();
    made.shape == shown.shape && far * 100 <= ours.len()
}
