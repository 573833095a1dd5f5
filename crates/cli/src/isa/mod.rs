//! Instruction sets: which one a file has, and one module for each, with what the commands do for it.

mod assembled;
pub mod ctm;
mod fields;
mod found;
pub mod r700;
pub mod sm50;
pub mod x1k;

pub use assembled::assemble;
pub use found::Found;

use crate::args::{Isa, ProgramArgs};
use crate::host::Host;
use crate::report::{Message, Place};
use crate::{Console, Failure, source};
use ctm_object::hex;
use std::path::{Path, PathBuf};

/// A file that was read, and the instruction set of what is in it.
pub struct File {
    /// The file.
    pub path: PathBuf,
    /// How it is called in messages.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Its instruction set.
    pub isa: Isa,
    /// Nothing in the file or on the command line tells its instruction set.
    pub isa_is_guess: bool,
    /// What kind of file it is, if it is no container.
    pub form: Form,
}

/// Kinds of files that tell nothing of what is in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text.
    Text,
    /// Dwords, and nothing else.
    Words,
    /// Bytes of which nothing is known.
    Unknown,
}

impl File {
    /// Reads a file. The instruction set is the one of `--isa`, else that which the file shows.
    pub fn read(args: &ProgramArgs, console: &Console) -> Result<Self, Failure> {
        let (bytes, form) = content(console.host, &args.program, args.isa.is_some())?;
        let path = args.program.clone();
        let known = args.isa.or_else(|| match () {
            () if r700::is_program(&bytes) => Some(Isa::R700),
            () if sm50::is_program(&path, &bytes) => Some(Isa::Sm50),
            () if ctm::is_buffer(&bytes) && form != Form::Words => Some(Isa::Ctm),
            () => None,
        });
        let isa = known.unwrap_or_else(|| of_text(&path));
        Ok(File { name: source::name(&path), bytes, isa, isa_is_guess: known.is_none(), form, path })
    }

    /// Reads a file that is of this instruction set.
    pub fn of(path: &Path, isa: Isa, console: &Console) -> Result<Self, Failure> {
        let (bytes, form) = content(console.host, path, true)?;
        Ok(File { path: path.into(), name: source::name(path), bytes, isa, isa_is_guess: false, form })
    }
}

/// What is in a file, and of what kind it is. Dwords that are given as hexadecimal text become bytes. What is no text counts
/// as dwords if the file's name ends in `.u32`, or if its instruction set is known.
fn content(host: &dyn Host, path: &Path, isa_is_known: bool) -> Result<(Vec<u8>, Form), Failure> {
    let bytes = source::read(host, path)?;
    let text = str::from_utf8(&bytes).ok().filter(|text| !text.contains('\0'));
    text.map(|text| source::require_short(path, text)).transpose()?;
    if let Some(dwords) = text.and_then(hex::read) {
        let dwords = dwords.map_err(|error| Message::error(error.to_string()).at(Place::File(source::name(path))))?;
        return Ok((dwords.into_iter().flat_map(u32::to_le_bytes).collect(), Form::Words));
    }
    let has_raw_name = path.extension().is_some_and(|extension| extension == "u32");
    let form = match text {
        _ if has_raw_name => Form::Words,
        Some(_) => Form::Text,
        None if isa_is_known => Form::Words,
        None => Form::Unknown,
    };
    Ok((bytes, form))
}

/// The instruction set of a text, which its name tells.
pub fn of_text(path: &Path) -> Isa {
    match path.extension() {
        Some(extension) if extension == "ctmcb" => Isa::Ctm,
        Some(extension) if extension == "sm50" => Isa::Sm50,
        Some(extension) if extension == "r700" => Isa::R700,
        _ => Isa::X1k,
    }
}
