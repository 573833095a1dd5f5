//! IF, ELSE, ENDIF, and several of them that end together.
//!
//! A conditional raises the counters of all who sleep, and its own sleepers begin with 0; n of them that end together
//! lower all counters by n. So a lane that slept before sleeps on with the counter that it had, and one that began to sleep
//! in one of the n wakes. When an IF without an ELSE jumps after the end, nobody has begun to sleep at it, and the counters
//! of the others are raised by the conditionals around it that end there too: as much as its jump has to lower. An IF with
//! an ELSE jumps only to where the second part begins, so its jump raises counters as staying would have done. ELSE jumps
//! when nobody is active for the second part, after the end: there one more is to be lowered, its own.

use super::open::{If, Open, Skip};
use super::{Step, Walk, Wants};
use crate::codes::BranchOp;
use ctm_lane::Value;

impl Walk<'_> {
    /// IF.
    pub fn begin_if(&mut self, step: Step) -> Option<()> {
        let flow = step.flow;
        let lowers = step.lowers();
        if flow.b_op0 != BranchOp::Incr || flow.b_op1 == BranchOp::Reserved3 {
            return None;
        }
        let others = self.m.lanes_of(step.wants);
        self.open_if(Skip::To { target: step.target, lowers }, others)
    }

    /// Opens a conditional whose first part is for the active lanes that are not among the others.
    pub fn open_if(&mut self, skip: Skip, others: Value) -> Option<()> {
        if self.open.ifs() == self.limits.counters {
            return None;
        }
        let before = self.m.b.get(self.m.active);
        let first = self.m.b.mask_andnot(before, others);
        let others = self.m.b.mask_and(before, others);
        let join = self.m.b.new_block();
        let (then, second) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(first, (then, &[]), (second, &[]));
        self.m.b.seal(then);
        self.m.b.switch_to(then);
        self.m.b.set(self.m.active, first);
        self.open.push(Open::If(If { skip, before, others, join, second, has_else: false, left: false }));
        Some(())
    }

    /// ELSE.
    pub fn begin_second_part(&mut self, step: Step) -> Option<()> {
        let flow = step.flow;
        let jumps_for_nobody = !flow.jump_any && step.wants == Wants::Never;
        if !jumps_for_nobody || flow.b_op0 != BranchOp::None {
            return None;
        }
        let open = self.open.innermost_if()?;
        let is_here = matches!(open.skip, Skip::To { target, lowers: None } if target == step.pc + 1);
        if open.has_else || !is_here {
            return None;
        }
        open.skip = Skip::To { target: step.target, lowers: Some(step.lowers()?) };
        open.has_else = true;
        let (others, second, join) = (open.others, open.second, open.join);
        self.m.b.branch_any(others, (second, &[]), (join, &[]));
        self.m.b.seal(second);
        self.m.b.switch_to(second);
        self.m.b.set(self.m.active, others);
        Some(())
    }

    /// An ENDIF of the innermost conditionals, as many as it lowers counters.
    pub fn end_ifs(&mut self, step: Step) -> Option<()> {
        let flow = step.flow;
        let pops = match flow.b_op0 {
            BranchOp::None => 0,
            BranchOp::Decr => flow.b_pop_cnt,
            BranchOp::Incr | BranchOp::Reserved3 => return None,
        };
        if step.wants != Wants::Never {
            return None;
        }
        for inner in (0..pops).rev() {
            // The conditionals around it that end here, and itself after its ELSE.
            let fits = |open: &If| {
                let raised = inner + u8::from(open.has_else);
                matches!(open.skip, Skip::To { target, lowers: Some(lowers) }
                    if target == step.pc + 1 && lowers == raised)
            };
            let open = self.open.pop_if(fits)?;
            self.close_if(open);
        }
        Some(())
    }

    /// Ends a conditional that has been taken from the open ones: lanes are active that were so before, but for those that
    /// left.
    pub fn close_if(&mut self, open: If) {
        self.m.b.jump(open.join, &[]);
        if !open.has_else {
            self.m.b.seal(open.second);
            self.m.b.switch_to(open.second);
            self.m.b.jump(open.join, &[]);
        }
        self.m.b.seal(open.join);
        self.m.b.switch_to(open.join);
        let mut active = open.before;
        if open.left {
            let mask = match self.open.innermost_loop().and_then(|(at, _)| self.open.loop_at(at)) {
                Some((open, _)) => open.running,
                None => self.m.live,
            };
            let left = self.m.b.get(mask);
            active = self.m.b.mask_and(active, left);
        }
        self.m.b.set(self.m.active, active);
    }
}
