//! What a hunt does with a difference, a panic, a crash and a hang: each is found, with its seed, and shrunk. This test is a
//! hunt of its own, whose entries fail on purpose; it has no harness, since a hunt starts processes of its own program.

use ctm_testkit::forms::DISAGREEMENT;
use ctm_testkit::hunt::program;
use ctm_testkit::hunt::subject::{Entry, Evidence, Subject};
use ctm_testkit::hunt::tally::Tally;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

/// The seed that fails, and what of its file makes it fail.
const SEED: u64 = 13;
const BYTES: [u8; 2] = [7, 150];
const WORDS: [&str; 2] = ["seven", "600"];

/// How a check fails.
#[derive(Clone, Copy, PartialEq)]
enum Failure {
    Differs,
    Panics,
    Crashes,
    Hangs,
    Waits,
    Never,
}

/// Fails for one seed, and for files that have what makes it fail.
struct Faulty(Failure, u64);

impl Faulty {
    fn fail(&self) -> Result<(), String> {
        match self.0 {
            Failure::Differs => Err(format!("this {DISAGREEMENT}")),
            Failure::Panics => panic!("on purpose"),
            Failure::Crashes => std::process::abort(),
            Failure::Hangs => loop {
                std::hint::spin_loop();
            },
            Failure::Waits => loop {
                std::thread::park();
            },
            Failure::Never => Ok(()),
        }
    }
}

impl Subject for Faulty {
    fn check(&mut self, seed: u64) -> Result<(), String> {
        self.1 += 1;
        if seed == SEED { self.fail() } else { Ok(()) }
    }

    fn count(&self, tally: &mut Tally) {
        tally.programs += self.1;
    }

    fn evidence(&self, _seed: u64) -> Option<Evidence> {
        match self.0 {
            Failure::Differs => Some(Evidence::Text("txt", "one two\nthe seven seas\n3 and 600 more\nend\n".into())),
            _ => Some(Evidence::Bytes(vec![1, 7, 3, 3, 150, 9])),
        }
    }

    fn check_file(&self, path: &Path) -> Result<(), String> {
        let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&bytes);
        let has_words = WORDS.iter().all(|word| text.contains(word));
        // What has lost its end fails in another way.
        assert!(self.0 != Failure::Differs || text.contains("end"), "no end");
        if BYTES.iter().all(|byte| bytes.contains(byte)) || has_words { self.fail() } else { Ok(()) }
    }
}

fn entries() -> Vec<Entry> {
    let all = [
        ("differs", Failure::Differs),
        ("panics", Failure::Panics),
        ("crashes", Failure::Crashes),
        ("hangs", Failure::Hangs),
        ("waits", Failure::Waits),
        ("sound", Failure::Never),
    ];
    all.map(|(name, failure)| Entry::new(name.into(), 1, move || Faulty(failure, 0))).into()
}

/// The folder of a hunt's finds.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ctm-hunt-test-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn hunt(arguments: &[&str]) -> Output {
    let program = std::env::current_exe().expect("this program");
    Command::new(program).args(arguments).output().expect("a process")
}

/// Hunts an entry: the exit code, and the report.
fn report(name: &str, folder: &Path) -> (Option<i32>, Value) {
    let out = folder.to_string_lossy();
    let fixed = ["--seconds", "60", "--seed", "10", "--count", "8", "--hang", "1", "--shrink", "60", "--json"];
    let output = hunt(&[&fixed[..], &["--only", name, "--out", &out]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    (output.status.code(), serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}: {text}")))
}

/// One find of this seed, with this text, whose file is shrunk to this, and still shows it.
fn found(name: &str, what: &str, shrunk: &[u8]) {
    let folder = folder(name);
    let (code, report) = report(name, &folder);
    assert_eq!(code, Some(1), "{name}: {report}");
    let finds = report["finds"].as_array().expect("finds");
    let [find] = &finds[..] else { panic!("{name}: {report}") };
    assert_eq!((find["name"].as_str(), find["seed"].as_u64()), (Some(name), Some(SEED)), "{report}");
    assert!(find["what"].as_str().is_some_and(|found| found.contains(what)), "{name}: {report}");
    let file = find["file"].as_str().expect("a file");
    assert_eq!(std::fs::read(file).expect("the file"), shrunk, "{name}");
    let again = hunt(&["--check", file, "--only", name, "--hang", "1"]);
    assert!(!again.status.success() && again.status.code() != Some(3), "{name}: {again:?}");
    std::fs::remove_dir_all(folder).expect("a folder");
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| ["--worker", "--check", "--only"].contains(&argument.as_str())) {
        return program::run(entries);
    }
    found("differs", DISAGREEMENT, b"seven\n600\nend\n");
    found("panics", "panic: on purpose", &BYTES);
    found("crashes", "signal: 6", &BYTES);
    found("hangs", "longer than 1s", &BYTES);
    found("waits", "longer than 1s", &BYTES);
    let folder = folder("sound");
    let (code, report) = report("sound", &folder);
    assert_eq!((code, report["entries"]["sound"]["programs"].as_u64()), (Some(0), Some(8)), "{report}");
    assert_eq!(hunt(&["--only", "sound", "--frobnicate", "1"]).status.code(), Some(2));
    std::fs::remove_dir_all(folder).expect("a folder");
    ExitCode::SUCCESS
}
