//! Branches that are decided, empty blocks, and blocks in a row.

use super::replacement::ValueReplacement;
use crate::entity::Block;
use crate::function::{BlockData, BranchTarget, Function, Terminator};
use crate::graph::Graph;

pub(crate) fn run(function: &mut Function, graph: &Graph) -> bool {
    let mut changed = false;
    for block in function.blocks() {
        changed |= skip_empty_targets(function, block);
        if let Some(target) = decided(function, block) {
            *function.terminator_mut(block) = Terminator::Jump(target);
            changed = true;
        }
    }
    changed |= if changed { merge(function, &Graph::new(function)) } else { merge(function, graph) };
    if changed {
        function.compact();
    }
    changed
}

/// The only target that a branch can take.
fn decided(function: &Function, block: Block) -> Option<BranchTarget> {
    match function.terminator(block) {
        Terminator::If { then, otherwise, .. } | Terminator::Any { then, otherwise, .. } if then == otherwise => {
            Some(then.clone())
        }
        Terminator::If { test, a, b, then, otherwise } => {
            let (a, b) = (function.uniform_constant(*a)?, function.uniform_constant(*b)?);
            let holds = test.holds(a.cast_unsigned(), b.cast_unsigned());
            Some(if holds { then.clone() } else { otherwise.clone() })
        }
        Terminator::Any { mask, then, otherwise } => {
            Some(if function.mask_constant(*mask)? { then.clone() } else { otherwise.clone() })
        }
        _ => None,
    }
}

/// Sends edges to blocks that only jump on directly to where those jump.
fn skip_empty_targets(function: &mut Function, block: Block) -> bool {
    let mut changed = false;
    let mut terminator = function.terminator(block).clone();
    for target in terminator.targets_mut() {
        let empty = &function.blocks[target.block.index()];
        if let Some(Terminator::Jump(next)) = &empty.terminator
            && empty.params.is_empty()
            && empty.insts.is_empty()
            && next.block != target.block
        {
            *target = next.clone();
            changed = true;
        }
    }
    if changed {
        *function.terminator_mut(block) = terminator;
    }
    changed
}

/// Appends blocks to the only block that goes to them.
fn merge(function: &mut Function, graph: &Graph) -> bool {
    let mut replacement = ValueReplacement::new(function);
    let mut gone = vec![false; function.block_count()];
    let mut changed = false;
    for &block in &graph.order {
        if gone[block.index()] {
            continue;
        }
        while let Terminator::Jump(target) = function.terminator(block) {
            let next = target.block;
            if next == block || graph.predecessors(next).len() != 1 {
                break;
            }
            for (&param, &arg) in function.params(next).iter().zip(&target.args) {
                replacement.set(param, arg);
            }
            let end = BlockData { terminator: Some(Terminator::Return), ..BlockData::default() };
            let mut data = std::mem::replace(&mut function.blocks[next.index()], end);
            let home = &mut function.blocks[block.index()];
            home.insts.append(&mut data.insts);
            home.terminator = data.terminator;
            gone[next.index()] = true;
            changed = true;
        }
    }
    if changed {
        replacement.apply(function);
    }
    changed
}
