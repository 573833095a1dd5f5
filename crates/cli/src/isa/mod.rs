//! Instruction sets: what each has to offer to the commands, and the list of them.
//!
//! A command finds the instruction set of a file and calls it through [`InstructionSet`] and [`Loaded`]; none knows which
//! there are. Another one is a module here and a line in [`REGISTRY`].

mod assembly;
mod choice;
mod commands;
mod ctm;
mod fields;
mod file;
mod finding;
mod pvs;
mod r700;
mod sm50;
mod x1k;

pub use assembly::{LogSource, OutputFile, assemble, log_sources, mistaken, output_path, unrecognised};
pub use choice::{load_all, load_one, one};
pub use commands::{CommandEntry, IsaCommand, IsaCommands, IsaOptions, Runner, RunnerEntry};
pub use file::{File, FileEncoding, ProgramArgs, language_of};
pub use finding::{Code, Finding};

use crate::options::ListingArgs;
use crate::report::Message;
use crate::{Console, Failure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ctm_object::probe::{Content, Language};
use ctm_text::topic::Topic;
use ctm_text::{SourceFile, Substitute};
use serde_json::Value;
use std::fmt;
use std::io::{self, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Every instruction set, the first one being that of texts and words which do not show another.
const REGISTRY: [Isa; 5] = [Isa(&x1k::X1k), Isa(&r700::R700), Isa(&sm50::Sm50), Isa(&pvs::Pvs), Isa(&ctm::Ctm)];

/// An instruction set, or another language of GPU commands.
pub trait InstructionSet: Sync {
    /// Its name, as `--isa` takes it.
    fn name(&self) -> &'static str;

    /// What it is, for `--help`.
    fn about(&self) -> &'static str;

    /// What its files hold, as a noun.
    fn noun(&self) -> &'static str {
        "program"
    }

    /// The languages that its programs are assembled or compiled from; that of its assembly first.
    fn languages(&self) -> &'static [Language];

    /// What files hold that certainly have programs of it.
    fn containers(&self) -> &'static [Content];

    /// Whether files that hold this may have programs of it.
    fn reads(&self, content: Content) -> bool {
        self.containers().contains(&content)
    }

    /// Whether a file is of this instruction set, as far as its name and what it holds show.
    fn recognises(&self, file: &File) -> bool {
        self.containers().contains(&file.content)
    }

    /// The files that may hold parts of the program of this file.
    fn companions(&self, _path: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Assembles a text into the files that the name of the output asks for; without one, into a file beside the text.
    /// Warnings are reported at once.
    ///
    /// # Errors
    /// The text is wrong.
    fn assemble(
        &self,
        path: &Path,
        source: &SourceFile,
        output: Option<&Path>,
        console: &mut Console,
    ) -> Result<Vec<OutputFile>, Failure>;

    /// Assembles several texts into one file that holds all their programs.
    ///
    /// # Errors
    /// A text is wrong, or the file that the output asks for holds one program.
    fn assemble_together(
        &self,
        _sources: &[(PathBuf, SourceFile)],
        _output: Option<&Path>,
        _console: &mut Console,
    ) -> Result<Vec<OutputFile>, Failure> {
        let message = Message::error("several texts are given, but the file that is written holds one program");
        Err(Failure::Usage(
            message.help("assemble them one by one; -o FILE.gsh holds a vertex and a pixel shader of the Wii U"),
        ))
    }

    /// Loads all programs of a file, at least one. Warnings are reported at once.
    ///
    /// # Errors
    /// The file is damaged or has no program.
    fn load(&self, file: File, console: &mut Console) -> Result<Vec<Box<dyn Loaded>>, Failure>;

    /// The codes of what its checks find.
    fn codes(&self) -> Vec<Code>;

    /// What its reference says of the names of its language.
    fn topics(&self) -> Vec<Topic> {
        Vec::new()
    }

    /// Operations of other languages that it does not have, and what takes their place.
    fn substitutes(&self) -> &'static [Substitute] {
        &[]
    }

    /// How its programs run, with the options that they have for themselves; none if what it has is not a program.
    fn runner(&self) -> Option<RunnerEntry>;

    /// The commands that it has for itself.
    fn commands(&self) -> Vec<CommandEntry> {
        Vec::new()
    }
}

/// A program that was loaded from a file.
pub trait Loaded {
    /// How the file is called in messages.
    fn file_name(&self) -> &str;

    /// Gives the file another name in messages.
    fn set_file_name(&mut self, name: String);

    /// How the file calls the program, if it gives names.
    fn title(&self) -> Option<&str> {
        None
    }

    /// What the program is for, if there are several kinds.
    fn stage(&self) -> Option<&'static str> {
        None
    }

    /// Prints the program as assembly, or every field of every instruction.
    ///
    /// # Errors
    /// The listing is not to be had in this form, or standard output takes no more.
    fn disassemble(&self, args: &ListingArgs, console: &mut Console) -> Result<(), Failure>;

    /// The code of findings about instructions that are not executed here, if there are such instructions.
    fn unsupported(&self) -> Option<&'static str> {
        None
    }

    /// What is wrong or suspicious in the program.
    ///
    /// # Errors
    /// It is not a program.
    fn check(&self) -> Result<Vec<Finding>, Failure>;

    /// What the program contains and uses.
    ///
    /// # Errors
    /// It is not a program.
    fn summary(&self) -> Result<Box<dyn Summary + '_>, Failure>;
}

/// What a program contains and uses.
pub trait Summary {
    /// For machines.
    fn json(&self) -> Value;

    /// What the program names of its surroundings, in the words of its assembly.
    fn uses(&self) -> Vec<String>;

    /// For people: a table. `title` is how the program is called, where that is of interest.
    ///
    /// # Errors
    /// The writer takes no more.
    fn print(&self, out: &mut dyn Write, title: Option<&str>) -> io::Result<()>;
}

/// A registered instruction set.
#[derive(Clone, Copy)]
pub struct Isa(&'static dyn InstructionSet);

impl Isa {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Isa> {
        REGISTRY.into_iter()
    }

    /// The one whose programs are made of texts in this language.
    pub fn of_language(language: Language) -> Isa {
        Isa::all().find(|isa| isa.languages().contains(&language)).unwrap_or(REGISTRY[0])
    }

    /// `--isa` where only instruction sets are meant.
    pub fn parser() -> impl TypedValueParser<Value = Isa> {
        let names = REGISTRY.map(|isa| PossibleValue::new(isa.name()).help(isa.about()));
        PossibleValuesParser::new(names).try_map(|name| {
            let named = Isa::all().find(|isa| isa.name() == name);
            named.ok_or_else(|| format!("unknown instruction set {name}"))
        })
    }
}

/// What `--isa` says of a file: its instruction set, or the language of its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsaChoice {
    /// The instruction set.
    pub isa: Isa,
    /// The language, if one that is compiled is named.
    pub language: Option<Language>,
}

impl IsaChoice {
    /// `--isa` of a file.
    pub fn parser() -> impl TypedValueParser<Value = IsaChoice> {
        let isas = REGISTRY.map(|isa| PossibleValue::new(isa.name()).help(isa.about()));
        let compiled = Language::ALL.into_iter().filter(|language| language.is_compiled());
        let languages = compiled.map(|language| PossibleValue::new(language.name()).help(language.to_string()));
        PossibleValuesParser::new(isas.into_iter().chain(languages)).try_map(|name| -> Result<IsaChoice, String> {
            if let Some(isa) = Isa::all().find(|isa| isa.name() == name) {
                return Ok(IsaChoice { isa, language: None });
            }
            let language = Language::ALL.into_iter().find(|language| language.name() == name);
            let language = language.ok_or_else(|| format!("unknown instruction set {name}"))?;
            Ok(IsaChoice { isa: Isa::of_language(language), language: Some(language) })
        })
    }
}

impl Deref for Isa {
    type Target = dyn InstructionSet;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl PartialEq for Isa {
    fn eq(&self, other: &Isa) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a command that is for programs does nothing with what this instruction set has.
fn no_program(isa: &dyn InstructionSet) -> Failure {
    let message = Message::error(format!("a {} is not a program that this command takes", isa.noun()));
    Failure::Usage(message.help(format!("'ctm dis --isa {}' shows it", isa.name())))
}

/// The files of a program, which may be in several.
pub fn program_files(path: &Path) -> impl Iterator<Item = PathBuf> {
    std::iter::once(path.into()).chain(Isa::all().flat_map(|isa| isa.companions(path)))
}
