//! Subroutines: CALL, with or without a condition, RETURN at the end, and RETURNs with a condition before it.
//!
//! A conditional call is a conditional whose part is the subroutine: who does not take it begins to sleep with counter 0,
//! and if nobody takes it the group goes on after the call, where nothing has changed. An early RETURN is one whose part is
//! the rest of the subroutine: who takes it sleeps. All of them end together, at the last RETURN, which lowers counters by
//! their number; so what holds for ENDIFs that end together holds here (see [`branches`](super::branches)), with "after the
//! call" for "after the end". When all active lanes take an early RETURN, the counters of those who sleep are raised by the
//! call and the early RETURNs before it: as much as its jump has to lower.
//!
//! The group takes a call when *any* lane does, an early RETURN when *all* do, and the last RETURN in any case. A call that
//! everybody takes may count like one with a condition, as a subroutine wants that has calls of both kinds.

use super::open::{If, Open, Skip};
use super::{Step, Walk, Wants};
use crate::codes::BranchOp;

impl Step<'_> {
    /// Whether a RETURN is the end of its subroutine: the group takes it in any case.
    pub fn is_return(&self) -> bool {
        !self.flow.jump_any && self.wants == Wants::Always && !self.flow.b_else
    }
}

impl Walk<'_> {
    /// CALL: gives the address of the subroutine.
    pub fn call(&mut self, step: Step) -> Option<usize> {
        let flow = step.flow;
        if self.open.calls() == self.limits.stack {
            return None;
        }
        if !step.is_plain_jump() {
            // Where all want to, it does not matter whether a group without an active lane goes through the subroutine.
            let is_for_some = flow.jump_any || step.wants == Wants::Always;
            let counts = flow.b_op0 == BranchOp::None && flow.b_op1 == BranchOp::Incr && !flow.b_else;
            if !is_for_some || !counts {
                return None;
            }
            let wants = self.m.lanes_of(step.wants);
            let others = self.m.flip(wants);
            self.open_if(Skip::Call, others)?;
        }
        self.open.push(Open::Call(step.pc + 1));
        Some(step.target)
    }

    /// A RETURN that active lanes take where they want to; in the body of the subroutine, not in a branch or a loop there.
    pub fn return_early(&mut self, step: Step) -> Option<()> {
        let flow = step.flow;
        let is_early = !flow.jump_any && flow.b_op0 == BranchOp::Incr && !flow.b_else;
        if !is_early || step.lowers()? != self.open.levels_of_call()? {
            return None;
        }
        let wants = self.m.lanes_of(step.wants);
        self.open_if(Skip::Return, wants)
    }

    /// The RETURN that ends a subroutine: gives the address after the call.
    pub fn end_call(&mut self, step: Step) -> Option<usize> {
        if step.lowers()? != self.open.levels_of_call()? {
            return None;
        }
        while let Some(open) = self.open.pop_if(|open| matches!(open.skip, Skip::Return)) {
            self.close_if(open);
        }
        let back = self.open.pop_call()?;
        if let Some(open) = self.open.pop_if(|open: &If| matches!(open.skip, Skip::Call)) {
            self.close_if(open);
        }
        Some(back)
    }
}
