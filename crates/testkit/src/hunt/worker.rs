//! A worker: checks one seed after the other, each entry for its share of the time.

use super::failure::Failure;
use super::subject::{Entry, Subject};
use super::tally::Tally;
use super::watchdog::Watchdog;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How long one entry is checked before it is another one's turn.
const TURN: Duration = Duration::from_millis(500);
/// Bytes of a note.
pub const NOTE: usize = 64;

/// What a worker does.
pub struct Task {
    /// What it checks.
    pub entries: Vec<Entry>,
    /// The first seed; the next one is `stride` later.
    pub seed: u64,
    /// Workers of the hunt.
    pub stride: u64,
    /// When it ends.
    pub end: Instant,
    /// Most seeds of an entry.
    pub count: u64,
    /// A check that takes longer hangs.
    pub hang: Duration,
    /// Where it notes what it is about to check.
    pub notes: File,
}

struct Active {
    name: String,
    weight: u32,
    subject: Box<dyn Subject>,
    next: u64,
    left: u64,
    tally: Tally,
}

/// Checks seeds until the time is over. Every line of standard output is a JSON object: a `find`, or `counts` by entry.
///
/// # Errors
/// If notes or lines cannot be written.
pub fn work(mut task: Task) -> io::Result<()> {
    let watchdog = Watchdog::start(task.hang);
    let mut active: Vec<Active> = task
        .entries
        .iter()
        .map(|entry| Active {
            name: entry.name.clone(),
            weight: entry.weight,
            subject: entry.subject(),
            next: task.seed,
            left: task.count,
            tally: Tally::default(),
        })
        .collect();
    while Instant::now() < task.end {
        // The one that had the least of its share.
        let waiting = active.iter_mut().filter(|entry| entry.left > 0);
        let Some(entry) = waiting.min_by_key(|entry| entry.tally.micros / u64::from(entry.weight)) else { break };
        let start = Instant::now();
        while start.elapsed() < TURN && entry.left > 0 && Instant::now() < task.end {
            note(&mut task.notes, &entry.name, entry.next)?;
            watchdog.next_check();
            let checked = catch_unwind(AssertUnwindSafe(|| entry.subject.check(entry.next)));
            if let Some((failure, what)) = Failure::of_check(checked) {
                let find = json!({ "find": { "name": entry.name, "seed": entry.next, "failure": failure.name(), "what": what } });
                writeln!(io::stdout(), "{find}")?;
            }
            entry.next = entry.next.wrapping_add(task.stride);
            entry.left -= 1;
        }
        entry.tally.micros += start.elapsed().as_micros() as u64;
        let mut counts = Map::new();
        let mut tally = Tally { micros: entry.tally.micros, ..Tally::default() };
        entry.subject.count(&mut tally);
        counts.insert(entry.name.clone(), tally.to_json());
        writeln!(io::stdout(), "{}", json!({ "counts": Value::Object(counts) }))?;
    }
    Ok(())
}

/// Says what is about to be checked, for those who come after a crash.
fn note(notes: &mut File, name: &str, seed: u64) -> io::Result<()> {
    let line = format!("{:<width$}", format!("{name} {seed}"), width = NOTE);
    notes.seek(SeekFrom::Start(0))?;
    notes.write_all(line.as_bytes())
}
