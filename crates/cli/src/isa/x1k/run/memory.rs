//! The memory of a run: files into inputs, outputs into files.

use super::sampling::{self, InputFile};
use crate::isa::x1k::options::X1kArgs;
use crate::isa::x1k::shader;
use crate::options::RunArgs;
use crate::options::values::{Extent, InputSource};
use crate::report::Message;
use crate::run::{
    Memory, TextureKind, TextureSpec, cut_output, no_such_output, not_an_output, once_each, output_files,
    require_inputs, unused,
};
use crate::{Console, Failure};
use ctm_array::{FileSpec, Shape};
use ctm_compile::front::Interface;
use ctm_memory::{Format, Surface};
use ctm_raster::sampler::TextureShape;
use ctm_x1k::{Body, CondLocation, CondTest, Conditional, Effects, INPUTS, InputSampler, OUTPUTS, Program, WriteMode};
use std::collections::BTreeMap;

/// The surfaces of a run, and the files that outputs go to.
pub struct Data {
    /// What the surfaces lie in.
    pub memory: Memory,
    /// Inputs, filled.
    pub inputs: [Option<Surface>; INPUTS],
    /// How they are sampled.
    pub samplers: [Option<InputSampler>; INPUTS],
    /// What they are as textures: columns, rows, depth and levels.
    pub sizes: [Option<TextureShape>; INPUTS],
    /// Outputs: those that the program writes, and those that files are to receive.
    pub outputs: [Option<Surface>; OUTPUTS],
    /// The conditional unit, which does nothing but write the values, if a file is to receive them.
    pub conditional: Conditional,
}

impl Data {
    /// Reads the inputs, makes surfaces for the outputs, and makes sure that their files can be written.
    pub fn prepare(
        args: &RunArgs,
        x1k: &X1kArgs,
        program: &Program,
        interface: Option<&Interface>,
        domain: Extent,
        console: &mut Console,
    ) -> Result<Self, Failure> {
        let (mut given, mut mips) = (args.numbered_inputs(), args.numbered_mips());
        if let Some(interface) = interface {
            given.extend(shader::numbered(interface, &args.inputs)?);
            mips.extend(shader::numbered(interface, &args.mips)?);
            shader::require_textures(interface, &given)?;
        }
        let inputs = once_each("input", &given, INPUTS)?;
        let outputs = output_files(args, OUTPUTS)?;
        let formats = once_each("output", &args.output_formats, OUTPUTS)?;
        report_differences(args, x1k, program, domain, &inputs, &outputs, console)?;

        let mut data = Data {
            memory: Memory::new(args, console.host),
            inputs: [None; INPUTS],
            samplers: Default::default(),
            sizes: [None; INPUTS],
            outputs: [None; OUTPUTS],
            conditional: Conditional::default(),
        };
        for (&number, source) in &inputs {
            let levels: Vec<&str> =
                mips.iter().filter(|mip| mip.number == number).map(|mip| mip.value.as_str()).collect();
            match source {
                InputSource::File(text) => data.load(number, text, &levels, program, interface, console)?,
                InputSource::Made(generator) if levels.is_empty() => {
                    shader::require_kind(interface, number, &generator.to_string(), TextureKind::D2, domain.height)?;
                    let (surface, Shape { width, height, .. }) = data.memory.make(*generator, domain)?;
                    let shape = TextureShape::flat(width as u32, height as u32);
                    data.inputs[usize::from(number)] = Some(surface);
                    data.sizes[usize::from(number)] = Some(shape);
                    if interface.is_none() && surface.pitch as usize != width && looks_up_scaled(program, number) {
                        console.report(&widened(number, width, surface.pitch));
                    }
                }
                InputSource::Output(output) if levels.is_empty() => {
                    shader::require_kind(interface, number, &format!("@{output}"), TextureKind::D2, domain.height)?;
                }
                InputSource::Made(_) | InputSource::Output(_) => {
                    let message = format!("input {number} has a further level, but is not a file");
                    return Err(Failure::Usage(Message::error(message).help("leave --mip out, or give a file")));
                }
            }
        }
        if let Some(mip) = mips.iter().find(|mip| !inputs.contains_key(&mip.number)) {
            let message = format!("input {} has a further level, but no first one", mip.number);
            let help = format!("give it with --input {}=FILE", mip.number);
            return Err(Failure::Usage(Message::error(message).help(help)));
        }
        let default_format = match program.info.write_mode {
            WriteMode::Cached => Format::Float32_4,
            WriteMode::Umrt => Format::Float32_1,
        };
        for number in 0..OUTPUTS as u8 {
            let file = outputs.get(&number).copied();
            if file.is_some() || program.references.outputs.contains(&number) {
                let format = formats.get(&number).map(|name| name.0);
                let name = format!("output {number}");
                let surface = data.memory.add_surface(console.host, name, file, domain, format, default_format)?;
                data.outputs[usize::from(number)] = Some(surface);
            }
        }
        for (&number, source) in &inputs {
            if let InputSource::Output(output) = **source {
                let surface = data.outputs.get(usize::from(output)).ok_or_else(|| not_an_output(output, OUTPUTS))?;
                data.inputs[usize::from(number)] = Some(surface.ok_or_else(|| no_such_output(number, output))?);
            }
        }
        if let Some(file) = &x1k.cond_output {
            let (name, format) = ("conditional value".into(), Format::Float32_1);
            data.conditional = Conditional {
                test: CondTest::Always,
                location: CondLocation::Dpp,
                write: true,
                surface: Some(data.memory.add_surface(console.host, name, Some(file), domain, Some(format), format)?),
                ..Conditional::default()
            };
        }
        Ok(data)
    }
}

impl Data {
    /// Reads the file of an input, and those of further levels.
    fn load(
        &mut self,
        number: u8,
        text: &str,
        levels: &[&str],
        program: &Program,
        interface: Option<&Interface>,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let file = InputFile::parse(text)?;
        let first = file.spec.load(console.host, &mut self.memory, None)?;
        let [width, height, _] = first.size;
        shader::require_kind(interface, number, &file.spec.file.path.display().to_string(), first.kind, height)?;
        let shape = sampling::shape(&first, levels.len());
        let padded = first.surface.pitch != width && looks_up_scaled(program, number);
        // A shader's coordinates are parts of the picture, not of the memory that it lies in.
        let is_texture = file.spec.kind.is_some()
            || first.kind != TextureKind::D2
            || !levels.is_empty()
            || padded && interface.is_some();
        if is_texture {
            let mut sampler = file.sampler(first.kind)?;
            let mut surfaces = Vec::new();
            for (level, &text) in (1..).zip(levels) {
                let spec = TextureSpec::parse(text)?;
                let found = spec.load(console.host, &mut self.memory, Some(first.kind))?;
                let what = format!("level {level} of input {number}");
                found.require(&sampling::expected(&first, &shape, level), text, &what)?;
                surfaces.push(found.surface);
            }
            if !levels.is_empty() {
                sampler = sampler.between_levels();
            }
            self.samplers[usize::from(number)] = Some(InputSampler { sampler, shape, levels: surfaces });
        } else if padded {
            console.report(&widened(number, width as usize, first.surface.pitch));
        }
        self.inputs[usize::from(number)] = Some(first.surface);
        self.sizes[usize::from(number)] = Some(shape);
        Ok(())
    }
}

/// True if some lookup in this input has its coordinates multiplied by the size of the surface.
fn looks_up_scaled(program: &Program, input: u8) -> bool {
    program.code.iter().any(|instruction| {
        let scaled = matches!(&instruction.body, Body::Tex(tex) if !tex.unscaled);
        scaled && Effects::of(instruction, program.info.write_mode).input == Some(input)
    })
}

fn widened(input: u8, width: usize, pitch: u32) -> Message {
    Message::warning(format!(
        "input {input} is {width} elements wide, but its surface {pitch}: lookups scale their coordinates by {pitch}"
    ))
    .help("use a width that is a multiple of 32 bytes (tiled: of a tile), or coordinates in elements (UNSCALED)")
}

/// Compares what the program reads and writes with what the command line gives. A missing input is an error.
fn report_differences(
    args: &RunArgs,
    x1k: &X1kArgs,
    program: &Program,
    domain: Extent,
    inputs: &BTreeMap<u8, &InputSource>,
    outputs: &BTreeMap<u8, &FileSpec>,
    console: &mut Console,
) -> Result<(), Failure> {
    let uses = &program.references;
    require_inputs(&uses.inputs, inputs, console)?;
    let formats = args.output_formats.iter().map(|format| &format.number);
    let is_output = |number| outputs.contains_key(&number) || uses.outputs.contains(&number);
    unused("the format of output", "write", formats, is_output, console);
    for (number, file) in outputs.iter().filter(|(number, _)| !uses.outputs.contains(number)) {
        let file = file.path.display();
        let message = format!("the program does not write output {number}; '{file}' receives what it held before");
        console.report(&Message::warning(message));
    }
    // With write mode UMRT the program says itself where it writes.
    if program.info.write_mode == WriteMode::Cached {
        let cut = outputs.iter().filter_map(|(&number, file)| cut_output(number, file, domain));
        cut.for_each(|message| console.report(&message));
    }
    if x1k.cond_output.is_some() && !uses.cond_output {
        console.report(&Message::warning("the program writes no conditional value; it is 0 everywhere"));
    }
    Ok(())
}
