//! Control flow: the nodes of a graph one after the other, each with the lanes that wait there.
//!
//! Lanes that go to a later node wait until its turn; lanes that go back wait for the end of the loop's last node, and then
//! the function goes back, too. That is right for every order of nodes; in a good one, lanes wait for each other where ways
//! meet.

use super::graph::{End, Graph, Node, Successor};
use super::machine::LiftState;
use super::resume::{CALLS, PLACE_BITS};
use super::{NotLifted, Walked};
use crate::codes::Test;
use crate::instruction::Instruction;
use crate::program::Code;
use crate::table::{Class, FlowOp};
use ctm_lane::effort::Effort;
use ctm_lane::{Block, Type, Value, Variable};
use std::collections::BTreeSet;

/// The tests that are the opposites of others.
const OPPOSITES: [Test; 13] = {
    use Test::*;
    [F, Num, Ne, Ge, Neu, Geu, Gtu, Gt, Rgt, Off, Lo, Ls, Sff]
};

/// Lifts all nodes.
pub(super) fn walk(m: &mut LiftState, graph: &Graph, effort: &Effort) -> Walked<()> {
    let count = graph.nodes.len();
    // For each node the nodes after which the function goes back to it, the last one counting.
    let last_back = graph.last_back();
    let mut heads = vec![Vec::new(); count];
    for (head, &from) in last_back.iter().enumerate() {
        from.into_iter().for_each(|from: usize| heads[from].push(head));
    }
    // Blocks first: variables that are made after them take memory where they are set alone.
    let bodies: Vec<Block> = (0..count).map(|_| m.b.new_block()).collect();
    let waiting: Vec<Variable> = (0..count).map(|_| m.b.variable(Type::Mask)).collect();
    let resumes = m.resume.is_some();
    // Only fragments look at others while they diverge.
    let pauses = m.fragments.is_some() && graph.returns().next().is_some();
    if resumes {
        let returns = graph.resumes().chain(graph.returns()).map(|(node, _)| node);
        let nodes: BTreeSet<usize> = if pauses { (0..count).collect() } else { returns.collect() };
        let places = std::iter::once((0, 0)).chain(nodes.into_iter().map(|node| (node, place_of(node))));
        for (node, place) in places {
            let (lanes, others) = (m.resuming(place), m.b.get(waiting[node]));
            let lanes = m.b.mask_or(lanes, others);
            m.b.set(waiting[node], lanes);
        }
    } else {
        m.b.set(waiting[0], m.live);
        m.b.jump(bodies[0], &[]);
    }
    let watched = if resumes { graph.watched() } else { vec![false; count] };
    let returning = if pauses { returning(graph, &last_back)? } else { vec![Vec::new(); count] };
    let end = m.b.new_block();
    let mut walk = Walk { m, effort, waiting, bodies, last_back, heads, watched, pauses, returning, end };
    for (at, node) in graph.nodes.iter().enumerate() {
        walk.visit(at, node)?;
    }
    walk.m.b.jump(end, &[]);
    walk.m.b.seal(end);
    walk.m.b.switch_to(end);
    walk.m.log_footprints();
    walk.m.leave();
    walk.m.b.ret();
    if walk.m.b.seal_all(effort) { Ok(()) } else { Err(NotLifted::TooLarge) }
}

struct Walk<'w, 'a> {
    m: &'w mut LiftState<'a>,
    effort: &'w Effort<'w>,
    /// The lanes that wait at each node.
    waiting: Vec<Variable>,
    bodies: Vec<Block>,
    last_back: Vec<Option<usize>>,
    /// For each node those that the function goes back to after it.
    heads: Vec<Vec<usize>>,
    /// For each node whether the ways that lanes take from it are noted.
    watched: Vec<bool>,
    /// Lanes that leave the function take the others of their group along.
    pauses: bool,
    /// For each node that lanes come to from a call, the heads of the loops around both: others may wait there.
    returning: Vec<Vec<usize>>,
    /// The end of the function.
    end: Block,
}

/// What says that lanes go on at a node.
pub(super) fn place_of(node: usize) -> u32 {
    node as u32 + 1
}

/// The same of lanes that wait at the head of a loop until others come back to a node.
fn place_behind(head: usize, node: usize) -> u32 {
    place_of(node) << PLACE_BITS | place_of(head)
}

/// For each node that lanes come to from a call the heads of the loops that both are in.
fn returning(graph: &Graph, last_back: &[Option<usize>]) -> Walked<Vec<Vec<usize>>> {
    let mut returning = vec![Vec::new(); graph.nodes.len()];
    for (at, node) in graph.nodes.iter().enumerate() {
        let End::Call(Successor::To(next)) = node.end else { continue };
        if next <= at {
            return Err(NotLifted::Dependent);
        }
        let is_around = |&head: &usize| head <= at && last_back[head].is_some_and(|last| last >= next);
        returning[next] = (0..=at).filter(is_around).collect();
    }
    Ok(returning)
}

impl Walk<'_, '_> {
    /// Lifts a node, and what leads from it to the next one.
    fn visit(&mut self, at: usize, node: &Node) -> Walked<()> {
        let after = self.m.b.new_block();
        if at > 0 || self.m.resume.is_some() {
            let mut lanes = self.waiting(at);
            for head in self.returning[at].clone() {
                let others = self.m.resuming(place_behind(head, at));
                lanes = self.m.b.mask_or(lanes, others);
            }
            self.m.b.branch_any(lanes, (self.bodies[at], &[]), (after, &[]));
        }
        if self.last_back[at].is_none() {
            self.m.b.seal(self.bodies[at]);
        }
        self.m.b.switch_to(self.bodies[at]);
        self.let_wait(at);
        let lanes = self.waiting(at);
        let none = self.m.b.mask_constant(false);
        self.m.b.set(self.waiting[at], none);
        self.body(at, node, lanes)?;

        let heads = std::mem::take(&mut self.heads[at]);
        match node.end {
            // Somebody waits there.
            End::All(Successor::To(next)) if next == at + 1 && heads.is_empty() => {
                self.m.b.jump(self.bodies[next], &[])
            }
            End::All(_) | End::Part(..) | End::Kill(_) | End::Wait(_) | End::Call(_) => self.m.b.jump(after, &[]),
        }
        self.m.b.seal(after);
        self.m.b.switch_to(after);
        for head in heads {
            let lanes = self.waiting(head);
            let next = self.m.b.new_block();
            self.m.b.branch_any(lanes, (self.bodies[head], &[]), (next, &[]));
            self.m.b.seal(next);
            self.m.b.switch_to(next);
        }
        Ok(())
    }

    /// The lanes that wait at a node, without those of quads that were killed meanwhile.
    fn waiting(&mut self, at: usize) -> Value {
        let lanes = self.m.b.get(self.waiting[at]);
        self.m.without_dead(lanes)
    }

    fn body(&mut self, at: usize, node: &Node, lanes: Value) -> Walked<()> {
        let code = self.m.code;
        let count = node.instructions.len() as u32;
        if count > 0 {
            self.m.b.steps(count, Code::address(node.instructions.start), lanes);
            self.m.count_steps(count, lanes);
        }
        // SAMs without their RAM.
        let mut open = node.lent;
        let called = matches!(node.end, End::Call(_)).then(|| node.instructions.end - 1);
        for index in node.instructions.clone() {
            if !self.m.b.keeps_to(self.effort) {
                return Err(NotLifted::TooLarge);
            }
            let instruction = &code.instructions()[index];
            let guard = self.m.pred(instruction.guard());
            self.m.taken = self.m.b.mask_and(lanes, guard);
            if instruction.op().is_store() {
                self.m.taken = self.m.without_helpers(self.m.taken);
            }
            if Some(index) == called {
                continue;
            }
            self.m.execute(instruction)?;
            if let Class::Flow(op @ (FlowOp::Sam | FlowOp::Ram)) = instruction.op().class() {
                open = self.lend_quads(op, open, lanes);
            }
        }
        if open > 0 && called.is_none() {
            self.m.trap_in(lanes);
        }
        match node.end {
            End::All(way) => self.go(way, lanes),
            End::Part(taken, stay) => {
                let instruction = &code.instructions()[node.instructions.end - 1];
                let leaving = self.passing(instruction);
                let staying = self.m.b.mask_andnot(lanes, leaving);
                if self.watched[at] {
                    self.m.watch(lanes, leaving);
                }
                self.go(taken, leaving);
                self.go(stay, staying);
            }
            End::Kill(way) => {
                let instruction = &code.instructions()[node.instructions.end - 1];
                let killed = self.passing(instruction);
                let dead = self.m.kill(killed, lanes);
                let staying = self.m.b.mask_andnot(lanes, dead);
                self.go(way, staying);
            }
            End::Wait(Successor::To(next)) => self.m.wait_at(place_of(next), lanes),
            End::Call(Successor::To(next)) => self.call(at, next, lanes),
            End::Call(way) => self.go(way, lanes),
            End::Wait(way) => self.go(way, lanes),
        }
        Ok(())
    }

    /// Lanes that wait at the heads of loops for others to come back to a node do so no longer.
    fn let_wait(&mut self, at: usize) {
        for head in self.returning[at].clone() {
            let lanes = self.m.resuming(place_behind(head, at));
            self.go(Successor::To(head), lanes);
            self.m.leave_at(0, lanes);
        }
    }

    /// The end of a node with a call: those of its lanes for which the last instruction executes leave the function, and come back to the next node.
    fn call(&mut self, at: usize, next: usize, lanes: Value) {
        let called = self.m.taken;
        let others = self.m.b.mask_andnot(lanes, called);
        if !self.pauses {
            self.m.leave_at(place_of(next) | CALLS, called);
            return self.go(Successor::To(next), others);
        }
        let [leaving, staying] = [(); 2].map(|()| self.m.b.new_block());
        self.m.b.branch_any(called, (leaving, &[]), (staying, &[]));
        self.m.b.seal(leaving);
        self.m.b.seal(staying);
        self.m.b.switch_to(leaving);
        let before: Vec<Value> = self.waiting.iter().map(|&waiting| self.m.b.get(waiting)).collect();
        for (node, lanes) in before.into_iter().enumerate() {
            let is_around = self.returning[next].contains(&node);
            let place = if is_around { place_behind(node, next) } else { place_of(node) };
            let is_later = node > at || self.last_back[node].is_some_and(|last| last >= at);
            if is_around || is_later {
                let lanes = self.m.without_dead(lanes);
                self.m.leave_at(place, lanes);
            }
        }
        self.m.leave_at(place_of(next), others);
        self.m.leave_at(place_of(next) | CALLS, called);
        self.m.b.jump(self.end, &[]);
        self.m.b.switch_to(staying);
        self.go(Successor::To(next), lanes);
    }

    /// SAM and RAM, with so many SAMs before: whole quads stay as they are. Gives how many are open.
    fn lend_quads(&mut self, op: FlowOp, open: u32, lanes: Value) -> u32 {
        if op == FlowOp::Sam {
            self.m.require_whole_quads(lanes);
            return open + 1;
        }
        if open == 0 {
            self.m.trap_in(lanes);
        }
        open.saturating_sub(1)
    }

    /// The lanes for which the last instruction executes and whose flags pass its test.
    fn passing(&mut self, instruction: &Instruction) -> Value {
        match self.m.holds(instruction.test()) {
            Some(holds) => self.m.b.mask_and(self.m.taken, holds),
            // No such test is known.
            None => {
                self.m.trap();
                self.m.b.mask_constant(false)
            }
        }
    }

    fn go(&mut self, way: Successor, lanes: Value) {
        match way {
            Successor::To(node) => {
                let waiting = self.m.b.get(self.waiting[node]);
                let waiting = self.m.b.mask_or(waiting, lanes);
                self.m.b.set(self.waiting[node], waiting);
            }
            Successor::Exit => self.m.exit(lanes),
            Successor::Trap => self.m.trap_in(lanes),
        }
    }
}

impl LiftState<'_> {
    /// The lanes whose flags pass a test; `None` for tests without a meaning here. Each arm has a test and its opposite: what
    /// is not at least as great is less, or unordered.
    pub fn holds(&mut self, test: Test) -> Option<Value> {
        let [zero, sign, carry, overflow] = self.flags.map(|flag| self.b.get(flag));
        let b = &mut self.b;
        let first = match test {
            Test::T | Test::F => b.mask_constant(true),
            Test::Nan | Test::Num => b.mask_and(zero, sign),
            Test::Equ | Test::Ne => zero,
            Test::Ltu | Test::Ge => b.mask_xor(sign, overflow),
            Test::Eq | Test::Neu => b.mask_andnot(zero, sign),
            Test::Lt | Test::Geu => {
                let negative = b.mask_andnot(sign, zero);
                b.mask_xor(negative, overflow)
            }
            Test::Le | Test::Gtu => {
                let turned = b.mask_or(zero, overflow);
                b.mask_xor(sign, turned)
            }
            Test::Leu | Test::Gt => {
                let less = b.mask_xor(sign, overflow);
                b.mask_or(less, zero)
            }
            Test::Rle | Test::Rgt => b.mask_or(zero, sign),
            Test::Oft | Test::Off => overflow,
            Test::Hs | Test::Lo => carry,
            Test::Hi | Test::Ls => b.mask_andnot(carry, zero),
            Test::Sft | Test::Sff => sign,
            Test::CsmTa | Test::CsmTr | Test::CsmMx | Test::FcsmTa | Test::FcsmTr | Test::FcsmMx => return None,
        };
        let second = OPPOSITES.contains(&test);
        Some(if second { b.mask_not(first) } else { first })
    }
}
