//! Whether the function runs the parts of a divergent warp in the order in which the warp does: those that stay first, to where they wait
//! for the others, then those that the branch takes. Then lanes can look at each other.
//!
//! A branch has a region for each of its ways: the nodes that lanes come to while they have the tokens that they had at the branch. A warp
//! is through with the first region before it begins with the second one, and with both before it goes on where they wait. The function
//! does the same if the nodes of the first region come before those of the second one, no loop leads out of a region and back, and what
//! comes after the regions comes after all of their nodes. A node of both regions would run twice.
//!
//! Threads of blocks do not look at each other between barriers. What counts there is who comes to a barrier together ([`super::block`]).

use super::graph::{End, Graph, Node, Successor};
use crate::program::Code;
use crate::table::{Class, FlowOp, OrderOp};
use std::collections::BTreeSet;

/// Nodes of a graph that is not too large to be looked at.
const MOST_NODES: usize = 512;

/// What lanes of one way come to.
#[derive(Default)]
struct Region {
    nodes: BTreeSet<usize>,
    /// Where they go on without some of their tokens.
    after: BTreeSet<usize>,
}

impl Graph {
    /// Whether the function keeps the order of warps.
    pub(super) fn keeps_order(&self, code: &Code) -> bool {
        let last_back = self.last_back();
        let diverges = |node: &usize| matches!(self.nodes[*node].end, End::Part(Successor::To(_), Successor::To(_)));
        self.is_straight()
            || self.nodes.len() <= MOST_NODES
                && (0..self.nodes.len()).filter(diverges).all(|node| self.keeps_order_at(node, &last_back, code))
    }

    /// For each node whether its branch has to be watched: lanes that it parts may come to a barrier before they wait for each other.
    pub(super) fn watched(&self) -> Vec<bool> {
        let waits = |region: &Region| region.nodes.iter().any(|&node| matches!(self.nodes[node].end, End::Wait(_)));
        let is_watched = |node: &Node| match node.end {
            // What is not looked at may do so.
            End::Part(..) if self.nodes.len() > MOST_NODES => true,
            End::Part(taken, stay) => [taken, stay].iter().any(|&way| waits(&self.region(way, node.tokens_after))),
            End::All(_) | End::Kill(_) | End::Wait(_) | End::Call(_) => false,
        };
        self.nodes.iter().map(is_watched).collect()
    }

    fn keeps_order_at(&self, branch: usize, last_back: &[Option<usize>], code: &Code) -> bool {
        let End::Part(taken, stay) = self.nodes[branch].end else { return true };
        let tokens = self.nodes[branch].tokens_after;
        let [stay, taken] = [stay, taken].map(|way| self.region(way, tokens));
        let acts = |node: &&usize| self.acts(**node, code);
        let shares = stay.nodes.intersection(&taken.nodes).any(|node| acts(&node));
        let ends = [&stay, &taken].map(|region| region.nodes.iter().rfind(acts));
        let starts = taken.nodes.iter().find(acts);
        let in_order = ends[0].is_none_or(|end| starts.is_none_or(|start| end < start));
        // A loop of a region ends before the function goes on.
        let is_whole = |region: &Region| {
            let end = region.nodes.last();
            region.nodes.iter().all(|&node| last_back[node].is_none_or(|last| Some(&last) <= end))
        };
        let end = stay.nodes.last().max(taken.nodes.last());
        let comes_after = |node: &usize| Some(node) > end || last_back[*node].as_ref() >= end;
        !shares && in_order && is_whole(&stay) && is_whole(&taken) && stay.after.union(&taken.after).all(comes_after)
    }

    /// What lanes come to that go this way with so many tokens.
    fn region(&self, way: Successor, tokens: usize) -> Region {
        let mut region = Region::default();
        let mut open: Vec<usize> = End::All(way).targets().collect();
        while let Some(node) = open.pop() {
            if self.nodes[node].tokens_before < tokens {
                region.after.insert(node);
            } else if region.nodes.insert(node) {
                open.extend(self.nodes[node].end.targets());
            }
        }
        region
    }

    /// Whether it matters when, and with whom, lanes come to a node.
    fn acts(&self, node: usize, code: &Code) -> bool {
        let instructions = &code.instructions()[self.nodes[node].instructions.clone()];
        instructions.iter().any(|instruction| match instruction.op().class() {
            Class::Flow(op) => matches!(op, FlowOp::Kil | FlowOp::Sam | FlowOp::Ram),
            Class::Order(OrderOp::Nop | OrderOp::VoteVtg | OrderOp::Depbar | OrderOp::Membar) | Class::Cache(_) => {
                false
            }
            Class::Order(OrderOp::Bar)
            | Class::Raw
            | Class::Attribute(_)
            | Class::Special(_)
            | Class::Move(_)
            | Class::Constant(_)
            | Class::Local(_)
            | Class::Global(_)
            | Class::Shared(_)
            | Class::Atomic(_)
            | Class::Surface(_)
            | Class::Fragment(_)
            | Class::Texture(_)
            | Class::Video(_)
            | Class::System(_)
            | Class::Float(_)
            | Class::Double(_)
            | Class::Compare(_)
            | Class::Integer(_)
            | Class::Bits(_)
            | Class::Convert(_)
            | Class::Flags(_)
            | Class::Exchange(_) => true,
        })
    }
}
