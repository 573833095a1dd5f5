//! What is calculated in a loop for those alone who come after it goes there (code sinking), and what else comes from the loop reaches them by
//! parameters.
//!
//! So no pass but the last calculates it, and a value of the loop does not live through passes of which nobody outside sees anything: one that a
//! pass makes can take the register of the one that the pass began with.

use super::duplicate_full_mask_loop::MOST_BLOCKS;
use super::loop_closed_ssa::{close, defined, exits};
use crate::effort::{Effort, Patience};
use crate::entity::{Block, Inst, Value};
use crate::function::{BranchTarget, Function, Terminator};
use crate::graph::Graph;
use crate::hash::FastSet;
use crate::op::Effect;

pub(crate) fn run(function: &mut Function, effort: &Effort) {
    let patience = effort.patience(function);
    let mut graph = Graph::new(function);
    for body in graph.innermost_loops(MOST_BLOCKS) {
        let insts: usize = body.iter().map(|&block| function.insts(block).len()).sum();
        if !patience.spend(function.size() + insts) {
            break;
        }
        if sink(function, &body, &patience) {
            graph = Graph::new(function);
        }
        let inner = defined(function, &body);
        close(function, &graph, &body, &inner);
    }
}

/// What only outside blocks and ways to them use.
fn sinkable(function: &Function, body: &[Block]) -> Vec<(Block, Inst)> {
    let mut wanted: FastSet<Value> = FastSet::default();
    for &block in body {
        let terminator = function.terminator(block);
        wanted.extend(terminator.operands());
        let inside = terminator.targets().filter(|target| body.contains(&target.block));
        wanted.extend(inside.flat_map(|target| &target.args));
    }
    let mut found = Vec::new();
    for &block in body.iter().rev() {
        for &inst in function.insts(block).iter().rev() {
            let stays = function.op(inst).effect() != Effect::Pure
                || function.results(inst).any(|result| wanted.contains(&result));
            if stays {
                wanted.extend(function.args(inst));
            } else {
                found.push((block, inst));
            }
        }
    }
    found
}

/// Moves what can be moved to the ways out, from the last to the first; gives whether there may be new blocks.
fn sink(function: &mut Function, body: &[Block], patience: &Patience) -> bool {
    let found = sinkable(function, body);
    if found.is_empty() {
        return false;
    }
    let moved: FastSet<Value> = found.iter().flat_map(|&(_, inst)| function.results(inst)).collect();
    split_ways_out(function, body, &moved);
    let graph = Graph::new(function);
    let exits = exits(function, &graph, body);
    let size = function.size();
    for (home, inst) in found {
        if !patience.spend(size) {
            break;
        }
        let results: Vec<Value> = function.results(inst).collect();
        let users: Vec<Block> = graph.order.iter().copied().filter(|&block| uses(function, block, &results)).collect();
        let behind = |block: &Block| exits.iter().any(|&exit| graph.dominates(exit, *block));
        if !users.iter().all(behind) {
            continue;
        }
        for &exit in &exits {
            let users: Vec<Block> = users.iter().copied().filter(|&block| graph.dominates(exit, block)).collect();
            if users.is_empty() {
                continue;
            }
            let (op, args) = (*function.op(inst), function.args(inst).to_vec());
            let copy = function.make_inst(op, &args);
            let copies: Vec<Value> = function.results(copy).collect();
            let renamed = |value: &mut Value| {
                if let Some(at) = results.iter().position(|result| result == value) {
                    *value = copies[at];
                }
            };
            for block in users {
                for user in function.insts(block).to_vec() {
                    function.args_mut(user).iter_mut().for_each(renamed);
                }
                function.terminator_mut(block).for_each_value_mut(renamed);
            }
            function.blocks[exit.index()].insts.insert(0, copy);
        }
        function.blocks[home.index()].insts.retain(|&other| other != inst);
    }
    true
}

fn uses(function: &Function, block: Block, values: &[Value]) -> bool {
    let mut operands = function.insts(block).iter().flat_map(|&inst| function.args(inst)).copied();
    operands.any(|value| values.contains(&value))
        || function.terminator(block).values().any(|value| values.contains(&value))
}

/// Puts a block into each way out of the loop that hands on one of these values.
fn split_ways_out(function: &mut Function, body: &[Block], values: &FastSet<Value>) {
    for &block in body {
        let mut terminator = function.terminator(block).clone();
        for target in terminator.targets_mut() {
            if !body.contains(&target.block) && target.args.iter().any(|arg| values.contains(arg)) {
                let between = function.add_block();
                let way = std::mem::replace(target, BranchTarget::new(between));
                function.blocks[between.index()].terminator = Some(Terminator::Jump(way));
            }
        }
        *function.terminator_mut(block) = terminator;
    }
}
