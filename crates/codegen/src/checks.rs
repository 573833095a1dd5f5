//! What is checked of code, and what was found so far.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// What is checked of code, and what was found of the code that a backend has made.
#[derive(Debug)]
pub struct Checks {
    /// The bytes are checked, and not only the instructions that they are made of.
    pub bytes: bool,
    pub proven: AtomicU64,
    pub explicit: AtomicU64,
    pub refused: AtomicU64,
    /// Nanoseconds that the checkers of accesses and of bytes took.
    pub access_time: AtomicU64,
    pub byte_time: AtomicU64,
}

impl Default for Checks {
    fn default() -> Self {
        let [proven, explicit, refused, access_time, byte_time] = [0; 5].map(AtomicU64::new);
        Self { bytes: cfg!(debug_assertions), proven, explicit, refused, access_time, byte_time }
    }
}

/// Adds the time that a check takes.
pub fn timed<T>(nanoseconds: &AtomicU64, check: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = check();
    nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    result
}
