//! Identifies what a file holds from its bytes, before any loader reads it: the containers that this crate loads, texts of
//! the languages that programs are made of, and files of other machines and formats, so that messages can name those.
//!
//! This is the one place that says what a file is. Whoever loads programs asks it: commands, libraries, Python.

mod elf;
mod foreign;
mod language;

pub use foreign::{Foreign, Format};
pub use language::Language;

use crate::mesa::{self, Driver};
use crate::{c_array, d3d9, hex, sm50};
use language::Spoken;
use std::fmt;

/// First bytes of a trace of the CTM device (`docs/trace.md`).
const TRACE_MAGIC: &[u8] = b"CTMTRACE";
/// First bytes of a trace of a card.
const CARD_TRACE_MAGIC: &[u8] = b"CTM CARD";
/// First bytes of a shader file of the Wii U.
const GFD_MAGIC: &[u8] = b"Gfx2";
/// First bytes of a shader module of deko3d.
const DKSH_MAGIC: &[u8] = b"DKSH";

/// What a file holds, as far as its bytes show. `Display` names it, with an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A program image of CTM, with a program of X1K: [`elf::read`](crate::elf::read()).
    CtmImage,
    /// An object of LLVM's r600 back end: [`r700::read_llvm`](crate::r700::read_llvm).
    R600Object,
    /// A shader file of the Wii U: [`r700::read_gfd`](crate::r700::read_gfd).
    Gfd,
    /// A shader module of deko3d, for the Switch: [`sm50::read_dksh`].
    Dksh,
    /// A program header of SM50 and the code after it: [`sm50::read_program`].
    Sm50Program,
    /// A CUDA object for SM50: [`sm50::read_cubin`].
    Cubin,
    /// A log of a Mesa driver with machine code: [`mesa::import`].
    MesaLog(Driver),
    /// A listing of SM50 code by NVIDIA's tools, or in the notation of a public assembler: [`sass::read`](crate::sass::read()).
    SassListing,
    /// Code of a Direct3D 9 pixel shader: [`d3d9::read`].
    PixelShaderCode,
    /// Dwords as hexadecimal text: [`hex::read`].
    HexWords,
    /// C source with an array of bytes: [`c_array::read`].
    CArray,
    /// A trace of the CTM device.
    Trace,
    /// A trace of a card.
    CardTrace,
    /// A text in a language that programs are made of.
    Source(Language),
    /// Text of any other kind.
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
            Content::Dksh => "a shader module of deko3d",
            Content::Sm50Program => "a program of SM50 with its header",
            Content::Cubin => "a cubin for SM50",
            Content::MesaLog(Driver::R300) => "a log of Mesa's r300 driver",
            Content::MesaLog(Driver::R300Vertex) => "a log of Mesa's r300 driver with vertex programs",
            Content::MesaLog(Driver::R600) => "a log of Mesa's r600 driver",
            Content::SassListing => "a listing of SM50 code",
            Content::PixelShaderCode => "code of a Direct3D 9 pixel shader",
            Content::HexWords => "hexadecimal words",
            Content::CArray => "C source with an array of bytes",
            Content::Trace => "a trace of the CTM device",
            Content::CardTrace => "a trace of a card",
            Content::Source(language) => return language.fmt(f),
            Content::Text => "text",
            Content::Foreign(foreign) => return foreign.fmt(f),
            Content::Unknown => "binary data",
        })
    }
}

impl Content {
    /// What to do with a file that holds this, where it is not a program to be loaded.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Content::Trace => Some("'ctm replay FILE' executes it"),
            Content::CardTrace => Some("'ctm card dis FILE' prints its commands, 'ctm card replay FILE' draws it"),
            Content::Foreign(foreign) => Some(foreign.help()),
            Content::CtmImage
            | Content::R600Object
            | Content::Gfd
            | Content::Dksh
            | Content::Sm50Program
            | Content::Cubin
            | Content::MesaLog(_)
            | Content::SassListing
            | Content::PixelShaderCode
            | Content::HexWords
            | Content::CArray
            | Content::Source(_)
            | Content::Text
            | Content::Unknown => None,
        }
    }
}

/// Identifies what a file holds. Damaged files count as what they begin like; their loader says what is wrong with them.
pub fn probe(bytes: &[u8]) -> Content {
    if bytes.starts_with(&object::elf::ELFMAG) {
        return elf::identify(bytes);
    }
    const MAGICS: [(&[u8], Content); 4] = [
        (GFD_MAGIC, Content::Gfd),
        (DKSH_MAGIC, Content::Dksh),
        (TRACE_MAGIC, Content::Trace),
        (CARD_TRACE_MAGIC, Content::CardTrace),
    ];
    if let Some((_, content)) = MAGICS.into_iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return content;
    }
    if d3d9::begins_pixel_shader(bytes) {
        return Content::PixelShaderCode;
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
    if c_array::is_array(text) {
        return Content::CArray;
    }
    match language::recognise(text) {
        Some(Spoken::Language(language)) => Content::Source(language),
        Some(Spoken::Format(format)) => Content::Foreign(Foreign::Format(format)),
        Some(Spoken::SassListing) => Content::SassListing,
        None => Content::Text,
    }
}
