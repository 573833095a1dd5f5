//! Decides which files a text may include: those below its own directory, and those below the directories of `-I`.

use std::path::{Component, Path, PathBuf};

/// What to do about a file that lies elsewhere.
const REMEDY: &str = "-I DIR allows files below another directory, by their names in it";

/// A file that may be included.
#[derive(Debug)]
pub struct IncludedFile {
    /// Its name in messages.
    pub name: PathBuf,
    /// Its path without links.
    pub canonical: PathBuf,
}

/// The file that `#include "wanted"` in the file `including` names: below the directory of `including`, else below
/// the first of `directories` that has it. Links are followed, but not out of the directory.
///
/// # Errors
/// Why there is no such file, for people.
pub fn resolve(including: &Path, wanted: &str, directories: &[PathBuf]) -> Result<IncludedFile, String> {
    let plain = |part: Component| matches!(part, Component::Normal(_) | Component::CurDir);
    if wanted.is_empty() || !Path::new(wanted).components().all(plain) {
        return Err(format!("a name must be relative, without '..'; {REMEDY}"));
    }
    let own = including.parent().unwrap_or(Path::new(""));
    for directory in std::iter::once(own).chain(directories.iter().map(PathBuf::as_path)) {
        let path = directory.join(wanted);
        let Ok(canonical) = path.canonicalize() else { continue };
        let root = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        return match root.canonicalize() {
            Ok(root) if canonical.starts_with(&root) => Ok(IncludedFile { name: path, canonical }),
            _ => Err(format!("'{}' is a link out of its directory; {REMEDY}", path.display())),
        };
    }
    Err(format!("no such file below the directory of the including one; {REMEDY}"))
}
