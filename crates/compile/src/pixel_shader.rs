//! Pixel shader text to programs of the CTM device.

use crate::backend::{Binding, generate_optimised};
use crate::front::ps::{NotLowered, Options, Parsed, lower, parse};
use crate::ir::{Function, Inst, Node, Op, Region};
use crate::opt::optimise;
use ctm_text::{Cause, Diagnostic, Severity, Span};
use ctm_x1k::Program;
use std::collections::BTreeSet;

/// Constants that clients set are c0 to c223: what the compiler needs beside them comes behind, where no client writes.
const USER_CONSTANTS: usize = 224;
/// Integer constants of clients: i0 to i15.
const USER_INTEGERS: u8 = 16;

/// A compiled pixel shader.
#[derive(Clone, Debug)]
pub struct PixelShader {
    /// The program. Constants that the text defines keep their numbers, and are among its own if it reads them.
    pub program: Program,
    /// The line of the text that each instruction comes from, from 1; 0 if it has none.
    pub lines: Vec<u32>,
    /// What may not be as it was meant.
    pub warnings: Vec<Diagnostic>,
}

/// Compiles the text of a pixel shader, versions 2.0 to 3.0. `name` is what diagnostics call it.
///
/// # Errors
/// Everything that is wrong with the text, or what of the program does not fit the machine.
pub fn compile_pixel_shader(name: &str, text: &str, options: Options) -> Result<PixelShader, Vec<Diagnostic>> {
    let parsed = parse(name, text)?;
    let lowered = lower(&parsed.shader, options).map_err(|error| {
        let line = match error {
            NotLowered::Counter { line, .. } | NotLowered::TooLong { line } => line,
        };
        vec![about_line(&parsed, line, error.to_string())]
    })?;
    let function = optimise(&lowered.function);
    let slots = varyings(&function);
    let binding = Binding {
        float_constants: USER_CONSTANTS,
        literals: lowered.literals.into_iter().collect(),
        int_constants: USER_INTEGERS,
        // The position lies in register 0, inputs follow it.
        varyings: slots.iter().zip(1..).map(|(&slot, register)| (slot, register)).collect(),
        position: 0,
    };
    let generated = generate_optimised(&function, &binding)
        .map_err(|unfit| vec![about_line(&parsed, unfit.line(), unfit.to_string())])?;
    let mut program = generated.program;
    for &(slot, register) in &binding.varyings {
        program.info.interpolants[usize::from(slot)] = Some(register);
    }
    Ok(PixelShader { program, lines: generated.lines, warnings: parsed.cursor.diagnostics })
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
