//! The files of this machine, as the user may reach them.

use super::encoding::to_utf8;
use super::include::resolve;
use super::ledger::{Identity, Ledger};
use super::output::LocalOutput;
use super::{AccessError, Host, Output};
use crate::interrupt;
use ctm_text::{MAX_TEXT, SourceFile};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

/// The host itself, for one command.
#[derive(Debug, Default)]
pub struct Local {
    /// Directories that texts may include files from, besides their own.
    include_directories: Vec<PathBuf>,
    /// The files of the command.
    ledger: RefCell<Ledger>,
    /// What was read, or was to be read.
    stamps: RefCell<BTreeMap<PathBuf, Stamp>>,
    /// What Ctrl-C raises, once somebody asks for it.
    interrupt: OnceCell<Arc<AtomicBool>>,
}

/// What tells a file from what it is after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// There is none.
    Absent,
    /// Its length, and when it changed, where the system says so.
    Present(u64, Option<SystemTime>),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Stamp::Present(metadata.len(), metadata.modified().ok())
    }

    /// That of the file that now has this name.
    pub fn now(path: &Path) -> Self {
        fs::metadata(path).map_or(Stamp::Absent, |metadata| Stamp::of(&metadata))
    }
}

impl Local {
    /// The host, with directories that any text may include files from.
    pub fn new(include_directories: Vec<PathBuf>) -> Self {
        Local { include_directories, ..Local::default() }
    }

    /// The same, interrupted by whoever raises a flag.
    pub fn interruptible(include_directories: Vec<PathBuf>, interrupt: Arc<AtomicBool>) -> Self {
        Local { include_directories, interrupt: OnceCell::from(interrupt), ..Local::default() }
    }

    /// The files that were read so far, or that were not there to be read, as they were then. The host is ready for another
    /// command.
    pub fn take_read_files(&self) -> BTreeMap<PathBuf, Stamp> {
        self.ledger.take();
        self.stamps.take()
    }

    /// Notes that standard input is read, which may be a file, too.
    fn note_standard_input(&self) -> Result<(), AccessError> {
        #[cfg(unix)]
        if let Ok(metadata) = File::from(std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?).metadata()
            && metadata.is_file()
        {
            self.ledger.borrow_mut().read(Identity::of_file(&metadata, None)?)?;
        }
        Ok(())
    }
}

impl Host for Local {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, AccessError> {
        self.stamps.borrow_mut().insert(path.into(), Stamp::Absent);
        let file = open_regular(path)?;
        let metadata = file.metadata()?;
        self.stamps.borrow_mut().insert(path.into(), Stamp::of(&metadata));
        if metadata.len() > limit {
            return Err(AccessError::TooLarge);
        }
        self.ledger.borrow_mut().read(Identity::of_file(&metadata, Some(path))?)?;
        read_at_most(file, limit)
    }

    fn stream(&self, path: Option<&Path>, _: u64) -> Result<Box<dyn Read>, AccessError> {
        let Some(path) = path else {
            self.note_standard_input()?;
            return Ok(Box::new(io::stdin()));
        };
        let file = open_regular(path)?;
        self.ledger.borrow_mut().read(Identity::of_file(&file.metadata()?, Some(path))?)?;
        Ok(Box::new(file))
    }

    fn read_standard_input(&self, limit: u64) -> Result<Vec<u8>, AccessError> {
        self.note_standard_input()?;
        read_at_most(io::stdin().lock(), limit)
    }

    fn include(&self, including: &Path, wanted: &str) -> Result<SourceFile, String> {
        let found = resolve(including, wanted, &self.include_directories).inspect_err(|_| {
            let beside = including.with_file_name(wanted);
            self.stamps.borrow_mut().insert(beside, Stamp::Absent);
        })?;
        let bytes = self.read(&found.canonical, MAX_TEXT as u64).map_err(|error| match error {
            AccessError::TooLarge => format!("it has more than {} MiB", MAX_TEXT >> 20),
            AccessError::NotRegular
            | AccessError::InputAndOutput
            | AccessError::TwoOutputs
            | AccessError::System(_) => error.to_string(),
        })?;
        let text = String::from_utf8(to_utf8(bytes)).map_err(|_| "it is not text (not UTF-8)".to_string())?;
        Ok(SourceFile { name: found.name.display().to_string(), text })
    }

    fn folder(&self, path: &Path) -> io::Result<Option<Vec<PathBuf>>> {
        if !path.is_dir() {
            return Ok(None);
        }
        let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
        let mut files: Vec<PathBuf> = entries.into_iter().filter(|path| path.is_file()).collect();
        files.sort();
        Ok(Some(files))
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn create(&self, path: &Path) -> Result<Box<dyn Output>, AccessError> {
        Ok(Box::new(LocalOutput::open(path, &mut self.ledger.borrow_mut())?))
    }

    fn memory(&self) -> Option<u64> {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        total.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    }

    fn interrupt(&self) -> Arc<AtomicBool> {
        Arc::clone(self.interrupt.get_or_init(interrupt::flag))
    }
}

/// Opens a file to be read, unless reading it might never end: pipes and devices are refused.
fn open_regular(path: &Path) -> Result<File, AccessError> {
    let mut options = File::options();
    options.read(true);
    without_waiting(&mut options);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    match () {
        () if metadata.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory).into()),
        () if metadata.is_file() => Ok(file),
        () => Err(AccessError::NotRegular),
    }
}

/// Lets opening a pipe return at once, whoever is at its other end. Regular files do not care.
pub fn without_waiting(options: &mut fs::OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    #[cfg(not(unix))]
    let _ = options;
}

fn read_at_most(from: impl Read, limit: u64) -> Result<Vec<u8>, AccessError> {
    let mut bytes = Vec::new();
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(AccessError::TooLarge) } else { Ok(bytes) }
}
