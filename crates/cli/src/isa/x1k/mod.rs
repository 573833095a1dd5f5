//! X1K programs: assembly text, ELF images, raw words.

mod dis;
mod info;

pub use dis::dis;
pub use info::info;

use super::{File, Form, Found, assemble};
use crate::report::{Message, Place};
use crate::wording::one_line;
use crate::{Console, Failure, source};
use ctm_object::{elf, raw};
use ctm_text::{Origin, SourceFile};
use ctm_x1k::Program;
use ctm_x1k::check::{self, Finding, legal};
use ctm_x1k::text;
use serde_json::json;
use std::path::Path;

/// A program and where it comes from.
pub struct Loaded {
    /// How the file is called in messages.
    pub name: String,
    /// The program.
    pub program: Program,
    /// Where each instruction stands in the text; empty if the program comes from a binary.
    pub origins: Vec<Origin>,
}

impl Loaded {
    /// The program in a file. The kind of file follows from what it holds; raw words must say so by their name or by
    /// `--isa`, or be hexadecimal text. Warnings of the assembler are told at once.
    pub fn new(
        File { path, name, bytes, form, isa_is_guess, .. }: File,
        console: &mut Console,
    ) -> Result<Self, Failure> {
        let wrong = |message: String| Message::error(message).at(Place::File(name.clone()));
        let (program, origins) = if bytes.starts_with(b"\x7FELF") {
            (elf::read(&bytes).map_err(|error| wrong(error.to_string()))?, Vec::new())
        } else if form == Form::Words {
            let other = "if these are words of another instruction set, --isa says so, as in '--isa r700'";
            let code = raw::read_words(&bytes).map_err(|error| {
                let message = wrong(error.to_string());
                if isa_is_guess { message.help(other) } else { message }
            })?;
            let program = Program::from_code(code);
            if isa_is_guess && legal(&program).is_err() {
                let message = Message::note("the file is taken for words of X1K, which they are no legal program of");
                console.tell(&message.at(Place::File(name.clone())).help(other));
            }
            (program, Vec::new())
        } else {
            let text = source::text(&path, bytes).map_err(|message| {
                message.help(
                    "raw instruction words need '--isa x1k', '--isa r700' or '--isa sm50'; a name that ends in .u32 means X1K",
                )
            })?;
            let source = SourceFile { name: name.clone(), text };
            source::require_assembly(&source)?;
            let assembled = assemble(&path, &source, text::parse_with, console)?;
            (assembled.program, assembled.origins)
        };
        Ok(Loaded { name, program, origins })
    }

    /// Where instruction `pc` stands: its source line, else its disassembly.
    pub fn place(&self, pc: usize) -> Place {
        if let Some(origin) = self.origins.get(pc) {
            return Place::Text(origin.clone());
        }
        match self.program.code.get(pc) {
            Some(instruction) => Place::Listing {
                path: format!("disassembly of {}", self.name),
                number: pc,
                line: one_line(&text::print_instruction(instruction)),
            },
            None => Place::File(self.name.clone()),
        }
    }

    /// A finding as a message.
    pub fn message(&self, finding: &Finding) -> Message {
        let place = finding.pc.map_or_else(|| Place::File(self.name.clone()), |pc| self.place(pc));
        Message::new(finding.severity, &finding.message).code(finding.code.as_str()).at(place).help(&finding.help)
    }

    /// Refuses a program that no machine would load.
    pub fn require_legal(&self) -> Result<(), Failure> {
        legal(&self.program)
            .map_err(|findings| Failure::Input(findings.iter().map(|finding| self.message(finding)).collect()))
    }
}

/// Checks a program.
pub fn check(loaded: &Loaded) -> Vec<Found> {
    let findings = check::check(&loaded.program);
    let found = |finding| Found { message: loaded.message(finding), place: vec![("pc", json!(finding.pc))] };
    findings.iter().map(found).collect()
}

/// Assembles a text into what the name of the output asks for: raw words if it ends in `.u32`, else an ELF image.
pub fn assemble_for(
    path: &Path,
    source: &SourceFile,
    output: &Path,
    console: &mut Console,
) -> Result<Vec<u8>, Failure> {
    let assembled = assemble(path, source, text::parse_with, console)?;
    Ok(match output.extension() {
        Some(extension) if extension == "u32" => raw::write_words(&assembled.program.code),
        _ => elf::write(&assembled.program),
    })
}
