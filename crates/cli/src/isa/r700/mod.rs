//! R700 programs: assembly text, LLVM's objects, shader files of the Wii U, listings of Mesa, raw words.

mod dis;
mod dump;
mod info;
mod options;
mod run;

use super::finding::codes_of;
use super::{
    Code, File, FileEncoding, Finding, InstructionSet, LogSource, OutputFile, RunnerEntry, Summary, assemble,
    log_sources, output_path,
};
use crate::options::ListingArgs;
use crate::report::{Location, Message};
use crate::{Console, Failure, source};
use ctm_object::mesa::Driver;
use ctm_object::probe::{Content, Language};
use ctm_object::r700;
use ctm_r700::{Cf, CfOp, Outline, Program, ProgramInfo, Stage, Wavefront, check, text};
use ctm_text::findings::Severity;
use ctm_text::topic::Topic;
use ctm_text::{Origin, SourceFile, Substitute};
use dump::Dump;
use options::R700Args;
use serde_json::json;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The instruction set.
pub struct R700;

impl InstructionSet for R700 {
    fn name(&self) -> &'static str {
        "r700"
    }

    fn about(&self) -> &'static str {
        "ATI R700 and R600 (Wii U \"Latte\") shader programs"
    }

    fn languages(&self) -> &'static [Language] {
        &[Language::R700]
    }

    fn containers(&self) -> &'static [Content] {
        &[Content::R600Object, Content::Gfd, Content::MesaLog(Driver::R600)]
    }

    /// A container, or a file with the name of an emulator's dump that is not text.
    fn recognises(&self, file: &File) -> bool {
        self.containers().contains(&file.content)
            || file.form != FileEncoding::Text && dump::named(&file.path).is_some()
    }

    fn companions(&self, path: &Path) -> Vec<PathBuf> {
        dump::fetch_program(path).into_iter().collect()
    }

    /// Assembles into raw words if the name of the output ends in `.u32`, else into an object like those of LLVM, whose
    /// function has the name of the text.
    fn assemble(
        &self,
        path: &Path,
        source: &SourceFile,
        output: Option<&Path>,
        console: &mut Console,
    ) -> Result<Vec<OutputFile>, Failure> {
        if is_shader_file(output) {
            return self.assemble_together(&[(path.to_owned(), source.clone())], output, console);
        }
        let program = assemble(path, source, Some(Language::R700), text::parse_with, console)?.program;
        let output = output_path(path, output, "elf");
        let bytes = match output.extension() {
            Some(extension) if extension == "u32" => {
                lost_in_words(&program).iter().for_each(|message| console.report(message));
                r700::write_words(&program)
            }
            _ => {
                let stem = path.file_stem().filter(|_| !source::is_standard(path)).and_then(|stem| stem.to_str());
                r700::write_object(&program, stem.unwrap_or("main"))
            }
        };
        Ok(vec![OutputFile { path: output, bytes }])
    }

    /// Assembles into a shader file of the Wii U, with the headers that the comments of the texts describe.
    fn assemble_together(
        &self,
        sources: &[(PathBuf, SourceFile)],
        output: Option<&Path>,
        console: &mut Console,
    ) -> Result<Vec<OutputFile>, Failure> {
        let Some(output) = output.filter(|path| is_shader_file(Some(path))) else {
            let message = Message::error("several texts are given, but the file that is written holds one program");
            return Err(Failure::Usage(message.help("-o FILE.gsh holds a vertex and a pixel shader of the Wii U")));
        };
        let mut shaders = Vec::new();
        for (path, source) in sources {
            let program = Loaded::of_text(&source.name, source, path, console)?.program;
            let stage = program.info.stage;
            let kind = r700::GfdKind::of(stage).ok_or_else(|| {
                let message = Message::error(r700::NotGfd(stage).to_string()).at(Location::File(source.name.clone()));
                message
                    .help("'.stage vs' and '.stage ps' say what a text is, and so do names that end in .vsh and .psh")
            })?;
            let header = r700::parse_gfd_comments(source, &program, kind)?;
            shaders.push((program, header));
        }
        let shaders: Vec<_> = shaders.iter().map(|(program, header)| (program, header)).collect();
        Ok(vec![OutputFile { path: output.into(), bytes: r700::write_gfd(&shaders) }])
    }

    fn load(&self, file: File, console: &mut Console) -> Result<Vec<Box<dyn super::Loaded>>, Failure> {
        let boxed = |loaded| Box::new(loaded) as Box<dyn super::Loaded>;
        Ok(Loaded::all(file, console)?.into_iter().map(boxed).collect())
    }

    fn codes(&self) -> Vec<Code> {
        codes_of!(check::FindingCode)
    }

    fn topics(&self) -> Vec<Topic> {
        ctm_r700::topics::topics()
    }

    fn substitutes(&self) -> &'static [Substitute] {
        ctm_r700::text::SUBSTITUTES
    }

    fn runner(&self) -> Option<RunnerEntry> {
        Some(RunnerEntry::of::<R700Args>())
    }
}

/// Whether the name of an output is that of a shader file of the Wii U.
fn is_shader_file(output: Option<&Path>) -> bool {
    output.and_then(Path::extension).is_some_and(|ending| ending == "gsh")
}

/// A program and where it comes from.
struct Loaded {
    /// How the file is called in messages.
    name: String,
    /// How the file calls the program, if it gives names.
    title: Option<String>,
    program: Program,
    /// The header that a shader file of the Wii U has for it.
    gfd: Option<Box<r700::GfdHeader>>,
    /// Where each instruction stands in the text, by its address; empty if the program comes from a binary.
    origins: BTreeMap<u32, Origin>,
    /// The disassembly, by address, once a message needs it.
    lines: OnceCell<BTreeMap<u32, String>>,
}

impl Loaded {
    /// All programs of a file, at least one. Raw words must say so by `--isa`. Warnings of the assembler are reported at once.
    fn all(file: File, console: &mut Console) -> Result<Vec<Self>, Failure> {
        match (file.content, file.form) {
            (Content::MesaLog(Driver::R600), _) => Self::of_log(file, console),
            (Content::R600Object, _) => {
                let programs = r700::read_llvm(&file.bytes).map_err(|error| file.error(error.to_string()))?;
                Ok(Self::of_objects(&file, programs, console))
            }
            (Content::Gfd, _) => {
                let programs = r700::read_gfd(&file.bytes).map_err(|error| file.error(error.to_string()))?;
                Ok(Self::of_objects(&file, programs, console))
            }
            (_, form)
                if form == FileEncoding::Words || dump::named(&file.path).is_some() && form != FileEncoding::Text =>
            {
                let program = words(file, console)?;
                Ok(vec![program])
            }
            _ => {
                let text = source::text(&file.path, file.bytes)
                    .map_err(|message| message.help("raw instruction words need '--isa r700'"))?;
                let source = SourceFile { name: file.name.clone(), text };
                Ok(vec![Self::of_text(&file.name, &source, &file.path, console)?])
            }
        }
    }

    fn new(name: &str, title: Option<String>, program: Program, origins: BTreeMap<u32, Origin>) -> Self {
        Loaded { name: name.into(), title, program, gfd: None, origins, lines: OnceCell::new() }
    }

    /// The programs of a container.
    fn of_objects(file: &File, programs: Vec<r700::Loaded>, console: &mut Console) -> Vec<Self> {
        let repaired: usize = programs.iter().map(|program| program.repaired).sum();
        if repaired > 0 {
            let message = format!(
                "LLVM gave {repaired} MOVA_INT the opcode that it has on later processors; they were set right"
            );
            console.report(&Message::note(message).at(Location::File(file.name.clone())));
        }
        let loaded = |program: r700::Loaded| {
            let loaded = Self::new(&file.name, program.name, program.program, BTreeMap::new());
            Loaded { gfd: program.gfd, ..loaded }
        };
        programs.into_iter().map(loaded).collect()
    }

    /// The programs of a listing of Mesa's driver.
    fn of_log(file: File, console: &mut Console) -> Result<Vec<Self>, Failure> {
        let (name, path) = (file.name.clone(), file.path.clone());
        let assembled = |log: LogSource| {
            let loaded = Self::of_text(&name, &log.source, &path, console)?;
            Ok(Loaded { title: log.title, ..loaded })
        };
        log_sources(file, Driver::R600)?.into_iter().map(assembled).collect()
    }

    /// The program of a text that the file called `name` holds.
    fn of_text(name: &str, source: &SourceFile, path: &Path, console: &mut Console) -> Result<Self, Failure> {
        let text::Assembled { program, origins, .. } =
            assemble(path, source, Some(Language::R700), text::parse_with, console)?;
        let mut loaded = Self::new(name, None, program, origins);
        // latte-assembler's texts say by their names what they are for.
        let is_default = loaded.program.info.stage == ProgramInfo::default().stage;
        if is_default && path.extension().is_some_and(|ending| ending == "vsh") {
            loaded.program.info.stage = Stage::Vertex;
        }
        Ok(loaded)
    }

    /// Whether it calls a fetch program.
    fn calls_fetch_program(&self) -> bool {
        let outline = Outline::of(&self.program.code, self.program.info.family);
        outline.cf.iter().any(|cf| matches!(cf, Cf::Plain(plain) if plain.op == CfOp::CallFs))
    }

    /// Where an instruction stands: its source line, else its disassembly. `slot` is the group or fetch instruction of the
    /// clause of control-flow instruction `pc`.
    fn location(&self, pc: u32, slot: Option<u32>) -> Location {
        let address = slot.unwrap_or(pc);
        if let Some(origin) = self.origins.get(&address).or_else(|| self.origins.get(&pc)) {
            return Location::Text(origin.clone());
        }
        match self.lines.get_or_init(|| dis::lines(&self.program)).get(&address).cloned() {
            Some(line) => {
                Location::Listing { path: format!("disassembly of {}", self.name), number: address as usize, line }
            }
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
        Some(self.program.info.stage.name())
    }

    fn disassemble(&self, args: &ListingArgs, console: &mut Console) -> Result<(), Failure> {
        dis::dis(self, args, console)
    }

    fn unsupported(&self) -> Option<&'static str> {
        Some(check::FindingCode::Unsupported.as_str())
    }

    fn check(&self) -> Result<Vec<Finding>, Failure> {
        let found = |finding: &check::Finding| {
            let file = || Location::File(self.name.clone());
            let location = finding.pc.map_or_else(file, |pc| self.location(pc, finding.slot));
            let message = Message::new(finding.severity, &finding.message).code(finding.code.as_str()).at(location);
            let numbers = vec![("pc", json!(finding.pc)), ("slot", json!(finding.slot))];
            Finding { message: message.help(&finding.help), numbers }
        };
        Ok(check::check(&self.program, Wavefront::default()).iter().map(found).collect())
    }

    fn summary(&self) -> Result<Box<dyn Summary + '_>, Failure> {
        Ok(Box::new(info::Information(self)))
    }
}

/// Warns of what a program has that its words do not say. Registers and stack count as all that there are.
fn lost_in_words(program: &Program) -> Option<Message> {
    let ProgramInfo { num_gprs, stack_size, .. } = program.info;
    (ProgramInfo { num_gprs, stack_size, ..ProgramInfo::default() } != program.info).then(|| {
        let lost = "raw words are the instructions alone: family, stage and modes of the program are lost";
        Message::warning(lost).help("an object (.elf) keeps them; 'ctm run' has --stage")
    })
}

/// The program of bare words. The name of an emulator's dump says what stage it is of, and its words may be in the byte order of the
/// Wii U's processor.
fn words(mut file: File, console: &mut Console) -> Result<Loaded, Failure> {
    let dump = dump::named(&file.path);
    let stage = match dump {
        Some(Dump::Stage(stage)) => stage,
        Some(Dump::Compute) | None => ProgramInfo::default().stage,
    };
    let is_legal = |words: &[u8]| is_legal(words, stage);
    match dump {
        None => file.warn_if_swapped(is_legal, console),
        Some(_) => file.swap_back(is_legal, console),
    }
    if dump == Some(Dump::Compute) {
        let message = format!("there is no stage for compute programs; this one is taken for a {}", stage.properties());
        console.report(&Message::warning(message).at(Location::File(file.name.clone())).help("--stage gives another"));
    }
    let mut program = r700::read_words(&file.bytes).map_err(|error| file.error(error.to_string()))?;
    program.info.stage = stage;
    Ok(Loaded::new(&file.name, None, program, BTreeMap::new()))
}

/// Whether words are a program of a stage without an error.
fn is_legal(words: &[u8], stage: Stage) -> bool {
    let is_error = |finding: &check::Finding| finding.severity == Severity::Error;
    r700::read_words(words).is_ok_and(|mut program| {
        program.info.stage = stage;
        !check::check(&program, Wavefront::default()).iter().any(is_error)
    })
}
