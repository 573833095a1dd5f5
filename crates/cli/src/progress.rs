//! Progress of long runs, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Runs shorter than this show nothing.
const SHORTEST_SHOWN: Duration = Duration::from_secs(1);

/// A bar on standard error that appears when a run takes long.
#[derive(Debug)]
pub struct Progress {
    started: Instant,
    bar: OnceLock<ProgressBar>,
    /// Runs that are to take place one after the other.
    runs: u64,
    /// Runs that have begun.
    begun: AtomicU64,
}

impl Progress {
    /// A bar for so many runs, which may appear from now on.
    pub fn start(runs: u32) -> Self {
        Progress { started: Instant::now(), bar: OnceLock::new(), runs: runs.into(), begun: AtomicU64::new(0) }
    }

    /// The next run begins.
    pub fn begin_run(&self) {
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    /// Parts of all runs that are done, and all parts, where `done` of `total` are in this run.
    fn of_all_runs(&self, done: u64, total: u64) -> (u64, u64) {
        let before = self.begun.load(Ordering::Relaxed).saturating_sub(1);
        (before.saturating_mul(total).saturating_add(done), self.runs.saturating_mul(total))
    }

    /// Shows how many of `total` parts of this run are done.
    pub fn update(&self, done: u64, total: u64) {
        let (done, total) = self.of_all_runs(done, total);
        if self.started.elapsed() >= SHORTEST_SHOWN {
            self.bar.get_or_init(|| bar(self.started.elapsed())).update(|state| {
                state.set_len(total);
                state.set_pos(done);
            });
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

fn bar(elapsed: Duration) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{elapsed} {wide_bar} {percent}%, {eta} left").expect("the template is valid");
    ProgressBar::no_length().with_style(style).with_elapsed(elapsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_over_all_runs() {
        let once = Progress::start(1);
        assert_eq!(once.of_all_runs(3, 10), (3, 10), "who has one run need not say that it begins");
        let thrice = Progress::start(3);
        thrice.begin_run();
        assert_eq!(thrice.of_all_runs(10, 10), (10, 30));
        thrice.begin_run();
        assert_eq!(thrice.of_all_runs(5, 10), (15, 30));
        assert_eq!(thrice.of_all_runs(u64::MAX, u64::MAX), (u64::MAX, u64::MAX));
    }
}
