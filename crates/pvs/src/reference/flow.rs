//! Flow control: entries that act behind instructions, loops, calls.

use super::TrapKind;
use crate::program::{FlowOp, MAX_DEPTH, Program};

/// Where a program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    At(u16),
    End,
}

/// A loop or call that has begun and not ended.
#[derive(Clone, Copy, Debug)]
enum Frame {
    Loop {
        first: u16,
        last: u16,
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
#[derive(Default)]
pub(super) struct Flow {
    frames: Vec<Frame>,
}

impl Flow {
    /// The loop index.
    pub(super) fn index(&self) -> i32 {
        match self.frames.last() {
            Some(Frame::Loop { index, .. } | Frame::Call { index, .. }) => *index,
            None => 0,
        }
    }

    /// Where the program goes on behind an instruction: where an entry says, else to the next pass of a loop, or back from a
    /// subroutine, else to the next instruction.
    pub(super) fn after(&mut self, program: &Program, pc: u16) -> Result<Next, TrapKind> {
        if let Some((_, entry)) = program.entry_at(pc) {
            let index = if entry.inherits { self.index() } else { entry.index.into() };
            let frame = match entry.op {
                FlowOp::None | FlowOp::Jump => None,
                FlowOp::Loop => Some(Frame::Loop {
                    first: entry.resume,
                    last: entry.last,
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
            }
            return Ok(Next::At(if entry.op == FlowOp::Loop { entry.resume } else { entry.count_or_target }));
        }
        match self.frames.last_mut() {
            Some(Frame::Loop { first, last, left, index, step }) if *last == pc => {
                *left = left.saturating_sub(1);
                *index = index.saturating_add((*step).into());
                if *left > 0 {
                    return Ok(Next::At(*first));
                }
                self.frames.pop();
            }
            Some(Frame::Call { last, resume, .. }) if *last == pc => {
                let resume = *resume;
                self.frames.pop();
                return Ok(Next::At(resume));
            }
            Some(Frame::Loop { .. } | Frame::Call { .. }) | None => {}
        }
        if pc == program.last {
            return Ok(Next::End);
        }
        pc.checked_add(1).map(Next::At).ok_or(TrapKind::NoInstruction)
    }
}
