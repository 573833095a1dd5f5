//! Errors of loading an image.

use ctm_x1k::check::Finding;
use ctm_x1k::{INSTRUCTION_BYTES, MAX_INSTRUCTIONS};
use thiserror::Error;

/// Why bytes are not a CTM program image. Offsets are in bytes from the start of the image.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ElfError {
    /// The image ends too early, or a header points beyond it.
    #[error("{what} needs bytes {offset:#x}..{end:#x}, but the image has {length:#x} bytes")]
    Truncated {
        /// What is cut off.
        what: &'static str,
        /// Where it begins.
        offset: u64,
        /// Where it would end.
        end: u64,
        /// Bytes that there are.
        length: u64,
    },
    /// The magic is missing.
    #[error("byte 0x0: not an ELF image (7F 45 4C 46 expected)")]
    Magic,
    /// A field of the ELF header has a value that no CTM image has.
    #[error("byte {offset:#x}: {field} is {found:#x}, expected {expected:#x}")]
    HeaderField {
        /// Name of the field.
        field: &'static str,
        /// Where it is.
        offset: u64,
        /// What it is.
        found: u32,
        /// What it must be.
        expected: u32,
    },
    /// Not exactly one load segment.
    #[error("byte {offset:#x}: {count} PT_LOAD segments, a CTM image has exactly one, the code")]
    LoadSegments {
        /// Where the program headers are.
        offset: u64,
        /// How many there are.
        count: usize,
    },
    /// The code is not 1 to 512 whole instructions.
    #[error(
        "byte {offset:#x}: {size} bytes of code are not 1 to {MAX_INSTRUCTIONS} instructions of {INSTRUCTION_BYTES} bytes"
    )]
    CodeSize {
        /// Where the program header is that says so.
        offset: u64,
        /// Bytes of code.
        size: u32,
    },
    /// Note segments overlap, or one is there twice.
    #[error("byte {offset:#x}: the note segments have more bytes than the image: they overlap")]
    OverlappingNotes {
        /// Where the program header is with which it becomes clear.
        offset: u64,
    },
    /// A note that may be there once is there again.
    #[error("byte {offset:#x}: a second {note} note")]
    RepeatedNote {
        /// Where the second one is.
        offset: u64,
        /// Name of the note.
        note: &'static str,
    },
    /// The size of a note's content is impossible.
    #[error("byte {offset:#x}: the {note} note has {size} bytes, it must have {rule}")]
    NoteSize {
        /// Where the note is.
        offset: u64,
        /// Name of the note.
        note: &'static str,
        /// Bytes of content.
        size: u32,
        /// What the size must be.
        rule: &'static str,
    },
    /// A note names an input, output or constant that the machine does not have.
    #[error("byte {offset:#x}: the {note} note names number {index}, the machine has 0 to {}", limit - 1)]
    NoteIndex {
        /// Where the number is.
        offset: u64,
        /// Name of the note.
        note: &'static str,
        /// The number.
        index: u32,
        /// How many there are.
        limit: usize,
    },
    /// A value in a note is invalid.
    #[error("byte {offset:#x}: {field} of the {note} note is {found:#x}, it must be {rule}")]
    NoteValue {
        /// Where the value is.
        offset: u64,
        /// Name of the note.
        note: &'static str,
        /// Which value it is.
        field: &'static str,
        /// What it is.
        found: u32,
        /// What it must be.
        rule: &'static str,
    },
    /// There is no program information.
    #[error("the image has no PROGINFO note")]
    NoProgramInfo,
}

impl ElfError {
    /// What a person can do about it.
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Truncated { .. } => "the file was cut off or its headers are damaged: write or copy it again",
            Self::Magic => {
                "raw instruction words have no header: give them as .u32, or assemble text to an image first"
            }
            Self::HeaderField { .. } => "this ELF file is for another machine: `ctm asm` writes images for X1K",
            Self::LoadSegments { .. } | Self::CodeSize { .. } => {
                "put all code, and nothing else, into one PT_LOAD segment"
            }
            Self::OverlappingNotes { .. } => "give every note segment bytes of its own",
            Self::RepeatedNote { .. } => "keep one of the two notes",
            Self::NoteSize { .. } | Self::NoteIndex { .. } | Self::NoteValue { .. } => {
                "the tool that wrote the note is wrong: assemble the program again, `ctm asm` writes all notes itself"
            }
            Self::NoProgramInfo => "every image needs this note: assemble the program again with `ctm asm`",
        }
    }
}

/// Why an image is refused: it is not an image, or its program breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// The bytes are not an image.
    #[error(transparent)]
    Elf(#[from] ElfError),
    /// The program is ill-formed.
    #[error("the program breaks {} of the machine's rules; first: {}", .0.len(), .0.first().map_or("", |f| &f.message))]
    Illegal(Vec<Finding>),
}
