//! X1K programs: assembly text, ELF images, raw words.

mod dis;
mod info;
mod options;
mod run;
mod shader;

use super::finding::codes_of;
use super::{
    Code, CommandEntry, File, FileEncoding, Finding, InstructionSet, LogSource, OutputFile, RunnerEntry, Summary,
    assemble, log_sources, output_path,
};
use crate::options::ListingArgs;
use crate::report::{Location, Message};
use crate::wording::{one_line, ranges};
use crate::{Console, Failure, source};
use ctm_compile::front::Interface;
use ctm_compile::{Compiled, Variable};
use ctm_object::mesa::Driver;
use ctm_object::probe::{Content, Language};
use ctm_object::{d3d9, elf, raw};
use ctm_text::topic::Topic;
use ctm_text::{Origin, SourceFile, Substitute};
use ctm_x1k::check::{self, FindingCode, legal};
use ctm_x1k::text;
use ctm_x1k::{ConstantValues, Program, ProgramInfo};
use options::X1kArgs;
use serde_json::json;
use std::path::Path;

/// The instruction set.
pub struct X1k;

impl InstructionSet for X1k {
    fn name(&self) -> &'static str {
        "x1k"
    }

    fn about(&self) -> &'static str {
        "ATI X1K (R5xx) fragment programs"
    }

    fn languages(&self) -> &'static [Language] {
        &[Language::X1k, Language::Glsl, Language::Wgsl, Language::PixelShader]
    }

    fn containers(&self) -> &'static [Content] {
        &[Content::CtmImage, Content::MesaLog(Driver::R300), Content::PixelShaderCode]
    }

    /// Assembles into raw words if the name of the output ends in `.u32`, else into an ELF image.
    fn assemble(
        &self,
        path: &Path,
        source: &SourceFile,
        output: Option<&Path>,
        console: &mut Console,
    ) -> Result<Vec<OutputFile>, Failure> {
        let program = assemble(path, source, Some(Language::X1k), text::parse_with, console)?.program;
        let path = output_path(path, output, "elf");
        let bytes = file_of(&program, &path, console);
        Ok(vec![OutputFile { path, bytes }])
    }

    fn load(&self, file: File, console: &mut Console) -> Result<Vec<Box<dyn super::Loaded>>, Failure> {
        let boxed = |loaded| Box::new(loaded) as Box<dyn super::Loaded>;
        Ok(Loaded::all(file, &shader::Options::default(), console)?.into_iter().map(boxed).collect())
    }

    fn codes(&self) -> Vec<Code> {
        codes_of!(check::FindingCode)
    }

    fn topics(&self) -> Vec<Topic> {
        ctm_x1k::topics::topics()
    }

    fn substitutes(&self) -> &'static [Substitute] {
        ctm_x1k::text::SUBSTITUTES
    }

    fn runner(&self) -> Option<RunnerEntry> {
        Some(RunnerEntry::of::<X1kArgs>())
    }

    fn commands(&self) -> Vec<CommandEntry> {
        let about = "Compile a shader in GLSL, WGSL or Direct3D 9 text to an X1K program";
        vec![CommandEntry::of::<shader::CompileArgs>("compile", about)]
    }
}

/// The bytes of a program's file: raw words if its name ends in `.u32`, else an ELF image.
fn file_of(program: &Program, path: &Path, console: &mut Console) -> Vec<u8> {
    match path.extension() {
        Some(extension) if extension == "u32" => {
            lost_in_words(program).iter().for_each(|message| console.report(message));
            raw::write_words(&program.code)
        }
        _ => elf::write(program),
    }
}

/// A program and where it comes from.
struct Loaded {
    /// How the file is called in messages.
    name: String,
    program: Program,
    /// Where each instruction stands in the text; empty if the program comes from a binary.
    origins: Vec<Origin>,
    /// What the names of its source stand for, if that is a shader.
    interface: Option<Interface>,
    /// Where the variables of its source are, if that is wanted.
    variables: Vec<Variable>,
    /// It was made by ctm: Mesa's compiler has nothing to do with its code.
    is_own: bool,
}

impl Loaded {
    /// All programs of a file, at least one; only logs of Mesa have several. Raw words must say so by their name or by `--isa`,
    /// or be hexadecimal text. Warnings of the assembler are reported at once.
    fn all(file: File, options: &shader::Options, console: &mut Console) -> Result<Vec<Self>, Failure> {
        if file.content == Content::MesaLog(Driver::R300) {
            let (name, path) = (file.name.clone(), file.path.clone());
            let sources = log_sources(file, Driver::R300)?;
            let assembled = |log: LogSource| Self::of_text(&name, &log.source, Some(Language::X1k), &path, console);
            return sources.into_iter().map(assembled).collect();
        }
        let (program, origins) = match (file.content, file.form) {
            (Content::CtmImage, _) => {
                (elf::read(&file.bytes).map_err(|error| file.error(error.to_string()))?, Vec::new())
            }
            (Content::PixelShaderCode, _) => {
                let text = d3d9::read(&file.bytes).map_err(|error| file.error(error.to_string()))?;
                let source = SourceFile { name: format!("text of {}", file.name), text };
                return Ok(vec![Self::of_shader(file.name, source, Language::PixelShader, options, console)?]);
            }
            (_, FileEncoding::Words) => (words(&file, console)?, Vec::new()),
            (_, FileEncoding::Text | FileEncoding::Unknown) => {
                let text = source::text(&file.path, file.bytes).map_err(|message| {
                    message.help(
                        "raw instruction words need '--isa x1k', '--isa r700' or '--isa sm50'; a name that ends in .u32 means X1K",
                    )
                })?;
                let source = SourceFile { name: file.name.clone(), text };
                return Ok(vec![match file.language.filter(|language| language.is_compiled()) {
                    Some(language) => Self::of_shader(file.name, source, language, options, console)?,
                    None => Self::of_text(&file.name, &source, file.language, &file.path, console)?,
                }]);
            }
        };
        let is_own = file.content == Content::CtmImage;
        Ok(vec![Loaded { name: file.name, program, origins, interface: None, variables: Vec::new(), is_own }])
    }

    /// The program of a text that the file called `name` holds.
    fn of_text(
        name: &str,
        source: &SourceFile,
        language: Option<Language>,
        path: &Path,
        console: &mut Console,
    ) -> Result<Self, Failure> {
        let assembled = assemble(path, source, language, text::parse_with, console)?;
        Ok(Loaded {
            name: name.into(),
            program: assembled.program,
            origins: assembled.origins,
            interface: None,
            variables: Vec::new(),
            is_own: false,
        })
    }

    /// The program of a shader that the file called `name` holds.
    fn of_shader(
        name: String,
        source: SourceFile,
        language: Language,
        options: &shader::Options,
        console: &mut Console,
    ) -> Result<Self, Failure> {
        let (compiled, origins) = shader::compile(source, language, options, console)?;
        let Compiled { program, interface, variables, .. } = compiled;
        Ok(Loaded { name, program, origins, interface: Some(interface), variables, is_own: true })
    }

    /// Where instruction `pc` stands: its source line, else its disassembly.
    fn location(&self, pc: usize) -> Location {
        if let Some(origin) = self.origins.get(pc) {
            return Location::Text(origin.clone());
        }
        match self.program.code.get(pc) {
            Some(instruction) => Location::Listing {
                path: format!("disassembly of {}", self.name),
                number: pc,
                line: one_line(&text::print_instruction(instruction)),
            },
            None => Location::File(self.name.clone()),
        }
    }

    /// A finding as a message.
    fn message(&self, finding: &check::Finding) -> Message {
        let location = finding.pc.map_or_else(|| Location::File(self.name.clone()), |pc| self.location(pc));
        Message::new(finding.severity, &finding.message).code(finding.code.as_str()).at(location).help(&finding.help)
    }
}

impl super::Loaded for Loaded {
    fn file_name(&self) -> &str {
        &self.name
    }

    fn set_file_name(&mut self, name: String) {
        self.name = name;
    }

    fn disassemble(&self, args: &ListingArgs, console: &mut Console) -> Result<(), Failure> {
        dis::dis(self, args, console)
    }

    fn check(&self) -> Result<Vec<Finding>, Failure> {
        let found = |finding: &check::Finding| Finding {
            message: self.message(finding),
            numbers: vec![("pc", json!(finding.pc))],
        };
        let findings = check::check(&self.program);
        let is_meant = |finding: &&check::Finding| !self.is_own || finding.code != FindingCode::SmallInlineConstant;
        Ok(findings.iter().filter(is_meant).map(found).collect())
    }

    fn summary(&self) -> Result<Box<dyn Summary + '_>, Failure> {
        Ok(Box::new(info::Information(&self.program)))
    }
}

/// Warns of what a program has that its words do not say.
fn lost_in_words(program: &Program) -> Option<Message> {
    let ConstantValues { floats, ints, bools } = &program.constants;
    let named = [("c", floats.keys().collect::<Vec<_>>()), ("i", ints.keys().collect()), ("b", bools.keys().collect())];
    let constants = named.into_iter().filter(|(_, numbers)| !numbers.is_empty());
    let constants: Vec<String> =
        constants.map(|(prefix, numbers)| ranges(prefix, numbers.into_iter().copied())).collect();
    let implied = Program::from_code(program.code.clone()).info;
    let has_own_info = ProgramInfo { temps: implied.temps, ..program.info } != implied;
    let lost = match (constants.is_empty(), has_own_info) {
        (true, false) => return None,
        (false, false) => format!("the values of {}", constants.join(", ")),
        (true, true) => "entries of the program information".into(),
        (false, true) => format!("entries of the program information and the values of {}", constants.join(", ")),
    };
    let message = Message::warning(format!("raw words are the instructions alone: {lost} are lost"));
    Some(message.help("an ELF image (.elf) keeps them; 'ctm run' has options that give them again"))
}

/// The program of raw words.
fn words(file: &File, console: &mut Console) -> Result<Program, Message> {
    let other = "if these are words of another instruction set, --isa says so, as in '--isa r700'";
    let code = raw::read_words(&file.bytes).map_err(|error| {
        let message = file.error(error.to_string());
        if file.isa_is_guess { message.help(other) } else { message }
    })?;
    let program = Program::from_code(code);
    let is_legal = |bytes: &[u8]| raw::read_words(bytes).is_ok_and(|code| legal(&Program::from_code(code)).is_ok());
    file.warn_if_swapped(is_legal, console);
    if file.isa_is_guess && legal(&program).is_err() {
        let message = Message::note("the file is read as X1K words, but they are not a valid program");
        console.report(&message.at(Location::File(file.name.clone())).help(other));
    }
    Ok(program)
}
