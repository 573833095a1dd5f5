//! Errors as Python's exceptions.

use ctm_gpu::text::{Diagnostic, Severity};
use ctm_gpu::{Error as Cause, ProgramUse};
use pyo3::exceptions::{PyException, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyErr, create_exception};
use std::io;
use std::path::Path;

create_exception!(
    ctm,
    Error,
    PyException,
    "Why a program is not loaded, does not run, or gives no results.\n\n`code` is what `ctm.explain` has a page of, or None."
);
create_exception!(
    ctm,
    AssemblyError,
    Error,
    "A text is not a valid program.\n\n`args[1]` has all that is wrong with it: code, severity, file, line, column, message and help of each."
);
create_exception!(
    ctm,
    CompileError,
    Error,
    "A shader is wrong, or its program does not fit the machine.\n\n`line` and `column` are where, from 1, or 0."
);

/// What Python gets of a diagnostic: code, severity, file, line, column, message, help.
type Described = (&'static str, &'static str, String, usize, usize, String, Option<String>);

fn described(diagnostic: &Diagnostic) -> Described {
    let (line, column) = diagnostic.file.line_column(diagnostic.span.start);
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let (message, help) = (diagnostic.message.clone(), diagnostic.help.clone());
    (diagnostic.code(), severity, diagnostic.file.name.clone(), line, column, message, help)
}

/// An exception about a value.
pub fn value_error(message: String) -> PyErr {
    PyValueError::new_err(message)
}

/// The exception for an error.
pub fn exception(error: Cause) -> PyErr {
    let (message, code) = (message(&error), error.code());
    let raised = match error {
        Cause::Text(diagnostics) => {
            let diagnostics: Vec<Described> = diagnostics.iter().map(described).collect();
            AssemblyError::new_err((message, diagnostics))
        }
        Cause::Source { line, column, .. } => with(CompileError::new_err(message), |raised| {
            raised.setattr("line", line)?;
            raised.setattr("column", column)
        }),
        Cause::File { path, source } | Cause::Save { path, source } => return os_error(&path, &source),
        Cause::Machine { .. } | Cause::Stage(_) | Cause::Compute(_) => PyTypeError::new_err(message),
        Cause::Number { .. }
        | Cause::TakesNone { .. }
        | Cause::NoPlane(_)
        | Cause::UnknownName { .. }
        | Cause::NoNames
        | Cause::UniformSize { .. }
        | Cause::UniformWhole { .. }
        | Cause::Linked { .. }
        | Cause::Vertices { .. }
        | Cause::Form { .. }
        | Cause::Grid
        | Cause::Array(_)
        | Cause::Texture { .. }
        | Cause::LaunchConstants(_) => PyValueError::new_err(message),
        _ => Error::new_err(message),
    };
    with(raised, |raised| raised.setattr("code", code))
}

/// The exception with more attributes.
fn with(raised: PyErr, add: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<()>) -> PyErr {
    Python::attach(|py| match add(raised.value(py).as_any()) {
        Ok(()) => raised,
        Err(other) => other,
    })
}

/// The exception for what the system says of a file. Python chooses the class by the number.
fn os_error(path: &Path, source: &io::Error) -> PyErr {
    let text = source.to_string();
    match source.raw_os_error() {
        Some(number) => {
            let text = text.strip_suffix(&format!(" (os error {number})")).unwrap_or(&text).to_owned();
            PyOSError::new_err((number, text, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {text}", path.display())),
    }
}

/// What is wrong, in words of this package where the library's own name its types.
fn message(error: &Cause) -> String {
    match error {
        Cause::Machine { machine, wanted } => {
            let machine = machine.name();
            match wanted {
                ProgramUse::Pixels => format!(
                    "run, count and trace are for pixel programs, and this is one of {machine}: compute code has launch, pipelines have \
                     ctm.draw, vertex programs of pvs have transform"
                ),
                ProgramUse::Threads => {
                    format!("launch is for compute code of sm50, and this is a program of {machine}")
                }
                ProgramUse::Stage => format!("ctm.draw takes programs of sm50, and this is one of {machine}"),
                ProgramUse::Vertices => {
                    format!("transform is for vertex programs of pvs, and this is a program of {machine}")
                }
                ProgramUse::Texture => {
                    format!("textures are for programs of x1k, and this is one of {machine}: give inputs")
                }
                _ => error.to_string(),
            }
        }
        Cause::Stage(stage) => {
            format!("the program is a {}, and run, count and trace are for pixel programs", stage.properties())
        }
        Cause::Compute(stage) => {
            format!("the program is one of a pipeline (stage {}): ctm.draw runs it", stage.name())
        }
        Cause::UnknownMachine { content } => {
            format!("the data is {content}, which does not say what it is for: give isa=, as in isa=\"x1k\"")
        }
        Cause::OtherMachine { content, wanted } => {
            format!("the data is {content}, which has no programs of {}: leave isa out", wanted.name())
        }
        Cause::Several { count } => format!("the file has {count} programs: take one of those that ctm.load_all gives"),
        error => error.to_string(),
    }
}
