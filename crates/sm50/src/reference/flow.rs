//! Divergence: which lanes are active, and the stack of tokens that brings the others back.
//!
//! Sources: envytools' documents on control flow of the Tesla family (typed stack entries), Mesa's NAK (what may nest in
//! what). The part of a divergent branch that is taken waits; no program can see the order.

use super::fragment::quads_of;
use super::warp::{Warp, lanes};
use crate::codes::Test;
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::table::FlowOp;
use ctm_num::sm50::Flags;

/// What made a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// SSY.
    Sync,
    /// PBK.
    Break,
    /// PCNT.
    Continue,
    /// CAL, JCAL, PRET.
    Call,
    /// PLONGJMP.
    LongJump,
    /// A divergent branch.
    Divergence,
}

/// Lanes that go on at an address once nothing above them on the stack is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token {
    kind: Kind,
    mask: u32,
    pc: u32,
}

/// Where a warp goes after an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// To the next instruction.
    Following,
    /// Lanes that took a branch go to their targets.
    Branch(Vec<(u32, u32)>),
    /// A token is pushed for all active lanes.
    Push(Kind, u32),
    /// A call: the token leads to the next instruction.
    Call(u32),
    /// The lanes that take it wait at the nearest token of this kind, which must be the top one but for divergences.
    Meet,
    /// The lanes that take it leave what was entered since the nearest token of this kind, and wait there.
    Leave(Kind),
    /// The lanes that take it end.
    Exit,
    /// These lanes end, wherever they are.
    End(u32),
    /// All lanes of the quads that have an active lane become active, of those that started.
    Quads(u32),
    /// The lanes become active that were before.
    Back,
}

/// SAMs that can be open at once (decision: as many as tokens seem to be kept without memory).
const MOST_SAVED: usize = 16;

/// The control state of a warp.
#[derive(Clone, Debug, Default)]
pub(super) struct Control {
    active: u32,
    exited: u32,
    pc: u32,
    stack: Vec<Token>,
    /// What was active before each SAM that is open.
    saved: Vec<u32>,
}

impl Control {
    /// These lanes start at the beginning.
    pub fn new(live: u32) -> Self {
        Control { active: live, ..Control::default() }
    }

    /// The address where the warp is; `None` once no lane is left.
    pub fn pc(&self) -> Option<u32> {
        (self.active != 0).then_some(self.pc)
    }

    pub fn active(&self) -> u32 {
        self.active
    }

    /// The lanes that have ended.
    pub fn exited(&self) -> u32 {
        self.exited
    }

    /// Tokens on the stack.
    pub fn depth(&self) -> u32 {
        self.stack.len() as u32
    }

    /// The tokens, the lowest first: what made each, its lanes that have not ended, and where they go on.
    pub fn tokens(&self) -> impl Iterator<Item = (Kind, u32, u32)> {
        self.stack.iter().map(|token| (token.kind, token.mask & !self.exited, token.pc))
    }

    /// What made the token that a lane which is not active waits for; `None` if it has ended.
    pub fn waits_at(&self, lane: usize) -> Option<Kind> {
        let waits = |token: &&Token| (token.mask & !self.exited) >> lane & 1 != 0;
        self.stack.iter().rev().find(waits).map(|token| token.kind)
    }

    /// Moves on. `taken` are the active lanes for which the instruction executed, `following` is the next address.
    pub fn go(&mut self, next: Next, taken: u32, following: u32) -> Result<(), TrapKind> {
        match next {
            Next::Following => self.pc = following,
            Next::Branch(ways) => self.branch(ways, taken, following),
            Next::Push(kind, pc) => {
                self.stack.push(Token { kind, mask: self.active, pc });
                self.pc = following;
            }
            Next::Call(target) => {
                self.stack.push(Token { kind: Kind::Call, mask: self.active, pc: following });
                self.pc = target;
            }
            Next::Meet | Next::Leave(_) | Next::Exit if taken == 0 => self.pc = following,
            Next::Meet => {
                let nearest = self.stack.iter().rev().find(|token| token.kind != Kind::Divergence);
                if nearest.is_none_or(|token| token.kind != Kind::Sync) {
                    return Err(TrapKind::StackError);
                }
                self.leave(taken, following);
            }
            Next::Leave(kind) => {
                let from_top = self.stack.iter().rev().position(|token| token.kind == kind);
                let above = self.stack.len() - from_top.ok_or(TrapKind::StackError)?;
                self.stack[above..].iter_mut().for_each(|token| token.mask &= !taken);
                self.leave(taken, following);
            }
            Next::Exit => {
                self.exited |= taken;
                self.leave(taken, following);
            }
            Next::End(lanes) => {
                self.exited |= lanes;
                self.leave(lanes, following);
            }
            Next::Quads(live) => {
                if self.saved.len() == MOST_SAVED {
                    return Err(TrapKind::StackError);
                }
                self.saved.push(self.active);
                (self.active, self.pc) = (quads_of(self.active) & live, following);
            }
            Next::Back => {
                let saved = self.saved.pop().ok_or(TrapKind::StackError)?;
                self.active = saved;
                self.leave(self.exited, following);
            }
        }
        Ok(())
    }

    /// Lanes go to the addresses of their ways, the other active ones on to the next instruction.
    fn branch(&mut self, ways: Vec<(u32, u32)>, taken: u32, following: u32) {
        let stay = self.active & !taken;
        let stays = (stay != 0).then_some((stay, following));
        let mut groups = stays.into_iter().chain(ways);
        if let Some((mask, pc)) = groups.next() {
            (self.active, self.pc) = (mask, pc);
        }
        self.stack.extend(groups.map(|(mask, pc)| Token { kind: Kind::Divergence, mask, pc }));
    }

    /// Lanes stop here; the others go on, or else those of the first token that has any.
    fn leave(&mut self, lanes: u32, following: u32) {
        self.active &= !lanes;
        self.pc = following;
        while self.active == 0
            && let Some(token) = self.stack.pop()
        {
            self.active = token.mask & !self.exited;
            self.pc = token.pc;
        }
    }
}

/// Whether a test of the condition code holds. Zero and sign together are the flags of a NaN; LTU is the opposite of GE, and so
/// on. The formulas are envytools' (Tesla family); a GM20B has the same truth tables (hardware, second hand).
pub(super) fn holds(test: Test, flags: Flags) -> Result<bool, TrapKind> {
    let Flags { zero, sign, carry, overflow } = flags;
    Ok(match test {
        Test::F => false,
        Test::T => true,
        Test::Lt => (sign && !zero) != overflow,
        Test::Eq => zero && !sign,
        Test::Le => sign != (zero || overflow),
        Test::Gt => !zero && sign == overflow,
        Test::Ne => !zero,
        Test::Ge => sign == overflow,
        Test::Num => !(zero && sign),
        Test::Nan => zero && sign,
        Test::Ltu => sign != overflow,
        Test::Equ => zero,
        Test::Leu => zero || sign != overflow,
        Test::Gtu => sign == (zero || overflow),
        Test::Neu => !zero || sign,
        Test::Geu => (sign && !zero) == overflow,
        Test::Off => !overflow,
        Test::Oft => overflow,
        Test::Lo => !carry,
        Test::Hs => carry,
        Test::Ls => !carry || zero,
        Test::Hi => carry && !zero,
        Test::Sff => !sign,
        Test::Sft => sign,
        Test::Rle => zero || sign,
        Test::Rgt => !(zero || sign),
        Test::CsmTa | Test::CsmTr | Test::CsmMx | Test::FcsmTa | Test::FcsmTr | Test::FcsmMx => {
            return Err(TrapKind::Unsupported);
        }
    })
}

impl Warp<'_> {
    /// Where the warp goes. `taken` loses the lanes whose test fails.
    pub fn flow(&mut self, op: FlowOp, instruction: &Instruction, taken: &mut u32) -> Result<Next, TrapKind> {
        use FlowOp::*;
        let target = || instruction.target(self.pc).ok_or(TrapKind::Unsupported);
        let next = match op {
            Ssy => Next::Push(Kind::Sync, target()?),
            Pbk => Next::Push(Kind::Break, target()?),
            Pcnt => Next::Push(Kind::Continue, target()?),
            Pret => Next::Push(Kind::Call, target()?),
            Plongjmp => Next::Push(Kind::LongJump, target()?),
            Cal | Jcal => Next::Call(target()?),
            Bra | Jmp => {
                *taken = self.tested(instruction, *taken)?;
                Next::Branch(if *taken == 0 { Vec::new() } else { vec![(*taken, target()?)] })
            }
            Brx | Jmx => {
                let base = target()?;
                *taken = self.tested(instruction, *taken)?;
                self.indexed_branch(instruction, base, *taken)?
            }
            Sync => Next::Meet,
            Brk => Next::Leave(Kind::Break),
            Cont => Next::Leave(Kind::Continue),
            Ret => Next::Leave(Kind::Call),
            Longjmp => Next::Leave(Kind::LongJump),
            Exit | Kil => Next::Exit,
            Sam => Next::Quads(self.state.live),
            Ram => Next::Back,
            Pexit => return Err(TrapKind::Unsupported),
        };
        if matches!(next, Next::Meet | Next::Leave(_) | Next::Exit) {
            *taken = self.tested(instruction, *taken)?;
        }
        if op == Kil && !self.header.kills_pixels {
            for lane in lanes(*taken) {
                self.lane = lane;
                self.violation(TrapKind::IllegalSphInstrCombo)?;
            }
            return Ok(Next::Following);
        }
        if op == Kil && self.launch.pixels.is_some() {
            let dead = self.kill(*taken, self.state.control.active());
            return Ok(Next::End(dead));
        }
        if next == Next::Exit {
            for lane in lanes(*taken) {
                self.lane = lane;
                self.exit_lane()?;
            }
        }
        Ok(next)
    }

    /// The lanes of `mask` for which the instruction's test of the condition code holds.
    fn tested(&self, instruction: &Instruction, mask: u32) -> Result<u32, TrapKind> {
        let test = instruction.test();
        lanes(mask).try_fold(0, |passed, lane| Ok(passed | u32::from(holds(test, self.state.flags[lane])?) << lane))
    }

    /// Lanes with one target go together, in the order of their lowest lanes.
    fn indexed_branch(&mut self, instruction: &Instruction, base: u32, taken: u32) -> Result<Next, TrapKind> {
        let mut ways: Vec<(u32, u32)> = Vec::new();
        for lane in lanes(taken) {
            self.lane = lane;
            let target = base.wrapping_add(self.word(instruction.a().value)?);
            match ways.iter_mut().find(|(_, pc)| *pc == target) {
                Some((mask, _)) => *mask |= 1 << lane,
                None => ways.push((1 << lane, target)),
            }
        }
        Ok(Next::Branch(ways))
    }
}
