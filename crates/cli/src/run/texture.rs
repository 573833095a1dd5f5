//! Textures of the command line: `FILE[:WxHxC][:KIND][:tiled]`, or with a depth `FILE:WxHxDxC...`.

use super::Memory;
use crate::Failure;
use crate::files;
use crate::host::Host;
use crate::report::Message;
use ctm_array::{FileSpec, SpecError};
use ctm_memory::Surface;

/// Faces of a cube.
const FACES: usize = 6;

/// What a file can be taken for. Slices, layers and faces lie one above another in its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureKind {
    /// One row.
    D1,
    /// A picture.
    D2,
    /// Slices.
    D3,
    /// Each row is a layer.
    D1Array,
    /// Layers.
    D2Array,
    /// Six faces, in the order +x, -x, +y, -y, +z, -z.
    Cube,
}

impl TextureKind {
    const NAMES: [(&'static str, TextureKind); 6] = [
        ("1d", TextureKind::D1),
        ("2d", TextureKind::D2),
        ("3d", TextureKind::D3),
        ("1d-array", TextureKind::D1Array),
        ("array", TextureKind::D2Array),
        ("cube", TextureKind::Cube),
    ];

    /// How it is spelled.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// The kind that is spelled so.
    pub fn parse(word: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(name, _)| *name == word).map(|&(_, kind)| kind)
    }
}

/// An argument, taken apart.
#[derive(Debug)]
pub struct TextureSpec {
    /// The file.
    pub file: FileSpec,
    /// What it is, if the argument says so.
    pub kind: Option<TextureKind>,
    /// Slices, layers or faces, if the argument says how many.
    pub depth: Option<usize>,
}

/// A level of a texture in memory.
#[derive(Clone, Copy, Debug)]
pub struct TextureLevel {
    /// What it is.
    pub kind: TextureKind,
    /// Columns, rows of a slice, and slices, layers or faces.
    pub size: [u32; 3],
    /// Where it lies.
    pub surface: Surface,
}

impl TextureLevel {
    /// Its kind and size in words.
    fn describe(&self) -> String {
        let [width, height, depth] = self.size;
        format!("{width}x{height}x{depth} ({})", self.kind.name())
    }

    /// Refuses a further level of a texture that is not like this one.
    ///
    /// # Errors
    /// It has another kind or size.
    pub fn require(&self, expected: &TextureLevel, file: &str, what: &str) -> Result<(), Failure> {
        if (self.kind, self.size) == (expected.kind, expected.size) {
            return Ok(());
        }
        let message = format!("'{file}' is {}, but {what} is {}", self.describe(), expected.describe());
        Err(Message::error(message).help("each level has half the sides of the one before, rounded down").into())
    }
}

impl TextureSpec {
    /// Reads an argument.
    ///
    /// # Errors
    /// It does not name a file, or what follows the file is unknown.
    pub fn parse(text: &str) -> Result<Self, Message> {
        let (text, tiled) = text.strip_suffix(":tiled").map_or((text, ""), |rest| (rest, ":tiled"));
        let named = text.rsplit_once(':').and_then(|(rest, word)| Some((rest, TextureKind::parse(word)?)));
        let (text, kind) = named.map_or((text, None), |(rest, kind)| (rest, Some(kind)));
        let (text, tiled) = text.strip_suffix(":tiled").map_or((text, tiled), |rest| (rest, ":tiled"));
        let deep = text.rsplit_once(':').and_then(|(path, shape)| {
            let sides: Option<Vec<usize>> =
                shape.split('x').map(|side| side.parse().ok().filter(|side| *side > 0)).collect();
            match sides.as_deref() {
                Some(&[width, height, depth, channels]) => {
                    let rows = height.checked_mul(depth)?;
                    Some((format!("{path}:{width}x{rows}x{channels}"), depth))
                }
                _ => None,
            }
        });
        let (text, depth) = deep.map_or((text.to_owned(), None), |(text, depth)| (text, Some(depth)));
        let file = FileSpec::parse(&format!("{text}{tiled}")).map_err(|error| {
            let message = Message::error(error.to_string());
            let names = TextureKind::NAMES.map(|(name, _)| format!(":{name}")).join(", ");
            match error {
                SpecError::Suffix { .. } => {
                    message.help(format!("a texture can also have a depth, like :16x16x16x4, and be one of {names}"))
                }
                _ => message,
            }
        })?;
        Ok(TextureSpec { file, kind, depth })
    }

    /// Reads the file into memory, as the kind that the argument names, else as this kind, else as the one that the file's axes imply: slices
    /// are 3d.
    ///
    /// # Errors
    /// The file cannot be read, does not have the kind's shape, or there is no memory.
    pub fn load(
        &self,
        host: &dyn Host,
        memory: &mut Memory,
        kind: Option<TextureKind>,
    ) -> Result<TextureLevel, Failure> {
        let (array, slices) = files::read_slices(host, &self.file).map_err(Message::from)?;
        let slices = self.depth.or(slices);
        let implied = if slices.is_some() { TextureKind::D3 } else { TextureKind::D2 };
        let kind = self.kind.or(kind).unwrap_or(implied);
        let (width, rows) = (array.shape.width, array.shape.height);
        let size = size(kind, width, rows, slices).map_err(|message| {
            let file = self.file.path.display();
            let message = format!("'{file}' has {width} columns and {rows} rows: {message}");
            Message::error(message)
                .help("a .npy array of depth x height x width x channels has slices, and so has FILE:WxHxDxC")
        })?;
        let (path, tiling) = (&self.file.path, self.file.tiling);
        // Slices and faces have no row that is the lowest of a picture.
        let surface = match kind {
            TextureKind::D1 | TextureKind::D2 => memory.add_picture(path, tiling, array)?,
            TextureKind::D3 | TextureKind::D1Array | TextureKind::D2Array | TextureKind::Cube => {
                memory.add_array(path, tiling, &array)?
            }
        };
        Ok(TextureLevel { kind, size: size.map(|side| side as u32), surface })
    }
}

/// Width, height, and depth of a texture whose slices are so many rows together.
fn size(kind: TextureKind, width: usize, rows: usize, slices: Option<usize>) -> Result<[usize; 3], String> {
    let per_slice = |slices: usize| match rows.is_multiple_of(slices) {
        true => Ok([width, rows / slices, slices]),
        false => Err(format!("they are not {slices} slices of the same height")),
    };
    match kind {
        TextureKind::D1 if rows == 1 => Ok([width, 1, 1]),
        TextureKind::D1 => Err("a 1d texture has one row; '1d-array' takes each row for a layer".into()),
        TextureKind::D1Array => Ok([width, 1, rows]),
        TextureKind::D2 if slices.is_none_or(|slices| slices == 1) => Ok([width, rows, 1]),
        TextureKind::D2 => Err("a 2d texture has no depth; kinds with depth are 3d, array and cube".into()),
        TextureKind::D3 | TextureKind::D2Array => {
            per_slice(slices.ok_or_else(|| format!("'{}' needs to know how many slices that is", kind.name()))?)
        }
        TextureKind::Cube => match per_slice(slices.unwrap_or(FACES))? {
            [_, height, FACES] if height == width => Ok([width, height, FACES]),
            [_, height, faces] => Err(format!("a cube has six square faces, not {faces} of {width}x{height}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_kinds() {
        use TextureKind::*;
        for (kind, width, rows, slices, expected) in [
            (D1, 5, 1, None, Some([5, 1, 1])),
            (D1, 5, 2, None, None),
            (D1Array, 5, 3, None, Some([5, 1, 3])),
            (D2, 5, 3, None, Some([5, 3, 1])),
            (D2, 5, 6, Some(2), None),
            (D3, 4, 6, Some(3), Some([4, 2, 3])),
            (D3, 4, 6, Some(4), None),
            (D3, 4, 6, None, None),
            (D2Array, 4, 6, Some(2), Some([4, 3, 2])),
            (Cube, 4, 24, None, Some([4, 4, 6])),
            (Cube, 4, 24, Some(6), Some([4, 4, 6])),
            (Cube, 4, 12, None, None),
            (Cube, 4, 20, Some(5), None),
        ] {
            assert_eq!(size(kind, width, rows, slices).ok(), expected, "{kind:?} {width}x{rows} {slices:?}");
        }
    }

    #[test]
    fn arguments() {
        let parsed = |text| {
            let TextureSpec { file, kind, depth } = TextureSpec::parse(text).ok()?;
            Some((file.path.display().to_string(), file.shape.map(|shape| shape.height), kind, depth))
        };
        assert_eq!(parsed("a.npy"), Some(("a.npy".into(), None, None, None)));
        assert_eq!(parsed("a.png:cube:tiled"), Some(("a.png".into(), None, Some(TextureKind::Cube), None)));
        assert_eq!(parsed("a.png:tiled:cube"), parsed("a.png:cube:tiled"));
        assert_eq!(parsed("a.f32:8x4x2x4"), Some(("a.f32".into(), Some(8), None, Some(2))));
        assert_eq!(
            parsed("a.f32:8x4x3x4:array"),
            Some(("a.f32".into(), Some(12), Some(TextureKind::D2Array), Some(3)))
        );
        assert_eq!(parsed("a.f32:8x4x4:1d"), Some(("a.f32".into(), Some(4), Some(TextureKind::D1), None)));
        assert!(parsed("a.f32:8x4x3x4x5").is_none() && parsed("a.npy:sphere").is_none());
    }
}
