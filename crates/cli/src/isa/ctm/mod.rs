//! The CTM device: command buffers, and traces.

mod options;
mod replay;

use super::{
    Code, CommandEntry, File, FileEncoding, Finding, InstructionSet, Loaded, OutputFile, RunnerEntry, Summary, fields,
    no_program, output_path,
};
use crate::options::ListingArgs;
use crate::report::Message;
use crate::{Console, Failure, source};
use ctm_device::command::{DecodeError, Packet, decode, parse_file, print, print_packet};
use ctm_object::probe::{Content, Language};
use ctm_text::SourceFile;
use ctm_text::topic::Topic;
use options::ReplayArgs;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

/// The language of command buffers.
pub struct Ctm;

impl InstructionSet for Ctm {
    fn name(&self) -> &'static str {
        "ctm"
    }

    fn about(&self) -> &'static str {
        "CTM command buffers (ctm dis)"
    }

    fn noun(&self) -> &'static str {
        "command buffer"
    }

    fn languages(&self) -> &'static [Language] {
        &[Language::Commands]
    }

    fn containers(&self) -> &'static [Content] {
        &[]
    }

    /// A file of dwords of which the first is an opcode. No text begins so, and no container.
    fn recognises(&self, file: &File) -> bool {
        let is_open = file.content == Content::Unknown && file.form != FileEncoding::Words;
        is_open && words(&file.bytes).is_some_and(|words| matches!(decode(&words).next(), Some(Ok(_))))
    }

    /// Assembles into little-endian dwords.
    fn assemble(
        &self,
        path: &Path,
        source: &SourceFile,
        output: Option<&Path>,
        _: &mut Console,
    ) -> Result<Vec<OutputFile>, Failure> {
        let buffer = parse_file(&source.name, &source.text)?;
        let bytes = buffer.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(vec![OutputFile { path: output_path(path, output, "bin"), bytes }])
    }

    fn load(&self, file: File, _: &mut Console) -> Result<Vec<Box<dyn Loaded>>, Failure> {
        if file.form == FileEncoding::Text {
            let text = source::text(&file.path, file.bytes)?;
            let buffer = parse_file(&file.name, &text)?;
            return Ok(vec![Box::new(Buffer { name: file.name, words: buffer.words })]);
        }
        let words = words(&file.bytes).ok_or_else(|| {
            file.error(format!("a command buffer is whole dwords, but the file has {} bytes", file.bytes.len()))
        })?;
        Ok(vec![Box::new(Buffer { name: file.name, words })])
    }

    fn codes(&self) -> Vec<Code> {
        Vec::new()
    }

    fn topics(&self) -> Vec<Topic> {
        ctm_device::topics::topics()
    }

    fn runner(&self) -> Option<RunnerEntry> {
        None
    }

    fn commands(&self) -> Vec<CommandEntry> {
        vec![CommandEntry::of::<ReplayArgs>("replay", "Execute what a trace has recorded, and compare the results")]
    }
}

/// A command buffer.
struct Buffer {
    /// How the file is called in messages.
    name: String,
    words: Vec<u32>,
}

impl Loaded for Buffer {
    fn file_name(&self) -> &str {
        &self.name
    }

    fn set_file_name(&mut self, name: String) {
        self.name = name;
    }

    /// Prints the text of the buffer, or its fields.
    fn disassemble(&self, args: &ListingArgs, console: &mut Console) -> Result<(), Failure> {
        if args.addresses || args.words {
            let message = "--addresses and --words are for programs; --fields has both for a command buffer";
            return Err(Failure::Usage(Message::error(message)));
        }
        if args.json {
            console.json(&listing(&self.words))?;
        } else if args.fields {
            decode(&self.words).try_for_each(|item| print_fields(console.out, item))?;
        } else {
            console.out.write_all(print(&self.words).as_bytes())?;
        }
        Ok(())
    }

    /// What the device would not read. Values of parameters are its business when it executes the buffer.
    fn check(&self) -> Result<Vec<Finding>, Failure> {
        let found = |error: DecodeError| Finding {
            message: Message::error(error.to_string()),
            numbers: vec![("dword", json!(error.offset()))],
        };
        Ok(decode(&self.words).filter_map(Result::err).map(found).collect())
    }

    fn summary(&self) -> Result<Box<dyn Summary + '_>, Failure> {
        Err(no_program(&Ctm))
    }
}

fn words(bytes: &[u8]) -> Option<Vec<u32>> {
    let (words, rest) = bytes.as_chunks();
    rest.is_empty().then(|| words.iter().map(|word| u32::from_le_bytes(*word)).collect())
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
