//! Reading the files that programs come from.

use crate::host::{AccessError, Host, to_utf8};
use crate::report::{Location, Message};
use ctm_object::probe;
use ctm_object::probe::Content;
use ctm_text::{MAX_TEXT, SourceFile};
use std::io::{self, BufRead, Read};
use std::path::Path;

/// Bytes above which a file is not a program: the largest image, that of an R700 program, has 32 MiB.
const LIMIT: u64 = 64 << 20;

/// How a file is called in messages.
pub fn name(path: &Path) -> String {
    if is_standard(path) { "<standard input>".into() } else { path.display().to_string() }
}

/// What a text is called in messages.
const TEXT: &str = "a text";

/// `-` stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a program in any form.
pub fn read(host: &dyn Host, path: &Path) -> Result<Vec<u8>, Message> {
    let bytes = read_at_most(host, path, LIMIT, "a program")?;
    // The name says that these are words.
    let is_raw = path.extension().is_some_and(|extension| extension == "u32");
    Ok(if is_raw { bytes } else { to_utf8(bytes) })
}

/// Reads a file that is to hold `what`, at most `limit` bytes.
pub fn read_at_most(host: &dyn Host, path: &Path, limit: u64, what: &str) -> Result<Vec<u8>, Message> {
    let read = if is_standard(path) { host.read_standard_input(limit) } else { host.read(path, limit) };
    match read {
        Err(AccessError::TooLarge) => Err(too_large(path, limit, what)),
        Err(error @ AccessError::NotRegular) => Err(unreadable(path, &error).help("'-' reads standard input")),
        Err(error @ (AccessError::InputAndOutput | AccessError::TwoOutputs)) => {
            Err(unreadable(path, &error).help("give each output a file of its own"))
        }
        Err(error @ AccessError::System(_)) => Err(unreadable(path, &error)),
        Ok(bytes) if bytes.is_empty() => Err(Message::error("the file is empty").at(Location::File(name(path)))),
        Ok(bytes) => Ok(bytes),
    }
}

/// Most bytes of a line that are given; longer ones are cut off, as no line of a log is that long.
const LONGEST_LINE: usize = 1 << 16;

/// Gives the lines of a text of any length, one by one. What is not UTF-8 in them becomes a character that stands for that.
pub fn lines(host: &dyn Host, path: &Path, line: &mut dyn FnMut(&str)) -> Result<(), Message> {
    let stream = host.stream((!is_standard(path)).then_some(path), LIMIT);
    let mut reader = io::BufReader::new(stream.map_err(|error| unreadable(path, &error))?);
    let failed = |error: io::Error| unreadable(path, &AccessError::System(error));
    // Windows writes logs as UTF-16, whose lines are found once the text is UTF-8.
    if matches!(reader.fill_buf().map_err(failed)?, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) {
        let mut bytes = Vec::new();
        reader.take(LIMIT).read_to_end(&mut bytes).map_err(failed)?;
        String::from_utf8_lossy(&to_utf8(bytes)).lines().for_each(line);
        return Ok(());
    }
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let mut is_cut = false;
        loop {
            let available = reader.fill_buf().map_err(failed)?;
            if available.is_empty() {
                if !bytes.is_empty() {
                    line(&String::from_utf8_lossy(&bytes));
                }
                return Ok(());
            }
            let end = available.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
            let part = &available[..end.unwrap_or(available.len())];
            if !is_cut {
                bytes.extend_from_slice(part);
                is_cut = bytes.len() > LONGEST_LINE;
                bytes.truncate(LONGEST_LINE);
            }
            let length = part.len();
            reader.consume(length);
            if end.is_some() {
                break;
            }
        }
        line(&String::from_utf8_lossy(&bytes));
    }
}

fn unreadable(path: &Path, error: &AccessError) -> Message {
    Message::error(format!("cannot read '{}': {error}", name(path)))
}

fn too_large(path: &Path, limit: u64, what: &str) -> Message {
    let message = format!("the file is too large for {what} (over {} MiB)", limit >> 20);
    let message = Message::error(message).at(Location::File(name(path)));
    match limit {
        // Only logs are longer, and the command that takes programs out of them reads them line by line.
        LIMIT => message.help("if it is a log of Mesa, 'ctm import mesa FILE --index N -o PROGRAM' takes a program out of it, and --list lists them"),
        _ => message,
    }
}

/// Reads a text.
pub fn text_file(host: &dyn Host, path: &Path) -> Result<SourceFile, Message> {
    Ok(SourceFile { name: name(path), text: text(path, to_utf8(read_at_most(host, path, MAX_TEXT as u64, TEXT)?))? })
}

/// Refuses a text that is longer than any language takes, before anybody looks into it.
pub fn require_short(path: &Path, text: &str) -> Result<(), Message> {
    if text.len() > MAX_TEXT { Err(too_large(path, MAX_TEXT as u64, TEXT)) } else { Ok(()) }
}

/// Takes bytes for text.
pub fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Message> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = match probe(error.as_bytes()) {
            Content::Unknown => Message::error(format!("the file is not text (byte {at} is not UTF-8)")),
            content => Message::error(format!("the file is {content}, not text"))
                .help(content.help().unwrap_or("'ctm dis FILE' shows its text")),
        };
        message.at(Location::File(name(path)))
    })
}
