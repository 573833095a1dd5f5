//! The files of this machine, as the user may reach them.

use super::include::resolve;
use super::{Host, Output, ReadError};
use crate::interrupt;
use ctm_text::{MAX_TEXT, SourceFile};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The host itself.
#[derive(Debug, Default)]
pub struct Local {
    /// Directories that texts may include files from, besides their own.
    include_directories: Vec<PathBuf>,
}

impl Local {
    /// The host, with directories that any text may include files from.
    pub fn new(include_directories: Vec<PathBuf>) -> Self {
        Local { include_directories }
    }
}

impl Host for Local {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
        let file = open_regular(path)?;
        if file.metadata()?.len() > limit {
            return Err(ReadError::TooLarge);
        }
        read_at_most(file, limit)
    }

    fn read_standard_input(&self, limit: u64) -> Result<Vec<u8>, ReadError> {
        read_at_most(io::stdin().lock(), limit)
    }

    fn include(&self, including: &Path, wanted: &str) -> Result<SourceFile, String> {
        let found = resolve(including, wanted, &self.include_directories)?;
        let bytes = self.read(&found.canonical, MAX_TEXT as u64).map_err(|error| match error {
            ReadError::TooLarge => format!("it has more than {} MiB", MAX_TEXT >> 20),
            ReadError::NotRegular | ReadError::System(_) => error.to_string(),
        })?;
        let text = String::from_utf8(bytes).map_err(|_| "it is no text (not UTF-8)".to_string())?;
        Ok(SourceFile { name: found.name.display().to_string(), text })
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn canonical(&self, path: &Path) -> PathBuf {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        path.canonicalize()
            .or_else(|_| Ok::<_, io::Error>(folder.canonicalize()?.join(path.file_name().unwrap_or_default())))
            .unwrap_or_else(|_| path.into())
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        Ok(Box::new(LocalOutput::open(path)?))
    }

    fn memory(&self) -> Option<u64> {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        total.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    }

    fn interrupt(&self) -> Arc<AtomicBool> {
        interrupt::flag()
    }
}

/// Opens a file to be read, unless reading it might never end: pipes and devices are refused.
fn open_regular(path: &Path) -> Result<File, ReadError> {
    let mut options = File::options();
    options.read(true);
    without_waiting(&mut options);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    match () {
        () if metadata.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory).into()),
        () if metadata.is_file() => Ok(file),
        () => Err(ReadError::NotRegular),
    }
}

/// Lets opening a pipe return at once, whoever is at its other end. Regular files do not care.
fn without_waiting(options: &mut fs::OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    #[cfg(not(unix))]
    let _ = options;
}

fn read_at_most(from: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(ReadError::TooLarge) } else { Ok(bytes) }
}

/// A file that is being written.
#[derive(Debug)]
struct LocalOutput {
    path: PathBuf,
    file: File,
    /// Where the bytes wait; `None` for what is not a regular file, such as a pipe or a device.
    waiting: Option<PathBuf>,
}

impl LocalOutput {
    fn open(path: &Path) -> io::Result<Self> {
        let standing = fs::metadata(path).ok();
        if standing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if standing.as_ref().is_some_and(|standing| !standing.is_file()) {
            return Ok(LocalOutput { path: path.into(), file: open_special(path)?, waiting: None });
        }
        if standing.as_ref().is_some_and(|standing| standing.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is write-protected"));
        }
        let path = if standing.is_some() { fs::canonicalize(path)? } else { path.into() };
        let mut name = OsString::from(".");
        name.push(path.file_name().ok_or(io::ErrorKind::InvalidFilename)?);
        name.push(format!(".{}.part", std::process::id()));
        let waiting = path.with_file_name(name);
        let file = File::create(&waiting)?;
        let output = LocalOutput { path, file, waiting: Some(waiting) };
        if let Some(standing) = standing {
            output.file.set_permissions(standing.permissions())?;
        }
        Ok(output)
    }
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
        self.file.write_all(bytes)?;
        self.file.flush()
    }

    fn commit(mut self: Box<Self>) -> io::Result<()> {
        if let Some(waiting) = &self.waiting {
            fs::rename(waiting, &self.path)?;
            self.waiting = None;
        }
        Ok(())
    }
}

impl Drop for LocalOutput {
    fn drop(&mut self) {
        if let Some(waiting) = &self.waiting {
            let _ = fs::remove_file(waiting);
        }
    }
}
