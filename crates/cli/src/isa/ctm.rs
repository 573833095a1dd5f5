//! Command buffers of the CTM device.

use super::{File, fields};
use crate::args::DisArgs;
use crate::report::{Message, Place};
use crate::{Console, Failure};
use ctm_device::command::{DecodeError, Packet, decode, parse_file, print, print_packet};
use ctm_text::SourceFile;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The little-endian dwords of a command buffer's text.
pub fn assemble(source: &SourceFile) -> Result<Vec<u8>, Failure> {
    let buffer = parse_file(&source.name, &source.text)?;
    Ok(buffer.words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// Whether bytes are a command buffer, as far as that shows: they are dwords, and the first is an opcode. No text begins so,
/// and no ELF image.
pub fn is_buffer(bytes: &[u8]) -> bool {
    words(bytes).is_some_and(|words| matches!(decode(&words).next(), Some(Ok(_))))
}

fn words(bytes: &[u8]) -> Option<Vec<u32>> {
    let (words, rest) = bytes.as_chunks();
    rest.is_empty().then(|| words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// Says that only programs have what a command does.
pub fn no_program() -> Failure {
    Failure::Usage(Message::error("a command buffer is not a program").help("'ctm dis --isa ctm' shows it"))
}

/// Prints the text of a command buffer, or its fields.
pub fn dis(file: &File, args: &DisArgs, console: &mut Console) -> Result<(), Failure> {
    if args.addresses || args.words {
        let message = "--addresses and --words are for programs; --fields has both for a command buffer";
        return Err(Failure::Usage(Message::error(message)));
    }
    let words = words(&file.bytes).ok_or_else(|| {
        let message = format!("a command buffer is whole dwords, but the file has {} bytes", file.bytes.len());
        Message::error(message).at(Place::File(file.name.clone()))
    })?;
    if args.json {
        console.json(&listing(&words))?;
    } else if args.fields {
        decode(&words).try_for_each(|item| print_fields(console.out, item))?;
    } else {
        console.out.write_all(print(&words).as_bytes())?;
    }
    Ok(())
}

fn hex(word: u32) -> String {
    format!("0x{word:08x}")
}

fn print_fields(out: &mut dyn Write, item: Result<(usize, Packet), DecodeError>) -> io::Result<()> {
    let (offset, packet) = match item {
        Ok(item) => item,
        Err(error) => return writeln!(out, "{error}"),
    };
    let parameters = packet.command.parameters();
    writeln!(out, "{offset}: {}", print_packet(&packet))?;
    writeln!(out, "  words {}", packet.words().into_iter().map(hex).collect::<Vec<_>>().join(" "))?;
    if !packet.command.info().fields.is_empty() {
        writeln!(out, "  {:<8} {:>5} {:>5}  {:>10}  {:<16}  meaning", "field", "dword", "bits", "value", "is")?;
    }
    for row in packet.command.info().fields {
        let field = row.field;
        let bits = fields::bits(&field);
        let (value, name) = (hex(row.get(&parameters)), (field.spell)(field.get(&parameters)).unwrap_or_default());
        let dword = offset + 1 + field.word;
        writeln!(out, "  {:<8} {dword:>5} {bits:>5}  {value:>10}  {name:<16}  {}", field.name, field.doc)?;
    }
    writeln!(out)
}

fn listing(words: &[u32]) -> Value {
    let command = |item: Result<(usize, Packet), DecodeError>| {
        let (offset, packet) = match item {
            Ok(item) => item,
            Err(error) => return json!({ "dword": error.offset(), "error": error.to_string() }),
        };
        let parameters = packet.command.parameters();
        let fields = packet.command.info().fields.iter().map(|row| {
            json!({
                "name": row.field.name, "dword": offset + 1 + row.field.word, "hi": row.field.hi, "lo": row.field.lo,
                "value": row.get(&parameters), "is": (row.field.spell)(row.field.get(&parameters)),
                "meaning": row.field.doc,
            })
        });
        json!({
            "dword": offset,
            "name": packet.command.info().name,
            "text": print_packet(&packet),
            "words": packet.words().into_iter().map(hex).collect::<Vec<_>>(),
            "fields": fields.collect::<Vec<_>>(),
        })
    };
    json!({ "isa": "ctm", "commands": decode(words).map(command).collect::<Vec<_>>() })
}
