//! What is checked of code, and counts of the code so far.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// What is checked of code, and counts of the code that a backend has made, as [`CodeCounts`](ctm_engine::CodeCounts) has them.
#[derive(Debug)]
pub struct Checks {
    /// The bytes are checked, and not only the instructions that they are made of.
    pub bytes: bool,
    pub proven: AtomicU64,
    pub explicit: AtomicU64,
    pub refused: AtomicU64,
    pub interleaved: AtomicU64,
    pub speculating: AtomicU64,
    pub deoptimised: AtomicU64,
    /// Nanoseconds that the checkers of accesses and of bytes took.
    pub access_time: AtomicU64,
    pub byte_time: AtomicU64,
}

impl Default for Checks {
    fn default() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            bytes: cfg!(debug_assertions),
            proven: zero(),
            explicit: zero(),
            refused: zero(),
            interleaved: zero(),
            speculating: zero(),
            deoptimised: zero(),
            access_time: zero(),
            byte_time: zero(),
        }
    }
}

/// Adds the time that a check takes.
pub fn timed<T>(nanoseconds: &AtomicU64, check: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = check();
    nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    result
}
