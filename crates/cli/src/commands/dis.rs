//! `ctm dis`.

use crate::args::DisArgs;
use crate::isa::load_one;
use crate::outputs::{OutputKind, Sink};
use crate::{Console, Failure, source};

/// Disassembles a program or a command buffer.
pub fn dis(args: &DisArgs, console: &mut Console) -> Result<(), Failure> {
    let program = load_one(&args.program, console)?;
    if source::is_standard(&args.output) {
        return program.disassemble(&args.listing, console);
    }
    let form = if args.listing.json || args.listing.fields { OutputKind::Text } else { OutputKind::Assembly };
    let mut text = Vec::new();
    program.disassemble(&args.listing, &mut Console { out: &mut text, err: &mut *console.err, ..*console })?;
    Sink::store(form, [(&*args.output, &*text)], console)
}
