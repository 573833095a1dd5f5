//! What Mesa's r300 compiler makes of a shader: the program that its driver submits to the card.

use super::count::Size;
use crate::drawing::PeerError;
use crate::gl::{Driver, Programs};
use ctm_card::Card as _;
use ctm_card::trace::TraceReader;
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_memory::Arena;
use ctm_r5xx::{Card, Model, fragment_constants, fragment_program};
use ctm_testkit::shaders::Shader;
use ctm_x1k::{Constants, Program, References};
use std::fs::File;
use std::sync::Arc;
use thiserror::Error;

/// The first card address that is used, and the bytes from there to the end of addresses.
const MEMORY: (u32, u32) = (0x1000, 0xFFFF_F000);

/// Why there is no program.
#[derive(Debug, Error)]
pub enum MesaError {
    /// It cannot be drawn.
    #[error(transparent)]
    Draw(#[from] PeerError),
    /// The compiler gave up; what it printed.
    #[error("r300: {0}")]
    Compiler(String),
    /// The trace of the submissions cannot be read or executed.
    #[error("what the driver submits: {0}")]
    Trace(String),
}

/// A program with its constants.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program. Register 0 has the position where the first varying is.
    pub program: Program,
    /// What its constants are.
    pub constants: Constants,
    /// Who compiled it.
    pub driver: String,
}

impl Compiled {
    /// Its instructions.
    pub fn size(&self) -> Size {
        Size::of(&self.program.code)
    }
}

/// Draws a shader on the card, and takes the program from the command stream.
///
/// # Errors
/// If it cannot be drawn, or if the compiler gives up.
pub fn compile(programs: &Programs, shader: &Shader, card: &Driver) -> Result<Compiled, MesaError> {
    let failed = |error: &dyn ToString| MesaError::Trace(error.to_string());
    let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
    let (trace, log) = (folder.path().join("trace"), folder.path().join("log"));
    let errors = File::create(&log).map_err(|error| failed(&error))?;
    let drawing = programs.shader(shader, true, card, |command| {
        command.env("CTM_CARD_TRACE", &trace).stderr(errors);
    });
    let driver = drawing.and_then(|mut drawing| drawing.draw(1).map(|_| drawing.driver().to_owned()));
    let log = std::fs::read_to_string(&log).map_err(|error| failed(&error))?;
    if let Some(line) = log.lines().position(|line| line.contains("Compiler Error") || line.contains("shader:")) {
        let lines: Vec<_> = log.lines().skip(line).take(3).map(str::trim).collect();
        return Err(MesaError::Compiler(lines.join(" ")));
    }
    let driver = driver?;
    let trace = std::fs::read(&trace).map_err(|error| failed(&error))?;
    // The draw is waited for, so it is the last of its submission, the first: what reads the picture comes later.
    let mut records = TraceReader::new(&trace[..]).map_err(|error| failed(&error))?;
    let record = records.next().ok_or_else(|| failed(&"nothing"))?.map_err(|error| failed(&error))?;
    let memory = Arc::new(Arena::new(MEMORY.0, MEMORY.1).map_err(|error| failed(&error))?);
    record.write_pages(&memory);
    let mut card = Card::new(Model::R580);
    if let Ok(Executor::Engine(engine)) = EngineName::fastest().executor() {
        card = card.with_engine(engine);
    }
    card.submit(&memory, &record.submission()).map_err(|error| failed(&error))?;
    let mut program = fragment_program(card.state());
    program.info.position = Some(0);
    program.references = References::of(&program.code, &program.info);
    Ok(Compiled { program, constants: fragment_constants(card.state()), driver })
}
