//! Work that Ctrl-C ends.

use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

/// How often Python is asked whether there was a signal.
const PERIOD: Duration = Duration::from_millis(50);

/// Does work without the lock of the interpreter. A signal whose handler raises an exception, as that of Ctrl-C does, sets what the work
/// is given, which should end it soon.
///
/// # Errors
/// The exception of the handler, or the system has no thread left for the work.
pub fn interruptible<T: Send>(py: Python, work: impl FnOnce(Arc<AtomicBool>) -> T + Send) -> PyResult<T> {
    let cancel = Arc::new(AtomicBool::new(false));
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, wait) = channel();
            let given = cancel.clone();
            let body = move || {
                let result = work(given);
                // Nobody waits any more only if the receiver was dropped, and then nobody wants to know.
                let _ = done.send(());
                result
            };
            let worker = Builder::new().name("ctm-run".to_owned()).spawn_scoped(scope, body)?;
            let mut raised = None;
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(PERIOD) {
                if raised.is_none() {
                    raised = Python::attach(|py| py.check_signals()).err();
                    cancel.store(raised.is_some(), Relaxed);
                }
            }
            match (worker.join(), raised) {
                (Ok(_), Some(error)) => Err(error),
                (Ok(result), None) => Ok(result),
                (Err(panic), _) => std::panic::resume_unwind(panic),
            }
        })
    })
}
