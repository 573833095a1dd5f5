//! Texts become modules, and modules functions.

use super::contain::{Panicked, contained, place_of_panic};
use super::error::LowerError;
use super::limits;
use super::lower::{self, AtLine, Inlined, Lowered, Source};
use super::wording;
use crate::front::Warning;
use crate::front::glsl::{self, Calls, Dialect, GlslError};
use crate::front::{Convention, Interface, Roles, SourcePart, Uniform};
use crate::ir::Function;
use ctm_lane::budget::{Budget, Meter};
use naga::back::wgsl;
use naga::front::{glsl as naga_glsl, wgsl as naga_wgsl};
use naga::valid::{Capabilities, ModuleInfo, ValidationError, ValidationFlags, Validator};
use naga::{Module, ShaderStage, Span};
use thiserror::Error;

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The text is larger or more nested than is read.
    #[error("the text has more than {limit} {what}; make it smaller")]
    Limit {
        /// Of what.
        what: &'static str,
        /// How many are read.
        limit: usize,
    },
    /// It is not GLSL that is known here.
    #[error(transparent)]
    Glsl(#[from] GlslError),
    /// The reader of the language refuses it; its own words.
    #[error("{0}")]
    Language(String),
    /// The hardware cannot do it.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The reader of the language broke down.
    #[error("the library that reads the language failed here; change this part of the text, and please report it")]
    Failed,
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{error}")]
pub struct ReadFailure {
    /// What is wrong.
    pub error: ReadError,
    /// Line of the text, from 1; 0 if it is not a single line's.
    pub line: u32,
    /// Column of the line, from 1; 0 if it is not known.
    pub column: u32,
}

/// A fragment shader.
#[derive(Debug, Clone, PartialEq)]
pub struct Shader {
    /// What it does.
    pub function: Function,
    /// What surrounds it.
    pub interface: Interface,
    /// The functions of the text that it consists of.
    pub inlined: Vec<Inlined>,
    /// What is hardly meant.
    pub warnings: Vec<Warning>,
    /// The parts of variables that the function's names are about.
    pub parts: Vec<SourcePart>,
}

/// A module that naga found valid, with what belongs to it.
#[derive(Debug)]
pub struct ReadModule {
    module: Module,
    info: ModuleInfo,
    roles: Roles,
    text: String,
    dialect: Option<Dialect>,
    names: bool,
}

/// Reads GLSL; `defines` are macros without parameters that the text starts with. `ctm_Pixel` is the pixel's index in
/// texts, as two whole numbers.
///
/// # Errors
///
/// What is wrong with the text, with its line.
pub fn read_glsl(text: &str, defines: &[(String, String)]) -> Result<ReadModule, ReadFailure> {
    read_glsl_sources(text, &[], defines)
}

/// [`read_glsl`] of several sources that stand one after the other in the text: the first at its start, the others where `starts` says.
///
/// # Errors
///
/// What is wrong with the text, with its line.
pub fn read_glsl_sources(
    text: &str,
    starts: &[usize],
    defines: &[(String, String)],
) -> Result<ReadModule, ReadFailure> {
    let located = |error: ReadError, at: usize| failure(text, error, Some(at));
    let dialect = guarded(|| {
        limits::check(text).map_err(|(error, at)| located(error, at))?;
        let dialect =
            glsl::dialect(text, starts, defines).map_err(|error| located(error.error.into(), error.at as usize))?;
        limits::check(&dialect.text).map_err(|(error, at)| located(error, dialect.place(at as u32) as usize))?;
        Ok(dialect)
    })?;
    match contained(|| valid_glsl(text, &dialect)) {
        Ok(valid) => {
            let (module, info) = valid?;
            Ok(ReadModule {
                module,
                info,
                roles: dialect.roles.clone(),
                text: text.to_owned(),
                dialect: Some(dialect),
                names: false,
            })
        }
        Err(Panicked) => {
            let place = place_of_panic(&dialect.text, |part| _ = valid_glsl(text, &dialect.part(part)));
            Err(failure(text, ReadError::Failed, place.map(|at| dialect.place(at as u32) as usize)))
        }
    }
}

fn valid_glsl(text: &str, dialect: &Dialect) -> Result<(Module, ModuleInfo), ReadFailure> {
    let options = naga_glsl::Options::from(ShaderStage::Fragment);
    let module = naga_glsl::Frontend::default()
        .parse(&options, &dialect.text)
        .map_err(|errors| unread(text, dialect, errors.errors.first()))?;
    // GLSL leaves derivatives where some lanes are elsewhere undefined; they are not an error.
    let flags = ValidationFlags::all() - ValidationFlags::CONTROL_FLOW_UNIFORMITY;
    let info = validate(&module, flags).map_err(|(error, span)| {
        let place = |at: u32| dialect.place(at) as usize;
        if let ValidationError::InvalidHandle(_) = *error {
            let calls = Calls::of(&dialect.text);
            return match calls.recursion(None) {
                Some((name, at)) => failure(text, GlslError::Recursion(name.to_owned()).into(), Some(place(at))),
                None => failure(text, ReadError::Language(ORDER.to_owned()), None),
            };
        }
        let message = wording::validation(&module, &error);
        failure(text, ReadError::Language(message), span.to_range().map(|range| place(range.start as u32)))
    })?;
    Ok((module, info))
}

/// Reads WGSL.
///
/// # Errors
///
/// What is wrong with the text, with its line.
pub fn read_wgsl(text: &str) -> Result<ReadModule, ReadFailure> {
    limits::check(text).map_err(|(error, at)| failure(text, error, Some(at)))?;
    match contained(|| valid_wgsl(text)) {
        Ok(valid) => {
            let (module, info) = valid?;
            Ok(ReadModule { module, info, roles: Roles::default(), text: text.to_owned(), dialect: None, names: false })
        }
        Err(Panicked) => Err(failure(text, ReadError::Failed, place_of_panic(text, |part| _ = valid_wgsl(part)))),
    }
}

fn valid_wgsl(text: &str) -> Result<(Module, ModuleInfo), ReadFailure> {
    let module = naga_wgsl::parse_str(text).map_err(|error| {
        let at = error.labels().next().and_then(|(span, _)| span.to_range()).map(|range| range.start);
        failure(text, ReadError::Language(error.message().to_owned()), at)
    })?;
    let info = validate(&module, ValidationFlags::all()).map_err(|(error, span)| {
        let message = wording::validation(&module, &error);
        failure(text, ReadError::Language(message), span.to_range().map(|range| range.start))
    })?;
    Ok((module, info))
}

impl ReadModule {
    /// The same module, whose functions have the names of variables for debuggers, or not.
    pub fn named(self, names: bool) -> ReadModule {
        ReadModule { names, ..self }
    }

    /// Makes the function of a fragment entry point: the one of a name, or the only one.
    ///
    /// # Errors
    ///
    /// What the hardware cannot do, with its line.
    pub fn lower(&self, entry: Option<&str>) -> Result<Shader, ReadFailure> {
        self.lower_within(entry, &Meter::new(Budget::default(), None))
    }

    /// [`lower`](Self::lower) within a budget.
    ///
    /// # Errors
    ///
    /// What the hardware cannot do, or that the budget is used up, with the line.
    pub fn lower_within(&self, entry: Option<&str>, meter: &Meter<'_>) -> Result<Shader, ReadFailure> {
        guarded(|| {
            let starts = line_starts(&self.text);
            let line = |span: Span| -> u32 {
                let Some(range) = span.to_range() else { return 0 };
                let at = match &self.dialect {
                    None => range.start,
                    Some(dialect) => match dialect.place(range.start as u32) {
                        0 => return 0,
                        at => at as usize,
                    },
                };
                starts.partition_point(|&start| start <= at) as u32
            };
            let source = Source {
                module: &self.module,
                info: &self.info,
                roles: &self.roles,
                meter,
                names: self.names,
                copies: self.dialect.is_some(),
                line: &line,
            };
            match lower::lower(&source, entry) {
                Ok(Lowered { mut function, mut interface, inlined, warnings, parts }) => {
                    if let Some(dialect) = &self.dialect {
                        let is_resolution = |uniform: &Uniform| Convention::of(uniform) == Some(Convention::Resolution);
                        function.is_exact = dialect.is_exact;
                        interface.is_bottom_up = dialect.is_image || interface.uniforms.iter().any(is_resolution);
                    }
                    Ok(Shader { function, interface, inlined, warnings, parts })
                }
                Err(AtLine { error: error @ LowerError::EntryPoint { .. }, .. }) => {
                    let other = ["@compute", "@vertex"].into_iter().filter_map(|stage| self.text.find(stage)).min();
                    Err(failure(&self.text, error.into(), other))
                }
                Err(AtLine { error, line }) => Err(ReadFailure { error: error.into(), line, column: 0 }),
            }
        })
    }

    /// naga's module, and what its validation found.
    pub fn module(&self) -> (&Module, &ModuleInfo) {
        (&self.module, &self.info)
    }

    /// The module as WGSL: what naga made of the text. GLSL's uniforms, inputs and outputs are private variables in it.
    ///
    /// # Errors
    ///
    /// What of the module WGSL cannot say.
    pub fn to_wgsl(&self) -> Result<String, ReadFailure> {
        guarded(|| {
            wgsl::write_string(&self.module, &self.info, wgsl::WriterFlags::empty()).map_err(|error| {
                let error = wording::plain(&error.to_string());
                let error = ReadError::Language(format!("the shader cannot be shown as WGSL: {error}"));
                ReadFailure { error, line: 0, column: 0 }
            })
        })
    }

    /// What globals of the module stand for.
    pub fn roles(&self) -> &Roles {
        &self.roles
    }

    /// Most errors of naga come from the text that it read, so here it is: GLSL in naga's dialect, or WGSL as it was.
    pub fn text(&self) -> &str {
        self.dialect.as_ref().map_or(&self.text, |dialect| &dialect.text)
    }
}

/// Runs what may break down, with nothing to say about where.
fn guarded<T: Send>(run: impl FnOnce() -> Result<T, ReadFailure> + Send) -> Result<T, ReadFailure> {
    let failed = ReadFailure { error: ReadError::Failed, line: 0, column: 0 };
    contained(run).unwrap_or(Err(failed))
}

/// What to do where naga has functions in another order than it wants.
const ORDER: &str =
    "functions are called in front of where they are written; write each one in front of those that call it";

/// Why the reader of GLSL gave up.
fn unread(text: &str, dialect: &Dialect, error: Option<&naga_glsl::Error>) -> ReadFailure {
    let Some(error) = error else { return failure(text, ReadError::Language("it cannot be read".to_owned()), None) };
    let here = error.meta.to_range().map(|range| range.start as u32);
    let at = here.map(|here| dialect.place(here) as usize);
    let word = at.map_or("", |at| word(text, at));
    let Some(name) = wording::unknown_function(&error.kind) else {
        return failure(text, ReadError::Language(wording::reading(&error.kind, word)), at);
    };
    let calls = Calls::of(&dialect.text);
    if let Some((name, _)) = calls.recursion(here) {
        return failure(text, GlslError::Recursion(name.to_owned()).into(), at);
    }
    let message = if calls.declares(name) || wording::is_of_glsl(name) {
        format!("no function `{word}` takes such arguments; look at their number and their types")
    } else {
        format!("unknown function `{word}`; declare it in front of its calls, or look at its spelling")
    };
    failure(text, ReadError::Language(message), at)
}

/// The name that stands at a place, or the one character.
fn word(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    &rest[..end.max(first)]
}

fn validate(module: &Module, flags: ValidationFlags) -> Result<ModuleInfo, (Box<ValidationError>, Span)> {
    let capabilities = Capabilities::all();
    Validator::new(flags, capabilities).validate(module).map_err(|error| {
        let span = error.spans().map(|(span, _)| *span).last().unwrap_or_default();
        (Box::new(error.into_inner()), span)
    })
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

fn failure(text: &str, error: ReadError, at: Option<usize>) -> ReadFailure {
    let Some(at) = at else { return ReadFailure { error, line: 0, column: 0 } };
    let before = &text.as_bytes()[..at.min(text.len())];
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let line = before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
    let column = String::from_utf8_lossy(&before[start..]).chars().count() as u32 + 1;
    ReadFailure { error, line, column }
}
