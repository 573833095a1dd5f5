//! Ends a process whose check takes too long. Time is that of the process on processors, so that the load of the machine does
//! not matter.

use super::failure::Failure;
use cpu_time::{ProcessTime, ThreadTime};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// How often the watchdog looks.
const LOOK: Duration = Duration::from_millis(100);
/// A process that calculates for less than this between two looks stands still, as all of its threads wait.
const STILL: Duration = Duration::from_micros(10);

/// Looks after the checks of this process.
pub struct Watchdog(Arc<AtomicU64>);

impl Watchdog {
    /// From now on, a check that calculates for longer than `limit`, or that does nothing for as long, ends the process with
    /// the code of a hang.
    pub fn start(limit: Duration) -> Self {
        let checks = Arc::new(AtomicU64::new(0));
        let begun = checks.clone();
        thread::spawn(move || watch(&begun, limit));
        Self(checks)
    }

    /// The next check begins.
    pub fn next_check(&self) {
        self.0.fetch_add(1, Relaxed);
    }
}

fn watch(begun: &AtomicU64, limit: Duration) {
    let own = ThreadTime::now();
    // What everybody but this thread has calculated.
    let calculated = |all: &ProcessTime| all.elapsed().saturating_sub(own.elapsed());
    let process = ProcessTime::now();
    let (mut check, mut at_start, mut before, mut moved) = (0, Duration::ZERO, Duration::ZERO, Instant::now());
    loop {
        thread::sleep(LOOK);
        // Two clocks are read, one after the other, so that their difference may go back a little.
        let (now, number) = (calculated(&process).max(before), begun.load(Relaxed));
        if number != check || now > before + STILL {
            moved = Instant::now();
        }
        if number != check {
            (check, at_start) = (number, now);
        }
        before = now;
        if now - at_start > limit || moved.elapsed() > limit {
            process::exit(Failure::Hang.code().into());
        }
    }
}
