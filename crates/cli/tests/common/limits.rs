//! Running the program in little time and memory.

use super::{Done, Folder};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Processor time that a refusal may take, in seconds: on slow processors that others use as well, of which fast ones need a third. Programs
/// with assertions take about twice the time of others.
pub const SECONDS: u32 = if cfg!(debug_assertions) { 8 } else { 4 };
/// Address space that a refusal may take, in KiB.
pub const KIBIBYTES: u32 = 1_000_000;
/// Runs the program within the limits.
pub fn limited(folder: &Folder, line: &str) -> Done {
    limited_to(SECONDS, folder, line)
}

/// Runs the program within the limit of memory, and so many seconds of processor time.
pub fn limited_to(seconds: u32, folder: &Folder, line: &str) -> Done {
    let script = format!("ulimit -t {seconds} && ulimit -v {KIBIBYTES} && ulimit -c 0 && exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.current_dir(&folder.0).args(["-c", &script, env!("CARGO_BIN_EXE_ctm")]).args(line.split_whitespace());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("ctm starts");
    // What waits takes no processor time; the machine may be busy, so this limit is wide.
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let waits = child.try_wait().expect("a child").is_none();
    let _ = child.kill();
    let done = Done(child.wait_with_output().expect("a child"));
    assert!(!waits, "ctm {line}: it waits for something");
    done
}

/// Checks that the program refuses this, and says why with these words.
#[track_caller]
pub fn refused(folder: &Folder, line: &str, expected: &[&str]) {
    println!("ctm {line}");
    is_refusal(limited(folder, line), line, expected);
}

/// Checks that a command line was refused, with these words.
#[track_caller]
pub fn is_refusal(done: Done, line: &str, expected: &[&str]) {
    let code = done.0.status.code();
    assert!(matches!(code, Some(1 | 2)), "ctm {line}: {}\n{:.2000}", done.0.status, done.err());
    assert!(done.err().len() < 100_000, "ctm {line}: {} bytes of messages", done.err().len());
    done.fails(code.unwrap_or_default(), expected);
}
