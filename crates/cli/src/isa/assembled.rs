//! Texts that were assembled, and the files that they include.

use crate::report::diagnostic;
use crate::{Console, Failure};
use ctm_text::{Assembled, Diagnostic, Loader, SourceFile};
use std::path::Path;

/// Assembles the text that the file at `path` holds, or that was made of what it holds, by the assembler of an instruction
/// set. `#include` reads what the host gives. Warnings are told at once.
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
    assembled.warnings.iter().for_each(|warning| console.tell(&diagnostic(warning)));
    Ok(assembled)
}
