//! A directory of the process's own, which goes with it.

use std::ffi::{CString, OsStr};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;
use std::time::Duration;

/// What names of such directories begin with.
const PREFIX: &str = "ctm-card-";
/// Directories that are younger may not be locked yet.
const YOUNG: Duration = Duration::from_secs(60);

/// The process's directory.
static DIRECTORY: OnceLock<Option<Directory>> = OnceLock::new();

/// A directory that this process made.
struct Directory {
    path: PathBuf,
    /// A child of `fork` has the directory's name, but it is its parent's.
    owner: u32,
    /// Locked while its owner lives, however it ends.
    _lock: File,
}

/// The process's directory, made and filled at the first call. `None` where that failed, which the first call reports.
pub fn directory(
    fill: impl FnOnce(&Path) -> io::Result<()>,
    report: impl FnOnce(&Path, io::Error),
) -> Option<&'static Path> {
    let make = || {
        let parent = std::env::temp_dir();
        let directory = make(&parent).and_then(|directory| {
            // SAFETY: the function takes and gives nothing, and can be called at any exit.
            unsafe { libc::atexit(remove) };
            fill(&directory.path)?;
            Ok(directory)
        });
        directory.map_err(|error| report(&parent, error)).ok()
    };
    DIRECTORY.get_or_init(make).as_ref().map(|directory| directory.path.as_path())
}

/// Removes the process's directory as it exits.
extern "C" fn remove() {
    if let Some(Some(directory)) = DIRECTORY.get()
        && directory.owner == process::id()
    {
        let _ = fs::remove_dir_all(&directory.path);
    }
}

fn make(parent: &Path) -> io::Result<Directory> {
    remove_abandoned(parent);
    let template = parent.join(format!("{PREFIX}XXXXXX"));
    let mut template = CString::new(template.as_os_str().as_bytes())?.into_bytes_with_nul();
    // SAFETY: the template is a string of its own that ends with 0, of which the call changes characters.
    if unsafe { libc::mkdtemp(template.as_mut_ptr().cast()) }.is_null() {
        return Err(io::Error::last_os_error());
    }
    template.pop();
    let path = PathBuf::from(OsStr::from_bytes(&template));
    let lock = File::open(&path)?;
    lock.lock()?;
    Ok(Directory { path, owner: process::id(), _lock: lock })
}

/// Removes directories whose owners were ended before they could.
fn remove_abandoned(parent: &Path) {
    let is_abandoned = |path: &Path| -> io::Result<bool> {
        let metadata = fs::symlink_metadata(path)?;
        let is_old = metadata.modified()?.elapsed().is_ok_and(|age| age > YOUNG);
        Ok(metadata.is_dir() && is_old && File::open(path)?.try_lock().is_ok())
    };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().as_bytes().starts_with(PREFIX.as_bytes());
        if is_ours && is_abandoned(&entry.path()).unwrap_or(false) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn abandoned_directories_are_removed() {
        let parent = make(&std::env::temp_dir()).unwrap();
        let age = |path: &Path| File::open(path).unwrap().set_modified(SystemTime::now() - 2 * YOUNG).unwrap();
        let [living, abandoned, young] = [(); 3].map(|()| make(&parent.path).unwrap());
        let paths = [&living, &abandoned, &young].map(|directory| directory.path.clone());
        age(&living.path);
        age(&abandoned.path);
        fs::write(abandoned.path.join("file"), "").unwrap();
        age(&abandoned.path);
        drop((abandoned, young));
        remove_abandoned(&parent.path);
        assert_eq!(paths.map(|path| path.exists()), [true, false, true]);
        fs::remove_dir_all(&parent.path).unwrap();
    }
}
