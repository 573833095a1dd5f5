//! Counters of loops that lanes leave one after the other.
//!
//! A counter stands still in lanes that have left, so that it is not the same in all lanes; in those that are still in the
//! loop it is. Here such a loop gets another counter that goes on in every lane, and a comparison that is wanted in the
//! loop's lanes only compares that one. Then the comparison is the same in all lanes, and so is what branches on it do.
//!
//! It holds by induction: both counters begin with the same number, which is the same in all lanes, and in each lane that
//! goes around once more, they take the same step.

use super::demanded_lanes::{DemandedLanes, look_through};
use super::mask_implication::implies_by_params;
use crate::effort::Effort;
use crate::entity::{Block, Inst, Type, Value};
use crate::facts::LaneShapes;
use crate::function::{BranchTarget, Def, Function};
use crate::graph::Graph;
use crate::op::{Effect, Op};

/// How deep the operations between a counter and what is made of it are nested.
const DEPTH: u32 = 3;

/// A counter of a loop.
struct Counter {
    head: Block,
    /// The block at the end of the loop.
    latch: Block,
    number: usize,
    param: Value,
    /// The lanes that are in the loop.
    mask: Value,
    /// Its next value in the lanes that stay.
    step: Value,
}

/// `mask_facts` are shapes of the function's values, if they are known already; of values that are newer, nothing is known then.
pub(crate) fn run(function: &mut Function, graph: &Graph, known: Option<&LaneShapes>, effort: &Effort) -> bool {
    let patience = effort.patience(function);
    let has_mask = |head: &Block| function.params(*head).iter().any(|&param| function.value_type(param) == Type::Mask);
    let heads: Vec<Block> = graph.loop_heads().filter(has_mask).collect();
    if heads.is_empty() {
        return false;
    }
    let own = if known.is_none() { Some(LaneShapes::within(function, graph, &patience)) } else { None };
    let Some(shapes) = known.or(own.as_ref()) else { return false };
    let mut changed = false;
    for head in heads {
        if !patience.spend(function.params(head).len() * graph.predecessors(head).len()) {
            break;
        }
        for counter in counters(function, graph, shapes, head) {
            if !patience.spend(function.live_inst_count() + graph.order.len()) {
                break;
            }
            let comparisons = comparisons(function, graph, shapes, &counter);
            if !comparisons.is_empty() {
                count_everywhere(function, &counter, &comparisons);
                changed = true;
            }
        }
    }
    changed
}

fn counters(function: &Function, graph: &Graph, shapes: &LaneShapes, head: Block) -> Vec<Counter> {
    let (back, entries): (Vec<Block>, Vec<Block>) =
        graph.predecessors(head).iter().partition(|&&from| graph.position(from) >= graph.position(head));
    let to_head = |from: &Block| function.terminator(*from).targets().filter(|target| target.block == head);
    let latch_edges: Vec<&BranchTarget> = back.iter().flat_map(to_head).collect();
    let (&[latch], &[around]) = (back.as_slice(), latch_edges.as_slice()) else { return Vec::new() };
    let params = || function.params(head).iter().copied().enumerate();
    let masks = params().filter(|&(_, param)| function.value_type(param) == Type::Mask);
    let masks: Vec<(usize, Value)> =
        masks.filter(|&(at, mask)| implies_by_params(function, graph, around.args[at], mask)).collect();
    let of_param = |(number, param): (usize, Value)| {
        let mut starts = entries.iter().flat_map(to_head).map(|target| target.args[number]);
        if function.value_type(param) != Type::Lane || !starts.all(|start| shapes.is_uniform(start)) {
            return None;
        }
        masks.iter().find_map(|&(at, mask)| {
            let step = look_through(function, graph, around.args[number], DemandedLanes::Inside(around.args[at]));
            let steps = step != param && depends(function, shapes, step, param, DEPTH) == Some(true);
            steps.then_some(Counter { head, latch, number, param, mask, step })
        })
    };
    params().filter_map(of_param).collect()
}

/// Whether a value depends on the counter; `None` if it depends on something else that differs from lane to lane.
fn depends(function: &Function, shapes: &LaneShapes, value: Value, counter: Value, depth: u32) -> Option<bool> {
    if value == counter {
        return Some(true);
    }
    if shapes.is_uniform(value) {
        return Some(false);
    }
    let (op, args) = function.defining_op(value)?;
    let is_lane_by_lane = op.effect() == Effect::Pure
        && op.info().results.len() == 1
        && !args.is_empty()
        && !matches!(op, Op::Quad { .. } | Op::Ballot {} | Op::Shuffle {});
    let depth = depth.checked_sub(1).filter(|_| is_lane_by_lane)?;
    let mut any = false;
    for &arg in args {
        any |= depends(function, shapes, arg, counter, depth)?;
    }
    Some(any)
}

/// The operands that are comparisons of the counter, and wanted in the loop's lanes only: block, place there, and number.
fn comparisons(
    function: &Function,
    graph: &Graph,
    shapes: &LaneShapes,
    counter: &Counter,
) -> Vec<(Block, usize, usize)> {
    let mut comparisons = Vec::new();
    for &block in graph.order.iter().filter(|&&block| graph.dominates(counter.head, block)) {
        for (place, &inst) in function.insts(block).iter().enumerate() {
            let args = function.args(inst);
            let operands: &[(usize, usize)] = match function.op(inst) {
                Op::MaskAnd {} => &[(0, 1), (1, 0)],
                Op::MaskAndnot {} => &[(0, 1)],
                _ => &[],
            };
            for &(within, compared) in operands {
                let is_comparison =
                    matches!(function.defining_op(args[compared]), Some((Op::Fcmp { .. } | Op::Icmp { .. }, _)));
                if is_comparison
                    && depends(function, shapes, args[compared], counter.param, DEPTH) == Some(true)
                    && implies_by_params(function, graph, args[within], counter.mask)
                {
                    comparisons.push((block, place, compared));
                }
            }
        }
    }
    comparisons
}

/// Adds the counter that goes on in every lane, and compares that one.
fn count_everywhere(function: &mut Function, counter: &Counter, comparisons: &[(Block, usize, usize)]) {
    let everywhere = function.add_param(counter.head, Type::Lane);
    let mut insts = Vec::new();
    let step = copied(function, counter.step, (counter.param, everywhere), &mut insts);
    function.blocks[counter.latch.index()].insts.append(&mut insts);
    for from in 0..function.blocks.len() {
        let is_latch = from == counter.latch.index();
        let targets = function.blocks[from].terminator.iter_mut().flat_map(|terminator| terminator.targets_mut());
        for target in targets.filter(|target| target.block == counter.head) {
            target.args.push(if is_latch { step } else { target.args[counter.number] });
        }
    }
    // From the last to the first, so that places stay what they are.
    for &(block, place, operand) in comparisons.iter().rev() {
        let user = function.insts(block)[place];
        let comparison = function.args(user)[operand];
        let copy = copied(function, comparison, (counter.param, everywhere), &mut insts);
        function.args_mut(user)[operand] = copy;
        function.blocks[block.index()].insts.splice(place..place, insts.drain(..));
    }
}

/// What a value would be with `to` in the place of `from`; what is not there yet is added to `insts`.
fn copied(function: &mut Function, value: Value, (from, to): (Value, Value), insts: &mut Vec<Inst>) -> Value {
    let Def::Result(inst, _) = function.def(value) else { return if value == from { to } else { value } };
    let (op, old) = (*function.op(inst), function.args(inst).to_vec());
    if op.effect() != Effect::Pure {
        return value;
    }
    let args: Vec<Value> = old.iter().map(|&arg| copied(function, arg, (from, to), insts)).collect();
    if args == old {
        return value;
    }
    let inst = function.make_inst(op, &args);
    insts.push(inst);
    function.result(inst)
}
