//! What can be checked of a shader only as a whole: what is read was declared or written, labels are there, something is written.

use super::ast::{Condition, File, Instruction, Register, Shader, Source, Statement, Usage};
use super::parse::Parsed;
use super::table::Op;
use super::uses::reads;
use super::{CALL_DEPTH_HELP, TEXTURE_COORDINATES};
use ctm_text::{Cause, Cursor, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Adds what is wrong to the cursor's diagnostics.
pub(super) fn check(parsed: &mut Parsed) {
    let Parsed { shader, cursor } = parsed;
    let mut checker = Checker { shader, cursor, written: BTreeMap::new(), complained: BTreeSet::new() };
    for part in parts(shader) {
        each(part, &mut |statement| checker.writes(statement));
    }
    for part in parts(shader) {
        each(part, &mut |statement| checker.reads(statement));
    }
    checker.inputs();
    checker.calls();
    checker.outputs();
}

fn parts(shader: &Shader) -> impl Iterator<Item = &[Statement]> {
    std::iter::once(shader.body.as_slice()).chain(shader.subroutines.values().map(Vec::as_slice))
}

/// Calls `look` with each statement, those inside of others too.
fn each(statements: &[Statement], look: &mut dyn FnMut(&Statement)) {
    for statement in statements {
        look(statement);
        match statement {
            Statement::If { then, otherwise, .. } => {
                each(then, look);
                each(otherwise, look);
            }
            Statement::Repeat { body, .. } => each(body, look),
            Statement::Do(_) | Statement::Break { .. } | Statement::Call { .. } => {}
        }
    }
}

struct Checker<'a> {
    shader: &'a Shader,
    cursor: &'a mut Cursor,
    /// Channels that some instruction writes.
    written: BTreeMap<Register, u8>,
    /// Registers that were complained about.
    complained: BTreeSet<Register>,
}

impl Checker<'_> {
    fn writes(&mut self, statement: &Statement) {
        if let Statement::Do(Instruction { dest: Some(dest), .. }) = statement {
            *self.written.entry(dest.register).or_default() |= dest.mask;
        }
    }

    fn reads(&mut self, statement: &Statement) {
        match statement {
            Statement::Do(instruction) => self.instruction(instruction),
            Statement::If { condition, .. } => self.condition(condition),
            Statement::Break { condition, .. } | Statement::Call { condition, .. } => {
                if let Some(condition) = condition {
                    self.condition(condition);
                }
            }
            Statement::Repeat { .. } => {}
        }
    }

    fn condition(&mut self, condition: &Condition) {
        if let Condition::Compare(_, a, b) = condition {
            self.read(a, 1 << a.swizzle[0], 1);
            self.read(b, 1 << b.swizzle[0], 1);
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        for read in reads(instruction, &self.shader.samplers) {
            self.read(read.source, read.channels(), read.rows);
        }
        for source in instruction.sources.iter().filter(|source| source.register.file == File::Sampler) {
            if !self.shader.samplers.contains_key(&source.register.index) && self.complained.insert(source.register) {
                let message = format!("the sampler `{}` is not declared", source.register);
                let help = format!("add `dcl_2d {}`", source.register);
                self.cursor.error(Cause::Misplaced, source.span, message, &help);
            }
        }
        let in_place =
            matches!(instruction.op, Op::Crs | Op::Nrm | Op::M3x2 | Op::M3x3 | Op::M3x4 | Op::M4x3 | Op::M4x4);
        if let Some(dest) = instruction.dest.filter(|_| in_place) {
            let overlaps = reads(instruction, &self.shader.samplers).iter().any(|read| {
                let register = read.source.register;
                let rows = register.index..register.index + read.rows;
                register.file == dest.register.file && rows.contains(&dest.register.index)
            });
            if overlaps {
                let message = format!("`{}` cannot write a register that it reads", instruction.op.row().name);
                self.cursor.error(Cause::Operand, dest.span, message, "write another temporary and `mov` it");
            }
        }
    }

    /// A register from which these channels are read.
    fn read(&mut self, source: &Source, channels: u8, rows: u16) {
        for row in 0..rows {
            let register = Register { index: source.register.index + row, ..source.register };
            let there = match register.file {
                File::Temporary => self.written.get(&register).copied().unwrap_or(0),
                // With aL it may be any.
                File::Input if source.relative => 0xF,
                File::Input | File::Texture | File::Position | File::Face => {
                    self.shader.inputs.get(&register).map_or(0, |input| input.mask)
                }
                _ => 0xF,
            };
            if channels & !there == 0 || self.complained.contains(&register) {
                continue;
            }
            self.complained.insert(register);
            let missing = spelled(channels & !there);
            let (message, help) = match register.file {
                File::Temporary => {
                    (format!("nothing writes `{register}.{missing}`"), "write it before it is read".to_owned())
                }
                _ if there != 0 => {
                    (format!("`{register}.{missing}` is not declared"), "declare these channels, too".to_owned())
                }
                File::Input => {
                    (format!("the input `{register}` is not declared"), format!("add `dcl_texcoord0 {register}`"))
                }
                _ => (format!("the input `{register}` is not declared"), format!("add `dcl {register}`")),
            };
            self.cursor.error(Cause::Misplaced, source.span, message, &help);
        }
    }

    /// Where inputs can come from.
    fn inputs(&mut self) {
        let mut slots = BTreeMap::new();
        for input in self.shader.inputs.values() {
            let slot = match input.usage {
                Usage::Position | Usage::Face => continue,
                Usage::TexCoord(slot) if slot < TEXTURE_COORDINATES => slot,
                Usage::TexCoord(_) | Usage::Colour(_) | Usage::Other(..) => {
                    let message = format!("nothing gives the input {}", input.usage);
                    let help = format!("inputs are texcoord0 to texcoord{}, and vPos", TEXTURE_COORDINATES - 1);
                    self.cursor.error(Cause::Misplaced, input.span, message, &help);
                    continue;
                }
            };
            let channels: &mut u8 = slots.entry(slot).or_default();
            if *channels & input.mask != 0 {
                let message = format!("texcoord{slot} is declared twice");
                self.cursor.error(Cause::Duplicate, input.span, message, "use the register that has it already");
            }
            *channels |= input.mask;
        }
    }

    fn calls(&mut self) {
        let shader = self.shader;
        let here = self.cursor.peek();
        let mut deep = BTreeMap::new();
        let mut problems = Vec::new();
        for label in shader.subroutines.keys() {
            depth(shader, *label, &mut deep, &mut Vec::new(), &mut problems);
        }
        let mut missing = BTreeSet::new();
        let mut deepest = 0;
        each(&shader.body, &mut |statement| {
            if let Statement::Call { label, .. } = statement {
                match deep.get(label) {
                    Some(depth) => deepest = deepest.max(depth + 1),
                    None => {
                        missing.insert(*label);
                    }
                }
            }
        });
        for part in shader.subroutines.values() {
            each(part, &mut |statement| {
                if let Statement::Call { label, .. } = statement
                    && !shader.subroutines.contains_key(label)
                {
                    missing.insert(*label);
                }
            });
        }
        for label in missing {
            let message = format!("there is no `label l{label}`, which is called");
            self.cursor.error(Cause::Label, here, message, "subroutines come after the program's `ret`");
        }
        for label in problems {
            let message = format!("the subroutine `l{label}` calls itself");
            self.cursor.error(Cause::Nesting, here, message, "write a loop");
        }
        let most = shader.version.call_depth();
        if deepest > most {
            let message = format!("subroutines call each other {deepest} deep, and {most} is the most");
            self.cursor.error(Cause::Nesting, here, message, CALL_DEPTH_HELP);
        }
    }

    fn outputs(&mut self) {
        let writes = self.written.keys().any(|register| matches!(register.file, File::Colour | File::Depth));
        if !writes {
            let here: Span = self.cursor.peek().into();
            self.cursor.error(Cause::Misplaced, here, "the program writes no output", "end it with `mov oC0, r0`");
        }
    }
}

/// How deep calls go from a subroutine: 0 if it calls none. Those that call themselves go to `problems`.
fn depth(
    shader: &Shader,
    label: u16,
    known: &mut BTreeMap<u16, usize>,
    open: &mut Vec<u16>,
    problems: &mut Vec<u16>,
) -> usize {
    if let Some(&depth) = known.get(&label) {
        return depth;
    }
    if open.contains(&label) {
        if !problems.contains(&label) {
            problems.push(label);
        }
        return 0;
    }
    let Some(body) = shader.subroutines.get(&label) else { return 0 };
    let mut called = BTreeSet::new();
    each(body, &mut |statement| {
        if let Statement::Call { label, .. } = statement {
            called.insert(*label);
        }
    });
    open.push(label);
    let deepest = called.into_iter().map(|label| depth(shader, label, known, open, problems) + 1).max().unwrap_or(0);
    open.pop();
    known.insert(label, deepest);
    deepest
}

fn spelled(channels: u8) -> String {
    "xyzw".chars().enumerate().filter(|(place, _)| channels >> place & 1 != 0).map(|(_, letter)| letter).collect()
}
