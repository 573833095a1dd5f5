//! Which masks lie inside which, as far as their definitions say, and which of them have a lane.

use crate::entity::Value;
use crate::function::{Def, Function, Terminator};
use crate::graph::Graph;
use crate::op::Op;

/// How deep definitions are looked into; masks of nested conditions grow by one level each.
const DEPTH: u32 = 5;

/// Whether every lane of `m` is certainly in `n`.
pub(crate) fn implies(function: &Function, m: Value, n: Value) -> bool {
    implies_within(function, m, n, DEPTH)
}

/// Whether no lane is certainly in both `m` and `n`.
pub(crate) fn disjoint(function: &Function, m: Value, n: Value) -> bool {
    disjoint_within(function, m, n, DEPTH)
}

/// Whether every lane of `m` is certainly in `n`, a parameter of a block, as every way to a parameter says that is `m`.
///
/// While the code goes on from the block of `n`, that parameter stays as it is. So this is looked at along ways that do not
/// come back to a loop's head.
pub(crate) fn implies_by_params(function: &Function, graph: &Graph, m: Value, n: Value) -> bool {
    implies_on_all_ways(function, graph, m, n, DEPTH)
}

fn implies_on_all_ways(function: &Function, graph: &Graph, m: Value, n: Value, depth: u32) -> bool {
    if implies(function, m, n) {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    let Def::Param(home, _) = function.def(n) else { return false };
    match (function.def(m), function.defining_op(m)) {
        (Def::Param(block, number), _) => {
            let is_head = graph.is_loop_head(block);
            let mut edges = graph.edges(function, block).into_iter();
            home != block
                && !is_head
                && graph.dominates(home, block)
                && edges.all(|edge| implies_on_all_ways(function, graph, edge.args[number as usize], n, depth))
        }
        (_, Some((Op::MaskAnd {}, &[a, b]))) => {
            [a, b].into_iter().any(|part| implies_on_all_ways(function, graph, part, n, depth))
        }
        (_, Some((Op::MaskAndnot {}, &[a, _]))) => implies_on_all_ways(function, graph, a, n, depth),
        _ => false,
    }
}

/// Whether a mask certainly has a lane: it is full, or a parameter to which each way gives a mask that has.
pub(crate) fn has_lane(function: &Function, graph: &Graph, mask: Value) -> bool {
    let Def::Param(block, number) = function.def(mask) else { return function.mask_constant(mask) == Some(true) };
    let mut ways = graph.predecessors(block).iter().map(|&from| function.terminator(from));
    ways.all(|way| {
        let mut to_block = way.targets().filter(|target| target.block == block);
        let is_told = |arg: Value| match way {
            Terminator::Any { mask, then, otherwise } => {
                arg == *mask && then.block == block && otherwise.block != block
            }
            Terminator::Jump(_) | Terminator::If { .. } | Terminator::Return | Terminator::Trap { .. } => false,
        };
        to_block.all(|target| {
            let arg = target.args[number as usize];
            function.mask_constant(arg) == Some(true) || is_told(arg)
        })
    })
}

fn implies_within(function: &Function, m: Value, n: Value, depth: u32) -> bool {
    if m == n {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    let implied = |m, n| implies_within(function, m, n, depth);
    let apart = |m, n| disjoint_within(function, m, n, depth);
    let by_left = match function.defining_op(m) {
        Some((Op::Mask { value: false }, _)) => true,
        Some((Op::MaskAnd {}, &[a, b])) => implied(a, n) || implied(b, n),
        Some((Op::MaskAndnot {}, &[a, _])) => implied(a, n),
        Some((Op::MaskOr {}, &[a, b])) => implied(a, n) && implied(b, n),
        Some((Op::MaskSelect {}, &[_, a, b])) => implied(a, n) && implied(b, n),
        Some((Op::SurfaceTest { .. }, &[_, _, _, tested])) => implied(tested, n),
        _ => false,
    };
    by_left
        || match function.defining_op(n) {
            Some((Op::Mask { value: true }, _)) => true,
            Some((Op::MaskAnd {}, &[a, b])) => implied(m, a) && implied(m, b),
            Some((Op::MaskAndnot {}, &[a, b])) => implied(m, a) && apart(m, b),
            Some((Op::MaskOr {}, &[a, b])) => implied(m, a) || implied(m, b),
            Some((Op::MaskNot {}, &[a])) => apart(m, a),
            _ => false,
        }
}

fn disjoint_within(function: &Function, m: Value, n: Value, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let implied = |m, n| implies_within(function, m, n, depth);
    let apart = |m, n| disjoint_within(function, m, n, depth);
    let one_way = |m: Value, n: Value| match function.defining_op(m) {
        Some((Op::Mask { value: false }, _)) => true,
        Some((Op::MaskNot {}, &[a])) => implied(n, a),
        Some((Op::MaskAnd {}, &[a, b])) => apart(a, n) || apart(b, n),
        Some((Op::MaskAndnot {}, &[a, b])) => implied(n, b) || apart(a, n),
        Some((Op::MaskOr {}, &[a, b])) => apart(a, n) && apart(b, n),
        _ => false,
    };
    one_way(m, n) || one_way(n, m)
}
