//! NumPy arrays and arrays of this project.

use ctm_gpu::array::Data;
use ctm_gpu::{Array, Shape};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray3, PyUntypedArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The array of rows, columns and channels, of float32, uint8 or uint16, in C order.
///
/// # Errors
/// It is another array.
pub fn from_python(array: &Bound<PyAny>) -> PyResult<Array> {
    fn of<T: numpy::Element + Copy>(array: &PyReadonlyArray3<T>) -> PyResult<(Shape, Vec<T>)> {
        let [height, width, channels] = <[usize; 3]>::from(array.as_array().dim());
        Ok((Shape { width, height, channels }, array.as_slice()?.to_vec()))
    }
    let (shape, data) = if let Ok(array) = array.extract::<PyReadonlyArray3<f32>>() {
        let (shape, values) = of(&array)?;
        (shape, Data::F32(values.into_iter().map(f32::to_bits).collect()))
    } else if let Ok(array) = array.extract::<PyReadonlyArray3<u8>>() {
        let (shape, values) = of(&array)?;
        (shape, Data::U8(values))
    } else if let Ok(array) = array.extract::<PyReadonlyArray3<u16>>() {
        let (shape, values) = of(&array)?;
        (shape, Data::U16(values))
    } else {
        return Err(PyTypeError::new_err(
            "an input is an array of rows, columns and channels of float32, uint8 or uint16",
        ));
    };
    Ok(Array { shape, data })
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
