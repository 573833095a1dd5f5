//! Shader files of the Wii U ("GFD", `.gsh`): a big-endian container with little-endian machine code.
//!
//! Sources: decaf-emu's `libgfd`, and its GX2 library for what the registers of a header are set for.

mod comments;
mod header;
mod layout;

#[cfg(test)]
mod tests;

pub use comments::{parse as parse_gfd_comments, print as print_gfd_comments};
pub use header::{Header as GfdHeader, HeaderKind as GfdKind, Row as GfdRow};

use super::llvm::KILL_ENABLE;
use super::{Loaded, WordsError, read_words, write_words};
use ctm_r700::{Program, Stage};
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
    #[error("{what} at byte {offset} is {found:#010x}, expected {expected:#010x}")]
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

/// Why a program does not stand in a shader file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a {} has no place in a shader file that is written here: only vertex and pixel shaders have", .0.properties())]
pub struct NotGfd(pub Stage);

/// Writes a file with these programs, each with its header, in order; [`read_gfd`] gives both back.
pub fn write_gfd(shaders: &[(&Program, &GfdHeader)]) -> Vec<u8> {
    let mut file: Vec<u8> =
        [FILE_MAGIC, HEADER as u32, MAJOR, 1, 2, 0, 0, 0].into_iter().flat_map(u32::to_be_bytes).collect();
    let mut id = 0;
    let mut block = |kind: u32, data: &[u8]| {
        let header = [BLOCK_MAGIC, HEADER as u32, 1, 0, kind, data.len() as u32, id, 0];
        file.extend(header.into_iter().flat_map(u32::to_be_bytes));
        file.extend(data);
        id += 1;
    };
    for (program, header) in shaders {
        let code = write_words(program);
        let (of_header, of_code) = match header.kind {
            GfdKind::Vertex => (VERTEX.kind, VERTEX_CODE),
            GfdKind::Pixel => (PIXEL.kind, PIXEL_CODE),
        };
        block(of_header, &header.write(code.len() as u32));
        block(of_code, &code);
    }
    block(END, &[]);
    file
}

/// The header that a program has where no text says more.
///
/// # Errors
/// Programs of its stage have none.
pub fn gfd_header(program: &Program) -> Result<GfdHeader, NotGfd> {
    let kind = GfdKind::of(program.info.stage).ok_or(NotGfd(program.info.stage))?;
    let mut header = GfdHeader::of(program, kind);
    header.complete();
    Ok(header)
}

/// Where the header of a stage has what a loader wants to know of one of its programs, in bytes from its start.
struct HeaderLayout {
    /// The type of the header's block.
    kind: u32,
    /// `SQ_PGM_RESOURCES_*`.
    resources: usize,
    /// The size of the program.
    size: usize,
    /// `DB_SHADER_CONTROL`.
    shader_control: Option<usize>,
    /// How the program is used.
    mode: Option<usize>,
}

const VERTEX: HeaderLayout = HeaderLayout { kind: 3, resources: 0, size: 0xD0, shader_control: None, mode: Some(0xD8) };
const PIXEL: HeaderLayout = HeaderLayout { kind: 6, resources: 0, size: 0xA4, shader_control: Some(0x9C), mode: None };
const GEOMETRY: HeaderLayout = HeaderLayout { kind: 8, resources: 0, size: 0x4C, shader_control: None, mode: None };
/// In the header of the geometry program that the copy program belongs to.
const COPY: HeaderLayout = HeaderLayout { kind: 8, resources: 0x10, size: 0x54, shader_control: None, mode: None };

/// Types of blocks: the last one, and those with code.
const END: u32 = 1;
const VERTEX_CODE: u32 = 5;
const PIXEL_CODE: u32 = 7;

/// The mode of a vertex program that feeds a geometry program.
const MODE_GEOMETRY: u32 = 2;

/// What a block is to a loader of programs.
enum Block {
    /// Registers and sizes of the next programs.
    Header,
    /// Machine code, what it is for, and what the last header says of it.
    Code(Stage, &'static HeaderLayout),
    /// The last block.
    End,
    /// Anything else.
    Other,
}

impl Block {
    const fn of(kind: u32) -> Block {
        match kind {
            END => Block::End,
            3 | 6 | 8 => Block::Header,
            VERTEX_CODE => Block::Code(Stage::Vertex, &VERTEX),
            PIXEL_CODE => Block::Code(Stage::Pixel, &PIXEL),
            9 => Block::Code(Stage::Geometry, &GEOMETRY),
            10 => Block::Code(Stage::Copy, &COPY),
            _ => Block::Other,
        }
    }
}

/// The last header: its block type, where its data is, and the data.
type LastHeader<'b> = (u32, usize, &'b [u8]);

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
    let mut header: Option<LastHeader> = None;
    let mut programs = Vec::new();
    while at < bytes.len() {
        expect(bytes, at, "the magic number of a block", BLOCK_MAGIC)?;
        let data_at = at + header_size(bytes, at + 4, "the header of a block")?;
        let size = word(bytes, at + 0x14, "the size of a block")? as usize;
        let data = slice(bytes, data_at, size, "a block")?;
        let kind = word(bytes, at + 0x10, "the type of a block")?;
        match Block::of(kind) {
            Block::End => break,
            Block::Header => header = Some((kind, data_at, data)),
            Block::Code(stage, layout) => {
                let header = header.filter(|(of, ..)| *of == layout.kind);
                programs.push(program(data, data_at, stage, layout, header)?);
            }
            Block::Other => {}
        }
        at = data_at + size;
    }
    if programs.is_empty() { Err(GfdError::NoProgram) } else { Ok(programs) }
}

/// The program of a block. Without a header nothing is known of it.
fn program(
    data: &[u8],
    data_at: usize,
    stage: Stage,
    layout: &HeaderLayout,
    header: Option<LastHeader>,
) -> Result<Loaded, GfdError> {
    let field = |offset: usize, what: &'static str| match header {
        None => Ok(None),
        Some((_, header_at, registers)) => {
            let missing = |_| GfdError::Truncated { what, offset: header_at + offset, size: 4 };
            word(registers, offset, what).map(Some).map_err(missing)
        }
    };
    let length = field(layout.size, "the size of the program")?.map_or(data.len(), |size| size as usize);
    let code = data.get(..length).ok_or(GfdError::Truncated { what: "the program", offset: data_at, size: length })?;
    let mut program = read_words(code).map_err(|cause| GfdError::Program { offset: data_at, cause })?;
    program.info.stage = stage;
    if let Some(resources) = field(layout.resources, "the resource register")? {
        program.info.set_resources(resources);
    }
    if let Some(offset) = layout.shader_control {
        let control = field(offset, "the control register")?;
        program.info.kill_enable = control.is_some_and(|control| control & KILL_ENABLE != 0);
    }
    if let Some(offset) = layout.mode
        && field(offset, "the mode")? == Some(MODE_GEOMETRY)
    {
        program.info.stage = Stage::Export;
    }
    // Tables of names that lead nowhere leave the program as it is.
    let kind = GfdKind::of(program.info.stage);
    let gfd = kind.zip(header).and_then(|(kind, (_, _, data))| GfdHeader::read(kind, data).ok());
    Ok(Loaded { name: None, program, repaired: 0, gfd: gfd.map(Box::new) })
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
