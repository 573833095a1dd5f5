//! Pixel shader text to programs of the CTM device.

use crate::backend::{Binding, generate_optimised};
use crate::compiled::Compiled;
use crate::front::ps::ast::{Dimension, Input, Shader, Usage};
use crate::front::ps::{Lowered, NotLowered, Options, Parsed, lower, parse};
use crate::front::{ColourOutput, Interface, Texture, TextureKind, Uniform, UniformKind, UniformPlace, Varying};
use crate::ir::{Function, Inst, Node, Op, Region};
use crate::opt::optimise_within;
use ctm_lane::budget::{Budget, Halt, Meter};
use ctm_text::{Cause, Diagnostic, Severity, Span};
use ctm_x1k::Program;
use std::collections::BTreeSet;

/// Constants that clients set are c0 to c223: what the compiler needs beside them comes after them, where no client writes.
const USER_CONSTANTS: usize = 224;
/// Integer constants of clients: i0 to i15.
const USER_INTEGERS: u8 = 16;

/// A compiled pixel shader.
#[derive(Clone, Debug)]
pub struct PixelShader {
    /// The program and its forms. Constants that the text defines keep their numbers, and are among the program's own if it reads
    /// them; the others are uniforms. Names are those of registers.
    pub compiled: Compiled,
    /// What may not be as it was meant.
    pub warnings: Vec<Diagnostic>,
}

/// Compiles the text of a pixel shader, versions 2.0 to 3.0. `name` is what diagnostics call it.
///
/// # Errors
/// Everything that is wrong with the text, or what of the program does not fit the machine.
///
/// # Panics
/// Never: nothing is cancelled here.
pub fn compile_pixel_shader(name: &str, text: &str, options: Options) -> Result<PixelShader, Vec<Diagnostic>> {
    compile_pixel_shader_within(name, text, options, &Meter::new(Budget::default(), None))
        .expect("a budget without a deadline has no end")
}

/// [`compile_pixel_shader`] within a budget of time, or until somebody cancels it. What is wrong with the text is the inner error.
///
/// # Errors
/// The budget is used up.
pub fn compile_pixel_shader_within(
    name: &str,
    text: &str,
    options: Options,
    meter: &Meter<'_>,
) -> Result<Result<PixelShader, Vec<Diagnostic>>, Halt> {
    let read = match read(name, text, options) {
        Ok(read) => read,
        Err(diagnostics) => return Ok(Err(diagnostics)),
    };
    let optimised = optimise_within(&read.1.function, meter)?;
    Ok(generate(read, optimised))
}

fn read(name: &str, text: &str, options: Options) -> Result<(Parsed, Lowered), Vec<Diagnostic>> {
    let parsed = parse(name, text)?;
    let lowered = lower(&parsed.shader, options).map_err(|error| {
        let line = match error {
            NotLowered::Counter { line, .. } | NotLowered::TooLong { line } | NotLowered::Directions { line, .. } => {
                line
            }
        };
        vec![about_line(&parsed, line, error.to_string())]
    })?;
    Ok((parsed, lowered))
}

fn generate((parsed, lowered): (Parsed, Lowered), optimised: Function) -> Result<PixelShader, Vec<Diagnostic>> {
    let binding = Binding {
        float_constants: USER_CONSTANTS,
        literals: lowered.literals.into_iter().collect(),
        int_constants: USER_INTEGERS,
        // The position lies in register 0, inputs follow it.
        varyings: varyings(&optimised).into_iter().zip(1..).collect(),
        position: 0,
        parts: Vec::new(),
    };
    let generated = generate_optimised(&optimised, &binding)
        .map_err(|unfit| vec![about_line(&parsed, unfit.line(), unfit.to_string())])?;
    let mut program = generated.program;
    for &(slot, register) in &binding.varyings {
        program.info.interpolants[usize::from(slot)] = Some(register);
    }
    let interface = interface(&parsed.shader, &program);
    interface.require_textures(&mut program.info);
    let read = lowered.function;
    let compiled = Compiled {
        program,
        lines: generated.lines,
        interface,
        variables: Vec::new(),
        warnings: Vec::new(),
        read,
        optimised,
    };
    Ok(PixelShader { compiled, warnings: parsed.cursor.diagnostics })
}

/// The registers that surround a program.
fn interface(shader: &Shader, program: &Program) -> Interface {
    let references = &program.references;
    let is_users = |index: &u8| usize::from(*index) < USER_CONSTANTS && !shader.floats.contains_key(&u16::from(*index));
    let uniform = |register: u8| Uniform {
        name: format!("c{register}"),
        kind: UniformKind::Float,
        columns: 1,
        rows: 4,
        elements: None,
        place: UniformPlace { register, channel: 0 },
        default: Vec::new(),
    };
    let texture = |&unit: &u8| {
        let kind = match shader.samplers.get(&u16::from(unit)) {
            None | Some(Dimension::Plane) => TextureKind::Plane,
            Some(Dimension::Volume) => TextureKind::Volume,
            Some(Dimension::Cube) => TextureKind::Cube,
        };
        Texture { name: format!("s{unit}"), unit, kind, sampled: true, size: None, levels: None }
    };
    let varying = |input: &Input| match input.usage {
        Usage::TexCoord(slot) if program.info.interpolants[usize::from(slot)].is_some() => {
            Some(Varying { name: input.register.to_string(), slot, slots: 1, channel: 0, channels: 4 })
        }
        Usage::TexCoord(_) | Usage::Colour(_) | Usage::Other(..) | Usage::Position | Usage::Face => None,
    };
    Interface {
        uniforms: references.float_constants.iter().copied().filter(is_users).map(uniform).collect(),
        textures: references.inputs.iter().map(texture).collect(),
        varyings: shader.inputs.values().filter_map(varying).collect(),
        outputs: (references.outputs.iter())
            .map(|&slot| ColourOutput { name: format!("oC{slot}"), slot, channels: 4 })
            .collect(),
        depth: references.cond_output,
        float_constants: USER_CONSTANTS as u16,
        is_bottom_up: false,
    }
}

/// An error at a line of the text; line 0 is all of it.
fn about_line(parsed: &Parsed, line: u32, message: String) -> Diagnostic {
    let file = parsed.cursor.origin(Span { file: 0, start: 0, end: 0 }).file;
    let begin = file.text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum::<usize>();
    let text = file.text[begin..].lines().next().unwrap_or_default();
    let indent = text.len() - text.trim_start().len();
    let span = if line == 0 { 0..0 } else { begin + indent..begin + text.trim_end().len().max(indent) };
    Diagnostic { cause: Cause::TooLong, severity: Severity::Error, file, span, message, help: None }
}

/// The interpolated inputs that a function reads.
fn varyings(function: &Function) -> BTreeSet<u8> {
    let mut slots = BTreeSet::new();
    visit(&function.body, &mut |inst| {
        if let Op::Varying { slot, .. } = inst.op {
            slots.insert(slot);
        }
    });
    slots
}

fn visit(region: &Region, look: &mut dyn FnMut(&Inst)) {
    for node in &region.nodes {
        match node {
            Node::Inst(inst) => look(inst),
            Node::If(choice) => {
                visit(&choice.then, look);
                visit(&choice.otherwise, look);
            }
            Node::Loop(repeat) => visit(&repeat.body, look),
        }
    }
}
