//! A directory of the user's own with files that are the same for every process.
//!
//! What it holds depends on its name only, so that processes share it, and none has to remove it. It lies where the user alone can
//! write; of other directories, and of what lies in this one besides, nothing is touched.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process;

/// What lies in the directory.
pub enum Entry {
    /// A directory.
    Directory,
    /// A file with this content.
    File(String),
    /// A symbolic link to this name.
    Link(&'static str),
}

/// The directory of this name with these entries, in which each directory stands before what lies in it.
///
/// # Errors
/// A sentence, if it can lie in none of the places.
pub fn directory(name: &str, entries: &[(&str, Entry)]) -> Result<PathBuf, String> {
    let mut refusals = Vec::new();
    for place in places() {
        match fill(&place, name, entries) {
            Ok(path) => return Ok(path),
            Err(error) => refusals.extend(place.last().map(|place| format!("{}: {error}", place.display()))),
        }
    }
    let refusals = refusals.join("; ");
    Err(format!(
        "no directory for the card's files: {refusals}; XDG_RUNTIME_DIR, XDG_CACHE_HOME and TMPDIR name others"
    ))
}

/// Where it may lie, the best place first: each as the directories that are made if they are not there, the last of which is the place.
fn places() -> Vec<Vec<PathBuf>> {
    let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let runtime = named("XDG_RUNTIME_DIR").map(|runtime| vec![runtime.join("ctm")]);
    let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    let cache = cache.map(|cache| vec![cache.clone(), cache.join("ctm")]);
    // Others can write there too, so that the name has to be this user's, and what has it is looked at.
    let temporary = vec![env::temp_dir().join(format!("ctm-{}", user()))];
    [runtime, cache, Some(temporary)].into_iter().flatten().collect()
}

/// The user whose rights the process has.
fn user() -> u32 {
    // SAFETY: the call takes nothing, and cannot fail.
    unsafe { libc::geteuid() }
}

/// Makes what is missing.
fn fill(place: &[PathBuf], name: &str, entries: &[(&str, Entry)]) -> io::Result<PathBuf> {
    place.iter().try_for_each(|directory| make(directory))?;
    let place = place.last().ok_or(io::ErrorKind::NotFound)?;
    require_own(place)?;
    let root = place.join(name);
    make(&root)?;
    for (number, (path, entry)) in entries.iter().enumerate() {
        let path = root.join(path);
        // Other processes see all of a file or none, since it gets its name when it is complete.
        let part = place.join(format!("part-{}-{number}", process::id()));
        match entry {
            Entry::Directory => make(&path)?,
            Entry::File(text) => {
                if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
                    fs::write(&part, text)?;
                    fs::rename(&part, &path)?;
                }
            }
            Entry::Link(target) => {
                if fs::read_link(&path).ok().as_deref() != Some(Path::new(OsStr::from_bytes(target.as_bytes()))) {
                    symlink(target, &part)?;
                    fs::rename(&part, &path)?;
                }
            }
        }
    }
    Ok(root)
}

/// Makes a directory that only the user can look into, if it is not there.
fn make(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

/// Refuses a directory that others may have made, or can write to.
fn require_own(path: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    let is_own = found.is_dir() && found.uid() == user() && found.mode() & 0o022 == 0;
    if is_own { Ok(()) } else { Err(io::Error::other("it is not a directory that this user alone can write to")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn entries() -> [(&'static str, Entry); 4] {
        [
            ("a", Entry::Directory),
            ("a/file", Entry::File("text".into())),
            ("a/empty", Entry::File(String::new())),
            ("a/link", Entry::Link("/elsewhere")),
        ]
    }

    fn scratch(name: &str) -> PathBuf {
        let path = env::temp_dir().join(format!("ctm-files-{name}-{}", process::id()));
        DirBuilder::new().mode(0o700).create(&path).unwrap();
        path
    }

    #[test]
    fn what_is_missing_or_wrong_is_made_and_nothing_is_removed() {
        let place = scratch("made");
        let fill = || fill(&[place.join("x"), place.join("x/ctm")], "card", &entries()).unwrap();
        let root = fill();
        assert_eq!(root, place.join("x/ctm/card"));
        fs::write(root.join("a/file"), "other").unwrap();
        fs::write(root.join("a/mine"), "mine").unwrap();
        fs::write(root.join("../mine"), "mine").unwrap();
        fs::remove_file(root.join("a/link")).unwrap();
        symlink("/wrong", root.join("a/link")).unwrap();
        assert_eq!(fill(), root);
        let texts = ["a/file", "a/empty", "a/mine", "../mine"].map(|name| fs::read_to_string(root.join(name)).unwrap());
        assert_eq!(texts, ["text", "", "mine", "mine"]);
        assert_eq!(fs::read_link(root.join("a/link")).unwrap(), Path::new("/elsewhere"));
        assert_eq!(fs::read_dir(place.join("x/ctm")).unwrap().count(), 2, "no parts stay");
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn directories_of_others_are_not_used() {
        let place = scratch("others");
        let refused = |name: &str| fill(&[place.join(name)], "card", &entries()).unwrap_err().to_string();
        fs::create_dir(place.join("open")).unwrap();
        fs::set_permissions(place.join("open"), fs::Permissions::from_mode(0o777)).unwrap();
        symlink(scratch("target"), place.join("link")).unwrap();
        for name in ["open", "link"] {
            assert!(refused(name).contains("this user alone"), "{name}");
        }
        assert_eq!(fs::read_dir(place.join("open")).unwrap().count(), 0);
        assert_eq!(fs::read_dir(place.join("link")).unwrap().count(), 0);
        fs::remove_dir(place.join("link").canonicalize().unwrap()).unwrap();
        fs::remove_dir_all(&place).unwrap();
    }
}
