//! Programs and instructions to text that reads as the same program.

mod instruction;
mod outline;

use crate::instruction::{Body, Flow, Instruction};
use crate::program::{Program, ProgramInfo, References, TEMPS, WriteMode};
use crate::sampled::texture_kind_name;
use ctm_text::spell_float;
use instruction::parts;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What to add to a printed program, as comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintOptions {
    /// The address of each instruction.
    pub addresses: bool,
    /// The six dwords of each instruction.
    pub words: bool,
}

/// Spells one instruction, in one line or a few. Jumps go to numbers.
///
/// ```
/// use ctm_x1k::{Instruction, text::print_instruction};
/// let words = [0x0000_4000, 0x0802_0000, 0x0802_0080, 0x0092_0490, 0x0084_001A, 0x2049_0000];
/// assert_eq!(
///     print_instruction(&Instruction::decode(&words)),
///     "src0.rgb = temp[0] : MAD src0.000 src0.000 src0.000, temp[1].a = RCP |src0.r| src0.0 src0.0 ;"
/// );
/// ```
pub fn print_instruction(instruction: &Instruction) -> String {
    spell(instruction, WriteMode::Cached, None)
}

/// Spells a program: directives, constants, labels, instructions.
///
/// The text reads as an equal program as long as the program information fits its fields ([`ProgramInfo`]).
pub fn print_program(program: &Program) -> String {
    print_program_with(program, &PrintOptions::default())
}

/// [`print_program`] with comments.
pub fn print_program_with(program: &Program, options: &PrintOptions) -> String {
    let mut text = String::new();
    let mut directives = directives(program);
    if !directives.is_empty() {
        directives.push(String::new());
    }
    for line in directives {
        text.push_str(&line);
        text.push('\n');
    }
    let labels = labels(program);
    let mut depth: usize = 0;
    for (at, instruction) in program.code.iter().enumerate() {
        if labels.contains(&at) {
            writeln!(text, "{}:", label(at)).expect("writing to a string");
        }
        let outline = outline::outline(instruction);
        let indent = "  ".repeat(depth.saturating_sub(outline.dedent).min(DEEPEST_INDENT));
        depth = (depth.saturating_sub(outline.dedent)).saturating_add(outline.indent);
        if options.addresses || options.words {
            text.push_str(&indent);
            text.push_str("--");
            if options.addresses {
                write!(text, " {at}").expect("writing to a string");
            }
            if options.words {
                let words = instruction.encode().map(|word| format!("{word:08X}")).join(" ");
                write!(text, "{} {words}", if options.addresses { ":" } else { "" }).expect("writing to a string");
            }
            text.push('\n');
        }
        for line in spell_of(program, instruction, &labels).lines() {
            text.push_str(&indent);
            text.push_str(line);
            text.push('\n');
        }
    }
    if labels.contains(&program.code.len()) {
        writeln!(text, "{}:", label(program.code.len())).expect("writing to a string");
    }
    text
}

/// Spells an instruction of a program as [`print_program`] does: label L12 is the instruction at address 12.
///
/// # Panics
/// If there is no instruction at this address.
pub fn print_instruction_at(program: &Program, at: usize) -> String {
    spell_of(program, &program.code[at], &labels(program))
}

fn spell_of(program: &Program, instruction: &Instruction, labels: &BTreeSet<usize>) -> String {
    let target = target(program, instruction).filter(|place| labels.contains(place)).map(label);
    let spelled = spell(instruction, program.info.write_mode, target.as_deref());
    match outline::outline(instruction).statement {
        Some(statement) => format!("{spelled}  -- {statement}"),
        None => spelled,
    }
}

const DEEPEST_INDENT: usize = 12;

/// Spells an instruction; what the language has no words for is added by field name, or all of it is given as dwords.
fn spell(instruction: &Instruction, write_mode: WriteMode, target: Option<&str>) -> String {
    let words = instruction.encode();
    let raw = || format!("RAW {} ;", words.map(|word| format!("{word:#010X}").replace("0X", "0x")).join(" "));
    if instruction.reserved != [0; 6] {
        return raw();
    }
    let numbered = parts(instruction, write_mode, None);
    let Some(read) = super::assemble::single(&numbered.layout()) else { return raw() };
    let mut parts = if target.is_some() { parts(instruction, write_mode, target) } else { numbered };
    let read_words = read.encode();
    for field in instruction.fields() {
        let value = field.get(&words);
        if value != field.get(&read_words) {
            parts.header.push(format!("@{} = {value}", field.name));
        }
    }
    parts.layout()
}

fn label(place: usize) -> String {
    format!("L{place}")
}

/// The place in the code that a flow-control instruction goes to, if it is one that jumps.
fn target(program: &Program, instruction: &Instruction) -> Option<usize> {
    let Body::Flow(flow) = &instruction.body else { return None };
    Some(place(&program.info, flow)).filter(|&place| place <= program.code.len())
}

fn place(info: &ProgramInfo, flow: &Flow) -> usize {
    usize::from(flow.jump_addr) + if flow.jump_global { 0 } else { usize::from(info.code_offset) }
}

fn labels(program: &Program) -> BTreeSet<usize> {
    let jumps = program.code.iter().filter(|instruction| outline::uses_target(instruction));
    jumps.filter_map(|instruction| target(program, instruction)).collect()
}

/// The directives that the program needs: what the code alone does not imply.
fn directives(program: &Program) -> Vec<String> {
    let mut lines = Vec::new();
    let (info, constants) = (&program.info, &program.constants);
    let by_default = ProgramInfo::implied(&program.code, info.code_offset, None);
    let implied = ProgramInfo::implied(&program.code, info.code_offset, Some(info.end));
    let yes_no = |yes: bool| if yes { "yes" } else { "no" };
    let mut say = |said: bool, line: String| {
        if said {
            lines.push(line);
        }
    };
    say(info.code_offset != 0, format!(".code_offset {}", info.code_offset));
    say(info.start != implied.start, format!(".start {}", info.start));
    say(info.end != by_default.end, format!(".end {}", info.end));
    let flow = if info.full_flow_control { "full" } else { "partial" };
    say(info.full_flow_control != implied.full_flow_control, format!(".flow {flow}"));
    say(info.zero_times_anything, ".zero_times_anything yes".into());
    let source = if info.cond_value_from_program { "program" } else { "environment" };
    say(info.cond_value_from_program != implied.cond_value_from_program, format!(".cond_value {source}"));
    say(info.write_mode == WriteMode::Umrt, ".write_mode umrt".into());
    let position = info.position.map_or("none".into(), |register| format!("temp[{register}]"));
    say(info.position != implied.position, format!(".position {position}"));
    for (slot, register) in info.interpolant_registers() {
        say(true, format!(".interpolant {slot} = temp[{register}]"));
    }
    for (input, kind) in info.sampled_inputs() {
        say(true, format!(".texture {input} = {}", texture_kind_name(kind)));
    }
    let temps = if info.temps == 0 { TEMPS } else { info.temps.into() };
    say(info.temps != implied.temps, format!(".temps {temps}"));
    say(info.early_exit != implied.early_exit, format!(".early_exit {}", yes_no(info.early_exit)));

    let said = &program.references;
    let found = References::of(&program.code, info);
    for (name, said, found) in [
        ("inputs", &said.inputs, &found.inputs),
        ("outputs", &said.outputs, &found.outputs),
        ("float_constants", &said.float_constants, &found.float_constants),
        ("int_constants", &said.int_constants, &found.int_constants),
        ("bool_constants", &said.bool_constants, &found.bool_constants),
    ] {
        let numbers: Vec<String> = said.iter().map(u8::to_string).collect();
        let numbers = if numbers.is_empty() { "none".into() } else { numbers.join(", ") };
        say(said != found, format!(".{name} {numbers}"));
    }
    say(said.cond_output != found.cond_output, format!(".cond_output {}", yes_no(said.cond_output)));

    for (number, values) in &constants.floats {
        let values: Vec<String> = values.iter().map(|&bits| spell_float(bits)).collect();
        lines.push(format!(".const c{number} = {}", values.join(", ")));
    }
    for (number, int) in &constants.ints {
        lines.push(format!(".int i{number} = {}, {}, {}", int.count, int.init, int.step));
    }
    for (number, value) in &constants.bools {
        lines.push(format!(".bool b{number} = {value}"));
    }
    lines
}
