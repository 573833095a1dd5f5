//! Work that Ctrl-C ends, and that reports how far it is.

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
/// that of Ctrl-C does. `progress` is called meanwhile and at the end, with what is done and what there is in all.
///
/// # Errors
/// The exception of the handler or of `progress`, or what went wrong.
pub fn interruptible<T: Send>(
    py: Python,
    engine: &Engine,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Engine) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let mut engine = engine.clone();
    let reported = progress.is_some();
    let watch = Arc::new(Watch::of_this_thread(progress));
    if reported {
        let watch = watch.clone();
        engine = engine.with_progress(move |done, all| {
            watch.done.fetch_max(done, Relaxed);
            watch.all.store(all, Relaxed);
        });
    }
    let engine = engine.with_cancel(watch.clone());
    let result = py.detach(|| work(&engine));
    if let Some(raised) = watch.raised.get() {
        return Err(raised.clone_ref(py));
    }
    let result = result.map_err(exception)?;
    watch.report(py)?;
    Ok(result)
}

/// What Python has to say to a run in the thread that started it. Python handles signals in its main thread only.
#[derive(Debug)]
struct Watch {
    thread: ThreadId,
    start: Instant,
    /// Periods after which Python was asked last.
    asked: AtomicU64,
    raised: OnceLock<PyErr>,
    progress: Option<Py<PyAny>>,
    done: AtomicU64,
    all: AtomicU64,
}

impl Watch {
    fn of_this_thread(progress: Option<Py<PyAny>>) -> Self {
        Watch {
            thread: thread::current().id(),
            start: Instant::now(),
            asked: AtomicU64::new(0),
            raised: OnceLock::new(),
            progress,
            done: AtomicU64::new(0),
            all: AtomicU64::new(0),
        }
    }

    fn report(&self, py: Python) -> PyResult<()> {
        match &self.progress {
            Some(progress) => progress.call1(py, (self.done.load(Relaxed), self.all.load(Relaxed))).map(drop),
            None => Ok(()),
        }
    }
}

impl Cancel for Watch {
    fn is_cancelled(&self) -> bool {
        let periods = (self.start.elapsed().as_millis() / PERIOD.as_millis()) as u64;
        if periods > self.asked.load(Relaxed) && thread::current().id() == self.thread && self.raised.get().is_none() {
            // A daemon thread may outlive the interpreter.
            let answer = Python::try_attach(|py| py.check_signals().and_then(|()| self.report(py)));
            if let Some(Err(raised)) = answer {
                self.raised.get_or_init(|| raised);
            }
            self.asked.store(periods, Relaxed);
        }
        self.raised.get().is_some()
    }
}
