//! Loops in closed form: what they define reaches what is outside of them by parameters of the blocks to which they are left.

use crate::entity::{Block, Value};
use crate::function::Function;
use crate::graph::Graph;
use crate::hash::{FastMap, FastSet};

/// The blocks after a loop to which it is left; the head of a loop around it lies in front of it.
pub(super) fn exits(function: &Function, graph: &Graph, body: &[Block]) -> Vec<Block> {
    let is_body: FastSet<Block> = body.iter().copied().collect();
    let mut exits = Vec::new();
    for target in body.iter().flat_map(|&block| function.terminator(block).targets()) {
        let is_behind = !is_body.contains(&target.block) && !graph.dominates(target.block, body[0]);
        if is_behind && !exits.contains(&target.block) {
            exits.push(target.block);
        }
    }
    exits
}

/// Whether each use of the loop's values outside of it comes after one way out, and so does what hands them on to such a way out.
pub(super) fn can_be_closed(function: &Function, graph: &Graph, body: &[Block]) -> bool {
    let (inner, exits) = (defined(function, &body[1..]), exits(function, graph, body));
    let way_out = |block: Block| exits.iter().copied().find(|&exit| graph.dominates(exit, block));
    let mut wanting = Vec::new();
    for &block in graph.order.iter().filter(|block| !body.contains(block)) {
        if used(function, &[block]).iter().any(|value| inner.contains(value)) {
            let Some(exit) = way_out(block) else { return false };
            wanting.push(exit);
        }
    }
    let mut seen = FastSet::default();
    while let Some(exit) = wanting.pop() {
        let is_new = seen.insert(exit);
        let comes_from_outside = |from: &&Block| !body.contains(from) && !graph.dominates(exit, **from);
        for &from in graph.predecessors(exit).iter().filter(|_| is_new).filter(comes_from_outside) {
            let Some(earlier) = way_out(from) else { return false };
            wanting.push(earlier);
        }
    }
    true
}

/// Gives the blocks after a loop parameters for these values of the loop, where all uses come after one of these blocks.
pub(super) fn close(function: &mut Function, graph: &Graph, body: &[Block], values: &FastSet<Value>) {
    let mut exits = exits(function, graph, body);
    // From the last to the first: what a block takes as a parameter, those in front of it have to hand on.
    exits.sort_unstable_by_key(|&exit| std::cmp::Reverse(graph.position(exit)));
    for exit in exits {
        let outside: Vec<Block> = graph.order.iter().copied().filter(|&block| graph.dominates(exit, block)).collect();
        let wanted: Vec<Value> = used(function, &outside).into_iter().filter(|value| values.contains(value)).collect();
        add_params(function, graph, (exit, &wanted), &outside);
    }
}

/// Everything that the blocks use, in order.
pub(super) fn used(function: &Function, blocks: &[Block]) -> Vec<Value> {
    let mut seen = vec![false; function.value_count()];
    let mut values = Vec::new();
    for &block in blocks {
        let operands = function.insts(block).iter().flat_map(|&inst| function.args(inst)).copied();
        let is_new = |value: &Value| !std::mem::replace(&mut seen[value.index()], true);
        values.extend(operands.chain(function.terminator(block).values()).filter(is_new));
    }
    values
}

/// Everything that the blocks define.
pub(super) fn defined(function: &Function, blocks: &[Block]) -> FastSet<Value> {
    let mut values = FastSet::default();
    for &block in blocks {
        values.extend(function.params(block));
        values.extend(function.insts(block).iter().flat_map(|&inst| function.results(inst)));
    }
    values
}

/// Gives a block a parameter for each of these values, and takes it for the value in the blocks after it.
pub(super) fn add_params(function: &mut Function, graph: &Graph, (block, values): (Block, &[Value]), behind: &[Block]) {
    if values.is_empty() {
        return;
    }
    let add = |&value: &Value| (value, function.add_param(block, function.value_type(value)));
    let params: FastMap<Value, Value> = values.iter().map(add).collect();
    let rename = |arg: &mut Value| *arg = params.get(arg).copied().unwrap_or(*arg);
    for &user in behind {
        for inst in function.insts(user).to_vec() {
            function.args_mut(inst).iter_mut().for_each(rename);
        }
        function.terminator_mut(user).for_each_value_mut(rename);
    }
    let behind: FastSet<Block> = behind.iter().copied().collect();
    let ways: FastSet<Block> = graph.predecessors(block).iter().copied().collect();
    for way in ways {
        // Around a loop that begins with the block, it stays as it is.
        let arg = |value: &Value| if behind.contains(&way) { params[value] } else { *value };
        for target in function.terminator_mut(way).targets_mut().filter(|target| target.block == block) {
            target.args.extend(values.iter().map(arg));
        }
    }
}
