//! `ctm compile`.

use super::{Options, compile, read_linked, understood};
use crate::execution::{Execution, NamedFiles};
use crate::isa::x1k::file_of;
use crate::isa::{IsaChoice, IsaCommand, language_of, mistaken, output_path, unrecognised};
use crate::options::{BudgetArgs, Size, TimeLimit};
use crate::outputs::{OutputKind, Sink};
use crate::report::{Location, Message};
use crate::wording::one_line;
use crate::{Console, Failure, source};
use clap::{Args, ValueEnum, ValueHint};
use ctm_compile::Compiled;
use ctm_compile::front::{Interface, TextureKind, UniformKind, UniformPlace};
use ctm_object::probe::{Content, Language};
use ctm_object::{d3d9, probe};
use ctm_text::{Origin, SourceFile};
use ctm_x1k::text;
use std::path::PathBuf;

/// `ctm compile`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm compile plasma.frag                      writes plasma.elf
  ctm compile plasma.frag -o plasma.u32        writes the instruction words alone
  ctm compile blur.wgsl --emit asm             prints the program with the lines that it comes from
  ctm compile blur.frag -D RADIUS=3 --emit ir  prints the shader as the compiler reads it
  ctm compile main.frag light.frag             two sources of one shader: main.frag calls functions that light.frag has
  ctm compile sum.ps --texel-coordinates       a pixel shader of a CTM client: coordinates of lookups count texels

'ctm run SHADER' compiles a shader and runs it. GLSL is that of fragment shaders of all versions (.frag, .glsl, .fs), and
Shadertoy's mainImage; pixel shaders are assembly text of Direct3D 9, versions 2.0 to 3.0 (.ps).")]
pub struct CompileArgs {
    /// Shader: GLSL (.frag, .glsl, .fs, .fsh), WGSL (.wgsl) or a pixel shader of Direct3D 9, as text (.ps, .psh) or code
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub source: PathBuf,
    /// Further sources of the same GLSL shader, linked as OpenGL does it
    #[arg(value_name = "MORE", value_hint = ValueHint::FilePath)]
    pub more: Vec<PathBuf>,
    /// Language of the shader [default: what its name or its text shows]
    #[arg(long, value_name = "LANGUAGE", value_parser = IsaChoice::parser())]
    pub isa: Option<IsaChoice>,
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
    /// In a pixel shader, coordinates of lookups count texels, as CTM's clients expect, instead of going from 0 to 1
    #[arg(long)]
    pub texel_coordinates: bool,
    /// Calculate in the order of the source, each operation rounded, as for 'precise' variables of GLSL
    #[arg(long)]
    pub precise: bool,
    /// Seconds after which compiling ends without a program [default: none]
    #[arg(long, value_name = "SECONDS|none")]
    pub timeout: Option<TimeLimit>,
    /// Memory that compiling may take: bytes, or a number with K, M or G [default: 4G, or half of what this machine has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    #[arg(skip)]
    budget: BudgetArgs,
}

/// `--emit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Where uniforms, textures, inputs and outputs are
    Interface,
    /// What the reader of the language understood: a module of naga, as WGSL, or a pixel shader's assembly
    Ast,
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
        files.read(&self.more);
        files.write(&self.output);
        files
    }
}

impl CompileArgs {
    /// The source, as text, and its language.
    fn read(&self, console: &Console) -> Result<(SourceFile, Language), Failure> {
        let name = source::name(&self.source);
        let bytes = source::read(console.host, &self.source)?;
        if probe(&bytes) == Content::PixelShaderCode {
            let wrong = |error: d3d9::CodeError| Message::error(error.to_string()).at(Location::File(name.clone()));
            let text = d3d9::read(&bytes).map_err(wrong)?;
            return Ok((SourceFile { name: format!("text of {name}"), text }, Language::PixelShader));
        }
        let text = source::text(&self.source, bytes)?;
        source::require_short(&self.source, &text)?;
        let source = SourceFile { name, text };
        let content = probe(source.text.as_bytes());
        let language = language_of(&self.source, content, self.isa);
        let language =
            language.ok_or_else(|| mistaken(&source, Language::Glsl).unwrap_or_else(|| unrecognised(&source)))?;
        Ok((source, language))
    }
}

impl IsaCommand for CompileArgs {
    fn execute(&self, console: &mut Console) -> Result<(), Failure> {
        let (source, language) = self.read(console)?;
        let linked = read_linked(&self.more, console)?;
        let define = |text: &String| {
            let (name, value) = text.split_once('=').unwrap_or((text, "1"));
            (name.to_owned(), value.to_owned())
        };
        let options = Options {
            shading: ctm_compile::Options {
                defines: self.defines.iter().map(define).collect(),
                entry: self.entry.clone(),
                precise: self.precise,
                ..ctm_compile::Options::default()
            },
            linked,
            texel_coordinates: self.texel_coordinates,
            limits: BudgetArgs { timeout: self.timeout, memory: self.memory, ..BudgetArgs::default() }
                .limits(console.host),
        };
        options.require_meaning(Some(language))?;
        if self.emit == Some(Stage::Ast) {
            return Ok(console.out.write_all(understood(source, language, &options, console)?.as_bytes())?);
        }
        let (compiled, origins) = compile(source, language, &options, console)?;
        let Some(stage) = self.emit else {
            let path = output_path(&self.source, self.output.as_deref(), "elf");
            let bytes = file_of(&compiled.program, &path, console);
            if source::is_standard(&path) {
                return Ok(console.out.write_all(&bytes)?);
            }
            return Sink::store(OutputKind::Program, [(&*path, &*bytes)], console);
        };
        let text = match stage {
            Stage::Interface => described(&compiled.interface),
            Stage::Ast => unreachable!("it needs no program"),
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
    let first = origins.first().map(|origin| origin.file.clone());
    for (at, (&line, origin)) in compiled.lines.iter().zip(origins).enumerate() {
        if line != last && line != 0 {
            // Further sources are named, and have lines of their own.
            let file = Some(&origin.file).filter(|file| first.as_ref().is_some_and(|first| first.name != file.name));
            let name = file.map_or_else(String::new, |file| format!("{}:", file.name));
            let number = origin.file.text[..origin.span.start].matches('\n').count() + 1;
            out += &format!("-- {name}{number}: {}\n", &origin.file.text[origin.span.clone()]);
            last = line;
        }
        out += &format!("{}\n", one_line(&text::print_instruction_at(&compiled.program, at)));
    }
    out
}

/// One line for everything that surrounds a shader.
fn described(interface: &Interface) -> String {
    let mut out = String::new();
    let channels = |count: u8| if count == 1 { "1 channel".to_owned() } else { format!("{count} channels") };
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
        let kind = match texture.kind {
            TextureKind::Line => ", one direction",
            TextureKind::Plane => "",
            TextureKind::Rectangle => ", coordinates in texels",
            TextureKind::Volume => ", a volume",
            TextureKind::Cube => ", a cube",
        };
        out += &format!("texture {}: tex[{}]{kind}\n", texture.name, texture.unit);
    }
    for varying in &interface.varyings {
        let slots = match varying.slots {
            1 => format!("slot {}", varying.slot),
            count => format!("slots {} to {}", varying.slot, varying.slot + count.saturating_sub(1)),
        };
        let each = if varying.slots > 1 { " each" } else { "" };
        let from = if varying.channel > 0 { format!(" from channel {}", varying.channel) } else { String::new() };
        out += &format!("varying {}: {slots}, {}{from}{each}\n", varying.name, channels(varying.channels));
    }
    for output in &interface.outputs {
        out += &format!("output {}: {}, {}\n", output.name, output.slot, channels(output.channels));
    }
    if interface.depth {
        out += "output depth: the conditional value\n";
    }
    out
}
