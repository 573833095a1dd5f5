//! NumPy arrays and arrays of this project.

use ctm_gpu::array::Data;
use ctm_gpu::{Array, Format, Shape};
use numpy::{PyArray1, PyArray3, PyArrayMethods, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The array of rows, columns and channels, of float32, uint8 or uint16, in C order.
///
/// # Errors
/// It is another array.
pub fn from_python(array: &Bound<PyAny>) -> PyResult<Array> {
    fn of<T: numpy::Element + Copy>(array: &Bound<PyArray3<T>>, data: impl Fn(Vec<T>) -> Data) -> PyResult<Array> {
        let dims = array.dims();
        Ok(Array { shape: Shape { width: dims[1], height: dims[0], channels: dims[2] }, data: data(array.to_vec()?) })
    }
    if let Ok(array) = array.cast::<PyArray3<f32>>() {
        of(array, |values| Data::F32(values.into_iter().map(f32::to_bits).collect()))
    } else if let Ok(array) = array.cast::<PyArray3<u8>>() {
        of(array, Data::U8)
    } else if let Ok(array) = array.cast::<PyArray3<u16>>() {
        of(array, Data::U16)
    } else {
        Err(PyTypeError::new_err("an input is an array of rows, columns and channels of float32, uint8 or uint16"))
    }
}

/// The array of rows, columns and channels with these values, which become its own.
pub fn to_python(py: Python<'_>, array: Array) -> PyResult<Bound<'_, PyUntypedArray>> {
    let Shape { width, height, channels } = array.shape;
    let shape = [height, width, channels];
    Ok(match array.data {
        Data::U8(values) => PyArray1::from_vec(py, values).reshape(shape)?.as_untyped().clone(),
        Data::U16(values) => PyArray1::from_vec(py, values).reshape(shape)?.as_untyped().clone(),
        Data::F32(words) => {
            let values = words.into_iter().map(f32::from_bits).collect();
            PyArray1::from_vec(py, values).reshape(shape)?.as_untyped().clone()
        }
    })
}

/// The format of elements with this name.
pub fn format(name: &str) -> PyResult<Format> {
    Format::parse(name).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        PyValueError::new_err(format!("unknown format '{name}': formats are {names}"))
    })
}
