//! Parses the values of options.

use super::Generator;
use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use ctm_array::{FileSpec, MAX_SIDE, Tonemap};
use ctm_codegen::EngineName;
use ctm_lane::domain::Domain;
use ctm_memory::Format;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Largest width and height of a domain.
pub const MAX_DOMAIN: u32 = MAX_SIDE as u32;
/// Largest width and height of a card's buffers: those of R600 and R700, whose pitch has 10 bits (CB_COLOR0_SIZE) and counts 8 pixels.
const MAX_BUFFER: u32 = 8192;
/// Registers that an instruction set whose programs run over a domain has at most.
const REGISTERS: usize = 128;

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

impl fmt::Display for FollowedLane {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            FollowedLane::At(i, j) => write!(f, "{i},{j}"),
            FollowedLane::Number(number) => write!(f, "{number}"),
        }
    }
}

/// A pixel: `X,Y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixel {
    /// Its column.
    pub x: u32,
    /// Its row.
    pub y: u32,
}

impl FromStr for Pixel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse().ok().filter(|&number: &u32| number < MAX_BUFFER);
        let pixel = text.split_once(',').and_then(|(x, y)| Some(Pixel { x: number(x)?, y: number(y)? }));
        pixel.ok_or_else(|| format!("expected column and row, each 0 to {}, like 40,20", MAX_BUFFER - 1))
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
        let (name, value) = text.split_once('=').ok_or_else(|| format!("expected NUMBER=VALUE, such as 0={text}"))?;
        let read = |digits: &str| digits.parse().ok().filter(|&number: &u8| usize::from(number) < COUNT);
        let number = read(name.trim()).ok_or_else(|| {
            let digits = name.trim().trim_start_matches(|c: char| c.is_ascii_alphabetic());
            match read(digits) {
                Some(number) => format!("the number before '=' stands alone: write {number}={value}"),
                None => format!("expected a number from 0 to {} before '=', found '{}'", COUNT - 1, name.trim()),
            }
        })?;
        let value = value.parse().map_err(|error: T::Err| error.to_string())?;
        Ok(Numbered { number, value })
    }
}

/// What something is called on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// By its number.
    Number(u8),
    /// By the name that the source of the program gives it.
    Word(String),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Number(number) => number.fmt(f),
            Name::Word(name) => name.fmt(f),
        }
    }
}

/// A value for something that has a number or a name: `N=VALUE`, `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue<T> {
    /// What it is for.
    pub name: Name,
    /// The value.
    pub value: T,
}

impl<T: FromStr<Err: fmt::Display>> FromStr for NamedValue<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| format!("expected NUMBER=VALUE or NAME=VALUE, such as 0={text}"))?;
        let name = match (name.trim().parse(), is_word(name)) {
            (Ok(number), _) => Name::Number(number),
            (_, true) => Name::Word(name.to_owned()),
            _ => return Err("what stands before '=' must be a number from 0 to 255, or a name".to_owned()),
        };
        let value = value.parse().map_err(|error: T::Err| error.to_string())?;
        Ok(NamedValue { name, value })
    }
}

/// Whether it may be the name of something in a source: `time`, `lights[1].position`.
pub fn is_word(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && text.chars().all(|c| c.is_ascii_alphanumeric() || "_.[]".contains(c))
}

/// Four channels as binary32 bits: `V` (for all of them) or `R,G,B,A`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vector(pub [u32; 4]);

impl FromStr for Vector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let values = text.split(',').map(float_bits).collect::<Result<Vec<_>, _>>()?;
        match *values {
            [v] => Ok(Vector([v; 4])),
            [r, g, b, a] => Ok(Vector([r, g, b, a])),
            _ => Err(format!("expected 1 or 4 numbers with commas between, found {}", values.len())),
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
        match number.filter(|&number: &u8| usize::from(number) < REGISTERS) {
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

/// A file that receives an array: `FILE[:WxHxC][:tiled]`, or a name that is not text, after which nothing can stand.
pub fn file() -> impl TypedValueParser<Value = FileSpec> {
    OsStringValueParser::new().try_map(|text| match text.to_str() {
        Some(text) => FileSpec::parse(text),
        None => FileSpec::of(text.into()),
    })
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

/// `--engine`.
pub fn engine() -> impl TypedValueParser<Value = EngineName> {
    let names = EngineName::ALL.map(|engine| PossibleValue::new(engine.name()).help(engine.about()));
    PossibleValuesParser::new(names)
        .try_map(|name| EngineName::parse(&name).ok_or_else(|| format!("unknown engine '{name}'")))
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
    /// Values that are made: `uv`, `position`, `constant:R,G,B,A`.
    Made(Generator),
}

impl FromStr for InputSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix('@') {
            None if text.is_empty() => Err("the file name is missing".to_string()),
            None => Ok(match Generator::parse(text)? {
                Some(generator) => InputSource::Made(generator),
                None => InputSource::File(text.to_string()),
            }),
            Some(number) => match number.parse() {
                Ok(number) => Ok(InputSource::Output(number)),
                Err(_) => Err(format!("unknown output '@{number}'; outputs are like @0")),
            },
        }
    }
}

/// What a register holds at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaryingSource {
    /// The values of a file, whose argument is not yet taken apart.
    File(String),
    /// Values that are made: `uv`, `position`, `constant:R,G,B,A`.
    Made(Generator),
}

impl FromStr for VaryingSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Generator::parse(text)?.map_or_else(|| VaryingSource::File(text.to_string()), VaryingSource::Made))
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
pub fn float_bits(text: &str) -> Result<u32, String> {
    let text = text.trim();
    ctm_text::parse_float(text).ok_or_else(|| {
        format!("'{text}' is not a number (like 0.5, -1e-3, inf, nan, 0x1.8p3, or 0x3F800000 for the bits)")
    })
}
