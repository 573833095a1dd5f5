//! Shaders in source, which are compiled when they are loaded: their textures and uniforms have names.

use super::file_of;
use crate::execution::{Execution, NamedFiles};
use crate::isa::{OwnCommand, output_path};
use crate::options::values::{Extent, InputSource, Name, Numbered};
use crate::options::{BudgetArgs, RunArgs, Uniform};
use crate::outputs::{Form, Sink};
use crate::report::{Location, Message};
use crate::wording::one_line;
use crate::{Console, Failure, source};
use clap::{Args, ValueEnum, ValueHint};
use ctm_compile::front::naga::{Interface, UniformKind, UniformPlace};
pub use ctm_compile::{Compiled, Language, Options};
use ctm_text::{Origin, SourceFile, nearest};
use ctm_x1k::{Constants, INPUTS, text};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The language of a source, which its name shows.
pub fn language(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()? {
        "frag" | "glsl" | "fs" | "fsh" => Some(Language::Glsl),
        "wgsl" => Some(Language::Wgsl),
        _ => None,
    }
}

/// Compiles a source. Also gives the place of each instruction in it.
///
/// # Errors
/// The source is wrong, or its program does not fit the machine.
pub fn compile(source: SourceFile, language: Language, options: &Options) -> Result<(Compiled, Vec<Origin>), Failure> {
    let file = Arc::new(source);
    let starts: Vec<usize> = std::iter::once(0).chain(file.text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |number: u32| {
        let start = starts[(number.max(1) as usize - 1).min(starts.len() - 1)];
        let text = file.text[start..].lines().next().unwrap_or_default();
        let indent = text.len() - text.trim_start().len();
        (start, indent, text.trim_end().len().max(indent))
    };
    let origin = |number: u32| {
        let (start, indent, end) = line(number);
        Origin { file: file.clone(), span: start + indent..start + end }
    };
    let compiled = ctm_compile::compile(&file.text, language, options).map_err(|error| {
        let message = Message::error(error.to_string());
        message.at(match (error.line(), error.column()) {
            (0, _) => Location::File(file.name.clone()),
            (number, 0) => Location::Text(origin(number)),
            (number, column) => {
                let (start, _, end) = line(number);
                let text = &file.text[start..start + end];
                let at = text.char_indices().nth(column as usize - 1).map_or(text.len(), |(at, _)| at);
                let rest =
                    text[at..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(end, |length| at + length);
                Location::Text(Origin { file: file.clone(), span: start + at..start + rest.max(at) })
            }
        })
    })?;
    let origins = compiled.lines.iter().map(|&number| origin(number)).collect();
    Ok((compiled, origins))
}

/// A message about a name that a shader does not have.
fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> Failure {
    let known: Vec<_> = known.collect();
    let message = Message::error(format!("the shader uses no {what} '{name}'"));
    Failure::Usage(match nearest(name, known.iter().copied()) {
        Some(near) => message.help(format!("it has '{near}'")),
        None if known.is_empty() => message.help(format!("it uses no {what} at all")),
        None => message.help(format!("it has {}", known.join(", "))),
    })
}

/// Inputs that are called by the names of textures.
///
/// # Errors
/// There is no such texture.
pub fn inputs(interface: &Interface, args: &RunArgs) -> Result<Vec<Numbered<InputSource, 256>>, Failure> {
    let mut inputs = Vec::new();
    for input in &args.inputs {
        if let Name::Word(name) = &input.name {
            let textures = &interface.textures;
            let Some(texture) = textures.iter().find(|texture| texture.name == *name) else {
                return Err(unknown("texture", name, textures.iter().map(|texture| texture.name.as_str())));
            };
            inputs.push(Numbered { number: texture.unit, value: input.value.clone() });
        }
    }
    Ok(inputs)
}

/// Sets the constants of all uniforms: those of the command line, those that the source gives a value, sizes of textures,
/// Shadertoy's `iResolution`. The others are zero. Also gives the places of those that differ from frame to frame.
///
/// # Errors
/// A uniform of the command line is none of the shader, or its value is not of its type.
pub fn fill(
    interface: &Interface,
    constants: &mut Constants,
    args: &RunArgs,
    domain: Extent,
    sizes: &[Option<[u32; 2]>; INPUTS],
    console: &mut Console,
) -> Result<Vec<(usize, usize, Uniform)>, Failure> {
    let mut varying = Vec::new();
    let mut given = BTreeSet::new();
    for uniform in &interface.uniforms {
        let resolution = [domain.width as f32, domain.height as f32, 1.0];
        if !uniform.default.is_empty() {
            set(constants, uniform, &uniform.default);
        } else if uniform.name == "iResolution" && (uniform.columns, uniform.rows) == (1, 3) {
            set(constants, uniform, &resolution);
            given.insert(uniform.name.as_str());
        } else if uniform.name == "iChannelResolution" {
            let sizes = sizes[..4].iter().map(|size| size.unwrap_or([0, 0]));
            let values: Vec<f32> = sizes.flat_map(|[width, height]| [width as f32, height as f32, 1.0]).collect();
            set(constants, uniform, &values);
            given.insert(uniform.name.as_str());
        }
    }
    for texture in &interface.textures {
        if let (Some((register, channel)), Some(size)) = (texture.size, sizes[usize::from(texture.unit)]) {
            for (i, side) in size.into_iter().enumerate() {
                constants.floats[usize::from(register)][usize::from(channel) + i] = (side as f32).to_bits();
            }
        }
    }
    for text in &args.frames.uniforms {
        let Some((name, value)) = text.split_once('=').filter(|(name, _)| name.parse::<u8>().is_err()) else {
            continue;
        };
        let uniforms = &interface.uniforms;
        let Some(uniform) = uniforms.iter().find(|uniform| uniform.name == name) else {
            return Err(unknown("uniform", name, uniforms.iter().map(|uniform| uniform.name.as_str())));
        };
        given.insert(uniform.name.as_str());
        let wrong = |message: String| Failure::Usage(Message::error(format!("--uniform {text}: {message}")));
        if let Ok(by_frame) = value.parse::<Uniform>() {
            if uniform.columns * uniform.rows != 1 || uniform.elements.is_some() {
                return Err(wrong("only single numbers can differ from frame to frame".into()));
            }
            varying.push((usize::from(uniform.place.register), usize::from(uniform.place.channel), by_frame));
            continue;
        }
        let count = usize::from(uniform.columns) * usize::from(uniform.rows) * uniform.elements.unwrap_or(1) as usize;
        let number = |word: &str| match word.trim() {
            "true" => Ok(1.0),
            "false" => Ok(0.0),
            word => word.parse::<f32>().map_err(|_| wrong(format!("'{word}' is no number"))),
        };
        let mut values = value.split(',').map(number).collect::<Result<Vec<f32>, _>>()?;
        if let [single] = *values {
            values = vec![single; count];
        }
        if values.len() != count {
            return Err(wrong(format!("'{name}' takes {count} numbers with commas between, not {}", values.len())));
        }
        if uniform.kind != UniformKind::Float && values.iter().any(|value| value.fract() != 0.0) {
            return Err(wrong(format!("'{name}' takes whole numbers")));
        }
        set(constants, uniform, &values);
    }
    let missing = interface.uniforms.iter().filter(|uniform| uniform.default.is_empty());
    let missing: Vec<_> = missing.map(|uniform| uniform.name.as_str()).filter(|name| !given.contains(name)).collect();
    if let Some(first) = missing.first() {
        let names = missing.join(", ");
        let message =
            Message::warning(format!("no value is given for the uniforms of the shader: {names}; they are 0"));
        console.report(&message.help(format!("add --uniform {first}=VALUE")));
    }
    Ok(varying)
}

/// Sets a uniform: one number for each channel, column and element.
fn set(constants: &mut Constants, uniform: &ctm_compile::front::naga::Uniform, values: &[f32]) {
    let UniformPlace { register, channel } = uniform.place;
    for (i, column) in values.chunks(usize::from(uniform.rows)).enumerate() {
        for (k, value) in column.iter().enumerate() {
            constants.floats[usize::from(register) + i][usize::from(channel) + k] = value.to_bits();
        }
    }
}

/// `ctm compile`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm compile plasma.frag                      writes plasma.elf
  ctm compile plasma.frag -o plasma.u32        writes the instruction words alone
  ctm compile blur.wgsl --emit asm             prints the program with the lines that it comes from
  ctm compile blur.frag -D RADIUS=3 --emit ir  prints the shader as the compiler reads it

'ctm run SHADER' compiles a shader and runs it. GLSL is that of fragment shaders of all versions (.frag, .glsl, .fs), and
Shadertoy's mainImage.")]
pub struct CompileArgs {
    /// Shader: GLSL (.frag, .glsl, .fs, .fsh) or WGSL (.wgsl)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub source: PathBuf,
    /// Program to be written [default: beside the source, with .elf]
    #[arg(short = 'o', long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Write no program, but print a stage on the way to it
    #[arg(long, value_name = "STAGE", conflicts_with = "output")]
    pub emit: Option<Stage>,
    /// Macro that GLSL starts with
    #[arg(short = 'D', long = "define", value_name = "NAME[=TEXT]")]
    pub defines: Vec<String>,
    /// Entry point, where WGSL has several for fragments
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    #[arg(skip)]
    budget: BudgetArgs,
}

/// `--emit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Where uniforms, textures, inputs and outputs are
    Interface,
    /// The function as it was read
    Ir,
    /// The function as machine code is made of it
    Opt,
    /// The program, with the lines of the source
    Asm,
}

impl Execution for CompileArgs {
    fn is_sandboxed(&self) -> bool {
        false
    }

    fn is_json(&self) -> bool {
        false
    }

    fn budget(&self) -> &BudgetArgs {
        &self.budget
    }

    fn files(&self) -> NamedFiles {
        let mut files = NamedFiles::default();
        files.read([&self.source]);
        files.write(&self.output);
        files
    }
}

impl OwnCommand for CompileArgs {
    fn execute(&self, console: &mut Console) -> Result<(), Failure> {
        let source = source::text_file(console.host, &self.source)?;
        let Some(language) = language(&self.source) else {
            let message = Message::error(format!("the name of '{}' does not say its language", source.name));
            return Err(Failure::Usage(
                message.help("names of GLSL end in .frag, .glsl, .fs or .fsh, those of WGSL in .wgsl"),
            ));
        };
        let define = |text: &String| {
            let (name, value) = text.split_once('=').unwrap_or((text, "1"));
            (name.to_owned(), value.to_owned())
        };
        let options = Options { defines: self.defines.iter().map(define).collect(), entry: self.entry.clone() };
        let (compiled, origins) = compile(source, language, &options)?;
        let Some(stage) = self.emit else {
            let path = output_path(&self.source, self.output.as_deref(), "elf");
            let bytes = file_of(&compiled.program, &path, console);
            if source::is_standard(&path) {
                return Ok(console.out.write_all(&bytes)?);
            }
            return Sink::store(Form::Program, [(&*path, &*bytes)], console);
        };
        let text = match stage {
            Stage::Interface => described(&compiled.interface),
            Stage::Ir => compiled.read.to_string(),
            Stage::Opt => compiled.optimised.to_string(),
            Stage::Asm => listing(&compiled, &origins),
        };
        Ok(console.out.write_all(text.as_bytes())?)
    }
}

/// The program, with a comment in front of the instructions of each line of the source.
fn listing(compiled: &Compiled, origins: &[Origin]) -> String {
    let mut out = String::new();
    let mut last = 0;
    for (at, (&line, origin)) in compiled.lines.iter().zip(origins).enumerate() {
        if line != last && line != 0 {
            out += &format!("-- {line}: {}\n", &origin.file.text[origin.span.clone()]);
            last = line;
        }
        out += &format!("{}\n", one_line(&text::print_instruction_at(&compiled.program, at)));
    }
    out
}

/// One line for everything that surrounds a shader.
fn described(interface: &Interface) -> String {
    let mut out = String::new();
    for uniform in &interface.uniforms {
        let kind = match uniform.kind {
            UniformKind::Float => "float",
            UniformKind::Int => "int",
            UniformKind::Uint => "uint",
            UniformKind::Bool => "bool",
        };
        let shape = match (uniform.columns, uniform.rows) {
            (1, 1) => kind.to_owned(),
            (1, rows) => format!("{kind} x{rows}"),
            (columns, rows) => format!("{kind} {columns}x{rows}"),
        };
        let elements = uniform.elements.map_or_else(String::new, |count| format!(" [{count}]"));
        let UniformPlace { register, channel } = uniform.place;
        let channel = ["r", "g", "b", "a"][usize::from(channel) % 4];
        out += &format!("uniform {}: {shape}{elements}, c{register}.{channel}\n", uniform.name);
    }
    for texture in &interface.textures {
        out += &format!("texture {}: tex[{}]\n", texture.name, texture.unit);
    }
    for varying in &interface.varyings {
        out += &format!(
            "varying {}: slot {}, {} of {} channels\n",
            varying.name, varying.slot, varying.slots, varying.channels
        );
    }
    for output in &interface.outputs {
        out += &format!("output {}: {}, {} channels\n", output.name, output.slot, output.channels);
    }
    if interface.depth {
        out += "output depth: the conditional value\n";
    }
    out
}
