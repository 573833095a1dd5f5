//! Loops, and how pixels leave them.

use super::{Test, Walk};
use crate::cf::CfFields;
use crate::job::{LoopConstant, TrapKind};
use crate::lift::Walked;
use crate::lift::context::{Context, Frame};
use crate::lift::independence::{Jump, Leave};
use ctm_lane::{IntTest, Value};

/// What a loop counts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::lift) enum LoopKind {
    /// LOOP_START: counts, and has an aL of its own.
    Dx9,
    /// LOOP_START_NO_AL: counts.
    NoAl,
    /// LOOP_START_DX10: goes on while pixels take part.
    Dx10,
}

impl Walk<'_> {
    pub(super) fn begin_loop(&mut self, fields: &CfFields, test: &Test, passing: Value, kind: LoopKind) -> Walked<()> {
        let constant: LoopConstant = self.m.specialisation.loops[usize::from(fields.cf_const)];
        if kind != LoopKind::Dx10 && constant.count == 0 {
            return self.jump_if_nobody(fields, &Test { never: true, ..*test }, passing, fields.pop_count, None);
        }
        let frame = Frame::Loop { kind, step: constant.step, some: true };
        self.jump_if_nobody(fields, test, passing, fields.pop_count, Some(frame))?;
        if self.m.b.is_ended() {
            return Ok(());
        }
        self.m.has_loops = true;
        let al = match kind {
            LoopKind::Dx9 => self.m.b.uniform_constant(constant.init.into()),
            LoopKind::NoAl | LoopKind::Dx10 => self.al(),
        };
        if !self.push(Frame::Loop { kind, step: constant.step, some: self.some })? {
            return Ok(());
        }
        let frame = self.m.frame(self.here.frames.len() - 1);
        let count = self.m.b.uniform_constant(constant.count.into());
        self.m.b.set(frame.count, count);
        self.m.b.set(frame.al, al);
        for (saved, state) in [(frame.active, self.m.active), (frame.stays, self.m.stays), (frame.waits, self.m.waits)]
        {
            let value = self.m.b.get(state);
            self.m.b.set(saved, value);
        }
        // Who is not in the loop waits as one that has left it, or the loop's end would bring it in.
        let none = self.m.b.mask_constant(false);
        let inside = if test.whole_quad { self.m.in_pass(passing) } else { passing };
        // A pixel that passes by its quad takes part, but keeps waiting for the end of a pass or loop if it did.
        let [waits, stays] = match test.whole_quad {
            true => [self.m.waits, self.m.stays].map(|state| {
                let lanes = self.m.b.get(state);
                self.m.b.mask_and(passing, lanes)
            }),
            false => [none, passing],
        };
        self.m.b.set(self.m.active, inside);
        self.m.b.set(self.m.stays, stays);
        self.m.b.set(self.m.waits, waits);
        Ok(())
    }

    /// The loop index: that of the innermost loop, 0 outside all.
    pub(in crate::lift) fn al(&mut self) -> Value {
        match self.here.innermost_loop() {
            Some(depth) => {
                let frame = self.m.frame(depth);
                self.m.b.get(frame.al)
            }
            None => self.m.b.uniform_constant(0),
        }
    }

    /// LOOP_END. Pixels that wait for the end of the pass come back before the test.
    pub(super) fn end_pass(&mut self, fields: &CfFields, test: &Test) -> Walked<()> {
        if self.here.innermost_loop().is_none() {
            return self.trap(TrapKind::NoLoop, None);
        }
        let Some(&Frame::Loop { kind, step, some }) = self.here.frames.last() else {
            return self.trap(TrapKind::StackMismatch, None);
        };
        let frame = self.m.frame(self.here.frames.len() - 1);
        let stays = self.m.b.get(self.m.stays);
        let active = self.m.living(stays);
        self.m.b.set(self.m.active, active);
        let none = self.m.b.mask_constant(false);
        self.m.b.set(self.m.waits, none);
        let passing = self.passing(test);
        self.depends |= test.valid_only;
        if kind == LoopKind::Dx9 {
            let (al, step) = (self.m.b.get(frame.al), self.m.b.uniform_constant(step.into()));
            let al = self.m.b.uniform_add(al, step);
            self.m.b.set(frame.al, al);
        }
        let (again, exit) = (self.m.b.new_block(), self.m.b.new_block());
        if kind != LoopKind::Dx10 {
            let (count, one) = (self.m.b.get(frame.count), self.m.b.uniform_constant(1));
            let count = self.m.b.uniform_sub(count, one);
            self.m.b.set(frame.count, count);
            let (next, zero) = (self.m.b.new_block(), self.m.b.uniform_constant(0));
            self.m.b.branch_if(IntTest::Ne, count, zero, (next, &[]), (exit, &[]));
            self.m.b.seal(next);
            self.m.b.switch_to(next);
        }
        self.m.b.branch_any(passing, (again, &[]), (exit, &[]));
        self.m.b.seal(again);
        self.m.b.seal(exit);
        self.m.b.switch_to(again);
        let (context, again) = (self.here.clone(), self.target(fields));
        // Pixels that have left the loop come along for another pass; those of other groups stay here.
        let (at, after) = (context.address, Context { address: again, ..context.clone() });
        self.jumps.push(Jump { at, after, pushed: 0, to: at, leave: Leave::Truncate(context.frames.len()) });
        self.some = true;
        self.go_to(again, fields)?;
        self.here = context;
        self.m.b.switch_to(exit);
        for (saved, state) in [(frame.active, self.m.active), (frame.stays, self.m.stays), (frame.waits, self.m.waits)]
        {
            let value = self.m.b.get(saved);
            self.m.b.set(state, value);
        }
        let active = self.m.b.get(self.m.active);
        let active = self.m.living(active);
        self.m.b.set(self.m.active, active);
        self.here.frames.pop();
        self.some = some && !self.m.specialisation.kill_stops_pixel;
        Ok(())
    }

    /// Pixels leave the loop, or the pass.
    pub(super) fn leave_pass(&mut self, breaks: bool, test: &Test, leaving: Value) {
        self.m.remove(self.m.active, leaving);
        if breaks {
            self.m.remove(self.m.stays, leaving);
        } else {
            self.m.add(self.m.waits, leaving);
            if test.whole_quad {
                // One that had left the loop, and passed by its quad, waits for the end of the pass now.
                self.m.add(self.m.stays, leaving);
            }
        }
        self.some = false;
    }

    /// LOOP_BREAK, LOOP_CONTINUE. They jump, past open branches, when nobody is left in the pass.
    pub(super) fn leave_loop(&mut self, fields: &CfFields, test: &Test, passing: Value, breaks: bool) -> Walked<()> {
        let Some(depth) = self.here.innermost_loop() else {
            return self.trap(TrapKind::NoLoop, None);
        };
        self.leave_pass(breaks, test, passing);
        let stays = self.m.b.get(self.m.stays);
        let left = self.m.in_pass(stays);
        self.branch(left, fields, Leave::Truncate(depth + 1), None)
    }
}
