//! Shader files of the Wii U ("GFD", `.gsh`): a big-endian container with little-endian machine code.
//!
//! Source: decaf-emu's `libgfd`.

use super::{Loaded, WordsError, read_words};
use ctm_r700::Stage;
use thiserror::Error;

/// `Gfx2`
pub(super) const FILE_MAGIC: u32 = 0x4766_7832;
/// `BLK{`
const BLOCK_MAGIC: u32 = 0x424C_4B7B;
/// Least bytes of the header of a file or block.
const HEADER: usize = 0x20;
/// Major version of the format.
const MAJOR: u32 = 7;

/// Why a file is not a shader file of the Wii U. Offsets are in bytes from its start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GfdError {
    /// The file ends early.
    #[error("{what} at byte {offset} needs {size} bytes, but the file ends before")]
    Truncated {
        /// What should be there.
        what: &'static str,
        /// Where.
        offset: usize,
        /// Bytes that it needs.
        size: usize,
    },
    /// Other bytes than the format has here.
    #[error("{what} at byte {offset} is {found:#010x}, not {expected:#010x}")]
    Unexpected {
        /// What it is.
        what: &'static str,
        /// Where.
        offset: usize,
        /// What is there.
        found: u32,
        /// What should be there.
        expected: u32,
    },
    /// A program longer than its block, or no program at all.
    #[error("the program at byte {offset}: {cause}")]
    Program {
        /// Where.
        offset: usize,
        /// What is wrong.
        cause: WordsError,
    },
    /// The file has no shader.
    #[error("the file has no vertex, pixel or geometry program")]
    NoProgram,
}

/// What a block is to a loader of programs.
#[derive(Clone, Copy)]
enum Block {
    /// Registers and sizes of the next program of this stage; where its size in bytes stands.
    Header(Stage, Option<usize>),
    /// Machine code.
    Code(Stage),
    /// The last block.
    End,
    /// Anything else.
    Other,
}

impl Block {
    const fn of(kind: u32) -> Block {
        match kind {
            1 => Block::End,
            3 => Block::Header(Stage::Vertex, Some(0xD0)),
            5 => Block::Code(Stage::Vertex),
            6 => Block::Header(Stage::Pixel, Some(0xA4)),
            7 => Block::Code(Stage::Pixel),
            8 => Block::Header(Stage::Geometry, None),
            9 => Block::Code(Stage::Geometry),
            10 => Block::Code(Stage::Copy),
            _ => Block::Other,
        }
    }
}

/// Reads all programs of a file, in order.
///
/// Vertex programs get their inputs by CALL_FS from a program that the system makes at run time; it is not in the file.
///
/// # Errors
/// See [`GfdError`].
pub fn read_gfd(bytes: &[u8]) -> Result<Vec<Loaded>, GfdError> {
    expect(bytes, 0, "the magic number of the file", FILE_MAGIC)?;
    expect(bytes, 8, "the major version of the file", MAJOR)?;
    let mut at = header_size(bytes, 4, "the header of the file")?;
    let mut header: Option<(Stage, &[u8], Option<usize>)> = None;
    let mut programs = Vec::new();
    while at < bytes.len() {
        expect(bytes, at, "the magic number of a block", BLOCK_MAGIC)?;
        let data_at = at + header_size(bytes, at + 4, "the header of a block")?;
        let size = word(bytes, at + 0x14, "the size of a block")? as usize;
        let data = slice(bytes, data_at, size, "a block")?;
        match Block::of(word(bytes, at + 0x10, "the type of a block")?) {
            Block::End => break,
            Block::Header(stage, size_at) => header = Some((stage, data, size_at)),
            Block::Code(stage) => {
                // A copy program comes without a header of its own.
                let header = header.take_if(|(of, ..)| *of == stage);
                let mut length = data.len();
                let mut resources = None;
                if let Some((_, registers, size_at)) = header {
                    resources = Some(word(registers, 0, "the resource register")?);
                    if let Some(size_at) = size_at {
                        length = word(registers, size_at, "the size of the program")? as usize;
                    }
                }
                let code = data.get(..length).ok_or(GfdError::Truncated {
                    what: "the program",
                    offset: data_at,
                    size: length,
                })?;
                let program = read_words(code).map_err(|cause| GfdError::Program { offset: data_at, cause })?;
                let mut loaded = Loaded { name: None, program, repaired: 0 };
                loaded.program.info.stage = stage;
                if let Some(resources) = resources {
                    loaded.program.info.set_resources(resources);
                }
                programs.push(loaded);
            }
            Block::Other => {}
        }
        at = data_at + size;
    }
    if programs.is_empty() { Err(GfdError::NoProgram) } else { Ok(programs) }
}

fn slice<'b>(bytes: &'b [u8], offset: usize, size: usize, what: &'static str) -> Result<&'b [u8], GfdError> {
    let end = offset.checked_add(size);
    end.and_then(|end| bytes.get(offset..end)).ok_or(GfdError::Truncated { what, offset, size })
}

fn word(bytes: &[u8], offset: usize, what: &'static str) -> Result<u32, GfdError> {
    let bytes = slice(bytes, offset, 4, what)?;
    Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn expect(bytes: &[u8], offset: usize, what: &'static str, expected: u32) -> Result<(), GfdError> {
    let found = word(bytes, offset, what)?;
    if found == expected { Ok(()) } else { Err(GfdError::Unexpected { what, offset, found, expected }) }
}

/// The size of a header, which stands at `offset`.
fn header_size(bytes: &[u8], offset: usize, what: &'static str) -> Result<usize, GfdError> {
    let size = word(bytes, offset, what)?;
    if (size as usize) < HEADER {
        return Err(GfdError::Unexpected { what, offset, found: size, expected: HEADER as u32 });
    }
    Ok(size as usize)
}
