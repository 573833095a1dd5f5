//! `ctm asm`.

use crate::args::{AsmArgs, Isa};
use crate::host::Sink;
use crate::isa::{self, ctm, r700, sm50, x1k};
use crate::report::Message;
use crate::{Console, Failure, source};
use ctm_text::SourceFile;
use std::path::Path;

/// Assembles a text into the file that its instruction set has for programs, or into raw words where the output's name asks
/// for them; or the text of a command buffer.
pub fn asm(args: &AsmArgs, console: &mut Console) -> Result<(), Failure> {
    type Assemble = fn(&Path, &SourceFile, &Path, &mut Console) -> Result<Vec<u8>, Failure>;
    let (extension, assemble): (_, Assemble) = match args.isa.unwrap_or_else(|| isa::of_text(&args.source)) {
        Isa::X1k => ("elf", x1k::assemble_for),
        Isa::Ctm => ("bin", |_, source, _, _| ctm::assemble(source)),
        Isa::R700 => ("elf", r700::assemble_for),
        Isa::Sm50 => return sm50::asm(args, console),
    };
    let output = match &args.output {
        Some(output) => output.clone(),
        None if source::is_standard(&args.source) => args.source.clone(),
        None => args.source.with_extension(extension),
    };
    require_other(&output, &args.source)?;
    let source = source::text_file(console.host, &args.source)?;
    source::require_assembly(&source)?;
    let bytes = assemble(&args.source, &source, &output, console)?;
    if source::is_standard(&output) {
        return Ok(console.out.write_all(&bytes)?);
    }
    Ok(Sink::store(console.host, &output, &bytes)?)
}

/// Refuses to overwrite the text that is assembled.
pub fn require_other(output: &Path, source: &Path) -> Result<(), Failure> {
    if output == source && !source::is_standard(output) {
        let message = format!("'{}' is the source itself", output.display());
        return Err(Failure::Usage(Message::error(message).help("name the output with -o FILE")));
    }
    Ok(())
}
