//! Access to the host: files to read, texts to include, files to write, and interruption. Commands get it as
//! [`Host`] with the console, so that a run may get it from another process.

mod encoding;
mod include;
mod ledger;
mod local;
mod output;
#[cfg(unix)]
mod socket;
mod unwritten;

pub use encoding::to_utf8;
pub use local::{Local, Stamp};
#[cfg(unix)]
pub use socket::Socket;
pub use unwritten::Unwritten;

use crate::failure::cause;
use ctm_text::SourceFile;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Files and interruption.
pub trait Host {
    /// The content of a regular file.
    ///
    /// # Errors
    /// It cannot be read, is not a regular file, has more than `limit` bytes, or is to be written.
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, AccessError>;

    /// The content of a regular file, or of standard input, to be read bit by bit. Whoever has files as a whole gives those, up to
    /// `limit` bytes.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn stream(&self, path: Option<&Path>, limit: u64) -> Result<Box<dyn io::Read>, AccessError> {
        let bytes = match path {
            Some(path) => self.read(path, limit)?,
            None => self.read_standard_input(limit)?,
        };
        Ok(Box::new(io::Cursor::new(bytes)))
    }

    /// What standard input gives until it ends.
    ///
    /// # Errors
    /// It cannot be read, or gives more than `limit` bytes.
    fn read_standard_input(&self, limit: u64) -> Result<Vec<u8>, AccessError>;

    /// The text that `#include "wanted"` in the file `including` names.
    ///
    /// # Errors
    /// Why there is none, for people.
    fn include(&self, including: &Path, wanted: &str) -> Result<SourceFile, String>;

    /// The regular files of a folder, in the order of their names; `None` if it is not a folder.
    ///
    /// # Errors
    /// What the system says.
    fn folder(&self, path: &Path) -> io::Result<Option<Vec<PathBuf>>>;

    /// True if there is something of this name.
    fn exists(&self, path: &Path) -> bool;

    /// Makes sure that a file can be written, without changing what stands there.
    ///
    /// # Errors
    /// It cannot be written, or was read or created before, by whatever name.
    fn create(&self, path: &Path) -> Result<Box<dyn Output>, AccessError>;

    /// Bytes of memory that this machine has, where the system says so.
    fn memory(&self) -> Option<u64>;

    /// A flag that an interruption by the user sets from now on.
    fn interrupt(&self) -> Arc<AtomicBool>;
}

/// A file to be written. Until [`commit`](Output::commit), what stands under its name stays untouched, and one that is dropped
/// before leaves nothing behind.
pub trait Output {
    /// Appends bytes, still out of sight.
    ///
    /// # Errors
    /// What the system says.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// No more bytes come, and the system need not keep the file open: a command may have more outputs than it can have open
    /// files.
    ///
    /// # Errors
    /// What the system says.
    fn finish(&mut self) -> io::Result<()>;

    /// Gives the file its name.
    ///
    /// # Errors
    /// What the system says.
    fn commit(self: Box<Self>) -> io::Result<()>;
}

/// Why a file is not read or not written.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// It has more bytes than the limit.
    #[error("it is too large")]
    TooLarge,
    /// Nobody knows whether it ever ends.
    #[error("it is a pipe, a socket or a device; only regular files are read")]
    NotRegular,
    /// What is read must not be replaced.
    #[error("it is an input and an output of this command")]
    InputAndOutput,
    /// One result would replace another.
    #[error("it is to receive more than one output")]
    TwoOutputs,
    /// The system does not give or take it.
    #[error("{}", cause(.0))]
    System(io::Error),
}

impl From<io::Error> for AccessError {
    fn from(error: io::Error) -> Self {
        AccessError::System(error)
    }
}
