//! Programs of R700 and R600, as tools leave them.
//!
//! [`load`] determines the kind of file from its first bytes: an object of LLVM's r600 back end, a shader file of the Wii U, or
//! bare words. Logs of Mesa's r600 driver are text: see [`mesa`](crate::mesa). [`write_object`] writes objects, [`write_gfd`] shader files.

mod gfd;
mod llvm;
mod write;

pub use gfd::{
    GfdError, GfdHeader, GfdKind, GfdRow, NotGfd, gfd_header, parse_gfd_comments, print_gfd_comments, read_gfd,
    write_gfd,
};
pub(crate) use llvm::is_loaded;
pub use llvm::{LlvmError, read_llvm};
pub use write::write_object;

use ctm_r700::Program;
use thiserror::Error;

/// Most qwords of an image: what the address of an ALU clause reaches.
pub const MAX_QWORDS: usize = 1 << 22;

/// A program of a file that may have several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The name that the file gives it, if it gives names.
    pub name: Option<String>,
    /// The program.
    pub program: Program,
    /// Instructions with LLVM's wrong opcode of MOVA_INT that were set right, see [`read_llvm`].
    pub repaired: usize,
    /// The header that a shader file of the Wii U has for it.
    pub gfd: Option<Box<GfdHeader>>,
}

/// Why bytes are not the words of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WordsError {
    /// There is nothing.
    #[error("the file is empty: a program has at least one control-flow instruction of 8 bytes")]
    Empty,
    /// The last dword is cut off.
    #[error("{length} bytes are not whole dwords: {} are left over", length % 4)]
    PartialDword {
        /// Bytes that there are.
        length: usize,
    },
    /// More than addresses reach.
    #[error("{length} bytes; the addresses of a program reach {} bytes", MAX_QWORDS * 8)]
    TooLong {
        /// Bytes that there are.
        length: usize,
    },
}

/// Why a file is not a program of R700.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// It is an ELF object, but not one that can be used.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    /// It is a Wii U shader file, but not one that can be used.
    #[error(transparent)]
    Gfd(#[from] GfdError),
    /// It is taken for bare words, and is none.
    #[error(transparent)]
    Words(#[from] WordsError),
}

/// Reads all programs of a file: at least one.
///
/// # Errors
/// The file is damaged, or has no program.
pub fn load(bytes: &[u8]) -> Result<Vec<Loaded>, LoadError> {
    if bytes.starts_with(&object::elf::ELFMAG) {
        return Ok(read_llvm(bytes)?);
    }
    if bytes.starts_with(&gfd::FILE_MAGIC.to_be_bytes()) {
        return Ok(read_gfd(bytes)?);
    }
    Ok(vec![Loaded { name: None, program: read_words(bytes)?, repaired: 0, gfd: None }])
}

/// Takes bare little-endian dwords as a program, with the information that a program has by default; an odd last dword
/// gets a zero for company.
///
/// # Errors
/// There are none, or not whole ones, or too many.
pub fn read_words(bytes: &[u8]) -> Result<Program, WordsError> {
    let length = bytes.len();
    match length {
        0 => Err(WordsError::Empty),
        _ if !length.is_multiple_of(4) => Err(WordsError::PartialDword { length }),
        _ if length > MAX_QWORDS * 8 => Err(WordsError::TooLong { length }),
        _ => Ok(Program::from_dwords(&dwords(bytes))),
    }
}

/// The image as little-endian dwords, what [`read_words`] reads.
pub fn write_words(program: &Program) -> Vec<u8> {
    program.dwords().flat_map(u32::to_le_bytes).collect()
}

/// Whole little-endian dwords; a rest is dropped.
fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect()
}
