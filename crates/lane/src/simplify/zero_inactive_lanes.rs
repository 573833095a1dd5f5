//! Lanes that do not take a branch calculate with zeros after it.
//!
//! All lanes of a group run the code after a branch that one of them takes. What the others calculate there nobody sees, but it may run off to
//! infinity and become a NaN, as where a loop's result goes on without the test that would have ended it. On hosts whose arithmetic raises a flag for
//! that, the group then runs again, step by step. Zeros mostly stay what they are, and take one choice for each value that comes from outside.

use super::demanded_lanes::{DemandedLanes, Ways, each_use};
use super::mask_implication::implies_by_params;
use crate::effort::Effort;
use crate::entity::{Block, Inst, Type, Value};
use crate::function::{Def, Function, Terminator};
use crate::graph::Graph;
use crate::hash::FastMap;
use crate::op::{Effect, Op};

/// A use of a value: who reads it as which operand.
type Use = (Inst, usize);

/// Gives blocks after branches zeros in lanes that do not come there, in a simplified function; gives whether there are some. `is_worth` says
/// whether a block of so many instructions is worth so many choices.
pub fn zero_inactive_lanes(function: &mut Function, effort: &Effort, is_worth: impl Fn(usize, usize) -> bool) -> bool {
    let graph = Graph::new(function);
    let masks: FastMap<Block, Value> = graph
        .order
        .iter()
        .filter(|&&block| is_worth(function.insts(block).len(), 1))
        .filter_map(|&block| Some((block, asked_in_front(function, &graph, block)?)))
        .collect();
    if masks.is_empty() {
        return false;
    }
    let mut homes = vec![None; function.inst_count()];
    for &block in masks.keys() {
        function.insts(block).iter().for_each(|inst| homes[inst.index()] = Some(block));
    }
    let mut uses: FastMap<Block, FastMap<Value, Vec<Use>>> = FastMap::default();
    each_use(function, &graph, Ways::Everywhere, effort, |inst, at, demand| {
        let value = function.args(inst)[at];
        if let (Some(block), DemandedLanes::Inside(inside)) = (homes[inst.index()], demand)
            && is_from_outside(function, &homes, block, value)
            && implies_by_params(function, &graph, inside, masks[&block])
        {
            uses.entry(block).or_default().entry(value).or_default().push((inst, at));
        }
        value
    });
    let mut changed = false;
    for (block, values) in uses {
        if is_worth(function.insts(block).len(), values.len()) {
            give_zeros(function, block, masks[&block], values);
            changed = true;
        }
    }
    if changed {
        function.compact();
    }
    changed
}

/// The mask of the lanes that come to the block, if the only way there is a branch that asks for one. Blocks that access memory are left alone: with
/// zeros in between, places side by side would no longer be known to be.
fn asked_in_front(function: &Function, graph: &Graph, block: Block) -> Option<Value> {
    let &[from] = graph.predecessors(block) else { return None };
    let calculates = |&inst: &Inst| matches!(function.op(inst).effect(), Effect::Pure | Effect::Counts);
    if !function.insts(block).iter().all(calculates) {
        return None;
    }
    match *function.terminator(from) {
        Terminator::Any { mask, ref then, .. } if then.block == block => Some(mask),
        Terminator::Any { .. }
        | Terminator::If { .. }
        | Terminator::Jump(_)
        | Terminator::Return
        | Terminator::Trap { .. } => None,
    }
}

/// Whether the value is calculated in front of the block.
fn is_from_outside(function: &Function, homes: &[Option<Block>], block: Block, value: Value) -> bool {
    if function.value_type(value) != Type::Lane {
        return false;
    }
    match function.def(value) {
        Def::Param(..) => true,
        Def::Result(inst, _) => {
            let is_constant = matches!(function.op(inst), Op::Lane { .. } | Op::TableSplat { .. } | Op::Splat {});
            homes[inst.index()] != Some(block) && !is_constant
        }
    }
}

fn give_zeros(function: &mut Function, block: Block, mask: Value, values: FastMap<Value, Vec<Use>>) {
    let zero = function.make_inst(super::lane(0), &[]);
    function.blocks[0].insts.insert(0, zero);
    let zero = function.result(zero);
    let mut values: Vec<(Value, Vec<Use>)> = values.into_iter().collect();
    values.sort_unstable_by_key(|&(value, _)| value);
    let mut choices = Vec::with_capacity(values.len());
    for (value, uses) in values {
        let choice = function.make_inst(Op::Select {}, &[mask, value, zero]);
        choices.push(choice);
        let result = function.result(choice);
        uses.into_iter().for_each(|(inst, at)| function.args_mut(inst)[at] = result);
    }
    function.blocks[block.index()].insts.splice(0..0, choices);
}
