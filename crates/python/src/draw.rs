//! Draws with the programs of an SM50 pipeline.

use crate::engine::PyEngine;
use crate::error::exception;
use crate::interrupt::interruptible;
use crate::pixels::{PyStats, stats};
use crate::program::PyProgram;
use ctm_gpu::Program;
use ctm_gpu::sm50::attributes::{WORDS, name};
use ctm_gpu::sm50::launch::{Constants, Environment, Shader};
use ctm_gpu::sm50::pipeline::{Capture, Draw, Levels, Primitive, Spacing, TessDomain, Tessellation, VertexArray};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::time::Instant;

/// What a draw has: programs, state, words of attributes by address and of constant banks, and what is captured, by address and number of
/// words.
#[derive(FromPyObject)]
pub struct PyDraw<'py> {
    #[pyo3(item)]
    vs: PyRef<'py, PyProgram>,
    #[pyo3(item)]
    tcs: Option<PyRef<'py, PyProgram>>,
    #[pyo3(item)]
    tes: Option<PyRef<'py, PyProgram>>,
    #[pyo3(item)]
    gs: Option<PyRef<'py, PyProgram>>,
    #[pyo3(item)]
    primitive: String,
    #[pyo3(item)]
    vertices: u32,
    #[pyo3(item)]
    first: u32,
    #[pyo3(item)]
    instances: u32,
    #[pyo3(item)]
    patch_vertices: u32,
    #[pyo3(item)]
    tess_domain: String,
    #[pyo3(item)]
    tess_spacing: String,
    #[pyo3(item)]
    point_mode: bool,
    #[pyo3(item)]
    clockwise: bool,
    #[pyo3(item)]
    levels: [f32; 6],
    #[pyo3(item)]
    stream: u8,
    #[pyo3(item)]
    attributes: BTreeMap<u32, PyReadonlyArray2<'py, u32>>,
    #[pyo3(item)]
    banks: BTreeMap<u8, PyReadonlyArray1<'py, u32>>,
    #[pyo3(item)]
    capture: Vec<(u32, u32)>,
}

/// The one of these that has a name.
fn named<T: Copy>(option: &str, all: &[T], name: fn(T) -> &'static str, wanted: &str) -> PyResult<T> {
    all.iter().copied().find(|&one| name(one) == wanted).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&one| name(one)).collect();
        PyValueError::new_err(format!("{option} is '{wanted}': it can be {}", names.join(", ")))
    })
}

impl PyDraw<'_> {
    fn constants(&self) -> PyResult<Constants> {
        let mut constants = Constants::default();
        for (&bank, words) in &self.banks {
            constants.set_bank(bank, words.as_slice()?.to_vec());
        }
        Ok(constants)
    }

    fn arrays(&self) -> PyResult<Vec<VertexArray>> {
        let array = |(&address, words): (&u32, &PyReadonlyArray2<u32>)| {
            Ok(VertexArray { address, components: words.shape()[1] as u32, values: words.as_slice()?.to_vec() })
        };
        self.attributes.iter().map(array).collect()
    }
}

/// The program as a stage.
fn stage(program: &Option<Program>) -> PyResult<Option<Shader<'_>>> {
    program.as_ref().map(Program::shader).transpose().map_err(exception)
}

/// A warning: stage, address, message, and how often.
type PyWarning = (&'static str, u32, String, u64);
/// Words of the records, vertices of a primitive, counts, warnings, and seconds.
type PyDrawn<'py> = (Bound<'py, PyArray2<f32>>, u32, PyStats, Vec<PyWarning>, f64);

/// Draws.
#[pyfunction]
pub fn draw<'py>(
    py: Python<'py>,
    engine: &PyEngine,
    draw: PyDraw<'py>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyDrawn<'py>> {
    let program = |program: &Option<PyRef<PyProgram>>| program.as_ref().map(|program| program.program.clone());
    let (vs, tcs, tes, gs) = (draw.vs.program.clone(), program(&draw.tcs), program(&draw.tes), program(&draw.gs));
    let (arrays, constants) = (draw.arrays()?, draw.constants()?);
    let capture: Vec<Capture> = draw.capture.iter().map(|&(address, words)| Capture { address, words }).collect();
    let [outer @ .., i0, i1] = draw.levels;
    let described = Draw {
        tess_init: stage(&tcs)?,
        tessellation: stage(&tes)?,
        geometry: stage(&gs)?,
        primitive: named("primitive", Primitive::ALL, Primitive::name, &draw.primitive)?,
        patch_vertices: draw.patch_vertices,
        first: draw.first,
        instances: draw.instances,
        tessellator: Tessellation {
            domain: named("tess_domain", TessDomain::ALL, TessDomain::name, &draw.tess_domain)?,
            spacing: named("tess_spacing", Spacing::ALL, Spacing::name, &draw.tess_spacing)?,
            point_mode: draw.point_mode,
            clockwise: draw.clockwise,
        },
        levels: Levels { outer, inner: [i0, i1] },
        arrays: &arrays,
        capture: &capture,
        stream: draw.stream,
        environment: Environment { constants, ..Environment::default() },
        ..Draw::new(vs.shader().map_err(exception)?, draw.vertices)
    };
    let start = Instant::now();
    let drawn = interruptible(py, &engine.engine, progress, |engine| engine.draw(&described))?;
    let seconds = start.elapsed().as_secs_f64();
    let warnings = drawn.report.warnings.iter();
    let warnings = warnings.map(|(stage, pc, kind, warning)| (stage.name(), pc, kind.to_string(), warning.count));
    let shape = [drawn.records as usize, drawn.record_words as usize];
    let words = drawn.words.into_iter().map(f32::from_bits).collect();
    let records = PyArray1::from_vec(py, words).reshape(shape)?;
    Ok((records, drawn.shape.vertices(), stats(&drawn.report.stats), warnings.collect(), seconds))
}

/// The attributes of vertices: address and name of each word.
#[pyfunction]
pub fn attributes() -> Vec<(u32, String)> {
    (0..WORDS as u32).map(|word| (4 * word, name(4 * word))).collect()
}
