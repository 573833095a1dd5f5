//! The memory of a run: files into inputs, outputs into files.

use super::buffers::Buffer;
use super::inputs::{Inputs, Reader};
use super::is_bottom_up;
use crate::isa::x1k::options::X1kArgs;
use crate::options::RunArgs;
use crate::options::values::{Extent, InputSource};
use crate::report::Message;
use crate::run::{Memory, cut_output, no_such_output, not_an_output, once_each, output_files, require_inputs, unused};
use crate::{Console, Failure};
use ctm_array::FileSpec;
use ctm_compile::front::Interface;
use ctm_memory::{Format, Surface};
use ctm_x1k::{CondLocation, CondTest, Conditional, INPUTS, OUTPUTS, Program, WriteMode};
use std::collections::BTreeMap;

/// The surfaces of a run, and the files that outputs go to.
pub struct Data {
    /// What the surfaces lie in.
    pub memory: Memory,
    /// Inputs, filled.
    pub inputs: Inputs,
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
        buffers: &[Buffer],
        domain: Extent,
        console: &mut Console,
    ) -> Result<Self, Failure> {
        let reader = Reader { program, interface, buffer: None };
        let given = reader.given(args, buffers)?.inputs;
        let given = once_each("input", &given, INPUTS)?;
        let files = output_files(args, OUTPUTS)?;
        let formats = once_each("output", &args.output_formats, OUTPUTS)?;
        report_differences(args, x1k, program, domain, &given, &files, console)?;

        let mut memory = Memory::new(args, console.host);
        memory.set_bottom_up(is_bottom_up(args, interface));
        let mut inputs = Inputs::load(args, &reader, buffers, domain, &mut memory, console)?;
        let mut outputs = [None; OUTPUTS];
        let default_format = match program.info.write_mode {
            WriteMode::Cached => Format::Float32_4,
            WriteMode::Umrt => Format::Float32_1,
        };
        for number in 0..OUTPUTS as u8 {
            let file = files.get(&number).copied();
            if file.is_some() || program.references.outputs.contains(&number) {
                let format = formats.get(&number).map(|name| name.0);
                let name = format!("output {number}");
                let surface = memory.add_surface(console.host, name, file, domain, format, default_format)?;
                outputs[usize::from(number)] = Some(surface);
            }
        }
        for &(number, output) in &inputs.outputs {
            let surface = outputs.get(usize::from(output)).ok_or_else(|| not_an_output(output, OUTPUTS))?;
            inputs.surfaces[usize::from(number)] = Some(surface.ok_or_else(|| no_such_output(number, output))?);
        }
        let mut conditional = Conditional::default();
        if let Some(file) = &x1k.cond_output {
            let (name, format) = ("conditional value".into(), Format::Float32_1);
            conditional = Conditional {
                test: CondTest::Always,
                location: CondLocation::Dpp,
                write: true,
                surface: Some(memory.add_surface(console.host, name, Some(file), domain, Some(format), format)?),
                ..Conditional::default()
            };
        }
        Ok(Data { memory, inputs, outputs, conditional })
    }
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
