//! What branches imply about masks: after a branch on *any*, the mask is known to be empty on one side; on the other side a
//! mask that is the same in every lane is full.

use crate::entity::{Block, Value};
use crate::facts::LaneShapes;
use crate::function::{Function, Terminator};
use crate::graph::Graph;
use crate::op::Op;

/// What is known of one mask in one block and all that it dominates.
#[derive(PartialEq)]
struct MaskFact {
    region: Block,
    value: bool,
    /// The next fact about the same mask, as its number plus one; 0 at the end.
    next: u32,
}

/// Facts about one mask that are looked at, at most.
const MOST_FACTS: usize = 256;

/// The known masks of a function.
pub(crate) struct MaskFacts {
    facts: Vec<MaskFact>,
    /// The first fact about each value, as its number plus one.
    first: Vec<u32>,
}

impl MaskFacts {
    pub(crate) fn new(function: &Function, graph: &Graph, shapes: &LaneShapes) -> Self {
        let mut known = Self { facts: Vec::new(), first: vec![0; function.value_count()] };
        for &block in &graph.order {
            let Terminator::Any { mask, then, otherwise } = function.terminator(block) else { continue };
            if graph.predecessors(otherwise.block).len() == 1 {
                known.add_empty(function, otherwise.block, *mask, 4);
            }
            if graph.predecessors(then.block).len() == 1 && shapes.is_uniform(*mask) {
                known.add_full(function, then.block, *mask, 4);
            }
        }
        known
    }

    /// Whether both know the same of all values that either of them has seen.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        let count = self.first.len().min(other.first.len());
        self.facts == other.facts
            && self.first[..count] == other.first[..count]
            && [self, other].iter().all(|known| known.first[count..].iter().all(|&first| first == 0))
    }

    fn add(&mut self, region: Block, mask: Value, value: bool) {
        let next = self.first[mask.index()];
        self.facts.push(MaskFact { region, value, next });
        self.first[mask.index()] = self.facts.len() as u32;
    }

    fn add_empty(&mut self, function: &Function, region: Block, mask: Value, depth: u32) {
        self.add(region, mask, false);
        if let (Some((Op::MaskOr {}, &[a, b])), Some(depth)) = (function.defining_op(mask), depth.checked_sub(1)) {
            self.add_empty(function, region, a, depth);
            self.add_empty(function, region, b, depth);
        }
    }

    fn add_full(&mut self, function: &Function, region: Block, mask: Value, depth: u32) {
        self.add(region, mask, true);
        let Some(depth) = depth.checked_sub(1) else { return };
        match function.defining_op(mask) {
            Some((Op::MaskAnd {}, &[a, b])) => {
                self.add_full(function, region, a, depth);
                self.add_full(function, region, b, depth);
            }
            Some((Op::MaskAndnot {}, &[a, b])) => {
                self.add_full(function, region, a, depth);
                self.add_empty(function, region, b, depth);
            }
            Some((Op::MaskNot {}, &[a])) => self.add_empty(function, region, a, depth),
            _ => {}
        }
    }

    /// What the mask is known to be in `block`.
    pub(crate) fn get(&self, graph: &Graph, mask: Value, block: Block) -> Option<bool> {
        let mut at = self.first.get(mask.index()).copied().unwrap_or(0);
        for _ in 0..MOST_FACTS {
            let fact = &self.facts[at.checked_sub(1)? as usize];
            if graph.dominates(fact.region, block) {
                return Some(fact.value);
            }
            at = fact.next;
        }
        None
    }
}
