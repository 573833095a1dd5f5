//! The options that R700 programs have for themselves.

use super::run;
use crate::execution::NamedFiles;
use crate::isa::{File, Runner, program_files};
use crate::options::RunArgs;
use crate::options::values::{Boolean, FollowedLane, Name, Numbered, VaryingSource};
use crate::report::Message;
use crate::run::{Debugged, TextureSpec};
use crate::{Console, Failure};
use clap::{Args, ValueEnum, ValueHint, value_parser};
use ctm_array::FileSpec;
use ctm_r700::{
    Compare, DataFormat, ElementFormat, FLOW_CONSTANTS, Filter, GPRS, KCACHE_BANKS, LoopConstant, NumberFormat,
    PARAMETERS, POSITIONS, STREAMS, Sampler, Stage, Wrap,
};
use std::path::PathBuf;
use std::str::FromStr;

/// Texture resources, samplers and fetch buffers have numbers of 8 bits.
const RESOURCES: usize = 256;
/// Most dwords of an item of a ring or stream.
const MAX_ITEM: u32 = 1024;

/// Options of R700 programs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "R700 programs")]
pub struct R700Args {
    /// What the program is run for [default: what the program says]
    #[arg(long, value_name = "STAGE")]
    pub stage: Option<StageName>,
    /// Vertices that the program is run for; for a geometry shader, primitives
    #[arg(long, value_name = "N", conflicts_with = "domain", value_parser = value_parser!(u32).range(1..))]
    pub vertices: Option<u32>,
    /// Values of register N at the start: the element at a pixel's position; of an N x 4 array, the row of a vertex; or made as for
    /// --input: uv, position, constant:R,G,B,A
    #[arg(long = "interp", value_name = "N=FILE[:WxHxC]|uv|...")]
    pub interps: Vec<Numbered<VaryingSource, GPRS>>,
    /// How texture instructions with sampler N sample: nearest or linear, then repeat, mirror, clamp or border for all axes or
    /// each, then the comparison of SAMPLE_C (less, less_equal, ...) [default: nearest,clamp]
    #[arg(long = "sampler", value_name = "N=FILTER[,WRAP...]")]
    pub samplers: Vec<Numbered<SamplerValue, RESOURCES>>,
    /// Let texture instructions that name no level take it from the differences of their coordinates across the quad, as
    /// hardware does; otherwise they take level 0
    #[arg(long)]
    pub quad_derivatives: bool,
    /// Let relative addressing that leads outside the program's registers go to the nearest one, instead of trapping
    #[arg(long)]
    pub clamp_gpr: bool,
    /// Let a pixel, vertex or primitive end where it is killed; otherwise it goes on without exports
    #[arg(long)]
    pub kill_stops_pixel: bool,
    /// File with the constants of buffer BANK: N x 4 float32, .npy or .f32
    #[arg(long = "kcache", value_name = "BANK=FILE")]
    pub kcaches: Vec<Numbered<PathBuf, KCACHE_BANKS>>,
    /// Value of loop constant N: passes, first aL [default: 0], step of aL [default: 1]. Those that are not given have 4095
    /// passes, as Mesa sets them
    #[arg(long = "loop-const", value_name = "N=COUNT,INIT,STEP")]
    pub loop_constants: Vec<Numbered<LoopValue, FLOW_CONSTANTS>>,
    /// Value of boolean constant N
    #[arg(long = "bool-const", value_name = "N=0|1")]
    pub bool_constants: Vec<Numbered<Boolean, FLOW_CONSTANTS>>,
    /// File that receives position export N: N x 4 float32, one row for each vertex
    #[arg(long = "position-output", value_name = "N=FILE")]
    pub positions: Vec<Numbered<FileSpec, POSITIONS>>,
    /// File that receives parameter export N, likewise
    #[arg(long = "param-output", value_name = "N=FILE")]
    pub parameters: Vec<Numbered<FileSpec, PARAMETERS>>,
    /// File that receives what stream N has after the run: a row of DWORDS values, float32 bit for bit, for each vertex
    #[arg(long = "stream-output", value_name = "N:DWORDS=FILE")]
    pub streams: Vec<StreamFile>,
    /// File that receives what MEM_RING writes, likewise
    #[arg(long = "ring-output", value_name = "DWORDS=FILE")]
    pub ring: Option<ItemsFile>,
    /// File that receives what a geometry shader emits: for each primitive the number of events, then the events, 0 for a
    /// vertex and 1 for the end of a strip
    #[arg(long = "strip-output", value_name = "DWORDS=FILE")]
    pub strips: Option<ItemsFile>,
    /// Program that CALL_FS enters; without it, CALL_FS does nothing [default: for a dump of an emulator the file that its name says]
    #[arg(long, visible_alias = "fetch", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub fetch_program: Option<PathBuf>,
}

impl R700Args {
    /// The files of rings, streams and strips.
    pub fn items(&self) -> impl Iterator<Item = &ItemsFile> {
        self.streams.iter().map(|stream| &stream.items).chain(&self.ring).chain(&self.strips)
    }

    /// Whether one of these options has a file receive results.
    pub fn keeps(&self) -> bool {
        !self.positions.is_empty() || !self.parameters.is_empty() || self.items().next().is_some()
    }
}

impl Runner for R700Args {
    fn run(&self, file: File, args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
        run::run(file, args, self, console)
    }

    fn debug(
        &self,
        file: File,
        args: &RunArgs,
        lane: Option<FollowedLane>,
        shows: bool,
        console: &mut Console,
    ) -> Result<Debugged, Failure> {
        run::debug(file, args, self, lane, shows, console)
    }

    fn files(&self, args: &RunArgs) -> NamedFiles {
        let mut files =
            NamedFiles::of_inputs(&args.inputs, &args.mips, |text| Some(TextureSpec::parse(text).ok()?.file.path));
        // Of pixels the value is a file with a shape, of vertices a mere name.
        let varyings = self.interps.iter().filter_map(|interp| match &interp.value {
            VaryingSource::File(file) => Some(file),
            VaryingSource::Made(_) => None,
        });
        files.reads.extend(varyings.clone().filter_map(|file| Some(FileSpec::parse(file).ok()?.path)));
        files.reads.extend(varyings.map(PathBuf::from));
        files.reads.extend(fetch_buffers(args).into_iter().flatten().map(|buffer| buffer.value.path));
        files.read(self.kcaches.iter().map(|kcache| &kcache.value));
        files.reads.extend(self.fetch_program.iter().flat_map(|path| program_files(path)));
        let parameters = self.parameters.iter().map(|export| &export.value);
        let outputs = self.positions.iter().map(|export| &export.value).chain(parameters);
        let outputs = outputs.chain(self.items().map(|items| &items.file));
        files.write(outputs.map(|file| &file.path));
        files
    }
}

/// `--stage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StageName {
    /// Pixels of a domain
    Ps,
    /// Vertices
    Vs,
    /// Primitives, for which it emits vertices
    Gs,
    /// Vertices that feed a geometry shader
    Es,
}

impl From<StageName> for Stage {
    fn from(name: StageName) -> Stage {
        match name {
            StageName::Ps => Stage::Pixel,
            StageName::Vs => Stage::Vertex,
            StageName::Gs => Stage::Geometry,
            StageName::Es => Stage::Export,
        }
    }
}

/// Memory of which every lane has an item, and the file that receives it: `DWORDS=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemsFile {
    /// Dwords of an item.
    pub dwords: u32,
    /// The file.
    pub file: FileSpec,
}

impl FromStr for ItemsFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (dwords, file) = text.split_once('=').ok_or("expected DWORDS=FILE, like 8=out.npy")?;
        let dwords = dwords.parse().ok().filter(|dwords| (1..=MAX_ITEM).contains(dwords));
        let dwords = dwords.ok_or_else(|| format!("an item has 1 to {MAX_ITEM} dwords"))?;
        let file = FileSpec::parse(file).map_err(|error| error.to_string())?;
        match file.shape {
            Some(_) => Err("the file has a row for each item; it takes no shape".into()),
            None => Ok(ItemsFile { dwords, file }),
        }
    }
}

/// A stream and the file that receives it: `N:DWORDS=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamFile {
    /// The stream.
    pub number: u8,
    /// Its items.
    pub items: ItemsFile,
}

impl FromStr for StreamFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, items) = text.split_once(':').ok_or("expected N:DWORDS=FILE, like 0:8=out.npy")?;
        let number = number.parse().ok().filter(|&number: &u8| usize::from(number) < STREAMS);
        let number = number.ok_or_else(|| format!("the stream must be 0 to {}", STREAMS - 1))?;
        Ok(StreamFile { number, items: items.parse()? })
    }
}

/// A sampler: filter, wraps, comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerValue(pub Sampler);

impl FromStr for SamplerValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split(',').peekable();
        let filter = match words.next() {
            Some("nearest") => Filter::Nearest,
            Some("linear") => Filter::Linear,
            _ => return Err("a sampler begins with nearest or linear, like linear,repeat".to_string()),
        };
        let mut wraps = Vec::new();
        while let Some(wrap) = words.peek().and_then(|word| wrap(word)) {
            wraps.push(wrap);
            words.next();
        }
        let wrap = match *wraps {
            [] => [Wrap::Clamp; 3],
            [all] => [all; 3],
            [x, y] => [x, y, Wrap::Clamp],
            [x, y, z] => [x, y, z],
            _ => return Err(format!("{} wraps are too many: there are three axes", wraps.len())),
        };
        let compare = match words.next() {
            None => Compare::Never,
            Some(word) => compare(word).ok_or_else(|| {
                format!(
                    "'{word}' is neither a wrap (repeat, mirror, clamp, border) nor a comparison (never, less, equal, \
                     less_equal, greater, not_equal, greater_equal, always)"
                )
            })?,
        };
        match words.next() {
            None => Ok(SamplerValue(Sampler { wrap, compare, ..Sampler::with_filter(filter) })),
            Some(word) => Err(format!("nothing follows the comparison, but there is '{word}'")),
        }
    }
}

fn wrap(word: &str) -> Option<Wrap> {
    Some(match word {
        "repeat" => Wrap::Repeat,
        "mirror" => Wrap::Mirror,
        "clamp" => Wrap::Clamp,
        "border" => Wrap::Border,
        _ => return None,
    })
}

fn compare(word: &str) -> Option<Compare> {
    Some(match word {
        "never" => Compare::Never,
        "less" => Compare::Less,
        "equal" => Compare::Equal,
        "less_equal" => Compare::LessEqual,
        "greater" => Compare::Greater,
        "not_equal" => Compare::NotEqual,
        "greater_equal" => Compare::GreaterEqual,
        "always" => Compare::Always,
        _ => return None,
    })
}

/// A file of a fetch buffer: `FILE[,stride=BYTES][,format=NAME]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferFile {
    /// The file.
    pub path: PathBuf,
    /// Bytes from one element to the next, if the argument says so.
    pub stride: Option<u32>,
    /// Format of fetches with USE_CONST_FIELDS: of integers, fractions.
    pub format: ElementFormat,
}

/// The fetch buffers of the command line.
///
/// # Errors
/// What follows a file makes no sense.
pub fn fetch_buffers(args: &RunArgs) -> Result<Vec<Numbered<BufferFile, RESOURCES>>, Failure> {
    let numbered = args.buffers.iter().filter_map(|buffer| match buffer.name {
        Name::Number(number) => Some((number, &buffer.value)),
        Name::Word(_) => None,
    });
    let parsed = numbered.map(|(number, text)| {
        let value = text.parse().map_err(|error| Message::error(format!("--buffer {number}={text}: {error}")));
        Ok(Numbered { number, value: value.map_err(Failure::Usage)? })
    });
    parsed.collect()
}

impl FromStr for BufferFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let path = parts.next().filter(|path| !path.is_empty()).ok_or("the file name is missing")?;
        let mut file = BufferFile { path: path.into(), stride: None, format: ElementFormat::default() };
        for part in parts {
            match part.split_once('=') {
                Some(("stride", bytes)) => {
                    let stride = bytes.parse().ok().filter(|stride| *stride < 2048);
                    file.stride = Some(stride.ok_or_else(|| format!("the stride must be 0 to 2047, not '{bytes}'"))?);
                }
                Some(("format", name)) => {
                    let format = DataFormat::parse(name).ok_or_else(|| {
                        format!("unknown format '{name}'; they are like 32_32_32_32_FLOAT, 16_16, 8_8_8_8")
                    })?;
                    file.format = ElementFormat {
                        data_format: format.code(),
                        number: NumberFormat::Norm,
                        ..ElementFormat::default()
                    };
                }
                _ => return Err(format!("expected stride=BYTES or format=NAME after the file name, not '{part}'")),
            }
        }
        Ok(file)
    }
}

/// A loop constant: `COUNT`, `COUNT,INIT` or `COUNT,INIT,STEP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopValue(pub LoopConstant);

impl FromStr for LoopValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let mut field = |absent: i32, range: std::ops::RangeInclusive<i32>, what: &str| {
            let Some(part) = parts.next() else { return Ok(absent) };
            let number = part.trim().parse().ok().filter(|number| range.contains(number));
            number.ok_or_else(|| format!("the {what} must be {} to {}, not '{part}'", range.start(), range.end()))
        };
        let count = field(0, 0..=4095, "count")? as u16;
        let init = field(0, 0..=4095, "initial value")? as u16;
        let step = field(1, -128..=127, "step")? as i8;
        match parts.next() {
            None => Ok(LoopValue(LoopConstant { count, init, step })),
            Some(_) => Err("expected COUNT,INIT,STEP".to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samplers_are_words_in_order() {
        let wraps = |text: &str| text.parse::<SamplerValue>().map(|value| (value.0.minification, value.0.wrap));
        assert_eq!(wraps("nearest"), Ok((Filter::Nearest, [Wrap::Clamp; 3])));
        assert_eq!(wraps("linear,repeat"), Ok((Filter::Linear, [Wrap::Repeat; 3])));
        assert_eq!(wraps("linear,mirror,border"), Ok((Filter::Linear, [Wrap::Mirror, Wrap::Border, Wrap::Clamp])));
        assert_eq!("nearest,less_equal".parse::<SamplerValue>().unwrap().0.compare, Compare::LessEqual);
        for text in ["", "repeat", "linear,clamp,clamp,clamp,clamp", "linear,less,repeat", "nearest,wrong"] {
            assert!(text.parse::<SamplerValue>().is_err(), "{text}");
        }
    }

    #[test]
    fn loop_constants_have_the_ranges_of_the_register() {
        let constant = |count, init, step| Ok(LoopValue(LoopConstant { count, init, step }));
        assert_eq!("7".parse(), constant(7, 0, 1));
        assert_eq!("4095,4095,-128".parse(), constant(4095, 4095, -128));
        for text in ["", "4096", "1,4096", "1,2,128", "-1", "1,2,3,4"] {
            assert!(text.parse::<LoopValue>().is_err(), "{text}");
        }
    }
}
