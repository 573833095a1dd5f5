//! The lanes of a mask that do not leave it, told by those that do, where these are known: then a comparison that decides about both is looked at
//! once, and hosts can make it under the mask.
//!
//! It is the last thing that is done to a function: the pass about wanted lanes goes the other way.

use crate::entity::{Block, Inst, Value};
use crate::function::Function;
use crate::graph::Graph;
use crate::hash::FastMap;
use crate::op::Op;

pub(crate) fn run(function: &mut Function) {
    let graph = Graph::new(function);
    let mut parts: FastMap<[Value; 2], (Block, Value)> = FastMap::default();
    for &block in &graph.order {
        let insts: Vec<Inst> = function.insts(block).to_vec();
        for inst in insts {
            let (op, args) = (*function.op(inst), function.args(inst));
            match (op, args) {
                (Op::MaskAnd {}, &[a, b]) => {
                    parts.entry([a, b]).or_insert((block, function.result(inst)));
                }
                (Op::MaskAndnot {}, &[a, b]) => {
                    let part = parts.get(&[a, b]).or_else(|| parts.get(&[b, a]));
                    if let Some(&(_, part)) = part.filter(|(home, _)| graph.dominates(*home, block)) {
                        function.args_mut(inst)[1] = part;
                    }
                }
                _ => {}
            }
        }
    }
}
