//! Clients of the node that need no driver. Each test runs one of this program's ignored tests, the client, in a process with
//! the library preloaded.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

mod clients;
mod nouveau;
mod requests;

use clients::client;
use ctm_card::trace::TraceReader;
use std::env;
use std::ffi::CString;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, SystemTime};

/// A new directory.
fn scratch() -> PathBuf {
    let template = CString::new(format!("{}/ctm-test-XXXXXX", env::temp_dir().display())).unwrap().into_raw();
    // SAFETY: the template is a string of its own.
    unsafe { CString::from_raw(libc::mkdtemp(template)) }.into_string().unwrap().into()
}

/// Runs a client, with a directory for temporary files in which nothing must be left.
fn run(name: &str, card: &str) -> Output {
    let [scratch, runtime] = [scratch(), scratch()];
    let output = client(name).env("TMPDIR", &scratch).env("XDG_RUNTIME_DIR", &runtime).env("CTM_CARD", card).output();
    let output = succeeded(output.unwrap());
    fs::remove_dir(&scratch).expect("no file is left behind");
    fs::remove_dir_all(&runtime).unwrap();
    output
}

#[track_caller]
fn succeeded(output: Output) -> Output {
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success() && stdout.contains("1 passed"), "{}: {stdout}{stderr}", output.status);
    output
}

/// The names in a directory, in their order.
fn names(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// The card's files lie where the user alone can write; what others have there, whatever its name and age, stays.
#[test]
fn nothing_is_removed() {
    let scratch = scratch();
    let [runtime, cache, home, temporary] = ["runtime", "cache", "home", "tmp"].map(|name| scratch.join(name));
    for directory in [&runtime, &cache, &home, &temporary] {
        fs::DirBuilder::new().mode(0o700).create(directory).unwrap();
    }
    let old = ["ctm-card-", "ctm-card-abcdef"].map(|name| temporary.join(name));
    for old in &old {
        fs::create_dir(old).unwrap();
        fs::write(old.join("mine"), "mine").unwrap();
        fs::File::open(old).unwrap().set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }
    let run = |places: &[(&str, &Path)]| {
        let mut client = client("client_files");
        for name in ["XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "HOME"] {
            client.env_remove(name);
        }
        client.env("TMPDIR", &temporary).env("CTM_CARD", "rv515").envs(places.iter().copied());
        client.output().unwrap()
    };
    let all = [("XDG_RUNTIME_DIR", &*runtime), ("XDG_CACHE_HOME", &cache), ("HOME", &home)];
    for first in 0..3 {
        succeeded(run(&all[first..]));
    }
    assert_eq!(names(&runtime.join("ctm")), ["card-7140"]);
    assert_eq!(names(&cache.join("ctm")), ["card-7140"]);
    assert_eq!(names(&home.join(".cache/ctm")), ["card-7140"]);
    assert_eq!(names(&temporary), ["ctm-card-", "ctm-card-abcdef"]);

    succeeded(run(&[]));
    // SAFETY: the call takes nothing.
    let user = unsafe { libc::geteuid() };
    let shared = temporary.join(format!("ctm-{user}"));
    assert_eq!(names(&shared), ["card-7140"]);
    // One that somebody else may have made.
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
    let refused = run(&[]);
    assert!(!refused.status.success());
    let errors = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(errors.matches("no directory for the card's files: ").count(), 1, "{errors}");
    assert!(errors.contains("it is not a directory that this user alone can write to; XDG_RUNTIME_DIR"), "{errors}");

    assert_eq!(old.map(|old| fs::read_to_string(old.join("mine")).unwrap()), ["mine", "mine"]);
    fs::remove_dir_all(&scratch).unwrap();
}

#[test]
fn closing_the_node_for_the_last_time_frees_its_objects() {
    run("client_closes", "rv515");
}

#[test]
fn a_child_has_a_card_of_its_own() {
    let errors = String::from_utf8(run("client_forks", "rv515").stderr).unwrap();
    assert_eq!(errors.matches("belongs to the card of another process; each process has a card of its own").count(), 1);
    run("client_forks_first", "r580");
}

#[test]
fn a_program_that_is_started_has_a_card_of_its_own() {
    run("client_execs", "rv515");
}

#[test]
fn the_node_and_its_files_are_there() {
    run("client_files", "rv515");
}

#[test]
fn objects_are_mapped_shared_and_freed() {
    run("client_objects", "rv515");
}

#[test]
fn drivers_get_their_answers() {
    run("client_answers", "rv515");
    run("client_answers_rv530", "rv530");
    run("client_answers_rv770", "rv770");
}

#[test]
fn drivers_get_the_answers_of_nouveau() {
    for client in ["client_answers", "client_objects_of_the_kernel", "client_buffers"] {
        run(&format!("nouveau::{client}"), "gm107");
    }
}

#[test]
fn mistakes_are_errors_of_nouveau() {
    run("nouveau::client_mistakes", "gm107");
    run("nouveau::client_random_requests", "gm107");
}

#[test]
fn values_that_drivers_wait_for_come() {
    run("nouveau::client_fences", "gm107");
}

#[test]
fn mistakes_are_errors() {
    let errors = String::from_utf8(run("client_mistakes", "").stderr).unwrap();
    assert!(errors.contains("ctm card: submission 0 was rejected: command word 0"), "{errors}");
}

#[test]
fn threads_do_not_disturb_each_other() {
    run("client_threads", "r580");
}

#[test]
fn a_card_that_there_is_not_is_said_to_be_none() {
    let errors = String::from_utf8(run("client_without_a_card", "r9999").stderr).unwrap();
    let expected = "ctm card: unknown card \"r9999\" in CTM_CARD; known are rv515, rv530, r580, rv770, gm107\n";
    assert_eq!(errors.matches(expected).count(), 1, "{errors}");
}

#[test]
fn traces_survive_their_client() {
    let scratch = scratch();
    let path = scratch.join("trace");
    let run = || {
        let status = client("client_killed")
            .env("CTM_CARD_TRACE", &path)
            .env("TMPDIR", &scratch)
            .env("XDG_RUNTIME_DIR", &scratch)
            .status()
            .unwrap();
        assert_eq!(status.signal(), Some(libc::SIGKILL));
    };
    let values = |path: &Path| -> Vec<Vec<u8>> {
        let records = TraceReader::new(fs::File::open(path).unwrap()).unwrap().map(Result::unwrap);
        records.map(|record| record.pages.iter().map(|page| page.bytes[0]).collect()).collect()
    };
    run();
    run();
    assert_eq!(values(&path), [vec![], vec![5]]);
    // What another process is writing is left to it.
    let other = fs::File::options().write(true).open(&path).unwrap();
    other.set_len(0).unwrap();
    other.lock().unwrap();
    run();
    assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    let own = fs::read_dir(&scratch).unwrap().map(|entry| entry.unwrap().path());
    let own: Vec<_> = own.filter(|path| path.to_str().unwrap().contains("trace.")).collect();
    assert_eq!(own.iter().map(|path| values(path)).collect::<Vec<_>>(), [[vec![], vec![5]]]);
    fs::remove_dir_all(&scratch).unwrap();
}
