//! Shaders in source, which are compiled when they are loaded: their textures, uniforms and interpolated inputs have names.

mod command;
mod names;
mod uniforms;

pub use command::CompileArgs;
pub use names::{numbered, require_kind, require_textures, unknown};
pub use uniforms::{MovingUniforms, UniformContext, fill, has_uniform};

use crate::isa::mistaken;
use crate::report::{Location, Message, diagnostic};
use crate::{Console, Failure, source};
#[cfg(feature = "shaders")]
use ctm_compile::CompileError;
#[cfg(feature = "shaders")]
use ctm_compile::front::naga;
use ctm_compile::front::ps;
use ctm_compile::{Compiled, Sources};
use ctm_lane::budget::{Limits, Meter};
use ctm_object::probe::Language;
use ctm_text::{Origin, SourceFile};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a language is compiled.
enum Compiler {
    /// By way of naga.
    Shading(ctm_compile::Language),
    /// Assembly text of Direct3D 9 pixel shaders.
    PixelShader,
}

impl Compiler {
    /// That of a language; none if it is assembled.
    fn of(language: Language) -> Option<Self> {
        match language {
            Language::Glsl => Some(Compiler::Shading(ctm_compile::Language::Glsl)),
            Language::Wgsl => Some(Compiler::Shading(ctm_compile::Language::Wgsl)),
            Language::PixelShader => Some(Compiler::PixelShader),
            Language::X1k | Language::R700 | Language::Sm50 | Language::Pvs | Language::Commands => None,
        }
    }
}

/// How names of GLSL end that is not of fragment shaders.
const OTHER_STAGES: [&str; 6] = ["vert", "geom", "tesc", "tese", "comp", "vsh"];

/// Refuses a text that is assembled, or whose name says that it is of another stage.
fn require_compiled(source: &SourceFile, language: Language) -> Result<Compiler, Message> {
    let ending = Path::new(&source.name).extension().and_then(OsStr::to_str).unwrap_or_default();
    if language == Language::Glsl && OTHER_STAGES.contains(&ending) {
        let message =
            format!("the file is GLSL, but its name ends in .{ending}: only fragment shaders are compiled here");
        return Err(Message::error(message)
            .at(Location::File(source.name.clone()))
            .help("compile it with the driver or compiler of a GPU whose programs run here"));
    }
    Compiler::of(language).ok_or_else(|| {
        Message::error(format!("the text is {language}, not a shader in source"))
            .at(Location::File(source.name.clone()))
            .help("'ctm asm FILE' assembles it")
    })
}

/// What of a source is compiled, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// For GLSL and WGSL; `precise` is also for pixel shader text.
    pub shading: ctm_compile::Options,
    /// Further sources of a shader in GLSL.
    pub linked: Vec<SourceFile>,
    /// Coordinates of lookups in pixel shader text count texels; else they go from 0 to 1, as in Direct3D.
    pub texel_coordinates: bool,
    /// What compiling may use.
    pub limits: Limits,
}

impl Options {
    /// Refuses what does not apply to a source of this language, or for a program that is not compiled.
    ///
    /// # Errors
    /// Something is given that has no effect.
    pub fn require_meaning(&self, language: Option<Language>) -> Result<(), Failure> {
        let is_compiled = language.is_some_and(Language::is_compiled);
        let is_glsl = language == Some(Language::Glsl);
        let is_pixel_shader = language == Some(Language::PixelShader);
        let given = [
            ("--define", !self.shading.defines.is_empty(), is_glsl, "GLSL has macros"),
            ("a further source", !self.linked.is_empty(), is_glsl, "shaders in GLSL have several"),
            ("--precise", self.shading.precise, is_compiled, "shaders in source are compiled"),
            ("--entry", self.shading.entry.is_some(), !is_pixel_shader, "GLSL and WGSL have entry points"),
            (
                "--texel-coordinates",
                self.texel_coordinates,
                is_pixel_shader,
                "pixel shaders have lookups of both kinds",
            ),
        ];
        match given.into_iter().find(|&(_, is_given, means, _)| is_given && !means) {
            Some((option, .., help)) => {
                let message = Message::error(format!("{option} does not apply to this program"));
                Err(Failure::Usage(message.help(format!("only {help}: leave it out"))))
            }
            None => Ok(()),
        }
    }
}

/// Reads further sources of a shader.
///
/// # Errors
/// One cannot be read, or is not text.
pub fn read_linked(paths: &[PathBuf], console: &Console) -> Result<Vec<SourceFile>, Failure> {
    let read = |path: &PathBuf| {
        let text = source::text(path, source::read(console.host, path)?)?;
        source::require_short(path, &text)?;
        Ok(SourceFile { name: source::name(path), text })
    };
    paths.iter().map(read).collect()
}

/// Where lines of a shader are. It may have several sources: they are compiled as one text, one after the other.
struct Lines {
    /// The sources; the first one is that which messages are about that have no line.
    files: Vec<Arc<SourceFile>>,
    /// Where the lines of each begin.
    starts: Vec<Vec<usize>>,
    /// All of them as one text.
    sources: Sources,
}

impl Lines {
    fn new(source: SourceFile, linked: &[SourceFile]) -> Self {
        let files: Vec<Arc<SourceFile>> = std::iter::once(source).chain(linked.iter().cloned()).map(Arc::new).collect();
        let starts = |file: &Arc<SourceFile>| {
            std::iter::once(0).chain(file.text.match_indices('\n').map(|(at, _)| at + 1)).collect()
        };
        let sources = Sources::new(files.iter().map(|file| file.text.as_str()));
        Lines { starts: files.iter().map(starts).collect(), files, sources }
    }

    fn first(&self) -> &Arc<SourceFile> {
        &self.files[0]
    }

    /// The file and the start of a line, and how far from there its first and last characters are that are not blank.
    fn extent(&self, number: u32) -> (Arc<SourceFile>, usize, usize, usize) {
        let (source, line) = self.sources.place(number.max(1));
        let (file, starts) = (self.files[source].clone(), &self.starts[source]);
        let start = starts[(line.max(1) as usize - 1).min(starts.len() - 1)];
        let text = file.text[start..].lines().next().unwrap_or_default();
        let indent = text.len() - text.trim_start().len();
        let end = text.trim_end().len().max(indent);
        (file, start, indent, end)
    }

    fn origin(&self, number: u32) -> Origin {
        let (file, start, indent, end) = self.extent(number);
        Origin { file, span: start + indent..start + end }
    }

    /// A place: a word from a column on, a whole line if the column is 0, the file if the line is.
    fn location(&self, line: u32, column: u32) -> Location {
        match (line, column) {
            (0, _) => Location::File(self.first().name.clone()),
            (number, 0) => Location::Text(self.origin(number)),
            (number, column) => {
                let (file, start, _, end) = self.extent(number);
                let text = &file.text[start..start + end];
                let at = text.char_indices().nth(column as usize - 1).map_or(text.len(), |(at, _)| at);
                let rest =
                    text[at..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(end, |length| at + length);
                let span = start + at..start + rest.max(at);
                Location::Text(Origin { file: file.clone(), span })
            }
        }
    }

    #[cfg(feature = "shaders")]
    fn failure(&self, error: &CompileError) -> Message {
        Message::error(error.to_string()).at(self.location(error.line(), error.column()))
    }
}

/// Compiles a source. Also gives the place of each instruction in it.
///
/// # Errors
/// The source is wrong, or its program does not fit the machine.
pub fn compile(
    source: SourceFile,
    language: Language,
    options: &Options,
    console: &mut Console,
) -> Result<(Compiled, Vec<Origin>), Failure> {
    let compiler = require_compiled(&source, language)?;
    let lines = Lines::new(source, &options.linked);
    let text = &lines.sources.text;
    // What is wrong with a text in another language says nothing.
    let wrong = |failure: Failure| mistaken(lines.first(), language).map_or(failure, Failure::from);
    let cancel = console.host.interrupt();
    let meter = Meter::new(options.limits.start(), Some(&*cancel));
    let compiled = match compiler {
        #[cfg(not(feature = "shaders"))]
        Compiler::Shading(_) => return Err(crate::absent::absent("its compiler of GLSL and WGSL", "shaders")),
        #[cfg(feature = "shaders")]
        Compiler::Shading(language) => {
            let shading = ctm_compile::Options { sources: lines.sources.starts.clone(), ..options.shading.clone() };
            let compiled = ctm_compile::compile_within(text, language, &shading, &meter);
            let compiled = compiled
                .map_err(|error| error.halt().map_or_else(|| wrong(lines.failure(&error).into()), Failure::from))?;
            for warning in &compiled.warnings {
                console.report(&Message::warning(warning.to_string()).at(lines.location(0, 0)));
            }
            compiled
        }
        Compiler::PixelShader => {
            let options = ps::Options { scaled: !options.texel_coordinates, precise: options.shading.precise };
            let shader = ctm_compile::compile_pixel_shader_within(&lines.first().name, text, options, &meter)?;
            let shader = shader.map_err(|error| wrong(error.into()))?;
            shader.warnings.iter().for_each(|warning| console.report(&diagnostic(warning)));
            shader.compiled
        }
    };
    let origins = compiled.lines.iter().map(|&number| lines.origin(number)).collect();
    Ok((compiled, origins))
}

/// What was read of a source, as text: GLSL and WGSL as the module that naga made of it, in WGSL, pixel shaders as assembly.
///
/// # Errors
/// The source is wrong, or WGSL cannot say what was read.
fn understood(source: SourceFile, language: Language, options: &Options, console: &Console) -> Result<String, Failure> {
    let compiler = require_compiled(&source, language)?;
    let cancel = console.host.interrupt();
    let meter = Meter::new(options.limits.start(), Some(&*cancel));
    let lines = Lines::new(source, &options.linked);
    let text = &lines.sources.text;
    let printed = match compiler {
        Compiler::PixelShader => ps::parse(&lines.first().name, text)?.shader.to_string(),
        #[cfg(not(feature = "shaders"))]
        Compiler::Shading(_) => return Err(crate::absent::absent("its compiler of GLSL and WGSL", "shaders")),
        #[cfg(feature = "shaders")]
        Compiler::Shading(language) => {
            let module = match language {
                ctm_compile::Language::Glsl => {
                    naga::read_glsl_sources(text, &lines.sources.starts, &options.shading.defines)
                }
                ctm_compile::Language::Wgsl => naga::read_wgsl(text),
            };
            meter.check()?;
            let printed = module.and_then(|module| module.to_wgsl());
            printed.map_err(|failure| lines.failure(&failure.into()))?
        }
    };
    meter.check()?;
    Ok(printed)
}
