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
use crate::{Failure, source};
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
    /// It holds raw dwords, whatever they look like.
    pub is_raw: bool,
}

impl File {
    /// Reads a file. The instruction set is the one of `--isa`, else that which the file shows.
    pub fn read(args: &ProgramArgs) -> Result<Self, Failure> {
        let path = args.program.clone();
        let bytes = source::read(&path)?;
        let has_raw_name = path.extension().is_some_and(|extension| extension == "u32");
        let isa = args.isa.unwrap_or_else(|| match () {
            () if r700::is_program(&bytes) => Isa::R700,
            () if sm50::is_program(&path, &bytes) => Isa::Sm50,
            () if ctm::is_buffer(&bytes) && !has_raw_name => Isa::Ctm,
            () => of_text(&path),
        });
        Ok(File { name: source::name(&path), bytes, isa, is_raw: args.isa.is_some() || has_raw_name, path })
    }
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
