//! Functions: dense vectors of values, instructions and blocks.

use crate::attribute::IntTest;
use crate::entity::{Array, Block, Buffer, Inst, Surface, Table, Type, Value};
use crate::op::Op;
use std::ops::Range;

/// What is known of a surface when the function is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SurfaceDecl {
    /// The surface holds normalized integers: loads give numbers in [0, 1] only, and stores take no notice of the bits of a
    /// NaN.
    pub unit: bool,
    /// Every element lies in mapped memory, so that a load has no other effect than its results. Loads from other surfaces
    /// may report an access out of range, and are kept even when nobody wants their results.
    pub whole: bool,
}

/// A table of 32-bit constants, which a run supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableDecl {
    /// Number of entries, a power of two up to 65536.
    pub entries: u32,
    /// The run promises that no entry that is read as a float is an infinity or a NaN.
    pub finite: bool,
}

/// Storage of the group that is reached by index; zero (or no lane) at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayDecl {
    /// Number of entries, a power of two up to 65536.
    pub entries: u32,
    /// What an entry holds.
    pub ty: Type,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def {
    /// A parameter of a block.
    Param(Block, u32),
    /// A result of an instruction.
    Result(Inst, u32),
}

/// A value's type and origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueData {
    pub(crate) ty: Type,
    pub(crate) def: Def,
}

/// An instruction: its operands lie in the function's pool, its results are consecutive values. The counts of both are the
/// operation's; here they spare every pass a look into the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InstData {
    op: Op,
    arg_count: u8,
    result_count: u8,
    pub(crate) args: u32,
    pub(crate) first_result: Value,
}

impl InstData {
    pub(crate) fn new(op: Op, args: usize, first_result: Value) -> Self {
        let (arg_count, result_count) = (op.info().operands.len() as u8, op.info().results.len() as u8);
        Self { op, arg_count, result_count, args: args as u32, first_result }
    }

    /// The same operation with operands and results elsewhere.
    pub(crate) fn moved(self, args: usize, first_result: Value) -> Self {
        Self { args: args as u32, first_result, ..self }
    }

    pub(crate) fn arg_range(&self) -> Range<usize> {
        self.args as usize..self.args as usize + usize::from(self.arg_count)
    }
}

/// A block to go to, with the arguments for its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchTarget {
    /// The block.
    pub block: Block,
    /// One argument for each of its parameters.
    pub args: Vec<Value>,
}

impl BranchTarget {
    /// A target without arguments.
    pub fn new(block: Block) -> Self {
        Self { block, args: Vec::new() }
    }
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Goes on at the target.
    Jump(BranchTarget),
    /// Compares two uniforms.
    If {
        /// The comparison.
        test: IntTest,
        /// Its left side.
        a: Value,
        /// Its right side.
        b: Value,
        /// Where to go when it holds.
        then: BranchTarget,
        /// Where to go otherwise.
        otherwise: BranchTarget,
    },
    /// Asks whether a mask has any lane. (Whether it has all is whether its complement has none.)
    Any {
        /// The mask.
        mask: Value,
        /// Where to go when it has a lane.
        then: BranchTarget,
        /// Where to go otherwise.
        otherwise: BranchTarget,
    },
    /// The group ends.
    Return,
    /// The group ends with an error, and no further group starts.
    Trap {
        /// The cause, in the guest's numbering.
        code: u16,
        /// The guest instruction.
        pc: u32,
        /// The lanes that it concerns; the first of them, or the first covered one, is reported.
        mask: Value,
    },
}

impl Terminator {
    /// The targets, in order.
    pub fn targets(&self) -> impl DoubleEndedIterator<Item = &BranchTarget> + Clone {
        let (first, second) = match self {
            Self::Jump(target) => (Some(target), None),
            Self::If { then, otherwise, .. } | Self::Any { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Self::Return | Self::Trap { .. } => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The targets, in order, to change them.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut BranchTarget> {
        let (first, second) = match self {
            Self::Jump(target) => (Some(target), None),
            Self::If { then, otherwise, .. } | Self::Any { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Self::Return | Self::Trap { .. } => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The values that the terminator itself reads (arguments of targets not included).
    pub fn operands(&self) -> impl Iterator<Item = Value> {
        let (first, second) = match *self {
            Self::Jump(_) | Self::Return => (None, None),
            Self::If { a, b, .. } => (Some(a), Some(b)),
            Self::Any { mask, .. } | Self::Trap { mask, .. } => (Some(mask), None),
        };
        first.into_iter().chain(second)
    }

    /// Calls `change` on every value that the terminator reads, arguments of targets included.
    pub fn for_each_value_mut(&mut self, mut change: impl FnMut(&mut Value)) {
        match self {
            Self::Jump(_) | Self::Return => {}
            Self::If { a, b, .. } => {
                change(a);
                change(b);
            }
            Self::Any { mask, .. } | Self::Trap { mask, .. } => change(mask),
        }
        for target in self.targets_mut() {
            target.args.iter_mut().for_each(&mut change);
        }
    }

    /// Every value that the terminator reads, arguments of targets included.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        self.operands().chain(self.targets().flat_map(|target| target.args.iter().copied()))
    }
}

/// A block: parameters, instructions in order, and the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockData {
    pub(crate) params: Vec<Value>,
    pub(crate) insts: Vec<Inst>,
    /// `None` only while the function is being built.
    pub(crate) terminator: Option<Terminator>,
}

/// What a group of lanes does. Block 0 is where it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// The surfaces.
    pub surfaces: Vec<SurfaceDecl>,
    /// The tables of constants.
    pub tables: Vec<TableDecl>,
    /// The arrays.
    pub arrays: Vec<ArrayDecl>,
    /// Number of buffers.
    pub buffers: u16,
    pub(crate) values: Vec<ValueData>,
    pub(crate) insts: Vec<InstData>,
    pub(crate) blocks: Vec<BlockData>,
    pub(crate) pool: Vec<Value>,
}

impl Function {
    /// The block where the group starts.
    pub const ENTRY: Block = Block(0);

    /// Adds a surface.
    pub fn add_surface(&mut self, decl: SurfaceDecl) -> Surface {
        self.surfaces.push(decl);
        Surface::new(self.surfaces.len() - 1)
    }

    /// Adds a table of constants.
    pub fn add_table(&mut self, decl: TableDecl) -> Table {
        self.tables.push(decl);
        Table::new(self.tables.len() - 1)
    }

    /// Adds an array.
    pub fn add_array(&mut self, decl: ArrayDecl) -> Array {
        self.arrays.push(decl);
        Array::new(self.arrays.len() - 1)
    }

    /// Adds a buffer.
    pub fn add_buffer(&mut self) -> Buffer {
        let buffer = Buffer(self.buffers);
        self.buffers += 1;
        buffer
    }

    /// All blocks, in the order of the text.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator + use<> {
        (0..self.blocks.len()).map(Block::new)
    }

    /// The parameters of a block.
    pub fn params(&self, block: Block) -> &[Value] {
        &self.blocks[block.index()].params
    }

    /// The instructions of a block, in order.
    pub fn insts(&self, block: Block) -> &[Inst] {
        &self.blocks[block.index()].insts
    }

    /// The end of a block.
    ///
    /// # Panics
    /// If the block has none, which no function that the verifier passes has.
    pub fn terminator(&self, block: Block) -> &Terminator {
        self.blocks[block.index()].terminator.as_ref().expect("a verified block has a terminator")
    }

    pub(crate) fn terminator_mut(&mut self, block: Block) -> &mut Terminator {
        self.blocks[block.index()].terminator.as_mut().expect("a verified block has a terminator")
    }

    /// The operation of an instruction.
    pub fn op(&self, inst: Inst) -> &Op {
        &self.insts[inst.index()].op
    }

    /// The operands of an instruction, in the order of the table.
    pub fn args(&self, inst: Inst) -> &[Value] {
        &self.pool[self.insts[inst.index()].arg_range()]
    }

    pub(crate) fn args_mut(&mut self, inst: Inst) -> &mut [Value] {
        &mut self.pool[self.insts[inst.index()].arg_range()]
    }

    /// The results of an instruction: consecutive values.
    pub fn results(&self, inst: Inst) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator + use<> {
        let data = &self.insts[inst.index()];
        let first = data.first_result.index();
        (first..first + usize::from(data.result_count)).map(Value::new)
    }

    /// The only result of an instruction that has one.
    pub fn result(&self, inst: Inst) -> Value {
        self.insts[inst.index()].first_result
    }

    /// Number of values; they are numbered from 0.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Number of instructions; they are numbered from 0.
    pub fn inst_count(&self) -> usize {
        self.insts.len()
    }

    /// Number of blocks; they are numbered from 0.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The type of a value.
    pub fn value_type(&self, value: Value) -> Type {
        self.values[value.index()].ty
    }

    /// Where a value comes from.
    pub fn def(&self, value: Value) -> Def {
        self.values[value.index()].def
    }

    /// The instruction that gives a value, its operation and operands; `None` for parameters.
    pub fn defining_op(&self, value: Value) -> Option<(&Op, &[Value])> {
        match self.def(value) {
            Def::Result(inst, _) => Some((self.op(inst), self.args(inst))),
            Def::Param(..) => None,
        }
    }

    /// The constant that a lane value is in every lane.
    pub fn lane_constant(&self, value: Value) -> Option<u32> {
        match self.defining_op(value)?.0 {
            Op::Lane { bits } => Some(bits.0),
            _ => None,
        }
    }

    /// The constant that a mask is.
    pub fn mask_constant(&self, value: Value) -> Option<bool> {
        match *self.defining_op(value)?.0 {
            Op::Mask { value } => Some(value),
            _ => None,
        }
    }

    /// The constant that a uniform is.
    pub fn uniform_constant(&self, value: Value) -> Option<i32> {
        match *self.defining_op(value)?.0 {
            Op::Uniform { value } => Some(value),
            _ => None,
        }
    }

    pub(crate) fn add_block(&mut self) -> Block {
        self.blocks.push(BlockData::default());
        Block::new(self.blocks.len() - 1)
    }

    pub(crate) fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let value = Value::new(self.values.len());
        let params = &mut self.blocks[block.index()].params;
        self.values.push(ValueData { ty, def: Def::Param(block, params.len() as u32) });
        params.push(value);
        value
    }

    /// Makes an instruction that is in no block yet.
    pub(crate) fn make_inst(&mut self, op: Op, args: &[Value]) -> Inst {
        debug_assert_eq!(args.len(), op.info().operands.len(), "{}", op.name());
        let inst = Inst::new(self.insts.len());
        self.insts.push(InstData::new(op, self.pool.len(), Value::new(self.values.len())));
        self.pool.extend_from_slice(args);
        for (k, &ty) in op.info().results.iter().enumerate() {
            self.values.push(ValueData { ty, def: Def::Result(inst, k as u32) });
        }
        inst
    }

    /// Gives an instruction another operation with as many operands or fewer, and the same results.
    pub(crate) fn replace_op(&mut self, inst: Inst, op: Op, args: &[Value]) {
        let old = self.insts[inst.index()];
        debug_assert_eq!(old.op.info().results, op.info().results);
        let start = if args.len() <= usize::from(old.arg_count) {
            old.args as usize
        } else {
            self.pool.resize(self.pool.len() + args.len(), Value(0));
            self.pool.len() - args.len()
        };
        self.pool[start..start + args.len()].copy_from_slice(args);
        self.insts[inst.index()] = InstData::new(op, start, old.first_result);
    }

    /// Rewrites every operand of instructions and terminators in blocks.
    pub(crate) fn map_operands(&mut self, mut map: impl FnMut(Value) -> Value) {
        for data in &mut self.blocks {
            for inst in &data.insts {
                for arg in &mut self.pool[self.insts[inst.index()].arg_range()] {
                    *arg = map(*arg);
                }
            }
            if let Some(terminator) = &mut data.terminator {
                terminator.for_each_value_mut(|value| *value = map(*value));
            }
        }
    }

    /// How much there is for a pass to look at: values, operands and arguments.
    pub fn size(&self) -> usize {
        let of_block = |block: &BlockData| {
            let args = block.terminator.iter().flat_map(Terminator::targets).map(|target| target.args.len());
            1 + block.params.len() + 4 * block.insts.len() + args.sum::<usize>()
        };
        self.blocks.iter().map(of_block).sum()
    }

    /// Number of instructions in blocks.
    pub fn live_inst_count(&self) -> usize {
        self.blocks.iter().map(|block| block.insts.len()).sum()
    }
}
