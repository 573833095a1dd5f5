//! Making functions: instructions in order, terminators, and variables that become values.
//!
//! Each operation of the table is a method of [`Builder`] that takes attributes, then operands, and gives the results.
//!
//! Guest registers are [`Variable`]s: set in one block, read in another, they become values and block parameters by the
//! method of Braun and others ("Simple and Efficient Construction of Static Single Assignment Form"). A block is *sealed*
//! when no further edge to it will come; sealing early spares parameters that simplification would remove.

use crate::ancestors::Ancestors;
use crate::attribute::{
    Bits, Channels, Denorm, ElementTest, ElementWrite, FloatTest, IntTest, QuadOrder, Round, Rounding, Zero,
};
use crate::effort::Effort;
use crate::entity::{Array, Block, Buffer, Surface, Table, Type, Value};
use crate::function::{BranchTarget, Function, Terminator};
use crate::hash::FastMap;
use crate::op::{Op, for_each_operation};

/// Something that is set and read in many blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable(u32);

/// Stands for "not set" in the tables of variables.
const UNSET: Value = Value(u32::MAX);
/// Stands for "looked for right now" there.
const SOUGHT: Value = Value(u32::MAX - 1);

/// Variables whose values in one block lie together. Most blocks know few of them.
const PAGE: usize = 32;

/// What the builder knows of a block.
#[derive(Default)]
struct BlockState {
    /// Blocks that go here, with the number of the target in their terminator.
    predecessors: Vec<(Block, usize)>,
    sealed: bool,
    /// Variables read before the block was sealed, in the order of their parameters.
    incomplete: Vec<Variable>,
    /// The value of each early variable at the end of the block so far.
    current: Vec<Value>,
    /// Where those of the others are: for each page of variables its number plus one, 0 where none of them is known.
    pages: Vec<u32>,
    /// When the block ended.
    end: u32,
}

/// What the builder knows of a variable.
struct VariableState {
    ty: Type,
    /// When it was set last.
    set: u32,
}

/// A block whose predecessors are being asked for a variable.
struct Visit {
    /// The block at the end of which the variable is wanted, and the one above it that is to know.
    asked: Block,
    block: Block,
    /// The predecessor that is asked.
    edge: usize,
    /// What those before gave, and whether it was always the same.
    first: Option<Value>,
    agrees: bool,
}

/// Makes a [`Function`].
///
/// ```
/// use ctm_lane::{Builder, Channels, SurfaceDecl, verify};
/// let mut b = Builder::new();
/// let surface = b.function.add_surface(SurfaceDecl::default());
/// let (x, y, covered) = (b.pos_x(), b.pos_y(), b.covered());
/// let [red, green, blue, alpha] = b.surface_load(surface, x, y, covered);
/// b.surface_store(surface, Channels::ALL, x, y, alpha, blue, green, red, covered);
/// b.ret();
/// let function = b.finish();
/// assert!(verify(&function).is_ok());
/// assert_eq!(function.insts(ctm_lane::Function::ENTRY).len(), 5);
/// ```
pub struct Builder {
    /// The function so far; declarations are made here.
    pub function: Function,
    here: Block,
    states: Vec<BlockState>,
    /// Above each block the last one on all ways to it, where that is known.
    dominators: Ancestors,
    variables: Vec<VariableState>,
    /// Variables that were made before there was a second block: the guest's registers. They are looked for most often; a program may make any number
    /// of others.
    early: usize,
    /// Values of other variables in blocks.
    pages: Vec<[Value; PAGE]>,
    /// Blocks that were asked for a variable, and what has been noted of all that was made.
    asked: usize,
    noted: usize,
    /// Counts what happens to variables and blocks.
    now: u32,
    /// Constants, all at the start of the entry.
    constants: FastMap<Op, Value>,
    prelude: Vec<crate::entity::Inst>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// A function with an empty entry block, to which instructions go first. The entry has no predecessors.
    pub fn new() -> Self {
        let mut builder = Self {
            function: Function::default(),
            here: Function::ENTRY,
            states: Vec::new(),
            dominators: Ancestors::default(),
            variables: Vec::new(),
            early: usize::MAX,
            pages: Vec::new(),
            asked: 0,
            noted: 0,
            now: 0,
            constants: FastMap::default(),
            prelude: Vec::new(),
        };
        let entry = builder.new_block();
        builder.seal(entry);
        builder
    }

    /// A new, empty block.
    pub fn new_block(&mut self) -> Block {
        if self.states.len() == 1 {
            self.early = self.variables.len();
        }
        self.states.push(BlockState::default());
        self.dominators.add_root();
        self.function.add_block()
    }

    /// Adds a parameter to a block. Every jump to it that follows gives an argument for it; so parameters come before
    /// jumps, and before variables are read in the block.
    pub fn param(&mut self, block: Block, ty: Type) -> Value {
        let state = &self.states[block.index()];
        debug_assert!(state.predecessors.is_empty() && state.incomplete.is_empty(), "parameters come first");
        self.function.add_param(block, ty)
    }

    /// Instructions go to the end of this block from now on. Some edge to it exists already, or none ever will.
    pub fn switch_to(&mut self, block: Block) {
        let state = &self.states[block.index()];
        debug_assert!(state.sealed || !state.predecessors.is_empty(), "what comes before {block} is filled before");
        self.here = block;
    }

    /// The block to which instructions go.
    pub fn here(&self) -> Block {
        self.here
    }

    /// Whether the block to which instructions go has its terminator already.
    pub fn is_ended(&self) -> bool {
        self.function.blocks[self.here.index()].terminator.is_some()
    }

    /// Notes what was made since the last time; gives whether more may be made.
    pub fn keeps_to(&mut self, effort: &Effort) -> bool {
        let made = self.function.value_count() + self.function.inst_count() + self.function.block_count() + self.asked;
        let new = made - std::mem::replace(&mut self.noted, made);
        effort.spend(new) && effort.has_memory_for(self.function.value_count())
    }

    /// Appends an instruction and gives its first result.
    pub(crate) fn emit(&mut self, op: Op, args: &[Value]) -> Value {
        debug_assert!(!self.is_ended(), "{} is full", self.here);
        let inst = self.function.make_inst(op, args);
        self.function.blocks[self.here.index()].insts.push(inst);
        self.function.result(inst)
    }

    fn emit_constant(&mut self, op: Op) -> Value {
        if let Some(&value) = self.constants.get(&op) {
            return value;
        }
        let inst = self.function.make_inst(op, &[]);
        self.prelude.push(inst);
        let value = self.function.result(inst);
        self.constants.insert(op, value);
        value
    }

    /// The constant with these bits in every lane, once per function, at the start of the entry.
    pub fn constant(&mut self, bits: u32) -> Value {
        self.emit_constant(Op::Lane { bits: Bits(bits) })
    }

    /// The float constant `value` in every lane.
    pub fn float_constant(&mut self, value: f32) -> Value {
        self.constant(value.to_bits())
    }

    /// The mask of all lanes or of none, once per function.
    pub fn mask_constant(&mut self, value: bool) -> Value {
        self.emit_constant(Op::Mask { value })
    }

    /// The uniform constant, once per function.
    pub fn uniform_constant(&mut self, value: i32) -> Value {
        self.emit_constant(Op::Uniform { value })
    }

    /// a * 2^exponent, flushed (an output modifier); `exponent` in -126..=127. With exponent 0 this is the flush of a.
    pub fn scale(&mut self, exponent: i32, a: Value) -> Value {
        let factor = self.constant(((exponent + 127) as u32) << 23);
        self.fmul(Denorm::Flush, Zero::Ieee, a, factor)
    }

    /// 1/a, rounded once.
    pub fn rcp(&mut self, denorm: Denorm, a: Value) -> Value {
        let one = self.float_constant(1.0);
        self.fdiv(denorm, one, a)
    }

    /// 1/sqrt(a): the square root, then its reciprocal, each rounded.
    pub fn rsq(&mut self, denorm: Denorm, a: Value) -> Value {
        let root = self.fsqrt(denorm, a);
        self.rcp(denorm, root)
    }

    fn target(&mut self, block: Block, args: &[Value], edge: usize) -> BranchTarget {
        let state = &mut self.states[block.index()];
        debug_assert!(!state.sealed, "{block} is sealed");
        state.predecessors.push((self.here, edge));
        BranchTarget { block, args: args.to_vec() }
    }

    fn end(&mut self, terminator: Terminator) {
        debug_assert!(!self.is_ended(), "{} is full", self.here);
        self.function.blocks[self.here.index()].terminator = Some(terminator);
        self.states[self.here.index()].end = self.tick();
    }

    fn tick(&mut self) -> u32 {
        self.now += 1;
        self.now
    }

    /// Goes on at `block`.
    pub fn jump(&mut self, block: Block, args: &[Value]) {
        let target = self.target(block, args, 0);
        self.end(Terminator::Jump(target));
    }

    /// Goes to `then` when the uniforms pass the test, else to `otherwise`.
    pub fn branch_if(
        &mut self,
        test: IntTest,
        a: Value,
        b: Value,
        then: (Block, &[Value]),
        otherwise: (Block, &[Value]),
    ) {
        let then = self.target(then.0, then.1, 0);
        let otherwise = self.target(otherwise.0, otherwise.1, 1);
        self.end(Terminator::If { test, a, b, then, otherwise });
    }

    /// Goes to `then` when the mask has any lane, else to `otherwise`. For the best order of blocks, the target that stays
    /// in a loop is `then`.
    pub fn branch_any(&mut self, mask: Value, then: (Block, &[Value]), otherwise: (Block, &[Value])) {
        let then = self.target(then.0, then.1, 0);
        let otherwise = self.target(otherwise.0, otherwise.1, 1);
        self.end(Terminator::Any { mask, then, otherwise });
    }

    /// Goes to `then` when the mask has all lanes of the group, covered or not, else to `otherwise`.
    pub fn branch_all(&mut self, mask: Value, then: (Block, &[Value]), otherwise: (Block, &[Value])) {
        let missing = self.mask_not(mask);
        self.branch_any(missing, otherwise, then);
    }

    /// Ends the group.
    pub fn ret(&mut self) {
        self.end(Terminator::Return);
    }

    /// Ends the group, and the run, with an error of the guest's numbering at instruction `pc`, for the lanes of the mask.
    pub fn trap(&mut self, code: u16, pc: u32, mask: Value) {
        self.end(Terminator::Trap { code, pc, mask });
    }

    /// A new variable. Where it is read before it is set, it is zero (or no lane).
    pub fn variable(&mut self, ty: Type) -> Variable {
        self.variables.push(VariableState { ty, set: 0 });
        Variable(self.variables.len() as u32 - 1)
    }

    /// Sets a variable at this place.
    pub fn set(&mut self, variable: Variable, value: Value) {
        debug_assert_eq!(self.function.value_type(value), self.variables[variable.0 as usize].ty);
        self.variables[variable.0 as usize].set = self.tick();
        self.set_in(self.here, variable, value);
    }

    /// The value of a variable at this place.
    pub fn get(&mut self, variable: Variable) -> Value {
        self.find(self.here, variable)
    }

    /// Says that no further edge to the block will come.
    pub fn seal(&mut self, block: Block) {
        self.find_dominator(block);
        let state = &mut self.states[block.index()];
        state.sealed = true;
        for variable in std::mem::take(&mut state.incomplete) {
            self.complete(block, variable);
        }
    }

    /// Says that no further edge to any block will come; gives whether that was all of it, or the effort was over first.
    pub fn seal_all(&mut self, effort: &Effort) -> bool {
        for block in self.function.blocks() {
            if self.states[block.index()].sealed {
                continue;
            }
            self.find_dominator(block);
            let state = &mut self.states[block.index()];
            state.sealed = true;
            for variable in std::mem::take(&mut state.incomplete) {
                self.complete(block, variable);
                if !self.keeps_to(effort) {
                    return false;
                }
            }
        }
        true
    }

    /// Gives the parameter of a block that was read before it was sealed its arguments.
    fn complete(&mut self, block: Block, variable: Variable) {
        for edge in 0..self.states[block.index()].predecessors.len() {
            let value = self.find(self.states[block.index()].predecessors[edge].0, variable);
            self.pass(block, edge, value);
        }
    }

    /// Seals the blocks that are not yet, and gives the function.
    pub fn finish(mut self) -> Function {
        self.seal_all(&Effort::of_steps(u64::MAX));
        let entry = &mut self.function.blocks[0].insts;
        self.prelude.append(entry);
        *entry = self.prelude;
        self.function
    }

    #[inline]
    fn set_in(&mut self, block: Block, variable: Variable, value: Value) {
        let index = variable.0 as usize;
        if index >= self.early {
            return self.set_late(block, index, value);
        }
        let current = &mut self.states[block.index()].current;
        if current.len() <= index {
            current.resize(self.variables.len().min(self.early), UNSET);
        }
        current[index] = value;
    }

    #[inline(never)]
    fn set_late(&mut self, block: Block, index: usize, value: Value) {
        let pages = &mut self.states[block.index()].pages;
        let (page, place) = (index / PAGE, index % PAGE);
        if pages.len() <= page {
            pages.resize(page + 1, 0);
        }
        if pages[page] == 0 {
            self.pages.push([UNSET; PAGE]);
            pages[page] = self.pages.len() as u32;
        }
        self.pages[pages[page] as usize - 1][place] = value;
    }

    /// The variable's value at the end of the block, if that is known.
    #[inline]
    fn value_in(&self, block: Block, variable: Variable) -> Option<Value> {
        let index = variable.0 as usize;
        let BlockState { current, pages, .. } = &self.states[block.index()];
        let value = match index < self.early {
            true => *current.get(index)?,
            false => self.pages[pages.get(index / PAGE)?.checked_sub(1)? as usize][index % PAGE],
        };
        (value != UNSET).then_some(value)
    }

    fn zero(&mut self, ty: Type) -> Value {
        match ty {
            Type::Lane => self.constant(0),
            Type::Mask => self.mask_constant(false),
            Type::Uniform => self.uniform_constant(0),
        }
    }

    /// The variable's value at the end of `asked`. It becomes a parameter of a block where the ways into that give different
    /// ones, and where loops come back before that is known.
    fn find(&mut self, mut asked: Block, variable: Variable) -> Value {
        let mut visits: Vec<Visit> = Vec::new();
        loop {
            let block = self.climb(asked, variable);
            let Some(mut value) = self.known(block, variable) else {
                self.set_in(block, variable, SOUGHT);
                visits.push(Visit { asked, block, edge: 0, first: None, agrees: true });
                asked = self.states[block.index()].predecessors[0].0;
                continue;
            };
            if asked != block {
                self.set_in(asked, variable, value);
            }
            asked = loop {
                let Some(visit) = visits.last_mut() else { return value };
                visit.agrees &= *visit.first.get_or_insert(value) == value;
                visit.edge += 1;
                if let Some(&(next, _)) = self.states[visit.block.index()].predecessors.get(visit.edge) {
                    break next;
                }
                let Visit { asked, block, agrees, .. } = *visit;
                value = self.end_visit(block, variable, value, agrees);
                self.set_in(asked, variable, value);
                visits.pop();
            };
        }
    }

    /// The highest block above this one (or this one itself) at the end of which the variable has the same value, because
    /// it was not set since that block ended.
    fn climb(&mut self, mut block: Block, variable: Variable) -> Block {
        let set = self.variables[variable.0 as usize].set;
        let mut steps = 1;
        while let Some(above) = self.dominators.above(block.0)
            && self.value_in(block, variable).is_none()
            && set <= self.states[above as usize].end
        {
            block = Block(above);
            steps += 1;
        }
        self.asked += steps;
        block
    }

    /// Finds the last block that all ways to this one have in common. Once blocks below this one may know their places it is
    /// too late: heads of loops have none.
    fn find_dominator(&mut self, block: Block) {
        let BlockState { predecessors, end, .. } = &self.states[block.index()];
        let mut edges = predecessors.iter().map(|&(from, _)| from.0);
        let all = edges.next().and_then(|first| edges.try_fold(first, |a, b| self.dominators.meet(a, b)));
        if let Some(above) = all.filter(|_| *end == 0) {
            self.dominators.put_below(block.0, above);
        }
    }

    /// The variable's value at the end of `block`, if its predecessors need not be asked for it, or are being asked.
    fn known(&mut self, block: Block, variable: Variable) -> Option<Value> {
        let ty = self.variables[variable.0 as usize].ty;
        let known = self.value_in(block, variable);
        let state = &mut self.states[block.index()];
        let value = match known {
            Some(SOUGHT) => self.function.add_param(block, ty),
            Some(value) => return Some(value),
            _ if !state.sealed => {
                state.incomplete.push(variable);
                self.function.add_param(block, ty)
            }
            _ if state.predecessors.is_empty() => self.zero(ty),
            _ => return None,
        };
        self.set_in(block, variable, value);
        Some(value)
    }

    /// The variable's value at the end of `block`, all predecessors of which know theirs: `value` if they agree.
    fn end_visit(&mut self, block: Block, variable: Variable, value: Value, agrees: bool) -> Value {
        let index = variable.0 as usize;
        let value = match self.value_in(block, variable) {
            Some(SOUGHT) if agrees => {
                self.set_in(block, variable, value);
                return value;
            }
            Some(param) if param != SOUGHT => param,
            Some(_) | None => self.function.add_param(block, self.variables[index].ty),
        };
        self.set_in(block, variable, value);
        for edge in 0..self.states[block.index()].predecessors.len() {
            let (from, _) = self.states[block.index()].predecessors[edge];
            let value = self.value_in(from, variable).unwrap_or(UNSET);
            self.pass(block, edge, value);
        }
        value
    }

    /// Adds an argument for the next parameter of `block` to an edge.
    fn pass(&mut self, block: Block, edge: usize, value: Value) {
        let (from, number) = self.states[block.index()].predecessors[edge];
        let target = self.function.terminator_mut(from).targets_mut().nth(number);
        target.expect("an edge is a target of its source").args.push(value);
    }
}

/// What a builder method returns for a list of result types.
macro_rules! results {
    (()) => {
        ()
    };
    ((Lane, Lane, Lane, Lane)) => {
        [Value; 4]
    };
    ((Lane, Lane)) => {
        [Value; 2]
    };
    (($ty:ident)) => {
        Value
    };
}

/// Turns the first result of a new instruction into what the builder method returns.
macro_rules! finish {
    (() $first:expr) => {{
        $first;
    }};
    ((Lane, Lane, Lane, Lane) $first:expr) => {{
        let first: Value = $first;
        std::array::from_fn(|k| Value(first.0 + k as u32))
    }};
    ((Lane, Lane) $first:expr) => {{
        let first: Value = $first;
        [first, Value(first.0 + 1)]
    }};
    (($ty:ident) $first:expr) => {
        $first
    };
}

macro_rules! methods {
    ($($section:literal {
        $($(#[doc = $doc:literal])+
        $variant:ident $name:ident { $($attribute:ident: $attribute_ty:ident),* }
        ($($operand:ident: $operand_ty:ident),*) -> $results:tt $effect:ident $nan:ident;)+
    })+) => {
        impl Builder {
            $($(
                $(#[doc = $doc])+
                #[allow(unused_variables, clippy::too_many_arguments, reason = "the table decides")]
                pub fn $name(&mut self, $($attribute: $attribute_ty,)* $($operand: Value),*) -> results!($results) {
                    finish!($results self.emit(Op::$variant { $($attribute),* }, &[$($operand),*]))
                }
            )+)+
        }
    };
}

for_each_operation!(methods);

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables become parameters only where ways with different values meet, however long the ways are.
    #[test]
    fn ways_that_agree_need_no_parameter() {
        let mut b = Builder::new();
        let (kept, changed) = (b.variable(Type::Lane), b.variable(Type::Lane));
        let (one, two, mask) = (b.constant(1), b.constant(2), b.covered());
        b.set(kept, one);
        b.set(changed, one);
        let mut joins = Vec::new();
        for at in 0..3 {
            let (then, join) = (b.new_block(), b.new_block());
            b.branch_any(mask, (then, &[]), (join, &[]));
            b.seal(then);
            b.switch_to(then);
            if at == 1 {
                b.set(changed, two);
            }
            b.jump(join, &[]);
            b.seal(join);
            b.switch_to(join);
            joins.push(join);
        }
        assert_eq!(b.get(kept), one);
        let merged = b.get(changed);
        b.ret();
        let function = b.finish();
        assert_eq!(joins.iter().map(|&join| function.params(join)).collect::<Vec<_>>(), [&[][..], &[merged], &[]]);
        let edges = function.blocks().flat_map(|block| function.terminator(block).targets());
        let args: Vec<Value> = edges.filter(|edge| edge.block == joins[1]).flat_map(|edge| edge.args.clone()).collect();
        assert_eq!(args, [one, two]);
    }
}
