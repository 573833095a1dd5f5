//! Parameters that are the same value on every way into their block.

use crate::entity::{Block, Value};
use crate::function::{Def, Function};
use crate::graph::Graph;

pub(crate) fn run(function: &mut Function) -> bool {
    let graph = Graph::new(function);
    let mut replacement: Vec<Value> = (0..function.value_count()).map(Value::new).collect();
    let mut again = true;
    while again {
        again = false;
        for &block in &graph.order {
            for (number, &param) in function.params(block).iter().enumerate() {
                if replacement[param.index()] == param {
                    if let Some(value) = only_argument(function, &graph, &replacement, block, number, param) {
                        replacement[param.index()] = value;
                        again = true;
                    }
                }
            }
        }
    }
    let is_replaced = |value: Value| resolve(&replacement, value) != value;
    let changed = graph.order.iter().any(|&block| function.params(block).iter().any(|&param| is_replaced(param)));
    if changed {
        retain(function, |param| !is_replaced(param));
        function.map_operands(|value| resolve(&replacement, value));
    }
    changed
}

fn resolve(replacement: &[Value], mut value: Value) -> Value {
    while replacement[value.index()] != value {
        value = replacement[value.index()];
    }
    value
}

/// The value that every edge from elsewhere gives for the parameter.
fn only_argument(
    function: &Function,
    graph: &Graph,
    replacement: &[Value],
    block: Block,
    number: usize,
    param: Value,
) -> Option<Value> {
    let mut only = None;
    for &from in graph.predecessors(block) {
        for target in function.terminator(from).targets().filter(|target| target.block == block) {
            let value = resolve(replacement, target.args[number]);
            if value == param || only == Some(value) {
                continue;
            }
            if only.is_some() {
                return None;
            }
            only = Some(value);
        }
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
