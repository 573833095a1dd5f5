//! The group-independent form: structured flow control as masks.
//!
//! The walk goes along the code once, with the constructs that are open; a subroutine is walked through at each call. It
//! checks that each statement has the field values that make a jump a mere short cut: that lanes which jump are in the
//! state that sleeping up to the same place would have left them in (CTM Guide p.34-40). Where that is so, what a lane
//! does depends on no other lane. `branches`, `calls` and `loops` give the argument for their statements.
//!
//! A group-independent function runs where whole quads run: helper lanes take no part in decisions, so what they do depends on the
//! lanes beside them.

mod branches;
mod calls;
mod loops;
mod open;

use super::fragments::FragmentEnvironment;
use super::machine::{LiftState, Wants};
use super::plan::Limits;
use super::{Lifted, LiftedForm, NotLifted, Specialisation, arithmetic};
use crate::codes::{AddressOp, BranchOp, FlowOp, PredicateSelect, TexOp};
use crate::instruction::{Alu, Body, Flow, Instruction};
use crate::program::{Program, WriteMode};
use ctm_lane::effort::Effort;
use ctm_lane::{Block, Value, Variable};
use open::{Open, Opened};

/// Instructions that a walk may visit: subroutines count once for each call.
const MAX_VISITS: usize = 4096;

struct Walk<'a> {
    m: LiftState<'a>,
    limits: Limits,
    open: Opened,
    steps: Vec<(u32, Vec<u8>)>,
    /// Instructions up to this address are counted.
    counted_to: usize,
    visits: usize,
}

type Walked<T> = Result<T, NotLifted>;

/// A flow-control instruction.
#[derive(Clone, Copy)]
struct Step<'a> {
    pc: usize,
    flow: &'a Flow,
    /// Where it jumps to.
    target: usize,
    wants: Wants,
}

impl Step<'_> {
    /// Whether everybody jumps, those who sleep included, and no counter changes.
    fn is_plain_jump(&self) -> bool {
        self.is_plain() && !self.flow.jump_any && self.wants == Wants::Always
    }

    /// Whether no counter changes.
    fn is_plain(&self) -> bool {
        self.flow.b_op0 == BranchOp::None && self.flow.b_op1 == BranchOp::None && !self.flow.b_else
    }

    /// By how much counters are lowered where the group jumps; `None` where that is not what happens to them.
    fn lowers(&self) -> Option<u8> {
        match self.flow.b_op1 {
            BranchOp::None => Some(0),
            BranchOp::Decr => Some(self.flow.b_pop_cnt),
            BranchOp::Incr | BranchOp::Reserved3 => None,
        }
    }
}

pub(super) fn lift(
    program: &Program,
    specialisation: &Specialisation,
    environment: Option<&dyn FragmentEnvironment>,
    effort: &Effort,
) -> Walked<Lifted> {
    let m = LiftState::new(program, specialisation, LiftedForm::Independent, environment);
    let limits = Limits::of(program);
    let mut walk = Walk { m, limits, open: Opened::default(), steps: Vec::new(), counted_to: 0, visits: 0 };
    walk.run(effort)?;
    if walk.m.b.seal_all(effort) { Ok(walk.m.done(walk.steps)) } else { Err(NotLifted::TooLarge) }
}

impl<'a> Walk<'a> {
    fn run(&mut self, effort: &Effort) -> Walked<()> {
        let program = self.m.program;
        let (mut pc, end) = (program.info.first_address(), program.info.last_address());
        self.counted_to = pc;
        loop {
            self.visits += 1;
            let instruction: &'a Instruction = match program.code.get(pc) {
                Some(instruction) if self.visits < MAX_VISITS && self.m.b.keeps_to(effort) => instruction,
                Some(_) => return Err(NotLifted::TooLarge),
                None => return Err(NotLifted::Unstructured(pc)),
            };
            let is_flow = matches!(instruction.body, Body::Flow(_));
            let exits = instruction.common.last && program.info.early_exit;
            // The group must end at one place on all ways, and whoever writes must not depend on who sleeps.
            let fits = match exits || instruction.common.write_inactive && !is_flow {
                _ if pc == end || exits && is_flow => self.open.is_only_calls(),
                true => self.open.is_converged(),
                false => true,
            };
            if !fits {
                return Err(NotLifted::Unstructured(pc));
            }
            if pc == self.counted_to {
                self.count(pc);
            }
            let next = self.instruction(pc, instruction)?;
            if pc == end || exits && (is_flow || self.open.is_only_calls()) {
                // A statement that opened a construct here is none: the group ends after it.
                if !self.open.is_only_calls() {
                    return Err(NotLifted::Unstructured(pc));
                }
                self.m.finish();
                return Ok(());
            }
            if exits {
                self.finish_in_loop();
            }
            if next != pc + 1 || pc + 1 > self.counted_to {
                self.counted_to = next;
            }
            pc = next;
        }
    }

    /// The end of the group where all live lanes are active, in a loop. Some way may lead around the loop, and what
    /// follows is for that; here there always is a live lane.
    fn finish_in_loop(&mut self) {
        let live = self.m.b.get(self.m.live);
        let (end, rest) = self.branch_any(live);
        self.m.b.switch_to(end);
        self.m.finish();
        self.m.b.switch_to(rest);
    }

    /// Branches on a mask: the blocks for "some lane" and for "none".
    fn branch_any(&mut self, mask: Value) -> (Block, Block) {
        let (some, none) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(mask, (some, &[]), (none, &[]));
        self.m.b.seal(some);
        self.m.b.seal(none);
        (some, none)
    }

    /// Counts the instructions from `pc` to the next that ends a run of them.
    fn count(&mut self, pc: usize) {
        let info = &self.m.program.info;
        let code = &self.m.program.code;
        let mut to = pc;
        while let Some(instruction) = code.get(to) {
            let flow = match &instruction.body {
                Body::Flow(flow) => Some(flow),
                Body::Alu(_) | Body::Out(_) | Body::Tex(_) => None,
            };
            // At a loop end, lanes come back from CONTINUE before they are counted.
            if flow.is_some_and(|flow| matches!(flow.op, FlowOp::EndLoop | FlowOp::EndRep)) {
                break;
            }
            to += 1;
            let kills = matches!(&instruction.body, Body::Tex(tex) if tex.op == TexOp::Texkill);
            let ends = to > info.last_address() || instruction.common.last && info.early_exit;
            if flow.is_some() || kills || ends || self.writes_immediately(instruction) {
                break;
            }
        }
        self.counted_to = to;
        if to > pc {
            let active = self.m.b.get(self.m.active);
            self.count_here(pc, to - pc, active);
        }
    }

    fn count_here(&mut self, pc: usize, count: usize, lanes: Value) {
        self.m.b.steps(count as u32, pc as u32, lanes);
        self.steps.push((count as u32, self.open.loops().map(|open| open.int).collect()));
    }

    fn writes_immediately(&self, instruction: &Instruction) -> bool {
        matches!(instruction.body, Body::Out(_))
            && arithmetic::writes_immediately(&instruction.common, Some(self.m.program.info.write_mode))
    }

    /// Executes one instruction and gives the address of the next.
    fn instruction(&mut self, pc: usize, instruction: &Instruction) -> Walked<usize> {
        let common = &instruction.common;
        let write_mode = self.m.program.info.write_mode;
        match &instruction.body {
            Body::Flow(flow) => return self.flow(pc, instruction, flow).ok_or(NotLifted::Unstructured(pc)),
            Body::Tex(tex) if tex.op == TexOp::Reserved7 => return Err(NotLifted::Unstructured(pc)),
            Body::Tex(tex) if tex.op == TexOp::Texkill => {
                let active = self.m.b.get(self.m.active);
                let killed = self.m.killed(common, tex, active);
                self.kill(killed);
            }
            Body::Tex(tex) => {
                let active = self.m.b.get(self.m.active);
                let lanes = self.lanes();
                self.m.fetch(common, tex, active, lanes);
            }
            Body::Alu(alu) => self.arithmetic(pc, instruction, alu, None)?,
            Body::Out(alu) => self.arithmetic(pc, instruction, alu, Some(write_mode))?,
        }
        Ok(pc + 1)
    }

    fn arithmetic(&mut self, pc: usize, instruction: &Instruction, alu: &Alu, out: Option<WriteMode>) -> Walked<()> {
        if arithmetic::is_reserved(&instruction.common, alu, out) {
            return Err(NotLifted::Unstructured(pc));
        }
        let lanes = self.lanes();
        self.m.arithmetic(&instruction.common, alu, out, lanes);
        Ok(())
    }

    /// The lanes in which registers are written: where every live lane is active, it does not matter what the others get,
    /// unless their quad reads what they had when they ended.
    fn lanes(&mut self) -> Option<Value> {
        (!self.open.is_converged() || self.m.uses_quads).then(|| self.m.b.get(self.m.active))
    }

    /// The lanes end that are killed; with the last of them the group.
    fn kill(&mut self, killed: Value) {
        let mut masks = vec![self.m.live, self.m.active];
        for open in self.open.iter_mut() {
            match open {
                Open::Loop(open) => {
                    open.kills = true;
                    masks.extend([open.stay, open.running]);
                }
                Open::If(open) => open.left = true,
                Open::Call(_) => {}
            }
        }
        self.remove(&masks, killed);
        let live = self.m.b.get(self.m.live);
        let (next, over) = self.branch_any(live);
        self.m.b.switch_to(over);
        self.m.b.ret();
        self.m.b.switch_to(next);
    }

    fn remove(&mut self, masks: &[Variable], lanes: Value) {
        for &mask in masks {
            let old = self.m.b.get(mask);
            let left = self.m.b.mask_andnot(old, lanes);
            self.m.b.set(mask, left);
        }
    }

    /// Executes a flow-control instruction and gives the address of the next; `None` if it is not part of a structured
    /// program.
    fn flow(&mut self, pc: usize, instruction: &Instruction, flow: &Flow) -> Option<usize> {
        if instruction.common.rgb.pred_sel == PredicateSelect::PerChannel {
            return None;
        }
        let target = self.m.program.info.jump_address(&self.m.program.code, pc, flow);
        let wants = self.m.wants(instruction, flow);
        self.m.clear_alu_result();
        let step = Step { pc, flow, target, wants };
        let next = pc + 1;
        match (flow.op, flow.a_op) {
            (FlowOp::Jump, AddressOp::None) if flow.b_else => self.begin_second_part(step).map(|()| next),
            (FlowOp::Jump, AddressOp::None) if step.is_plain_jump() => (target > pc).then_some(target),
            (FlowOp::Jump, AddressOp::None) if flow.jump_any => self.end_ifs(step).map(|()| next),
            (FlowOp::Jump, AddressOp::None) => self.begin_if(step).map(|()| next),
            (FlowOp::Jump, AddressOp::Push) => self.call(step),
            (FlowOp::Jump, AddressOp::Pop) if step.is_return() => self.end_call(step),
            (FlowOp::Jump, AddressOp::Pop) => self.return_early(step).map(|()| next),
            (FlowOp::Jump, AddressOp::Reserved3) => None,
            (FlowOp::Loop | FlowOp::Rep, _) => self.begin_loop(step).map(|()| next),
            (FlowOp::EndLoop | FlowOp::EndRep, _) => self.end_loop(step).map(|()| next),
            (FlowOp::BreakLoop | FlowOp::BreakRep | FlowOp::Continue, _) => self.leave(step).map(|()| next),
        }
    }
}
