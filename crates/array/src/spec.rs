//! Names of files on the command line: `PATH[:WxHxC][:tiled]`.

use ctm_memory::Tiling;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How an array is written down in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// `.npy`: NumPy's own.
    Npy,
    /// `.png`: a picture.
    Png,
    /// `.apng`: an animation. Of one that is read, the first frame counts.
    Apng,
    /// `.f32`: float32 values, little-endian, and nothing else.
    Raw,
}

impl FileKind {
    /// The kind that the ending of a file's name says.
    pub fn of(path: &Path) -> Result<Self, SpecError> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match ending.as_str() {
            "npy" => Ok(FileKind::Npy),
            "png" => Ok(FileKind::Png),
            "apng" => Ok(FileKind::Apng),
            "f32" => Ok(FileKind::Raw),
            _ => Err(match ending.split_once(':') {
                Some(("npy" | "png" | "apng" | "f32", suffix)) => SpecError::Suffix { suffix: suffix.into() },
                _ => SpecError::Kind { path: path.into() },
            }),
        }
    }
}

/// The size of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Elements in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Values of an element.
    pub channels: usize,
}

impl Shape {
    /// Number of values, if it fits.
    pub fn values(self) -> Option<usize> {
        self.width.checked_mul(self.height)?.checked_mul(self.channels)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}x{}", self.width, self.height, self.channels)
    }
}

impl FromStr for Shape {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let sides: Option<Vec<usize>> =
            text.split('x').map(|side| side.parse().ok().filter(|side| *side > 0)).collect();
        match sides.as_deref() {
            Some(&[width, height, channels]) => Ok(Shape { width, height, channels }),
            _ => Err(SpecError::Suffix { suffix: text.into() }),
        }
    }
}

/// A file as an argument names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSpec {
    /// The file.
    pub path: PathBuf,
    /// Its kind.
    pub kind: FileKind,
    /// Its shape, if the argument has one: needed for `.f32`, checked for the others.
    pub shape: Option<Shape>,
    /// How the surface lies in memory.
    pub tiling: Tiling,
}

/// What is wrong with the name of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// There is none.
    #[error("the file name is missing")]
    Empty,
    /// The ending of the name is none of those that are known.
    #[error("'{}' has an unknown type: file names end in .npy, .png, .apng or .f32", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
    },
    /// Something follows the name that is neither a shape nor a tiling.
    #[error("':{suffix}' after a file name is neither a shape like :640x480x4 (width, height, channels) nor ':tiled'")]
    Suffix {
        /// What follows the colon.
        suffix: String,
    },
}

impl FileSpec {
    /// Takes an argument apart.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let (text, tiling) = match text.strip_suffix(":tiled") {
            Some(rest) => (rest, Tiling::Tiled),
            None => (text, Tiling::Linear),
        };
        // A colon may be part of a name, so only what looks like a shape is taken for one.
        let shape = text.rsplit_once(':').filter(|(_, suffix)| {
            suffix.starts_with(|c: char| c.is_ascii_digit()) && suffix.chars().all(|c| c.is_ascii_digit() || c == 'x')
        });
        let (path, shape) = match shape {
            Some((path, shape)) => (path, Some(shape.parse()?)),
            None => (text, None),
        };
        if path.is_empty() {
            return Err(SpecError::Empty);
        }
        Ok(FileSpec { shape, tiling, ..FileSpec::of(path.into())? })
    }

    /// A file by its name alone, which need not be text.
    pub fn of(path: PathBuf) -> Result<Self, SpecError> {
        Ok(FileSpec { kind: FileKind::of(&path)?, path, shape: None, tiling: Tiling::Linear })
    }
}

impl FromStr for FileSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        FileSpec::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_in_any_combination() {
        let shape = Some(Shape { width: 640, height: 480, channels: 4 });
        for (text, path, kind, shape, tiling) in [
            ("a.npy", "a.npy", FileKind::Npy, None, Tiling::Linear),
            ("dir/a.PNG:tiled", "dir/a.PNG", FileKind::Png, None, Tiling::Tiled),
            ("a.f32:640x480x4", "a.f32", FileKind::Raw, shape, Tiling::Linear),
            ("a.apng", "a.apng", FileKind::Apng, None, Tiling::Linear),
            ("a.f32:640x480x4:tiled", "a.f32", FileKind::Raw, shape, Tiling::Tiled),
            ("a:1b.npy", "a:1b.npy", FileKind::Npy, None, Tiling::Linear),
            ("c:\\a:b.npy", "c:\\a:b.npy", FileKind::Npy, None, Tiling::Linear),
        ] {
            assert_eq!(FileSpec::parse(text), Ok(FileSpec { path: path.into(), kind, shape, tiling }), "{text}");
        }
    }

    #[test]
    fn wrong_names_have_distinct_errors() {
        let suffix = |suffix: &str| Err(SpecError::Suffix { suffix: suffix.into() });
        assert_eq!(FileSpec::parse("a.f32:64x64"), suffix("64x64"));
        assert_eq!(FileSpec::parse("a.f32:64x0x4"), suffix("64x0x4"));
        assert_eq!(FileSpec::parse("a.f32:9x9x99999999999999999999"), suffix("9x9x99999999999999999999"));
        assert_eq!(FileSpec::parse("a.npy:tild"), suffix("tild"));
        assert_eq!(FileSpec::parse(":1x1x1"), Err(SpecError::Empty));
        assert_eq!(FileSpec::parse(""), Err(SpecError::Empty));
        for name in ["a", "a.txt", ".npy", "a.txt:tild"] {
            assert_eq!(FileSpec::parse(name), Err(SpecError::Kind { path: name.into() }));
        }
    }
}
