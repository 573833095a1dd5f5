//! Compute code of SM50.

use crate::counts::{PyCounts, counts};
use crate::engine::PyEngine;
use crate::error::exception;
use crate::interrupt::interruptible;
use crate::pixels::{PyStats, stats};
use crate::program::PyProgram;
use crate::steps::{PySteps, steps};
use ctm_gpu::{Threads, Trail};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// What a launch has besides its program: blocks and threads along x, y and z, words of global memory by address, and of constant banks, bytes of
/// shared memory for each block.
#[derive(FromPyObject)]
pub struct PyLaunch<'py> {
    #[pyo3(item)]
    blocks: [u32; 3],
    #[pyo3(item)]
    threads: [u32; 3],
    #[pyo3(item)]
    memory: BTreeMap<u32, PyReadonlyArray1<'py, u32>>,
    #[pyo3(item)]
    banks: BTreeMap<u8, PyReadonlyArray1<'py, u32>>,
    #[pyo3(item)]
    shared_memory: u32,
}

impl PyLaunch<'_> {
    fn threads(&self, program: &PyProgram) -> PyResult<Threads> {
        let threads = Threads::new(program.program.clone(), self.blocks, self.threads).map_err(exception)?;
        let mut threads = threads.shared_memory(self.shared_memory).map_err(exception)?;
        for (&address, words) in &self.memory {
            threads = threads.memory(address, words.as_slice()?).map_err(exception)?;
        }
        for (&bank, words) in &self.banks {
            threads = threads.bank(bank, words.as_slice()?);
        }
        Ok(threads)
    }

    /// The words of memory after a launch.
    fn memory<'py>(&self, py: Python<'py>, threads: &Threads) -> PyResult<PyMemory<'py>> {
        let words = |(&address, words): (&u32, &PyReadonlyArray1<u32>)| {
            let words = threads.read(address, words.len()?).map_err(exception)?;
            Ok((address, PyArray1::from_vec(py, words)))
        };
        self.memory.iter().map(words).collect()
    }
}

/// Words by address.
type PyMemory<'py> = BTreeMap<u32, Bound<'py, PyArray1<u32>>>;

/// Runs all threads; returns the words of memory, and counts.
#[pyfunction]
pub fn run_threads<'py>(
    py: Python<'py>,
    program: &PyProgram,
    engine: &PyEngine,
    launch: PyLaunch<'py>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(PyMemory<'py>, PyStats)> {
    let mut threads = launch.threads(program)?;
    let report = interruptible(py, &engine.engine, progress, |engine| threads.run(engine))?;
    Ok((launch.memory(py, &threads)?, stats(&report.stats)))
}

/// Runs all threads, and counts how often instructions execute.
#[pyfunction]
pub fn count_threads(
    py: Python<'_>,
    program: &PyProgram,
    engine: &PyEngine,
    launch: PyLaunch<'_>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyCounts> {
    let mut threads = launch.threads(program)?;
    let (_, found) = interruptible(py, &engine.engine, progress, |engine| threads.count(engine))?;
    Ok(counts(found))
}

/// Runs all threads, counted block after block, and returns the first steps of one, at most so many.
#[pyfunction]
pub fn trace_threads<'py>(
    py: Python<'py>,
    program: &PyProgram,
    engine: &PyEngine,
    launch: PyLaunch<'py>,
    thread: u32,
    most: usize,
) -> PyResult<(PyMemory<'py>, PyStats, PySteps)> {
    let mut threads = launch.threads(program)?;
    let mut trail = Trail::new(most);
    let report = interruptible(py, &engine.engine, None, |engine| threads.follow(engine, thread, &mut trail))?;
    Ok((launch.memory(py, &threads)?, stats(&report.stats), steps(&program.program, &trail, Vec::new())))
}
