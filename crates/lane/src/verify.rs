//! The verifier: every function passes it before an engine sees it.

use crate::attribute::Channels;
use crate::entity::{Block, Inst, Type, Value};
use crate::facts::ValueRanges;
use crate::function::{BranchTarget, Def, Function, Terminator};
use crate::graph::Graph;
use crate::op::{NanBits, Op};
use crate::simplify::Observed;

/// Where a function is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a declaration: an array or a table.
    Declaration,
    /// At the head of a block.
    Head(Block),
    /// At an instruction: its block, and its place in the block, from 0.
    Inst(Block, usize),
    /// At the terminator of a block.
    End(Block),
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Declaration => f.write_str("declarations"),
            Self::Head(block) => write!(f, "head of {block}"),
            Self::Inst(block, at) => write!(f, "{block}, instruction {at}"),
            Self::End(block) => write!(f, "end of {block}"),
        }
    }
}

/// What is wrong with a function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyCause {
    /// The function has no block to start in.
    #[error("there is no block")]
    NoEntry,
    /// The entry has parameters, or a block goes to it.
    #[error("the entry has parameters or predecessors")]
    BadEntry,
    /// A block does not end.
    #[error("the block has no terminator")]
    NoTerminator,
    /// The number of entries is not a power of two, or too large.
    #[error("{0} entries are not a power of two up to 65536")]
    EntryCount(u32),
    /// A value's number is out of range.
    #[error("{0} does not exist")]
    UnknownValue(Value),
    /// A target's number is out of range.
    #[error("{0} does not exist")]
    UnknownBlock(Block),
    /// Something that is not declared, or an entry that the table does not have.
    #[error("{0} is not declared")]
    Undeclared(String),
    /// An array holds other things.
    #[error("the array holds {has}, expected {wants}")]
    ArrayType {
        /// What the declaration says.
        has: Type,
        /// What the operation wants.
        wants: Type,
    },
    /// A value has the wrong type.
    #[error("{value} is of type {has}, expected {wants}")]
    Type {
        /// The value.
        value: Value,
        /// Its type.
        has: Type,
        /// What its user wants.
        wants: Type,
    },
    /// A target has more or fewer arguments than its block has parameters.
    #[error("{block} takes {takes} arguments, found {given}")]
    ArgumentCount {
        /// The target.
        block: Block,
        /// Its parameters.
        takes: usize,
        /// The arguments.
        given: usize,
    },
    /// A value is used where its definition has not always been passed.
    #[error("{0} may not be computed yet here")]
    NotDominated(Value),
    /// Arithmetic leaves the bits of a NaN open, and something observes them.
    #[error("the bits of a NaN in {0} are open, and observed: `canon_nan` or `pass_nan` is missing")]
    OpenNan(Value),
    /// A store that writes no channel.
    #[error("the store writes no channel")]
    NoChannels,
    /// A value's definition is not part of the function, or its instruction stands in two places.
    #[error("{0} is not defined exactly once")]
    Definition(Value),
}

/// A function is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {cause}")]
pub struct VerifyError {
    /// Where.
    pub place: Location,
    /// Why.
    pub cause: VerifyCause,
}

/// Entries of the largest table or array.
const MAX_ENTRIES: u32 = 1 << 16;

/// Checks everything that engines and simplifications rely on: declarations, types, targets and their arguments, that
/// every value is computed before it is used, and that no NaN with open bits is observed. Blocks that cannot be reached
/// need only be well-formed.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(function: &Function) -> Result<(), VerifyError> {
    verify_form(function)?;
    nan_bits(function, &Graph::new(function))
}

/// What [`verify`] checks, without the NaNs. Simplification keeps this to the letter. It keeps the bits of NaNs as well,
/// but may drop what fixes them where a range shows that there is no NaN, and the ranges of the function that it makes need
/// not show it again.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify_form(function: &Function) -> Result<(), VerifyError> {
    Checker { function, places: Vec::new() }.run()
}

/// Nothing observes the bits of a NaN that are open.
fn nan_bits(function: &Function, graph: &Graph) -> Result<(), VerifyError> {
    let observed = Observed::new(function, graph);
    let mut ranges = None;
    for &block in &graph.order {
        for (at, &inst) in function.insts(block).iter().enumerate() {
            if function.op(inst).nan_bits() == NanBits::Loose && observed.get(function.result(inst)) {
                let value = function.result(inst);
                let ranges = ranges.get_or_insert_with(|| ValueRanges::new(function, graph));
                if ranges.get(value).nan {
                    return Err(VerifyError { place: Location::Inst(block, at), cause: VerifyCause::OpenNan(value) });
                }
            }
        }
    }
    Ok(())
}

struct Checker<'a> {
    function: &'a Function,
    /// Where each value is defined: its block, and how many instructions of the block come before it is there.
    places: Vec<Option<(Block, usize)>>,
}

type Checked = Result<(), VerifyCause>;

impl Checker<'_> {
    fn run(mut self) -> Result<(), VerifyError> {
        let function = self.function;
        let fail = |place| move |cause| VerifyError { place, cause };
        self.declarations().map_err(fail(Location::Declaration))?;
        if function.block_count() == 0 {
            return Err(VerifyError { place: Location::Declaration, cause: VerifyCause::NoEntry });
        }
        self.find_definitions()?;
        for block in function.blocks() {
            for (at, &inst) in function.insts(block).iter().enumerate() {
                self.inst(inst).map_err(fail(Location::Inst(block, at)))?;
            }
            self.terminator(block).map_err(fail(Location::End(block)))?;
        }
        if !function.params(Function::ENTRY).is_empty() {
            return Err(VerifyError { place: Location::Head(Function::ENTRY), cause: VerifyCause::BadEntry });
        }
        let graph = Graph::new(function);
        for &block in &graph.order {
            for (at, &inst) in function.insts(block).iter().enumerate() {
                for &arg in function.args(inst) {
                    self.dominated(&graph, arg, block, at).map_err(fail(Location::Inst(block, at)))?;
                }
            }
            for value in function.terminator(block).values() {
                self.dominated(&graph, value, block, usize::MAX).map_err(fail(Location::End(block)))?;
            }
        }
        Ok(())
    }

    fn declarations(&self) -> Checked {
        let tables = self.function.tables.iter().map(|table| table.entries);
        let arrays = self.function.arrays.iter().map(|array| array.entries);
        match tables.chain(arrays).find(|&entries| !entries.is_power_of_two() || entries > MAX_ENTRIES) {
            Some(entries) => Err(VerifyCause::EntryCount(entries)),
            None => Ok(()),
        }
    }

    /// Notes where each value is defined, once.
    fn find_definitions(&mut self) -> Result<(), VerifyError> {
        let function = self.function;
        self.places = vec![None; function.value_count()];
        for block in function.blocks() {
            for (number, &param) in function.params(block).iter().enumerate() {
                self.define(param, Def::Param(block, number as u32), (block, 0))
                    .map_err(|cause| VerifyError { place: Location::Head(block), cause })?;
            }
            for (at, &inst) in function.insts(block).iter().enumerate() {
                for (number, result) in function.results(inst).enumerate() {
                    self.define(result, Def::Result(inst, number as u32), (block, at + 1))
                        .map_err(|cause| VerifyError { place: Location::Inst(block, at), cause })?;
                }
            }
        }
        Ok(())
    }

    fn define(&mut self, value: Value, def: Def, place: (Block, usize)) -> Checked {
        let slot = self.places.get_mut(value.index()).ok_or(VerifyCause::UnknownValue(value))?;
        if slot.is_some() || self.function.def(value) != def {
            return Err(VerifyCause::Definition(value));
        }
        *slot = Some(place);
        Ok(())
    }

    fn value(&self, value: Value, wants: Type) -> Checked {
        match self.places.get(value.index()) {
            None => return Err(VerifyCause::UnknownValue(value)),
            Some(None) => return Err(VerifyCause::Definition(value)),
            Some(Some(_)) => {}
        }
        let has = self.function.value_type(value);
        if has == wants { Ok(()) } else { Err(VerifyCause::Type { value, has, wants }) }
    }

    fn inst(&self, inst: Inst) -> Checked {
        let function = self.function;
        let op = function.op(inst);
        self.names(op)?;
        let wanted = op.info().operands.iter().map(|&(_, ty)| ty);
        function.args(inst).iter().zip(wanted).try_for_each(|(&arg, ty)| self.value(arg, ty))
    }

    /// What the operation names is declared.
    fn names(&self, op: &Op) -> Checked {
        let function = self.function;
        let undeclared = |name: &dyn ToString| Err(VerifyCause::Undeclared(name.to_string()));
        if let Some(surface) = op.surface().filter(|surface| surface.index() >= function.surfaces.len()) {
            return undeclared(&surface);
        }
        if matches!(op, Op::SurfaceStore { channels: Channels(0), .. }) {
            return Err(VerifyCause::NoChannels);
        }
        if let Some(buffer) = op.buffer().filter(|buffer| buffer.0 >= function.buffers) {
            return undeclared(&buffer);
        }
        if let Some((table, entry)) = op.table_entry() {
            let Some(decl) = function.tables.get(table.index()) else { return undeclared(&table) };
            if let Some(entry) = entry.filter(|&entry| entry >= decl.entries) {
                return undeclared(&format!("entry {entry} of {table}"));
            }
        }
        if let Some((array, wants)) = op.array() {
            let Some(decl) = function.arrays.get(array.index()) else { return undeclared(&array) };
            if decl.ty != wants {
                return Err(VerifyCause::ArrayType { has: decl.ty, wants });
            }
        }
        Ok(())
    }

    fn terminator(&self, block: Block) -> Checked {
        let terminator = self.function.blocks[block.index()].terminator.as_ref().ok_or(VerifyCause::NoTerminator)?;
        let wants = match terminator {
            Terminator::If { .. } => Type::Uniform,
            _ => Type::Mask,
        };
        terminator.operands().try_for_each(|value| self.value(value, wants))?;
        terminator.targets().try_for_each(|target| self.target(target))
    }

    fn target(&self, target: &BranchTarget) -> Checked {
        if target.block.index() >= self.function.block_count() {
            return Err(VerifyCause::UnknownBlock(target.block));
        }
        if target.block == Function::ENTRY {
            return Err(VerifyCause::BadEntry);
        }
        let params = self.function.params(target.block);
        if params.len() != target.args.len() {
            let (takes, given) = (params.len(), target.args.len());
            return Err(VerifyCause::ArgumentCount { block: target.block, takes, given });
        }
        let types = params.iter().map(|&param| self.function.value_type(param));
        target.args.iter().zip(types).try_for_each(|(&arg, ty)| self.value(arg, ty))
    }

    /// The value is there before instruction `at` of `block`.
    fn dominated(&self, graph: &Graph, value: Value, block: Block, at: usize) -> Checked {
        let (home, from) = self.places[value.index()].ok_or(VerifyCause::Definition(value))?;
        let there = if home == block { from <= at } else { graph.is_reachable(home) && graph.dominates(home, block) };
        if there { Ok(()) } else { Err(VerifyCause::NotDominated(value)) }
    }
}
