//! Inputs that are sampled as the textures of a card are: `FILE[:WxHxC][:tiled]:KIND[,FILTER][,WRAP...]`.

use super::{TextureKind, TextureLevel, TextureSpec};
use crate::report::Message;
use ctm_raster::sampler::{Filter, Sampler, TextureKind as Directions, TextureShape, Wrap};
use std::path::PathBuf;

/// The text of an input that is a file.
pub struct InputFile<'t> {
    text: &'t str,
    /// File, kind and depth.
    pub spec: TextureSpec,
    /// Filter and wraps, if they are there.
    words: Option<&'t str>,
}

impl<'t> InputFile<'t> {
    /// Takes the text apart.
    ///
    /// # Errors
    /// It does not name a file.
    pub fn parse(text: &'t str) -> Result<Self, Message> {
        let (file, words) = parts(text);
        Ok(InputFile { text, spec: TextureSpec::parse(file)?, words })
    }

    /// The same for a machine without arrays of textures.
    ///
    /// # Errors
    /// It is one.
    pub fn without_layers(self) -> Result<Self, Message> {
        let text = self.text;
        match self.spec.kind {
            Some(kind @ (TextureKind::D1Array | TextureKind::D2Array)) => {
                let message =
                    format!("input '{text}': X1K programs cannot sample arrays of textures ({})", kind.name());
                Err(Message::error(message).help("use 1d, 2d, 3d or cube"))
            }
            None | Some(TextureKind::D1 | TextureKind::D2 | TextureKind::D3 | TextureKind::Cube) => Ok(self),
        }
    }

    /// How it is sampled as this kind: nearest and clamped, unless it says otherwise.
    ///
    /// # Errors
    /// A word is neither a filter nor a wrap, or there are too many wraps.
    pub fn sampler(&self, kind: TextureKind) -> Result<Sampler, Message> {
        sampler(self.text, self.words, kind)
    }
}

/// How a buffer is sampled that is named by a text whose rest, after the name, is empty or `2d[,FILTER][,WRAP...]`: nearest and clamped, unless
/// it says otherwise.
///
/// # Errors
/// The rest is something else.
pub fn of_buffer(text: &str, rest: &str) -> Result<Sampler, Message> {
    let (kind, words) = rest.split_once(',').map_or((rest, None), |(kind, words)| (kind, Some(words)));
    if !kind.is_empty() && TextureKind::parse(kind) != Some(TextureKind::D2) {
        return Err(Message::error(format!("input '{text}': a buffer is a picture: expected 2d after its name")));
    }
    sampler(text, words, TextureKind::D2)
}

fn sampler(text: &str, words: Option<&str>, kind: TextureKind) -> Result<Sampler, Message> {
    let mut words = words.map_or_else(Vec::new, |words| words.split(',').collect()).into_iter().peekable();
    let filter = match words.peek() {
        Some(&"linear") => Filter::Linear,
        _ => Filter::Point,
    };
    words.next_if(|word| matches!(*word, "nearest" | "linear"));
    let wraps = words.map(|word| wrap(word).ok_or(word)).collect::<Result<Vec<_>, _>>();
    let wrong = |what: String| {
        Message::error(format!("input '{text}': {what}")).help(
                "expected KIND,FILTER,WRAP...: the filter is nearest or linear, a wrap is repeat, mirror, clamp or border, like 2d,linear,repeat",
            )
    };
    let directions = match kind {
        TextureKind::D1 | TextureKind::D1Array => 1,
        TextureKind::D2 | TextureKind::D2Array | TextureKind::Cube => 2,
        TextureKind::D3 => 3,
    };
    let wrap = match wraps.as_deref() {
        Ok([]) => [Wrap::ClampToEdge; 3],
        Ok(&[all]) => std::array::from_fn(|axis| if axis < directions { all } else { Wrap::ClampToEdge }),
        Ok(&[s, t]) if directions >= 2 => [s, t, Wrap::ClampToEdge],
        Ok(&[s, t, r]) if directions == 3 => [s, t, r],
        Ok(more) => {
            let directions = if directions == 1 { "one direction" } else { "two or three directions" };
            return Err(wrong(format!("{} wraps are too many for {directions}", more.len())));
        }
        Err(word) => return Err(wrong(format!("unknown filter or wrap '{word}'"))),
    };
    Ok(Sampler::new(filter, wrap))
}

/// Takes the text of an input apart: its file with the kind, and filter and wraps after that, if they are there.
fn parts(text: &str) -> (&str, Option<&str>) {
    let with_words = text.rsplit_once(':').and_then(|(_, last)| {
        let (kind, words) = last.split_once(',')?;
        TextureKind::parse(kind)?;
        Some((&text[..text.len() - words.len() - 1], Some(words)))
    });
    with_words.unwrap_or((text, None))
}

/// The file of an input, if its text is in order.
pub fn file(text: &str) -> Option<PathBuf> {
    Some(TextureSpec::parse(parts(text).0).ok()?.file.path)
}

/// The texture whose first level this is, and which has so many more.
pub fn shape(level: &TextureLevel, further: usize) -> TextureShape {
    let [width, height, layers] = level.size;
    let (kind, depth) = match level.kind {
        TextureKind::D3 => (Directions::Volume, layers),
        TextureKind::Cube => (Directions::Cube, 1),
        TextureKind::D1 | TextureKind::D2 | TextureKind::D1Array | TextureKind::D2Array => (Directions::Flat, 1),
    };
    TextureShape { kind, size: [width, height, depth], last_level: further as u32 }
}

/// What a further level of a texture has to be.
pub fn expected(first: &TextureLevel, shape: &TextureShape, level: u32) -> TextureLevel {
    let [width, height, _] = shape.level_size(level);
    TextureLevel { size: [width, height, shape.layers(level)], ..*first }
}

fn wrap(word: &str) -> Option<Wrap> {
    Some(match word {
        "repeat" => Wrap::Repeat,
        "mirror" => Wrap::Mirror,
        "clamp" => Wrap::ClampToEdge,
        "border" => Wrap::ClampToBorder,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samplers_stand_behind_files() {
        let of = |text: &str| {
            let file = InputFile::parse(text)?.without_layers()?;
            let sampler = file.spec.kind.map(|kind| file.sampler(kind)).transpose()?;
            Ok::<_, Message>(sampler.map(|sampler| (sampler.magnification, sampler.wrap)))
        };
        for text in ["a.png", "a.f32:4x4x1:tiled", "a.npy"] {
            assert!(of(text).unwrap().is_none(), "{text}");
        }
        let [clamp, repeat, mirror] = [Wrap::ClampToEdge, Wrap::Repeat, Wrap::Mirror];
        for (text, filter, wrap) in [
            ("a.png:2d", Filter::Point, [clamp; 3]),
            ("a.png:2d,nearest", Filter::Point, [clamp; 3]),
            ("a.png:2d,linear", Filter::Linear, [clamp; 3]),
            ("a.png:2d,repeat", Filter::Point, [repeat, repeat, clamp]),
            ("a.png:2d,linear,repeat,mirror", Filter::Linear, [repeat, mirror, clamp]),
            ("a.png:3d,repeat", Filter::Point, [repeat; 3]),
            ("a.png:3d,linear,clamp,clamp,mirror", Filter::Linear, [clamp, clamp, mirror]),
            ("a.png:tiled:cube,linear", Filter::Linear, [clamp; 3]),
            ("a.png:1d,mirror", Filter::Point, [mirror, clamp, clamp]),
        ] {
            assert_eq!(file(text), Some("a.png".into()), "{text}");
            assert_eq!(of(text).unwrap(), Some((filter, wrap)), "{text}");
        }
        for text in [
            "a.png:2d,",
            "a.png:2d,cubic",
            "a.png:2d,repeat,linear",
            "a.png:2d,clamp,clamp,clamp",
            "a.png:1d,clamp,clamp",
            "a.png:array",
            "a.png:2dx",
        ] {
            assert!(of(text).is_err(), "{text}");
        }
    }
}
