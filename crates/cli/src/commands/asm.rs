//! `ctm asm`.

use crate::args::AsmArgs;
use crate::isa::{Isa, OutputFile, language_of, mistaken, unrecognised};
use crate::outputs::{OutputKind, Sink};
use crate::report::{Location, Message};
use crate::{Console, Failure, source};
use ctm_object::probe;
use ctm_object::probe::Language;
use std::path::{Path, PathBuf};

/// Assembles a text into the files that its instruction set has for programs, or into raw words where the output's name asks
/// for them; or the text of a command buffer; or several texts into a file that holds their programs.
pub fn asm(args: &AsmArgs, console: &mut Console) -> Result<(), Failure> {
    let files = match &args.sources[..] {
        [path] => one(path, args, console)?,
        paths => several(paths, args, console)?,
    };
    let (printed, stored): (Vec<_>, Vec<_>) = files.iter().partition(|file| source::is_standard(&file.path));
    Sink::store(OutputKind::Program, stored.iter().map(|file| (&*file.path, &*file.bytes)), console)?;
    console.require_no_warnings()?;
    Ok(printed.iter().try_for_each(|file| console.out.write_all(&file.bytes))?)
}

/// The files of a text.
fn one(path: &Path, args: &AsmArgs, console: &mut Console) -> Result<Vec<OutputFile>, Failure> {
    let source = source::text_file(console.host, path)?;
    let content = probe(source.text.as_bytes());
    let language = language_of(path, content, args.isa);
    if let Some(language) = language.filter(|language| language.is_compiled()) {
        let message = Message::error(format!("the text is {language}, which is compiled, not assembled"));
        return Err(message.at(Location::File(source.name)).help("'ctm compile FILE' compiles it").into());
    }
    // A text that shows nothing may still be X1K; what it is not is known only then.
    let taken_for = language.unwrap_or(Language::X1k);
    let assembled = Isa::of_language(taken_for).assemble(path, &source, args.output.as_deref(), console);
    match (assembled, language) {
        (Err(_), None) => Err(mistaken(&source, taken_for).unwrap_or_else(|| unrecognised(&source)).into()),
        (assembled, _) => assembled,
    }
}

/// The file of several texts, which are of the instruction set of the first.
fn several(paths: &[PathBuf], args: &AsmArgs, console: &mut Console) -> Result<Vec<OutputFile>, Failure> {
    let mut sources = Vec::new();
    for path in paths {
        sources.push((path.clone(), source::text_file(console.host, path)?));
    }
    let content = probe(sources[0].1.text.as_bytes());
    let language = language_of(&paths[0], content, args.isa).unwrap_or(Language::X1k);
    Isa::of_language(language).assemble_together(&sources, args.output.as_deref(), console)
}
