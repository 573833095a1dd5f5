//! Programs over rectangles of lanes.

use crate::arrays::{from_python, to_python};
use crate::engine::PyEngine;
use crate::interrupt::interruptible;
use crate::program::PyProgram;
use crate::steps::{PySteps, steps};
use ctm_gpu::{Array, Engine, Error, Format, Kernel, Pixels, RunStats, Trail};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What Python gets of a run's counts: lanes, instructions, groups, whether an access was out of range.
pub type PyStats = (u64, u64, u64, bool);

pub fn stats(stats: &RunStats) -> PyStats {
    (stats.lanes, stats.instructions, stats.groups, stats.out_of_range)
}

/// What a run has besides its program: width and height of the domain; arrays, formats and values by number.
#[derive(FromPyObject)]
pub struct PyJob<'py> {
    #[pyo3(item)]
    width: u32,
    #[pyo3(item)]
    height: u32,
    #[pyo3(item)]
    inputs: BTreeMap<u8, Bound<'py, PyAny>>,
    #[pyo3(item)]
    outputs: BTreeMap<u8, String>,
    #[pyo3(item)]
    constants: BTreeMap<u8, [f32; 4]>,
}

impl PyJob<'_> {
    fn pixels(&self, program: &PyProgram) -> PyResult<Pixels> {
        let mut pixels = Pixels::new(program.program.clone(), self.width, self.height);
        for (&number, array) in &self.inputs {
            pixels = pixels.input(number, from_python(array)?);
        }
        for (&number, name) in &self.outputs {
            let format = Format::parse(name).ok_or_else(|| {
                let names = Format::ALL.map(Format::name).join(", ");
                PyValueError::new_err(format!("output {number} has no format '{name}': formats are {names}"))
            })?;
            pixels = pixels.output(number, format);
        }
        for (&number, &value) in &self.constants {
            pixels = pixels.constant(number, value);
        }
        Ok(pixels)
    }
}

/// What a run gives: the outputs, and how long it took to compile, to run, and in all.
struct Ran {
    outputs: Vec<(u8, Array)>,
    stats: RunStats,
    times: [Duration; 3],
}

fn run(
    pixels: Pixels,
    engine: &Engine,
    run: impl FnOnce(&mut Kernel) -> Result<RunStats, Error>,
) -> Result<Ran, Error> {
    let start = Instant::now();
    let mut kernel = pixels.compile(engine)?;
    let compiled = Instant::now();
    let stats = run(&mut kernel)?;
    let ran = compiled.elapsed();
    let output = |number| Ok((number, kernel.output(number)?));
    let outputs = kernel.outputs().into_iter().map(output).collect::<Result<_, Error>>()?;
    drop(kernel);
    Ok(Ran { outputs, stats, times: [compiled - start, ran, start.elapsed()] })
}

/// The outputs by their numbers, counts, and the seconds of compilation, of the run, and in all.
type PyRan<'py> = (Bound<'py, PyDict>, PyStats, [f64; 3]);

impl Ran {
    fn into_python(self, py: Python<'_>) -> PyResult<PyRan<'_>> {
        let outputs = PyDict::new(py);
        for (number, array) in self.outputs {
            let array: Bound<PyUntypedArray> = to_python(py, array)?;
            outputs.set_item(number, array)?;
        }
        Ok((outputs, stats(&self.stats), self.times.map(|time| time.as_secs_f64())))
    }
}

/// Runs a program for all lanes.
#[pyfunction]
pub fn run_pixels<'py>(
    py: Python<'py>,
    program: &PyProgram,
    engine: &PyEngine,
    job: PyJob<'py>,
) -> PyResult<PyRan<'py>> {
    let pixels = job.pixels(program)?;
    interruptible(py, &engine.engine, |engine| run(pixels, engine, Kernel::run))?.into_python(py)
}

/// Runs a program for all lanes, and gives the first steps of one, at most so many.
#[pyfunction]
pub fn trace_pixels<'py>(
    py: Python<'py>,
    program: &PyProgram,
    engine: &PyEngine,
    job: PyJob<'py>,
    lane: (u32, u32),
    most: usize,
) -> PyResult<(PyRan<'py>, PySteps)> {
    if lane.0 >= job.width || lane.1 >= job.height {
        return Err(PyValueError::new_err(format!(
            "there is no lane ({}, {}): the domain has {} x {} lanes",
            lane.0, lane.1, job.width, job.height
        )));
    }
    let pixels = job.pixels(program)?;
    let mut trail = Trail::new(most);
    let follow = |kernel: &mut Kernel| kernel.follow(lane, &mut trail);
    let ran = interruptible(py, &engine.engine, |engine| run(pixels, engine, follow))?;
    Ok((ran.into_python(py)?, steps(&program.program, &trail)))
}
