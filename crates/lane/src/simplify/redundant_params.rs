//! Parameters that are the same value on every way into their block, or the same as another parameter.

use super::congruence::join_params;
use super::replacement::ValueReplacement;
use crate::effort::Effort;
use crate::entity::{Block, Value};
use crate::function::{BranchTarget, Def, Function};
use crate::graph::Graph;

pub(crate) fn run(function: &mut Function, graph: &Graph, effort: &Effort) -> bool {
    let patience = effort.patience(function);
    let mut replacement = ValueReplacement::new(function);
    let mut changed = false;
    let mut again = true;
    while again {
        again = false;
        for &block in &graph.order {
            if !patience.spend(1 + function.params(block).len() * graph.predecessors(block).len()) {
                again = false;
                break;
            }
            let replaces = replace_params(function, graph, block, &mut replacement);
            changed |= replaces;
            again |= replaces;
        }
    }
    if changed {
        retain(function, |param| !replacement.has(param));
        replacement.apply(function);
    }
    changed
}

/// Notes what takes the place of the block's parameters; gives whether there are any that have nothing yet.
pub(crate) fn replace_params(
    function: &Function,
    graph: &Graph,
    block: Block,
    replacement: &mut ValueReplacement,
) -> bool {
    if function.params(block).is_empty() {
        return false;
    }
    let mut changed = false;
    let edges = graph.edges(function, block);
    for (number, &param) in function.params(block).iter().enumerate() {
        if !replacement.has(param)
            && let Some(value) = only_argument(&edges, replacement, number, param)
        {
            replacement.set(param, value);
            changed = true;
        }
    }
    changed | join_params(function, graph, block, replacement)
}

/// The value that every edge from elsewhere gives for the parameter.
fn only_argument(
    edges: &[&BranchTarget],
    replacement: &ValueReplacement,
    number: usize,
    param: Value,
) -> Option<Value> {
    let mut only = None;
    for edge in edges {
        let value = replacement.get(edge.args[number]);
        if value == param || only == Some(value) {
            continue;
        }
        if only.is_some() {
            return None;
        }
        only = Some(value);
    }
    only
}

/// Removes the parameters that are not to be kept, with their arguments.
pub(crate) fn retain(function: &mut Function, keep: impl Fn(Value) -> bool) {
    let keeps: Vec<Vec<bool>> =
        function.blocks.iter().map(|block| block.params.iter().map(|&param| keep(param)).collect()).collect();
    for at in 0..function.blocks.len() {
        let block = Block::new(at);
        function.blocks[at].params.retain(|&param| keep(param));
        for (number, &param) in function.blocks[at].params.iter().enumerate() {
            function.values[param.index()].def = Def::Param(block, number as u32);
        }
        for target in function.blocks[at].terminator.iter_mut().flat_map(|terminator| terminator.targets_mut()) {
            let mut kept = keeps[target.block.index()].iter();
            target.args.retain(|_| *kept.next().expect("a target has an argument for each parameter"));
        }
    }
}
