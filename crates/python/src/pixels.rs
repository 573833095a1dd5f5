//! Programs over rectangles of lanes.

use crate::arrays::{format, from_python, to_python};
use crate::counts::{PyCounts, counts};
use crate::engine::PyEngine;
use crate::error::exception;
use crate::interrupt::interruptible;
use crate::memory::PyMemory;
use crate::program::PyProgram;
use crate::steps::{PySteps, steps, variables};
use ctm_gpu::sampler::{Filter, Sampler, Wrap};
use ctm_gpu::{Array, Engine, Error, Kernel, Mapped, Pixels, RunStats, Shader, Shape, Texture, Trail};
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

/// What a run has besides its program: width and height of the domain, the position of its first lane; arrays, formats and values by number.
#[derive(FromPyObject)]
pub struct PyJob<'py> {
    #[pyo3(item)]
    width: u32,
    #[pyo3(item)]
    height: u32,
    #[pyo3(item)]
    origin: [u32; 2],
    #[pyo3(item)]
    inputs: BTreeMap<u8, Bound<'py, PyAny>>,
    #[pyo3(item)]
    textures: BTreeMap<u8, PyTexture<'py>>,
    #[pyo3(item)]
    outputs: BTreeMap<u8, String>,
    #[pyo3(item)]
    constants: BTreeMap<u8, [f32; 4]>,
    #[pyo3(item)]
    uniforms: BTreeMap<String, Vec<f32>>,
    #[pyo3(item)]
    varyings: BTreeMap<u8, [[f32; 4]; 3]>,
    #[pyo3(item)]
    time: f32,
    #[pyo3(item)]
    mouse: [f32; 4],
}

/// An input that is sampled: levels as arrays whose slices or faces lie one below the other, and how many of these there are.
#[derive(FromPyObject)]
pub struct PyTexture<'py> {
    #[pyo3(item)]
    levels: Vec<Bound<'py, PyAny>>,
    #[pyo3(item)]
    kind: String,
    #[pyo3(item)]
    layers: u32,
    #[pyo3(item)]
    filter: String,
    #[pyo3(item)]
    wraps: [String; 3],
}

impl PyTexture<'_> {
    fn texture(&self) -> PyResult<Texture> {
        let unknown = |what: &str, name: &str, known: &str| {
            PyValueError::new_err(format!("unknown {what} {name:?}: expected {known}"))
        };
        let wrap = |name: &String| {
            Ok(match name.as_str() {
                "repeat" => Wrap::Repeat,
                "mirror" => Wrap::Mirror,
                "clamp" => Wrap::ClampToEdge,
                "border" => Wrap::ClampToBorder,
                _ => return Err(unknown("wrap", name, "repeat, mirror, clamp or border")),
            })
        };
        let filter = match self.filter.as_str() {
            "nearest" => Filter::Point,
            "linear" => Filter::Linear,
            name => return Err(unknown("filter", name, "nearest or linear")),
        };
        let [s, t, r] = &self.wraps;
        let sampler = Sampler::new(filter, [wrap(s)?, wrap(t)?, wrap(r)?]);
        let sampler = if self.levels.len() > 1 { sampler.between_levels() } else { sampler };
        let mut levels = self.levels.iter().map(from_python);
        let first = levels.next().ok_or_else(|| PyValueError::new_err("a texture has a level at least"))??;
        let texture = match self.kind.as_str() {
            "2d" => Texture::flat(first, sampler),
            "3d" => Texture::volume(first, self.layers, sampler),
            "cube" => Texture::cube(first, sampler),
            name => return Err(unknown("kind of texture", name, "2d, 3d or cube")),
        };
        levels.try_fold(texture, |texture, level| Ok(texture.level(level?)))
    }
}

impl PyJob<'_> {
    fn pixels(&self, program: &PyProgram) -> PyResult<Pixels> {
        self.pixels_of(program, program.shader.as_deref())
    }

    /// The run of a program with this shader.
    fn pixels_of(&self, program: &PyProgram, shader: Option<&Shader>) -> PyResult<Pixels> {
        let [x, y] = self.origin;
        let pixels = match shader {
            Some(shader) => shader.pixels(self.width, self.height),
            None => Pixels::new(program.program.clone(), self.width, self.height),
        };
        let mut pixels = pixels.origin(x, y).time(self.time).mouse(self.mouse);
        for (name, values) in &self.uniforms {
            pixels = pixels.uniform(name, values).map_err(exception)?;
        }
        for (&slot, &corners) in &self.varyings {
            pixels = pixels.varying(slot, corners);
        }
        for (&number, array) in &self.inputs {
            pixels = match array.cast::<PyMemory>() {
                Ok(memory) => pixels.mapped(number, memory.get().array.clone()),
                Err(_) => pixels.input(number, from_python(array)?),
            };
        }
        for (&number, texture) in &self.textures {
            pixels = pixels.texture(number, texture.texture()?);
        }
        for (&number, name) in &self.outputs {
            pixels = pixels.output(number, format(name)?);
        }
        for (&number, &value) in &self.constants {
            pixels = pixels.constant(number, value);
        }
        Ok(pixels)
    }
}

/// Bytes of an output from which on it is not copied but stays in the memory of the run. That takes addresses of the process, of which there
/// are enough for some thousands, and as much time as to copy this.
const MAPPED: usize = 1 << 20;

/// An output, copied or where it lies.
enum Output {
    Copied(Array),
    Mapped(Mapped),
}

/// What a run gives: the outputs, what else the work gave, and how long it took to compile, to run, and in all.
struct Ran<T> {
    outputs: Vec<(u8, Output)>,
    given: T,
    times: [Duration; 3],
}

fn run<T>(pixels: Pixels, engine: &Engine, run: impl FnOnce(&mut Kernel) -> Result<T, Error>) -> Result<Ran<T>, Error> {
    let start = Instant::now();
    let mut kernel = pixels.compile(engine)?;
    let compiled = Instant::now();
    let given = run(&mut kernel)?;
    let ran = compiled.elapsed();
    let output = |number| {
        let array = kernel.output_mapped(number)?;
        let Shape { width, height, .. } = array.shape();
        let is_large = width * height * array.format().bytes_per_element() as usize >= MAPPED;
        let output = if is_large { Output::Mapped(array) } else { Output::Copied(kernel.output(number)?) };
        Ok((number, output))
    };
    let outputs = kernel.outputs().into_iter().map(output).collect::<Result<_, Error>>()?;
    drop(kernel);
    Ok(Ran { outputs, given, times: [compiled - start, ran, start.elapsed()] })
}

/// The outputs by their numbers, arrays or memory, what a run did, and the seconds of compilation, of the run, and in all.
type PyRan<'py> = (Bound<'py, PyDict>, PyStats, [f64; 3]);

/// What Python gets of a run.
fn into_python<'py>(
    py: Python<'py>,
    outputs: Vec<(u8, Output)>,
    did: &RunStats,
    times: [Duration; 3],
) -> PyResult<PyRan<'py>> {
    let found = PyDict::new(py);
    for (number, output) in outputs {
        match output {
            Output::Copied(array) => found.set_item(number, to_python(py, array)?)?,
            Output::Mapped(array) => found.set_item(number, PyMemory { array }.into_pyobject(py)?)?,
        }
    }
    Ok((found, stats(did), times.map(|time| time.as_secs_f64())))
}

/// Runs a program for all lanes.
#[pyfunction]
pub fn run_pixels<'py>(
    py: Python<'py>,
    program: &PyProgram,
    engine: &PyEngine,
    job: PyJob<'py>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyRan<'py>> {
    let pixels = job.pixels(program)?;
    let ran = interruptible(py, &engine.engine, progress, |engine| run(pixels, engine, Kernel::run))?;
    into_python(py, ran.outputs, &ran.given, ran.times)
}

/// Runs a program for all lanes, and counts how often instructions execute.
#[pyfunction]
pub fn count_pixels(
    py: Python<'_>,
    program: &PyProgram,
    engine: &PyEngine,
    job: PyJob<'_>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyCounts> {
    let pixels = job.pixels(program)?;
    let ran = interruptible(py, &engine.engine, progress, |engine| run(pixels, engine, Kernel::count))?;
    Ok(counts(ran.given.1))
}

/// Runs a program for all lanes, and returns the first steps of one, at most so many.
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
    let shader = program.shader.as_ref().map(|shader| shader.with_variables()).transpose().map_err(exception)?;
    let pixels = job.pixels_of(program, shader.as_ref())?;
    let mut trail = Trail::new(most);
    let follow = |kernel: &mut Kernel| {
        // A session is over memory as it was before the run.
        let session = shader.as_ref().map(|_| kernel.debug(lane)).transpose()?;
        let did = kernel.follow(lane, &mut trail)?;
        let known = session.map(|mut session| variables(&mut session, trail.steps.len())).transpose()?;
        Ok((did, known.unwrap_or_default()))
    };
    let ran = interruptible(py, &engine.engine, None, |engine| run(pixels, engine, follow))?;
    let (did, known) = ran.given;
    Ok((into_python(py, ran.outputs, &did, ran.times)?, steps(&program.program, &trail, known)))
}
