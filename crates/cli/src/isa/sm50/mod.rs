//! SM50 programs: assembly text, header and code in one file or in two, bare compute code, cubins.

mod data;
mod debug;
mod dis;
mod draw;
mod fragments;
mod global;
mod info;
mod options;
mod resources;
mod run;
mod setup;
mod traps;

use super::finding::codes_of;
use super::{
    Code, CommandEntry, File, FileEncoding, Finding, InstructionSet, Isa, OutputFile, RunnerEntry, Summary, assemble,
    one, output_path,
};
use crate::host::Host;
use crate::options::ListingArgs;
use crate::report::{Location, Message};
use crate::{Console, Failure, source};
use ctm_object::probe::{Content, Language};
use ctm_object::sass::{self, SassError};
use ctm_object::sm50::{self, CODE_FILE, Kernel, Sm50Error, halves};
use ctm_sm50::link::{self, Placed};
use ctm_sm50::text::{self, Assembled};
use ctm_sm50::{Header, Program, check};
use ctm_text::findings::Severity;
use ctm_text::topic::Topic;
use ctm_text::{Origin, SourceFile, Substitute};
use draw::DrawArgs;
use options::{GlobalFile, Sm50Args};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Ending of the name of a program with its header in one file.
const WHOLE_FILE: &str = ".sph";

/// The instruction set.
pub struct Sm50;

impl InstructionSet for Sm50 {
    fn name(&self) -> &'static str {
        "sm50"
    }

    fn about(&self) -> &'static str {
        "NVIDIA SM50 (Maxwell) programs, with their headers or as compute code"
    }

    fn languages(&self) -> &'static [Language] {
        &[Language::Sm50]
    }

    fn containers(&self) -> &'static [Content] {
        &[Content::Cubin, Content::Dksh, Content::SassListing]
    }

    /// A cubin, a file whose name is that of a program with a header or of one of two files, or one that begins with a program
    /// header.
    fn recognises(&self, file: &File) -> bool {
        self.containers().contains(&file.content)
            || halves(&file.path).is_some()
            || has_ending(&file.path, WHOLE_FILE)
            || !has_ending(&file.path, ".u32") && sm50::begins_with_header(&file.bytes)
    }

    fn companions(&self, path: &Path) -> Vec<PathBuf> {
        halves(path).into_iter().flatten().collect()
    }

    /// Assembles into one file, or into a file for the header and one for the code where the output's name asks for that.
    fn assemble(
        &self,
        path: &Path,
        source: &SourceFile,
        output: Option<&Path>,
        console: &mut Console,
    ) -> Result<Vec<OutputFile>, Failure> {
        let program = assemble(path, source, Some(Language::Sm50), text::parse_with, console)?.program;
        if !program.constants.is_empty() {
            let message = "the file has the header and the code alone: the constants of the program are lost";
            let message = Message::warning(message).at(Location::File(source.name.clone()));
            console.report(&message.help("the text keeps them; --const and --bank give them again"));
        }
        let extension = if program.header.is_some() { WHOLE_FILE } else { CODE_FILE };
        let output = output_path(path, output, &extension[1..]);
        let Some([header_path, code_path]) = halves(&output) else {
            return Ok(vec![OutputFile { path: output, bytes: sm50::write(&program) }]);
        };
        let words = program.header.as_ref().map(Header::encode);
        let header = words.map(|words| OutputFile { path: header_path, bytes: words.map(u32::to_le_bytes).concat() });
        let code = OutputFile { path: code_path, bytes: program.code.to_bytes() };
        Ok(header.into_iter().chain([code]).collect())
    }

    fn load(&self, file: File, console: &mut Console) -> Result<Vec<Box<dyn super::Loaded>>, Failure> {
        let boxed = |loaded| Box::new(loaded) as Box<dyn super::Loaded>;
        Ok(Loaded::all(file, console)?.into_iter().map(boxed).collect())
    }

    fn codes(&self) -> Vec<Code> {
        codes_of!(check::FindingCode)
    }

    fn topics(&self) -> Vec<Topic> {
        ctm_sm50::topics::topics()
    }

    fn substitutes(&self) -> &'static [Substitute] {
        ctm_sm50::text::SUBSTITUTES
    }

    fn runner(&self) -> Option<RunnerEntry> {
        Some(RunnerEntry::of::<Sm50Args>())
    }

    fn commands(&self) -> Vec<CommandEntry> {
        vec![CommandEntry::of::<DrawArgs>("draw", "Draw with the programs of a graphics pipeline")]
    }
}

/// A program and where it comes from.
struct Loaded {
    /// How the file is called in messages.
    name: String,
    /// How the file calls the program, if it gives names.
    title: Option<String>,
    program: Program,
    /// Where each instruction stands in the text; empty if the program comes from a binary.
    origins: Vec<Origin>,
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending))
}

impl Loaded {
    /// Reads the file of a program of a pipeline.
    fn read(path: &Path, console: &mut Console) -> Result<Self, Failure> {
        one(Self::all(File::of(path, Isa::of_language(Language::Sm50), console)?, console)?, None, |loaded| loaded)
    }

    /// All programs of a file, at least one; only cubins have several. Warnings of the assembler are reported at once.
    fn all(file: File, console: &mut Console) -> Result<Vec<Self>, Failure> {
        if file.content == Content::SassListing {
            let text = source::text(&file.path, file.bytes.clone())?;
            let kernels = sass::read(&file.name, &text).map_err(|error| match error {
                SassError::Text(diagnostics) => diagnostics.into(),
                error => Failure::from(file.error(error.to_string())),
            })?;
            return Ok(Self::of_kernels(&file.name, kernels));
        }
        let is_text =
            file.form == FileEncoding::Text || file.form == FileEncoding::Unknown && has_ending(&file.path, ".sm50");
        if is_text {
            let source = SourceFile { name: file.name.clone(), text: source::text(&file.path, file.bytes)? };
            let Assembled { program, origins, .. } =
                assemble(&file.path, &source, Some(Language::Sm50), text::parse_with, console)?;
            return Ok(vec![Loaded { name: file.name, title: None, program, origins }]);
        }
        let wrong = |error: Sm50Error| file.error(error.to_string());
        let program = match halves(&file.path) {
            Some(halves) => read_halves(console.host, &file, halves)?,
            None if file.content == Content::Cubin => {
                return Ok(Self::of_kernels(&file.name, sm50::read_cubin(&file.bytes).map_err(wrong)?));
            }
            None if file.content == Content::Dksh => {
                return Ok(Self::of_kernels(&file.name, sm50::read_dksh(&file.bytes).map_err(wrong)?));
            }
            None if has_ending(&file.path, WHOLE_FILE) || sm50::begins_with_header(&file.bytes) => {
                sm50::read_program(&file.bytes).map_err(wrong)?
            }
            None => {
                file.warn_if_swapped(is_legal, console);
                sm50::read_code(&file.bytes).map_err(wrong)?
            }
        };
        Ok(vec![Loaded { name: file.name, title: None, program, origins: Vec::new() }])
    }

    /// The programs of a container.
    fn of_kernels(file: &str, kernels: Vec<Kernel>) -> Vec<Self> {
        let loaded =
            |Kernel { name, program }| Loaded { name: file.into(), title: Some(name), program, origins: Vec::new() };
        kernels.into_iter().map(loaded).collect()
    }

    /// Puts the libraries of the options behind the code.
    fn link(&mut self, sm50: &Sm50Args, console: &mut Console) -> Result<(), Failure> {
        if sm50.libraries.is_empty() && sm50.origin == 0 {
            return Ok(());
        }
        let mut libraries = Vec::new();
        for GlobalFile { address, path } in &sm50.libraries {
            libraries.push((*address, Loaded::read(path, console)?.program.code));
        }
        let placed: Vec<Placed> = libraries.iter().map(|(address, code)| Placed { address: *address, code }).collect();
        let linked = link::link(Placed { address: sm50.origin, code: &self.program.code }, &placed);
        self.program.code = linked.map_err(|error| {
            let message = Message::error(error.to_string()).at(Location::File(self.name.clone()));
            message.help("--origin ADDR says where the program lies, --library ADDR=FILE what it calls")
        })?;
        Ok(())
    }

    /// Where an instruction stands: its source line, else its disassembly.
    fn location(&self, index: usize) -> Location {
        if let Some(origin) = self.origins.get(index) {
            return Location::Text(origin.clone());
        }
        match self.program.code.instructions().get(index) {
            Some(instruction) => Location::Listing {
                path: format!("disassembly of {}", self.name),
                number: index,
                line: text::print_instruction(instruction, ctm_sm50::Code::address(index)),
            },
            None => Location::File(self.name.clone()),
        }
    }
}

impl super::Loaded for Loaded {
    fn file_name(&self) -> &str {
        &self.name
    }

    fn set_file_name(&mut self, name: String) {
        self.name = name;
    }

    fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    fn stage(&self) -> Option<&'static str> {
        self.program.header.map(|header| header.stage.name())
    }

    fn disassemble(&self, args: &ListingArgs, console: &mut Console) -> Result<(), Failure> {
        dis::dis(self, args, console)
    }

    fn unsupported(&self) -> Option<&'static str> {
        Some(check::FindingCode::Unsupported.as_str())
    }

    fn check(&self) -> Result<Vec<Finding>, Failure> {
        let found = |finding: &check::Finding| {
            let location =
                finding.index.map_or_else(|| Location::File(self.name.clone()), |index| self.location(index));
            let message = Message::new(finding.severity, &finding.message).code(finding.code.as_str()).at(location);
            let numbers = vec![("address", json!(finding.index.map(ctm_sm50::Code::address)))];
            Finding { message: message.help(&finding.help), numbers }
        };
        Ok(check::check(&self.program).iter().map(found).collect())
    }

    fn summary(&self) -> Result<Box<dyn Summary + '_>, Failure> {
        Ok(Box::new(info::Information(self)))
    }
}

/// Reads a program in two files, of which `file` is one. Code without a header beside it is compute code.
fn read_halves(host: &dyn Host, file: &File, [header, code]: [PathBuf; 2]) -> Result<Program, Failure> {
    let File { path, bytes, .. } = file;
    let wrong = |error: Sm50Error| {
        let at = if matches!(error, Sm50Error::Header { .. }) { &header } else { &code };
        Message::error(error.to_string()).at(Location::File(source::name(at)))
    };
    let program = if *path == header {
        sm50::read_pair(bytes, &source::read(host, &code)?)
    } else if host.exists(&header) {
        sm50::read_pair(&source::read(host, &header)?, bytes)
    } else {
        sm50::read_code(bytes)
    };
    Ok(program.map_err(wrong)?)
}

/// Whether bytes are compute code without an error.
fn is_legal(bytes: &[u8]) -> bool {
    let is_error = |finding: &check::Finding| finding.severity == Severity::Error;
    sm50::read_code(bytes).is_ok_and(|program| !check::check(&program).iter().any(is_error))
}
