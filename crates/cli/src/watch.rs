//! `ctm run --watch`: the command again and again, whenever a file that it reads has changed.

use crate::host::{Host, Local, Stamp};
use crate::report::Message;
use crate::wording::{listing, number_of};
use crate::{Cli, Console, Failure, execute};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often files are looked at.
const TICK: Duration = Duration::from_millis(200);
/// Files that a person is told by name.
const NAMED: usize = 4;

/// Executes a command until Ctrl-C, the first time at once, and gives the exit code. What goes wrong is reported, and the next
/// change awaited.
pub fn watch(cli: &Cli, local: &Local, console: &mut Console) -> u8 {
    let interrupt = local.interrupt();
    while !interrupt.load(Ordering::Relaxed) {
        let start = Instant::now();
        console.refused = 0;
        execute(cli, &mut Console { out: &mut *console.out, err: &mut *console.err, host: local, ..*console });
        let files = local.take_read_files();
        if files.is_empty() {
            let message = Message::error("--watch has no file to wait for: the program comes from standard input");
            return console.fail(Failure::Usage(message.help("give the program as a file")));
        }
        if console.interactive && !interrupt.load(Ordering::Relaxed) {
            console.report(&ran(start.elapsed(), &files));
        }
        wait(&files, &interrupt);
    }
    Failure::Interrupted.exit_code()
}

/// Returns when one of these files is not any more what it was, and all of them are at rest; or when Ctrl-C is pressed.
fn wait(files: &BTreeMap<PathBuf, Stamp>, interrupt: &AtomicBool) {
    let now = || files.keys().map(|path| (path.clone(), Stamp::now(path))).collect::<BTreeMap<_, _>>();
    let mut before = files.clone();
    while !interrupt.load(Ordering::Relaxed) {
        let seen = now();
        // Who writes a file may write it in pieces.
        if seen != *files && seen == before {
            return;
        }
        before = seen;
        sleep(TICK);
    }
}

/// Says when the command ran, and what is awaited.
fn ran(took: Duration, files: &BTreeMap<PathBuf, Stamp>) -> Message {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()) % (24 * 3600);
    let clock = format!("{:02}:{:02}:{:02} UTC", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let named = files.keys().take(NAMED).map(|path| path.display().to_string());
    let more = files.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {}", number_of(more, "other file")) } else { String::new() };
    let files = listing(named) + &more;
    Message::note(format!(
        "{clock}: ran in {:.1} ms; waiting for a change of {files} (Ctrl-C ends it)",
        took.as_secs_f64() * 1e3
    ))
}
