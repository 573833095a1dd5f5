//! Assembly into files.

use super::{CODE_FILE, halves};
use crate::args::AsmArgs;
use crate::commands::require_other;
use crate::host::Sink;
use crate::isa::assemble;
use crate::{Console, Failure, source};
use ctm_object::sm50;
use ctm_sm50::{Header, text};

/// Assembles a text into one file, or into a file for the header and one for the code where the output's name asks for that.
pub fn asm(args: &AsmArgs, console: &mut Console) -> Result<(), Failure> {
    let source = source::text_file(console.host, &args.source)?;
    let program = assemble(&args.source, &source, text::parse_with, console)?.program;
    let output = match &args.output {
        Some(output) => output.clone(),
        None if source::is_standard(&args.source) => args.source.clone(),
        None if program.header.is_some() => args.source.with_extension("sph"),
        None => args.source.with_extension(&CODE_FILE[1..]),
    };
    if source::is_standard(&output) {
        return Ok(console.out.write_all(&sm50::write(&program))?);
    }
    require_other(&output, &args.source)?;
    let Some([header, code]) = halves(&output) else {
        return Ok(Sink::store(console.host, &output, &sm50::write(&program))?);
    };
    if let Some(words) = program.header.as_ref().map(Header::encode) {
        Sink::store(console.host, &header, &words.map(u32::to_le_bytes).concat())?;
    }
    Ok(Sink::store(console.host, &code, &program.code.to_bytes())?)
}
