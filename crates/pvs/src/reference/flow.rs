//! Flow control: entries that act after instructions, loops, calls.

use super::{State, TrapKind};
use crate::program::{FlowOp, MAX_DEPTH, Program};
use crate::uses::Uses;

/// Where a program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    At(u16),
    End,
}

/// A loop or call that has begun and not ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame {
    Loop {
        first: u16,
        last: u16,
        passes: u16,
        /// Passes that are left, the one that runs included.
        left: u16,
        index: i32,
        step: i8,
    },
    Call {
        last: u16,
        resume: u16,
        /// The loop index where it was called.
        index: i32,
    },
}

/// Loops and calls, the outermost first.
#[derive(Clone)]
pub(super) struct Flow {
    frames: Vec<Frame>,
    /// No instruction reads the loop index.
    index_unread: bool,
    /// What the registers held when the last pass of each loop began; `None` for calls.
    passes: Vec<Option<State>>,
}

impl Flow {
    /// At the beginning of a program.
    pub(super) fn new(program: &Program) -> Self {
        Flow { frames: Vec::new(), index_unread: !Uses::of(program).loop_index, passes: Vec::new() }
    }

    /// Loops and calls, the outermost first.
    pub(super) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The loop index.
    pub(super) fn index(&self) -> i32 {
        match self.frames.last() {
            Some(Frame::Loop { index, .. } | Frame::Call { index, .. }) => *index,
            None => 0,
        }
    }

    /// Where the program goes on after an instruction: where an entry says, else to the next pass of a loop, or back from a
    /// subroutine, else to the next instruction.
    ///
    /// A loop is left early when a pass has changed nothing: all others would do the same. Compilers break out of loops by
    /// a predicate that stays false through what may be hundreds of passes in each of several loops.
    pub(super) fn after(&mut self, program: &Program, pc: u16, state: &State) -> Result<Next, TrapKind> {
        if let Some((_, entry)) = program.entry_at(pc) {
            let index = if entry.inherits { self.index() } else { entry.index.into() };
            let frame = match entry.op {
                FlowOp::None | FlowOp::Jump => None,
                FlowOp::Loop => Some(Frame::Loop {
                    first: entry.resume,
                    last: entry.last,
                    passes: entry.count_or_target,
                    left: entry.count_or_target,
                    index,
                    step: entry.step,
                }),
                FlowOp::Call => Some(Frame::Call { last: entry.last, resume: entry.resume, index: self.index() }),
            };
            if let Some(frame) = frame {
                if self.frames.len() == MAX_DEPTH {
                    return Err(TrapKind::Depth);
                }
                self.frames.push(frame);
                let loops = self.index_unread && entry.op == FlowOp::Loop;
                self.passes.push(loops.then(|| state.clone()));
            }
            return Ok(Next::At(if entry.op == FlowOp::Loop { entry.resume } else { entry.count_or_target }));
        }
        match self.frames.last_mut() {
            Some(Frame::Loop { first, last, left, index, step, .. }) if *last == pc => {
                *left = left.saturating_sub(1);
                *index = index.saturating_add((*step).into());
                let before = self.passes.last_mut().and_then(Option::as_mut);
                let settled = before.as_ref().is_some_and(|before| **before == *state);
                if *left > 0 && !settled {
                    if let Some(before) = before {
                        before.clone_from(state);
                    }
                    return Ok(Next::At(*first));
                }
                self.pop();
            }
            Some(Frame::Call { last, resume, .. }) if *last == pc => {
                let resume = *resume;
                self.pop();
                return Ok(Next::At(resume));
            }
            Some(Frame::Loop { .. } | Frame::Call { .. }) | None => {}
        }
        if pc == program.last {
            return Ok(Next::End);
        }
        pc.checked_add(1).map(Next::At).ok_or(TrapKind::NoInstruction)
    }

    fn pop(&mut self) {
        self.frames.pop();
        self.passes.pop();
    }
}
