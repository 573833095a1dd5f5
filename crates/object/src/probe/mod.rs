//! Identifies what a file holds from its bytes, before any loader reads it: the containers that this crate loads, and files
//! of other machines and formats, so that messages can name those.

mod elf;
mod foreign;

pub use foreign::{Foreign, Format};

use crate::mesa::{self, Driver};
use crate::{hex, sm50};
use std::fmt;

/// First bytes of a trace of the CTM device (`docs/trace.md`).
const TRACE_MAGIC: &[u8] = b"CTMTRACE";
/// First bytes of a trace of a card.
const CARD_TRACE_MAGIC: &[u8] = b"CTM CARD";
/// First bytes of a shader file of the Wii U.
const GFD_MAGIC: &[u8] = b"Gfx2";

/// What a file holds, as far as its bytes show. `Display` names it, with an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A program image of CTM, with a program of X1K: [`elf::read`](crate::elf::read()).
    CtmImage,
    /// An object of LLVM's r600 back end: [`r700::read_llvm`](crate::r700::read_llvm).
    R600Object,
    /// A shader file of the Wii U: [`r700::read_gfd`](crate::r700::read_gfd).
    Gfd,
    /// A program header of SM50 and the code behind it: [`sm50::read_program`].
    Sm50Program,
    /// A CUDA object for SM50: [`sm50::read_cubin`].
    Cubin,
    /// A log of a Mesa driver with machine code: [`mesa::import`].
    MesaLog(Driver),
    /// Dwords as hexadecimal text: [`hex::read`].
    HexWords,
    /// A trace of the CTM device.
    Trace,
    /// A trace of a card.
    CardTrace,
    /// Text of any other kind, such as assembly.
    Text,
    /// A file that nothing here loads.
    Foreign(Foreign),
    /// Bytes that do not show what they are: bare words, command buffers.
    Unknown,
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Content::CtmImage => "a program image of CTM",
            Content::R600Object => "an object of LLVM for R600 or R700",
            Content::Gfd => "a shader file of the Wii U",
            Content::Sm50Program => "a program of SM50 with its header",
            Content::Cubin => "a cubin for SM50",
            Content::MesaLog(Driver::R300) => "a log of Mesa's r300 driver",
            Content::MesaLog(Driver::R600) => "a log of Mesa's r600 driver",
            Content::HexWords => "hexadecimal words",
            Content::Trace => "a trace of the CTM device",
            Content::CardTrace => "a trace of a card",
            Content::Text => "text",
            Content::Foreign(foreign) => return foreign.fmt(f),
            Content::Unknown => "binary data",
        })
    }
}

/// Identifies what a file holds. Damaged files count as what they begin like; their loader says what is wrong with them.
pub fn probe(bytes: &[u8]) -> Content {
    if bytes.starts_with(&object::elf::ELFMAG) {
        return elf::identify(bytes);
    }
    if bytes.starts_with(GFD_MAGIC) {
        return Content::Gfd;
    }
    if bytes.starts_with(TRACE_MAGIC) {
        return Content::Trace;
    }
    if bytes.starts_with(CARD_TRACE_MAGIC) {
        return Content::CardTrace;
    }
    if let Some(format) = Format::of_bytes(bytes) {
        return Content::Foreign(Foreign::Format(format));
    }
    match str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => of_text(text),
        _ if sm50::begins_with_header(bytes) => Content::Sm50Program,
        _ => Content::Unknown,
    }
}

fn of_text(text: &str) -> Content {
    if hex::begins_with_dword(text) {
        return Content::HexWords;
    }
    if let Some(driver) = mesa::driver(text) {
        return Content::MesaLog(driver);
    }
    Format::of_text(text).map_or(Content::Text, |format| Content::Foreign(Foreign::Format(format)))
}
