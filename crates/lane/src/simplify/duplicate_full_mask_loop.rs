//! Loops that lanes leave one after the other (tail duplication).
//!
//! Most passes of such a loop end with the mask that they began with: no lane has left. Here these get an inner loop of their
//! own, in which the mask is the same in every pass, and the blocks after a place where lanes leave come once more,
//! for the passes in which some do:
//!
//! ```text
//!                                     outer:  mask of the lanes that are left
//!     head:                           head:   mask stays
//!         ...                             ...
//!         any leaving, leave, join        any leaving, leave, join
//!     leave:                          join:
//!         join(fewer lanes)               ...
//!     join(mask):                         jump head
//!         ...                         leave:
//!         jump head(mask)                 join again: as above, with fewer lanes
//!                                         jump outer(fewer lanes)
//! ```
//!
//! Where the mask stays, choices by masks of joins are choices by one mask, and what is counted for its lanes is the same in every pass.

use super::loop_closed_ssa::{add_params, can_be_closed, close, defined, used};
use crate::effort::Effort;
use crate::entity::{Block, Inst, Type, Value};
use crate::function::{BlockData, BranchTarget, Function, Terminator};
use crate::graph::Graph;
use crate::hash::{FastMap, FastSet};

/// Instructions of a loop that are not too many to have twice.
pub(super) const MOST: usize = 512;
/// Blocks of a loop, likewise.
pub(super) const MOST_BLOCKS: usize = 64;

/// Gives loops inner loops where that can be; gives whether there was one.
pub(crate) fn run(function: &mut Function, effort: &Effort) -> bool {
    let patience = effort.patience(function);
    let mut graph = Graph::new(function);
    let mut changed = false;
    for body in graph.innermost_loops(MOST_BLOCKS) {
        if !patience.spend(function.size() + function.params(body[0]).len() * body.len()) {
            break;
        }
        if let Some(found) = Loop::find(function, &graph, body) {
            found.duplicate(function, &graph);
            graph = Graph::new(function);
            changed = true;
        }
    }
    changed
}

/// A loop that can be split.
struct Loop {
    head: Block,
    /// All blocks, the head first.
    body: Vec<Block>,
    /// The values that are the masks of the head in passes in which no lane leaves.
    stays: FastSet<Value>,
    /// The blocks to which a branch comes with a mask that stays, and another one with one that may not.
    joins: Vec<Block>,
}

impl Loop {
    /// The loop of these blocks, if its masks stay the same on some way through it, and not on all.
    fn find(function: &Function, graph: &Graph, body: Vec<Block>) -> Option<Self> {
        let head = body[0];
        let size: usize = body.iter().map(|&block| function.insts(block).len()).sum();
        if size > MOST {
            return None;
        }
        let mut stays = FastSet::default();
        let mut joins = FastSet::default();
        for (number, &mask) in function.params(head).iter().enumerate() {
            if function.value_type(mask) != Type::Mask {
                continue;
            }
            let mut same = FastSet::from_iter([mask]);
            let mut met = Vec::new();
            for &block in &body[1..] {
                let edges = graph.edges(function, block);
                for (number, &param) in function.params(block).iter().enumerate() {
                    let staying = edges.iter().filter(|edge| same.contains(&edge.args[number])).count();
                    if staying > 0 {
                        same.insert(param);
                        if staying < edges.len() {
                            met.push(block);
                        }
                    }
                }
            }
            let around = |block: &Block| graph.is_loop_edge(*block, head);
            let mut latches = graph.predecessors(head).iter().filter(|block| around(block));
            let mut edges = latches.by_ref().flat_map(|&from| function.terminator(from).targets());
            let stays_somewhere = edges.any(|edge| edge.block == head && same.contains(&edge.args[number]));
            if stays_somewhere && !met.is_empty() {
                stays.extend(same);
                joins.extend(met);
            }
        }
        let joins: Vec<Block> = body.iter().copied().filter(|block| joins.contains(block)).collect();
        let found = Self { head, body, stays, joins };
        (!found.joins.is_empty() && can_be_closed(function, graph, &found.body)).then_some(found)
    }

    fn duplicate(self, function: &mut Function, graph: &Graph) {
        let inner = self.inner_values(function);
        close(function, graph, &self.body, &inner);
        let twice = self.behind_joins(function);
        // From the last to the first: what a block wants, those in front of it have to hand on.
        let meets = |block: &Block| graph.predecessors(*block).len() > 1;
        for &block in twice.iter().rev().filter(|&block| meets(block)) {
            self.give_params(function, graph, block);
        }
        let copies = copy_blocks(function, &twice);
        self.redirect(function, graph, &copies);
    }

    /// What is defined in the loop after its head.
    fn inner_values(&self, function: &Function) -> FastSet<Value> {
        defined(function, &self.body[1..])
    }

    /// The joins and what comes after them in the same pass, in reverse postorder.
    fn behind_joins(&self, function: &Function) -> Vec<Block> {
        let mut reached: FastSet<Block> = self.joins.iter().copied().collect();
        for &block in &self.body[1..] {
            if reached.contains(&block) {
                let targets = function.terminator(block).targets().map(|target| target.block);
                reached.extend(targets);
            }
        }
        self.body[1..].iter().copied().filter(|block| reached.contains(block)).collect()
    }

    /// Gives a block where ways meet a parameter for everything from the loop's blocks in front of it that it, or what comes after it,
    /// uses.
    fn give_params(&self, function: &mut Function, graph: &Graph, meeting: Block) {
        let behind: Vec<Block> = self.body.iter().copied().filter(|&block| graph.dominates(meeting, block)).collect();
        let (mut inner, own) = (self.inner_values(function), defined(function, &behind));
        inner.retain(|value| !own.contains(value));
        let wanted: Vec<Value> = used(function, &behind).into_iter().filter(|value| inner.contains(value)).collect();
        add_params(function, graph, (meeting, &wanted), &behind);
    }

    /// Ways on which the masks stay go around the inner loop, all others to the copies and from there around the outer one.
    fn redirect(&self, function: &mut Function, graph: &Graph, copies: &FastMap<Block, Block>) {
        let outer = function.add_block();
        for param in function.params(self.head).to_vec() {
            function.add_param(outer, function.value_type(param));
        }
        let args = function.params(outer).to_vec();
        function.blocks[outer.index()] = BlockData {
            terminator: Some(Terminator::Jump(BranchTarget { block: self.head, args: args.clone() })),
            ..std::mem::take(&mut function.blocks[outer.index()])
        };
        let masks: FastMap<Block, Vec<usize>> = self
            .joins
            .iter()
            .chain([&self.head])
            .map(|&block| {
                let params = function.params(block).iter().enumerate();
                (block, params.filter(|(_, param)| self.stays.contains(param)).map(|(at, _)| at).collect())
            })
            .collect();
        let is_inside: FastSet<Block> = self.body.iter().copied().collect();
        let is_copy: FastSet<Block> = copies.values().copied().collect();
        for block in function.blocks().filter(|&block| block != outer) {
            let inside = is_inside.contains(&block);
            if !inside && !is_copy.contains(&block) && !graph.predecessors(self.head).contains(&block) {
                continue;
            }
            let Some(terminator) = &mut function.blocks[block.index()].terminator else { continue };
            for target in terminator.targets_mut() {
                let stays = |numbers: &Vec<usize>| numbers.iter().all(|&at| self.stays.contains(&target.args[at]));
                let keeps = inside && masks.get(&target.block).is_none_or(stays);
                if target.block == self.head && !keeps {
                    target.block = outer;
                } else if let (true, false, Some(&copy)) = (inside, keeps, copies.get(&target.block)) {
                    target.block = copy;
                }
            }
        }
    }
}

/// Copies of blocks, which are in reverse postorder, with branches to each other.
pub(super) fn copy_blocks(function: &mut Function, blocks: &[Block]) -> FastMap<Block, Block> {
    let copies: FastMap<Block, Block> = blocks.iter().map(|&block| (block, function.add_block())).collect();
    let mut values: FastMap<Value, Value> = FastMap::default();
    for &block in blocks {
        for param in function.params(block).to_vec() {
            let copy = function.add_param(copies[&block], function.value_type(param));
            values.insert(param, copy);
        }
    }
    // In reverse postorder, so that operands are copied before their users.
    for &block in blocks {
        let insts: Vec<Inst> = function.insts(block).to_vec();
        let mut copied = Vec::with_capacity(insts.len());
        for inst in insts {
            let op = *function.op(inst);
            let args: Vec<Value> =
                function.args(inst).iter().map(|arg| values.get(arg).copied().unwrap_or(*arg)).collect();
            let copy = function.make_inst(op, &args);
            values.extend(function.results(inst).zip(function.results(copy)));
            copied.push(copy);
        }
        let mut terminator = function.terminator(block).clone();
        terminator.for_each_value_mut(|value| *value = values.get(value).copied().unwrap_or(*value));
        for target in terminator.targets_mut() {
            target.block = copies.get(&target.block).copied().unwrap_or(target.block);
        }
        let data = &mut function.blocks[copies[&block].index()];
        (data.insts, data.terminator) = (copied, Some(terminator));
    }
    copies
}
