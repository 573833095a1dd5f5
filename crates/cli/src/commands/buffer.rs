//! Command buffers: `ctm asm FILE.ctmcb`, `ctm dis FILE --isa ctm`.

use crate::args::DisArgs;
use crate::report::{Message, Place};
use crate::{Console, Failure, program, source};
use ctm_device::command::{parse_file, print};
use std::path::Path;

/// Whether a file is the text of a command buffer.
pub fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ctmcb")
}

/// The little-endian dwords of a command buffer's text.
pub fn assemble(path: &Path, text: &str) -> Result<Vec<u8>, Failure> {
    match parse_file(&source::name(path), text) {
        Ok(buffer) => Ok(buffer.words.iter().flat_map(|word| word.to_le_bytes()).collect()),
        Err(diagnostics) => Err(Failure::Input(diagnostics.iter().map(program::diagnostic).collect())),
    }
}

/// Prints the text of a command buffer.
pub fn dis(args: &DisArgs, console: &mut Console) -> Result<(), Failure> {
    if args.fields || args.json || args.addresses || args.words {
        let message =
            "command buffers have one form of text; --fields, --json, --addresses and --words are for programs";
        return Err(Failure::Usage(Message::error(message)));
    }
    let path = &args.program.program;
    let bytes = source::read(path)?;
    let (words, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        let message = format!("a command buffer is whole dwords, but the file has {} bytes", bytes.len());
        return Err(Message::error(message).at(Place::File(source::name(path))).into());
    }
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Ok(console.out.write_all(print(&words).as_bytes())?)
}
