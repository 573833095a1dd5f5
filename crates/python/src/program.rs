//! Programs.

use crate::error::exception;
use ctm_gpu::{Machine, Program};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// A program of one of the machines.
#[pyclass(frozen, eq, name = "Program", module = "ctm._native")]
#[derive(PartialEq)]
pub struct PyProgram {
    /// The program.
    pub program: Program,
}

/// What Python gets of a finding: code, severity, address, message, help.
type Described = (&'static str, &'static str, Option<u32>, String, String);

/// The machine with this name.
fn machine(name: &str) -> PyResult<Machine> {
    Machine::ALL.into_iter().find(|machine| machine.name() == name).ok_or_else(|| {
        let names = Machine::ALL.map(Machine::name).join(", ");
        PyValueError::new_err(format!("unknown instruction set '{name}': instruction sets are {names}"))
    })
}

#[pymethods]
impl PyProgram {
    /// Assembles a text.
    #[staticmethod]
    fn assemble(text: &str, isa: &str) -> PyResult<Self> {
        Ok(PyProgram { program: Program::assemble(machine(isa)?, text).map_err(exception)? })
    }

    /// The instruction set: "x1k", "r700" or "sm50".
    #[getter]
    fn isa(&self) -> &'static str {
        self.program.machine().name()
    }

    /// What part of a pipeline it is: "pixel", "vertex", "compute" and so on.
    #[getter]
    fn stage(&self) -> &'static str {
        self.program.stage()
    }

    /// Its assembly text, which assembles to the same program.
    #[getter]
    fn text(&self) -> String {
        self.program.disassemble()
    }

    /// Numbers of the inputs that it reads, in order.
    #[getter]
    fn inputs(&self) -> Vec<u32> {
        self.program.inputs().into_iter().map(u32::from).collect()
    }

    /// Numbers of the outputs that it writes, in order.
    #[getter]
    fn outputs(&self) -> Vec<u32> {
        self.program.outputs().into_iter().map(u32::from).collect()
    }

    /// Addresses of the attributes that its header says it writes for vertices; none if it has no header.
    #[getter]
    fn stores(&self) -> Vec<u32> {
        match &self.program {
            Program::Sm50(program) => program.header.map_or_else(Vec::new, |header| header.omap.iter().collect()),
            Program::X1k(_) | Program::R700(_) => Vec::new(),
        }
    }

    /// What a check finds in it.
    fn check(&self) -> Vec<Described> {
        let findings = self.program.check().into_iter();
        findings.map(|found| (found.code, found.severity.name(), found.address, found.message, found.help)).collect()
    }
}

/// All programs in bytes, each with its name, if the bytes name it.
#[pyfunction]
pub fn load(bytes: &[u8], isa: Option<&str>) -> PyResult<Vec<(Option<String>, PyProgram)>> {
    let loaded = ctm_gpu::load(bytes, isa.map(machine).transpose()?).map_err(exception)?;
    Ok(loaded.into_iter().map(|loaded| (loaded.name, PyProgram { program: loaded.program })).collect())
}

/// The only program of a file, whose instruction set its name may tell.
#[pyfunction]
pub fn open_file(path: PathBuf) -> PyResult<PyProgram> {
    Ok(PyProgram { program: Program::open(path).map_err(exception)? })
}
