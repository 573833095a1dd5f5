//! PVS programs: assembly text, raw words.

mod data;
mod debug;
mod dis;
mod info;
mod options;
mod run;

use super::finding::codes_of;
use super::{
    Code, File, FileEncoding, Finding, InstructionSet, LogSource, OutputFile, RunnerEntry, Summary, assemble,
    log_sources, one, output_path,
};
use crate::options::ListingArgs;
use crate::report::{Location, Message};
use crate::wording::one_line;
use crate::{Console, Failure, source};
use ctm_object::mesa::Driver;
use ctm_object::probe::{Content, Language};
use ctm_pvs::check::{self, Severity};
use ctm_pvs::{Program, text};
use ctm_text::topic::Topic;
use ctm_text::{Origin, SourceFile};
use options::PvsArgs;
use serde_json::json;
use std::path::Path;

/// The instruction set.
pub struct Pvs;

impl InstructionSet for Pvs {
    fn name(&self) -> &'static str {
        "pvs"
    }

    fn about(&self) -> &'static str {
        "ATI R3xx to R5xx vertex programs (PVS)"
    }

    fn noun(&self) -> &'static str {
        "vertex program"
    }

    fn languages(&self) -> &'static [Language] {
        &[Language::Pvs]
    }

    fn containers(&self) -> &'static [Content] {
        &[Content::MesaLog(Driver::R300Vertex)]
    }

    /// Logs with programs of X1K may have vertex programs too.
    fn reads(&self, content: Content) -> bool {
        matches!(content, Content::MesaLog(Driver::R300 | Driver::R300Vertex))
    }

    /// Assembles into raw words.
    fn assemble(
        &self,
        path: &Path,
        source: &SourceFile,
        output: Option<&Path>,
        console: &mut Console,
    ) -> Result<Vec<OutputFile>, Failure> {
        let program = assemble(path, source, Some(Language::Pvs), text::parse_with, console)?.program;
        if program != Program::new(program.code.clone()) {
            let message = "raw words have neither constants nor flow control, and begin with the first instruction";
            let help = "keep the text, which says all of it";
            console.report(&Message::warning(message).at(Location::File(source.name.clone())).help(help));
        }
        let bytes = program.words().flatten().flat_map(u32::to_le_bytes).collect();
        Ok(vec![OutputFile { path: output_path(path, output, "u32"), bytes }])
    }

    fn load(&self, file: File, console: &mut Console) -> Result<Vec<Box<dyn super::Loaded>>, Failure> {
        let boxed = |loaded| Box::new(loaded) as Box<dyn super::Loaded>;
        Ok(Loaded::all(file, console)?.into_iter().map(boxed).collect())
    }

    fn codes(&self) -> Vec<Code> {
        codes_of!(check::FindingCode)
    }

    fn topics(&self) -> Vec<Topic> {
        ctm_pvs::topics::topics()
    }

    fn runner(&self) -> Option<RunnerEntry> {
        Some(RunnerEntry::of::<PvsArgs>())
    }
}

/// A program and where it comes from.
struct Loaded {
    /// How the file is called in messages.
    name: String,
    program: Program,
    /// Where each instruction stands in the text; empty if the program comes from words.
    origins: Vec<Origin>,
}

impl Loaded {
    /// The only program of a file, or the one that `--kernel` chooses.
    fn chosen(file: File, console: &mut Console) -> Result<Self, Failure> {
        let kernel = file.kernel.clone();
        one(Self::all(file, console)?, kernel.as_deref(), |loaded| loaded)
    }

    /// All programs of a file, at least one; only logs of Mesa have several. Warnings of the assembler are reported at once.
    fn all(file: File, console: &mut Console) -> Result<Vec<Self>, Failure> {
        if !matches!(file.content, Content::MesaLog(_)) {
            return Ok(vec![Self::new(file, console)?]);
        }
        let (name, path) = (file.name.clone(), file.path.clone());
        let assembled = |log: LogSource| {
            let assembled = assemble(&path, &log.source, Some(Language::Pvs), text::parse_with, console)?;
            Ok(Loaded { name: name.clone(), program: assembled.program, origins: assembled.origins })
        };
        log_sources(file, Driver::R300Vertex)?.into_iter().map(assembled).collect()
    }

    /// The program of a file that has one.
    fn new(file: File, console: &mut Console) -> Result<Self, Failure> {
        if file.form == FileEncoding::Words {
            let program = words(&file.bytes).map_err(|cause| file.error(cause))?;
            file.warn_if_swapped(|bytes| words(bytes).is_ok_and(|program| is_legal(&program)), console);
            return Ok(Loaded { name: file.name, program, origins: Vec::new() });
        }
        let text = source::text(&file.path, file.bytes)?;
        let source = SourceFile { name: file.name.clone(), text };
        let assembled = assemble(&file.path, &source, Some(Language::Pvs), text::parse_with, console)?;
        Ok(Loaded { name: file.name, program: assembled.program, origins: assembled.origins })
    }

    /// Where an instruction stands: its source line, else its disassembly.
    fn location(&self, pc: usize) -> Location {
        match (self.origins.get(pc), self.program.code.get(pc)) {
            (Some(origin), _) => Location::Text(origin.clone()),
            (None, Some(instruction)) => Location::Listing {
                path: format!("disassembly of {}", self.name),
                number: pc,
                line: one_line(&text::print_instruction(instruction)),
            },
            (None, None) => Location::File(self.name.clone()),
        }
    }

    /// A finding as a message.
    fn message(&self, finding: &check::Finding) -> Message {
        let location = finding.pc.map_or_else(|| Location::File(self.name.clone()), |pc| self.location(pc));
        let code = finding.code;
        Message::new(code.severity(), &finding.message).code(code.as_str()).at(location).help(&finding.help)
    }
}

/// The program of raw words.
fn words(bytes: &[u8]) -> Result<Program, String> {
    let (dwords, []) = bytes.as_chunks::<4>() else {
        return Err(format!("{} bytes are not a whole number of dwords", bytes.len()));
    };
    let dwords: Vec<u32> = dwords.iter().map(|dword| u32::from_le_bytes(*dword)).collect();
    Program::from_dwords(&dwords).map_err(|error| error.to_string())
}

fn is_legal(program: &Program) -> bool {
    check::check(program).iter().all(|finding| finding.code.severity() != Severity::Error)
}

impl super::Loaded for Loaded {
    fn file_name(&self) -> &str {
        &self.name
    }

    fn set_file_name(&mut self, name: String) {
        self.name = name;
    }

    fn disassemble(&self, args: &ListingArgs, console: &mut Console) -> Result<(), Failure> {
        dis::dis(&self.program, args, console)
    }

    fn check(&self) -> Result<Vec<Finding>, Failure> {
        let found = |finding: &check::Finding| Finding {
            message: self.message(finding),
            numbers: vec![("pc", json!(finding.pc))],
        };
        Ok(check::check(&self.program).iter().map(found).collect())
    }

    fn summary(&self) -> Result<Box<dyn Summary + '_>, Failure> {
        Ok(Box::new(info::Information(&self.program)))
    }
}
