//! Textures of the command line: `FILE[:WxHxC][:KIND][:tiled]`, or with a depth `FILE:WxHxDxC...`.

use crate::Failure;
use crate::files;
use crate::host::Host;
use crate::report::Message;
use crate::run::Memory;
use ctm_array::{FileSpec, SpecError};
use ctm_r700::{Dimension, Texels, Texture};
use std::path::PathBuf;

/// Faces of a cube.
const FACES: usize = 6;

/// What a file can be taken for. Slices, layers and faces lie one above another in its rows.
const KINDS: [(&str, Dimension); 6] = [
    ("1d", Dimension::D1),
    ("2d", Dimension::D2),
    ("3d", Dimension::D3),
    ("1d-array", Dimension::D1Array),
    ("array", Dimension::D2Array),
    ("cube", Dimension::Cube),
];

fn name(dimension: Dimension) -> &'static str {
    KINDS.iter().find(|(_, kind)| *kind == dimension).map_or("", |(name, _)| name)
}

/// An argument, taken apart.
struct TextureSpec {
    file: FileSpec,
    kind: Option<Dimension>,
    /// Slices, layers or faces, if the argument says how many.
    depth: Option<usize>,
}

impl TextureSpec {
    fn parse(text: &str) -> Result<Self, Message> {
        let (text, tiled) = text.strip_suffix(":tiled").map_or((text, ""), |rest| (rest, ":tiled"));
        let named = text.rsplit_once(':').and_then(|(rest, kind)| {
            KINDS.iter().find(|(name, _)| *name == kind).map(|&(_, dimension)| (rest, dimension))
        });
        let (text, kind) = named.map_or((text, None), |(rest, dimension)| (rest, Some(dimension)));
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
            let names = KINDS.map(|(name, _)| format!(":{name}")).join(", ");
            match error {
                SpecError::Suffix { .. } => {
                    message.help(format!("a texture can also have a depth, like :16x16x16x4, and be one of {names}"))
                }
                _ => message,
            }
        })?;
        Ok(TextureSpec { file, kind, depth })
    }
}

/// The file that an argument names, if the argument is in order.
pub fn file(text: &str) -> Option<PathBuf> {
    Some(TextureSpec::parse(text).ok()?.file.path)
}

/// Reads a texture of one level into memory.
pub fn load(host: &dyn Host, memory: &mut Memory, text: &str) -> Result<Texture, Failure> {
    load_as(host, memory, text, None)
}

/// Reads the next level of a texture.
pub fn load_level(
    host: &dyn Host,
    memory: &mut Memory,
    number: u8,
    texture: &mut Texture,
    text: &str,
) -> Result<(), Failure> {
    let level = load_as(host, memory, text, Some(texture.dimension))?;
    let next = texture.levels();
    let expected = texture.level_size(next);
    if (level.dimension, level.size) != (texture.dimension, expected) {
        let sides = |[width, height, depth]: [u32; 3]| format!("{width}x{height}x{depth}");
        let message = format!(
            "'{text}' is {} ({}), but level {next} of texture {number} is {} ({})",
            sides(level.size),
            name(level.dimension),
            sides(expected),
            name(texture.dimension)
        );
        let help = "each level has half the sides of the one before, rounded down";
        return Err(Message::error(message).help(help).into());
    }
    texture.texels = Texels::Surfaces([texture.surfaces(), level.surfaces()].concat());
    Ok(())
}

/// Reads a texture of the kind that the argument names, else of this kind, else of the one that the file's axes imply.
fn load_as(host: &dyn Host, memory: &mut Memory, text: &str, kind: Option<Dimension>) -> Result<Texture, Failure> {
    let spec = TextureSpec::parse(text)?;
    let (array, slices) = files::read_slices(host, &spec.file).map_err(Message::from)?;
    let slices = spec.depth.or(slices);
    let implied = if slices.is_some() { Dimension::D3 } else { Dimension::D2 };
    let dimension = spec.kind.or(kind).unwrap_or(implied);
    let (width, rows) = (array.shape.width, array.shape.height);
    let size = size(dimension, width, rows, slices).map_err(|message| {
        let message = format!("'{text}' has {width} columns and {rows} rows: {message}");
        Message::error(message)
            .help("a .npy array of depth x height x width x channels has slices, and so has FILE:WxHxDxC")
    })?;
    let surface = memory.add_array(&spec.file.path, spec.file.tiling, &array)?;
    Ok(Texture { dimension, size: size.map(|side| side as u32), ..Texture::flat(1, 1, surface) })
}

/// Width, height, and depth of a texture whose slices are so many rows together.
fn size(dimension: Dimension, width: usize, rows: usize, slices: Option<usize>) -> Result<[usize; 3], String> {
    let kind = name(dimension);
    let per_slice = |slices: usize| match rows.is_multiple_of(slices) {
        true => Ok([width, rows / slices, slices]),
        false => Err(format!("they are not {slices} slices of the same height")),
    };
    match dimension {
        Dimension::D1 if rows == 1 => Ok([width, 1, 1]),
        Dimension::D1 => Err("a 1d texture has one row; '1d-array' takes each row for a layer".into()),
        Dimension::D1Array => Ok([width, 1, rows]),
        Dimension::D2 if slices.is_none_or(|slices| slices == 1) => Ok([width, rows, 1]),
        Dimension::D2 => Err("a 2d texture has no depth; kinds with depth are 3d, array and cube".into()),
        Dimension::D3 | Dimension::D2Array => {
            per_slice(slices.ok_or_else(|| format!("'{kind}' needs to know how many slices that is"))?)
        }
        Dimension::Cube => match per_slice(slices.unwrap_or(FACES))? {
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
        use Dimension::*;
        for (dimension, width, rows, slices, expected) in [
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
            assert_eq!(size(dimension, width, rows, slices).ok(), expected, "{dimension:?} {width}x{rows} {slices:?}");
        }
    }

    #[test]
    fn arguments() {
        let parsed = |text| {
            let TextureSpec { file, kind, depth } = TextureSpec::parse(text).ok()?;
            Some((file.path.display().to_string(), file.shape.map(|shape| shape.height), kind, depth))
        };
        assert_eq!(parsed("a.npy"), Some(("a.npy".into(), None, None, None)));
        assert_eq!(parsed("a.png:cube:tiled"), Some(("a.png".into(), None, Some(Dimension::Cube), None)));
        assert_eq!(parsed("a.f32:8x4x2x4"), Some(("a.f32".into(), Some(8), None, Some(2))));
        assert_eq!(parsed("a.f32:8x4x3x4:array"), Some(("a.f32".into(), Some(12), Some(Dimension::D2Array), Some(3))));
        assert_eq!(parsed("a.f32:8x4x4:1d"), Some(("a.f32".into(), Some(4), Some(Dimension::D1), None)));
        assert!(parsed("a.f32:8x4x3x4x5").is_none() && parsed("a.npy:sphere").is_none());
    }
}
