//! Programs to text.

use crate::codes::{Component, DestinationRegisters, Select};
use crate::instruction::{AddressMode, Destination, Instruction, SOURCES, Source};
use crate::operation::Operation;
use crate::program::{CONSTANTS, FlowEntry, FlowOp, Program};
use ctm_text::spell_float;
use std::fmt::Write;

/// The source that stands for one that a text leaves out after this one: the same register, of which nothing is read. Mesa's
/// compiler fills sources so.
pub(super) fn filler(before: Option<&Source>) -> Source {
    match before {
        Some(before) => Source { swizzle: [Select::Zero; 4], negate: [false; 4], absolute: false, ..*before },
        None => Source::default(),
    }
}

/// What is printed beside the assembly, as comments.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrintOptions {
    /// The address of each instruction.
    pub addresses: bool,
    /// The four dwords of each instruction.
    pub words: bool,
}

/// A program as text that reads as the same program.
pub fn print_program(program: &Program) -> String {
    print_program_with(program, PrintOptions::default())
}

/// The same with comments.
pub fn print_program_with(program: &Program, options: PrintOptions) -> String {
    let mut text = String::new();
    let mut line = |line: String| {
        text += &line;
        text.push('\n');
    };
    let whole = Program::new(program.code.clone());
    if program.first != whole.first {
        line(format!(".first {}", program.first));
    }
    if program.last != whole.last {
        line(format!(".last {}", program.last));
    }
    if usize::from(program.max_constant) != CONSTANTS - 1 {
        line(format!(".max_const {}", program.max_constant));
    }
    for (number, values) in &program.constants {
        line(format!(".const c{number} = {}", values.map(spell_float).join(", ")));
    }
    for (number, entry) in program.flow.iter().enumerate() {
        if *entry != FlowEntry::default() {
            line(flow_entry(number, entry));
        }
    }
    for (pc, instruction) in program.code.iter().enumerate() {
        let words = instruction.encode().map(|word| format!("{word:08X}")).join(" ");
        let comment = match options {
            PrintOptions { addresses: false, words: false } => String::new(),
            PrintOptions { addresses: true, words: false } => format!(" -- {pc}"),
            PrintOptions { addresses: false, words: true } => format!(" -- {words}"),
            PrintOptions { addresses: true, words: true } => format!(" -- {pc}: {words}"),
        };
        line(print_instruction(instruction) + &comment);
    }
    text
}

fn flow_entry(number: usize, entry: &FlowEntry) -> String {
    let FlowEntry { op, act, count_or_target, last, resume, index, step, inherits } = *entry;
    let role = match op {
        FlowOp::Loop => "count",
        FlowOp::None | FlowOp::Jump | FlowOp::Call => "target",
    };
    let mut text = format!(".flow {number} {} act={act} {role}={count_or_target}", op.name());
    let mut add = |name: &str, value: i32| {
        if value != 0 {
            write!(text, " {name}={value}").expect("a string takes it");
        }
    };
    add("last", last.into());
    add("resume", resume.into());
    add("index", index.into());
    add("step", step.into());
    add("inherit", inherits.into());
    text
}

/// An instruction as text.
pub fn print_instruction(instruction: &Instruction) -> String {
    spelled(instruction).unwrap_or_else(|| {
        let words = instruction.encode().map(|word| format!("0x{word:08X}"));
        format!("RAW {} ;", words.join(" "))
    })
}

/// The instruction in words of its own, if there are words for all that its fields say.
fn spelled(instruction: &Instruction) -> Option<String> {
    let operation = instruction.operation();
    let Destination { vector_saturate, math_saturate, predicated, predicate_sense, .. } = instruction.destination;
    let (own, other) = match operation {
        Operation::Vector(_) | Operation::Macro(_) => (vector_saturate, math_saturate),
        Operation::Math(_) => (math_saturate, vector_saturate),
        Operation::Reserved => return None,
    };
    if other || instruction.dual_math || predicate_sense && !predicated {
        return None;
    }
    let name = operation.name()?;
    if *instruction == empty(operation) {
        return Some(format!("{name} ;"));
    }
    let mut text = String::new();
    if predicated {
        text += if predicate_sense { "(p) " } else { "(!p) " };
    }
    text += &destination(&instruction.destination)?;
    text += " = ";
    text += name;
    text += if own { ".SAT" } else { "" };
    for source in &instruction.sources[..spelled_sources(instruction)] {
        text.push(' ');
        text += &self::source(source)?;
    }
    Some(text + " ;")
}

/// An operation that writes and reads nothing.
pub(super) fn empty(operation: Operation) -> Instruction {
    let mut instruction = Instruction::default();
    instruction.set_operation(operation);
    instruction
}

/// How many sources a text names: those that the operation reads, or all if the others are not what fills a text.
fn spelled_sources(instruction: &Instruction) -> usize {
    let count = instruction.operation().sources();
    let fill = filler(count.checked_sub(1).map(|last| &instruction.sources[last]));
    if instruction.sources[count..].iter().all(|source| *source == fill) { count } else { SOURCES }
}

/// A register by its kind and number, if a text can say so.
fn register(kind: &str, offset: u8, mode: AddressMode, addr_sel: Component) -> Option<String> {
    if addr_sel != Component::X && !matches!(mode, AddressMode::A0(_)) {
        return None;
    }
    match mode {
        AddressMode::Absolute => Some(format!("{kind}[{offset}]")),
        AddressMode::A0(component) => Some(format!("{kind}[a0.{} + {offset}]", component.name())),
        AddressMode::LoopIndex => Some(format!("{kind}[aL + {offset}]")),
        AddressMode::Reserved => None,
    }
}

fn destination(destination: &Destination) -> Option<String> {
    let &Destination { kind, offset, mask, addr_sel, .. } = destination;
    let register = match kind.written()? {
        DestinationRegisters::Temporaries
        | DestinationRegisters::Outputs { .. }
        | DestinationRegisters::Alternates
        | DestinationRegisters::Inputs => register(kind.name(), offset, destination.mode(), addr_sel)?,
        DestinationRegisters::Address => {
            let is_plain = offset == 0 && addr_sel == Component::X && destination.mode() == AddressMode::Absolute;
            is_plain.then(|| kind.name().to_owned())?
        }
    };
    let components = Component::ALL.iter().filter(|&&component| mask >> component as u8 & 1 != 0);
    let mask: String = components.map(|component| component.name()).collect();
    Some(format!("{register}.{}", if mask.is_empty() { "_" } else { &mask }))
}

fn source(source: &Source) -> Option<String> {
    if source.spare {
        return None;
    }
    let register = register(source.kind.name(), source.offset, source.mode(), source.addr_sel)?;
    let register = if source.absolute { format!("|{register}|") } else { register };
    if source.swizzle == Source::IDENTITY && source.negate == [false; 4] {
        return Some(register);
    }
    let components = source.swizzle.iter().zip(source.negate);
    let swizzle: String =
        components.map(|(select, negate)| format!("{}{}", if negate { "-" } else { "" }, select.name())).collect();
    Some(format!("{register}.{swizzle}"))
}
