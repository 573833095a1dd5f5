//! Shaders in source: what the compiler makes of them, what Mesa's r300 compiler makes of them, and what comes of them by llvmpipe.

pub mod compare;
pub mod count;
pub mod mesa;
mod report;
pub mod speed;
pub mod table;

pub use report::{json, page, text};

use crate::drawing::PeerError;
use crate::gl::{CardModel, Driver, Layout, Programs};
use ctm_codegen::EngineName;
use ctm_testkit::shaders::{Environment, Language, Shader};
use ctm_x1k::Job;
use std::io;
use table::{Entry, Table};
use thiserror::Error;

/// Why the files beside the sources cannot be renewed.
#[derive(Debug, Error)]
pub enum RenewError {
    /// Something cannot be drawn at all.
    #[error(transparent)]
    Draw(#[from] PeerError),
    /// A file cannot be written.
    #[error("{file}: {error}")]
    Write {
        /// Its name.
        file: String,
        /// What happened.
        error: io::Error,
    },
}

/// The GLSL sources: those of the suite, and the kernels'.
pub fn sources() -> Vec<Shader> {
    let mut sources = Shader::suite(Language::Glsl);
    sources.extend(Shader::kernels());
    sources
}

/// Draws the GLSL sources by llvmpipe, keeps pixels of their pictures in files, lets Mesa's r300 driver compile them, and writes down what
/// came of it. `report` is told what is worth attention. With `only`, a source is left alone unless its name begins with that.
///
/// # Errors
/// If that is not possible here.
pub fn renew(only: &str, mut report: impl FnMut(String)) -> Result<(), RenewError> {
    let (programs, card) = (Programs::build()?, Driver::card(CardModel::R580, Layout::Rows)?);
    let old = std::fs::read_to_string(table::path()).ok().and_then(|text| Table::parse(&text).ok());
    let mut table = old.filter(|_| !only.is_empty()).unwrap_or_default();
    for shader in sources().iter().filter(|shader| shader.name.starts_with(only)) {
        match drawn(&programs, shader, &Driver::Llvmpipe) {
            Ok(pictures) => {
                if pictures.iter().flatten().flatten().any(|channel| !channel.is_finite()) {
                    report(format!("{}: channels that are not finite", shader.name));
                }
                let file = shader.expected_file(&shader.keep(&pictures)).expect("a picture is not an empty array");
                write(&shader.expected_path(), &file)?;
            }
            Err(error) => report(format!("{}: {error}", shader.name)),
        }
        if !shader.r300 {
            continue;
        }
        let entry = match mesa::compile(&programs, shader, &card) {
            Ok(compiled) => {
                table.compiler.clone_from(&compiled.driver);
                let executed = executed(shader, &compiled);
                if let Err(reason) = &executed {
                    report(format!("{}: r300's program: {reason}", shader.name));
                }
                Entry::Program(compiled.size(), executed.ok())
            }
            Err(error) => {
                report(format!("{}: {error}", shader.name));
                Entry::None(error.to_string().lines().next().unwrap_or_default().to_owned())
            }
        };
        table.entries.insert(shader.name.clone(), entry);
    }
    write(&table::path(), table.text().as_bytes())
}

fn write(path: &std::path::Path, bytes: &[u8]) -> Result<(), RenewError> {
    std::fs::write(path, bytes).map_err(|error| RenewError::Write { file: path.display().to_string(), error })
}

/// The pictures of a shader, by a driver.
fn drawn(programs: &Programs, shader: &Shader, driver: &Driver) -> Result<Vec<Vec<[f32; 4]>>, PeerError> {
    let mut drawing = programs.shader(shader, false, driver, |_| ())?;
    drawing.draw(1)?;
    drawing.outputs(shader.size, shader.outputs)
}

/// The instructions that a group executes of a program that Mesa compiled, if its picture is right.
fn executed(shader: &Shader, compiled: &mesa::Compiled) -> Result<f64, String> {
    let environment = Environment::new(shader);
    let job = environment.job(&compiled.program, Some);
    let job = Job { constants: compiled.constants.clone(), ..job };
    count::check(shader, &environment, &job, EngineName::fastest())?;
    count::executed(&job)
}
