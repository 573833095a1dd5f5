//! Reading and writing registers.

use super::{Lowering, NotLowered};
use crate::front::ps::ast::{Comparison, File, Instruction, Register, Source, Usage};
use crate::ir::{Axis, Op, Value};

impl Lowering<'_> {
    /// What a source has at this place of its swizzle.
    pub(super) fn read(&mut self, source: &Source, place: usize) -> Result<Value, NotLowered> {
        self.read_row(source, 0, place)
    }

    /// The same of the register `row` places further.
    pub(super) fn read_row(&mut self, source: &Source, row: u16, place: usize) -> Result<Value, NotLowered> {
        let channel = usize::from(source.swizzle[place]);
        let register = Register { index: source.register.index + row, ..source.register };
        let value = if source.relative { self.relative(register, channel)? } else { self.register(register, channel) };
        let value = if source.absolute { self.b.abs(value) } else { value };
        Ok(if source.negate { self.b.neg(value) } else { value })
    }

    /// A channel of a register. What nobody writes is 0.
    fn register(&mut self, register: Register, channel: usize) -> Value {
        match register.file {
            File::Constant => match self.shader.floats.get(&register.index) {
                Some(bits) => self.b.instruction(Op::Const { bits: bits[channel] }, &[])[0],
                None => self.b.uniform(register.index as u8, channel as u8),
            },
            File::Input | File::Texture => self.input(register, channel),
            File::Position => match channel {
                0 => self.b.position(Axis::X),
                1 => self.b.position(Axis::Y),
                _ => self.b.float(0.0),
            },
            // The domain's rectangle faces the front.
            File::Face => self.b.float(1.0),
            File::Temporary
            | File::Integer
            | File::Boolean
            | File::Predicate
            | File::Sampler
            | File::Counter
            | File::Colour
            | File::Depth
            | File::Label => match self.registers.get(&(register, channel)) {
                Some(&variable) => self.b.load(variable),
                None => self.b.float(0.0),
            },
        }
    }

    fn input(&mut self, register: Register, channel: usize) -> Value {
        match self.shader.inputs.get(&register).map(|input| input.usage) {
            Some(Usage::TexCoord(slot)) => self.b.varying(slot, channel as u8),
            Some(Usage::Colour(_) | Usage::Other(..) | Usage::Position | Usage::Face) | None => self.b.float(0.0),
        }
    }

    /// A channel of the input whose number is aL more: inputs are not numbered on the machine, so that each is compared.
    fn relative(&mut self, register: Register, channel: usize) -> Result<Value, NotLowered> {
        if let Some((line, constant)) = self.unknown_counter {
            return Err(NotLowered::Counter { line, constant });
        }
        let counter = self.b.load(self.counter);
        let mut value = self.b.float(0.0);
        let inputs: Vec<Register> =
            self.shader.inputs.keys().copied().filter(|input| input.file == File::Input).collect();
        for input in inputs {
            let distance = self.b.float(f32::from(input.index) - f32::from(register.index));
            let here = self.b.equal(counter, distance);
            let found = self.input(input, channel);
            value = self.b.select(here, found, value);
        }
        Ok(value)
    }

    pub(super) fn compare(&mut self, comparison: Comparison, a: Value, b: Value) -> Value {
        match comparison {
            Comparison::Greater => self.b.less(b, a),
            Comparison::Less => self.b.less(a, b),
            Comparison::GreaterEqual => self.b.at_least(a, b),
            Comparison::LessEqual => self.b.at_least(b, a),
            Comparison::Equal => self.b.equal(a, b),
            Comparison::NotEqual => {
                let equal = self.b.equal(a, b);
                self.b.not(equal)
            }
        }
    }

    /// The boolean that decides whether a channel is written, if there is one.
    pub(super) fn guard(&mut self, instruction: &Instruction, channel: usize) -> Option<Value> {
        let guard = instruction.guard?;
        let value = self.b.load(self.predicates[usize::from(guard.swizzle[channel])]);
        Some(if guard.invert { self.b.not(value) } else { value })
    }

    /// Writes a channel of the instruction's result.
    pub(super) fn write(&mut self, instruction: &Instruction, channel: usize, value: Value) {
        let Some(dest) = instruction.dest else { return };
        let guard = self.guard(instruction, channel);
        let variable = match dest.register.file {
            File::Predicate => self.predicates[channel],
            _ => match self.registers.get(&(dest.register, channel)) {
                Some(&variable) => variable,
                None => return,
            },
        };
        let value = match guard {
            Some(guard) => {
                let old = self.b.load(variable);
                self.b.choose(guard, value, old)
            }
            None => value,
        };
        self.b.store(variable, value);
    }
}
