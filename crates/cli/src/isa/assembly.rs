//! Assembling texts.

use super::{File, Isa};
use crate::host::Host;
use crate::report::{Location, Message, diagnostic};
use crate::{Console, Failure, source};
use ctm_object::mesa;
use ctm_text::{Assembled, Diagnostic, Loader, SourceFile};
use std::path::{Path, PathBuf};

/// A file that is to be written; `-` is standard output.
pub struct Written {
    /// The file.
    pub path: PathBuf,
    /// What it is to hold.
    pub bytes: Vec<u8>,
}

/// Assembles the text that the file at `path` holds, or that was made of what it holds, by the assembler of an instruction
/// set. `#include` reads what the host gives. Warnings are reported at once.
pub fn assemble<P, O>(
    path: &Path,
    source: &SourceFile,
    parse: impl FnOnce(&str, &str, &mut Loader<'_>) -> Result<Assembled<P, O>, Vec<Diagnostic>>,
    console: &mut Console,
) -> Result<Assembled<P, O>, Failure> {
    let host = console.host;
    let assembled = parse(&source.name, &source.text, &mut loader(path, source, host))
        .map_err(|diagnostics| other_language(path, source, host).unwrap_or_else(|| diagnostics.into()))?;
    assembled.warnings.iter().for_each(|warning| console.report(&diagnostic(warning)));
    Ok(assembled)
}

/// True if the assembler of an instruction set takes this text.
pub fn assembles<P, O>(
    path: &Path,
    source: &SourceFile,
    parse: impl FnOnce(&str, &str, &mut Loader<'_>) -> Result<Assembled<P, O>, Vec<Diagnostic>>,
    host: &dyn Host,
) -> bool {
    parse(&source.name, &source.text, &mut loader(path, source, host)).is_ok()
}

/// Gives the texts that the one at `path`, and those that it includes, include.
fn loader(path: &Path, source: &SourceFile, host: &dyn Host) -> impl FnMut(&str, &str) -> Result<SourceFile, String> {
    move |including, wanted| {
        let including = if including == source.name { path } else { Path::new(including) };
        host.include(including, wanted)
    }
}

/// Why a text is none of an instruction set, if another one takes it as it is.
fn other_language(path: &Path, source: &SourceFile, host: &dyn Host) -> Option<Failure> {
    let other = Isa::all().find(|isa| isa.accepts(path, source, host))?;
    let message = format!(
        "the text is assembly of {}, but was taken for that of another instruction set",
        other.name().to_uppercase()
    );
    let help = format!("'--isa {}' says so, and so do names that end in .{}", other.name(), other.extension());
    Some(Message::error(message).at(Location::File(source.name.clone())).help(help).into())
}

/// Most programs of a log that are read at once.
const MOST_LISTED: usize = 4096;

/// The texts of the programs that a driver of Mesa printed, each with a name.
///
/// # Errors
/// They are too many, or the log is damaged.
pub fn log_sources(file: File) -> Result<Vec<SourceFile>, Failure> {
    let text = source::text(&file.path, file.bytes)?;
    let wrong = |message: String| Message::error(message).at(Location::File(file.name.clone()));
    let programs = mesa::import_all(&text);
    let count = programs.len();
    if count > MOST_LISTED {
        let message = wrong(format!("the log has {count} programs; at most {MOST_LISTED} are read"));
        return Err(message.help("'ctm import mesa LOG --index N -o PROGRAM' takes one out").into());
    }
    let import = |(index, text): (usize, Result<String, mesa::MesaError>)| {
        let text = text.map_err(|error| wrong(error.to_string()))?;
        Ok(SourceFile { name: format!("program {index} of {}", file.name), text })
    };
    programs.enumerate().map(import).collect()
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
