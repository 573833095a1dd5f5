//! The control state of a wavefront: where each pixel stands, and the stack (R700 guide chapter 3).

use crate::codes::Condition;
use crate::job::{Job, TrapKind};
use crate::program::ProgramInfo;
use crate::stack::{FrameKind, StackUse, Wavefront};
use ctm_lane::domain::QUAD;

/// Why a pixel executes or not (guide 3-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pixel {
    /// It executes.
    Active,
    /// Inactive because of a branch.
    Branch,
    /// Inactive until the end of the pass of the innermost loop.
    Continue,
    /// Inactive until the innermost loop is left.
    Break,
}

/// Which program an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Image {
    /// The program itself.
    Main,
    /// The fetch program that CALL_FS enters.
    Fetch,
}

/// A control-flow address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodeAddress {
    pub image: Image,
    pub pc: u32,
}

/// What a loop counts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopKind {
    /// LOOP_START: counts, and has an aL of its own.
    Dx9,
    /// LOOP_START_NO_AL: counts.
    NoAl,
    /// LOOP_START_DX10: goes on while pixels take part.
    Dx10,
}

/// The registers of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub kind: LoopKind,
    /// Passes left.
    pub count: u32,
    /// The pass, from 1.
    pub pass: u32,
    /// Passes, if it counts.
    pub passes: Option<u32>,
    /// The loop index that relative operands add.
    pub al: i32,
    pub step: i32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Frame {
    /// Which pixels were active at a push.
    Mask { active: Vec<bool>, whole_quad: bool },
    /// The states of the pixels where a loop began.
    Loop { outside: Vec<Pixel>, registers: Loop },
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

/// A condition test (guide 3-13), its boolean constant looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    pub condition: Condition,
    pub boolean: bool,
    pub valid_only: bool,
    pub whole_quad: bool,
}

impl Test {
    /// The part of the test that is the same for every pixel.
    pub fn lets_any_pass(&self) -> bool {
        match self.condition {
            Condition::Active => true,
            Condition::False => false,
            Condition::Bool => self.boolean,
            Condition::NotBool => !self.boolean,
        }
    }
}

/// The control state.
#[derive(Clone, Debug)]
pub(super) struct Control {
    pub state: Vec<Pixel>,
    pub valid: Vec<bool>,
    /// Pixels that were killed, and pass no test.
    dead: Vec<bool>,
    /// Kills make pixels so.
    kill_stops: bool,
    /// Sum of CALL_COUNT of the active calls.
    pub call_depth: u32,
    stack: Vec<Frame>,
    usage: StackUse,
    stack_size: Option<u32>,
    wavefront: Wavefront,
}

impl Control {
    /// The state at program start: pixels that their primitive covers are valid and active.
    pub fn new(covered: &[bool], info: &ProgramInfo, job: &Job) -> Self {
        Control {
            state: covered.iter().map(|&covered| if covered { Pixel::Active } else { Pixel::Branch }).collect(),
            valid: covered.to_vec(),
            dead: vec![false; covered.len()],
            kill_stops: job.kill_stops_pixel,
            call_depth: 0,
            stack: Vec::new(),
            usage: StackUse::default(),
            stack_size: info.stack_size.map(u32::from),
            wavefront: job.wavefront,
        }
    }

    pub fn pixels(&self) -> std::ops::Range<usize> {
        0..self.state.len()
    }

    /// The pixels of the quad that a pixel is in.
    pub fn quad(&self, pixel: usize) -> std::ops::Range<usize> {
        let first = pixel / QUAD * QUAD;
        first..(first + QUAD).min(self.state.len())
    }

    pub fn is_active(&self, pixel: usize) -> bool {
        self.state[pixel] == Pixel::Active && !self.dead[pixel]
    }

    /// Makes a pixel invalid.
    pub fn kill(&mut self, pixel: usize) {
        self.valid[pixel] = false;
        self.dead[pixel] = self.kill_stops;
    }

    pub fn any_active(&self) -> bool {
        self.pixels().any(|pixel| self.is_active(pixel))
    }

    /// What a mask update of an ALU instruction makes of an active pixel.
    pub fn set_executing(&mut self, pixel: usize, executes: bool) {
        self.state[pixel] = if executes { Pixel::Active } else { Pixel::Branch };
    }

    fn active(&self) -> Vec<bool> {
        self.pixels().map(|pixel| self.is_active(pixel)).collect()
    }

    /// The pixels that pass the test.
    pub fn passing(&self, test: &Test) -> Vec<bool> {
        let base = |pixel: usize| {
            if test.whole_quad {
                self.quad(pixel).any(|neighbour| self.is_active(neighbour))
            } else {
                self.is_active(pixel) && (!test.valid_only || self.valid[pixel])
            }
        };
        self.pixels().map(|pixel| test.lets_any_pass() && !self.dead[pixel] && base(pixel)).collect()
    }

    /// Narrows the mask to the pixels that pass; whole-quad mode brings the others of their quads in.
    pub fn set_failing(&mut self, test: &Test) {
        let passing = self.passing(test);
        for pixel in self.pixels() {
            match (self.state[pixel], passing[pixel]) {
                (Pixel::Active, false) => self.state[pixel] = Pixel::Branch,
                (Pixel::Branch, true) if test.whole_quad => self.state[pixel] = Pixel::Active,
                _ => {}
            }
        }
    }

    pub fn push(&mut self, frame: Frame) -> Result<(), TrapKind> {
        self.usage.push(frame.kind());
        let entries = self.usage.entries(self.wavefront);
        if self.stack_size.is_some_and(|size| entries > size) {
            return Err(TrapKind::StackOverflow);
        }
        self.stack.push(frame);
        Ok(())
    }

    pub fn push_mask(&mut self, whole_quad: bool) -> Result<(), TrapKind> {
        self.push(Frame::Mask { active: self.active(), whole_quad })
    }

    pub fn pop(&mut self) -> Result<Frame, TrapKind> {
        let frame = self.stack.pop().ok_or(TrapKind::StackUnderflow)?;
        self.usage.pop(frame.kind());
        Ok(frame)
    }

    pub fn top(&mut self) -> Result<&mut Frame, TrapKind> {
        self.stack.last_mut().ok_or(TrapKind::StackUnderflow)
    }

    /// Pops mask frames. What they restore replaces the current activity, but no pixel that left the loop or its pass
    /// comes back (decision R5: the guide keeps such pixels out until the loop ends, and ALU_BREAK inside a push would do
    /// nothing otherwise).
    pub fn pop_masks(&mut self, count: u8) -> Result<(), TrapKind> {
        for _ in 0..count {
            let Frame::Mask { active, .. } = self.pop()? else { return Err(TrapKind::StackMismatch) };
            for (state, active) in self.state.iter_mut().zip(active) {
                if matches!(state, Pixel::Active | Pixel::Branch) {
                    *state = if active { Pixel::Active } else { Pixel::Branch };
                }
            }
        }
        Ok(())
    }

    /// The registers of the innermost loop.
    pub fn innermost_loop(&self) -> Option<&Loop> {
        self.stack.iter().rev().find_map(|frame| match frame {
            Frame::Loop { registers, .. } => Some(registers),
            Frame::Mask { .. } | Frame::Return { .. } => None,
        })
    }

    /// What is on the stack, the lowest first.
    pub fn frames(&self) -> &[Frame] {
        &self.stack
    }

    /// Frames on the stack.
    pub fn depth(&self) -> u32 {
        self.stack.len() as u32
    }

    /// Loops that are open.
    pub fn loops(&self) -> u32 {
        self.stack.iter().filter(|frame| matches!(frame, Frame::Loop { .. })).count() as u32
    }

    /// The loop index: that of the innermost loop which has one, 0 outside all.
    pub fn al(&self) -> i32 {
        self.innermost_loop().map_or(0, |registers| registers.al)
    }

    /// Drops the masks that were pushed since the innermost loop began.
    pub fn unwind_to_loop(&mut self) -> Result<(), TrapKind> {
        while !matches!(self.top()?, Frame::Loop { .. }) {
            let Frame::Mask { .. } = self.pop()? else { return Err(TrapKind::StackMismatch) };
        }
        Ok(())
    }
}
