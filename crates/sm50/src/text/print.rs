//! Programs to text that reads as the same program.

use super::assemble::single;
use super::directives;
use super::instruction::{Context, spell};
use crate::control::{Control, Reuse, shows_reuse};
use crate::form::Arg;
use crate::instruction::Instruction;
use crate::operand::Value;
use crate::program::{BUNDLE_BYTES, BUNDLE_SLOTS, Code, Program};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What to put into a printed program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// The address of each instruction, as a comment.
    pub addresses: bool,
    /// The word of each instruction, as a comment.
    pub words: bool,
    /// The control bits of each instruction. Without them the text reads as a program with other control words.
    pub controls: bool,
}

impl Default for PrintOptions {
    fn default() -> Self {
        PrintOptions { addresses: false, words: false, controls: true }
    }
}

/// Spells a program: the directives of the header, labels, instructions with their control bits.
///
/// The text reads as an equal program.
pub fn print_program(program: &Program) -> String {
    print_program_with(program, &PrintOptions::default())
}

/// [`print_program`] with more or less in it.
pub fn print_program_with(program: &Program, options: &PrintOptions) -> String {
    let code = &program.code;
    let mut text = String::new();
    let of_header = program.header.iter().flat_map(|header| directives::spell(header, code.instructions()));
    for line in of_header.chain(directives::spell_constants(&program.constants)) {
        text.push_str(&line);
        text.push('\n');
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let labels = labels(code);
    let spelled: Vec<Spelled> =
        (0..code.instructions().len()).map(|index| spell_line(code, index, &labels, options.controls)).collect();
    for (index, instruction) in code.instructions().iter().enumerate() {
        if options.controls && index % BUNDLE_SLOTS == 0 {
            control_word(&mut text, code, &spelled, index / BUNDLE_SLOTS);
        }
        if labels.contains(&index) {
            writeln!(text, "{}:", label(index)).expect("writing to a string");
        }
        let control = code.control(index);
        let line = if options.controls { format!("[{control}] ") } else { "  ".to_owned() };
        let mut line = line + &spelled[index].text + ";";
        if options.addresses || options.words {
            let width = if options.controls { 84 } else { 60 };
            line = format!("{line:width$} //");
        }
        if options.addresses {
            write!(line, " {:04x}", Code::address(index)).expect("writing to a string");
        }
        if options.words {
            write!(line, " {:016x}", instruction.encode()).expect("writing to a string");
        }
        text += &line;
        text.push('\n');
    }
    // A control word with no instruction after it.
    if let Some(control) =
        code.controls().get(code.instructions().len().div_ceil(BUNDLE_SLOTS)).filter(|_| options.controls)
    {
        writeln!(text, ".control {control:#018x}").expect("writing to a string");
    }
    text
}

/// The instructions of code in text, each with the label that stands before it.
pub fn print_instructions(code: &Code) -> Vec<(Option<String>, String)> {
    let labels = labels(code);
    let line = |index| {
        let own = labels.contains(&index).then(|| label(index));
        (own, spell_line(code, index, &labels, false).text)
    };
    (0..code.instructions().len()).map(line).collect()
}

/// An instruction in text, without its control bits but those that it shows.
struct Spelled {
    text: String,
    reuse: Reuse,
}

/// Spells an instruction; as a word where the text would read as another one.
fn spell_line(code: &Code, index: usize, labels: &BTreeSet<usize>, controls: bool) -> Spelled {
    let (instruction, at) = (&code.instructions()[index], Code::address(index));
    let reuse = if controls { shown_reuse(instruction, code.control(index)) } else { Reuse::default() };
    let plain = spell(instruction, Context { at, label: None, reuse });
    if single(&plain, index) != Some((*instruction, reuse)) {
        return Spelled { text: format!(".raw {:#018x}", instruction.encode()), reuse: Reuse::default() };
    }
    let text = match target_label(instruction, at, labels, code) {
        Some(label) => spell(instruction, Context { at, label: Some(&label), reuse }),
        None => plain,
    };
    Spelled { text, reuse }
}

/// What the target of an instruction is called: a label, for the address of a control word with what is missing from it.
fn target_label(instruction: &Instruction, at: u32, labels: &BTreeSet<usize>, code: &Code) -> Option<String> {
    let target = instruction.direct_target(at)?;
    let index = code.index_at(target).filter(|index| labels.contains(index))?;
    let control_word = target.is_multiple_of(BUNDLE_BYTES);
    Some(label(index) + if control_word { " -0x8" } else { "" })
}

fn label(index: usize) -> String {
    format!("L{:04x}", Code::address(index))
}

/// The numbers of the instructions that others go to.
fn labels(code: &Code) -> BTreeSet<usize> {
    let instructions = code.instructions().iter().enumerate();
    let targets = instructions.filter_map(|(index, instruction)| instruction.direct_target(Code::address(index)));
    targets.filter_map(|target| code.index_at(target)).collect()
}

/// Says a control word as it is, if the control bits of its instructions do not say all of it.
fn control_word(text: &mut String, code: &Code, spelled: &[Spelled], bundle: usize) {
    let first = bundle * BUNDLE_SLOTS;
    let last = code.instructions().len().min(first + BUNDLE_SLOTS);
    let said = (first..last).fold(0, |word, index| {
        let (instruction, control) = (&code.instructions()[index], code.control(index));
        let shown = spelled[index].reuse.caches(instruction.op());
        control.with_reuse(shown).without_rest().put(word, index - first)
    });
    if said != code.controls()[bundle] {
        writeln!(text, ".control {:#018x}", code.controls()[bundle]).expect("writing to a string");
    }
}

/// The registers that are shown as kept in the operand caches: those that there are.
fn shown_reuse(instruction: &Instruction, control: Control) -> Reuse {
    let reuse = control.reuse().caches(instruction.op());
    let args = instruction.row().args;
    let register = |value: Value| matches!(value, Value::Reg(_));
    let shown = shows_reuse(instruction.op());
    let b = args.iter().any(|arg| matches!(arg, Arg::B | Arg::SpacedB | Arg::ConvertedB));
    let c = args.iter().any(|arg| matches!(arg, Arg::C | Arg::RdAgain));
    Reuse {
        a: reuse.a && shown && args.contains(&Arg::A),
        b: reuse.b && shown && b && register(instruction.b().value),
        c: reuse.c && shown && c && register(instruction.c().value),
    }
}

/// Spells one instruction with the registers that it keeps in the operand caches.
pub(super) fn with_reuse(instruction: &Instruction, at: u32, control: Control) -> String {
    spell(instruction, Context { at, label: None, reuse: shown_reuse(instruction, control) })
}
