//! The system's C and C++ compilers, as clients use them.
#![allow(dead_code, reason = "not every test binary uses all of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the headers are.
pub const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
/// Where the example clients are.
pub const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/c");

/// How a client is linked with the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    Shared,
    Static,
}

/// The directory where cargo has put the libraries: it builds them for these tests, beside them.
pub fn library_directory() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().to_owned()
}

/// The shared library.
pub fn shared_library() -> PathBuf {
    let name = format!("{}ctm{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    library_directory().join(name)
}

/// A directory of its own, which is removed in the end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ctm-capi-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether a program is there; if not, tells which test does not happen for want of it.
pub fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("SKIPPED: there is no {program} on this machine");
    }
    found
}

/// Whether the compiler of a client is there.
pub fn is_compiler_there(source: &Path) -> bool {
    is_there(compiler(source).0)
}

/// Compiler and standard of a source.
fn compiler(source: &Path) -> (&'static str, &'static str) {
    match source.extension().is_some_and(|extension| extension == "c") {
        true => ("cc", "-std=c89"),
        false => ("c++", "-std=c++98"),
    }
}

/// The compiler's call for a source, every warning being an error.
pub fn compile(source: &Path, output: &Path, flags: &[&str]) -> Command {
    let (program, standard) = compiler(source);
    let mut command = Command::new(program);
    command.args([standard, "-pedantic", "-Wall", "-Wextra", "-Werror", "-g", "-I", INCLUDE]).args(flags);
    command.arg(source).arg("-o").arg(output);
    command
}

/// Makes a client.
pub fn build(source: &Path, output: &Path, link: Link, flags: &[&str]) {
    let mut command = compile(source, output, flags);
    match link {
        Link::Static => command.arg(library_directory().join("libctm.a")),
        Link::Shared => {
            let directory = library_directory();
            command.arg(format!("-Wl,-rpath,{}", directory.display())).arg("-L").arg(directory).arg("-lctm")
        }
    };
    // What the static library needs of the system, see the manual.
    command.args(["-lpthread", "-ldl", "-lm"]);
    succeed(&mut command);
}

/// Runs a command that must succeed.
pub fn succeed(command: &mut Command) -> Output {
    // Cargo sets it for tests, and an old library that an earlier `cargo build` left there would come first.
    command.env_remove("LD_LIBRARY_PATH");
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    output
}
