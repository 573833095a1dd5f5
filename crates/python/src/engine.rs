//! Engines.

use crate::error::exception;
use ctm_gpu::{Engine, EngineName, Limits};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::time::Duration;

/// An engine with its limits. Copies share compiled programs.
#[pyclass(frozen, name = "Engine", module = "ctm._native")]
pub struct PyEngine {
    /// What executes.
    pub engine: Engine,
}

#[pymethods]
impl PyEngine {
    /// The engine with this name; `None` is the fastest. `threads` 0 is one for each core. `seconds`, `instructions` and `memory` (bytes)
    /// limit each run.
    #[new]
    #[pyo3(signature = (name, threads, seconds, instructions, memory))]
    fn new(
        name: Option<&str>,
        threads: usize,
        seconds: Option<f64>,
        instructions: Option<u64>,
        memory: Option<u64>,
    ) -> PyResult<Self> {
        let engine = match name {
            None => Engine::fastest(),
            Some(name) => {
                let found = EngineName::parse(name).ok_or_else(|| {
                    let names: Vec<&str> = EngineName::available().map(|engine| engine.name()).collect();
                    PyValueError::new_err(format!("unknown engine '{name}': engines are {}", names.join(", ")))
                })?;
                Engine::named(found).map_err(exception)?
            }
        };
        let time = seconds.map(|seconds| {
            Duration::try_from_secs_f64(seconds)
                .map_err(|_| PyValueError::new_err(format!("seconds is {seconds}, expected a number from 0 on")))
        });
        let limits = Limits {
            instructions: instructions.unwrap_or(Limits::DEFAULT.instructions),
            run_time: time.transpose()?,
            memory: memory.unwrap_or(Limits::DEFAULT.memory),
            ..Limits::DEFAULT
        };
        Ok(PyEngine { engine: engine.with_limits(limits).with_threads(threads) })
    }

    /// Its name; of machine code, that of the form.
    #[getter]
    fn name(&self) -> &'static str {
        self.engine.name()
    }
}

/// The names of the engines that this host has.
#[pyfunction]
pub fn engines() -> Vec<&'static str> {
    EngineName::available().map(|engine| engine.name()).collect()
}
