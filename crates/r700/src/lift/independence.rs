//! Whether jumps are mere short cuts.
//!
//! An instruction that may jump does so when no pixel of the group needs the code that it skips. What a lane does then
//! depends on no other, if a lane that is inactive comes to the same state by walking through the skipped code among
//! lanes that are active. That is what is checked here, for one such lane with whatever the stack may hold of it. Jumps
//! inside the skipped code that are known to be short cuts are taken, so that checking nested code takes no longer than
//! checking it level by level.

use super::context::{CodeAddress, Context, Frame};
use crate::cf::{Cf, CfAluOp, CfExport, CfOp, CfPlain, Qword};
use crate::codes::Condition;
use std::collections::HashMap;

/// Instructions that a walk may visit, summed over all checks of a program.
const MAX_VISITS: usize = 1 << 22;

/// A jump to be checked.
#[derive(Clone, Debug)]
pub(super) struct Jump {
    /// The instruction.
    pub at: CodeAddress,
    /// Where lanes go on that do not jump, with what the instruction pushed.
    pub after: Context,
    /// Frames at the top of `after` that the instruction pushed itself.
    pub pushed: usize,
    /// Where the others go.
    pub to: CodeAddress,
    /// What becomes of the stack on the way.
    pub leave: Leave,
}

/// What a jump does to the stack.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leave {
    /// It pops so many masks.
    Pop(u8),
    /// It drops what lies above so many frames.
    Truncate(usize),
}

/// The state of the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Branch,
    Continue,
    Break,
    /// As the mask at this depth has it.
    Mask(usize),
}

/// What a frame holds of the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// Not known: what it held before the jump.
    Before,
    /// A mask without the lane.
    Inactive,
    /// The lane's state outside a loop.
    State(State),
    /// An address to return to.
    Return,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Lane {
    state: State,
    frames: Vec<(Frame, Held)>,
}

impl Lane {
    /// Pops a mask. `None` if there is none on top, or if what comes cannot be told.
    fn pop(&mut self) -> Option<()> {
        let depth = self.frames.len().checked_sub(1)?;
        let (Frame::Mask { .. }, held) = self.frames.pop()? else { return None };
        self.state = match (self.state, held) {
            (state @ (State::Continue | State::Break), _) => state,
            (State::Branch | State::Mask(_), Held::Inactive) => State::Branch,
            (State::Branch | State::Mask(_), Held::Before) => State::Mask(depth),
            _ => return None,
        };
        Some(())
    }

    /// True if the lane cannot be active.
    fn is_inactive(&self) -> bool {
        matches!(self.state, State::Branch | State::Continue | State::Break)
    }
}

/// The checks of a program.
pub(super) struct Checks<'a> {
    code: [&'a [Qword]; 2],
    bools: &'a [bool],
    has_fetch_program: bool,
    loop_counts: Vec<u16>,
    decoded: HashMap<CodeAddress, Cf>,
    /// Instructions whose jumps are short cuts: where to, and how many masks they pop.
    known: HashMap<CodeAddress, (CodeAddress, u8)>,
    visits: usize,
}

impl<'a> Checks<'a> {
    /// Checks of code with these constants.
    pub fn new(code: [&'a [Qword]; 2], bools: &'a [bool], loop_counts: Vec<u16>, has_fetch_program: bool) -> Self {
        Checks {
            code,
            bools,
            has_fetch_program,
            loop_counts,
            decoded: HashMap::new(),
            known: HashMap::new(),
            visits: 0,
        }
    }

    /// Whether all of these are short cuts.
    pub fn are_short_cuts(&mut self, mut jumps: Vec<Jump>) -> bool {
        // Inner code mostly comes after the jumps over it, after the head of its loop, and after the start of its
        // subroutine. An instruction is met with several stacks: all of them count.
        jumps.sort_by_key(|jump| std::cmp::Reverse((jump.at.min(jump.after.address), jump.at)));
        jumps.chunk_by(|a, b| a.at == b.at).all(|of_instruction| {
            let holds = of_instruction.iter().all(|jump| self.is_short_cut(jump));
            if let (true, &[Jump { at, to, leave: Leave::Pop(count), .. }, ..]) = (holds, of_instruction) {
                self.known.insert(at, (to, count));
            }
            holds
        })
    }

    /// Whether walking comes to what jumping comes to.
    fn is_short_cut(&mut self, jump: &Jump) -> bool {
        let in_loop = |frames: &[Frame]| frames.iter().any(|frame| matches!(frame, Frame::Loop { .. }));
        let before = jump.after.frames.len() - jump.pushed;
        let states: &[State] = match jump.leave {
            Leave::Pop(_) if in_loop(&jump.after.frames[..before]) => &[State::Branch, State::Continue, State::Break],
            Leave::Pop(_) => &[State::Branch],
            // Nobody is left in the pass when a break or continue jumps, and nobody else waits when the next one begins.
            Leave::Truncate(_) => &[State::Continue, State::Break],
        };
        states.iter().all(|&state| self.comes_to_the_same(jump, state) == Some(true))
    }

    fn comes_to_the_same(&mut self, jump: &Jump, state: State) -> Option<bool> {
        let before = jump.after.frames.len() - jump.pushed;
        let (old, new) = jump.after.frames.split_at(before);
        let mut lane = Lane { state, frames: old.iter().map(|frame| (frame.clone(), Held::Before)).collect() };
        let mut jumped = lane.clone();
        match jump.leave {
            Leave::Pop(count) => (0..count).try_for_each(|_| jumped.pop())?,
            Leave::Truncate(depth) => jumped.frames.truncate(depth),
        }
        for frame in new {
            lane.push(frame.clone());
        }
        let walked = self.walk(lane, jump.after.address, jump.to, jumped.frames.len())?;
        Some(walked == jumped)
    }

    /// The lane where it comes to the address with so many frames.
    fn walk(&mut self, mut lane: Lane, from: CodeAddress, to: CodeAddress, depth: usize) -> Option<Lane> {
        let mut here = from;
        while here != to || lane.frames.len() != depth {
            self.visits += 1;
            if self.visits > MAX_VISITS {
                return None;
            }
            let cf = self.decode(here)?;
            if cf.ends_program() {
                return None;
            }
            let next = CodeAddress { pc: here.pc + 1, ..here };
            here = match cf {
                Cf::Reserved(_) => return None,
                Cf::Export(CfExport { .. }) if lane.is_inactive() => next,
                Cf::Export(_) => return None,
                Cf::Alu(alu) => {
                    let (pushes, pops) = (alu.op.properties().pushes, alu.op.properties().pops);
                    if !lane.is_inactive() || alu.op == CfAluOp::ElseAfter && !lane.passes_else()? {
                        return None;
                    }
                    if pushes {
                        lane.push(Frame::Mask { whole_quad: alu.fields.whole_quad_mode, some: true });
                    }
                    (0..pops).try_for_each(|_| lane.pop())?;
                    next
                }
                Cf::Plain(plain) => self.plain(&plain, &mut lane, here, next)?,
            };
        }
        Some(lane)
    }

    fn decode(&mut self, address: CodeAddress) -> Option<Cf> {
        if let Some(cf) = self.decoded.get(&address) {
            return Some(*cf);
        }
        let cf = Cf::decode(self.code[usize::from(address.in_fetch_program)].get(address.pc as usize)?);
        self.decoded.insert(address, cf);
        Some(cf)
    }

    /// One instruction that other lanes execute without jumping. Gives where they go on.
    fn plain(
        &self,
        CfPlain { op, fields }: &CfPlain,
        lane: &mut Lane,
        here: CodeAddress,
        next: CodeAddress,
    ) -> Option<CodeAddress> {
        // A lane that a pop has made active would execute the instruction, if only to count as one that does.
        if !lane.is_inactive() {
            return None;
        }
        let boolean = self.bools[usize::from(fields.cf_const)];
        let never = match fields.cond {
            Condition::Active => false,
            Condition::False => true,
            Condition::Bool => !boolean,
            Condition::NotBool => boolean,
        };
        let target = CodeAddress { pc: fields.addr, ..here };
        let leave = |lane: &mut Lane| {
            (0..fields.pop_count).try_for_each(|_| lane.pop())?;
            Some(target)
        };
        let known = self.known.get(&here);
        if *op == CfOp::Else && !lane.passes_else()? {
            return None;
        }
        let jumps_first = matches!(
            op,
            CfOp::Push
                | CfOp::Jump
                | CfOp::Else
                | CfOp::Call
                | CfOp::CallFs
                | CfOp::LoopStart
                | CfOp::LoopStartNoAl
                | CfOp::LoopStartDx10
        );
        if let Some(&(to, count)) = known.filter(|_| jumps_first) {
            (0..count).try_for_each(|_| lane.pop())?;
            return Some(to);
        }
        Some(match op {
            CfOp::Push | CfOp::Jump | CfOp::LoopStart | CfOp::LoopStartNoAl | CfOp::LoopStartDx10 if never => {
                leave(lane)?
            }
            CfOp::LoopStart | CfOp::LoopStartNoAl if self.loop_counts[usize::from(fields.cf_const)] == 0 => {
                leave(lane)?
            }
            CfOp::Push | CfOp::PushElse => {
                lane.push(Frame::Mask { whole_quad: fields.whole_quad_mode, some: true });
                next
            }
            CfOp::Pop => {
                (0..fields.pop_count).try_for_each(|_| lane.pop())?;
                // The test may turn away a lane that the pop has made active, or bring it in by its quad.
                let narrows = never || fields.valid_pixel_mode || fields.whole_quad_mode;
                if narrows && !lane.is_inactive() {
                    return None;
                }
                next
            }
            CfOp::PopJump | CfOp::PopPush | CfOp::PopPushElse => {
                (0..fields.pop_count).try_for_each(|_| lane.pop())?;
                if !lane.is_inactive() {
                    return None;
                }
                if never && *op != CfOp::PopPushElse {
                    return Some(target);
                }
                if *op != CfOp::PopJump {
                    lane.push(Frame::Mask { whole_quad: fields.whole_quad_mode, some: true });
                }
                next
            }
            CfOp::LoopStart | CfOp::LoopStartNoAl | CfOp::LoopStartDx10 => {
                let kind = super::control::LoopKind::Dx10;
                lane.push(Frame::Loop { kind, step: 0, some: true });
                next
            }
            CfOp::LoopEnd => {
                // One that waits for the end of the pass comes back here.
                let (Frame::Loop { .. }, Held::State(outside)) = lane.frames.pop()? else { return None };
                if lane.state != State::Break {
                    return None;
                }
                lane.state = outside;
                next
            }
            CfOp::Call if !never => {
                lane.frames.push((Frame::Return { to: next, call_count: fields.call_count.into() }, Held::Return));
                target
            }
            CfOp::CallFs if !never && self.has_fetch_program => {
                lane.frames.push((Frame::Return { to: next, call_count: fields.call_count.into() }, Held::Return));
                CodeAddress { in_fetch_program: true, pc: 0 }
            }
            CfOp::Return if !never => {
                let (Frame::Return { to, .. }, Held::Return) = lane.frames.pop()? else { return None };
                to
            }
            CfOp::EndProgram | CfOp::Return => return None,
            CfOp::Nop
            | CfOp::Tex
            | CfOp::Vtx
            | CfOp::VtxTc
            | CfOp::LoopContinue
            | CfOp::LoopBreak
            | CfOp::Jump
            | CfOp::Else
            | CfOp::Call
            | CfOp::CallFs
            | CfOp::EmitVertex
            | CfOp::EmitCutVertex
            | CfOp::CutVertex
            | CfOp::Kill
            | CfOp::WaitAck
            | CfOp::TexAck
            | CfOp::VtxAck
            | CfOp::VtxTcAck => next,
        })
    }
}

impl Lane {
    /// Pushes a frame of an instruction that the lane does not execute.
    fn push(&mut self, frame: Frame) {
        let held = match frame {
            Frame::Mask { .. } => Held::Inactive,
            Frame::Loop { .. } => Held::State(std::mem::replace(&mut self.state, State::Break)),
            Frame::Return { .. } => Held::Return,
        };
        self.frames.push((frame, held));
    }

    /// Whether an ELSE leaves the lane as it is.
    fn passes_else(&self) -> Option<bool> {
        let (Frame::Mask { .. }, held) = self.frames.last()? else { return None };
        Some(matches!(self.state, State::Continue | State::Break) || *held == Held::Inactive)
    }
}
