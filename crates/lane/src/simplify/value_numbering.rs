//! One walk in reverse postorder: operands are replaced by what is known of them, rules rewrite the instruction, and an
//! equal computation that dominates it takes its place.

use super::demanded_lanes::QUESTIONS;
use super::mask_facts::MaskFacts;
use super::mask_implication::{has_lane, implies_by_params};
use super::redundant_params::replace_params;
use super::replacement::ValueReplacement;
use super::rules;
use super::zero_signs::ZeroSigns;
use crate::effort::{Effort, Patience};
use crate::entity::{Block, Inst, Type, Value};
use crate::facts::{LaneShapes, ValueRange, ValueRanges};
use crate::function::{Function, Terminator};
use crate::graph::Graph;
use crate::hash::{FastHasher, FastMap};
use crate::op::{Effect, Op};
use std::hash::{Hash, Hasher};

/// What a rule makes of an instruction.
pub(crate) enum Rewrite {
    /// The instruction is another one.
    Becomes(Op, Vec<Value>),
    /// Its only result is this value.
    Is(Value),
    /// Its only result is this constant (an operation without operands).
    IsConstant(Op),
    /// Its two results are these constants.
    AreConstants([u32; 2]),
    /// All its results are zero.
    IsZero,
    /// It does nothing.
    IsNothing,
}

/// Rewrites one instruction can go through; each makes it simpler, so this is never reached.
const MAX_REWRITES: usize = 16;

/// What is known of a function before a walk.
pub(crate) struct Facts {
    ranges: ValueRanges,
    shapes: LaneShapes,
    known: MaskFacts,
    zero_signs: ZeroSigns,
    /// Uses of each value.
    uses: Vec<u32>,
}

impl Facts {
    fn new(function: &Function, graph: &Graph, patience: &Patience) -> Self {
        let ranges = ValueRanges::within(function, graph, patience);
        let shapes = LaneShapes::within(function, graph, patience);
        let known = MaskFacts::new(function, graph, &shapes);
        let zero_signs = ZeroSigns::new(function, graph, &ranges, patience);
        let mut uses = vec![0; function.value_count()];
        for &block in &graph.order {
            let insts = function.insts(block).iter().flat_map(|&inst| function.args(inst)).copied();
            insts.chain(function.terminator(block).values()).for_each(|value| uses[value.index()] += 1);
        }
        Self { ranges, shapes, known, zero_signs, uses }
    }

    /// The shapes of the values.
    pub(crate) fn shapes(&self) -> &LaneShapes {
        &self.shapes
    }

    /// Whether something else is known of a value than before. Of constants, which are all that a walk makes, everything is known at once.
    fn differs(&self, old: &Self, value: Value) -> bool {
        value.index() < old.uses.len()
            && (self.ranges.get(value) != old.ranges.get(value)
                || self.shapes.get(value) != old.shapes.get(value)
                || self.zero_signs.matters(value) != old.zero_signs.matters(value)
                || (self.uses[value.index()] == 1) != (old.uses[value.index()] == 1))
    }
}

/// How many definitions a rule looks at, one after the other, at most: it looks at one or two, and then as deep as questions about masks and about
/// zeros go.
const REACH: u32 = 8;
/// The distance of a value from what is unknown.
const FAR: u32 = u32::MAX;

/// What rules may look at and use.
pub(crate) struct Rewriter<'a> {
    pub(crate) function: &'a mut Function,
    graph: &'a Graph,
    facts: Facts,
    /// Whether the sign of the result of the instruction at hand matters when it is zero.
    zero_sign_matters: bool,
    replacement: ValueReplacement,
    constants: FastMap<Op, Value>,
    prelude: Vec<Inst>,
    changed: bool,
}

impl Rewriter<'_> {
    /// The range of a value.
    pub(crate) fn range(&self, value: Value) -> ValueRange {
        self.facts.ranges.of(self.function, value)
    }

    /// Whether the sign of the result matters when it is zero.
    pub(crate) fn zero_sign_matters(&self) -> bool {
        self.zero_sign_matters
    }

    /// Whether the value is the same in every lane.
    pub(crate) fn is_uniform(&self, value: Value) -> bool {
        self.function.lane_constant(value).is_some() || self.facts.shapes.is_uniform(value)
    }

    /// Whether every lane of `m` is certainly in `n`.
    pub(crate) fn implies(&self, m: Value, n: Value) -> bool {
        implies_by_params(self.function, self.graph, m, n)
    }

    /// Whether nothing else used the value when the walk began.
    pub(crate) fn has_one_use(&self, value: Value) -> bool {
        self.facts.uses.get(value.index()) == Some(&1)
    }

    /// The operation and operands that give a value.
    pub(crate) fn definition(&self, value: Value) -> Option<(Op, &[Value])> {
        self.function.defining_op(value).map(|(op, args)| (*op, args))
    }

    /// The value of a constant operation, at the start of the entry.
    pub(crate) fn constant(&mut self, op: Op) -> Value {
        if let Some(&value) = self.constants.get(&op) {
            return value;
        }
        let inst = self.function.make_inst(op, &[]);
        self.prelude.push(inst);
        let value = self.function.result(inst);
        self.replacement.extend(self.function);
        self.constants.insert(op, value);
        value
    }

    /// The value as seen from `block`: replaced, and constant where a branch implies it.
    fn seen(&mut self, value: Value, block: Block) -> Value {
        let value = self.replacement.get(value);
        if self.function.value_type(value) == Type::Mask
            && self.function.mask_constant(value).is_none()
            && let Some(known) = self.facts.known.get(self.graph, value, block)
        {
            self.changed = true;
            return self.constant(Op::Mask { value: known });
        }
        value
    }

    /// Replaces the operands of an instruction by what they are known to be.
    fn see_operands(&mut self, inst: Inst, block: Block) {
        for at in 0..self.function.args(inst).len() {
            let seen = self.seen(self.function.args(inst)[at], block);
            self.function.args_mut(inst)[at] = seen;
        }
    }

    /// Whether a walk would find nothing, as the last one, before which `old` was known, left everything in its final form: rules that did not
    /// apply then can only apply now because something else is known of a value that they look at. A walk comes to all definitions before their
    /// users, and no rule looks at what goes back to a loop's head.
    fn is_settled(&mut self, old: &Facts) -> bool {
        if !self.facts.known.says_the_same(&old.known) {
            return false;
        }
        let mut distances = vec![FAR; self.function.value_count()];
        for at in 0..self.graph.order.len() {
            let block = self.graph.order[at];
            for (number, &param) in self.function.params(block).iter().enumerate() {
                let edges = self.graph.edges(self.function, block);
                let nearest = edges.iter().map(|edge| distances[edge.args[number].index()]).min().unwrap_or(FAR);
                distances[param.index()] = if self.facts.differs(old, param) { 0 } else { nearest.saturating_add(1) };
            }
            for at in 0..self.function.insts(block).len() {
                let inst = self.function.insts(block)[at];
                let mut nearest =
                    self.function.args(inst).iter().map(|arg| distances[arg.index()]).min().unwrap_or(FAR);
                nearest = nearest.saturating_add(1);
                if self.function.results(inst).any(|result| self.facts.differs(old, result)) {
                    nearest = 0;
                }
                self.function.results(inst).for_each(|result| distances[result.index()] = nearest);
                if nearest <= REACH && self.outcome(inst).is_some() {
                    return false;
                }
            }
            if let Terminator::Any { mask, .. } = *self.function.terminator(block)
                && (old.shapes.is_uniform(mask) != self.facts.shapes.is_uniform(mask) || self.asked(mask) != mask)
            {
                return false;
            }
        }
        true
    }

    /// What the first rule that applies makes of an instruction.
    fn outcome(&mut self, inst: Inst) -> Option<Rewrite> {
        let mut results = self.function.results(inst);
        self.zero_sign_matters = results.any(|result| self.facts.zero_signs.matters(result));
        rules::apply(self, self.function.op(inst), self.function.args(inst))
    }

    /// The mask that a branch may ask instead of this one whether it has a lane.
    fn asked(&mut self, mask: Value) -> Value {
        let has_lane = |mask| has_lane(self.function, self.graph, mask);
        // Where all lanes of the function say the same, a lane of another mask does.
        let same = match self.function.defining_op(mask) {
            Some((Op::MaskAnd {}, &[a, b])) => [(a, b), (b, a)]
                .into_iter()
                .find_map(|(lanes, same)| (self.is_uniform(same) && has_lane(lanes)).then_some(same)),
            _ => None,
        };
        let mask = same.unwrap_or(mask);
        if self.function.mask_constant(mask).is_none() && has_lane(mask) {
            return self.constant(Op::Mask { value: true });
        }
        mask
    }

    fn replace(&mut self, inst: Inst, values: impl Iterator<Item = Value>) {
        for (result, value) in self.function.results(inst).zip(values) {
            self.replacement.set(result, value);
        }
        self.changed = true;
    }

    /// Applies rules until none applies; gives whether the instruction stays.
    fn rewrite(&mut self, inst: Inst) -> bool {
        for _ in 0..MAX_REWRITES {
            let Some(outcome) = self.outcome(inst) else { break };
            self.changed = true;
            match outcome {
                Rewrite::Becomes(op, args) => self.function.replace_op(inst, op, &args),
                Rewrite::Is(value) => {
                    self.replace(inst, std::iter::once(value));
                    return false;
                }
                Rewrite::IsConstant(op) => {
                    let value = self.constant(op);
                    self.replace(inst, std::iter::once(value));
                    return false;
                }
                Rewrite::AreConstants(bits) => {
                    let values = bits.map(|bits| self.constant(super::lane(bits)));
                    self.replace(inst, values.into_iter());
                    return false;
                }
                Rewrite::IsZero => {
                    let zero = self.constant(super::lane(0));
                    self.replace(inst, std::iter::repeat(zero));
                    return false;
                }
                Rewrite::IsNothing => return false,
            }
        }
        true
    }
}

/// Whether the operation is a constant, which lives at the start of the entry.
fn is_constant(op: &Op) -> bool {
    matches!(op, Op::Lane { .. } | Op::Mask { .. } | Op::Uniform { .. })
}

/// Walks once. `walked` is what was known before the last walk, if nothing but dead code has gone since. Gives whether something changed, and what
/// was known before.
pub(crate) fn run(function: &mut Function, graph: &Graph, walked: Option<Facts>, effort: &Effort) -> (bool, Facts) {
    let facts = Facts::new(function, graph, &effort.patience(function));
    let replacement = ValueReplacement::new(function);
    let mut rewriter = Rewriter {
        function,
        graph,
        facts,
        zero_sign_matters: true,
        replacement,
        constants: FastMap::default(),
        prelude: Vec::new(),
        changed: false,
    };
    if walked.is_some_and(|old| rewriter.is_settled(&old)) {
        return (false, rewriter.facts);
    }
    let mut equals = ValueTable::new(rewriter.function.inst_count());
    for &block in &graph.order {
        // What a block gets on its only way in says more than what it is: that it has a lane.
        if graph.predecessors(block).len() > 1 && !graph.is_loop_head(block) {
            let Rewriter { function, replacement, changed, .. } = &mut rewriter;
            *changed |= replace_params(function, graph, block, replacement);
        }
        let insts = std::mem::take(&mut rewriter.function.blocks[block.index()].insts);
        let mut kept = Vec::with_capacity(insts.len());
        equals.epoch += 1;
        for inst in insts {
            if !effort.spend(QUESTIONS) {
                kept.push(inst);
                continue;
            }
            let op = *rewriter.function.op(inst);
            if is_constant(&op) {
                match rewriter.constants.get(&op) {
                    Some(&value) => rewriter.replace(inst, std::iter::once(value)),
                    None => {
                        rewriter.constants.insert(op, rewriter.function.result(inst));
                        rewriter.prelude.push(inst);
                        rewriter.changed |= block != Function::ENTRY;
                    }
                }
                continue;
            }
            rewriter.see_operands(inst, block);
            if !rewriter.rewrite(inst) {
                continue;
            }
            let op = *rewriter.function.op(inst);
            if let Some(earlier) = equals.find(rewriter.function, graph, inst, block) {
                let results = rewriter.function.results(earlier);
                rewriter.replace(inst, results);
                continue;
            }
            if matches!(op.effect(), Effect::WritesMemory | Effect::WritesArray) {
                equals.epoch += 1;
            }
            kept.push(inst);
        }
        rewriter.function.blocks[block.index()].insts = kept;
        if !effort.is_over() {
            see_terminator(&mut rewriter, block);
        }
    }
    let Rewriter { function, facts, replacement, mut prelude, changed, .. } = rewriter;
    let entry = &mut function.blocks[0].insts;
    prelude.append(entry);
    *entry = prelude;
    replacement.apply(function);
    (changed, facts)
}

/// Replaces what a terminator reads by what it is known to be, on each edge for itself.
fn see_terminator(rewriter: &mut Rewriter<'_>, block: Block) {
    let mut terminator = rewriter.function.terminator(block).clone();
    terminator.for_each_value_mut(|value| *value = rewriter.seen(*value, block));
    if let Terminator::Any { mask, then, otherwise } = &mut terminator {
        let asked = rewriter.asked(*mask);
        rewriter.changed |= asked != *mask;
        *mask = asked;
        let is_uniform = rewriter.is_uniform(*mask);
        for (target, known) in [(then, is_uniform.then_some(true)), (otherwise, Some(false))] {
            let Some(value) = known else { continue };
            for arg in target.args.iter_mut().filter(|arg| *arg == mask) {
                let constant = rewriter.constant(Op::Mask { value });
                rewriter.changed |= *arg != constant;
                *arg = constant;
            }
        }
    }
    *rewriter.function.terminator_mut(block) = terminator;
}

/// The computations seen so far: an open hash table of instructions.
struct ValueTable {
    /// Instructions plus one; 0 where free. The length is a power of two and more than the number of instructions.
    slots: Vec<u32>,
    /// Block and epoch of each instruction in the table.
    homes: Vec<(Block, u32)>,
    /// Counts blocks and writes: reads are equal only within one epoch.
    epoch: u32,
}

impl ValueTable {
    fn new(inst_count: usize) -> Self {
        let slots = vec![0; (2 * inst_count + 2).next_power_of_two()];
        Self { slots, homes: vec![(Block(0), 0); inst_count], epoch: 0 }
    }

    /// The same computation, if it dominates this one; otherwise this one is remembered.
    fn find(&mut self, function: &Function, graph: &Graph, inst: Inst, block: Block) -> Option<Inst> {
        let (op, args) = (function.op(inst), function.args(inst));
        let is_read = match op.effect() {
            Effect::Pure => false,
            Effect::ReadsMemory | Effect::ReadsArray => true,
            Effect::WritesMemory | Effect::WritesArray | Effect::Counts => return None,
        };
        let mut hasher = FastHasher::default();
        op.hash(&mut hasher);
        args.iter().for_each(|arg| hasher.write_u32(arg.0));
        let mut at = hasher.finish() as usize;
        loop {
            at &= self.slots.len() - 1;
            let Some(earlier) = self.slots[at].checked_sub(1).map(Inst) else { break };
            if function.op(earlier) == op && function.args(earlier) == args {
                let (home, epoch) = self.homes[earlier.index()];
                if graph.dominates(home, block) && (!is_read || epoch == self.epoch) {
                    return Some(earlier);
                }
                break;
            }
            at += 1;
        }
        self.slots[at] = inst.0 + 1;
        self.homes[inst.index()] = (block, self.epoch);
        None
    }
}
