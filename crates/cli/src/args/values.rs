//! Values of options: how they are spelled, and what is wrong with a spelling.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ctm_array::Tonemap;
use ctm_codegen::EngineName;
use ctm_memory::Format;
use ctm_sm50::attributes::WORDS;
use ctm_sm50::pipeline::Capture;
use ctm_x1k::{Domain, IntConstant, MAX_COORDINATE};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Largest width and height of a domain.
pub const MAX_DOMAIN: u32 = MAX_COORDINATE + 1;

/// A width and a height, both at least 1: `WxH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Elements in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl From<Extent> for Domain {
    fn from(Extent { width, height }: Extent) -> Self {
        Domain { i0: 0, j0: 0, i1: width - 1, j1: height - 1 }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected WIDTHxHEIGHT, like 640x480, each from 1 to {MAX_DOMAIN}");
        let (width, height) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
        let side = |text: &str| text.parse().ok().filter(|side| (1..=MAX_DOMAIN).contains(side)).ok_or_else(wrong);
        Ok(Extent { width: side(width)?, height: side(height)? })
    }
}

/// A lane to follow: `I,J`, or `N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowedLane {
    /// Column and row.
    At(u32, u32),
    /// Number of a vertex, primitive or thread.
    Number(u32),
}

impl FromStr for FollowedLane {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "expected column and row, like 256,200, or the number of a vertex, primitive or thread".to_string();
        let number = |text: &str| text.trim().parse().map_err(|_| wrong());
        match text.split_once(',') {
            Some((i, j)) => Ok(FollowedLane::At(number(i)?, number(j)?)),
            None => Ok(FollowedLane::Number(number(text)?)),
        }
    }
}

/// A value for something that has a number: `N=VALUE`, with `N` below `COUNT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbered<T, const COUNT: usize> {
    /// The number.
    pub number: u8,
    /// The value.
    pub value: T,
}

impl<T: FromStr<Err: fmt::Display>, const COUNT: usize> FromStr for Numbered<T, COUNT> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, value) = text.split_once('=').ok_or("expected NUMBER=VALUE")?;
        let number = number.trim().parse().ok().filter(|&number: &u8| usize::from(number) < COUNT);
        let number = number.ok_or_else(|| format!("the number before '=' must be 0 to {}", COUNT - 1))?;
        let value = value.parse().map_err(|error: T::Err| error.to_string())?;
        Ok(Numbered { number, value })
    }
}

/// Four channels as binary32 bits: `V` (for all of them) or `R,G,B,A`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector(pub [u32; 4]);

impl FromStr for Vector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let values = text.split(',').map(float_bits).collect::<Result<Vec<_>, _>>()?;
        match *values {
            [v] => Ok(Vector([v; 4])),
            [r, g, b, a] => Ok(Vector([r, g, b, a])),
            _ => Err(format!("expected 1 or 4 numbers with commas between, got {}", values.len())),
        }
    }
}

/// An integer constant: `COUNT`, `COUNT,INIT` or `COUNT,INIT,STEP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integers(pub IntConstant);

impl FromStr for Integers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        fn part<T: FromStr>(text: Option<&str>, absent: T, what: &str) -> Result<T, String> {
            text.map_or(Ok(absent), |text| text.trim().parse().map_err(|_| format!("{what}, not '{text}'")))
        }
        let mut parts = text.split(',');
        let constant = IntConstant {
            count: part(parts.next(), 0, "the count must be 0 to 255")?,
            init: part(parts.next(), 0, "the initial value must be 0 to 255")?,
            step: part(parts.next(), 1, "the step must be -128 to 127")?,
        };
        match parts.next() {
            None => Ok(Integers(constant)),
            Some(_) => Err("expected COUNT,INIT,STEP".to_string()),
        }
    }
}

/// A boolean constant: `true`, `false`, `1` or `0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boolean(pub bool);

impl FromStr for Boolean {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "true" | "1" => Ok(Boolean(true)),
            "false" | "0" => Ok(Boolean(false)),
            _ => Err("expected true or false".to_string()),
        }
    }
}

/// A register that receives the position: `rN`, `RN`, `N` or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position(pub Option<u8>);

impl FromStr for Position {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Position(None));
        }
        let number = text.strip_prefix(['r', 'R']).unwrap_or(text).parse().ok();
        match number.filter(|&number: &u8| usize::from(number) < ctm_x1k::TEMPS) {
            Some(number) => Ok(Position(Some(number))),
            None => Err("expected a register, r0 to r127, or none".to_string()),
        }
    }
}

/// The values that a picture shows from black to white: `MIN,MAX`.
pub fn tonemap(text: &str) -> Result<Tonemap, String> {
    let (min, max) = text.split_once(',').ok_or("expected MIN,MAX")?;
    let (min, max) = (f32::from_bits(float_bits(min)?), f32::from_bits(float_bits(max)?));
    if min != max && min.is_finite() && max.is_finite() {
        Ok(Tonemap { min, max })
    } else {
        Err("the two numbers must differ".to_string())
    }
}

/// One of several values that have names.
pub fn named<T: Copy + Send + Sync + 'static>(
    names: &[(T, &'static str)],
) -> impl TypedValueParser<Value = T> + use<T> {
    let names = names.to_vec();
    let known: Vec<&'static str> = names.iter().map(|&(_, name)| name).collect();
    PossibleValuesParser::new(known).try_map(move |given| {
        let value = names.iter().find(|(_, name)| *name == given);
        value.map(|&(value, _)| value).ok_or_else(|| format!("there is no {given}"))
    })
}

/// A place in attribute memory with a number of dwords: `ADDR:COUNT`.
fn attribute_range(text: &str) -> Result<Capture, String> {
    let wrong = || format!("expected ADDR:COUNT, like 0x80:4 for 4 dwords from address 0x80, not '{text}'");
    let (address, words) = text.split_once(':').ok_or_else(wrong)?;
    let address = match address.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => address.parse(),
    };
    let words = words.parse().ok().filter(|&words| words > 0).ok_or_else(wrong)?;
    let capture = Capture { address: address.map_err(|_| wrong())?, words };
    if capture.address.is_multiple_of(4) && u64::from(capture.address) + 4 * u64::from(words) <= 4 * WORDS as u64 {
        return Ok(capture);
    }
    Err(format!("'{text}' is outside attribute memory: addresses are multiples of 4, and end at 0x400"))
}

/// Dwords of a record that are captured: `ADDR:COUNT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureRange(pub Capture);

impl FromStr for CaptureRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        attribute_range(text).map(CaptureRange)
    }
}

/// An attribute of vertices and the file of its values: `ADDR:COUNT=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Attribute address of the first component.
    pub address: u32,
    /// Components of each vertex, 1 to 4.
    pub components: u32,
    /// The file.
    pub path: PathBuf,
}

impl FromStr for Attribute {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (place, path) = text.split_once('=').ok_or("expected ADDR:COUNT=FILE")?;
        let Capture { address, words } = attribute_range(place)?;
        match path {
            "" => Err("the file name is missing".into()),
            _ if words > 4 => Err(format!("an attribute has 1 to 4 components, not {words}")),
            _ => Ok(Attribute { address, components: words, path: path.into() }),
        }
    }
}

/// Levels of the tessellator: four outer and two inner ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels(pub ctm_sm50::pipeline::Levels);

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let levels = text.split(',').map(|text| float_bits(text).map(f32::from_bits)).collect::<Result<Vec<_>, _>>()?;
        match levels[..] {
            [a, b, c, d, i, j] => Ok(Levels(ctm_sm50::pipeline::Levels { outer: [a, b, c, d], inner: [i, j] })),
            _ => Err(format!("expected 4 outer and 2 inner levels with commas between, got {}", levels.len())),
        }
    }
}

/// `--engine`.
pub fn engine() -> impl TypedValueParser<Value = EngineName> {
    let names = EngineName::ALL.map(|engine| PossibleValue::new(engine.name()).help(engine.about()));
    PossibleValuesParser::new(names)
        .try_map(|name| EngineName::parse(&name).ok_or_else(|| format!("there is no engine {name}")))
}

/// A stage of a program on its way to machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Lane IR, as it was lifted.
    Lane,
    /// Lane IR, simplified.
    LaneOpt,
    /// Lane IR, simplified for groups all of whose lanes are covered.
    LaneInterior,
    /// Machine code.
    Asm,
}

/// A stage and the file that is to receive it: `STAGE` or `STAGE=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emit {
    /// The stage.
    pub stage: Stage,
    /// The file; standard output if there is none.
    pub path: Option<PathBuf>,
}

impl FromStr for Emit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (stage, path) = match text.split_once('=') {
            Some((_, "")) => return Err("the file name is missing".to_string()),
            Some((stage, path)) => (stage, Some(path.into())),
            None => (text, None),
        };
        let stage = match stage {
            "lane" => Stage::Lane,
            "lane-opt" => Stage::LaneOpt,
            "lane-interior" => Stage::LaneInterior,
            "asm" => Stage::Asm,
            _ => return Err("the stages are lane, lane-opt, lane-interior and asm".to_string()),
        };
        Ok(Emit { stage, path })
    }
}

/// What an input reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// A file: `FILE[:WxHxC][:tiled]`, not yet taken apart: a file of an unknown kind is a wrong input, not a wrong option.
    File(String),
    /// The memory of an output: `@N`.
    Output(u8),
}

impl FromStr for InputSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix('@') {
            None if text.is_empty() => Err("the file name is missing".to_string()),
            None => Ok(InputSource::File(text.to_string())),
            Some(number) => match number.parse() {
                Ok(number) => Ok(InputSource::Output(number)),
                Err(_) => Err(format!("'@{number}' is no output; outputs are like @0")),
            },
        }
    }
}

/// An element format by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatName(pub Format);

impl FromStr for FormatName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Format::ALL.map(|format| format.name().to_lowercase()).join(", ");
        Format::parse(text).map(FormatName).ok_or_else(|| format!("the formats are {}", names()))
    }
}

/// The bits of a binary32 number.
fn float_bits(text: &str) -> Result<u32, String> {
    let text = text.trim();
    ctm_text::parse_float(text).ok_or_else(|| {
        format!("'{text}' is not a number (like 0.5, -1e-3, inf, nan, 0x1.8p3, or 0x3F800000 for the bits)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_integer_constants_may_be_left_out() {
        let constant = |count, init, step| Ok(Integers(IntConstant { count, init, step }));
        assert_eq!("7".parse(), constant(7, 0, 1));
        assert_eq!("7,3".parse(), constant(7, 3, 1));
        assert_eq!("255,255,-128".parse(), constant(255, 255, -128));
        for text in ["", "1,", "1,2,128", "-1", "1,2,3,4"] {
            assert!(text.parse::<Integers>().is_err(), "{text}");
        }
    }
}
