//! The lanes of a mask that do not leave it, told by those that do, where these are known: then a comparison that decides about both is looked at
//! once, and hosts can make it under the mask.
//!
//! It is the last thing that is done to a function: the pass about wanted lanes goes the other way.

use crate::entity::{Block, Inst, Value};
use crate::function::Function;
use crate::graph::Graph;
use crate::hash::{FastMap, FastSet};
use crate::op::Op;

pub(crate) fn run(function: &mut Function) {
    for block in function.blocks().collect::<Vec<_>>() {
        put_first(function, block);
    }
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

/// Puts the lanes that stay in front of those that leave, where a block has both.
fn put_first(function: &mut Function, block: Block) {
    let insts = &function.blocks[block.index()].insts;
    let mut staying: FastMap<[Value; 2], Inst> = FastMap::default();
    for &inst in insts {
        if let (Op::MaskAnd {}, &[a, b]) = (function.op(inst), function.args(inst)) {
            staying.entry([a.min(b), a.max(b)]).or_insert(inst);
        }
    }
    if staying.is_empty() {
        return;
    }
    let mut ordered = Vec::with_capacity(insts.len());
    let mut moved: FastSet<Inst> = FastSet::default();
    for &inst in insts {
        if let (Op::MaskAndnot {}, &[a, b]) = (function.op(inst), function.args(inst)) {
            let stays = staying.remove(&[a.min(b), a.max(b)]);
            ordered.extend(stays.filter(|&stays| moved.insert(stays)));
        }
        if moved.insert(inst) {
            ordered.push(inst);
        }
    }
    function.blocks[block.index()].insts = ordered;
}
