//! Inputs that are sampled as the textures of a card are: `FILE[:WxHxC][:tiled]:2d[,FILTER][,WRAP[,WRAP]]`.

use crate::report::Message;
use ctm_raster::sampler::{Filter, MipFilter, Sampler, Wrap};

/// What stands before filter and wraps.
const MARK: &str = ":2d";

/// Takes the text of an input apart: its file, and filter and wraps behind that, if they are there.
fn parts(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(MARK) {
        Some((file, words)) if words.is_empty() || words.starts_with(',') => (file, Some(words)),
        _ => (text, None),
    }
}

/// The file of an input.
pub fn file(text: &str) -> &str {
    parts(text).0
}

/// How an input is sampled, if it is.
///
/// # Errors
/// A word is none of a filter or wrap.
pub fn sampler(text: &str) -> Result<Option<Sampler>, Message> {
    let Some(words) = parts(text).1 else { return Ok(None) };
    let mut words = words.split(',').skip(1).peekable();
    let filter = match words.peek() {
        Some(&"linear") => Filter::Linear,
        _ => Filter::Point,
    };
    words.next_if(|word| matches!(*word, "nearest" | "linear"));
    let wraps = words.map(|word| wrap(word).ok_or(word)).collect::<Result<Vec<_>, _>>();
    let wrong = |what: String| {
        Message::error(format!("input '{text}': {what}"))
            .help("a sampler is 2d, then nearest or linear, then repeat, mirror, clamp or border for both directions or each, like 2d,linear,repeat")
    };
    let wrap = match wraps.as_deref() {
        Ok([]) => [Wrap::ClampToEdge; 2],
        Ok(&[both]) => [both; 2],
        Ok(&[s, t]) => [s, t],
        Ok(more) => return Err(wrong(format!("{} wraps are too many", more.len()))),
        Err(word) => return Err(wrong(format!("'{word}' is neither a filter nor a wrap"))),
    };
    Ok(Some(Sampler {
        wrap: [wrap[0], wrap[1], Wrap::ClampToEdge],
        magnification: filter,
        minification: filter,
        mip: MipFilter::None,
        finest: 0,
        bias: 0.0,
        border: [0; 4],
    }))
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
        let of = |text: &str| sampler(text).map(|sampler| sampler.map(|sampler| (sampler.magnification, sampler.wrap)));
        for text in ["a.png", "a.f32:4x4x1:tiled", "a:2dx", "a.2d"] {
            assert_eq!((file(text), of(text).unwrap()), (text, None));
        }
        let [clamp, repeat, mirror] = [Wrap::ClampToEdge, Wrap::Repeat, Wrap::Mirror];
        for (text, filter, wrap) in [
            ("a.png:2d", Filter::Point, [clamp; 3]),
            ("a.png:2d,nearest", Filter::Point, [clamp; 3]),
            ("a.png:2d,linear", Filter::Linear, [clamp; 3]),
            ("a.png:2d,repeat", Filter::Point, [repeat, repeat, clamp]),
            ("a.png:2d,linear,repeat,mirror", Filter::Linear, [repeat, mirror, clamp]),
        ] {
            assert_eq!((file(text), of(text).unwrap()), ("a.png", Some((filter, wrap))), "{text}");
        }
        for text in ["a:2d,", "a:2d,cubic", "a:2d,repeat,linear", "a:2d,clamp,clamp,clamp"] {
            assert!(of(text).is_err(), "{text}");
        }
    }
}
