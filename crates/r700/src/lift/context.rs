//! Where a walk is: an address in the code, and what lies on the stack there.

use super::control::LoopKind;
use crate::stack::{FrameKind, StackUse, Wavefront};

/// A control-flow address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct CodeAddress {
    /// It is one of the fetch program.
    pub in_fetch_program: bool,
    pub pc: u32,
}

/// A frame of the stack, without the masks that it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Frame {
    /// Which pixels were active; `some` if it is known that there were any.
    Mask { whole_quad: bool, some: bool },
    /// The states of the pixels where a loop began.
    Loop { kind: LoopKind, step: i8, some: bool },
    /// Where a call goes on, and what it added to the depth.
    Return { to: CodeAddress, call_count: u32 },
}

impl Frame {
    fn kind(&self) -> FrameKind {
        match self {
            Frame::Mask { whole_quad: false, .. } => FrameKind::Mask,
            Frame::Mask { whole_quad: true, .. } => FrameKind::QuadMask,
            Frame::Loop { .. } => FrameKind::Loop,
            Frame::Return { .. } => FrameKind::Return,
        }
    }
}

/// An address with the stack that it is reached with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Context {
    pub address: CodeAddress,
    pub call_depth: u32,
    pub frames: Vec<Frame>,
}

impl Context {
    /// Where on the stack the frame of the innermost loop is.
    pub fn innermost_loop(&self) -> Option<usize> {
        self.frames.iter().rposition(|frame| matches!(frame, Frame::Loop { .. }))
    }

    /// Entries that the stack takes on a chip, with so many more masks.
    pub fn entries(&self, wavefront: Wavefront, masks: usize) -> u32 {
        let mut usage = StackUse::default();
        (0..masks).for_each(|_| usage.push(FrameKind::Mask));
        self.frames.iter().for_each(|frame| usage.push(frame.kind()));
        usage.entries(wavefront)
    }
}
