//! Files of this machine that appear complete or not at all. Nothing else in this crate opens files to write them.

use super::ledger::{Identity, Ledger};
use super::local::without_waiting;
use super::{AccessError, Output};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// A file that is being written.
#[derive(Debug)]
pub enum LocalOutput {
    /// Its bytes wait in a file beside it.
    Regular {
        /// What is to be its name.
        path: PathBuf,
        /// The file beside it.
        waiting: TempPath,
        /// The same, as long as bytes may come.
        open: Option<File>,
    },
    /// A pipe or a device, which takes bytes at once.
    Special(File),
}

impl LocalOutput {
    /// Makes sure that `path` can be written, without changing what stands there, and that it is not a file of the ledger.
    ///
    /// # Errors
    /// It cannot be written, or is an input or another output.
    pub fn open(path: &Path, ledger: &mut Ledger) -> Result<Self, AccessError> {
        let standing = fs::metadata(path).ok();
        if standing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
        }
        if let Some(special) = standing.as_ref().filter(|standing| !standing.is_file()) {
            if !takes_everything(special) {
                ledger.write([Identity::of_file(special, Some(path))?])?;
            }
            return Ok(LocalOutput::Special(open_special(path)?));
        }
        let path = if standing.is_some() { fs::canonicalize(path)? } else { path.into() };
        let name = Path::new(path.file_name().ok_or(io::Error::from(io::ErrorKind::InvalidFilename))?);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // The name too: once the output has it, another file stands there.
        let of_standing = standing.as_ref().map(|standing| Identity::of_file(standing, Some(&path))).transpose()?;
        ledger.write([Identity::of_new(folder, name)?].into_iter().chain(of_standing))?;
        if standing.as_ref().is_some_and(|standing| standing.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is write-protected").into());
        }
        let mut prefix = OsString::from(".");
        prefix.push(name);
        prefix.push(".");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".part");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let (open, waiting) = builder.tempfile_in(folder)?.into_parts();
        if let Some(standing) = standing {
            open.set_permissions(standing.permissions())?;
        }
        Ok(LocalOutput::Regular { path, waiting, open: Some(open) })
    }
}

/// True for devices like `/dev/null`, which several outputs may go to.
fn takes_everything(special: &fs::Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::FileTypeExt::is_char_device(&special.file_type());
    #[cfg(not(unix))]
    return !special.is_dir();
}

/// Opens a pipe or device to be written. A pipe that nobody reads is an error, not a wait.
fn open_special(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true);
    without_waiting(&mut options);
    let file = options.open(path).map_err(|error| match error.raw_os_error() {
        #[cfg(unix)]
        Some(code) if code == rustix::io::Errno::NXIO.raw_os_error() => io::Error::other("nobody reads this pipe"),
        _ => error,
    })?;
    // Writes wait for the reader as usual.
    #[cfg(unix)]
    rustix::fs::fcntl_setfl(&file, rustix::fs::fcntl_getfl(&file)? - rustix::fs::OFlags::NONBLOCK)?;
    Ok(file)
}

impl Output for LocalOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            LocalOutput::Regular { open: Some(file), .. } | LocalOutput::Special(file) => file.write_all(bytes),
            LocalOutput::Regular { open: None, .. } => Err(io::Error::other("the file is complete already")),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        match self {
            LocalOutput::Regular { open, .. } => *open = None,
            LocalOutput::Special(_) => {}
        }
        Ok(())
    }

    fn commit(self: Box<Self>) -> io::Result<()> {
        match *self {
            LocalOutput::Regular { path, waiting, .. } => waiting.persist(path).map_err(|failed| failed.error),
            LocalOutput::Special(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    /// The sources below a folder.
    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder of sources");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
    }

    /// Whoever wrote a file past this module would pass over the ledger.
    #[test]
    fn only_this_module_opens_files_to_write_them() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let sources = sources(&root);
        assert!(sources.len() > 50, "{} sources", sources.len());
        let ways = [
            "File::create",
            "File::options",
            "OpenOptions",
            "fs::write",
            "fs::copy",
            "fs::rename",
            "fs::hard_link",
            "create_dir",
            "remove_file",
            "remove_dir",
            "symlink",
            "tempfile",
        ];
        for path in sources {
            let name = path.strip_prefix(&root).expect("a source").display().to_string();
            let text = std::fs::read_to_string(&path).expect("a text");
            // Reading takes options too.
            let allowed: &[&str] = match name.as_str() {
                "host/output.rs" => continue,
                "host/local.rs" => &["File::options", "OpenOptions"],
                // It looks whether a socket is its own, and removes that.
                "host/socket.rs" => &["symlink", "remove_file"],
                _ => &[],
            };
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for way in ways.iter().filter(|way| !allowed.contains(way)) {
                assert!(!code.contains(way), "{name} has {way}: files are written through Sink");
            }
        }
    }
}
