//! The memory of a run: files into inputs, outputs into files.

use super::sampling;
use crate::isa::x1k::options::X1kArgs;
use crate::isa::x1k::shader;
use crate::options::RunArgs;
use crate::options::values::{Extent, InputSource};
use crate::report::Message;
use crate::run::{Memory, cut_output, no_such_output, not_an_output, once_each, output_files, require_inputs, unused};
use crate::{Console, Failure};
use ctm_array::FileSpec;
use ctm_compile::front::Interface;
use ctm_memory::{Format, Surface};
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
    /// Columns and rows of what they were filled with.
    pub sizes: [Option<[u32; 2]>; INPUTS],
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
        let mut given = args.numbered_inputs();
        if let Some(interface) = interface {
            given.extend(shader::inputs(interface, args)?);
            shader::require_textures(interface, &given)?;
        }
        let inputs = once_each("input", &given, INPUTS)?;
        let outputs = output_files(args, OUTPUTS)?;
        let formats = once_each("output", &args.output_formats, OUTPUTS)?;
        report_differences(args, x1k, program, domain, &inputs, &outputs, console)?;

        let mut data = Data {
            memory: Memory::new(args, console.host),
            inputs: [None; INPUTS],
            samplers: [None; INPUTS],
            sizes: [None; INPUTS],
            outputs: [None; OUTPUTS],
            conditional: Conditional::default(),
        };
        for (&number, source) in &inputs {
            let (surface, shape, sampler) = match source {
                InputSource::File(text) => {
                    let sampler = sampling::sampler(text)?;
                    let (surface, shape) = data.memory.load(console.host, sampling::file(text))?;
                    (surface, shape, sampler)
                }
                InputSource::Made(generator) => {
                    let (surface, shape) = data.memory.make(*generator, domain)?;
                    (surface, shape, None)
                }
                InputSource::Output(_) => continue,
            };
            data.inputs[usize::from(number)] = Some(surface);
            let size = [shape.width as u32, shape.height as u32];
            data.sizes[usize::from(number)] = Some(size);
            let padded = surface.pitch as usize != shape.width && looks_up_scaled(program, number);
            // A shader's coordinates are parts of the picture, not of the memory that it lies in.
            let sampler = match sampler {
                None if padded && interface.is_some() => sampling::sampler(":2d")?,
                given => given,
            };
            data.samplers[usize::from(number)] = sampler.map(|sampler| InputSampler { sampler, size });
            if sampler.is_none() && padded {
                console.report(&widened(number, shape.width, surface.pitch));
            }
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
