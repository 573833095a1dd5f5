//! The scalar reference: one vertex through a program, one instruction after the other.

mod arithmetic;
mod flow;
mod stepper;
#[cfg(test)]
mod tests;
mod view;

use crate::codes::{DestinationRegisters, Select, SourceKind};
use crate::instruction::{AddressMode, Destination, Instruction, SOURCES, Source};
use crate::operation::Operation;
use crate::program::{ALTERNATES, CONSTANTS, INPUTS, OUTPUTS, Program, TEMPORARIES};
use arithmetic::Results;
use thiserror::Error;

pub use arithmetic::Vector;
pub use stepper::{Frame, Stepper};
pub use view::Register;

const ONE: u32 = 0x3F80_0000;

/// Constant memory, of which each program sees what begins at its base.
#[derive(Clone, Copy, Debug)]
pub struct Constants<'a> {
    /// All constants: bits of binary32.
    pub memory: &'a [Vector; CONSTANTS],
    /// `CONST_BASE_OFFSET`: added to every number, modulo the size of the memory.
    pub base: u8,
}

/// Why a program does not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TrapKind {
    /// An unknown operation.
    #[error("opcode {0} is not an operation of its engine")]
    Reserved(u8),
    /// Two operations in one instruction.
    #[error("a second operation in the last dword (DUAL_MATH_OP) is not supported")]
    DualMath,
    /// It goes on where no instruction is.
    #[error("there is no instruction")]
    NoInstruction,
    /// Too many loops or calls in one another.
    #[error("loops and calls are nested too deep")]
    Depth,
    /// It takes more steps than it may.
    #[error("it executed more instructions than the step limit allows")]
    StepLimit,
}

/// Why, and at which instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("instruction {pc}: {kind}")]
pub struct Trap {
    /// Why.
    pub kind: TrapKind,
    /// Address of the instruction.
    pub pc: u16,
}

/// What a program makes of a vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// The output vectors. What is not written is (0, 0, 0, 1).
    pub outputs: [Vector; OUTPUTS],
    /// Instructions executed.
    pub steps: u64,
}

/// Runs a program for a vertex with these inputs. Registers begin as 0, the predicate as false.
///
/// # Errors
/// If the program does not come to its end within so many instructions.
pub fn run(
    program: &Program,
    constants: Constants<'_>,
    inputs: &[Vector; INPUTS],
    step_limit: u64,
) -> Result<Vertex, Trap> {
    run_observed(program, constants, inputs, step_limit, |_, _| {})
}

/// As [`run`], and says of each instruction at which address it is and whether its predicate lets it execute.
///
/// # Errors
/// As [`run`].
pub fn run_observed(
    program: &Program,
    constants: Constants<'_>,
    inputs: &[Vector; INPUTS],
    step_limit: u64,
    mut observer: impl FnMut(u16, bool),
) -> Result<Vertex, Trap> {
    let mut stepper = Stepper::new(program, inputs);
    while let Some(pc) = stepper.pc() {
        let (executes, before) = (stepper.lets_execute(program), stepper.steps());
        let stepped = stepper.step(program, constants, step_limit);
        if stepper.steps() > before {
            observer(pc, executes);
        }
        stepped?;
    }
    Ok(Vertex { outputs: *stepper.outputs(), steps: stepper.steps() })
}

/// The registers of a vertex.
#[derive(Clone, PartialEq)]
struct State {
    temporaries: [Vector; TEMPORARIES],
    alternates: [Vector; ALTERNATES],
    inputs: [Vector; INPUTS],
    outputs: [Vector; OUTPUTS],
    a0: [i32; 4],
    predicate: bool,
}

impl State {
    fn new(inputs: [Vector; INPUTS]) -> Self {
        State {
            temporaries: [[0; 4]; TEMPORARIES],
            alternates: [[0; 4]; ALTERNATES],
            inputs,
            outputs: [[0, 0, 0, ONE]; OUTPUTS],
            a0: [0; 4],
            predicate: false,
        }
    }

    /// Whether the predicate lets an instruction execute.
    fn lets_execute(&self, Instruction { destination, .. }: &Instruction) -> bool {
        !destination.predicated || self.predicate == destination.predicate_sense
    }

    fn execute(
        &mut self,
        instruction: &Instruction,
        program: &Program,
        constants: Constants<'_>,
        index: i32,
    ) -> Result<(), TrapKind> {
        let operation = instruction.operation();
        if operation == Operation::Reserved {
            return Err(TrapKind::Reserved(instruction.opcode));
        }
        if instruction.dual_math {
            return Err(TrapKind::DualMath);
        }
        if !self.lets_execute(instruction) {
            return Ok(());
        }
        let destination = &instruction.destination;
        let mut operands = [[0; 4]; SOURCES];
        for (number, source) in instruction.sources_read() {
            operands[number] = self.operand(source, program, constants, index);
        }
        let mut results = match operation {
            Operation::Vector(op) => arithmetic::vector(op, operands),
            Operation::Math(op) => arithmetic::math(op, operands),
            Operation::Macro(op) => arithmetic::macro_op(op, operands),
            Operation::Reserved => return Err(TrapKind::Reserved(instruction.opcode)),
        };
        let saturates = if instruction.math { destination.math_saturate } else { destination.vector_saturate };
        if saturates {
            results.values = arithmetic::saturate(results.values);
        }
        self.write(destination, &results, index);
        self.predicate = results.predicate.unwrap_or(self.predicate);
        Ok(())
    }

    /// The number of a register, counted from the number in the instruction.
    fn number(&self, offset: u8, mode: AddressMode, index: i32) -> i64 {
        let added = match mode {
            AddressMode::Absolute | AddressMode::Reserved => 0,
            AddressMode::A0(component) => self.a0[component as usize],
            AddressMode::LoopIndex => index,
        };
        i64::from(offset) + i64::from(added)
    }

    fn operand(&self, source: &Source, program: &Program, constants: Constants<'_>, index: i32) -> Vector {
        let number = self.number(source.offset, source.mode(), index);
        let of = |registers: &[Vector]| usize::try_from(number).ok().and_then(|number| registers.get(number)).copied();
        let register = match source.kind {
            SourceKind::Temporary => of(&self.temporaries),
            SourceKind::Input => of(&self.inputs),
            SourceKind::Alternate => of(&self.alternates),
            SourceKind::Constant => u8::try_from(number)
                .ok()
                .filter(|&number| number <= program.max_constant)
                .map(|number| constants.memory[usize::from(constants.base.wrapping_add(number))]),
        };
        let register = register.unwrap_or_default();
        std::array::from_fn(|component| {
            let value = match source.swizzle[component] {
                Select::X => register[0],
                Select::Y => register[1],
                Select::Z => register[2],
                Select::W => register[3],
                Select::One => ONE,
                Select::Zero | Select::Reserved6 | Select::Unused => 0,
            };
            let value = if source.absolute { value & !(1 << 31) } else { value };
            value ^ u32::from(source.negate[component]) << 31
        })
    }

    fn write(&mut self, destination: &Destination, results: &Results, index: i32) {
        let number = usize::try_from(self.number(destination.offset, destination.mode(), index)).unwrap_or(usize::MAX);
        let written = destination.kind.written();
        let register = match written {
            Some(DestinationRegisters::Temporaries) => self.temporaries.get_mut(number),
            Some(DestinationRegisters::Outputs { .. }) => self.outputs.get_mut(number),
            Some(DestinationRegisters::Alternates) => self.alternates.get_mut(number),
            Some(DestinationRegisters::Inputs) => self.inputs.get_mut(number),
            Some(DestinationRegisters::Address) => {
                for (component, &value) in results.values.iter().enumerate() {
                    if destination.mask >> component & 1 != 0 && results.writes[component] {
                        // What is out of range becomes the nearest integer, and a NaN 0.
                        self.a0[component] = f32::from_bits(arithmetic::floor(value)) as i32;
                    }
                }
                None
            }
            None => None,
        };
        let Some(register) = register else { return };
        for (component, slot) in register.iter_mut().enumerate() {
            if destination.mask >> component & 1 != 0 && results.writes[component] {
                let from =
                    if written == Some(DestinationRegisters::Outputs { replicated: true }) { 0 } else { component };
                *slot = results.values[from];
            }
        }
    }
}
