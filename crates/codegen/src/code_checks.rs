//! What is checked of code, and counts of the code so far.

use crate::check::Fault;
use ctm_engine::Refusal;
use ctm_lane::effort::Effort;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What is checked of code, and counts of the code that a backend has made, as [`CodeCounts`](ctm_engine::CodeCounts) has them.
#[derive(Debug)]
pub struct CodeChecks {
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
    /// Code that was not made when a run first needed it, for want of effort, and why there was none the last time.
    pub cut_short: AtomicU64,
    pub refusal: Mutex<Option<Refusal>>,
    /// What could not be shown of code last.
    pub fault: Mutex<Option<Fault>>,
}

impl Default for CodeChecks {
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
            cut_short: zero(),
            refusal: Mutex::default(),
            fault: Mutex::default(),
        }
    }
}

impl CodeChecks {
    /// Notes what could not be shown of a piece of code.
    pub fn note(&self, fault: Fault) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
    }

    /// Notes that code was not made for want of effort.
    pub fn note_cut(&self, effort: &Effort) {
        if let Some(cut) = effort.take_cut() {
            self.cut_short.fetch_add(1, Relaxed);
            self.note_refusal(cut.into());
        }
    }

    /// Notes why code was not made when a run first needed it.
    pub fn note_refusal(&self, refusal: Refusal) {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal);
    }

    /// What was noted last of code that is not there.
    pub fn last_refusal(&self) -> Option<Refusal> {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The fault that was noted last, for people.
    pub fn last_fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(Fault::to_string)
    }
}

/// Adds the time that a check takes.
pub fn timed<T>(nanoseconds: &AtomicU64, check: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = check();
    nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    result
}
