//! Control flow: the nodes of a graph one after the other, each with the lanes that wait there.
//!
//! Lanes that go to a later node wait until its turn; lanes that go back wait for the end of the loop's last node, and then
//! the function goes back, too. That is right for every order of nodes; in a good one, lanes wait for each other where ways
//! meet.

use super::Walked;
use super::graph::{End, Graph, Node, Way};
use super::machine::LiftState;
use crate::codes::Test;
use crate::program::Code;
use ctm_lane::{Block, Type, Value, Variable};

/// Lifts all nodes.
pub(super) fn walk(m: &mut LiftState, graph: &Graph) -> Walked<()> {
    let count = graph.nodes.len();
    // For each node the nodes behind which the function goes back to it, the last one counting.
    let mut last_back = vec![None; count];
    for (from, node) in graph.nodes.iter().enumerate() {
        for to in node.end.targets().filter(|&to| to <= from) {
            last_back[to] = Some(from);
        }
    }
    let waiting: Vec<Variable> = (0..count).map(|_| m.b.variable(Type::Mask)).collect();
    let bodies: Vec<Block> = (0..count).map(|_| m.b.new_block()).collect();
    m.b.set(waiting[0], m.live);
    m.b.jump(bodies[0], &[]);
    let mut walk = Walk { m, waiting, bodies, last_back };
    for (at, node) in graph.nodes.iter().enumerate() {
        walk.visit(at, node)?;
    }
    walk.m.log_footprints();
    walk.m.b.ret();
    Ok(())
}

struct Walk<'w, 'a> {
    m: &'w mut LiftState<'a>,
    /// The lanes that wait at each node.
    waiting: Vec<Variable>,
    bodies: Vec<Block>,
    last_back: Vec<Option<usize>>,
}

impl Walk<'_, '_> {
    /// Lifts a node, and what leads from it to the next one.
    fn visit(&mut self, at: usize, node: &Node) -> Walked<()> {
        let after = self.m.b.new_block();
        if at > 0 {
            let lanes = self.m.b.get(self.waiting[at]);
            self.m.b.branch_any(lanes, (self.bodies[at], &[]), (after, &[]));
        }
        if self.last_back[at].is_none() {
            self.m.b.seal(self.bodies[at]);
        }
        self.m.b.switch_to(self.bodies[at]);
        let lanes = self.m.b.get(self.waiting[at]);
        let none = self.m.b.mask_constant(false);
        self.m.b.set(self.waiting[at], none);
        self.body(node, lanes)?;

        let goes_back = |&to: &usize| self.last_back[to] == Some(at);
        let heads: Vec<usize> = (0..=at).filter(goes_back).collect();
        match node.end {
            // Somebody waits there.
            End::All(Way::To(next)) if next == at + 1 && heads.is_empty() => self.m.b.jump(self.bodies[next], &[]),
            End::All(_) | End::Part(..) => self.m.b.jump(after, &[]),
        }
        self.m.b.seal(after);
        self.m.b.switch_to(after);
        for head in heads {
            let lanes = self.m.b.get(self.waiting[head]);
            let next = self.m.b.new_block();
            self.m.b.branch_any(lanes, (self.bodies[head], &[]), (next, &[]));
            self.m.b.seal(next);
            self.m.b.switch_to(next);
        }
        Ok(())
    }

    fn body(&mut self, node: &Node, lanes: Value) -> Walked<()> {
        let code = self.m.code;
        let count = node.instructions.len() as u32;
        if count > 0 {
            self.m.b.steps(count, Code::address(node.instructions.start), lanes);
        }
        for index in node.instructions.clone() {
            let instruction = &code.instructions()[index];
            let guard = self.m.pred(instruction.guard());
            self.m.taken = self.m.b.mask_and(lanes, guard);
            self.m.execute(instruction)?;
        }
        match node.end {
            End::All(way) => self.go(way, lanes),
            End::Part(taken, stay) => {
                let instruction = &code.instructions()[node.instructions.end - 1];
                let leaving = match self.m.holds(instruction.test()) {
                    Some(holds) => self.m.b.mask_and(self.m.taken, holds),
                    // No such test is known.
                    None => {
                        self.m.trap();
                        self.m.b.mask_constant(false)
                    }
                };
                let staying = self.m.b.mask_andnot(lanes, leaving);
                self.go(taken, leaving);
                self.go(stay, staying);
            }
        }
        Ok(())
    }

    fn go(&mut self, way: Way, lanes: Value) {
        match way {
            Way::To(node) => {
                let waiting = self.m.b.get(self.waiting[node]);
                let waiting = self.m.b.mask_or(waiting, lanes);
                self.m.b.set(self.waiting[node], waiting);
            }
            Way::Exit => self.m.exit(lanes),
            Way::Trap => self.m.trap_in(lanes),
        }
    }
}

impl LiftState<'_> {
    /// The lanes whose flags pass a test; `None` for tests without a meaning here. The tests with U are those without, as
    /// integers are never unordered.
    pub fn holds(&mut self, test: Test) -> Option<Value> {
        let [zero, sign, carry, overflow] = self.flags.map(|flag| self.b.get(flag));
        let b = &mut self.b;
        Some(match test {
            Test::F | Test::Nan => b.mask_constant(false),
            Test::T | Test::Num => b.mask_constant(true),
            Test::Lt | Test::Ltu => b.mask_xor(sign, overflow),
            Test::Eq | Test::Equ => zero,
            Test::Le | Test::Leu => {
                let less = b.mask_xor(sign, overflow);
                b.mask_or(less, zero)
            }
            Test::Gt | Test::Gtu => {
                let less = b.mask_xor(sign, overflow);
                let at_most = b.mask_or(less, zero);
                b.mask_not(at_most)
            }
            Test::Ne | Test::Neu => b.mask_not(zero),
            Test::Ge | Test::Geu => {
                let less = b.mask_xor(sign, overflow);
                b.mask_not(less)
            }
            Test::Off => b.mask_not(overflow),
            Test::Oft => overflow,
            Test::Lo => b.mask_not(carry),
            Test::Hs => carry,
            Test::Ls => {
                let lower = b.mask_not(carry);
                b.mask_or(lower, zero)
            }
            Test::Hi => b.mask_andnot(carry, zero),
            Test::Sff => b.mask_not(sign),
            Test::Sft => sign,
            Test::CsmTa
            | Test::CsmTr
            | Test::CsmMx
            | Test::FcsmTa
            | Test::FcsmTr
            | Test::FcsmMx
            | Test::Rle
            | Test::Rgt => return None,
        })
    }
}
