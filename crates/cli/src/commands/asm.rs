//! `ctm asm`.

use crate::args::{AsmArgs, Isa};
use crate::isa::{self, ctm, x1k};
use crate::report::Message;
use crate::sink::Sink;
use crate::{Console, Failure, source};

/// Assembles a text into an ELF image, or into raw words where the output's name ends in `.u32`; or the text of a command
/// buffer.
pub fn asm(args: &AsmArgs, console: &mut Console) -> Result<(), Failure> {
    let isa = isa::of_text(&args.source);
    let extension = match isa {
        Isa::X1k => "elf",
        Isa::Ctm => "bin",
    };
    let output = match &args.output {
        Some(output) => output.clone(),
        None if source::is_standard(&args.source) => args.source.clone(),
        None => args.source.with_extension(extension),
    };
    if output == args.source && !source::is_standard(&output) {
        let message = format!("'{}' is the source itself", output.display());
        return Err(Failure::Usage(Message::error(message).help("name the output with -o FILE")));
    }
    let text = source::text(&args.source, source::read(&args.source)?)?;
    let bytes = match isa {
        Isa::X1k => x1k::assemble_for(&args.source, text, &output, console)?,
        Isa::Ctm => ctm::assemble(&args.source, &text)?,
    };
    if source::is_standard(&output) {
        return Ok(console.out.write_all(&bytes)?);
    }
    Sink::store(&output, &bytes)?;
    Ok(())
}
