//! `ctm asm`.

use crate::args::AsmArgs;
use crate::isa::Isa;
use crate::outputs::{Form, Sink};
use crate::{Console, Failure, source};

/// Assembles a text into the files that its instruction set has for programs, or into raw words where the output's name asks
/// for them; or the text of a command buffer.
pub fn asm(args: &AsmArgs, console: &mut Console) -> Result<(), Failure> {
    let isa = args.isa.unwrap_or_else(|| Isa::of_text(&args.source));
    let source = source::text_file(console.host, &args.source)?;
    source::require_assembly(&source)?;
    let files = isa.assemble(&args.source, &source, args.output.as_deref(), console)?;
    let (printed, stored): (Vec<_>, Vec<_>) = files.iter().partition(|file| source::is_standard(&file.path));
    Sink::store(Form::Program, stored.iter().map(|file| (&*file.path, &*file.bytes)), console)?;
    console.require_no_warnings()?;
    Ok(printed.iter().try_for_each(|file| console.out.write_all(&file.bytes))?)
}
