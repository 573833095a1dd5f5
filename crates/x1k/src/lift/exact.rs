//! The exact form: what the group does, instruction by instruction (CTM Guide p.34-40).
//!
//! A live lane is active, or asleep with a branch counter, or has left a loop of the loop stack by BREAK or CONTINUE. For
//! each of these there is a mask: `counters[n]` holds the lanes whose counter is n, so that counting up or down moves masks.

use super::machine::LiftState;
use super::plan::{Limits, Plan, ProgramPoint, follow};
use super::{Lifted, LiftedForm, NotLifted, Specialisation, arithmetic};
use crate::codes::{AddressOp, BranchOp, FlowOp, PredicateSelect, TexOp};
use crate::instruction::{Body, Flow, Instruction};
use crate::job::TrapKind;
use crate::program::Program;
use ctm_lane::effort::Effort;
use ctm_lane::{Block, IntTest, Type, Value, Variable};
use std::collections::HashMap;

/// What the loop stack holds per loop.
struct Frame {
    remaining: Variable,
    al_before: Variable,
    /// Lanes that were active when the loop was entered.
    entry: Variable,
    /// Lanes that have left by BREAK.
    broken: Variable,
    /// Lanes that have left by CONTINUE.
    continued: Variable,
}

struct Walk<'a> {
    m: LiftState<'a>,
    plan: Plan,
    limits: Limits,
    blocks: HashMap<ProgramPoint, Block>,
    open: Vec<ProgramPoint>,
    counters: Vec<Variable>,
    frames: Vec<Frame>,
}

pub(super) fn lift(program: &Program, specialisation: &Specialisation, effort: &Effort) -> Result<Lifted, NotLifted> {
    let plan = Plan::new(program)?;
    let mut m = LiftState::new(program, specialisation, LiftedForm::Exact, None);
    let limits = Limits::of(program);
    let counters = (0..limits.counters).map(|_| m.b.variable(Type::Mask)).collect();
    let frames = (0..limits.stack).map(|_| Frame {
        remaining: m.b.variable(Type::Uniform),
        al_before: m.b.variable(Type::Uniform),
        entry: m.b.variable(Type::Mask),
        broken: m.b.variable(Type::Mask),
        continued: m.b.variable(Type::Mask),
    });
    let frames = frames.collect();
    let mut walk = Walk { m, plan, limits, blocks: HashMap::new(), open: Vec::new(), counters, frames };
    let entry = walk.plan.entry.clone();
    walk.go(entry);
    while let Some(point) = walk.open.pop() {
        if !walk.m.b.keeps_to(effort) {
            return Err(NotLifted::TooLarge);
        }
        let block = walk.block(&point);
        walk.m.b.switch_to(block);
        walk.run(point);
    }
    if walk.m.b.seal_all(effort) { Ok(walk.m.done(Vec::new())) } else { Err(NotLifted::TooLarge) }
}

/// Which branches a decision has.
enum Decision {
    Jump,
    Stay,
    /// Jump where the mask has a lane.
    Any(Value),
    /// Jump where it has none.
    None(Value),
}

impl<'a> Walk<'a> {
    fn block(&mut self, point: &ProgramPoint) -> Block {
        if let Some(&block) = self.blocks.get(point) {
            return block;
        }
        let block = self.m.b.new_block();
        self.blocks.insert(point.clone(), block);
        self.open.push(point.clone());
        block
    }

    fn go(&mut self, point: ProgramPoint) {
        let block = self.block(&point);
        self.m.b.jump(block, &[]);
    }

    /// The instructions from this point to the next that begins a block.
    fn run(&mut self, mut point: ProgramPoint) {
        let program = self.m.program;
        let mut counted_to = point.pc;
        loop {
            let Some(instruction) = program.code.get(point.pc) else {
                return self.trap(TrapKind::PcOutsideCode, point.pc);
            };
            if point.pc == counted_to {
                counted_to = self.count(&point);
            }
            if !self.instruction(&mut point, instruction) {
                return;
            }
            if self.plan.points.get(&point).is_some_and(|known| known.leads) {
                return self.go(point);
            }
        }
    }

    /// Counts the instructions from here to the next that ends a run of them, and gives the address after them.
    fn count(&mut self, point: &ProgramPoint) -> usize {
        let program = self.m.program;
        let (mut to, last) = (point.pc, program.info.last_address());
        while let Some(instruction) = program.code.get(to) {
            let loop_end = matches!(&instruction.body,
                Body::Flow(flow) if matches!(flow.op, FlowOp::EndLoop | FlowOp::EndRep));
            if loop_end && to > point.pc {
                break;
            }
            let kills = matches!(&instruction.body, Body::Tex(tex) if tex.op == TexOp::Texkill);
            let writes = matches!(instruction.body, Body::Out(_))
                && arithmetic::writes_immediately(&instruction.common, Some(program.info.write_mode));
            let ends = to == last || instruction.common.last && program.info.early_exit;
            to += 1;
            let leads =
                self.plan.points.get(&ProgramPoint { pc: to, ..point.clone() }).is_some_and(|known| known.leads);
            if loop_end || kills || writes || ends || leads || matches!(instruction.body, Body::Flow(_)) {
                break;
            }
        }
        let mut lanes = self.m.b.get(self.m.active);
        if let Some(Instruction { body: Body::Flow(flow), .. }) = program.code.get(point.pc)
            && matches!(flow.op, FlowOp::EndLoop | FlowOp::EndRep)
            && point.loops > 0
        {
            let continued = self.m.b.get(self.frames[point.loops - 1].continued);
            lanes = self.m.b.mask_or(lanes, continued);
        }
        let lanes = self.m.deciding(lanes);
        self.m.b.steps((to - point.pc) as u32, point.pc as u32, lanes);
        to
    }

    /// Executes one instruction and moves on; false if the block has ended.
    fn instruction(&mut self, point: &mut ProgramPoint, instruction: &Instruction) -> bool {
        let common = &instruction.common;
        let program = self.m.program;
        let ends = point.pc == program.info.last_address();
        let exits = common.last && program.info.early_exit;
        let write_mode = program.info.write_mode;
        match &instruction.body {
            Body::Flow(_) if common.rgb.pred_sel == PredicateSelect::PerChannel => {
                self.trap(TrapKind::ReservedOperation, point.pc);
                return false;
            }
            Body::Flow(flow) => {
                self.flow(point, instruction, flow, ends, exits);
                return false;
            }
            Body::Tex(tex) if tex.op == TexOp::Reserved7 => {
                self.trap(TrapKind::ReservedOperation, point.pc);
                return false;
            }
            Body::Tex(tex) if tex.op == TexOp::Texkill => {
                let active = self.m.b.get(self.m.active);
                let killed = self.m.killed(common, tex, active);
                self.remove(&[self.m.live, self.m.active], killed);
                if !ends {
                    self.end_if_over();
                }
            }
            Body::Tex(tex) => {
                let lanes = self.executing(instruction);
                self.m.fetch(common, tex, lanes, Some(lanes));
            }
            Body::Alu(alu) | Body::Out(alu) => {
                let out = matches!(instruction.body, Body::Out(_)).then_some(write_mode);
                if arithmetic::is_reserved(common, alu, out) {
                    self.trap(TrapKind::ReservedOperation, point.pc);
                    return false;
                }
                let lanes = self.executing(instruction);
                self.m.arithmetic(common, alu, out, Some(lanes));
            }
        }
        if ends {
            self.m.finish();
            return false;
        }
        point.pc += 1;
        if exits {
            self.finish_or_go(point.clone());
            return false;
        }
        true
    }

    fn executing(&mut self, instruction: &Instruction) -> Value {
        self.m.b.get(if instruction.common.write_inactive { self.m.live } else { self.m.active })
    }

    fn remove(&mut self, masks: &[Variable], lanes: Value) {
        for &mask in masks {
            let old = self.m.b.get(mask);
            let left = self.m.b.mask_andnot(old, lanes);
            self.m.b.set(mask, left);
        }
    }

    fn add(&mut self, mask: Variable, lanes: Value) {
        let old = self.m.b.get(mask);
        let all = self.m.b.mask_or(old, lanes);
        self.m.b.set(mask, all);
    }

    /// Branches on a mask: the blocks for "some lane" and for "none".
    fn if_any(&mut self, mask: Value) -> (Block, Block) {
        let (some, none) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(mask, (some, &[]), (none, &[]));
        self.m.b.seal(some);
        self.m.b.seal(none);
        (some, none)
    }

    /// Without a lane that could have an effect, the group is over.
    fn end_if_over(&mut self) {
        let live = self.m.b.get(self.m.live);
        let live = self.m.deciding(live);
        let (next, over) = self.if_any(live);
        self.m.b.switch_to(over);
        self.m.b.ret();
        self.m.b.switch_to(next);
    }

    /// LAST: the group ends if every live lane is active.
    fn finish_or_go(&mut self, point: ProgramPoint) {
        let (live, active) = (self.m.b.get(self.m.live), self.m.b.get(self.m.active));
        let asleep = self.m.b.mask_andnot(live, active);
        let asleep = self.m.deciding(asleep);
        let (next, end) = self.if_any(asleep);
        self.m.b.switch_to(end);
        self.m.finish();
        self.m.b.switch_to(next);
        self.go(point);
    }

    /// The group traps; the lane that stands for it is the first active one, else the first live one.
    fn trap(&mut self, kind: TrapKind, pc: usize) {
        let code = TrapKind::ALL.iter().position(|known| *known == kind).unwrap_or_default() as u16;
        let active = self.m.b.get(self.m.active);
        let active = self.m.deciding(active);
        let (some, none) = self.if_any(active);
        self.m.b.switch_to(some);
        self.m.b.trap(code, pc as u32, active);
        self.m.b.switch_to(none);
        let live = self.m.b.get(self.m.live);
        let live = self.m.deciding(live);
        self.m.b.trap(code, pc as u32, live);
    }

    fn flow(&mut self, point: &ProgramPoint, instruction: &Instruction, flow: &Flow, ends: bool, exits: bool) {
        let wants = self.m.wants(instruction, flow);
        let wants = self.m.lanes_of(wants);
        self.m.clear_alu_result();
        if flow.b_else {
            let (active, asleep) = (self.m.b.get(self.m.active), self.m.b.get(self.counters[0]));
            self.m.b.set(self.m.active, asleep);
            self.m.b.set(self.counters[0], active);
        }
        let in_loop = !matches!(flow.op, FlowOp::Jump | FlowOp::Loop | FlowOp::Rep);
        if in_loop && point.loops == 0 {
            return self.trap(TrapKind::LoopStackEmpty, point.pc);
        }
        if matches!(flow.op, FlowOp::EndLoop | FlowOp::EndRep) {
            let frame = &self.frames[point.loops - 1];
            let continued = frame.continued;
            let lanes = self.m.b.get(continued);
            self.add(self.m.active, lanes);
            self.remove(&[continued], lanes);
        }
        let active = self.m.b.get(self.m.active);
        let want = self.m.b.mask_and(active, wants);
        let decision = self.decision(flow, active, want, wants);
        let (jump, stay) = (self.m.b.new_block(), self.m.b.new_block());
        match flow.op {
            FlowOp::Jump => self.decide(decision, jump, stay),
            FlowOp::Loop | FlowOp::Rep => {
                let (count, zero) = (self.m.int(flow.int_addr, 0), self.m.b.uniform_constant(0));
                let counts = self.m.b.new_block();
                self.m.b.branch_if(IntTest::Ne, count, zero, (counts, &[]), (jump, &[]));
                self.m.b.seal(counts);
                self.m.b.switch_to(counts);
                self.decide(decision, jump, stay);
            }
            FlowOp::EndLoop | FlowOp::EndRep => {
                let remaining = self.frames[point.loops - 1].remaining;
                let (one, zero) = (self.m.b.uniform_constant(1), self.m.b.uniform_constant(0));
                let left = self.m.b.get(remaining);
                let left = self.m.b.uniform_sub(left, one);
                self.m.b.set(remaining, left);
                let counts = self.m.b.new_block();
                self.m.b.branch_if(IntTest::Ne, left, zero, (counts, &[]), (stay, &[]));
                self.m.b.seal(counts);
                self.m.b.switch_to(counts);
                self.decide(decision, jump, stay);
            }
            FlowOp::BreakLoop | FlowOp::BreakRep | FlowOp::Continue => {
                self.decide_leaving(point, flow, want, jump, stay)
            }
        }
        for (jumps, block) in [(true, jump), (false, stay)] {
            self.m.b.seal(block);
            self.m.b.switch_to(block);
            self.way(point, flow, jumps, active, want, ends, exits);
        }
    }

    /// Whether the group jumps, as far as only the active lanes decide. With none of them, "all" holds and "any" does not.
    fn decision(&mut self, flow: &Flow, active: Value, want: Value, wants: Value) -> Decision {
        match (flow.jump_any, self.m.b.function.mask_constant(wants)) {
            (true, Some(false)) => Decision::Stay,
            (false, Some(true)) => Decision::Jump,
            (true, _) => Decision::Any(self.m.deciding(want)),
            (false, _) => {
                let others = self.m.b.mask_andnot(active, wants);
                Decision::None(self.m.deciding(others))
            }
        }
    }

    fn decide(&mut self, decision: Decision, jump: Block, stay: Block) {
        match decision {
            Decision::Jump => self.m.b.jump(jump, &[]),
            Decision::Stay => self.m.b.jump(stay, &[]),
            Decision::Any(lanes) => self.m.b.branch_any(lanes, (jump, &[]), (stay, &[])),
            Decision::None(lanes) => self.m.b.branch_any(lanes, (stay, &[]), (jump, &[])),
        }
    }

    /// BREAK and CONTINUE jump when nobody is left for the code that follows.
    fn decide_leaving(&mut self, point: &ProgramPoint, flow: &Flow, want: Value, jump: Block, stay: Block) {
        let Frame { entry, broken, continued, .. } = self.frames[point.loops - 1];
        let (entry, live) = (self.m.b.get(entry), self.m.b.get(self.m.live));
        let inside = self.m.b.mask_and(entry, live);
        let inside = self.m.deciding(inside);
        let mut gone = self.m.b.get(broken);
        if flow.op == FlowOp::Continue {
            let continued = self.m.b.get(continued);
            gone = self.m.b.mask_or(gone, continued);
        }
        gone = self.m.b.mask_or(gone, want);
        let stayers = self.m.b.mask_andnot(inside, gone);
        let deciding = self.m.deciding(want);
        let (no_stayer, no_want) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(stayers, (stay, &[]), (no_stayer, &[]));
        self.m.b.seal(no_stayer);
        self.m.b.switch_to(no_stayer);
        self.m.b.branch_any(deciding, (jump, &[]), (no_want, &[]));
        self.m.b.seal(no_want);
        self.m.b.switch_to(no_want);
        self.m.b.branch_any(inside, (stay, &[]), (jump, &[]));
    }

    /// What comes of a decision.
    #[allow(clippy::too_many_arguments, reason = "all of it is the state at the decision")]
    fn way(
        &mut self,
        point: &ProgramPoint,
        flow: &Flow,
        jumps: bool,
        active: Value,
        want: Value,
        ends: bool,
        exits: bool,
    ) {
        let leaves = matches!(flow.op, FlowOp::BreakLoop | FlowOp::BreakRep | FlowOp::Continue);
        let frame = point.loops.checked_sub(1);
        if jumps && flow.op == FlowOp::EndLoop {
            let (al, step) = (self.m.b.get(self.m.al), self.m.int(flow.int_addr, 2));
            let al = self.m.b.uniform_add(al, step);
            self.m.b.set(self.m.al, al);
        }
        let outside = if leaves && jumps {
            let entry = self.m.b.get(self.frames[point.loops - 1].entry);
            Some(self.m.flip(entry))
        } else {
            None
        };
        if !self.branch_op(point, flow, jumps, active, want, outside) {
            return;
        }
        let pops = match (flow.op, jumps) {
            (FlowOp::Jump, true) => {
                let trap = match flow.a_op {
                    AddressOp::Push if point.calls.len() == self.limits.stack => Some(TrapKind::AddressStackOverflow),
                    AddressOp::Pop if point.calls.is_empty() => Some(TrapKind::AddressStackEmpty),
                    AddressOp::Reserved3 => Some(TrapKind::ReservedOperation),
                    AddressOp::None | AddressOp::Push | AddressOp::Pop => None,
                };
                if let Some(kind) = trap {
                    return self.trap(kind, point.pc);
                }
                false
            }
            (FlowOp::Loop | FlowOp::Rep, false) => {
                if point.loops == self.limits.stack {
                    return self.trap(TrapKind::LoopStackOverflow, point.pc);
                }
                self.push_loop(point, flow);
                false
            }
            (FlowOp::EndLoop | FlowOp::EndRep, false) => {
                let Frame { broken, continued, .. } = self.frames[point.loops - 1];
                for left in [broken, continued] {
                    let lanes = self.m.b.get(left);
                    self.add(self.m.active, lanes);
                }
                true
            }
            (FlowOp::BreakLoop | FlowOp::BreakRep, true) => {
                self.wake_entry(point.loops);
                true
            }
            (FlowOp::BreakLoop | FlowOp::BreakRep | FlowOp::Continue, false) => {
                let Frame { broken, continued, .. } = self.frames[point.loops - 1];
                let mut masks = self.counters.clone();
                masks.push(self.m.active);
                self.remove(&masks, want);
                self.add(if flow.op == FlowOp::Continue { continued } else { broken }, want);
                false
            }
            _ => false,
        };
        if pops
            && matches!(flow.op, FlowOp::EndLoop | FlowOp::BreakLoop)
            && let Some(frame) = frame
        {
            let al = self.m.b.get(self.frames[frame].al_before);
            self.m.b.set(self.m.al, al);
        }
        let Some(next) = follow(self.m.program, flow, point, jumps, self.limits) else {
            return self.trap(TrapKind::ReservedOperation, point.pc);
        };
        if ends {
            self.m.finish();
        } else if exits {
            self.finish_or_go(next);
        } else {
            self.go(next);
        }
    }

    fn push_loop(&mut self, point: &ProgramPoint, flow: &Flow) {
        let Frame { remaining, al_before, entry, broken, continued } = self.frames[point.loops];
        let count = self.m.int(flow.int_addr, 0);
        self.m.b.set(remaining, count);
        let al = self.m.b.get(self.m.al);
        self.m.b.set(al_before, al);
        let active = self.m.b.get(self.m.active);
        self.m.b.set(entry, active);
        let none = self.m.b.mask_constant(false);
        self.m.b.set(broken, none);
        self.m.b.set(continued, none);
        if flow.op == FlowOp::Loop {
            let start = self.m.int(flow.int_addr, 1);
            self.m.b.set(self.m.al, start);
        }
    }

    /// A BREAK that everybody takes: all live lanes of the loop's entry are active again.
    fn wake_entry(&mut self, loops: usize) {
        let (entry, live) = (self.m.b.get(self.frames[loops - 1].entry), self.m.b.get(self.m.live));
        let woken = self.m.b.mask_and(entry, live);
        let mut masks = self.counters.clone();
        masks.extend(self.frames[..loops].iter().flat_map(|frame| [frame.broken, frame.continued]));
        self.remove(&masks, woken);
        self.add(self.m.active, woken);
    }

    /// The branch operation that goes with a decision, on the lanes of `on`; false if the group traps.
    fn branch_op(
        &mut self,
        point: &ProgramPoint,
        flow: &Flow,
        jumps: bool,
        active: Value,
        want: Value,
        on: Option<Value>,
    ) -> bool {
        let limit = self.limits.counters;
        let of = |walk: &mut Self, lanes: Value| match on {
            Some(on) => walk.m.b.mask_and(lanes, on),
            None => lanes,
        };
        match if jumps { flow.b_op1 } else { flow.b_op0 } {
            BranchOp::None => {}
            BranchOp::Reserved3 => {
                self.trap(TrapKind::ReservedOperation, point.pc);
                return false;
            }
            BranchOp::Incr => {
                let known = self.plan.points.get(point).map_or(limit, |known| known.counters);
                let known = known.max(usize::from(flow.b_else)).min(limit);
                if known == limit {
                    let highest = self.m.b.get(self.counters[limit - 1]);
                    let overflow = of(self, highest);
                    let (some, none) = self.if_any(overflow);
                    self.m.b.switch_to(some);
                    self.trap(TrapKind::BranchCounterOverflow, point.pc);
                    self.m.b.switch_to(none);
                }
                let disagree = if jumps { self.m.b.mask_andnot(active, want) } else { want };
                let disagree = of(self, disagree);
                self.raise_counters(on, known.min(limit - 1));
                self.add(self.counters[0], disagree);
                self.remove(&[self.m.active], disagree);
            }
            BranchOp::Decr => {
                let pops = usize::from(flow.b_pop_cnt).min(limit);
                for counter in 0..pops {
                    let lanes = self.m.b.get(self.counters[counter]);
                    let lanes = of(self, lanes);
                    self.add(self.m.active, lanes);
                }
                if pops > 0 {
                    self.lower_counters(on, pops);
                }
            }
        }
        true
    }

    /// Lanes of `on` that have a counter get one that is higher by 1; counters are below `known`.
    fn raise_counters(&mut self, on: Option<Value>, known: usize) {
        for counter in (0..known).rev() {
            let lanes = self.m.b.get(self.counters[counter]);
            let (moved, kept) = self.split(lanes, on);
            if counter + 1 == known && on.is_none() {
                // Nobody has this counter yet.
                self.m.b.set(self.counters[counter + 1], moved);
            } else {
                self.add(self.counters[counter + 1], moved);
            }
            self.m.b.set(self.counters[counter], kept);
        }
    }

    fn lower_counters(&mut self, on: Option<Value>, by: usize) {
        for counter in 0..self.limits.counters {
            let lanes = self.m.b.get(self.counters[counter]);
            let (moved, kept) = self.split(lanes, on);
            self.m.b.set(self.counters[counter], kept);
            if counter >= by {
                self.add(self.counters[counter - by], moved);
            }
        }
    }

    /// Those of `lanes` that are in `on`, and the others.
    fn split(&mut self, lanes: Value, on: Option<Value>) -> (Value, Value) {
        match on {
            Some(on) => (self.m.b.mask_and(lanes, on), self.m.b.mask_andnot(lanes, on)),
            None => (lanes, self.m.b.mask_constant(false)),
        }
    }
}
