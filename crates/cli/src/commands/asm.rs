//! `ctm asm`.

use crate::args::AsmArgs;
use crate::host::Sink;
use crate::isa::{Isa, Written};
use crate::report::Message;
use crate::{Console, Failure, source};
use std::path::Path;

/// Assembles a text into the files that its instruction set has for programs, or into raw words where the output's name asks
/// for them; or the text of a command buffer.
pub fn asm(args: &AsmArgs, console: &mut Console) -> Result<(), Failure> {
    let isa = args.isa.unwrap_or_else(|| Isa::of_text(&args.source));
    let source = source::text_file(console.host, &args.source)?;
    source::require_assembly(&source)?;
    let files = isa.assemble(&args.source, &source, args.output.as_deref(), console)?;
    files.iter().try_for_each(|file| require_other(&file.path, &args.source))?;
    for Written { path, bytes } in files {
        if source::is_standard(&path) {
            console.out.write_all(&bytes)?;
        } else {
            Sink::store(console.host, &path, &bytes)?;
        }
    }
    Ok(())
}

/// Refuses to overwrite the text that is assembled.
fn require_other(output: &Path, source: &Path) -> Result<(), Failure> {
    if output == source && !source::is_standard(output) {
        let message = format!("'{}' is the source itself", output.display());
        return Err(Failure::Usage(Message::error(message).help("name the output with -o FILE")));
    }
    Ok(())
}
