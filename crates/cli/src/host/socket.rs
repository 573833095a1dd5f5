//! A socket in the file system, for clients of this user.

use rustix::fs::Mode;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// A socket that waits. It is removed at the end, if what has its name is still the one that was made here.
pub struct Socket {
    listener: UnixListener,
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

impl Socket {
    /// Makes the socket, which only this user can connect to, and which does not block.
    ///
    /// # Errors
    /// What the system says; `AddrInUse` if something has the name.
    pub fn new(path: &Path) -> io::Result<Self> {
        // Nobody else may connect in the moment before other rights could be set.
        let mask = rustix::process::umask(Mode::RWXG | Mode::RWXO | Mode::XUSR);
        let listener = UnixListener::bind(path);
        rustix::process::umask(mask);
        let socket = Socket { listener: listener?, path: path.into(), identity: identity(path) };
        socket.listener.set_nonblocking(true)?;
        Ok(socket)
    }

    /// The next client.
    ///
    /// # Errors
    /// What the system says; `WouldBlock` if there is none.
    pub fn accept(&self) -> io::Result<UnixStream> {
        self.listener.accept().map(|(stream, _)| stream)
    }
}

/// The number of what has a name, on its device.
fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).map(|found| (found.dev(), found.ino())).ok()
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.identity.is_some() && identity(&self.path) == self.identity {
            // One that cannot be removed is named by who makes it next.
            let _ = fs::remove_file(&self.path);
        }
    }
}
