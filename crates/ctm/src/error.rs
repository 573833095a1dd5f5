//! What can go wrong.

use crate::{Finding, Machine};
use ctm_array::{ContentError, Shape};
use ctm_codegen::NoEngine;
use ctm_lane::budget::Halt;
use ctm_memory::{AppendError, ArenaError, OverlapError, RangeError};
use ctm_object::c_array::CArrayError;
use ctm_object::d3d9::CodeError;
use ctm_object::elf::ElfError;
use ctm_object::hex::HexError;
use ctm_object::mesa::MesaError;
use ctm_object::probe::{Content, Language};
use ctm_object::r700::{GfdError, LlvmError, NotGfd, WordsError};
use ctm_object::raw::RawError;
use ctm_object::sass::SassError;
use ctm_object::sm50::Sm50Error;
use ctm_r700::Stage;
use ctm_sm50::launch::{LaunchConstantConflict, MAX_SHARED_MEMORY, Stop};
use ctm_sm50::pipeline::DrawError;
use ctm_text::{Diagnostic, nearest};
use ctm_x1k::NoPlane;
use std::fmt;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a program is not loaded, does not run, or gives no results.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read '{}': {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write '{}': {source}", path.display())]
    Save {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The ending of a file's name stands for no form of a machine's programs.
    #[error("'{}' does not say what to write of a program of {machine}: let the name end in {forms}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// The program's machine.
        machine: Machine,
        /// Endings that stand for a form.
        forms: &'static str,
    },
    /// A program has no place in a shader file of the Wii U.
    #[error(transparent)]
    NotGfd(#[from] NotGfd),
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
    /// A text is one of a command buffer.
    #[error("the file is {language}, which is not loaded here: the program `ctm` executes it")]
    OtherLanguage {
        /// Its language.
        language: Language,
    },
    /// A text is assembled, and not compiled.
    #[error("{language} is assembled, not compiled: load or assemble it")]
    NotCompiled {
        /// Its language.
        language: Language,
    },
    /// Further sources are given for a shader that has one.
    #[error("further sources are linked to shaders in GLSL, and this one is {language}: leave them out")]
    Linked {
        /// Its language.
        language: Language,
    },
    /// A text that is to be compiled does not show its language.
    #[error("the file is {content}, which does not say what language it is in: give the language")]
    UnknownLanguage {
        /// What it is.
        content: Content,
    },
    /// The compiler of a language is left out of this build.
    #[error("this build has no compiler of {language}: build ctm-gpu with the feature `shaders`")]
    NoCompiler {
        /// The language.
        language: Language,
    },
    /// A shader is wrong, or its program does not fit the machine.
    #[error("{}{message}", place(name, *line, *column))]
    Source {
        /// How its file is called.
        name: String,
        /// The line, from 1; 0 if it is about all of the text.
        line: u32,
        /// The column, from 1; 0 if it is about all of the line.
        column: u32,
        /// What is wrong.
        message: String,
    },
    /// Code of a pixel shader is damaged.
    #[error(transparent)]
    PixelCode(#[from] CodeError),
    /// A shader has no uniform, texture or interpolated input of this name.
    #[error("the shader uses no {what} '{name}': {help}")]
    UnknownName {
        /// "uniform", "texture" or "interpolated input".
        what: &'static str,
        /// The name.
        name: String,
        /// Which it has.
        help: String,
    },
    /// Names are given for a program that has none.
    #[error("the program has no names of uniforms: it was not compiled from a shader; give constants by their numbers")]
    NoNames,
    /// A uniform has another number of numbers.
    #[error("the uniform '{name}' takes {expected} numbers, or one for all, found {found}")]
    UniformSize {
        /// The uniform.
        name: String,
        /// How many it has.
        expected: usize,
        /// How many are given.
        found: usize,
    },
    /// A uniform takes whole numbers.
    #[error("the uniform '{name}' takes whole numbers")]
    UniformWhole {
        /// The uniform.
        name: String,
    },
    /// A program takes no interpolated inputs.
    #[error("{what} {number} is given, but the program takes none")]
    TakesNone {
        /// "interpolated input".
        what: &'static str,
        /// The number.
        number: u8,
    },
    /// A session does not go there.
    #[error(transparent)]
    Session(#[from] ctm_debug::SessionError),
    /// There is no session over a program of X1K.
    #[error(transparent)]
    DebugX1k(#[from] ctm_x1k::debug::DebugError),
    /// There is no session over a program of R700.
    #[error(transparent)]
    DebugR700(#[from] ctm_r700::debug::DebugError),
    /// Corners of interpolated inputs make no plane.
    #[error(transparent)]
    NoPlane(#[from] NoPlane),
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
    /// Words are not a program of PVS.
    #[error(transparent)]
    PvsWords(#[from] ctm_pvs::CodeError),
    /// Words of PVS end inside a dword.
    #[error("{length} bytes are not whole dwords: {} are left over", length % 4)]
    PartialDword {
        /// Bytes that there are.
        length: usize,
    },
    /// A program in which [its check](crate::Program::check) finds errors: these.
    #[error("the program is invalid: {}{}", invalid(.0), more(.0.len()))]
    Illegal(Vec<Finding>),
    /// A program of one machine is wanted as one of another.
    #[error("the program is one of {machine}: {wanted}")]
    Machine {
        /// The program's machine.
        machine: Machine,
        /// What it is to be used as.
        wanted: ProgramUse,
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
    /// A block cannot have so much shared memory.
    #[error("{0} bytes of shared memory: a block has at most {MAX_SHARED_MEMORY}")]
    SharedMemory(u32),
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
    /// A trace of a card is not executed, or gives no picture.
    #[cfg(feature = "cards")]
    #[error(transparent)]
    Card(#[from] crate::card_error::CardError),
    /// A run of vertices did not complete.
    #[error(transparent)]
    Pvs(#[from] ctm_pvs::RunError),
    /// An array does not have the vectors of a run of vertices.
    #[error("input {input} has {found} vectors, expected {expected}: one for each vertex")]
    Vertices {
        /// The input.
        input: u8,
        /// Vertices of the run.
        expected: u32,
        /// Vectors that are given.
        found: usize,
    },
    /// The vectors of a run need more memory than the device addresses.
    #[error("the vectors of {vertices} vertices need more than 4 GiB: run fewer at a time")]
    TooManyVertices {
        /// Vertices of the run.
        vertices: u32,
    },
}

/// What a program is to be used as, that one of its machine cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgramUse {
    /// It runs over a rectangle of pixels.
    Pixels,
    /// It runs over a grid of threads.
    Threads,
    /// It is a stage of a pipeline.
    Stage,
    /// It runs over vertices.
    Vertices,
    /// It samples a texture.
    Texture,
}

impl fmt::Display for ProgramUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProgramUse::Pixels => {
                "`Pixels` runs those of X1K and R700; `Threads` runs compute code, `Engine::draw` the stages of a pipeline, `Vertices` vertex \
                 programs of PVS"
            }
            ProgramUse::Threads => "`Threads` runs compute code of SM50",
            ProgramUse::Stage => "a stage of a pipeline is one of SM50",
            ProgramUse::Vertices => "`Vertices` runs those of PVS",
            ProgramUse::Texture => {
                "`Texture` is for programs of X1K; `Engine::run` runs an `r700::Job`, which has textures of its own"
            }
        })
    }
}

impl Error {
    /// That a shader has no `what` of this name, but these.
    pub(crate) fn unknown_name<'n>(what: &'static str, name: &str, known: impl Iterator<Item = &'n str>) -> Self {
        let known: Vec<&str> = known.collect();
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("it has '{near}'"),
            None if known.is_empty() => format!("it uses no {what} at all"),
            None => format!("it has {}", known.join(", ")),
        };
        Error::UnknownName { what, name: name.to_owned(), help }
    }

    /// The code that [`explain`](crate::explain()) has a page of: that of the first error of a text, or of the first finding of a check.
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Error::Text(diagnostics) => diagnostics.first().map(Diagnostic::code),
            Error::Illegal(findings) => findings.first().map(|finding| finding.code),
            _ => None,
        }
    }
}

impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Error::Text(diagnostics)
    }
}

fn help(content: &Content) -> String {
    content.help().map(|help| format!(": {help}")).unwrap_or_default()
}

/// Where a text is wrong, before what is wrong with it.
fn place(name: &str, line: u32, column: u32) -> String {
    match (line, column) {
        (0, _) => format!("{name}: "),
        (line, 0) => format!("{name}:{line}: "),
        (line, column) => format!("{name}:{line}:{column}: "),
    }
}

fn first(diagnostics: &[Diagnostic]) -> String {
    diagnostics.first().map(Diagnostic::to_string).unwrap_or_default()
}

/// The first finding, with its code and place.
fn invalid(findings: &[Finding]) -> String {
    findings.first().map_or_else(String::new, |Finding { code, address, message, .. }| {
        let place = address.map_or_else(String::new, |address| format!("instruction {address}: "));
        format!("{place}{message} [{code}]")
    })
}

fn more(count: usize) -> String {
    if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() }
}
