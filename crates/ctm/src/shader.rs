//! Shaders in source, compiled to programs of X1K, with the names of their source.

use crate::kernel::DebugSource;
use crate::machine::language_of;
use crate::uniforms::Uniforms;
use crate::{Error, Pixels, Program};
use ctm_compile::front::{Interface, ps};
use ctm_compile::{Compiled, Sources, Variable};
use ctm_lane::budget::{Limits, Meter};
use ctm_object::probe::Language;
use ctm_text::Diagnostic;
use std::fs;
use std::path::Path;

/// A shader in GLSL, WGSL or Direct3D 9 pixel shader text, compiled to a program of X1K.
///
/// ```
/// use ctm_gpu::{Engine, Shader, ShaderOptions, object::probe::Language};
/// let text = "uniform float level; void main() { gl_FragColor = vec4(level * gl_FragCoord.xy, 0.0, 1.0); }";
/// let shader = Shader::compile(text, Language::Glsl, &ShaderOptions::default())?;
/// let mut kernel = shader.pixels(4, 2).uniform("level", &[2.0])?.compile(&Engine::fastest())?;
/// kernel.run()?;
/// assert_eq!(kernel.output(0)?.to_floats()[..4], [1.0, 1.0, 0.0, 1.0]);
/// # Ok::<(), ctm_gpu::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Shader {
    /// The program.
    pub program: Program,
    /// The line of [`source`](Self::source) that each instruction comes from, from 1; 0 if it has none.
    pub lines: Vec<u32>,
    /// Where its uniforms, textures, inputs and outputs are, by their names in the source.
    pub interface: Interface,
    /// What may not be as it was meant.
    pub warnings: Vec<Diagnostic>,
    /// The source; several are one after the other.
    pub source: String,
    /// Its language.
    pub language: Language,
    /// Where its variables are while the program runs, if [`ShaderOptions::variables`] asked for it.
    variables: Vec<Variable>,
    sources: Sources,
    options: ShaderOptions,
}

/// What of a source is compiled, and how.
#[derive(Clone, Debug)]
pub struct ShaderOptions {
    /// Macros without parameters that GLSL starts with: names and texts.
    pub defines: Vec<(String, String)>,
    /// The entry point of WGSL, if there are several for fragments.
    pub entry: Option<String>,
    /// Numbers are calculated in the order of the text, each rounded.
    pub precise: bool,
    /// Coordinates of lookups in pixel shader text count texels; else they go from 0 to 1, as in Direct3D.
    pub texel_coordinates: bool,
    /// Further sources of a shader in GLSL, linked as OpenGL does it: each has its macros and its version, and all share functions and globals.
    pub linked: Vec<String>,
    /// Sessions of [`Kernel::debug`](crate::Kernel::debug) have the variables of GLSL and WGSL. The program is the same.
    pub variables: bool,
    /// What compiling may use.
    pub limits: Limits,
}

impl Default for ShaderOptions {
    fn default() -> Self {
        ShaderOptions {
            defines: Vec::new(),
            entry: None,
            precise: false,
            texel_coordinates: false,
            linked: Vec::new(),
            variables: false,
            limits: Limits::DEFAULT,
        }
    }
}

impl Shader {
    /// Compiles a text.
    ///
    /// # Errors
    /// Something is wrong with the text, its program does not fit the machine, or the language is assembled.
    pub fn compile(text: &str, language: Language, options: &ShaderOptions) -> Result<Self, Error> {
        Self::compile_named("<text>", text, language, options)
    }

    /// Compiles the text of a file. The language is what the name says, or else what the text shows.
    ///
    /// # Errors
    /// As [`compile`](Self::compile), or the file cannot be read.
    pub fn open(path: impl AsRef<Path>, options: &ShaderOptions) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| Error::File { path: path.into(), source })?;
        let content = ctm_object::probe(&bytes);
        let language = language_of(path, content).ok_or(Error::UnknownLanguage { content })?;
        let text = String::from_utf8(bytes).map_err(|_| Error::UnknownLanguage { content })?;
        Self::compile_named(&path.display().to_string(), &text, language, options)
    }

    /// Compiles a text that messages call by this name.
    pub(crate) fn compile_named(
        name: &str,
        text: &str,
        language: Language,
        options: &ShaderOptions,
    ) -> Result<Self, Error> {
        let meter = Meter::new(options.limits.start(), None);
        if !options.linked.is_empty() && language != Language::Glsl {
            return Err(Error::Linked { language });
        }
        match language {
            Language::Glsl | Language::Wgsl => shading(name, text, language, options, &meter),
            Language::PixelShader => {
                let pixel = ps::Options { scaled: !options.texel_coordinates, precise: options.precise };
                let compiled = ctm_compile::compile_pixel_shader_within(name, text, pixel, &meter)??;
                Ok(Self::of(compiled.compiled, compiled.warnings, Sources::new([text]), language, options))
            }
            Language::X1k | Language::R700 | Language::Sm50 | Language::Pvs | Language::Commands => {
                Err(Error::NotCompiled { language })
            }
        }
    }

    fn of(
        compiled: Compiled,
        warnings: Vec<Diagnostic>,
        sources: Sources,
        language: Language,
        options: &ShaderOptions,
    ) -> Self {
        let Compiled { program, lines, interface, variables, .. } = compiled;
        let (program, source, options) = (program.into(), sources.text.clone(), options.clone());
        Shader { program, lines, interface, warnings, source, language, variables, sources, options }
    }

    /// The same shader, compiled with [`ShaderOptions::variables`].
    ///
    /// # Errors
    /// Compiling takes more than its limits.
    pub fn with_variables(&self) -> Result<Self, Error> {
        let options = ShaderOptions { variables: true, ..self.options.clone() };
        let first = self.sources.starts.first().map_or(self.source.len(), |second| second - 1);
        Self::compile(&self.source[..first], self.language, &options)
    }

    /// The source of a line of [`source`](Self::source), from 0, and the line there, from 1.
    pub fn place(&self, line: u32) -> (usize, u32) {
        self.sources.place(line)
    }

    /// The shader over `width` x `height` pixels. Uniforms that are called as Shadertoy and others call theirs (`iResolution`,
    /// `u_time`) have their values, others those of the source or 0; inputs that nobody gives go from 0 to 1.
    pub fn pixels(&self, width: u32, height: u32) -> Pixels {
        let uniforms = Uniforms::new(self.interface.clone(), [width, height]);
        let source = DebugSource { lines: self.lines.clone(), variables: self.variables.clone() };
        Pixels::new(self.program.clone(), width, height).with_uniforms(uniforms).with_source(source)
    }

    /// The number of the input that is a texture of this name.
    ///
    /// # Errors
    /// The shader uses no such texture.
    pub fn texture(&self, name: &str) -> Result<u8, Error> {
        let textures = &self.interface.textures;
        let found = textures.iter().find(|texture| texture.name == name);
        let names = || textures.iter().map(|texture| texture.name.as_str());
        Ok(found.ok_or_else(|| Error::unknown_name("texture", name, names()))?.unit)
    }

    /// The first slot of the interpolated input of this name.
    ///
    /// # Errors
    /// The shader uses no such input.
    pub fn varying(&self, name: &str) -> Result<u8, Error> {
        let varyings = &self.interface.varyings;
        let found = varyings.iter().find(|varying| varying.name == name);
        let names = || varyings.iter().map(|varying| varying.name.as_str());
        Ok(found.ok_or_else(|| Error::unknown_name("interpolated input", name, names()))?.slot)
    }
}

#[cfg(feature = "shaders")]
fn shading(
    name: &str,
    text: &str,
    language: Language,
    options: &ShaderOptions,
    meter: &Meter<'_>,
) -> Result<Shader, Error> {
    let ShaderOptions { defines, entry, precise, linked, variables, .. } = options;
    let sources = Sources::new(std::iter::once(text).chain(linked.iter().map(String::as_str)));
    let shading = ctm_compile::Options {
        defines: defines.clone(),
        entry: entry.clone(),
        precise: *precise,
        variables: *variables,
        sources: sources.starts.clone(),
    };
    let of_naga = if language == Language::Wgsl { ctm_compile::Language::Wgsl } else { ctm_compile::Language::Glsl };
    let compiled = ctm_compile::compile_within(&sources.text, of_naga, &shading, meter);
    let compiled = compiled.map_err(|error| match error.halt() {
        Some(halt) => Error::Halted(halt),
        None => {
            let (source, line) = sources.place(error.line());
            let name = if source == 0 { name.to_owned() } else { format!("<linked {}>", source - 1) };
            Error::Source { name, line, column: error.column(), message: error.to_string() }
        }
    })?;
    Ok(Shader::of(compiled, Vec::new(), sources, language, options))
}

#[cfg(not(feature = "shaders"))]
fn shading(_: &str, _: &str, language: Language, _: &ShaderOptions, _: &Meter<'_>) -> Result<Shader, Error> {
    Err(Error::NoCompiler { language })
}
