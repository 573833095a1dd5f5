//! The options that SM50 compute code has for itself.

use super::data::{BANKS, MAX_WORDS};
use super::{debug, run};
use crate::execution::NamedFiles;
use crate::isa::{File, Runner};
use crate::options::values::{FollowedLane, Numbered, VaryingSource, file as file_spec};
use crate::options::{RunArgs, Uniform};
use crate::run::{Debugged, Frames, TextureKind, sampling};
use crate::{Console, Failure};
use clap::{Args, value_parser};
use ctm_array::{FileSpec, Words};
use ctm_sm50::images::{IMAGE_ALIGNMENT, IMAGES, ImageFormat};
use ctm_sm50::launch::{Constants, MAX_LOCAL_MEMORY, MAX_SHARED_MEMORY};
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

/// Texels of an image along an axis.
const MAX_IMAGE: u32 = 16384;

/// Global memory, and the images in it.
#[derive(Clone, Debug, Default, Args)]
pub struct MemoryArgs {
    /// Dwords that global memory holds from an address on: .npy, or raw dwords
    #[arg(long = "global", value_name = "ADDR=FILE")]
    pub globals: Vec<GlobalFile>,
    /// File that receives dwords of global memory, as many or in columns and rows (64x48), as f32, i32 or u32: .npy, .f32, or
    /// a picture, which shows floats from 0 to 1 and integers from 0 to 255. Where no file fills it, memory holds zeros before
    #[arg(long = "global-output", value_name = "ADDR:SIZE[:TYPE]=FILE")]
    pub global_outputs: Vec<GlobalOutput>,
    /// Image that the program loads and stores, in global memory: 0=0x10000:64x48:rgba8. Formats are OpenGL's, such as r32ui; kinds those of
    /// --input (2d, 3d for WxHxD, 1d for W). nouveau's programs find its handle as that of the unit's image
    #[arg(long = "image", value_name = "UNIT=ADDR:SIZE:FORMAT[:KIND]")]
    pub images: Vec<Numbered<ImageArea, { IMAGES as usize }>>,
}

impl MemoryArgs {
    /// The files that they name.
    pub fn files(&self) -> NamedFiles {
        let mut files = NamedFiles::default();
        files.read(self.globals.iter().map(|global| &global.path));
        files.write(self.global_outputs.iter().map(|output| &output.path));
        files
    }
}

/// Options of SM50 compute code.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "SM50 compute code")]
pub struct Sm50Args {
    /// Blocks of the launch, along x, y and z [default: 1]
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub grid: Option<Sizes>,
    /// Threads of a block, along x, y and z, 1024 at most [default: 32]
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub block: Option<Sizes>,
    /// Dwords of a constant bank: .npy, or raw dwords. Kernels of CUDA have their arguments in bank 0 from 0x140 on;
    /// before, the file holds zeros: the launch writes its sizes there
    #[arg(long = "bank", value_name = "BANK=FILE")]
    pub banks: Vec<Numbered<PathBuf, BANKS>>,
    /// Global memory.
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// Where the code of the program lies: addresses of JMP and JCAL count from there. For --library
    #[arg(long, value_name = "ADDR", value_parser = global_address, default_value = "0", hide_default_value = true)]
    pub origin: u32,
    /// Code that the program calls by JCAL, and where it lies, such as nouveau's routines for integer division
    #[arg(long = "library", value_name = "ADDR=FILE")]
    pub libraries: Vec<GlobalFile>,
    /// Input of a fragment program, by its address: a value for each pixel, as an array of up to four channels for as many words, or made
    /// as for --input: uv, position, constant:R,G,B,A
    #[arg(long = "attribute", value_name = "ADDR=FILE[:WxHxC]|uv|...")]
    pub attributes: Vec<AttributeSource>,
    /// File that receives the sample mask that a fragment program puts out, as a number: one float32 channel
    #[arg(long, value_name = "FILE[:WxHxC]", value_parser = file_spec())]
    pub mask_output: Option<FileSpec>,
    /// Bytes of local memory that each thread has, 524288 at most
    #[arg(long, value_name = "BYTES", value_parser = value_parser!(u32).range(..=MAX_LOCAL_MEMORY as i64))]
    pub local_memory: Option<u32>,
    /// Warn of races in shared memory: threads of two warps access a word, one of them writes it, and no barrier is between them. The reference
    /// runs the program
    #[arg(long)]
    pub races: bool,
    /// Bytes of shared memory that each block has, 49152 at most
    #[arg(long, value_name = "BYTES", value_parser = value_parser!(u32).range(..=MAX_SHARED_MEMORY as i64))]
    pub shared_memory: Option<u32>,
}

impl Runner for Sm50Args {
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
        debug::debug(file, args, self, lane, shows, console)
    }

    fn files(&self, args: &RunArgs) -> NamedFiles {
        let mut files = NamedFiles::of_inputs(&args.inputs, &args.mips, sampling::file);
        files.read(self.banks.iter().map(|bank| &bank.value));
        files.read(self.libraries.iter().map(|library| &library.path));
        let attributes = self.attributes.iter().filter_map(|attribute| match &attribute.source {
            VaryingSource::File(file) => Some(FileSpec::parse(file).ok()?.path),
            VaryingSource::Made(_) => None,
        });
        files.reads.extend(attributes);
        files.write(self.mask_output.iter().map(|file| &file.path));
        files.add(self.memory.files());
        files
    }
}

/// An interpolated input of a fragment program: `ADDR=SOURCE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeSource {
    /// Its address, as in `a[0x80]`.
    pub address: u32,
    /// Its values.
    pub source: VaryingSource,
}

impl FromStr for AttributeSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (address, source) =
            text.split_once('=').ok_or_else(|| format!("expected ADDR=FILE, such as 0x80={text}"))?;
        let digits = address.strip_prefix("0x").or_else(|| address.strip_prefix("0X"));
        let number = digits.map_or_else(|| address.parse().ok(), |digits| u32::from_str_radix(digits, 16).ok());
        let address = number.filter(|address| address.is_multiple_of(4) && *address < 0x400);
        let address = address.ok_or("the address of an input is a multiple of 4 below 0x400, such as 0x80")?;
        Ok(AttributeSource { address, source: source.parse()? })
    }
}

/// A size along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes(pub [u32; 3]);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut sizes = [1; 3];
        let given: Option<Vec<u32>> = text.split(',').map(|side| side.parse().ok().filter(|&side| side > 0)).collect();
        match given {
            Some(given) if given.len() <= 3 => sizes[..given.len()].copy_from_slice(&given),
            _ => return Err("expected X, X,Y or X,Y,Z, each at least 1".into()),
        }
        Ok(Sizes(sizes))
    }
}

/// An address of global memory, and the file of what is there: `ADDR=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalFile {
    /// The byte address.
    pub address: u32,
    /// The file.
    pub path: PathBuf,
}

impl FromStr for GlobalFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (address, path) = text.split_once('=').ok_or("expected ADDR=FILE, like 0x10000=values.npy")?;
        Ok(GlobalFile { address: global_address(address)?, path: file(path)? })
    }
}

/// Dwords of global memory, and the file that receives them: `ADDR:SIZE[:TYPE]=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalOutput {
    /// The byte address.
    pub address: u32,
    /// How many dwords each row has.
    pub columns: u32,
    /// How many rows.
    pub rows: u32,
    /// What they are.
    pub words: Words,
    /// The file.
    pub path: PathBuf,
}

impl FromStr for GlobalOutput {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = "expected ADDR:SIZE[:TYPE]=FILE, like 0x10000:64=out.npy for 64 dwords from address 0x10000, or \
                     0x10000:64x48:u32=out.png for a picture";
        let (range, path) = text.split_once('=').ok_or(wrong)?;
        let (address, size) = range.split_once(':').ok_or(wrong)?;
        let (size, words) = size.split_once(':').unwrap_or((size, "f32"));
        let (columns, rows) = size.split_once('x').unwrap_or((size, "1"));
        let side = |text: &str| text.parse().ok().filter(|&side: &u32| side > 0).ok_or(wrong);
        let (columns, rows) = (side(columns)?, side(rows)?);
        let words = match words {
            "f32" => Words::Float,
            "i32" => Words::Signed,
            "u32" => Words::Unsigned,
            _ => return Err(format!("unknown type '{words}': dwords are f32, i32 or u32")),
        };
        columns.checked_mul(rows).ok_or("there are fewer than 2^32 dwords")?;
        Ok(GlobalOutput { address: global_address(address)?, columns, rows, words, path: file(path)? })
    }
}

/// An image in global memory: `ADDR:SIZE:FORMAT[:KIND]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageArea {
    /// The byte address.
    pub address: u32,
    /// Columns, rows, slices; layers come after what a layer has.
    pub size: [u32; 3],
    /// Its dimensions.
    pub kind: TextureKind,
    /// What a texel is.
    pub format: ImageFormat,
}

impl ImageArea {
    /// The addresses of its texels.
    pub fn range(&self) -> Range<u64> {
        let texels: u64 = self.size.iter().map(|&side| u64::from(side)).product();
        let start = u64::from(self.address);
        start..start + texels * u64::from(self.format.bytes())
    }
}

impl FromStr for ImageArea {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = "expected ADDR:SIZE:FORMAT[:KIND], like 0x10000:64x48:rgba8 or 0x10000:8x8x6:r32ui:cube";
        let mut parts = text.split(':');
        let mut next = || parts.next().ok_or(wrong);
        let (address, sides, format) = (next()?, next()?, next()?);
        let address = global_address(address)?;
        if !address.is_multiple_of(IMAGE_ALIGNMENT) || address == 0 {
            return Err(format!("the address of an image is a multiple of {IMAGE_ALIGNMENT}, and not 0"));
        }
        let side = |text: &str| text.parse().ok().filter(|side| (1..=MAX_IMAGE).contains(side));
        let sides: Option<Vec<u32>> = sides.split('x').map(side).collect();
        let sides = sides.filter(|sides| sides.len() <= 3);
        let sides =
            sides.ok_or_else(|| format!("the size of an image is W, WxH or WxHxD, each from 1 to {MAX_IMAGE}"))?;
        let of_sides = [TextureKind::D1, TextureKind::D2, TextureKind::D3][sides.len() - 1];
        let kind = parts.next().map_or(Some(of_sides), TextureKind::parse);
        let kind = kind.ok_or("the kind of an image is 1d, 2d, 3d, 1d-array, array or cube")?;
        let wanted = match kind {
            TextureKind::D1 => 1,
            TextureKind::D2 | TextureKind::D1Array => 2,
            TextureKind::D3 | TextureKind::D2Array | TextureKind::Cube => 3,
        };
        if sides.len() != wanted {
            return Err(format!("the size of an image of kind {} has {wanted} numbers", kind.name()));
        }
        if parts.next().is_some() {
            return Err(wrong.into());
        }
        let known =
            || format!("unknown format '{format}': there are {}", ImageFormat::names().collect::<Vec<_>>().join(", "));
        let format = ImageFormat::parse(format).ok_or_else(known)?;
        let size = std::array::from_fn(|axis| sides.get(axis).copied().unwrap_or(1));
        let area = ImageArea { address, size, kind, format };
        if area.range().end > 1 << 32 { Err("the image ends beyond 2^32".into()) } else { Ok(area) }
    }
}

/// A dword of a constant bank that differs from frame to frame: `BANK:ADDR=UNIFORM`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BankWord {
    bank: u8,
    /// Number of the dword.
    word: usize,
    uniform: Uniform,
}

impl BankWord {
    /// Gives it its value in a frame.
    pub fn set(&self, constants: &mut Constants, frames: Frames, frame: u32) {
        let mut words = constants.bank(self.bank).unwrap_or_default().to_vec();
        words.resize(words.len().max(self.word + 1), 0);
        words[self.word] = frames.bits(self.uniform, frame);
        constants.set_bank(self.bank, words);
    }
}

impl FromStr for BankWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = "expected BANK:ADDR=time, frame or A:B, like 0:0x140=time for c[0x0][0x140]";
        let (place, uniform) = text.split_once('=').ok_or(wrong)?;
        let (bank, address) = place.split_once(':').ok_or(wrong)?;
        let bank = bank.parse().ok().filter(|&bank: &u8| usize::from(bank) < BANKS).ok_or(wrong)?;
        let word = global_address(address)? as usize / 4;
        if word >= MAX_WORDS {
            return Err(format!("a constant bank has addresses below {:#x}", 4 * MAX_WORDS));
        }
        Ok(BankWord { bank, word, uniform: uniform.parse()? })
    }
}

fn file(path: &str) -> Result<PathBuf, String> {
    if path.is_empty() { Err("the file name is missing".into()) } else { Ok(path.into()) }
}

fn global_address(text: &str) -> Result<u32, String> {
    let address = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let address =
        address.map_err(|_| format!("'{text}' is not an address: expected a number below 2^32, such as 0x10000"))?;
    if address.is_multiple_of(4) { Ok(address) } else { Err(format!("address {text} is not a multiple of 4")) }
}
