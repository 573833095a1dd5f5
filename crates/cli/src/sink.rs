//! Files that appear complete or not at all.

use crate::failure::cause;
use crate::report::Message;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file to be written in one go. Until [`commit`](Sink::commit), what stands under its name stays untouched, and a
/// sink that is dropped before leaves nothing behind.
#[derive(Debug)]
pub struct Sink {
    path: PathBuf,
    file: File,
    /// Where the bytes wait; `None` for what is not a regular file, such as a pipe or a device.
    waiting: Option<PathBuf>,
}

impl Sink {
    /// Makes sure that `path` can be written, without changing what stands there.
    pub fn open(path: &Path) -> Result<Self, Message> {
        Self::try_open(path).map_err(|error| unwritable(path, &error))
    }

    fn try_open(path: &Path) -> io::Result<Self> {
        let standing = fs::metadata(path).ok();
        if standing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if standing.as_ref().is_some_and(|standing| !standing.is_file()) {
            return Ok(Sink { path: path.into(), file: File::options().write(true).open(path)?, waiting: None });
        }
        if standing.as_ref().is_some_and(|standing| standing.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is write-protected"));
        }
        let path = if standing.is_some() { fs::canonicalize(path)? } else { path.into() };
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().ok_or(io::ErrorKind::InvalidFilename)?);
        name.push(format!(".{}.part", std::process::id()));
        let waiting = path.with_file_name(name);
        let file = File::create(&waiting)?;
        let sink = Sink { path, file, waiting: Some(waiting) };
        if let Some(standing) = standing {
            sink.file.set_permissions(standing.permissions())?;
        }
        Ok(sink)
    }

    /// Writes a whole file at once.
    pub fn store(path: &Path, bytes: &[u8]) -> Result<(), Message> {
        let mut sink = Sink::open(path)?;
        sink.write(bytes)?;
        sink.commit()
    }

    /// Writes all of the content, still out of sight.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Message> {
        let written = self.file.write_all(bytes).and_then(|()| self.file.flush());
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// Gives the file its name.
    pub fn commit(mut self) -> Result<(), Message> {
        if let Some(waiting) = &self.waiting {
            fs::rename(waiting, &self.path).map_err(|error| unwritable(&self.path, &error))?;
            self.waiting = None;
        }
        Ok(())
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if let Some(waiting) = &self.waiting {
            let _ = fs::remove_file(waiting);
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Message {
    let message = Message::error(format!("cannot write '{}': {}", path.display(), cause(error)));
    match error.kind() {
        io::ErrorKind::NotFound => message.help("the folder must exist"),
        _ => message,
    }
}
