//! Files that appear complete or not at all.

use super::{Host, Output};
use crate::failure::cause;
use crate::report::Message;
use std::io;
use std::path::{Path, PathBuf};

/// A file to be written in one go. Until [`commit`](Sink::commit), what stands under its name stays untouched, and a
/// sink that is dropped before leaves nothing behind.
pub struct Sink {
    path: PathBuf,
    output: Box<dyn Output>,
}

impl Sink {
    /// Makes sure that `path` can be written, without changing what stands there.
    pub fn open(host: &dyn Host, path: &Path) -> Result<Self, Message> {
        let output = host.create(path).map_err(|error| unwritable(path, &error))?;
        Ok(Sink { path: path.into(), output })
    }

    /// Writes a whole file at once.
    pub fn store(host: &dyn Host, path: &Path, bytes: &[u8]) -> Result<(), Message> {
        let mut sink = Sink::open(host, path)?;
        sink.write(bytes)?;
        sink.commit()
    }

    /// Writes all of the content, still out of sight.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Message> {
        self.output.write(bytes).map_err(|error| unwritable(&self.path, &error))
    }

    /// Gives the file its name.
    pub fn commit(self) -> Result<(), Message> {
        self.output.commit().map_err(|error| unwritable(&self.path, &error))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Message {
    let message = Message::error(format!("cannot write '{}': {}", path.display(), cause(error)));
    match error.kind() {
        io::ErrorKind::NotFound => message.help("the folder must exist"),
        _ => message,
    }
}
