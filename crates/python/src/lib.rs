//! The native half of the Python package `ctm`: programs, engines and runs, by the names and types that `python/ctm` builds its interface
//! of. Python sees it as `ctm._native`, which is not an interface of its own.
#![forbid(unsafe_code)]

mod arrays;
mod card;
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
mod vertices;

#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::card::{PyCardTrace, PyReplay};
    #[pymodule_export]
    use crate::counts::heat_map;
    #[pymodule_export]
    use crate::draw::{attributes, draw};
    #[pymodule_export]
    use crate::engine::{PyEngine, engines};
    #[pymodule_export]
    use crate::error::{AssemblyError, CompileError, Error};
    #[pymodule_export]
    use crate::memory::PyMemory;
    #[pymodule_export]
    use crate::pixels::{count_pixels, run_pixels, trace_pixels};
    #[pymodule_export]
    use crate::program::{PyProgram, explain, load, open_file};
    #[pymodule_export]
    use crate::threads::{count_threads, run_threads, trace_threads};
    #[pymodule_export]
    use crate::vertices::run_vertices;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
