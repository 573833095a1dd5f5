//! SM50 programs: assembly text, header and code in one file or in two, bare compute code, cubins.

mod asm;
mod data;
mod dis;
mod faults;
mod info;

pub use asm::asm;
pub use data::{BANKS, array_kind, constants};
pub use dis::dis;
pub use info::info;

use super::{File, Form, Found, assemble};
use crate::args::Isa;
use crate::host::Host;
use crate::report::{Message, Place};
use crate::wording::{listing, title};
use crate::{Console, Failure, source};
use ctm_object::sm50::{self, Format, Kernel, Sm50Error};
use ctm_sm50::check::{self, Finding};
use ctm_sm50::text::{self, Assembled};
use ctm_sm50::{Code, Program};
use ctm_text::{Origin, SourceFile};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Endings of the names of a program in two files.
const HEADER_FILE: &str = ".sph.u32";
const CODE_FILE: &str = ".code.u32";

/// A program and where it comes from.
pub struct Loaded {
    /// How the file is called in messages.
    pub name: String,
    /// How the file calls the program, if it gives names.
    pub title: Option<String>,
    /// The program.
    pub program: Program,
    /// Where each instruction stands in the text; empty if the program comes from a binary.
    pub origins: Vec<Origin>,
}

/// Whether a file is a program of this instruction set, as far as its name and what it holds show: it is one of two files, a
/// CUDA object, or begins with a program header.
pub fn is_program(path: &Path, bytes: &[u8]) -> bool {
    halves(path).is_some() || has_ending(path, ".sph") || is_cuda_object(bytes) || {
        !has_ending(path, ".u32") && sm50::detect(bytes) == Format::HeaderAndCode
    }
}

/// An ELF file whose machine is CUDA's (190).
fn is_cuda_object(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") && bytes.get(18..20) == Some(&190u16.to_le_bytes())
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending))
}

/// The files of header and code, if the path names one of the two.
pub fn halves(path: &Path) -> Option<[PathBuf; 2]> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(HEADER_FILE).or_else(|| name.strip_suffix(CODE_FILE))?;
    Some([HEADER_FILE, CODE_FILE].map(|ending| path.with_file_name(format!("{stem}{ending}"))))
}

impl Loaded {
    /// Reads the file of a program of a pipeline.
    pub fn read(path: &Path, console: &mut Console) -> Result<Self, Failure> {
        Self::new(File::of(path, Isa::Sm50, console)?, None, console)
    }

    /// The program in a file, or a kernel of a cubin, which must be named if there are several.
    pub fn new(file: File, kernel: Option<&str>, console: &mut Console) -> Result<Self, Failure> {
        let mut programs = Self::of(file, kernel, console)?;
        if let [one, _, ..] = &programs[..] {
            let message = Message::error(format!("the cubin has {} kernels", programs.len()));
            let names = listing(programs.iter().filter_map(|program| program.title.clone()));
            let message = message.at(Place::File(one.name.clone()));
            return Err(message.help(format!("choose one with --kernel NAME; there are {names}")).into());
        }
        Ok(programs.remove(0))
    }

    /// The program in a file, or kernels of a cubin: the one with this name, or all of them, at least one. What the file holds
    /// tells what it is. Warnings of the assembler are told at once.
    pub fn of(file: File, kernel: Option<&str>, console: &mut Console) -> Result<Vec<Self>, Failure> {
        let File { path, name, bytes, form, .. } = file;
        let wrong = |error: Sm50Error| Message::error(error.to_string()).at(Place::File(name.clone()));
        if form == Form::Text || form == Form::Unknown && has_ending(&path, ".sm50") {
            let source = SourceFile { name: name.clone(), text: source::text(&path, bytes)? };
            let Assembled { program, origins, .. } = assemble(&path, &source, text::parse_with, console)?;
            return Ok(vec![Loaded { name, title: None, program, origins }]);
        }
        let program = match (halves(&path), sm50::detect(&bytes)) {
            (Some(halves), _) => read_halves(console.host, &path, bytes, halves)?,
            (None, Format::Cubin) => return choose(sm50::read_cubin(&bytes).map_err(wrong)?, kernel, &name),
            (None, Format::HeaderAndCode) => sm50::read_program(&bytes).map_err(wrong)?,
            (None, Format::Code) if has_ending(&path, ".sph") => sm50::read_program(&bytes).map_err(wrong)?,
            (None, Format::Code) => sm50::read_code(&bytes).map_err(wrong)?,
        };
        Ok(vec![Loaded { name, title: None, program, origins: Vec::new() }])
    }

    /// Where an instruction stands: its source line, else its disassembly.
    pub fn place(&self, index: usize) -> Place {
        if let Some(origin) = self.origins.get(index) {
            return Place::Text(origin.clone());
        }
        match self.program.code.instructions().get(index) {
            Some(instruction) => Place::Listing {
                path: format!("disassembly of {}", self.name),
                number: index,
                line: text::print_instruction(instruction, Code::address(index)),
            },
            None => Place::File(self.name.clone()),
        }
    }

    /// A finding as a message.
    pub fn message(&self, finding: &Finding) -> Message {
        let place = finding.index.map_or_else(|| Place::File(self.name.clone()), |index| self.place(index));
        Message::new(finding.severity, &finding.message).code(finding.code.as_str()).at(place).help(&finding.help)
    }
}

/// Checks a program, or the kernels of a cubin. If there are several, findings say which one they are about.
pub fn check(programs: Vec<Loaded>) -> Vec<Found> {
    let several = programs.len() > 1;
    let of_program = |mut loaded: Loaded| {
        let name = loaded.title.as_deref().filter(|_| several).map(title);
        if let Some(name) = &name {
            loaded.name = format!("kernel {name} of {}", loaded.name);
        }
        let numbers =
            |finding: &Finding| vec![("program", json!(name)), ("address", json!(finding.index.map(Code::address)))];
        let findings = check::check(&loaded.program);
        let found = |finding| Found { message: loaded.message(finding), place: numbers(finding) };
        findings.iter().map(found).collect::<Vec<_>>()
    };
    programs.into_iter().flat_map(of_program).collect()
}

/// Reads a program in two files, of which `bytes` are the one at `path`. Code without a header beside it is compute code.
fn read_halves(host: &dyn Host, path: &Path, bytes: Vec<u8>, [header, code]: [PathBuf; 2]) -> Result<Program, Failure> {
    let wrong = |error: Sm50Error| {
        let at = if matches!(error, Sm50Error::Header { .. }) { &header } else { &code };
        Message::error(error.to_string()).at(Place::File(source::name(at)))
    };
    let program = if path == header {
        sm50::read_pair(&bytes, &source::read(host, &code)?)
    } else if host.exists(&header) {
        sm50::read_pair(&source::read(host, &header)?, &bytes)
    } else {
        sm50::read_code(&bytes)
    };
    Ok(program.map_err(wrong)?)
}

/// The kernel with this name, or all kernels.
fn choose(kernels: Vec<Kernel>, wanted: Option<&str>, file: &str) -> Result<Vec<Loaded>, Failure> {
    let names = listing(kernels.iter().map(|kernel| kernel.name.clone()));
    let chosen = kernels.into_iter().filter(|kernel| wanted.is_none_or(|wanted| kernel.name == wanted));
    let loaded = |kernel: Kernel| Loaded {
        name: file.into(),
        title: Some(kernel.name),
        program: kernel.program,
        origins: Vec::new(),
    };
    let loaded: Vec<Loaded> = chosen.map(loaded).collect();
    if loaded.is_empty() {
        let message = match wanted {
            Some(wanted) => {
                Message::error(format!("the cubin has no kernel '{wanted}'")).help(format!("there are {names}"))
            }
            None => Message::error("the cubin has no kernels"),
        };
        return Err(message.at(Place::File(file.into())).into());
    }
    Ok(loaded)
}
