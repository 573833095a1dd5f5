//! Parses the values of the options of `ctm draw`.

use super::options::STAGES;
use crate::isa::sm50::data::BANKS;
use crate::options::values::{Numbered, float_bits};
use ctm_array::FileSpec;
use ctm_raster::blend::{BlendEquation, BlendFactor, BlendFunction, BlendState};
use ctm_sm50::Stage;
use ctm_sm50::attributes::WORDS;
use ctm_sm50::pipeline::Capture;
use std::path::PathBuf;
use std::str::FromStr;

/// An address of attribute memory with a number of dwords: `ADDR:COUNT`.
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
        let (range, path) = text.split_once('=').ok_or("expected ADDR:COUNT=FILE")?;
        let Capture { address, words } = attribute_range(range)?;
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
            _ => Err(format!("expected 4 outer and 2 inner levels with commas between, found {}", levels.len())),
        }
    }
}

/// The file of a constant bank, of all programs or of that of one stage: `[STAGE:]BANK=FILE`.
#[derive(Clone, Debug, PartialEq)]
pub struct StageBank {
    /// The stage.
    pub stage: Option<Stage>,
    /// The file, with the number of the bank.
    pub file: Numbered<PathBuf, BANKS>,
}

impl FromStr for StageBank {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = text.split_once(':').filter(|(name, _)| !name.contains('='));
        let Some((name, file)) = named else { return Ok(StageBank { stage: None, file: text.parse()? }) };
        let stages = || STAGES.into_iter().chain([(Stage::Pixel, "fs")]);
        let stage = stages().find(|(_, known)| *known == name).map(|(stage, _)| stage);
        let names = || stages().map(|(_, name)| name).collect::<Vec<_>>().join(", ");
        let stage = stage.ok_or_else(|| format!("unknown stage '{name}': there are {}", names()))?;
        Ok(StageBank { stage: Some(stage), file: file.parse()? })
    }
}

/// Where a colour or the records go: `FILE`, or `N=FILE` for colour N.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawOutput {
    /// The colour.
    pub number: u8,
    /// The file, whose argument is not yet taken apart.
    pub text: String,
}

impl DrawOutput {
    /// The file of a picture, after whose name its shape may stand, or of records.
    pub fn path(&self, is_picture: bool) -> PathBuf {
        let spec = FileSpec::parse(&self.text).ok().filter(|_| is_picture);
        spec.map_or_else(|| PathBuf::from(&self.text), |spec| spec.path)
    }
}

impl FromStr for DrawOutput {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbered = text.split_once('=').and_then(|(digits, file)| Some((digits.parse().ok()?, file)));
        let (number, text) = numbered.unwrap_or((0, text));
        if text.is_empty() {
            Err("the file name is missing".into())
        } else {
            Ok(DrawOutput { number, text: text.into() })
        }
    }
}

/// Factors of blending, by OpenGL's names.
const FACTORS: [(&str, BlendFactor); 15] = [
    ("zero", BlendFactor::Zero),
    ("one", BlendFactor::One),
    ("src_color", BlendFactor::SourceColour),
    ("one_minus_src_color", BlendFactor::OneMinusSourceColour),
    ("dst_color", BlendFactor::DestinationColour),
    ("one_minus_dst_color", BlendFactor::OneMinusDestinationColour),
    ("src_alpha", BlendFactor::SourceAlpha),
    ("one_minus_src_alpha", BlendFactor::OneMinusSourceAlpha),
    ("dst_alpha", BlendFactor::DestinationAlpha),
    ("one_minus_dst_alpha", BlendFactor::OneMinusDestinationAlpha),
    ("src_alpha_saturate", BlendFactor::SourceAlphaSaturate),
    ("constant_color", BlendFactor::ConstantColour),
    ("one_minus_constant_color", BlendFactor::OneMinusConstantColour),
    ("constant_alpha", BlendFactor::ConstantAlpha),
    ("one_minus_constant_alpha", BlendFactor::OneMinusConstantAlpha),
];

/// Equations of blending, by OpenGL's names.
const EQUATIONS: [(&str, BlendFunction); 5] = [
    ("func_add", BlendFunction::Add),
    ("func_subtract", BlendFunction::Subtract),
    ("func_reverse_subtract", BlendFunction::ReverseSubtract),
    ("min", BlendFunction::Min),
    ("max", BlendFunction::Max),
];

/// How colours are blended: `SRC,DST[,EQUATION]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blending(pub BlendState);

/// What has this name.
fn of_name<T: Copy>(all: &[(&str, T)], what: &str, name: &str) -> Result<T, String> {
    let found = all.iter().find(|(known, _)| *known == name).map(|&(_, value)| value);
    let names = || all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| format!("unknown {what} '{name}': there are {}", names()))
}

impl FromStr for Blending {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (source, destination, function) = match text.split(',').collect::<Vec<_>>()[..] {
            [source, destination] => (source, destination, "func_add"),
            [source, destination, function] => (source, destination, function),
            _ => return Err("expected SRC,DST[,EQUATION], like src_alpha,one_minus_src_alpha".into()),
        };
        let factor = |name| of_name(&FACTORS, "factor", name);
        let equation = BlendEquation {
            function: of_name(&EQUATIONS, "equation", function)?,
            source: factor(source)?,
            destination: factor(destination)?,
            clamp: false,
        };
        Ok(Blending(BlendState { colour: equation, alpha: equation }))
    }
}
