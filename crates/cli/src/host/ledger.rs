//! Which files a command reads and which it writes: no output may replace an input or another output.

use super::AccessError;
use std::collections::HashSet;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// What tells files apart, whatever names lead to them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// A file that is there: its number on its device.
    #[cfg(unix)]
    Node {
        /// The device.
        device: u64,
        /// The number.
        inode: u64,
    },
    /// The path without links: of a file that is not there yet, and on hosts without such numbers.
    Path(PathBuf),
}

impl Identity {
    /// The identity of a file that is there, which may be known by a path.
    ///
    /// # Errors
    /// What the system says.
    #[cfg(unix)]
    pub fn of_file(metadata: &Metadata, _: Option<&Path>) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        Ok(Identity::Node { device: metadata.dev(), inode: metadata.ino() })
    }

    /// The identity of a file that is there, which may be known by a path.
    ///
    /// # Errors
    /// What the system says.
    #[cfg(not(unix))]
    pub fn of_file(_: &Metadata, path: Option<&Path>) -> io::Result<Self> {
        path.map_or_else(|| Err(io::ErrorKind::Unsupported.into()), |path| Ok(Identity::Path(path.canonicalize()?)))
    }

    /// The identity of a file that is to come into being in this folder.
    ///
    /// # Errors
    /// There is no such folder, or the system does not say.
    pub fn of_new(folder: &Path, name: &Path) -> io::Result<Self> {
        Ok(Identity::Path(folder.canonicalize()?.join(name)))
    }
}

/// The files of one command.
#[derive(Debug, Default)]
pub struct Ledger {
    read: HashSet<Identity>,
    written: HashSet<Identity>,
}

impl Ledger {
    /// Notes that a file is read.
    ///
    /// # Errors
    /// It is an output.
    pub fn read(&mut self, file: Identity) -> Result<(), AccessError> {
        if self.written.contains(&file) {
            return Err(AccessError::InputAndOutput);
        }
        self.read.insert(file);
        Ok(())
    }

    /// Notes that a file is written, which has all of these identities.
    ///
    /// # Errors
    /// It is an input, or an output already.
    pub fn write(&mut self, file: impl IntoIterator<Item = Identity>) -> Result<(), AccessError> {
        let file: Vec<Identity> = file.into_iter().collect();
        match () {
            () if file.iter().any(|identity| self.read.contains(identity)) => Err(AccessError::InputAndOutput),
            () if file.iter().any(|identity| self.written.contains(identity)) => Err(AccessError::TwoOutputs),
            () => {
                self.written.extend(file);
                Ok(())
            }
        }
    }
}
