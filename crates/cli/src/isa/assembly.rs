//! Assembling texts.

use super::File;
use crate::report::{Location, Message, diagnostic};
use crate::{Console, Failure, source};
use ctm_object::mesa::{self, Driver, Keep, Log};
use ctm_object::probe;
use ctm_object::probe::{Content, Language};
use ctm_text::{Assembled, Diagnostic, Loader, SourceFile};
use std::path::{Path, PathBuf};

/// A file that is to be written; `-` is standard output.
pub struct OutputFile {
    /// The file.
    pub path: PathBuf,
    /// What it is to hold.
    pub bytes: Vec<u8>,
}

/// Assembles the text that the file at `path` holds, or that was made of what it holds, by the assembler of an instruction
/// set. `#include` reads what the host gives. Warnings are reported at once. Without a language, the text was taken for one of
/// this instruction set because it shows nothing.
pub fn assemble<P, O>(
    path: &Path,
    source: &SourceFile,
    language: Option<Language>,
    parse: impl FnOnce(&str, &str, &mut Loader<'_>) -> Result<Assembled<P, O>, Vec<Diagnostic>>,
    console: &mut Console,
) -> Result<Assembled<P, O>, Failure> {
    let host = console.host;
    // Gives the texts that the one at `path`, and those that it includes, include.
    let mut loader = |including: &str, wanted: &str| {
        let including = if including == source.name { path } else { Path::new(including) };
        host.include(including, wanted)
    };
    let assembled = parse(&source.name, &source.text, &mut loader).map_err(|diagnostics| match language {
        Some(language) => mistaken(source, language).map_or_else(|| diagnostics.into(), Failure::from),
        None => unrecognised(source).into(),
    })?;
    assembled.warnings.iter().for_each(|warning| console.report(&diagnostic(warning)));
    Ok(assembled)
}

/// Why a text is not a program: it looks like nothing that is known.
pub fn unrecognised(source: &SourceFile) -> Message {
    let names = Language::ALL.map(Language::name).join(", ");
    Message::error("the file is text in an unrecognised language")
        .at(Location::File(source.name.clone()))
        .help(format!("--isa says which it is: {names}; what is wrong with it then shows"))
}

/// Why a text that was taken for one of a language is none, if what it shows says that it is something else.
pub fn mistaken(source: &SourceFile, taken_for: Language) -> Option<Message> {
    let content = probe(source.text.as_bytes());
    let help = match content {
        Content::Source(language) if language == taken_for => return None,
        Content::Source(language) => {
            let ending = language.endings().first().unwrap_or(&"txt");
            format!("'--isa {}' reads it as that, and so do names that end in .{ending}", language.name())
        }
        Content::MesaLog(_) => "'ctm import mesa FILE -o PROGRAM' makes assembly of it".to_owned(),
        Content::SassListing => "'ctm import sass FILE -o PROGRAM' makes assembly of it".to_owned(),
        _ => content.help()?.to_owned(),
    };
    let message = Message::error(format!("the text is {content}, but was taken for {taken_for}"));
    Some(message.at(Location::File(source.name.clone())).help(help))
}

/// Most programs of a log that are read at once.
const MOST_LISTED: usize = 4096;

/// A program that a driver of Mesa printed.
pub struct LogSource {
    /// The name that the log gives it.
    pub title: Option<String>,
    /// Its text, with a name.
    pub source: SourceFile,
}

/// The texts of the programs that a driver of Mesa printed, of one kind.
///
/// # Errors
/// They are too many, or the log is damaged.
pub fn log_sources(file: File, driver: Driver) -> Result<Vec<LogSource>, Failure> {
    let wrong = |message: String| Message::error(message).at(Location::File(file.name.clone()));
    let log = Log::of(&String::from_utf8_lossy(&file.bytes), Keep::All);
    let programs: Vec<_> = log.programs().iter().filter(|(_, program)| program.entry.driver == driver).collect();
    let count = programs.len();
    if count > MOST_LISTED {
        let message = wrong(format!("the log has {count} programs; at most {MOST_LISTED} are read"));
        return Err(message.help("'ctm import mesa LOG --index N -o PROGRAM' takes one out").into());
    }
    if programs.is_empty() {
        return Err(wrong("the log has no program of this instruction set".into())
            .help("'ctm import mesa LOG --list' lists its programs")
            .into());
    }
    let import = |(index, program): &(usize, mesa::Program)| {
        let text = program.import().map_err(|error| wrong(error.to_string()))?;
        let source = SourceFile { name: format!("program {index} of {}", file.name), text };
        Ok(LogSource { title: program.entry.name.clone(), source })
    };
    programs.into_iter().map(import).collect()
}

/// Where the assembly of the text at `path` goes if the command line does not say: beside the text, with this extension;
/// from standard input to standard output.
pub fn output_path(path: &Path, output: Option<&Path>, extension: &str) -> PathBuf {
    match output {
        Some(output) => output.into(),
        None if source::is_standard(path) => path.into(),
        None => path.with_extension(extension),
    }
}
