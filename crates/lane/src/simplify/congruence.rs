//! Parameters of one block that always hold the same: their arguments are the same on every way in, if they themselves are
//! taken to be the same. (By induction over the passes of a loop they are.) Guests that write one result to several
//! channels make many of them.

use super::replacement::ValueReplacement;
use crate::entity::{Block, Value};
use crate::function::{Def, Function};
use crate::graph::Graph;
use crate::hash::{FastHasher, FastMap};
use crate::op::Effect;
use std::hash::{Hash, Hasher};

/// How deep computations are compared that go around a loop. Elsewhere equal ones are one value already.
const DEPTH: u32 = 4;

/// Notes for each parameter of the block that equals an earlier one that this takes its place; gives whether there are any.
pub(crate) fn join_params(
    function: &Function,
    graph: &Graph,
    block: Block,
    replacement: &mut ValueReplacement,
) -> bool {
    let params = function.params(block);
    if params.len() < 2 {
        return false;
    }
    let edges = graph.edges(function, block);
    let is_head = graph.is_loop_head(block);
    let depth = if is_head { DEPTH } else { 1 };
    let mut seen: FastMap<u64, usize> = FastMap::default();
    let mut changed = false;
    for (number, &param) in params.iter().enumerate().filter(|&(_, &param)| !replacement.has(param)).collect::<Vec<_>>()
    {
        let mut hasher = FastHasher::default();
        function.value_type(param).hash(&mut hasher);
        for edge in &edges {
            hash_value(function, replacement, edge.args[number], param, depth, &mut hasher);
        }
        let earlier = *seen.entry(hasher.finish()).or_insert(number);
        let pair = (params[earlier], param);
        let same = |a, b| are_equal(function, replacement, a, b, pair, depth);
        if earlier != number
            && function.value_type(pair.0) == function.value_type(param)
            && edges.iter().all(|edge| same(edge.args[earlier], edge.args[number]))
        {
            replacement.set(param, params[earlier]);
            changed = true;
        }
    }
    changed
}

/// Hashes how a value is computed, with `own` in the place of the parameter.
fn hash_value(
    function: &Function,
    replacement: &ValueReplacement,
    value: Value,
    own: Value,
    depth: u32,
    hasher: &mut FastHasher,
) {
    let value = replacement.get(value);
    match function.def(value) {
        _ if value == own => hasher.write_u32(u32::MAX),
        Def::Result(inst, number) if depth > 0 && function.op(inst).effect() == Effect::Pure => {
            (function.op(inst), number).hash(hasher);
            for &arg in function.args(inst) {
                hash_value(function, replacement, arg, own, depth - 1, hasher);
            }
        }
        _ => hasher.write_u32(value.0),
    }
}

/// Whether two values are computed alike, if the two parameters of the pair are equal.
fn are_equal(
    function: &Function,
    replacement: &ValueReplacement,
    a: Value,
    b: Value,
    pair: (Value, Value),
    depth: u32,
) -> bool {
    let (a, b) = (replacement.get(a), replacement.get(b));
    if a == b || (a, b) == pair {
        return true;
    }
    match (function.def(a), function.def(b)) {
        (Def::Result(x, m), Def::Result(y, n)) => {
            let (op, args) = (function.op(x), function.args(x));
            let alike = |(&a, &b)| are_equal(function, replacement, a, b, pair, depth - 1);
            depth > 0
                && m == n
                && op.effect() == Effect::Pure
                && op == function.op(y)
                && args.iter().zip(function.args(y)).all(alike)
        }
        _ => false,
    }
}
