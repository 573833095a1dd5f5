//! From shaders to functions: registers become variables, channel by channel; subroutines stand where they are called.

mod instruction;
mod operand;

use super::ast::{Condition, Dest, File, Register, Shader, Statement};
use super::table::Op;
use crate::ir::{Builder, Function, Output, Passes, Value, Variable};
use std::collections::BTreeMap;
use thiserror::Error;

/// Most values of a function: texts that are far beyond the machine's instructions have more.
const MOST_VALUES: usize = 60_000;

/// How a shader is lowered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Coordinates of fetches are fractions of the texture's size, as Direct3D has them; else they are in elements, as CTM programs have them.
    pub scaled: bool,
    /// Numbers are calculated instruction by instruction, each rounded.
    pub precise: bool,
}

/// A shader as a function.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The function.
    pub function: Function,
    /// Constants that the text defines, by number, as bits. These numbers are theirs; no user sets them.
    pub literals: BTreeMap<u8, [u32; 4]>,
}

/// Why a shader has no function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotLowered {
    /// aL depends on a constant that only the program's user knows.
    #[error(
        "line {line}: the program reads aL, but the text does not define i{constant}, which says how aL counts: add `defi i{constant}`"
    )]
    Counter {
        /// Line of the loop, from 1.
        line: u32,
        /// The integer constant.
        constant: u16,
    },
    /// Subroutines that are called from many places make the program too long.
    #[error(
        "line {line}: the program is too long with its subroutines where they are called: call fewer, or write loops"
    )]
    TooLong {
        /// The line where that shows, from 1.
        line: u32,
    },
    /// Coordinates count elements, and a cube or volume is sampled.
    #[error(
        "line {line}: `s{sampler}` is a cube or a volume, but coordinates in texels are those of planes: declare it as `dcl_2d`"
    )]
    Directions {
        /// The line of the lookup, from 1.
        line: u32,
        /// The sampler.
        sampler: u16,
    },
}

/// Makes a function of a shader that was checked.
///
/// # Errors
/// If it has no function.
pub fn lower(shader: &Shader, options: Options) -> Result<Lowered, NotLowered> {
    let mut lowering = Lowering::new(shader, options);
    lowering.statements(&shader.body)?;
    let literals = shader.floats.iter().map(|(&index, &bits)| (index as u8, bits)).collect();
    let function = lowering.finish().exactly(options.precise);
    Ok(Lowered { function, literals })
}

struct Lowering<'a> {
    shader: &'a Shader,
    options: Options,
    b: Builder,
    /// Channels of temporaries and outputs.
    registers: BTreeMap<(Register, usize), Variable>,
    predicates: [Variable; 4],
    /// aL, and of the innermost loop that counts the integer constant that nobody knows, with its line.
    counter: Variable,
    unknown_counter: Option<(u32, u16)>,
}

impl<'a> Lowering<'a> {
    fn new(shader: &'a Shader, options: Options) -> Self {
        let mut b = Builder::new();
        let no = b.boolean(false);
        let predicates = std::array::from_fn(|_| b.variable(no));
        let zero = b.float(0.0);
        let counter = b.variable(zero);
        let mut registers = BTreeMap::new();
        let bodies = std::iter::once(&shader.body).chain(shader.subroutines.values());
        for dest in bodies.flat_map(|body| dests(body)) {
            if dest.register.file == File::Predicate {
                continue;
            }
            let channels: Vec<usize> =
                if dest.register.file == File::Depth { vec![0] } else { dest.channels().collect() };
            for channel in channels {
                registers.entry((dest.register, channel)).or_insert_with(|| b.variable(zero));
            }
        }
        Lowering { shader, options, b, registers, predicates, counter, unknown_counter: None }
    }

    fn statements(&mut self, statements: &[Statement]) -> Result<(), NotLowered> {
        for statement in statements {
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), NotLowered> {
        let line = match statement {
            Statement::Do(instruction) => instruction.line,
            Statement::If { line, .. }
            | Statement::Repeat { line, .. }
            | Statement::Break { line, .. }
            | Statement::Call { line, .. } => *line,
        };
        self.b.set_line(line);
        if self.b.size() > MOST_VALUES {
            return Err(NotLowered::TooLong { line });
        }
        match statement {
            Statement::Do(instruction) => self.instruction(instruction),
            Statement::If { condition, then, otherwise, .. } => {
                let condition = self.condition(condition)?;
                self.b.begin_if(condition);
                self.statements(then)?;
                if !otherwise.is_empty() {
                    self.b.begin_else();
                    self.statements(otherwise)?;
                }
                self.b.end_if();
                Ok(())
            }
            Statement::Repeat { passes, counts, body, line } => self.repeat(*passes, *counts, body, *line),
            Statement::Break { condition, .. } => {
                match condition {
                    Some(condition) => {
                        let condition = self.condition(condition)?;
                        self.b.begin_if(condition);
                        self.b.break_loop();
                        self.b.end_if();
                    }
                    None => self.b.break_loop(),
                }
                Ok(())
            }
            Statement::Call { label, condition, .. } => {
                let Some(body) = self.shader.subroutines.get(label) else { return Ok(()) };
                match condition {
                    Some(condition) => {
                        let condition = self.condition(condition)?;
                        self.b.begin_if(condition);
                        self.statements(body)?;
                        self.b.end_if();
                        Ok(())
                    }
                    None => self.statements(body),
                }
            }
        }
    }

    fn repeat(&mut self, constant: u16, counts: bool, body: &[Statement], line: u32) -> Result<(), NotLowered> {
        let known = self.shader.integers.get(&constant).copied();
        let passes = match known {
            Some([0, ..]) => return Ok(()),
            Some([passes, ..]) => Passes::Times(passes as u8),
            None => Passes::Constant(constant as u8),
        };
        let (outside, outside_unknown) = (self.b.load(self.counter), self.unknown_counter);
        if counts {
            let first = self.b.float(known.map_or(0, |[_, first, ..]| first) as f32);
            self.b.store(self.counter, first);
            self.unknown_counter = known.is_none().then_some((line, constant));
        }
        self.b.begin_loop(passes);
        self.statements(body)?;
        if let Some([_, _, step, _]) = known.filter(|_| counts) {
            let (counter, step) = (self.b.load(self.counter), self.b.float(step as f32));
            let next = self.b.add(counter, step);
            self.b.store(self.counter, next);
        }
        self.b.end_loop();
        self.b.store(self.counter, outside);
        self.unknown_counter = outside_unknown;
        Ok(())
    }

    fn condition(&mut self, condition: &Condition) -> Result<Value, NotLowered> {
        let (value, invert) = match condition {
            Condition::Boolean { index, invert } => {
                let value = match self.shader.booleans.get(index) {
                    Some(&value) => self.b.boolean(value),
                    None => self.b.boolean_constant(*index as u8),
                };
                (value, *invert)
            }
            Condition::Predicate { channel, invert } => (self.b.load(self.predicates[usize::from(*channel)]), *invert),
            Condition::Compare(comparison, a, b) => {
                let (a, b) = (self.read(a, 0)?, self.read(b, 0)?);
                (self.compare(*comparison, a, b), false)
            }
        };
        Ok(if invert { self.b.not(value) } else { value })
    }

    fn finish(self) -> Function {
        let mut outputs = Vec::new();
        for (&(register, channel), &variable) in &self.registers {
            let output = match register.file {
                File::Colour => Output::Colour { slot: register.index as u8, channel: channel as u8 },
                File::Depth => Output::Depth,
                _ => continue,
            };
            outputs.push((output, self.b.load(variable)));
        }
        self.b.finish(outputs)
    }
}

/// Everything that statements write.
fn dests(statements: &[Statement]) -> Vec<Dest> {
    let of = |statement: &Statement| match statement {
        Statement::Do(instruction) => instruction.dest.into_iter().collect(),
        Statement::If { then, otherwise, .. } => [dests(then), dests(otherwise)].concat(),
        Statement::Repeat { body, .. } => dests(body),
        Statement::Break { .. } | Statement::Call { .. } => Vec::new(),
    };
    statements.iter().flat_map(of).collect()
}

/// Whether an operation's result is one number for all channels.
fn is_scalar(op: Op) -> bool {
    matches!(op, Op::Dp2Add | Op::Dp3 | Op::Dp4 | Op::Exp | Op::Log | Op::Pow | Op::Rcp | Op::Rsq)
}
