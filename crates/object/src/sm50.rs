//! Programs of SM50: header and code in one file or two, bare code of compute kernels, and cubins.
//!
//! Sources: "Shader Program Header" for the order of header and code; the ELF of CUDA objects as `ptxas` writes it
//! (machine 190, one `.text.<kernel>` section for each kernel).

use crate::allowance::{Allowance, Exhausted};
use ctm_sm50::{Code, CodeError, Header, Program, Stage};
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

/// A kernel of a CUDA object.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The program; it has no header.
    pub program: Program,
}

/// Why bytes are no program of SM50.
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
    /// The file is no ELF, or a broken one.
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
    #[error("the cubin is for sm_{0}; compile for sm_50, 52 or 53 (`-arch=sm_50`)")]
    Architecture(u8),
    /// The ELF file has no code.
    #[error("the cubin has no `.text.<kernel>` section")]
    NoKernel,
}

/// Whether a file begins with a program header, as far as that shows.
pub fn begins_with_header(bytes: &[u8]) -> bool {
    header_words(bytes).is_ok_and(|words| is_plausible(&Header::decode(&words)))
}

/// Whether cubins for this architecture are read.
pub(crate) fn is_loaded(architecture: u8) -> bool {
    matches!(architecture, 50 | 52 | 53)
}

/// Whether dwords are a header and not the beginning of code: type, version and stage are those of real headers.
fn is_plausible(header: &Header) -> bool {
    let stage = matches!(
        (header.sph_type, header.stage),
        (1, Stage::Vertex | Stage::TessellationInit | Stage::Tessellation | Stage::Geometry) | (2, Stage::Pixel)
    );
    stage && header.version == 3 && header.sass_version == 1
}

fn header_words(bytes: &[u8]) -> Result<[u32; Header::DWORDS], Sm50Error> {
    let header = bytes.get(..Header::BYTES).ok_or(Sm50Error::Header { length: bytes.len() })?;
    let mut words = [0; Header::DWORDS];
    for (word, bytes) in words.iter_mut().zip(header.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    Ok(words)
}

/// Reads a header with the code behind it.
///
/// # Errors
/// The file is shorter than a header, or what follows is no code.
pub fn read_program(bytes: &[u8]) -> Result<Program, Sm50Error> {
    let header = Header::decode(&header_words(bytes)?);
    let place = || format!("after the header of {} bytes", Header::BYTES);
    Ok(Program { header: Some(header), code: code(&bytes[Header::BYTES..], place)? })
}

/// Reads a header and code from two files.
///
/// # Errors
/// The first is not exactly a header, or the second is no code.
pub fn read_pair(header: &[u8], code_bytes: &[u8]) -> Result<Program, Sm50Error> {
    if header.len() != Header::BYTES {
        return Err(Sm50Error::Header { length: header.len() });
    }
    let header = Header::decode(&header_words(header)?);
    Ok(Program { header: Some(header), code: code(code_bytes, || "in the file of code".into())? })
}

/// Reads code that has no header.
///
/// # Errors
/// The bytes are no code.
pub fn read_code(bytes: &[u8]) -> Result<Program, Sm50Error> {
    Ok(Program { header: None, code: code(bytes, || "in the file".into())? })
}

fn code(bytes: &[u8], place: impl Fn() -> String) -> Result<Code, Sm50Error> {
    Code::from_bytes(bytes).map_err(|error| Sm50Error::Code { place: place(), error })
}

/// Reads the kernels of a CUDA object, in the order of their sections.
///
/// # Errors
/// The bytes are no ELF file of this machine and architecture, or a kernel is no code.
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
        kernels.push(Kernel { name: kernel.to_owned(), program: Program { header: None, code } });
    }
    if kernels.is_empty() { Err(Sm50Error::NoKernel) } else { Ok(kernels) }
}

/// The bytes of a program: its header, if it has one, and the code. [`read_program`] or [`read_code`] read them.
pub fn write(program: &Program) -> Vec<u8> {
    let header = program.header.iter().flat_map(Header::encode).flat_map(u32::to_le_bytes);
    header.chain(program.code.to_bytes()).collect()
}
