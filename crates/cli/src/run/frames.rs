//! The frames of a run: their numbers, and the names of their files.

use crate::options::values::{Numbered, is_word};
use crate::options::{FrameArgs, Uniform};
use crate::report::Message;
use crate::{Console, Failure};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Frames per second when nothing says otherwise.
const RATE: u16 = 25;

/// The frames of a run; a run that nobody asks frames of has one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frames {
    /// How many, if the command line says so.
    pub count: Option<u32>,
    /// Those that are shown in a second.
    pub rate: u16,
}

impl Frames {
    /// Those of the command line.
    pub fn of(args: &FrameArgs) -> Self {
        Frames { count: args.frames, rate: args.fps.unwrap_or(RATE) }
    }

    /// The numbers of all frames.
    pub fn numbers(self) -> Range<u32> {
        0..self.count.unwrap_or(1)
    }

    /// Warns of several frames between which nothing differs.
    pub fn warn_of_same(self, console: &mut Console) {
        if self.count.is_some_and(|count| count > 1) {
            let message = Message::warning("all frames are the same: no constant differs from one to the next");
            console.report(&message.help("--uniform 0=time lets constant 0 be the seconds since the first frame"));
        }
    }

    /// Seconds from the first frame to this one.
    pub fn seconds(self, frame: u32) -> f32 {
        (f64::from(frame) / f64::from(self.rate)) as f32
    }

    /// The bits of the float that a uniform is in a frame.
    pub fn bits(self, uniform: Uniform, frame: u32) -> u32 {
        let value = match uniform {
            Uniform::Time => self.seconds(frame),
            Uniform::Frame => frame as f32,
            Uniform::Range(from, to) => {
                let last = self.count.unwrap_or(1).saturating_sub(1).max(1);
                let part = f64::from(frame) / f64::from(last);
                (f64::from(from) * (1.0 - part) + f64::from(to) * part) as f32
            }
        };
        value.to_bits()
    }
}

/// The uniforms of the command line, which a guest reads its own way: `REGISTER=UNIFORM`.
///
/// # Errors
/// One of them makes no sense.
pub fn uniforms<T: FromStr<Err = String>>(args: &FrameArgs) -> Result<Vec<T>, Failure> {
    parsed(args.uniforms.iter())
}

fn parsed<'t, T: FromStr<Err = String>>(texts: impl Iterator<Item = &'t String>) -> Result<Vec<T>, Failure> {
    let wrong = |text: &str, error: String| Failure::Usage(Message::error(format!("--uniform {text}: {error}")));
    texts.map(|text| text.parse().map_err(|error| wrong(text, error))).collect()
}

/// The uniforms of the command line by the number of their constants, which are below `limit`.
///
/// # Errors
/// One of them makes no sense, or is given twice.
pub fn numbered_uniforms(args: &FrameArgs, limit: usize) -> Result<BTreeMap<u8, Uniform>, Failure> {
    // Names are for those whose programs have names.
    let is_numbered = |text: &&String| !text.split('=').next().is_some_and(is_word);
    let uniforms: Vec<Numbered<Uniform, 256>> = parsed(args.uniforms.iter().filter(is_numbered))?;
    Ok(super::once_each("constant", &uniforms, limit)?
        .into_iter()
        .map(|(number, uniform)| (number, *uniform))
        .collect())
}

/// The name of the file of a frame: in place of `%d`, or `%04d`, it has the number of the frame. None if the name has no place
/// for a number.
pub fn file(path: &Path, frame: u32) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let places = name.match_indices('%').filter_map(|(start, _)| {
        let (digits, rest) = name[start + 1..].split_once('d')?;
        let width = if digits.is_empty() { 0 } else { digits.parse().ok().filter(|width| (1..=9).contains(width))? };
        Some(format!("{}{frame:0width$}{rest}", &name[..start]))
    });
    places.map(|name| path.with_file_name(name)).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniforms_move_over_the_frames() {
        let frames = Frames { count: Some(5), rate: 20 };
        let values = |uniform, frame| f32::from_bits(frames.bits(uniform, frame));
        assert_eq!([0, 1, 4].map(|frame| values(Uniform::Time, frame)), [0.0, 0.05, 0.2]);
        assert_eq!([0, 1, 4].map(|frame| values(Uniform::Frame, frame)), [0.0, 1.0, 4.0]);
        assert_eq!([0, 1, 4].map(|frame| values(Uniform::Range(2.0, -2.0), frame)), [2.0, 1.0, -2.0]);
        let single = Frames { count: None, rate: 20 };
        assert_eq!(single.bits(Uniform::Range(3.0, 5.0), 0), 3.0_f32.to_bits());
    }

    #[test]
    fn numbers_stand_in_names() {
        let named = |name: &str| file(Path::new(name), 7).map(|path| path.display().to_string());
        assert_eq!(named("frame-%04d.png").as_deref(), Some("frame-0007.png"));
        assert_eq!(named("a%d/100%-%d.npy").as_deref(), Some("a%d/100%-7.npy"));
        assert_eq!(named("%3d%d.png").as_deref(), Some("007%d.png"));
        for none in ["a.png", "%.png", "%s.png", "%12d.png", "%-1d.png", "a%d/b.png"] {
            assert_eq!(named(none), None, "{none}");
        }
    }
}
