//! The registers of a group of vertices as values of a function.

use super::arithmetic::{Arithmetic, Results, Vector};
use super::{CONSTANT_ENTRIES, Layout, NotLifted};
use crate::codes::{DestinationRegisters, Select, SourceKind};
use crate::instruction::{AddressMode, Destination, Instruction, SOURCES, Source};
use crate::operation::Operation;
use crate::program::{ALTERNATES, INPUTS, MAX_DEPTH, OUTPUTS, Program, TEMPORARIES};
use crate::uses::Uses;
use ctm_lane::{Array, ArrayDecl, Buffer, Builder, IntTest, Table, TableDecl, Type, Value, Variable};

const ONE: u32 = 0x3F80_0000;
/// log2 of the positions along the first axis of a line of lanes.
const AXIS_LOG2: u32 = 16;

/// A register: its four components.
type Register = [Variable; 4];

/// The machine while a function is built.
pub struct Machine<'a> {
    pub b: Builder,
    program: &'a Program,
    layout: &'a Layout,
    temporaries: Vec<Register>,
    /// Temporaries whose numbers are computed: then all of them are here.
    arrays: Option<[Array; 4]>,
    alternates: Vec<Register>,
    inputs: Vec<Register>,
    outputs: Vec<Register>,
    a0: Register,
    pub predicate: Variable,
    /// Passes that are left of each loop, and the loop index there.
    pub left: [Variable; MAX_DEPTH],
    pub index: [Variable; MAX_DEPTH],
    number: Value,
    output: Buffer,
}

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program, layout: &'a Layout) -> Self {
        let mut b = Builder::new();
        for _ in 0..4 {
            b.function.add_table(TableDecl { entries: CONSTANT_ENTRIES, finite: false });
        }
        let (input, output) = (b.function.add_buffer(), b.function.add_buffer());
        let is_computed = |instruction: &Instruction| {
            let source = |source: &Source| source.kind == SourceKind::Temporary && is_relative(source.mode());
            let destination = &instruction.destination;
            let written = destination.kind.written() == Some(DestinationRegisters::Temporaries)
                && is_relative(destination.mode());
            written || instruction.sources_read().any(|(_, of)| source(of))
        };
        let arrays =
            program.code.iter().any(is_computed).then(|| {
                [(); 4].map(|()| b.function.add_array(ArrayDecl { entries: TEMPORARIES as u32, ty: Type::Lane }))
            });
        let mut registers =
            |count: usize| (0..count).map(|_| [(); 4].map(|()| b.variable(Type::Lane))).collect::<Vec<Register>>();
        let (temporaries, alternates) = (registers(TEMPORARIES), registers(ALTERNATES));
        let (inputs, outputs) = (registers(INPUTS), registers(OUTPUTS));
        let a0 = [(); 4].map(|()| b.variable(Type::Lane));
        let predicate = b.variable(Type::Mask);
        let (left, index) =
            ([(); MAX_DEPTH].map(|()| b.variable(Type::Uniform)), [(); MAX_DEPTH].map(|()| b.variable(Type::Uniform)));
        let (x, y, axis) = (b.pos_x(), b.pos_y(), b.constant(AXIS_LOG2));
        let rows = b.shl(y, axis);
        let number = b.or(rows, x);
        let mut machine = Machine {
            b,
            program,
            layout,
            temporaries,
            arrays,
            alternates,
            inputs,
            outputs,
            a0,
            predicate,
            left,
            index,
            number,
            output,
        };
        machine.start(input);
        machine
    }

    fn start(&mut self, input: Buffer) {
        let covered = self.b.covered();
        for (place, &number) in self.layout.inputs.iter().enumerate() {
            for component in 0..4 {
                let address = self.address(self.layout.inputs.len(), place, component);
                let value = self.b.buffer_load(input, address, covered);
                self.b.set(self.inputs[usize::from(number)][component], value);
            }
        }
        let one = self.b.constant(ONE);
        self.outputs.iter().for_each(|output| self.b.set(output[3], one));
    }

    /// The address of a component of vector `place` of the lane's vertex, which has so many vectors.
    fn address(&mut self, vectors: usize, place: usize, component: usize) -> Value {
        let (stride, offset) =
            (self.b.constant(16 * vectors as u32), self.b.constant(16 * place as u32 + 4 * component as u32));
        let vertex = self.b.imul(self.number, stride);
        self.b.iadd(vertex, offset)
    }

    /// Stores the outputs, and ends the group.
    pub fn finish(&mut self) {
        let covered = self.b.covered();
        for (place, &number) in self.layout.outputs.iter().enumerate() {
            for component in 0..4 {
                let address = self.address(self.layout.outputs.len(), place, component);
                let value = self.b.get(self.outputs[usize::from(number)][component]);
                self.b.buffer_store(self.output, address, value, covered);
            }
        }
        self.b.ret();
    }

    /// Everything that a range of instructions may write and a later pass may read; `None` if it is not known.
    pub fn written(&self, first: u16, last: u16) -> Option<Vec<Variable>> {
        if self.arrays.is_some() {
            return None;
        }
        let mut written: Vec<Variable> = self.a0.to_vec();
        let code = self.program.code.get(usize::from(first)..=usize::from(last))?;
        for instruction in code.iter().filter(|instruction| instruction.writes()) {
            let destination = &instruction.destination;
            let number = usize::from(destination.offset);
            let register = match destination.kind.written() {
                Some(DestinationRegisters::Temporaries) => self.temporaries.get(number),
                Some(DestinationRegisters::Outputs { .. }) => self.outputs.get(number),
                Some(DestinationRegisters::Alternates) => self.alternates.get(number),
                Some(DestinationRegisters::Inputs) => self.inputs.get(number),
                Some(DestinationRegisters::Address) | None => None,
            };
            for &variable in register.into_iter().flatten() {
                if !written.contains(&variable) {
                    written.push(variable);
                }
            }
        }
        Some(written)
    }

    /// Executes an instruction at this depth of loops and calls.
    pub fn execute(&mut self, pc: u16, instruction: &Instruction, depth: usize) -> Result<(), NotLifted> {
        let unsupported = Err(NotLifted::Instruction(pc));
        if instruction.dual_math {
            return unsupported;
        }
        let zero = self.b.constant(0);
        let mut operands = [[zero; 4]; SOURCES];
        for (number, source) in instruction.sources_read() {
            operands[number] = self.operand(pc, source, depth)?;
        }
        let results = match instruction.operation() {
            Operation::Vector(op) => Arithmetic(&mut self.b).vector(op, operands),
            Operation::Math(op) => Arithmetic(&mut self.b).math(op, operands),
            Operation::Macro(op) => Some(Arithmetic(&mut self.b).macro_op(op, operands)),
            Operation::Reserved => return unsupported,
        };
        let Some(mut results) = results else { return Ok(()) };
        let destination = &instruction.destination;
        let saturates = if instruction.math { destination.math_saturate } else { destination.vector_saturate };
        if saturates {
            results.values = Arithmetic(&mut self.b).saturate(results.values);
        }
        let executing = match (destination.predicated, destination.predicate_sense) {
            (false, _) => None,
            (true, sense) => {
                let predicate = self.b.get(self.predicate);
                Some(if sense { predicate } else { self.b.mask_not(predicate) })
            }
        };
        self.write(pc, destination, &results, executing, depth)?;
        if let Some(predicate) = results.predicate {
            let value = match executing {
                None => predicate,
                Some(lanes) => {
                    let old = self.b.get(self.predicate);
                    self.b.mask_select(lanes, predicate, old)
                }
            };
            self.b.set(self.predicate, value);
        }
        Ok(())
    }

    /// The number of a register that is computed, per lane; `None` for the number in the instruction.
    fn number(&mut self, offset: u8, mode: AddressMode, depth: usize) -> Option<Value> {
        let added = match mode {
            AddressMode::Absolute | AddressMode::Reserved => return None,
            AddressMode::A0(component) => self.b.get(self.a0[component as usize]),
            AddressMode::LoopIndex => match depth.checked_sub(1) {
                None => self.b.constant(0),
                Some(depth) => {
                    let index = self.b.get(self.index[depth]);
                    self.b.splat(index)
                }
            },
        };
        let offset = self.b.constant(offset.into());
        Some(self.b.iadd(added, offset))
    }

    fn operand(&mut self, pc: u16, source: &Source, depth: usize) -> Result<Vector, NotLifted> {
        let zero = self.b.constant(0);
        let number = self.number(source.offset, source.mode(), depth);
        let of = |registers: &[Register]| registers.get(usize::from(source.offset)).copied();
        let register = match (source.kind, number) {
            (SourceKind::Temporary, None) if self.arrays.is_some() => {
                let number = self.b.constant(source.offset.into());
                Some(self.computed_temporary(number))
            }
            (SourceKind::Temporary, None) => of(&self.temporaries).map(|register| register.map(|of| self.b.get(of))),
            (SourceKind::Input, None) => of(&self.inputs).map(|register| register.map(|of| self.b.get(of))),
            (SourceKind::Alternate, None) => of(&self.alternates).map(|register| register.map(|of| self.b.get(of))),
            (SourceKind::Constant, None) => {
                Some([0, 1, 2, 3].map(|channel| self.b.table_splat(Table(channel), source.offset.into())))
            }
            (SourceKind::Temporary, Some(number)) => Some(self.computed_temporary(number)),
            (SourceKind::Constant, Some(number)) => {
                let inside = self.below(number, CONSTANT_ENTRIES);
                Some([0, 1, 2, 3].map(|channel| {
                    let value = self.b.table_gather(Table(channel), number);
                    self.b.select(inside, value, zero)
                }))
            }
            (SourceKind::Input | SourceKind::Alternate, Some(_)) => return Err(NotLifted::Instruction(pc)),
        };
        let register = register.unwrap_or([zero; 4]);
        Ok(std::array::from_fn(|component| {
            let value = match source.swizzle[component] {
                Select::X => register[0],
                Select::Y => register[1],
                Select::Z => register[2],
                Select::W => register[3],
                Select::One => self.b.constant(ONE),
                Select::Zero | Select::Reserved6 | Select::Unused => zero,
            };
            let value = if source.absolute { self.b.abs(value) } else { value };
            if source.negate[component] { self.b.neg(value) } else { value }
        }))
    }

    fn below(&mut self, number: Value, limit: u32) -> Value {
        let limit = self.b.constant(limit);
        self.b.icmp(IntTest::Ult, number, limit)
    }

    /// A temporary whose number is a value; zeros out of range.
    fn computed_temporary(&mut self, number: Value) -> Vector {
        let (zero, inside) = (self.b.constant(0), self.below(number, TEMPORARIES as u32));
        let arrays = self.arrays.unwrap_or([Array(0); 4]);
        arrays.map(|array| {
            let value = self.b.array_gather(array, number);
            self.b.select(inside, value, zero)
        })
    }

    fn write(
        &mut self,
        pc: u16,
        destination: &Destination,
        results: &Results,
        executing: Option<Value>,
        depth: usize,
    ) -> Result<(), NotLifted> {
        let number = self.number(destination.offset, destination.mode(), depth);
        let written = destination.kind.written();
        let of = |registers: &[Register]| registers.get(usize::from(destination.offset)).copied();
        let register = match (written, number) {
            (None, _) => return Ok(()),
            (Some(DestinationRegisters::Temporaries), number) if self.arrays.is_some() => {
                let number = number.unwrap_or_else(|| self.b.constant(destination.offset.into()));
                self.write_computed(number, destination, results, executing);
                return Ok(());
            }
            (Some(DestinationRegisters::Address), _) => Some(self.a0),
            (Some(_), Some(_)) => return Err(NotLifted::Instruction(pc)),
            (Some(DestinationRegisters::Temporaries), None) => of(&self.temporaries),
            (Some(DestinationRegisters::Outputs { .. }), None) => of(&self.outputs),
            (Some(DestinationRegisters::Alternates), None) => of(&self.alternates),
            (Some(DestinationRegisters::Inputs), None) => of(&self.inputs),
        };
        let Some(register) = register else { return Ok(()) };
        for component in (0..4).filter(|component| destination.mask >> component & 1 != 0) {
            let mut value = results.values[source_of(written, component)];
            if written == Some(DestinationRegisters::Address) {
                let floor = Arithmetic(&mut self.b).floor(value);
                value = self.b.ftoi(floor);
            }
            let value = match self.lanes(executing, results.writes[component]) {
                None => value,
                Some(lanes) => {
                    let old = self.b.get(register[component]);
                    self.b.select(lanes, value, old)
                }
            };
            self.b.set(register[component], value);
        }
        Ok(())
    }

    fn write_computed(
        &mut self,
        number: Value,
        destination: &Destination,
        results: &Results,
        executing: Option<Value>,
    ) {
        let inside = self.below(number, TEMPORARIES as u32);
        let arrays = self.arrays.unwrap_or([Array(0); 4]);
        for component in (0..4).filter(|component| destination.mask >> component & 1 != 0) {
            let lanes = match self.lanes(executing, results.writes[component]) {
                None => inside,
                Some(lanes) => self.b.mask_and(lanes, inside),
            };
            self.b.array_scatter(arrays[component], number, results.values[component], lanes);
        }
    }

    fn lanes(&mut self, one: Option<Value>, other: Option<Value>) -> Option<Value> {
        match (one, other) {
            (Some(one), Some(other)) => Some(self.b.mask_and(one, other)),
            (one, other) => one.or(other),
        }
    }

    /// Whether no instruction reads the loop index.
    pub fn index_is_unread(&self) -> bool {
        !Uses::of(self.program).loop_index
    }
}

/// The component of the results that a component of the destination gets.
fn source_of(written: Option<DestinationRegisters>, component: usize) -> usize {
    if written == Some(DestinationRegisters::Outputs { replicated: true }) { 0 } else { component }
}

fn is_relative(mode: AddressMode) -> bool {
    match mode {
        AddressMode::Absolute | AddressMode::Reserved => false,
        AddressMode::A0(_) | AddressMode::LoopIndex => true,
    }
}
