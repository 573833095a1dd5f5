//! Branches and calls: what they push and pop.

use super::{Test, Walk};
use crate::cf::CfFields;
use crate::job::TrapKind;
use crate::lift::Walked;
use crate::lift::context::{CodeAddress, Context, Frame};
use crate::lift::independence::{Jump, Leave};
use ctm_lane::Value;

/// Deepest nesting of calls, in units of CALL_COUNT.
const CALL_LIMIT: u32 = 32;

impl Walk<'_> {
    /// Goes on here where the mask has a pixel; where it has none, the group leaves the stack and jumps. `pushes` is what an
    /// instruction is about to push that goes on.
    pub(super) fn branch(&mut self, mask: Value, fields: &CfFields, leave: Leave, pushes: Option<Frame>) -> Walked<()> {
        let after = {
            let mut after = self.here.clone();
            after.address.pc += 1;
            after.frames.extend(pushes.clone());
            after
        };
        let (at, to) = (self.here.address, self.target(fields));
        self.jumps.push(Jump { at, after, pushed: usize::from(pushes.is_some()), to, leave });
        let (stay, jump) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(mask, (stay, &[]), (jump, &[]));
        self.m.b.seal(stay);
        self.m.b.seal(jump);
        let (context, some) = (self.here.clone(), self.some);
        // What variables hold differs from block to block, and so needs no saving.
        self.m.b.switch_to(jump);
        // With nobody passing a test for valid pixels, somebody may be active.
        self.some = false;
        match leave {
            Leave::Pop(count) => self.pop_masks(count)?,
            Leave::Truncate(depth) => {
                let is_mask = |frame: &Frame| matches!(frame, Frame::Mask { .. });
                if !self.here.frames[depth..].iter().all(is_mask) {
                    self.trap(TrapKind::StackMismatch, None)?;
                }
                self.here.frames.truncate(depth);
            }
        }
        if !self.m.b.is_ended() {
            self.go_to(self.target(fields), fields)?;
        }
        (self.here, self.some) = (context, some);
        self.m.b.switch_to(stay);
        Ok(())
    }

    /// Jumps, and pops, where no pixel passes.
    pub(super) fn jump_if_nobody(
        &mut self,
        fields: &CfFields,
        test: &Test,
        passing: Value,
        pops: u8,
        pushes: Option<Frame>,
    ) -> Walked<()> {
        match self.is_some(test) {
            Some(true) => return Ok(()),
            Some(false) => {
                self.pop_masks(pops)?;
                if !self.m.b.is_ended() {
                    self.go_to(self.target(fields), fields)?;
                }
                return Ok(());
            }
            None => {}
        }
        self.branch(passing, fields, Leave::Pop(pops), pushes)?;
        self.depends |= test.valid_only || test.whole_quad;
        self.some = true;
        Ok(())
    }

    pub(super) fn jump_if_none_active(&mut self, fields: &CfFields, pops: u8) -> Walked<()> {
        self.some = false;
        let active = self.m.b.get(self.m.active);
        self.jump_if_nobody(fields, &Test::ACTIVE, active, pops, None)
    }

    /// Pushes the active mask. False if the stack overflowed.
    pub(super) fn push_mask(&mut self, whole_quad: bool) -> Walked<bool> {
        if !self.push(Frame::Mask { whole_quad, some: self.some })? {
            return Ok(false);
        }
        let active = self.m.b.get(self.m.active);
        let frame = self.m.frame(self.here.frames.len() - 1);
        self.m.b.set(frame.active, active);
        Ok(true)
    }

    pub(super) fn push(&mut self, frame: Frame) -> Walked<bool> {
        self.here.frames.push(frame);
        if self.here.entries(self.m.specialisation.wavefront, self.hidden_frames()) > self.m.stack_size() {
            self.here.frames.pop();
            self.trap(TrapKind::StackOverflow, None)?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Pops mask frames. No pixel that left the loop or its pass comes back.
    pub(super) fn pop_masks(&mut self, count: u8) -> Walked<()> {
        for _ in 0..count {
            self.check_top_frame()?;
            let some = match self.here.frames.last() {
                Some(Frame::Mask { some, .. }) => *some,
                Some(_) => return self.trap(TrapKind::StackMismatch, None),
                None => return self.trap(TrapKind::StackUnderflow, None),
            };
            let frame = self.m.frame(self.here.frames.len() - 1);
            let pushed = self.m.b.get(frame.active);
            let active = self.m.in_pass(pushed);
            let active = self.m.living(active);
            self.m.b.set(self.m.active, active);
            self.here.frames.pop();
            self.some = some && self.here.innermost_loop().is_none() && !self.m.specialisation.kill_stops_pixel;
        }
        Ok(())
    }

    /// POP's test: the mask as it is now, narrowed.
    pub(super) fn narrow(&mut self, test: &Test) {
        if !self.m.b.is_ended() {
            let passing = self.passing(test);
            self.set_failing(test, passing);
        }
    }

    /// The pixels that pass are the active ones; whole-quad mode brings in those that wait for a branch.
    pub(super) fn set_failing(&mut self, test: &Test, passing: Value) {
        if test.is_active() {
            return;
        }
        let active = if test.whole_quad { self.m.in_pass(passing) } else { passing };
        self.m.b.set(self.m.active, active);
        self.some &= test.whole_quad && !test.never;
    }

    /// Pixels that pass wait for a branch.
    pub(super) fn deactivate(&mut self, test: &Test, passing: Value) {
        self.m.remove(self.m.active, passing);
        if test.whole_quad {
            // A pixel that passed by its quad waits for the branch, whatever it waited for.
            self.m.add(self.m.stays, passing);
            self.m.remove(self.m.waits, passing);
        }
        self.some = false;
    }

    /// ELSE: of the pixels that were active at the last push, those that took the first arm and those that did not change
    /// places.
    pub(super) fn invert(&mut self, test: &Test) -> Walked<()> {
        self.check_top_frame()?;
        match self.here.frames.last() {
            Some(Frame::Mask { .. }) => {}
            Some(_) => return self.trap(TrapKind::StackMismatch, None),
            None => return self.trap(TrapKind::StackUnderflow, None),
        }
        let frame = self.m.frame(self.here.frames.len() - 1);
        let pushed = self.m.b.get(frame.active);
        let mut active = self.m.b.get(self.m.active);
        if !test.never {
            let waiting = self.m.b.mask_andnot(pushed, active);
            let waiting = self.m.in_pass(waiting);
            let waiting = self.m.living(waiting);
            // Active pixels were active at the push, unless whole-quad mode brought them in later.
            active = if self.m.widens {
                let others = self.m.b.mask_andnot(active, pushed);
                self.m.b.mask_or(waiting, others)
            } else {
                waiting
            };
        }
        if test.valid_only {
            let valid = self.m.b.get(self.m.valid);
            active = self.m.b.mask_and(active, valid);
        }
        self.m.b.set(self.m.active, active);
        self.some = false;
        Ok(())
    }

    pub(super) fn call(&mut self, fields: &CfFields, test: &Test, passing: Value, target: CodeAddress) -> Walked<()> {
        let call_count = u32::from(fields.call_count);
        if self.is_some(test) == Some(false) || self.here.call_depth + call_count > CALL_LIMIT {
            return Ok(());
        }
        let skip = (self.is_some(test).is_none()).then(|| {
            let (enter, skip) = (self.m.b.new_block(), self.m.b.new_block());
            self.m.b.branch_any(passing, (enter, &[]), (skip, &[]));
            self.m.b.seal(enter);
            self.m.b.seal(skip);
            self.m.b.switch_to(enter);
            skip
        });
        let (context, some) = (self.here.clone(), self.some);
        let to = CodeAddress { pc: self.here.address.pc + 1, ..self.here.address };
        if self.push(Frame::Return { to, call_count })? {
            self.here.call_depth += call_count;
            if skip.is_some() {
                let after = Context { address: target, ..self.here.clone() };
                let at = self.here.address;
                self.jumps.push(Jump { at, after, pushed: 1, to, leave: Leave::Pop(0) });
                self.depends |= test.valid_only || test.whole_quad;
            }
            self.go_to(target, fields)?;
        }
        (self.here, self.some) = (context, some);
        if let Some(skip) = skip {
            self.m.b.switch_to(skip);
        }
        Ok(())
    }

    /// Puts the context to where the innermost call came from. False if the group trapped.
    pub(super) fn end_call(&mut self) -> Walked<bool> {
        let (to, call_count) = match self.here.frames.last() {
            Some(Frame::Return { to, call_count }) => (*to, *call_count),
            frame => {
                let kind = if frame.is_some() { TrapKind::StackMismatch } else { TrapKind::StackUnderflow };
                self.trap(kind, None)?;
                return Ok(false);
            }
        };
        self.here.frames.pop();
        self.here.call_depth -= call_count;
        self.here.address = to;
        Ok(true)
    }
}
