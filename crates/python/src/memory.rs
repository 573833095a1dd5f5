//! Memory of programs as arrays of NumPy.

use crate::arrays::format;
use crate::error::exception;
use ctm_gpu::{Format, Mapped, Shape};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Memory that programs access. Arrays that NumPy makes of it keep it.
#[pyclass(frozen, name = "Memory", module = "ctm._native")]
pub struct PyMemory {
    /// The array in it.
    pub array: Mapped,
}

#[pymethods]
impl PyMemory {
    /// An array of zeros with a format.
    #[new]
    fn new(width: usize, height: usize, name: &str) -> PyResult<Self> {
        Ok(PyMemory { array: Mapped::zeros(width, height, format(name)?).map_err(exception)? })
    }

    /// What NumPy makes an array of, without copying anything.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Shape { width, height, channels } = self.array.shape();
        let (kind, bytes) = match self.array.format() {
            Format::Float32_1 | Format::Float32_2 | Format::Float32_4 => ("<f4", 4),
            Format::Uint8_4 => ("|u1", 1),
            Format::Uint16_1 => ("<u2", 2),
        };
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("typestr", kind)?;
        interface.set_item("shape", (height, width, channels))?;
        interface.set_item("strides", (self.array.pitch() * channels * bytes, channels * bytes, bytes))?;
        interface.set_item("data", (self.array.as_ptr().addr(), false))?;
        Ok(interface)
    }
}
