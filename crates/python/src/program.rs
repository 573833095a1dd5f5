//! Programs.

use crate::error::{exception, value_error};
use ctm_gpu::object::probe::Language;
use ctm_gpu::{Kept, Loaded, Machine, Program, Shader, ShaderOptions, shader_interface as interface};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A program of one of the machines, with the shader that it was compiled from, if it was.
#[pyclass(frozen, eq, name = "Program", module = "ctm._native")]
pub struct PyProgram {
    /// The program.
    pub program: Program,
    /// Its shader.
    pub shader: Option<Arc<Shader>>,
}

impl PartialEq for PyProgram {
    fn eq(&self, other: &Self) -> bool {
        self.program == other.program
    }
}

impl From<Loaded> for PyProgram {
    fn from(loaded: Loaded) -> Self {
        PyProgram { program: loaded.program, shader: loaded.shader.map(Arc::from) }
    }
}

/// What Python gets of a finding: code, severity, address, message, help.
type Described = (&'static str, &'static str, Option<u32>, String, String);
/// What Python gets of an instruction: address, words, text, operations with their operands, what it reads, what it writes.
type Taken = (u32, Vec<u32>, String, Vec<(String, Vec<String>)>, Vec<String>, Vec<String>);
/// What Python gets of a uniform: name, kind, columns, rows, elements, default, and whether its name has a meaning.
type Uniform = (String, &'static str, u8, u8, Option<u32>, Vec<f32>, bool);
/// What Python gets of the names of a shader: uniforms; textures with their inputs and kinds; interpolated inputs with their slots; outputs;
/// whether row 0 is the lowest of pictures.
type Names = (Vec<Uniform>, Vec<(String, u8, &'static str)>, Vec<(String, u8, u8, u8)>, Vec<(String, u8)>, bool);
/// A shader's source, with what of it is compiled.
type Source = (String, &'static str, Vec<(String, String)>, Option<String>, bool, bool, Vec<String>);

/// The machine with this name.
pub fn machine(name: &str) -> PyResult<Machine> {
    Machine::ALL.into_iter().find(|machine| machine.name() == name).ok_or_else(|| {
        let names = Machine::ALL.map(Machine::name).join(", ");
        value_error(format!("unknown instruction set '{name}': instruction sets are {names}"))
    })
}

#[pymethods]
impl PyProgram {
    /// Assembles a text.
    #[staticmethod]
    fn assemble(text: &str, isa: &str) -> PyResult<Self> {
        Ok(PyProgram { program: Program::assemble(machine(isa)?, text).map_err(exception)?, shader: None })
    }

    /// Compiles a shader.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "Python's side has names for them")]
    fn compile(
        py: Python<'_>,
        text: &str,
        language: &str,
        defines: Vec<(String, String)>,
        entry: Option<String>,
        precise: bool,
        texel_coordinates: bool,
        linked: Vec<String>,
    ) -> PyResult<Self> {
        let compiled = Language::ALL.into_iter().filter(|language| language.is_compiled());
        let found = compiled.clone().find(|one| one.name() == language).ok_or_else(|| {
            let names: Vec<&str> = compiled.map(Language::name).collect();
            value_error(format!("unknown language '{language}': languages are {}", names.join(", ")))
        })?;
        let options = ShaderOptions { defines, entry, precise, texel_coordinates, linked, ..ShaderOptions::default() };
        let shader = py.detach(|| Shader::compile(text, found, &options)).map_err(exception)?;
        Ok(PyProgram { program: shader.program.clone(), shader: Some(Arc::new(shader)) })
    }

    /// The instruction set: "x1k", "r700", "sm50" or "pvs".
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

    /// The names of the shader that it was compiled from.
    #[getter]
    fn names(&self) -> Option<Names> {
        let names = &self.shader.as_ref()?.interface;
        let uniforms = names.uniforms.iter().map(|uniform| {
            let interface::Uniform { name, kind, columns, rows, elements, default, .. } = uniform.clone();
            (name, kind_name(kind), columns, rows, elements, default, interface::Convention::of(uniform).is_some())
        });
        let textures =
            names.textures.iter().map(|texture| (texture.name.clone(), texture.unit, texture_kind(texture.kind)));
        let varyings = names.varyings.iter();
        let varyings = varyings.map(|varying| (varying.name.clone(), varying.slot, varying.slots, varying.channels));
        let outputs = names.outputs.iter().map(|output| (output.name.clone(), output.slot));
        Some((uniforms.collect(), textures.collect(), varyings.collect(), outputs.collect(), names.is_bottom_up))
    }

    /// The shader of a file that it was compiled from, as `compile` takes it: text, language, macros, entry point, two options, and further sources.
    #[getter]
    fn source(&self) -> Option<Source> {
        let shader = self.shader.as_ref()?;
        Some((shader.source.clone(), shader.language.name(), Vec::new(), None, false, false, Vec::new()))
    }

    /// The lines of the shader that instructions come from; none of other programs.
    #[getter]
    fn lines(&self) -> Vec<u32> {
        self.shader.as_ref().map_or_else(Vec::new, |shader| shader.lines.clone())
    }

    /// Addresses of the attributes that its header says it writes for vertices; none if it has no header.
    #[getter]
    fn stores(&self) -> Vec<u32> {
        match &self.program {
            Program::Sm50(program) => program.header.map_or_else(Vec::new, |header| header.omap.iter().collect()),
            Program::X1k(_) | Program::R700(_) | Program::Pvs(_) => Vec::new(),
        }
    }

    /// What a check finds in it.
    fn check(&self) -> Vec<Described> {
        let findings = self.program.check().into_iter();
        findings.map(|found| (found.code, found.severity.name(), found.address, found.message, found.help)).collect()
    }

    /// Its instructions, taken apart.
    fn instructions(&self) -> Vec<Taken> {
        let instructions = self.program.instructions().into_iter().map(|instruction| {
            let operations = instruction.operations.into_iter();
            let operations = operations.map(|operation| (operation.name, operation.operands)).collect();
            (
                instruction.address,
                instruction.words,
                instruction.text,
                operations,
                instruction.reads,
                instruction.writes,
            )
        });
        instructions.collect()
    }

    /// Writes it to a file, and says whether that keeps all of it.
    fn save(&self, path: PathBuf) -> PyResult<bool> {
        match self.program.save(path).map_err(exception)? {
            Kept::All => Ok(true),
            Kept::Instructions => Ok(false),
        }
    }
}

const fn kind_name(kind: interface::UniformKind) -> &'static str {
    match kind {
        interface::UniformKind::Float => "float",
        interface::UniformKind::Int => "int",
        interface::UniformKind::Uint => "uint",
        interface::UniformKind::Bool => "bool",
    }
}

const fn texture_kind(kind: interface::TextureKind) -> &'static str {
    match kind {
        interface::TextureKind::Line | interface::TextureKind::Plane | interface::TextureKind::Rectangle => "2d",
        interface::TextureKind::Volume => "3d",
        interface::TextureKind::Cube => "cube",
    }
}

/// All programs in bytes, each with its name, if the bytes name it.
#[pyfunction]
pub fn load(py: Python<'_>, bytes: &[u8], isa: Option<&str>) -> PyResult<Vec<(Option<String>, PyProgram)>> {
    let isa = isa.map(machine).transpose()?;
    Ok(named(py.detach(|| ctm_gpu::load(bytes, isa)).map_err(exception)?))
}

/// All programs of a file, whose instruction set or language its name may tell.
#[pyfunction]
pub fn open_file(py: Python<'_>, path: PathBuf, isa: Option<&str>) -> PyResult<Vec<(Option<String>, PyProgram)>> {
    let isa = isa.map(machine).transpose()?;
    Ok(named(py.detach(|| ctm_gpu::open(path, isa)).map_err(exception)?))
}

fn named(loaded: Vec<Loaded>) -> Vec<(Option<String>, PyProgram)> {
    loaded.into_iter().map(|loaded| (loaded.name.clone(), PyProgram::from(loaded))).collect()
}

/// The page of a code or a name.
#[pyfunction]
pub fn explain(name: &str, isa: Option<&str>) -> PyResult<Option<String>> {
    Ok(ctm_gpu::explain(name, isa.map(machine).transpose()?))
}
