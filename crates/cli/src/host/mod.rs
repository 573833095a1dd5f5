//! Access to the host: files to read, texts to include, files to write, and interruption. Commands get it as
//! [`Host`] with the console, so that a run may get it from another process.

mod include;
mod local;
mod sink;

pub use local::Local;
pub use sink::Sink;

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
    /// It cannot be read, is no regular file, or has more than `limit` bytes.
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, ReadError>;

    /// What standard input gives until it ends.
    ///
    /// # Errors
    /// It cannot be read, or gives more than `limit` bytes.
    fn read_standard_input(&self, limit: u64) -> Result<Vec<u8>, ReadError>;

    /// The text that `#include "wanted"` in the file `including` names.
    ///
    /// # Errors
    /// Why there is none, for people.
    fn include(&self, including: &Path, wanted: &str) -> Result<SourceFile, String>;

    /// True if there is something of this name.
    fn exists(&self, path: &Path) -> bool;

    /// The one name of a file that other names may lead to as well. It may not be there yet.
    fn canonical(&self, path: &Path) -> PathBuf;

    /// Makes sure that a file can be written, without changing what stands there.
    ///
    /// # Errors
    /// What the system says.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>>;

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

    /// Gives the file its name.
    ///
    /// # Errors
    /// What the system says.
    fn commit(self: Box<Self>) -> io::Result<()>;
}

/// Why there is no content of a file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It has more bytes than the limit.
    #[error("it is too large")]
    TooLarge,
    /// Nobody knows whether it ever ends.
    #[error("it is a pipe, a socket or a device; only regular files are read")]
    NotRegular,
    /// The system does not give it.
    #[error("{}", cause(.0))]
    System(io::Error),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        ReadError::System(error)
    }
}
