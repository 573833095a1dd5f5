//! Traces of graphics cards.

use crate::arrays::to_python;
use crate::engine::PyEngine;
use crate::error::exception;
use crate::interrupt::interruptible;
use ctm_gpu::card::{Replay, ReplayOptions, Trace};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A trace.
#[pyclass(frozen, name = "CardTrace", module = "ctm._native")]
pub struct PyCardTrace {
    trace: Trace,
}

#[pymethods]
impl PyCardTrace {
    /// The trace of a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(PyCardTrace { trace: py.detach(|| Trace::open(path)).map_err(exception)? })
    }

    /// The trace in bytes.
    #[staticmethod]
    fn read(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        Ok(PyCardTrace { trace: py.detach(|| Trace::read(bytes)).map_err(exception)? })
    }

    /// The card that it was recorded on.
    #[getter]
    fn card(&self) -> &str {
        self.trace.card()
    }

    /// Submissions that can be read.
    #[getter]
    fn submissions(&self) -> usize {
        self.trace.submissions()
    }

    /// Draws in them.
    #[getter]
    fn draws(&self) -> usize {
        self.trace.draws()
    }

    /// Why there are no more submissions.
    #[getter]
    fn damage(&self) -> Option<String> {
        self.trace.damage().map(ToString::to_string)
    }

    /// Executes it.
    fn replay(
        &self,
        py: Python<'_>,
        engine: &PyEngine,
        draw: Option<usize>,
        seconds: Option<f64>,
        pixel: Option<(u32, u32)>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<PyReplay> {
        let time = seconds.map(|seconds| {
            Duration::try_from_secs_f64(seconds).map_err(|_| {
                PyValueError::new_err(format!("submission_seconds is {seconds}, expected a number from 0 on"))
            })
        });
        let options = ReplayOptions { draw, time_limit: time.transpose()?, pixel };
        let replay = interruptible(py, &engine.engine, progress, |engine| self.trace.replay(engine, &options))?;
        Ok(PyReplay { replay: Mutex::new(replay) })
    }
}

/// A card that has executed a trace.
#[pyclass(frozen, name = "CardReplay", module = "ctm._native")]
pub struct PyReplay {
    replay: Mutex<Replay>,
}

impl PyReplay {
    fn replay(&self) -> MutexGuard<'_, Replay> {
        self.replay.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyReplay {
    /// Draws that were executed.
    #[getter]
    fn draws(&self) -> usize {
        self.replay().draws()
    }

    /// Submissions that were executed.
    #[getter]
    fn submissions(&self) -> usize {
        self.replay().submissions()
    }

    /// How long the card took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.replay().time().as_secs_f64()
    }

    /// What is worth attention.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.replay().warnings().to_vec()
    }

    /// What draws did to the pixel whose history was asked for: the number of each, and what it did.
    #[getter]
    fn history(&self) -> Vec<(usize, String)> {
        self.replay().history().into_iter().map(|draw| (draw.draw, draw.text)).collect()
    }

    /// What the last draw left in a colour buffer.
    fn picture<'py>(&self, py: Python<'py>, target: u8) -> PyResult<Option<Bound<'py, PyUntypedArray>>> {
        self.replay().picture(target).map_err(exception)?.map(|array| to_python(py, array)).transpose()
    }

    /// The depth buffer of the last draw.
    fn depth<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyUntypedArray>>> {
        self.replay().depth().map_err(exception)?.map(|array| to_python(py, array)).transpose()
    }
}
