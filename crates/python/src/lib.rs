//! The native half of the Python package `ctm`: programs, engines and runs, by the names and types that `python/ctm` builds its interface
//! of. Python sees it as `ctm._native`, which is not an interface of its own.
#![forbid(unsafe_code)]

mod arrays;
mod counts;
mod draw;
mod engine;
mod error;
mod interrupt;
mod memory;
mod pixels;
mod program;
mod steps;
mod threads;

#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::draw::{attributes, draw};
    #[pymodule_export]
    use crate::engine::{PyEngine, engines};
    #[pymodule_export]
    use crate::error::{AssemblyError, Error};
    #[pymodule_export]
    use crate::memory::PyMemory;
    #[pymodule_export]
    use crate::pixels::{count_pixels, run_pixels, trace_pixels};
    #[pymodule_export]
    use crate::program::{PyProgram, load, open_file};
    #[pymodule_export]
    use crate::threads::{count_threads, run_threads, trace_threads};
}
