//! Reading the files that programs come from.

use crate::failure::cause;
use crate::report::{Message, Place};
use ctm_object::mesa;
use ctm_text::SourceFile;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes above which a file is no program: the largest image has 512 instructions, and text is not much larger.
const LIMIT: u64 = 64 << 20;

/// How a file is called in messages.
pub fn name(path: &Path) -> String {
    if is_standard(path) { "<standard input>".into() } else { path.display().to_string() }
}

/// `-` stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a program, or a dump of one.
pub fn read(path: &Path) -> Result<Vec<u8>, Message> {
    read_at_most(path, LIMIT, "a program")
}

/// Reads a file that is to hold `what`, at most `limit` bytes.
pub fn read_at_most(path: &Path, limit: u64, what: &str) -> Result<Vec<u8>, Message> {
    let mut bytes = Vec::new();
    let read = if is_standard(path) {
        io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
    };
    match read {
        Err(error) => Err(Message::error(format!("cannot read '{}': {}", name(path), cause(&error)))),
        Ok(0) => Err(Message::error("the file is empty").at(Place::File(name(path)))),
        Ok(length) if length as u64 > limit => {
            Err(Message::error(format!("the file is too large for {what} (over {} MiB)", limit >> 20))
                .at(Place::File(name(path))))
        }
        Ok(_) => Ok(bytes),
    }
}

/// Reads a text.
pub fn text_file(path: &Path) -> Result<SourceFile, Message> {
    Ok(SourceFile { name: name(path), text: text(path, read(path)?)? })
}

/// Refuses what a driver printed where assembly should be.
pub fn require_assembly(source: &SourceFile) -> Result<(), Message> {
    match mesa::driver(&source.text) {
        None => Ok(()),
        Some(_) => Err(Message::error("the file is what a driver of Mesa printed, not assembly")
            .at(Place::File(source.name.clone()))
            .help("'ctm import mesa FILE -o PROGRAM' makes assembly of it")),
    }
}

/// Takes bytes for text.
pub fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Message> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Message::error(format!("the file is no text (byte {at} is not UTF-8)")).at(Place::File(name(path)))
    })
}
