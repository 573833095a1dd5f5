//! Assembling texts.

use crate::report::diagnostic;
use crate::{Console, Failure, source};
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
    let mut load = |including: &str, wanted: &str| {
        let including = if including == source.name { path } else { Path::new(including) };
        host.include(including, wanted)
    };
    let assembled = parse(&source.name, &source.text, &mut load)?;
    assembled.warnings.iter().for_each(|warning| console.report(&diagnostic(warning)));
    Ok(assembled)
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
