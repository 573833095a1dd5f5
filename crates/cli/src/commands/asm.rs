//! `ctm asm`.

use super::buffer;
use crate::args::AsmArgs;
use crate::report::Message;
use crate::sink::Sink;
use crate::{Console, Failure, program, source};
use ctm_object::{elf, raw};

/// Assembles a text into an ELF image, or into raw words where the output's name ends in `.u32`; or the text of a command
/// buffer.
pub fn asm(args: &AsmArgs, console: &mut Console) -> Result<(), Failure> {
    let output = match &args.output {
        Some(output) => output.clone(),
        None if source::is_standard(&args.source) => args.source.clone(),
        None if buffer::is_text(&args.source) => args.source.with_extension("bin"),
        None => args.source.with_extension("elf"),
    };
    if output == args.source && !source::is_standard(&output) {
        let message = format!("'{}' is the source itself", output.display());
        return Err(Failure::Usage(Message::error(message).help("name the output with -o FILE")));
    }
    let text = source::text(&args.source, source::read(&args.source)?)?;
    let bytes = if buffer::is_text(&args.source) {
        buffer::assemble(&args.source, &text)?
    } else {
        let assembled = program::assemble(&args.source, &text, console)?;
        match output.extension() {
            Some(extension) if extension == "u32" => raw::write_words(&assembled.program.code),
            _ => elf::write(&assembled.program),
        }
    };
    if source::is_standard(&output) {
        return Ok(console.out.write_all(&bytes)?);
    }
    Sink::store(&output, &bytes)?;
    Ok(())
}
