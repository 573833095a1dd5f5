//! Vertex programs of PVS.

use crate::engine::PyEngine;
use crate::error::{exception, value_error};
use crate::interrupt::interruptible;
use crate::pixels::{PyStats, stats};
use crate::program::PyProgram;
use ctm_gpu::Vertices;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::time::Instant;

/// The vectors of each output, counts, and seconds.
type PyVertices<'py> = (BTreeMap<u8, Bound<'py, PyArray2<f32>>>, PyStats, f64);

/// Runs a vertex program for vertices whose inputs are rows of four numbers.
#[pyfunction]
pub fn run_vertices<'py>(
    py: Python<'py>,
    program: &PyProgram,
    engine: &PyEngine,
    count: u32,
    inputs: BTreeMap<u8, PyReadonlyArray2<'py, f32>>,
    constants: BTreeMap<u8, [f32; 4]>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyVertices<'py>> {
    let mut vertices = Vertices::new(program.program.clone(), count).map_err(exception)?;
    for (number, array) in inputs {
        let (rows, rest) = array.as_slice()?.as_chunks();
        if !rest.is_empty() {
            return Err(value_error(format!("input {number} does not have four numbers for each vertex")));
        }
        vertices = vertices.input(number, rows).map_err(exception)?;
    }
    for (number, value) in constants {
        vertices = vertices.constant(number, value);
    }
    let start = Instant::now();
    let given = interruptible(py, &engine.engine, progress, |engine| vertices.run(engine))?;
    let seconds = start.elapsed().as_secs_f64();
    let array = |(number, rows): (u8, Vec<[f32; 4]>)| {
        let shape = [rows.len(), 4];
        Ok((number, PyArray1::from_vec(py, rows.into_flattened()).reshape(shape)?))
    };
    let outputs = given.outputs.into_iter().map(array).collect::<PyResult<_>>()?;
    Ok((outputs, stats(&given.stats), seconds))
}
