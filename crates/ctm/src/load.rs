//! Programs of files.

use crate::machine::language_of;
use crate::{Error, Machine, Program, Shader, ShaderOptions};
use ctm_object::mesa::{self, Driver, Keep, Log};
use ctm_object::probe::{Content, Foreign, Language, probe};
use ctm_object::sass::{self, SassError};
use ctm_object::{c_array, d3d9, elf, hex, r700, raw, sm50};
use ctm_text::SourceFile;
use std::fs;
use std::path::Path;

/// A program of a file that may have several.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The name that the file gives it, if it gives names.
    pub name: Option<String>,
    /// The program.
    pub program: Program,
    /// The shader that it was compiled from, if it was: its names.
    pub shader: Option<Box<Shader>>,
}

/// Loads all programs of a file, at least one: assembly text; shaders in GLSL, WGSL or Direct3D 9 text or code, which are compiled; program
/// images of CTM, objects of LLVM's r600 back end, shader files of the Wii U, modules of deko3d, cubins; logs of Mesa's drivers; listings
/// of SM50 code; words, binary (little-endian) or as hexadecimal text; any of them as an array in C source. Containers, logs and most texts
/// say themselves which machine they are for; of words, and of texts that show nothing, it must be given.
///
/// # Errors
/// The file is damaged, has no program, is for another machine, or does not say for which one.
pub fn load(bytes: &[u8], machine: Option<Machine>) -> Result<Vec<Loaded>, Error> {
    Input { name: "<text>", bytes, machine, language: None, includes: false }.load()
}

/// Loads all programs of a file, as [`load`]. The ending of its name tells the machine of texts and words: `.x1k`, `.r700`, `.sm50`, `.pvs`;
/// the language of shaders: `.frag`, `.glsl`, `.wgsl`, `.psh`; of SM50 also `.sph`, and `.sph.u32` with the code in `.code.u32` beside it.
///
/// # Errors
/// As [`load`], or the file cannot be read.
pub fn open(path: impl AsRef<Path>, machine: Option<Machine>) -> Result<Vec<Loaded>, Error> {
    let path = path.as_ref();
    let read = |path: &Path| fs::read(path).map_err(|source| Error::File { path: path.into(), source });
    if let Some([header, code]) = sm50::halves(path)
        && header.exists()
        && machine.is_none_or(|machine| machine == Machine::Sm50)
    {
        return one(sm50::read_pair(&read(&header)?, &read(&code)?)?);
    }
    let bytes = read(path)?;
    let name = path.display().to_string();
    let language = language_of(path, probe(&bytes)).filter(|language| language.is_compiled());
    let named = if language.is_some() { None } else { Machine::of_name(path) };
    Input { name: &name, bytes: &bytes, machine: machine.or(named), language, includes: true }.load()
}

/// What a file holds, and what is known of it beside that.
struct Input<'f> {
    /// How messages call it.
    name: &'f str,
    bytes: &'f [u8],
    machine: Option<Machine>,
    /// The language of a shader.
    language: Option<Language>,
    /// `#include` in assembly text reads files beside it.
    includes: bool,
}

/// The text that the one called `including` includes as `wanted`: the file of that name beside it.
fn beside(including: &str, wanted: &str) -> Result<SourceFile, String> {
    let path = Path::new(including).parent().unwrap_or(Path::new("")).join(wanted);
    let text = fs::read_to_string(&path).map_err(|error| format!("cannot read '{}': {error}", path.display()))?;
    // Names that stand for the same file come back as one.
    let path = path.canonicalize().unwrap_or(path);
    Ok(SourceFile { name: path.display().to_string(), text })
}

impl Input<'_> {
    fn load(&self) -> Result<Vec<Loaded>, Error> {
        let (name, bytes, machine) = (self.name, self.bytes, self.machine);
        let content = probe(bytes);
        if content == Content::CArray {
            let array = str::from_utf8(bytes).ok().and_then(c_array::read).transpose()?;
            let bytes = array.map(|array| array.bytes).unwrap_or_default();
            return match probe(&bytes) {
                Content::CArray => Err(Error::NoProgram { content }),
                _ => Input { bytes: &bytes, ..*self }.load(),
            };
        }
        let of_container = machine_of(content);
        if let (Some(found), Some(wanted)) = (of_container, machine)
            && found != wanted
        {
            return Err(Error::OtherMachine { content, wanted });
        }
        let text = str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        if let (Some(language), Some(text)) = (self.language, text) {
            return self.compile(text, language);
        }
        let known = || machine.ok_or(Error::UnknownMachine { content });
        let assemble = |machine| {
            let text = text.unwrap_or_default();
            one(match self.includes {
                true => Program::assemble_with(machine, name, text, &mut beside)?,
                false => Program::assemble(machine, text)?,
            })
        };
        match content {
            Content::CtmImage => one(elf::read(bytes)?),
            Content::R600Object => Ok(r700::read_llvm(bytes)?.into_iter().map(Loaded::from).collect()),
            Content::Gfd => Ok(r700::read_gfd(bytes)?.into_iter().map(Loaded::from).collect()),
            Content::Cubin => Ok(sm50::read_cubin(bytes)?.into_iter().map(Loaded::from).collect()),
            Content::Dksh => Ok(sm50::read_dksh(bytes)?.into_iter().map(Loaded::from).collect()),
            Content::SassListing => {
                let kernels = sass::read(name, text.unwrap_or_default()).map_err(|error| match error {
                    SassError::Text(diagnostics) => Error::Text(diagnostics),
                    error => Error::Sass(error),
                })?;
                Ok(kernels.into_iter().map(Loaded::from).collect())
            }
            Content::MesaLog(driver) => log(text.unwrap_or_default(), driver),
            Content::Sm50Program if machine.is_none_or(|machine| machine == Machine::Sm50) => {
                one(sm50::read_program(bytes)?)
            }
            Content::HexWords => {
                let dwords = text.and_then(hex::read).transpose()?.unwrap_or_default();
                words(&dwords.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>(), known()?)
            }
            Content::Source(language) => match machine.or(Machine::of_language(language)) {
                Some(machine) => assemble(machine),
                None => self.compile(text.unwrap_or_default(), language),
            },
            Content::PixelShaderCode => self.compile(&d3d9::read(bytes)?, Language::PixelShader),
            Content::Text => assemble(known()?),
            // Words may begin like a file of another format.
            Content::Foreign(Foreign::Format(_)) if machine.is_some() && text.is_none() => words(bytes, known()?),
            Content::CArray | Content::Trace | Content::CardTrace | Content::Foreign(_) => {
                Err(Error::NoProgram { content })
            }
            Content::Sm50Program | Content::Unknown => words(bytes, known()?),
        }
    }

    /// The program of a shader.
    fn compile(&self, text: &str, language: Language) -> Result<Vec<Loaded>, Error> {
        if let Some(wanted) = self.machine.filter(|&machine| machine != Machine::X1k) {
            return Err(Error::OtherMachine { content: Content::Source(language), wanted });
        }
        if !language.is_compiled() {
            return Err(Error::OtherLanguage { language });
        }
        let shader = Shader::compile_named(self.name, text, language, &ShaderOptions::default())?;
        Ok(vec![Loaded { name: None, program: shader.program.clone(), shader: Some(Box::new(shader)) }])
    }
}

/// The machine that files with this have programs of.
const fn machine_of(content: Content) -> Option<Machine> {
    match content {
        Content::CtmImage | Content::MesaLog(Driver::R300) => Some(Machine::X1k),
        Content::MesaLog(Driver::R300Vertex) => Some(Machine::Pvs),
        Content::R600Object | Content::Gfd | Content::MesaLog(Driver::R600) => Some(Machine::R700),
        Content::Cubin | Content::Dksh | Content::SassListing => Some(Machine::Sm50),
        Content::Sm50Program
        | Content::HexWords
        | Content::CArray
        | Content::Trace
        | Content::CardTrace
        | Content::PixelShaderCode
        | Content::Source(_)
        | Content::Text
        | Content::Foreign(_)
        | Content::Unknown => None,
    }
}

/// The programs of a log that a driver wrote.
fn log(text: &str, driver: Driver) -> Result<Vec<Loaded>, Error> {
    let machine = match driver {
        Driver::R300 => Machine::X1k,
        Driver::R300Vertex => Machine::Pvs,
        Driver::R600 => Machine::R700,
    };
    let log = Log::of(text, Keep::All);
    let programs = log.programs().iter().filter(|(_, program)| program.entry.driver == driver);
    let assembled = |(_, program): &(usize, mesa::Program)| {
        let text = program.import().map_err(Error::Mesa)?;
        let program_name = program.entry.name.clone();
        Ok(Loaded { name: program_name, program: Program::assemble(machine, &text)?, shader: None })
    };
    programs.map(assembled).collect()
}

/// The only one of these.
pub(crate) fn only(mut programs: Vec<Loaded>) -> Result<Loaded, Error> {
    match programs.pop() {
        Some(program) if programs.is_empty() => Ok(program),
        _ => Err(Error::Several { count: programs.len() + 1 }),
    }
}

impl Program {
    /// The only program of a file's bytes, see [`load`].
    ///
    /// # Errors
    /// As [`load`], or there are several.
    pub fn load(bytes: &[u8], machine: Option<Machine>) -> Result<Self, Error> {
        Ok(only(load(bytes, machine)?)?.program)
    }

    /// The only program of a file, see [`open`](open()). [`Shader::open`] keeps the names of a shader.
    ///
    /// # Errors
    /// As [`open`](open()), or there are several.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(only(open(path, None)?)?.program)
    }
}

fn one(program: impl Into<Program>) -> Result<Vec<Loaded>, Error> {
    Ok(vec![Loaded { name: None, program: program.into(), shader: None }])
}

/// The program of words, little-endian.
fn words(bytes: &[u8], machine: Machine) -> Result<Vec<Loaded>, Error> {
    match machine {
        Machine::X1k => one(ctm_x1k::Program::from_code(raw::read_words(bytes)?)),
        Machine::R700 => one(r700::read_words(bytes)?),
        Machine::Sm50 if sm50::begins_with_header(bytes) => one(sm50::read_program(bytes)?),
        Machine::Sm50 => one(sm50::read_code(bytes)?),
        Machine::Pvs => match bytes.as_chunks::<4>() {
            (dwords, []) => {
                let dwords: Vec<u32> = dwords.iter().map(|dword| u32::from_le_bytes(*dword)).collect();
                one(ctm_pvs::Program::from_dwords(&dwords)?)
            }
            _ => Err(Error::PartialDword { length: bytes.len() }),
        },
    }
}

impl From<sm50::Kernel> for Loaded {
    fn from(kernel: sm50::Kernel) -> Self {
        Loaded { name: Some(kernel.name), program: kernel.program.into(), shader: None }
    }
}

impl From<r700::Loaded> for Loaded {
    fn from(loaded: r700::Loaded) -> Self {
        Loaded { name: loaded.name, program: loaded.program.into(), shader: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(name: &str) -> Vec<u8> {
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(name)).unwrap()
    }

    fn machine(bytes: &[u8], machine: Option<Machine>) -> Result<Machine, Error> {
        Ok(Program::load(bytes, machine)?.machine())
    }

    #[test]
    fn containers_say_their_machine() {
        let text = "OUT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;";
        let program = Program::assemble(Machine::X1k, text).unwrap();
        let Program::X1k(x1k) = &program else { panic!("{program:?}") };
        let image = elf::write(x1k);
        assert_eq!(Program::load(&image, None).unwrap(), program);
        assert!(matches!(machine(&image, Some(Machine::R700)), Err(Error::OtherMachine { wanted: Machine::R700, .. })));

        assert_eq!(machine(&corpus("x1k/cf_nest3/dump.txt"), None).unwrap(), Machine::X1k);
        let r700 = Program::assemble(Machine::R700, "ALU:\n x: MOV R1.x, R0.x\nEND_OF_PROGRAM\n").unwrap();
        let Program::R700(code) = &r700 else { panic!("{r700:?}") };
        assert_eq!(Program::load(&r700::write_object(code, "f"), None).unwrap().machine(), Machine::R700);
    }

    #[test]
    fn texts_and_words_are_given_a_machine() {
        let words = corpus("x1k/pre_sub/program.u32");
        assert!(matches!(machine(&words, None), Err(Error::UnknownMachine { .. })));
        assert_eq!(machine(&words, Some(Machine::X1k)).unwrap(), Machine::X1k);
        let hex: String =
            words.as_chunks().0.iter().map(|&word| format!("{:08x}\n", u32::from_le_bytes(word))).collect();
        assert_eq!(
            Program::load(hex.as_bytes(), Some(Machine::X1k)).unwrap(),
            Program::load(&words, Some(Machine::X1k)).unwrap()
        );
        assert_eq!(machine(b"EXIT;", None).unwrap(), Machine::Sm50);
        assert!(matches!(machine(b"one two", None), Err(Error::UnknownMachine { content: Content::Text })));
        assert_eq!(machine(b"EXIT;", Some(Machine::Sm50)).unwrap(), Machine::Sm50);
    }

    #[test]
    fn names_tell_machines() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (name, expected) in [
            ("examples/julia.x1k", Machine::X1k),
            ("examples/newton.r700", Machine::R700),
            ("examples/collatz.sm50", Machine::Sm50),
            ("tests/corpus/sm50/v_basic/vert.sph.u32", Machine::Sm50),
            ("tests/corpus/sm50/v_basic/vert.code.u32", Machine::Sm50),
        ] {
            assert_eq!(Program::open(path.join(name)).unwrap().machine(), expected, "{name}");
        }
        let halves = ["vert.sph.u32", "vert.code.u32"].map(|name| path.join("tests/corpus/sm50/v_basic").join(name));
        let [one, other] = halves.map(|path| Program::open(path).unwrap());
        assert_eq!(one, other);
        assert!(one.shader().is_ok_and(|shader| shader.header.is_some()));
    }

    #[test]
    fn what_is_no_program_is_told() {
        assert!(matches!(machine(b"CTMTRACE", Some(Machine::X1k)), Err(Error::NoProgram { content: Content::Trace })));
        assert!(matches!(machine(b"no program", Some(Machine::X1k)), Err(Error::Text(_))));
        assert!(matches!(Program::open("no such file"), Err(Error::File { .. })));
    }
}
