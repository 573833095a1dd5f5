//! Programs as files.

use crate::{Error, Program};
use ctm_object::{elf, r700, raw, sm50};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What a file keeps of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// All of it.
    All,
    /// The instructions: constants and program information, of which the program has some, are lost.
    Instructions,
}

impl Program {
    /// Writes the program to a file of the form that the ending of its name stands for:
    ///
    /// - `.x1k`, `.r700`, `.sm50`, `.pvs`, as the machine is called: assembly text;
    /// - `.u32`: words, little-endian, which keep the instructions alone; of SM50 `.sph.u32` and `.code.u32`, which are header and code in two
    ///   files;
    /// - `.elf`: a program image of CTM, or an object like those of LLVM;
    /// - `.gsh`: a shader file of the Wii U, of vertex and pixel shaders of R700;
    /// - `.sph`: header and code, of SM50.
    ///
    /// # Errors
    /// Programs of the machine have no such form, or the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<Kept, Error> {
        let path = path.as_ref();
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let one = |bytes: Vec<u8>| vec![(path.to_owned(), bytes)];
        let (files, kept) = match (self, ending) {
            (_, ending) if ending == self.machine().name() => (one(self.disassemble().into_bytes()), Kept::All),
            (Program::X1k(program), "elf") => (one(elf::write(program)), Kept::All),
            (Program::R700(program), "elf") => (one(r700::write_object(program, &stem(path))), Kept::All),
            (Program::R700(program), "gsh") => {
                let header = r700::gfd_header(program)?;
                (one(r700::write_gfd(&[(program, &header)])), Kept::All)
            }
            (Program::X1k(program), "u32") => {
                let bytes = raw::write_words(&program.code);
                let bare = ctm_x1k::Program::from_code(program.code.clone());
                (one(bytes), kept(bare == *program))
            }
            (Program::R700(program), "u32") => {
                let bytes = r700::write_words(program);
                let bare = r700::read_words(&bytes);
                (one(bytes), kept(bare.is_ok_and(|bare| bare == *program)))
            }
            (Program::Sm50(program), "sph" | "u32") => {
                let files = match sm50::halves(path) {
                    Some(paths) => halves(program, paths),
                    None => one(sm50::write(program)),
                };
                (files, kept(program.constants.is_empty()))
            }
            (Program::Pvs(program), "u32") => {
                let bytes = program.words().flatten().flat_map(u32::to_le_bytes).collect();
                (one(bytes), kept(ctm_pvs::Program::new(program.code.clone()) == *program))
            }
            (program, _) => {
                return Err(Error::Form { path: path.to_owned(), machine: program.machine(), forms: forms(program) });
            }
        };
        for (path, bytes) in files {
            fs::write(&path, bytes).map_err(|source| Error::Save { path, source })?;
        }
        Ok(kept)
    }
}

const fn kept(is_all: bool) -> Kept {
    if is_all { Kept::All } else { Kept::Instructions }
}

/// Header, if there is one, and code in files of their own.
fn halves(program: &ctm_sm50::Program, [header, code]: [PathBuf; 2]) -> Vec<(PathBuf, Vec<u8>)> {
    let words = program.header.as_ref().map(ctm_sm50::Header::encode);
    let header = words.map(|words| (header, words.map(u32::to_le_bytes).concat()));
    header.into_iter().chain([(code, program.code.to_bytes())]).collect()
}

/// The name of a file without its ending.
fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "main".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// How names of a program's files may end.
const fn forms(program: &Program) -> &'static str {
    match program {
        Program::X1k(_) => ".x1k, .elf or .u32",
        Program::R700(_) => ".r700, .elf, .gsh or .u32",
        Program::Sm50(_) => ".sm50, .sph or .u32",
        Program::Pvs(_) => ".pvs or .u32",
    }
}
