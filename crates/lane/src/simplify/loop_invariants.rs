//! Long computations that are the same in every pass of a loop go in front of it (loop-invariant code motion).
//!
//! A value that lives through a loop takes a register, or a place in memory from where it is read, so that this pays for
//! operations of many host instructions only, for what they are made of and for what is made of them.

use crate::effort::Effort;
use crate::entity::{Block, Inst};
use crate::function::{Def, Function};
use crate::graph::Graph;
use crate::op::Effect;

pub(crate) fn run(function: &mut Function, effort: &Effort) -> bool {
    let patience = effort.patience(function);
    let graph = Graph::new(function);
    let mut changed = false;
    // Inner loops come after the loops that they are in: what leaves one may leave the next.
    let heads: Vec<Block> = graph.loop_heads().collect();
    for head in heads.into_iter().rev() {
        if !patience.spend(graph.order.len() + function.value_count()) {
            break;
        }
        if let Some((front, body)) = entered_once(&graph, head) {
            changed |= move_in_front(function, front, &body);
        }
    }
    changed
}

/// The block from which a loop is entered, and the loop's own in reverse postorder; `None` if it is entered in several ways.
fn entered_once(graph: &Graph, head: Block) -> Option<(Block, Vec<Block>)> {
    let mut entries = graph.predecessors(head).iter().filter(|&&from| !graph.is_loop_edge(from, head));
    let (&front, None) = (entries.next()?, entries.next()) else { return None };
    Some((front, graph.natural_loop(head)?))
}

fn move_in_front(function: &mut Function, front: Block, body: &[Block]) -> bool {
    let mut is_inside = vec![false; function.value_count()];
    let insts: Vec<Inst> = body.iter().flat_map(|&block| function.insts(block)).copied().collect();
    for &block in body {
        function.params(block).iter().for_each(|param| is_inside[param.index()] = true);
    }
    // The instructions that are the same in every pass, and whether each of them has a long one in it.
    let mut same: Vec<Inst> = Vec::new();
    let mut is_long = vec![false; function.value_count()];
    for &inst in &insts {
        let args = function.args(inst);
        let is_same = function.op(inst).effect() == Effect::Pure && !args.iter().any(|arg| is_inside[arg.index()]);
        let long = is_same && (function.op(inst).is_long() || args.iter().any(|arg| is_long[arg.index()]));
        for result in function.results(inst) {
            is_inside[result.index()] = !is_same;
            is_long[result.index()] = long;
        }
        if is_same {
            same.push(inst);
        }
    }
    // What moves: the long ones, and from the last to the first what these are made of.
    let mut moves = vec![false; function.inst_count()];
    for &inst in same.iter().rev() {
        if moves[inst.index()] || function.results(inst).any(|result| is_long[result.index()]) {
            moves[inst.index()] = true;
            for &arg in function.args(inst) {
                if let Def::Result(made, _) = function.def(arg) {
                    moves[made.index()] = true;
                }
            }
        }
    }
    let moved: Vec<Inst> = same.into_iter().filter(|inst| moves[inst.index()]).collect();
    for &block in body {
        function.blocks[block.index()].insts.retain(|inst| !moves[inst.index()]);
    }
    function.blocks[front.index()].insts.extend(&moved);
    !moved.is_empty()
}
