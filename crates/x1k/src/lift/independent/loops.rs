//! LOOP and REP with BREAK and CONTINUE.
//!
//! The head has no condition, so the group jumps over a loop only where the count is 0, or nobody is active. At its end the
//! group goes back as long as passes and active lanes are left; after it all lanes are active that entered. When nobody is
//! left for what follows a BREAK or a CONTINUE, the group jumps to where it would have come anyway with all of them asleep:
//! after the loop, or to its end. Lanes that did not enter sleep with counters that the conditionals inside have raised by
//! 1 each, so the jump has to lower them by the number of these; lanes that entered are woken up by the loop itself.

use super::open::{Loop, Open};
use super::{Step, Walk, Wants};
use crate::codes::{BranchOp, FlowOp};
use crate::instruction::Body;
use ctm_lane::{IntTest, Type};

impl Walk<'_> {
    /// LOOP and REP.
    pub fn begin_loop(&mut self, step: Step) -> Option<()> {
        let flow = step.flow;
        let is_head = step.is_plain() && !flow.jump_any && step.wants == Wants::Never;
        if !is_head || self.open.loops().count() == self.limits.stack {
            return None;
        }
        let count = self.m.int(flow.int_addr, 0);
        let entry = self.m.b.get(self.m.active);
        let (remaining, stay, running) =
            (self.m.b.variable(Type::Uniform), self.m.b.variable(Type::Mask), self.m.b.variable(Type::Mask));
        let al_before = self.m.b.get(self.m.al);
        self.m.b.set(remaining, count);
        self.m.b.set(stay, entry);
        if flow.op == FlowOp::Loop {
            let start = self.m.int(flow.int_addr, 1);
            self.m.b.set(self.m.al, start);
        }
        let (top, exit) = (self.m.b.new_block(), self.m.b.new_block());
        self.open.push(Open::Loop(Loop {
            body: step.pc + 1,
            head: flow.op,
            int: flow.int_addr,
            skips_to: step.target,
            break_to: None,
            continue_to: None,
            top,
            exit,
            remaining,
            al_before,
            entry,
            stay,
            running,
            is_left: self.is_left(step.pc + 1, step.target),
            kills: false,
        }));
        let zero = self.m.b.uniform_constant(0);
        self.m.b.branch_if(IntTest::Ne, count, zero, (top, &[]), (exit, &[]));
        self.m.b.switch_to(top);
        let active = self.m.b.get(stay);
        self.m.b.set(self.m.active, active);
        self.m.b.set(running, active);
        Some(())
    }

    /// Whether a BREAK or CONTINUE that is about this loop lies between its head and its end, if the loops in between lie in
    /// the order of addresses; if they do not, the BREAK is refused when the walk comes to it.
    fn is_left(&self, body: usize, behind: usize) -> bool {
        let mut loops = 0usize;
        self.m.program.code.get(body..behind).unwrap_or_default().iter().any(|instruction| {
            let Body::Flow(flow) = &instruction.body else { return false };
            match flow.op {
                FlowOp::Jump => {}
                FlowOp::Loop | FlowOp::Rep => loops += 1,
                FlowOp::EndLoop | FlowOp::EndRep => loops = loops.saturating_sub(1),
                FlowOp::BreakLoop | FlowOp::BreakRep | FlowOp::Continue => return loops == 0,
            }
            false
        })
    }

    /// BREAK and CONTINUE.
    pub fn leave(&mut self, step: Step) -> Option<()> {
        let Step { flow, target, .. } = step;
        let (at, depth) = self.open.innermost_loop()?;
        if flow.b_op0 != BranchOp::None || flow.b_else || step.lowers()? != depth {
            return None;
        }
        let (open, inside) = self.open.loop_at(at)?;
        let is_rep = open.head == FlowOp::Rep;
        let expected = if flow.op == FlowOp::Continue { &mut open.continue_to } else { &mut open.break_to };
        if expected.is_some_and(|known| known != target)
            || flow.op == FlowOp::BreakLoop && is_rep
            || flow.op == FlowOp::BreakRep && !is_rep
            || !open.is_left
        {
            return None;
        }
        *expected = Some(target);
        for open in inside {
            if let Open::If(open) = open {
                open.left = true;
            }
        }
        let (stay, running, exit) = (open.stay, open.running, open.exit);
        let active = self.m.b.get(self.m.active);
        let wants = self.m.lanes_of(step.wants);
        let leaving = self.m.b.mask_and(active, wants);
        self.remove(&[self.m.active, running], leaving);
        if flow.op != FlowOp::Continue {
            self.remove(&[stay], leaving);
            let stay = self.m.b.get(stay);
            let next = self.m.b.new_block();
            self.m.b.branch_any(stay, (next, &[]), (exit, &[]));
            self.m.b.seal(next);
            self.m.b.switch_to(next);
        }
        Some(())
    }

    /// ENDLOOP and ENDREP.
    pub fn end_loop(&mut self, step: Step) -> Option<()> {
        let Step { pc, flow, .. } = step;
        let is_end = step.is_plain() && flow.jump_any && step.wants == Wants::Always;
        let stay = self.m.b.get(self.open.loops().last()?.stay);
        self.count_here(pc, 1, stay);
        let open = self.open.pop_loop(|open| {
            is_end
                && open.body == step.target
                && (open.head == FlowOp::Loop) == (flow.op == FlowOp::EndLoop)
                && open.int == flow.int_addr
                && open.skips_to == pc + 1
                && open.break_to.is_none_or(|to| to == pc + 1)
                && open.continue_to.is_none_or(|to| to == pc)
        })?;
        let Loop { remaining, top, exit, int, head, .. } = open;
        let (one, zero) = (self.m.b.uniform_constant(1), self.m.b.uniform_constant(0));
        let left = self.m.b.get(remaining);
        let left = self.m.b.uniform_sub(left, one);
        self.m.b.set(remaining, left);
        let (again, back) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_if(IntTest::Ne, left, zero, (again, &[]), (exit, &[]));
        self.m.b.seal(again);
        self.m.b.switch_to(again);
        self.m.b.branch_any(stay, (back, &[]), (exit, &[]));
        self.m.b.seal(back);
        self.m.b.switch_to(back);
        if head == FlowOp::Loop {
            let (al, step) = (self.m.b.get(self.m.al), self.m.int(int, 2));
            let al = self.m.b.uniform_add(al, step);
            self.m.b.set(self.m.al, al);
        }
        self.m.b.jump(top, &[]);
        self.m.b.seal(top);
        self.m.b.seal(exit);
        self.m.b.switch_to(exit);
        self.leave_loop(&open);
        Some(())
    }

    /// After a loop the lanes are active that entered it, less those that were killed.
    fn leave_loop(&mut self, open: &Loop) {
        let mut active = open.entry;
        if open.kills {
            let live = self.m.b.get(self.m.live);
            active = self.m.b.mask_and(active, live);
        }
        self.m.b.set(self.m.active, active);
        if open.head == FlowOp::Loop {
            self.m.b.set(self.m.al, open.al_before);
        }
        self.m.clear_alu_result();
    }
}
