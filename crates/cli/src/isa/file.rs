//! Files that are taken for programs: what they hold, and which instruction set that is of.

use super::{InstructionSet, Isa, IsaChoice};
use crate::host::Host;
use crate::report::{Location, Message};
use crate::{Console, Failure, source};
use clap::{Args, ValueHint};
use ctm_object::probe::{Content, Foreign, Language};
use ctm_object::{c_array, hex, probe};
use std::path::{Path, PathBuf};

/// How a program file is to be read.
#[derive(Clone, Debug, Args)]
pub struct ProgramArgs {
    /// Program: assembly text, ELF image, or raw dwords, little-endian (.u32) or as hexadecimal text; R700 programs also as an
    /// object of LLVM, a shader file of the Wii U, a dump of Cemu or decaf by its name, or a listing of Mesa; SM50 programs as header and code in one file or in two
    /// (.sph.u32 and .code.u32), or as a cubin
    #[arg(value_name = "PROGRAM", value_hint = ValueHint::FilePath)]
    pub program: PathBuf,
    /// Instruction set or shading language of the file [default: what the file shows]; what is neither a known container nor
    /// text is then taken as raw dwords
    #[arg(long, value_name = "ISA", value_parser = IsaChoice::parser())]
    pub isa: Option<IsaChoice>,
    /// Which program of a file that has several: its name, or its number from 0
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
}

/// A file that was read.
pub struct File {
    /// The file.
    pub path: PathBuf,
    /// How it is called in messages.
    pub name: String,
    /// What is in it. Dwords that are given as hexadecimal text, and arrays of C source, have become bytes.
    pub bytes: Vec<u8>,
    /// What that is, as far as it shows.
    pub content: Content,
    /// How it is to be read if it is not a container.
    pub form: FileEncoding,
    /// The language that it is in if it is a text.
    pub language: Option<Language>,
    /// Neither the file nor the command line shows its instruction set.
    pub isa_is_guess: bool,
    /// Which program of it is meant, if it has several.
    pub kernel: Option<String>,
}

/// How a file is to be read that is not a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileEncoding {
    /// As text.
    Text,
    /// As dwords.
    Words,
    /// As nothing that is known.
    Unknown,
}

impl File {
    /// Reads a file. The instruction set is that of `--isa`, else the one that the file shows.
    pub fn read(args: &ProgramArgs, console: &Console) -> Result<(Isa, Self), Failure> {
        let mut file = Self::open(&args.program, args.isa, console.host)?;
        file.kernel = args.kernel.clone();
        if let Some(IsaChoice { isa, .. }) = args.isa {
            file.require(&*isa)?;
            return Ok((isa, file));
        }
        let recognised = Isa::all().find(|isa| isa.recognises(&file)).or(file.language.map(Isa::of_language));
        file.isa_is_guess = recognised.is_none();
        let named = || Language::of_name(&args.program).unwrap_or(Language::X1k);
        Ok((recognised.unwrap_or_else(|| Isa::of_language(named())), file))
    }

    /// Reads a file that is to be of this instruction set.
    pub fn of(path: &Path, isa: Isa, console: &Console) -> Result<Self, Failure> {
        let file = Self::open(path, Some(IsaChoice { isa, language: None }), console.host)?;
        file.require(&*isa)?;
        Ok(file)
    }

    /// Reads a file. What is not text counts as dwords if the file's name ends in `.u32`, or if its instruction set is known.
    fn open(path: &Path, wanted: Option<IsaChoice>, host: &dyn Host) -> Result<Self, Failure> {
        let isa_is_known = wanted.is_some();
        let mut bytes = source::read(host, path)?;
        let name = source::name(path);
        let mut content = probe(&bytes);
        if content == Content::CArray {
            bytes = array_bytes(&name, &bytes)?;
            content = probe(&bytes);
        }
        let text = str::from_utf8(&bytes).ok().filter(|text| !text.contains('\0'));
        // Logs are read line by line, and may be long.
        let is_log = matches!(content, Content::MesaLog(_));
        text.filter(|_| !is_log).map(|text| source::require_short(path, text)).transpose()?;
        let is_text = text.is_some();
        let language = language_of(path, content, wanted).filter(|_| is_text || content == Content::PixelShaderCode);
        let has_raw_name = path.extension().is_some_and(|extension| extension == "u32");
        let form = match content {
            // Such files begin like no words of a program.
            Content::Foreign(
                foreign @ (Foreign::CutOffElf | Foreign::AmdGpu(_) | Foreign::Cuda(_) | Foreign::Machine(_)),
            ) => {
                return Err(unusable(&name, &content).help(foreign.help()).into());
            }
            _ if has_raw_name => FileEncoding::Words,
            Content::HexWords => FileEncoding::Words,
            Content::Text | Content::Source(_) | Content::SassListing | Content::MesaLog(_) => FileEncoding::Text,
            // The name says that it is a text of a language; if it is not, that language's reader says so.
            Content::Foreign(_) if is_text && Language::of_name(path).is_some() => FileEncoding::Text,
            Content::Foreign(_) | Content::Trace | Content::CardTrace if is_text || !isa_is_known => {
                let help = content.help().into_iter();
                return Err(help.fold(unusable(&name, &content), Message::help).into());
            }
            _ if isa_is_known => FileEncoding::Words,
            _ => FileEncoding::Unknown,
        };
        let mut file =
            File { path: path.into(), name, bytes, content, form, language, isa_is_guess: false, kernel: None };
        if content == Content::HexWords {
            file.read_hex()?;
        }
        Ok(file)
    }

    /// Makes bytes of hexadecimal words.
    fn read_hex(&mut self) -> Result<(), Message> {
        let Some(dwords) = str::from_utf8(&self.bytes).ok().and_then(hex::read) else { return Ok(()) };
        let dwords = dwords.map_err(|error| self.error(error.to_string()))?;
        self.bytes = dwords.into_iter().flat_map(u32::to_le_bytes).collect();
        Ok(())
    }

    /// Refuses a container of another instruction set.
    fn require(&self, isa: &dyn InstructionSet) -> Result<(), Message> {
        let owner = Isa::all().find(|other| other.containers().contains(&self.content));
        match owner.filter(|_| !isa.reads(self.content)) {
            None => Ok(()),
            Some(owner) => {
                let (content, wanted) = (self.content, isa.name().to_uppercase());
                Err(self
                    .error(format!("the file is {content}, which has no programs of {wanted}"))
                    .help(format!("its instruction set is that of --isa {}", owner.name())))
            }
        }
    }

    /// Warns of words whose bytes are in the other order: those that are not a valid program as they are, but swapped.
    pub fn warn_if_swapped(&self, is_legal: impl Fn(&[u8]) -> bool, console: &mut Console) {
        if self.swapped(is_legal).is_some() {
            let message = "the words are not a valid program, but would be one with the bytes of each swapped";
            let help = format!("'objcopy -I binary -O binary --reverse-bytes=4 {} SWAPPED' swaps them", self.name);
            console.report(&Message::warning(message).at(Location::File(self.name.clone())).help(help));
        }
    }

    /// Swaps words whose bytes are in the other order, and says so.
    pub fn swap_back(&mut self, is_legal: impl Fn(&[u8]) -> bool, console: &mut Console) {
        if let Some(swapped) = self.swapped(is_legal) {
            self.bytes = swapped;
            let message = "the words are big-endian; the bytes of each were swapped";
            console.report(&Message::note(message).at(Location::File(self.name.clone())));
        }
    }

    /// The words with the bytes of each swapped, if only these are a legal program.
    fn swapped(&self, is_legal: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
        let swapped: Vec<u8> = self.bytes.as_chunks::<4>().0.iter().flat_map(|&[a, b, c, d]| [d, c, b, a]).collect();
        (!is_legal(&self.bytes) && is_legal(&swapped)).then_some(swapped)
    }

    /// An error about the file as a whole.
    pub fn error(&self, message: String) -> Message {
        Message::error(message).at(Location::File(self.name.clone()))
    }
}

/// The language of a text: that of `--isa`; else the one that its name stands for, if other languages have no such names;
/// else the one that the text shows.
pub fn language_of(path: &Path, content: Content, wanted: Option<IsaChoice>) -> Option<Language> {
    let named = Language::of_name(path);
    let shown = match content {
        Content::Source(language) => Some(language),
        Content::PixelShaderCode => Some(Language::PixelShader),
        _ => None,
    };
    let of_file = if Language::shares_name(path) { shown.or(named) } else { named.or(shown) };
    match wanted {
        Some(IsaChoice { language: Some(language), .. }) => Some(language),
        Some(IsaChoice { isa, .. }) => {
            let own = |language: &Language| isa.languages().contains(language);
            of_file.filter(own).or(shown.filter(own)).or(isa.languages().first().copied())
        }
        None => of_file,
    }
}

/// The bytes of the array in C source.
fn array_bytes(name: &str, bytes: &[u8]) -> Result<Vec<u8>, Message> {
    let read = str::from_utf8(bytes).ok().and_then(c_array::read);
    let wrong = |error: c_array::CArrayError| Message::error(error.to_string()).at(Location::File(name.into()));
    Ok(read.transpose().map_err(wrong)?.map(|array| array.bytes).unwrap_or_default())
}

fn unusable(name: &str, content: &Content) -> Message {
    Message::error(format!("the file is {content}, which holds no program that can be loaded"))
        .at(Location::File(name.into()))
}
