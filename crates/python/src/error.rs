//! Errors as Python's exceptions.

use ctm_gpu::Error as Cause;
use ctm_gpu::text::{Diagnostic, Severity};
use pyo3::exceptions::{PyException, PyOSError, PyTypeError, PyValueError};
use pyo3::{PyErr, create_exception};

create_exception!(ctm, Error, PyException, "Why a program is not loaded, does not run, or gives no results.");
create_exception!(
    ctm,
    AssemblyError,
    Error,
    "A text is not a valid program.\n\n`args[1]` has all that is wrong with it: code, severity, file, line, column, message and help of each."
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

/// The exception for an error.
pub fn exception(error: Cause) -> PyErr {
    let message = error.to_string();
    match error {
        Cause::Text(diagnostics) => {
            let diagnostics: Vec<Described> = diagnostics.iter().map(described).collect();
            AssemblyError::new_err((message, diagnostics))
        }
        // Python chooses the class by the number.
        Cause::File { path, source } => match source.raw_os_error() {
            Some(number) => PyOSError::new_err((number, source.kind().to_string(), path)),
            None => PyOSError::new_err(message),
        },
        Cause::Machine { .. } | Cause::Stage(_) | Cause::Compute(_) => PyTypeError::new_err(message),
        Cause::Number { .. } | Cause::Grid | Cause::Array(_) | Cause::Texture { .. } | Cause::LaunchConstants(_) => {
            PyValueError::new_err(message)
        }
        Cause::NoProgram { .. }
        | Cause::OtherMachine { .. }
        | Cause::OtherLanguage { .. }
        | Cause::UnknownMachine { .. }
        | Cause::Several { .. }
        | Cause::Image(_)
        | Cause::Llvm(_)
        | Cause::Gfd(_)
        | Cause::Mesa(_)
        | Cause::Sm50File(_)
        | Cause::Sass(_)
        | Cause::CSource(_)
        | Cause::Hex(_)
        | Cause::X1kWords(_)
        | Cause::R700Words(_)
        | Cause::Illegal(_)
        | Cause::Missing { .. }
        | Cause::Shape { .. }
        | Cause::Memory(_)
        | Cause::Address(_)
        | Cause::Overlap(_)
        | Cause::Range(_)
        | Cause::Engine(_)
        | Cause::Halted(_)
        | Cause::X1k(_)
        | Cause::R700(_)
        | Cause::Sm50(_)
        | Cause::Draw(_) => Error::new_err(message),
    }
}
