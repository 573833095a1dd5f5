//! Which masks lie inside which, as far as their definitions say, and which of them have a lane.

use crate::entity::Value;
use crate::function::{Def, Function, Terminator};
use crate::graph::Graph;
use crate::op::Op;
use std::cell::Cell;

/// How deep definitions are looked into; masks of nested conditions grow by one level each.
const DEPTH: u32 = 5;
/// Pairs of masks that are looked at for one question, at most: definitions and ways in grow in number with each level.
const MOST_PAIRS: u32 = 512;
/// Ways into a block that are looked at for one question, at most.
const MOST_WAYS: usize = 256;

/// Whether every lane of `m` is certainly in `n`.
pub(crate) fn implies(function: &Function, m: Value, n: Value) -> bool {
    Question::new(function).implies(m, n, DEPTH)
}

/// Whether every lane of `m` is certainly in `n`, a parameter of a block, as every way to a parameter says that is `m`.
///
/// While the code goes on from the block of `n`, that parameter stays as it is. So this is looked at along ways that do not
/// come back to a loop's head.
pub(crate) fn implies_by_params(function: &Function, graph: &Graph, m: Value, n: Value) -> bool {
    Question::new(function).implies_on_all_ways(graph, m, n, DEPTH)
}

/// Whether no lane is certainly in both `m` and `n`.
pub(crate) fn disjoint(function: &Function, m: Value, n: Value) -> bool {
    Question::new(function).disjoint(m, n, DEPTH)
}

/// What is asked about two masks. What nobody has the time to find out is not certain.
struct Question<'a> {
    function: &'a Function,
    /// Pairs that may still be looked at.
    left: Cell<u32>,
}

impl<'a> Question<'a> {
    fn new(function: &'a Function) -> Self {
        Self { function, left: Cell::new(MOST_PAIRS) }
    }

    /// What is left of the depth for the next level, if something is.
    fn deeper(&self, depth: u32) -> Option<u32> {
        self.left.set(self.left.get().checked_sub(1)?);
        depth.checked_sub(1)
    }

    fn implies_on_all_ways(&self, graph: &Graph, m: Value, n: Value, depth: u32) -> bool {
        let function = self.function;
        if self.implies(m, n, DEPTH) {
            return true;
        }
        let Some(depth) = self.deeper(depth) else { return false };
        let Def::Param(home, _) = function.def(n) else { return false };
        match (function.def(m), function.defining_op(m)) {
            (Def::Param(block, number), _) => {
                let is_on_way = home != block && !graph.is_loop_head(block) && graph.dominates(home, block);
                is_on_way
                    && graph.predecessors(block).iter().all(|&from| {
                        let mut edges = function.terminator(from).targets().filter(|target| target.block == block);
                        edges.all(|edge| self.implies_on_all_ways(graph, edge.args[number as usize], n, depth))
                    })
            }
            (_, Some((Op::MaskAnd {}, &[a, b]))) => {
                [a, b].into_iter().any(|part| self.implies_on_all_ways(graph, part, n, depth))
            }
            (_, Some((Op::MaskAndnot {}, &[a, _]))) => self.implies_on_all_ways(graph, a, n, depth),
            _ => false,
        }
    }

    fn implies(&self, m: Value, n: Value, depth: u32) -> bool {
        if m == n {
            return true;
        }
        let Some(depth) = self.deeper(depth) else { return false };
        let implied = |m, n| self.implies(m, n, depth);
        let apart = |m, n| self.disjoint(m, n, depth);
        let by_left = match self.function.defining_op(m) {
            Some((Op::Mask { value: false }, _)) => true,
            Some((Op::MaskAnd {}, &[a, b])) => implied(a, n) || implied(b, n),
            Some((Op::MaskAndnot {}, &[a, _])) => implied(a, n),
            Some((Op::MaskOr {}, &[a, b])) => implied(a, n) && implied(b, n),
            Some((Op::MaskSelect {}, &[_, a, b])) => implied(a, n) && implied(b, n),
            Some((Op::SurfaceTest { .. }, &[_, _, _, tested])) => implied(tested, n),
            _ => false,
        };
        by_left
            || match self.function.defining_op(n) {
                Some((Op::Mask { value: true }, _)) => true,
                Some((Op::MaskAnd {}, &[a, b])) => implied(m, a) && implied(m, b),
                Some((Op::MaskAndnot {}, &[a, b])) => implied(m, a) && apart(m, b),
                Some((Op::MaskOr {}, &[a, b])) => implied(m, a) || implied(m, b),
                Some((Op::MaskNot {}, &[a])) => apart(m, a),
                _ => false,
            }
    }

    fn disjoint(&self, m: Value, n: Value, depth: u32) -> bool {
        let Some(depth) = self.deeper(depth) else { return false };
        let implied = |m, n| self.implies(m, n, depth);
        let apart = |m, n| self.disjoint(m, n, depth);
        let one_way = |m: Value, n: Value| match self.function.defining_op(m) {
            Some((Op::Mask { value: false }, _)) => true,
            Some((Op::MaskNot {}, &[a])) => implied(n, a),
            Some((Op::MaskAnd {}, &[a, b])) => apart(a, n) || apart(b, n),
            Some((Op::MaskAndnot {}, &[a, b])) => implied(n, b) || apart(a, n),
            Some((Op::MaskOr {}, &[a, b])) => apart(a, n) && apart(b, n),
            _ => false,
        };
        one_way(m, n) || one_way(n, m)
    }
}

/// Whether a mask certainly has a lane: it is full, or a parameter to which each way gives a mask that has.
pub(crate) fn has_lane(function: &Function, graph: &Graph, mask: Value) -> bool {
    let Def::Param(block, number) = function.def(mask) else { return function.mask_constant(mask) == Some(true) };
    if graph.predecessors(block).len() > MOST_WAYS {
        return false;
    }
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
