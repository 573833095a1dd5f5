//! R700 programs: assembly text, LLVM's objects, shader files of the Wii U, listings of Mesa, raw words.

mod dis;
mod info;

pub use dis::{dis, steps};
pub use info::info;

use super::{File, Form, Found, assemble};
use crate::report::{Message, Place};
use crate::wording::{listing, title};
use crate::{Console, Failure, source};
use ctm_object::{mesa, r700};
use ctm_r700::check::{self, Finding};
use ctm_r700::{Program, Wavefront, text};
use ctm_text::{Origin, SourceFile};
use serde_json::json;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;

/// How the files of LLVM's r600 back end begin: 32-bit little-endian ELF.
const ELF32: &[u8] = b"\x7FELF\x01\x01";
/// Where an ELF file names its machine, and AMD's GPUs as it names them.
const ELF_MACHINE: (usize, [u8; 2]) = (18, [224, 0]);
/// How shader files of the Wii U begin.
const GFD: &[u8] = b"Gfx2";

/// Most programs of a log that are read at once.
const MOST_LISTED: usize = 4096;

/// A program and where it comes from.
pub struct Loaded {
    /// How the file is called in messages.
    pub name: String,
    /// How the file calls the program, if it gives names.
    pub title: Option<String>,
    /// The program.
    pub program: Program,
    /// Where each instruction stands in the text, by its address; empty if the program comes from a binary.
    pub origins: BTreeMap<u32, Origin>,
    /// The disassembly, by address, once somebody asks for it.
    lines: OnceCell<BTreeMap<u32, String>>,
}

/// True for files of which the content shows that they have programs of R700.
pub fn is_program(bytes: &[u8]) -> bool {
    is_container(bytes) || log(bytes).is_some()
}

fn is_container(bytes: &[u8]) -> bool {
    let (at, machine) = ELF_MACHINE;
    bytes.starts_with(GFD) || bytes.starts_with(ELF32) && bytes.get(at..at + 2) == Some(&machine)
}

/// The text of a file that is a listing of Mesa's r600 driver.
fn log(bytes: &[u8]) -> Option<&str> {
    let text = str::from_utf8(bytes).ok()?;
    (mesa::driver(text) == Some(mesa::Driver::R600)).then_some(text)
}

impl Loaded {
    /// The program in a file, or the one that `wanted` chooses from several. Warnings of the assembler are told at once.
    pub fn new(file: File, wanted: Option<&str>, console: &mut Console) -> Result<Self, Failure> {
        let mut programs = Self::of(file, wanted, console)?;
        if let [one, _, ..] = &programs[..] {
            let message = format!("the file has {} programs: {}", programs.len(), titles(&programs));
            let message = Message::error(message).at(Place::File(one.name.clone()));
            return Err(Failure::Usage(message.help("choose one with --kernel NAME or --kernel NUMBER")));
        }
        Ok(programs.remove(0))
    }

    /// The program that `wanted` chooses, by name or number from 0; without it, all programs of the file, at least one.
    pub fn of(file: File, wanted: Option<&str>, console: &mut Console) -> Result<Vec<Self>, Failure> {
        let mut programs = Self::all(file, console)?;
        let Some(wanted) = wanted else { return Ok(programs) };
        let named = programs.iter().position(|program| program.title.as_deref() == Some(wanted));
        match named.or_else(|| wanted.parse().ok()).filter(|&place| place < programs.len()) {
            Some(place) => Ok(vec![programs.swap_remove(place)]),
            None => {
                let message = Message::error(format!("the file has no program '{wanted}'"));
                let message = message.at(Place::File(programs[0].name.clone()));
                Err(Failure::Usage(message.help(format!("it has {}", titles(&programs)))))
            }
        }
    }

    /// All programs of a file, at least one. What kind of file it is follows from what it holds; raw words must say so by
    /// `--isa`.
    fn all(file: File, console: &mut Console) -> Result<Vec<Self>, Failure> {
        let File { path, name, bytes, form, .. } = file;
        let wrong = |message: String| Message::error(message).at(Place::File(name.clone()));
        if let Some(text) = log(&bytes) {
            let import = |(index, text): (usize, Result<String, mesa::MesaError>)| {
                let text = text.map_err(|error| wrong(error.to_string()))?;
                let source = SourceFile { name: format!("program {index} of {name}"), text };
                Self::of_text(&name, &source, &path, console)
            };
            let programs = mesa::import_all(text);
            if programs.len() > MOST_LISTED {
                let message = wrong(format!("the log has {} programs; at most {MOST_LISTED} are read", programs.len()));
                return Err(message.help("'ctm import mesa LOG --index N -o PROGRAM' takes one out").into());
            }
            return programs.enumerate().map(import).collect();
        }
        if is_container(&bytes) || form == Form::Words {
            let programs = r700::load(&bytes).map_err(|error| wrong(error.to_string()))?;
            let repaired: usize = programs.iter().map(|program| program.repaired).sum();
            if repaired > 0 {
                let message = format!(
                    "LLVM gave {repaired} MOVA_INT the opcode that it has on later processors; they were set right"
                );
                console.tell(&Message::note(message).at(Place::File(name.clone())));
            }
            let loaded = |program: r700::Loaded| Loaded {
                name: name.clone(),
                title: program.name,
                program: program.program,
                origins: BTreeMap::new(),
                lines: OnceCell::new(),
            };
            return Ok(programs.into_iter().map(loaded).collect());
        }
        let text =
            source::text(&path, bytes).map_err(|message| message.help("raw instruction words need '--isa r700'"))?;
        let source = SourceFile { name: name.clone(), text };
        Ok(vec![Self::of_text(&name, &source, &path, console)?])
    }

    /// The program of a text that the file called `name` holds.
    fn of_text(name: &str, source: &SourceFile, path: &Path, console: &mut Console) -> Result<Self, Failure> {
        let text::Assembled { program, origins, .. } = assemble(path, source, text::parse_with, console)?;
        Ok(Loaded { name: name.into(), title: None, program, origins, lines: OnceCell::new() })
    }

    /// Where an instruction stands: its source line, else its disassembly. `slot` is the group or fetch instruction of the
    /// clause of control-flow instruction `pc`.
    pub fn place(&self, pc: u32, slot: Option<u32>) -> Place {
        let address = slot.unwrap_or(pc);
        if let Some(origin) = self.origins.get(&address).or_else(|| self.origins.get(&pc)) {
            return Place::Text(origin.clone());
        }
        match self.lines.get_or_init(|| dis::lines(&self.program)).get(&address).cloned() {
            Some(line) => {
                Place::Listing { path: format!("disassembly of {}", self.name), number: address as usize, line }
            }
            None => Place::File(self.name.clone()),
        }
    }
}

/// The programs of a file by number, name and stage.
fn titles(programs: &[Loaded]) -> String {
    let title = |(number, program): (usize, &Loaded)| {
        let name = program.title.as_ref().map(|title| format!(" {title}")).unwrap_or_default();
        format!("{number}{name} ({})", program.program.info.stage.name())
    };
    listing(programs.iter().enumerate().map(title))
}

/// Checks programs of a file. If there are several, findings say which one they are about.
pub fn check(programs: Vec<Loaded>) -> Vec<Found> {
    let several = programs.len() > 1;
    let of_program = |(number, mut loaded): (usize, Loaded)| {
        let name = loaded.title.as_deref().map_or_else(|| number.to_string(), title);
        if several {
            loaded.name = format!("program {name} of {}", loaded.name);
        }
        check_one(&loaded, several.then_some(&name))
    };
    programs.into_iter().enumerate().flat_map(of_program).collect()
}

fn check_one(loaded: &Loaded, program: Option<&String>) -> Vec<Found> {
    let findings = check::check(&loaded.program, Wavefront::default());
    let found = |finding: &Finding| {
        let place = finding.pc.map_or_else(|| Place::File(loaded.name.clone()), |pc| loaded.place(pc, finding.slot));
        let message = Message::new(finding.severity, &finding.message).code(finding.code.as_str()).at(place);
        let numbers = vec![("program", json!(program)), ("pc", json!(finding.pc)), ("slot", json!(finding.slot))];
        Found { message: message.help(&finding.help), place: numbers }
    };
    findings.iter().map(found).collect()
}

/// Assembles a text into what the name of the output asks for: raw words if it ends in `.u32`, else an object like those of
/// LLVM, whose function has the name of the text.
pub fn assemble_for(
    path: &Path,
    source: &SourceFile,
    output: &Path,
    console: &mut Console,
) -> Result<Vec<u8>, Failure> {
    let program = assemble(path, source, text::parse_with, console)?.program;
    Ok(match output.extension() {
        Some(extension) if extension == "u32" => r700::write_words(&program),
        _ => {
            let stem = path.file_stem().filter(|_| !source::is_standard(path)).and_then(|stem| stem.to_str());
            r700::write_object(&program, stem.unwrap_or("main"))
        }
    })
}
