//! `ctm asm`.

use crate::args::AsmArgs;
use crate::report::Message;
use crate::sink::Sink;
use crate::{Console, Failure, program, source};
use ctm_object::{elf, raw};

/// Assembles a text into an ELF image, or into raw words where the output's name ends in `.u32`.
pub fn asm(args: &AsmArgs, console: &mut Console) -> Result<(), Failure> {
    let output = match &args.output {
        Some(output) => output.clone(),
        None if source::is_standard(&args.source) => args.source.clone(),
        None => args.source.with_extension("elf"),
    };
    if output == args.source && !source::is_standard(&output) {
        let message = format!("'{}' is the source itself", output.display());
        return Err(Failure::Usage(Message::error(message).help("name the output with -o FILE")));
    }
    let text = source::text(&args.source, source::read(&args.source)?)?;
    let assembled = program::assemble(&args.source, &text, console)?;
    let bytes = match output.extension() {
        Some(extension) if extension == "u32" => raw::write_words(&assembled.program.code),
        _ => elf::write(&assembled.program),
    };
    if source::is_standard(&output) {
        return Ok(console.out.write_all(&bytes)?);
    }
    Sink::store(&output, &bytes)?;
    Ok(())
}
