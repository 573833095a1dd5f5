//! Jump threading: an edge that hands a block the mask on which this branches goes to where the branch leads.
//!
//! Guests leave loops and branches by masks: a lane that is done clears its bit, and blocks in which ways meet ask who is left. On a way on which
//! nobody can be left, or nobody can have gone, the question is answered here.

use super::loop_closed_ssa::{add_params, used};
use crate::effort::{Effort, Patience};
use crate::entity::{Block, Inst, Value};
use crate::function::{BranchTarget, Function, Terminator};
use crate::graph::Graph;
use crate::hash::FastSet;
use crate::op::Effect;

/// Gives whether something changed.
pub(super) fn run(function: &mut Function, effort: &Effort) -> bool {
    let patience = effort.patience(function);
    let graph = Graph::new(function);
    let mut changed = false;
    for &block in graph.order.iter().filter(|&&block| !graph.is_loop_head(block)) {
        let Some(asked) = asked(function, block) else { continue };
        let is_known = |target: &&BranchTarget| function.mask_constant(target.args[asked]).is_some();
        if graph.edges(function, block).iter().any(is_known) && keep(function, &graph, block, &patience) {
            for &from in graph.predecessors(block) {
                changed |= thread(function, from, (block, asked));
            }
        }
    }
    changed
}

/// The number of the parameter on which a block branches, if the block does nothing but count instructions.
fn asked(function: &Function, block: Block) -> Option<usize> {
    let Terminator::Any { mask, .. } = function.terminator(block) else { return None };
    let asked = function.params(block).iter().position(|param| param == mask)?;
    let counts = function.insts(block).iter().all(|&inst| function.op(inst).effect() == Effect::Counts);
    counts.then_some(asked)
}

/// Lets the parameters of a block be used in it alone, if that can be: the blocks after it get their own.
fn keep(function: &mut Function, graph: &Graph, block: Block, patience: &Patience) -> bool {
    let params: FastSet<Value> = function.params(block).iter().copied().collect();
    let next: Vec<Block> = function.terminator(block).targets().map(|target| target.block).collect();
    for next in next.into_iter().filter(|&next| graph.predecessors(next).len() == 1) {
        let behind: Vec<Block> = graph.order.iter().copied().filter(|&other| graph.dominates(next, other)).collect();
        if !patience.spend(function.size()) {
            return false;
        }
        let wanted: Vec<Value> = used(function, &behind).into_iter().filter(|value| params.contains(value)).collect();
        add_params(function, graph, (next, &wanted), &behind);
    }
    if !patience.spend(function.size()) {
        return false;
    }
    let others: Vec<Block> = graph.order.iter().copied().filter(|&other| other != block).collect();
    !used(function, &others).iter().any(|value| params.contains(value))
}

/// Threads the edges from a block on which the mask is known.
fn thread(function: &mut Function, from: Block, (block, asked): (Block, usize)) -> bool {
    let mut terminator = function.terminator(from).clone();
    let mut changed = false;
    for target in terminator.targets_mut().filter(|target| target.block == block) {
        if let Some(any) = function.mask_constant(target.args[asked]) {
            let copy = copy(function, block, &target.args, any);
            *target = BranchTarget::new(copy);
            changed = true;
        }
    }
    if changed {
        *function.terminator_mut(from) = terminator;
    }
    changed
}

/// The block with these arguments for its parameters, and its branch decided.
fn copy(function: &mut Function, block: Block, args: &[Value], any: bool) -> Block {
    let params = function.params(block).to_vec();
    let renamed = |value: &mut Value| {
        if let Some(at) = params.iter().position(|param| param == value) {
            *value = args[at];
        }
    };
    let mut insts: Vec<Inst> = Vec::new();
    for inst in function.insts(block).to_vec() {
        let (op, mut args) = (*function.op(inst), function.args(inst).to_vec());
        args.iter_mut().for_each(renamed);
        insts.push(function.make_inst(op, &args));
    }
    let mut terminator = function.terminator(block).clone();
    terminator.for_each_value_mut(renamed);
    if let Terminator::Any { then, otherwise, .. } = terminator {
        terminator = Terminator::Jump(if any { then } else { otherwise });
    }
    let copy = function.add_block();
    function.blocks[copy.index()].insts = insts;
    function.blocks[copy.index()].terminator = Some(terminator);
    copy
}
