//! Work that Ctrl-C ends.

use crate::error::exception;
use ctm_gpu::{Cancel, Engine, Error};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// How often Python is asked whether there was a signal. To get the lock of the interpreter may take as long as a tenth of this.
const PERIOD: Duration = Duration::from_millis(50);

/// Does work without the lock of the interpreter, with an engine whose runs end soon after a signal whose handler raises an exception, as
/// that of Ctrl-C does.
///
/// # Errors
/// The exception of the handler, or what went wrong.
pub fn interruptible<T: Send>(
    py: Python,
    engine: &Engine,
    work: impl FnOnce(&Engine) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let signals = Arc::new(Signals::of_this_thread());
    let engine = engine.clone().with_cancel(signals.clone());
    let result = py.detach(|| work(&engine));
    match signals.raised.get() {
        Some(raised) => Err(raised.clone_ref(py)),
        None => result.map_err(exception),
    }
}

/// The signals that Python handles in the thread of a run: in its main thread. Elsewhere there are none.
#[derive(Debug)]
struct Signals {
    thread: ThreadId,
    start: Instant,
    /// Periods after which Python was asked last.
    asked: AtomicU64,
    raised: OnceLock<PyErr>,
}

impl Signals {
    fn of_this_thread() -> Self {
        let thread = thread::current().id();
        Signals { thread, start: Instant::now(), asked: AtomicU64::new(0), raised: OnceLock::new() }
    }
}

impl Cancel for Signals {
    fn is_cancelled(&self) -> bool {
        let periods = (self.start.elapsed().as_millis() / PERIOD.as_millis()) as u64;
        if periods > self.asked.load(Relaxed) && thread::current().id() == self.thread && self.raised.get().is_none() {
            // A daemon thread may outlive the interpreter.
            if let Some(Err(raised)) = Python::try_attach(|py| py.check_signals()) {
                self.raised.get_or_init(|| raised);
            }
            self.asked.store(periods, Relaxed);
        }
        self.raised.get().is_some()
    }
}
