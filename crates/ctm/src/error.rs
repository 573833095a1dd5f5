//! What can go wrong.

use crate::{Finding, Machine};
use ctm_array::{ContentError, Shape};
use ctm_codegen::NoEngine;
use ctm_lane::budget::Halt;
use ctm_memory::{AppendError, ArenaError, OverlapError, RangeError};
use ctm_object::c_array::CArrayError;
use ctm_object::elf::ElfError;
use ctm_object::hex::HexError;
use ctm_object::mesa::MesaError;
use ctm_object::probe::{Content, Language};
use ctm_object::r700::{GfdError, LlvmError, WordsError};
use ctm_object::raw::RawError;
use ctm_object::sass::SassError;
use ctm_object::sm50::Sm50Error;
use ctm_r700::Stage;
use ctm_sm50::launch::{LaunchConstantConflict, Stop};
use ctm_sm50::pipeline::DrawError;
use ctm_text::Diagnostic;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a program is not loaded, does not run, or gives no results.
#[derive(Debug, Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read '{}': {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A text is not a valid program: errors, and warnings among them, in the order in which they were found.
    #[error("{}{}", first(.0), more(.0.len()))]
    Text(Vec<Diagnostic>),
    /// A file is nothing that holds programs.
    #[error("the file is {content}, which holds no program that can be loaded{}", help(.content))]
    NoProgram {
        /// What it is.
        content: Content,
    },
    /// A file is for another machine than the given one.
    #[error("the file is {content}, which has no programs of {wanted}: leave the machine out")]
    OtherMachine {
        /// What it is.
        content: Content,
        /// The given machine.
        wanted: Machine,
    },
    /// A text is in a language that is not assembled here.
    #[error(
        "the file is {language}, which is not loaded here: {}",
        if language.is_compiled() { "'ctm compile FILE' makes a program of it" } else { "the program `ctm` executes it" }
    )]
    OtherLanguage {
        /// Its language.
        language: Language,
    },
    /// A file does not say which machine it is for.
    #[error("the file is {content}, which does not say what machine it is for: give the machine")]
    UnknownMachine {
        /// What it is.
        content: Content,
    },
    /// One program is wanted of a file that has several.
    #[error("the file has {count} programs: take one of those that `ctm_gpu::load` gives")]
    Several {
        /// How many.
        count: usize,
    },
    /// A program image of CTM is damaged.
    #[error(transparent)]
    Image(#[from] ElfError),
    /// An object of LLVM is damaged.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    /// A shader file of the Wii U is damaged.
    #[error(transparent)]
    Gfd(#[from] GfdError),
    /// A log of Mesa is damaged.
    #[error(transparent)]
    Mesa(MesaError),
    /// A program of SM50 is damaged.
    #[error(transparent)]
    Sm50File(#[from] Sm50Error),
    /// A listing of SM50 code is damaged.
    #[error(transparent)]
    Sass(SassError),
    /// C source has something else than numbers in its array.
    #[error(transparent)]
    CSource(#[from] CArrayError),
    /// Hexadecimal text has something else in it.
    #[error(transparent)]
    Hex(#[from] HexError),
    /// Words are not a program of X1K.
    #[error(transparent)]
    X1kWords(#[from] RawError),
    /// Words are not a program of R700.
    #[error(transparent)]
    R700Words(#[from] WordsError),
    /// A program in which [its check](crate::Program::check) finds errors: these.
    #[error("the program is invalid: {}{}", .0.first().map_or("", |finding| &finding.message), more(.0.len()))]
    Illegal(Vec<Finding>),
    /// A program of one machine is wanted as one of another.
    #[error("the program is one of {machine}: {wanted}")]
    Machine {
        /// The program's machine.
        machine: Machine,
        /// What is wanted.
        wanted: &'static str,
    },
    /// A program of R700 is for another stage than pixels.
    #[error("the program is a {}: `Engine::run` runs an `r700::Job` of one", .0.properties())]
    Stage(Stage),
    /// There is no input or output with this number.
    #[error("{what} {number} is out of range (0 to {})", limit - 1)]
    Number {
        /// "input" or "output".
        what: &'static str,
        /// The number.
        number: u8,
        /// How many there are.
        limit: usize,
    },
    /// A kernel has no input or output with this number.
    #[error("the kernel has no {what} {number}: it was not compiled with one")]
    Missing {
        /// "input" or "output".
        what: &'static str,
        /// The number.
        number: u8,
    },
    /// A program of a pipeline is given as compute code.
    #[error("the program is one of a pipeline (stage {}): `Engine::draw` runs it", .0.name())]
    Compute(ctm_sm50::Stage),
    /// An array has another shape, or other values, than what it is to take the place of.
    #[error(
        "input {input} was compiled for an array of {expected}, but is given one of {found}: compile it for that one"
    )]
    Shape {
        /// The input.
        input: u8,
        /// Its shape.
        expected: Shape,
        /// The shape of the array.
        found: Shape,
    },
    /// An array is not the level of a texture that it is to be.
    #[error("input {input}: level {level} of the texture is {width}x{height}, expected {wanted}")]
    Texture {
        /// The input.
        input: u8,
        /// The level.
        level: u32,
        /// Columns of the array.
        width: usize,
        /// Its rows.
        height: usize,
        /// What it is to be.
        wanted: String,
    },
    /// An array fits no surface, or its values not its shape.
    #[error(transparent)]
    Array(#[from] ContentError),
    /// Inputs and outputs are too large.
    #[error(transparent)]
    Memory(#[from] AppendError),
    /// Global memory cannot be at this address.
    #[error(transparent)]
    Address(#[from] ArenaError),
    /// Two pieces of global memory overlap.
    #[error(transparent)]
    Overlap(#[from] OverlapError),
    /// There is no memory at this address.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// A block has no or too many threads, or a launch too many blocks.
    #[error("a block has 1 to 1024 threads, and a launch fewer than 2^32: use other sizes")]
    Grid,
    /// A constant bank has another word where the launch has its own.
    #[error("constant bank 0: {0}; leave these words 0")]
    LaunchConstants(#[from] LaunchConstantConflict),
    /// This host cannot have an engine.
    #[error(transparent)]
    Engine(#[from] NoEngine),
    /// A limit of the engine does not let a run begin.
    #[error(transparent)]
    Halted(#[from] Halt),
    /// A run of X1K did not complete.
    #[error(transparent)]
    X1k(#[from] ctm_x1k::RunError),
    /// A run of R700 did not complete.
    #[error(transparent)]
    R700(#[from] ctm_r700::RunError),
    /// A launch of SM50 did not complete.
    #[error(transparent)]
    Sm50(#[from] Stop),
    /// A draw did not complete.
    #[error(transparent)]
    Draw(#[from] DrawError),
}

impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Error::Text(diagnostics)
    }
}

fn help(content: &Content) -> String {
    content.help().map(|help| format!(": {help}")).unwrap_or_default()
}

fn first(diagnostics: &[Diagnostic]) -> String {
    diagnostics.first().map(Diagnostic::to_string).unwrap_or_default()
}

fn more(count: usize) -> String {
    if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() }
}
