//! Progress of long runs, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Runs shorter than this show nothing.
const SHORTEST_SHOWN: Duration = Duration::from_secs(1);

/// A bar on standard error that appears when a run takes long.
#[derive(Debug)]
pub struct Progress {
    started: Instant,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// A bar that may appear from now on.
    pub fn start() -> Self {
        Progress { started: Instant::now(), bar: OnceLock::new() }
    }

    /// Shows how many of `total` parts are done.
    pub fn update(&self, done: u64, total: u64) {
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
