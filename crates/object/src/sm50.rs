//! Programs of SM50: header and code in one file or two, bare code of compute kernels, cubins, and modules of deko3d.
//!
//! Sources: "Shader Program Header" for the order of header and code; the ELF of CUDA objects as `ptxas` writes it
//! (machine 190, one `.text.<kernel>` section for each kernel); `dksh.h` of uam, deko3d's compiler.

use crate::allowance::{Allowance, Exhausted};
use ctm_sm50::{Code, CodeError, Header, Instruction, Op, Program, Stage};
use ctm_text::excerpt;
use object::LittleEndian as LE;
use object::elf::{EM_CUDA, FileHeader64, SHT_PROGBITS};
use object::read::elf::{FileHeader, SectionHeader};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Ending of the name of a file with a header, of a program in two files.
pub const HEADER_FILE: &str = ".sph.u32";
/// Ending of the name of the file with its code.
pub const CODE_FILE: &str = ".code.u32";

/// The files of header and code, if the path names one of the two.
pub fn halves(path: &Path) -> Option<[PathBuf; 2]> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(HEADER_FILE).or_else(|| name.strip_suffix(CODE_FILE))?;
    Some([HEADER_FILE, CODE_FILE].map(|ending| path.with_file_name(format!("{stem}{ending}"))))
}

/// A program of a file that may have several: a kernel of a CUDA object, a shader of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The program.
    pub program: Program,
}

impl Kernel {
    /// Its program as assembly text.
    pub fn assembly(&self) -> String {
        ctm_sm50::text::print_program(&self.program)
    }
}

/// Why bytes are not a program of SM50.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Sm50Error {
    /// Not a whole header.
    #[error("a header has {} bytes, the file has {length}", Header::BYTES)]
    Header {
        /// Bytes that there are.
        length: usize,
    },
    /// The code is ill-formed.
    #[error("{place}: {error}")]
    Code {
        /// Where the code is.
        place: String,
        /// What is wrong.
        error: CodeError,
    },
    /// The file is not an ELF, or a broken one.
    #[error("{0}; a cubin is an ELF file of 64 bits, little-endian")]
    Elf(String),
    /// Sections or names that lie over each other.
    #[error("the sections of the ELF file overlap: together they are longer than the file")]
    Overlap,
    /// The ELF file is for another machine.
    #[error("the ELF file is for machine {machine}, not for CUDA ({EM_CUDA})")]
    Machine {
        /// `e_machine`.
        machine: u16,
    },
    /// The ELF file is for another architecture.
    #[error("the cubin is for sm_{0}; compile for sm_50 to sm_62, Maxwell and Pascal (`-arch=sm_50`)")]
    Architecture(u8),
    /// The ELF file has no code.
    #[error("the cubin has no `.text.<kernel>` section")]
    NoKernel,
    /// A module of deko3d says of a part that it is where the file has no bytes.
    #[error("{what} at byte {offset} of the module needs {size} bytes, but the file has {length}")]
    Module {
        /// What should be there.
        what: &'static str,
        /// Where.
        offset: usize,
        /// Bytes that it needs.
        size: usize,
        /// Bytes of the file.
        length: usize,
    },
    /// A module of deko3d has no programs, or more than there are stages.
    #[error("the module has {0} programs; 1 to {MOST_PROGRAMS} are read")]
    Programs(u32),
}

/// Most programs of a module of deko3d: one for each stage.
const MOST_PROGRAMS: usize = 6;

/// Whether a file begins with a program header, as far as that shows.
pub fn begins_with_header(bytes: &[u8]) -> bool {
    header_words(bytes).is_ok_and(|words| is_plausible(&Header::decode(&words)) && is_code(&bytes[Header::BYTES..]))
}

/// Whether bytes begin with a bundle of instructions: a control word, whose highest bit is 0, and instructions.
fn is_code(bytes: &[u8]) -> bool {
    let words = bytes.as_chunks::<8>().0;
    let word = |at: usize| words.get(at).map(|word| u64::from_le_bytes(*word));
    let is_instruction = |word| Instruction::decode(word).op() != Op::Raw;
    word(0).is_some_and(|control| control >> 63 == 0) && word(1).is_some_and(is_instruction)
}

/// Whether cubins and listings for this architecture are read: those of Pascal have the same instructions as Maxwell's.
pub(crate) fn is_loaded(architecture: u8) -> bool {
    matches!(architecture, 50 | 52 | 53 | 60..=62)
}

/// Whether dwords are a header and not the beginning of code: type, version and stage are those of real headers.
fn is_plausible(header: &Header) -> bool {
    let stage = matches!(
        (header.sph_type, header.stage),
        (1, Stage::Vertex | Stage::TessellationInit | Stage::Tessellation | Stage::Geometry) | (2, Stage::Pixel)
    );
    stage && header.version == 3 && (1..=3).contains(&header.sass_version)
}

fn header_words(bytes: &[u8]) -> Result<[u32; Header::DWORDS], Sm50Error> {
    let header = bytes.get(..Header::BYTES).ok_or(Sm50Error::Header { length: bytes.len() })?;
    let mut words = [0; Header::DWORDS];
    for (word, bytes) in words.iter_mut().zip(header.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    Ok(words)
}

/// Reads a header with the code after it.
///
/// # Errors
/// The file is shorter than a header, or what follows is not code.
pub fn read_program(bytes: &[u8]) -> Result<Program, Sm50Error> {
    let header = Header::decode(&header_words(bytes)?);
    let place = || format!("after the header of {} bytes", Header::BYTES);
    Ok(Program { header: Some(header), code: code(&bytes[Header::BYTES..], place)?, ..Program::default() })
}

/// Reads a header and code from two files.
///
/// # Errors
/// The first is not exactly a header, or the second is not code.
pub fn read_pair(header: &[u8], code_bytes: &[u8]) -> Result<Program, Sm50Error> {
    if header.len() != Header::BYTES {
        return Err(Sm50Error::Header { length: header.len() });
    }
    let header = Header::decode(&header_words(header)?);
    Ok(Program { header: Some(header), code: code(code_bytes, || "in the file of code".into())?, ..Program::default() })
}

/// Reads code that has no header.
///
/// # Errors
/// The bytes are not code.
pub fn read_code(bytes: &[u8]) -> Result<Program, Sm50Error> {
    Ok(Program { code: code(bytes, || "in the file".into())?, ..Program::default() })
}

fn code(bytes: &[u8], place: impl Fn() -> String) -> Result<Code, Sm50Error> {
    Code::from_bytes(bytes).map_err(|error| Sm50Error::Code { place: place(), error })
}

/// Reads the kernels of a CUDA object, in the order of their sections.
///
/// # Errors
/// The bytes are not an ELF file of this machine and architecture, or a kernel is not code.
pub fn read_cubin(bytes: &[u8]) -> Result<Vec<Kernel>, Sm50Error> {
    let elf = |error: object::read::Error| Sm50Error::Elf(error.to_string());
    let header = FileHeader64::<LE>::parse(bytes).map_err(elf)?;
    let endian = header.endian().map_err(elf)?;
    let machine = header.e_machine(endian).0;
    if machine != EM_CUDA.0 {
        return Err(Sm50Error::Machine { machine });
    }
    let architecture = header.e_flags(endian).0 as u8;
    if !is_loaded(architecture) {
        return Err(Sm50Error::Architecture(architecture));
    }
    let sections = header.sections(endian, bytes).map_err(elf)?;
    let mut kernels = Vec::new();
    let (mut names, mut contents) = (Allowance::of_names(bytes), Allowance::of_contents(bytes));
    for section in sections.iter() {
        let name = sections.section_name(endian, section).map_err(elf)?;
        names.take(name.len()).map_err(|Exhausted| Sm50Error::Overlap)?;
        let name = String::from_utf8_lossy(name).into_owned();
        let Some(kernel) = name.strip_prefix(".text.").filter(|_| section.sh_type(endian) == SHT_PROGBITS) else {
            continue;
        };
        let data = section.data(endian, bytes).map_err(elf)?;
        contents.take(data.len()).map_err(|Exhausted| Sm50Error::Overlap)?;
        let code = code(data, || format!("in section `{}`", excerpt(&name)))?;
        kernels.push(Kernel { name: kernel.to_owned(), program: Program { code, ..Program::default() } });
    }
    if kernels.is_empty() { Err(Sm50Error::NoKernel) } else { Ok(kernels) }
}

/// Names of the stages of a module's programs, by number.
const MODULE_STAGES: [&str; MOST_PROGRAMS] =
    ["vertex", "fragment", "geometry", "tessellation control", "tessellation evaluation", "compute"];
/// The stage without a header.
const MODULE_COMPUTE: u32 = 5;
/// Bytes of what a module says of a program.
const MODULE_PROGRAM: usize = 64;

/// Reads the programs of a module of deko3d (`.dksh`), in order, each with the constants that its compiler made for it.
///
/// # Errors
/// The module is cut off, or has no program.
pub fn read_dksh(bytes: &[u8]) -> Result<Vec<Kernel>, Sm50Error> {
    let part = |what: &'static str, offset: usize, size: usize| {
        let end = offset.checked_add(size);
        let missing = Sm50Error::Module { what, offset, size, length: bytes.len() };
        end.and_then(|end| bytes.get(offset..end)).ok_or(missing)
    };
    let field = |what: &'static str, offset: usize| {
        part(what, offset, 4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    };
    let control_size = field("the size of the control section", 8)? as usize;
    let code_size = field("the size of the code section", 12)? as usize;
    let programs = field("the place of the programs", 16)? as usize;
    let count = field("the number of programs", 20)?;
    if count == 0 || count as usize > MOST_PROGRAMS {
        return Err(Sm50Error::Programs(count));
    }
    let section = part("the code section", control_size, code_size)?;
    let entries: Vec<usize> =
        (0..count as usize).map(|number| programs.saturating_add(number * MODULE_PROGRAM)).collect();
    // Code ends where something else begins.
    let mut ends = vec![section.len()];
    for &entry in &entries {
        ends.push(field("the entry point of a program", entry.saturating_add(4))? as usize);
        if field("the size of constants", entry.saturating_add(16))? > 0 {
            ends.push(field("the place of constants", entry.saturating_add(12))? as usize);
        }
    }
    let program = |&entry: &usize| {
        let kind = field("the stage of a program", entry)?;
        let start = field("the entry point of a program", entry.saturating_add(4))? as usize;
        let (at, size) = (
            field("the place of constants", entry.saturating_add(12))? as usize,
            field("the size of constants", entry.saturating_add(16))? as usize,
        );
        let missing = |what, offset: usize, size| Sm50Error::Module {
            what,
            offset: control_size.saturating_add(offset),
            size,
            length: bytes.len(),
        };
        let constants = at.checked_add(size).and_then(|end| section.get(at..end));
        let constants = constants.ok_or(missing("constants", at, size))?;
        let end = ends.iter().copied().filter(|&end| end > start).min().unwrap_or(start);
        let code_bytes = section.get(start..end).unwrap_or_default();
        // The section is filled up with zeros.
        let filled = code_bytes.rchunks_exact(8).take_while(|word| **word == [0; 8]).count();
        let code_bytes = &code_bytes[..code_bytes.len() - 8 * filled];
        let mut program = if kind == MODULE_COMPUTE { read_code(code_bytes)? } else { read_program(code_bytes)? };
        program.constants = constants.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let name = MODULE_STAGES.get(kind as usize).copied().unwrap_or("unknown");
        Ok(Kernel { name: name.to_owned(), program })
    };
    entries.iter().map(program).collect()
}

/// The bytes of a program: its header, if it has one, and the code. [`read_program`] or [`read_code`] read them.
pub fn write(program: &Program) -> Vec<u8> {
    let header = program.header.iter().flat_map(Header::encode).flat_map(u32::to_le_bytes);
    header.chain(program.code.to_bytes()).collect()
}
