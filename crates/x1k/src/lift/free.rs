//! The free form: structured flow control as masks.
//!
//! The walk goes along the code once, with the constructs that are open. It checks that each statement has the field
//! values that make a jump a mere short cut: that lanes which jump are in the state that sleeping up to the same place
//! would have left them in (CTM Guide p.34-40). Where that is so, what a lane does depends on no other lane.

use super::machine::{Machine, Wants};
use super::{Facts, Lifted, NotLifted, arithmetic};
use crate::codes::{AddressOp, BranchOp, FlowOp, TexOp};
use crate::instruction::{Body, Flow, Instruction};
use crate::program::{Program, WriteMode};
use ctm_lane::{Block, IntTest, Type, Value, Variable};

/// Instructions that a walk may visit: subroutines count once for each call.
const MAX_VISITS: usize = 4096;

/// A conditional whose end has not come yet.
struct If {
    /// Address behind the head, or behind its ELSE.
    jump: Jump,
    /// Lanes that were active before.
    before: Value,
    /// Lanes that do not take the first part.
    others: Value,
    /// Where the lanes go that take neither part, or have taken one.
    join: Block,
    /// Where the second part begins; equal to `join` until an ELSE comes.
    second: Block,
    has_else: bool,
    /// Lanes may have left by BREAK, CONTINUE or TEXKILL.
    left: bool,
}

/// The jump of an IF or an ELSE, which its ENDIF has to fit.
#[derive(Clone, Copy)]
struct Jump {
    target: usize,
    op: BranchOp,
    pops: u8,
}

struct Loop {
    /// Address behind the head.
    body: usize,
    head: FlowOp,
    int: u8,
    /// Where the head jumps to.
    skips_to: usize,
    /// Addresses of the instruction behind the end, as the BREAKs have it, and of the end, as the CONTINUEs have it.
    break_to: Option<usize>,
    continue_to: Option<usize>,
    top: Block,
    exit: Block,
    remaining: Variable,
    al_before: Value,
    /// Lanes that entered.
    entry: Value,
    /// Lanes that have not left by BREAK or TEXKILL.
    stay: Variable,
    /// Of these, the ones that have not left this pass by CONTINUE.
    running: Variable,
    kills: bool,
    /// Conditionals that were open at the head.
    depth: usize,
}

enum Open {
    If(If),
    Loop(Loop),
    /// A subroutine, with the address to return to.
    Call(usize),
}

struct Walk<'a> {
    m: Machine<'a>,
    open: Vec<Open>,
    steps: Vec<(u32, Vec<u8>)>,
    /// Instructions up to this address are counted.
    counted_to: usize,
    visits: usize,
}

type Walked<T> = Result<T, NotLifted>;

pub(super) fn lift(program: &Program, facts: &Facts) -> Walked<Lifted> {
    let mut walk =
        Walk { m: Machine::new(program, facts), open: Vec::new(), steps: Vec::new(), counted_to: 0, visits: 0 };
    walk.run()?;
    Ok(walk.m.done(walk.steps))
}

fn plain(flow: &Flow) -> bool {
    flow.b_op0 == BranchOp::None && flow.b_op1 == BranchOp::None && !flow.b_else
}

impl<'a> Walk<'a> {
    fn run(&mut self) -> Walked<()> {
        let program = self.m.program;
        let (mut pc, end) = (program.info.first_address(), program.info.last_address());
        self.counted_to = pc;
        loop {
            self.visits += 1;
            let instruction: &'a Instruction = match program.code.get(pc) {
                Some(instruction) if self.visits < MAX_VISITS => instruction,
                Some(_) => return Err(NotLifted::TooLarge),
                None => return Err(NotLifted::Unstructured(pc)),
            };
            let ends = pc == end || instruction.common.last && program.info.early_exit;
            if (ends || instruction.common.write_inactive) && self.nested() {
                return Err(NotLifted::Unstructured(pc));
            }
            if pc == self.counted_to {
                self.count(pc);
            }
            let next = self.instruction(pc, instruction)?;
            if ends {
                // A statement that opened a construct here is none: the group ends behind it.
                if self.nested() {
                    return Err(NotLifted::Unstructured(pc));
                }
                self.m.finish();
                return Ok(());
            }
            if next != pc + 1 || pc + 1 > self.counted_to {
                self.counted_to = next;
            }
            pc = next;
        }
    }

    /// Whether some live lanes may be inactive.
    fn nested(&self) -> bool {
        self.open.iter().any(|open| !matches!(open, Open::Call(_)))
    }

    /// Counts the instructions from `pc` to the next that ends a run of them.
    fn count(&mut self, pc: usize) {
        let info = &self.m.program.info;
        let code = &self.m.program.code;
        let mut to = pc;
        while let Some(instruction) = code.get(to) {
            let flow = match &instruction.body {
                Body::Flow(flow) => Some(flow),
                _ => None,
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
        let lanes = self.m.deciding(lanes);
        self.m.b.steps(count as u32, pc as u32, lanes);
        let loops = self.open.iter().filter_map(|open| match open {
            Open::Loop(open) => Some(open.int),
            _ => None,
        });
        self.steps.push((count as u32, loops.collect()));
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
            Body::Flow(flow) => return self.flow(pc, instruction, flow),
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

    fn arithmetic(
        &mut self,
        pc: usize,
        instruction: &Instruction,
        alu: &crate::instruction::Alu,
        out: Option<WriteMode>,
    ) -> Walked<()> {
        if arithmetic::is_reserved(&instruction.common, alu, out) {
            return Err(NotLifted::Unstructured(pc));
        }
        let lanes = self.lanes();
        self.m.arithmetic(&instruction.common, alu, out, lanes);
        Ok(())
    }

    /// The lanes in which registers are written: where every live lane is active, it does not matter what the others get.
    fn lanes(&mut self) -> Option<Value> {
        (self.nested() || self.m.uses_quads).then(|| self.m.b.get(self.m.active))
    }

    /// The lanes end that are killed; with the last of them the group.
    fn kill(&mut self, killed: Value) {
        let mut masks = vec![self.m.live, self.m.active];
        for open in &mut self.open {
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
        let live = self.m.deciding(live);
        let (next, over) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(live, (next, &[]), (over, &[]));
        self.m.b.seal(over);
        self.m.b.switch_to(over);
        self.m.b.ret();
        self.m.b.seal(next);
        self.m.b.switch_to(next);
    }

    fn remove(&mut self, masks: &[Variable], lanes: Value) {
        for &mask in masks {
            let old = self.m.b.get(mask);
            let left = self.m.b.mask_andnot(old, lanes);
            self.m.b.set(mask, left);
        }
    }

    fn flow(&mut self, pc: usize, instruction: &Instruction, flow: &Flow) -> Walked<usize> {
        use crate::codes::PredicateSelect;
        let unstructured = Err(NotLifted::Unstructured(pc));
        if instruction.common.rgb.pred_sel == PredicateSelect::PerChannel {
            return unstructured;
        }
        let target = self.m.program.info.jump_address(&self.m.program.code, pc, flow);
        let wants = self.m.wants(instruction, flow);
        self.m.clear_alu_result();
        let decrements = |op: BranchOp, by: u8| op == BranchOp::Decr && flow.b_pop_cnt == by;
        match flow.op {
            FlowOp::Jump if flow.b_else => {
                let fits = !flow.jump_any && wants == Wants::Never && flow.a_op == AddressOp::None;
                if !fits || flow.b_op0 != BranchOp::None {
                    return unstructured;
                }
                let jump = Jump { target, op: flow.b_op1, pops: flow.b_pop_cnt };
                self.begin_second_part(pc, jump).ok_or(NotLifted::Unstructured(pc))?;
                Ok(pc + 1)
            }
            FlowOp::Jump => match (flow.a_op, flow.b_op0) {
                (AddressOp::None, BranchOp::Incr) if !flow.jump_any && self.ifs() < self.branch_levels() => {
                    self.begin_if(wants, Jump { target, op: flow.b_op1, pops: flow.b_pop_cnt });
                    Ok(pc + 1)
                }
                (AddressOp::None, BranchOp::Decr | BranchOp::None) if flow.jump_any && wants == Wants::Never => {
                    let pops = if flow.b_op0 == BranchOp::Decr { flow.b_pop_cnt } else { 0 };
                    self.end_ifs(pc, pops).ok_or(NotLifted::Unstructured(pc))?;
                    Ok(pc + 1)
                }
                // A jump that everybody takes, those who sleep included.
                (AddressOp::None, _) if plain_jump(flow, wants) && target > pc => Ok(target),
                (AddressOp::Push, _) if plain_jump(flow, wants) => {
                    if self.open.iter().filter(|open| matches!(open, Open::Call(_))).count() == self.stack_depth() {
                        return unstructured;
                    }
                    self.open.push(Open::Call(pc + 1));
                    Ok(target)
                }
                (AddressOp::Pop, _) if plain_jump(flow, wants) => match self.open.pop() {
                    Some(Open::Call(back)) => Ok(back),
                    _ => unstructured,
                },
                _ => unstructured,
            },
            FlowOp::Loop | FlowOp::Rep if plain(flow) && !flow.jump_any && wants == Wants::Never => {
                let loops = self.open.iter().filter(|open| matches!(open, Open::Loop(_))).count();
                if loops == self.stack_depth() {
                    return unstructured;
                }
                self.begin_loop(pc, flow, target);
                Ok(pc + 1)
            }
            FlowOp::EndLoop | FlowOp::EndRep if plain(flow) && flow.jump_any && wants == Wants::Always => {
                self.end_loop(pc, flow, target)?;
                Ok(pc + 1)
            }
            FlowOp::BreakLoop | FlowOp::BreakRep | FlowOp::Continue if flow.b_op0 == BranchOp::None && !flow.b_else => {
                let Some((at, depth)) = self.innermost_loop() else { return unstructured };
                let restores = match depth {
                    0 => flow.b_op1 == BranchOp::None || decrements(flow.b_op1, 0),
                    _ => decrements(flow.b_op1, depth),
                };
                if !restores {
                    return unstructured;
                }
                self.leave(at, flow.op, target, wants).ok_or(NotLifted::Unstructured(pc))?;
                Ok(pc + 1)
            }
            _ => unstructured,
        }
    }

    fn stack_depth(&self) -> usize {
        if self.m.program.info.full_flow_control { 4 } else { 0 }
    }

    /// Levels of branches.
    fn branch_levels(&self) -> usize {
        if self.m.program.info.full_flow_control { 32 } else { 6 }
    }

    /// The place of the innermost loop among the open constructs, and the number of conditionals in it. No call may lie
    /// between, as its return would be left out.
    fn innermost_loop(&self) -> Option<(usize, u8)> {
        let mut depth = 0;
        for (at, open) in self.open.iter().enumerate().rev() {
            match open {
                Open::If(_) => depth += 1,
                Open::Loop(_) => return Some((at, depth)),
                Open::Call(_) => return None,
            }
        }
        None
    }

    fn ifs(&self) -> usize {
        self.open.iter().filter(|open| matches!(open, Open::If(_))).count()
    }

    fn begin_if(&mut self, wants: Wants, jump: Jump) {
        let before = self.m.b.get(self.m.active);
        let wants = self.m.lanes_of(wants);
        let others = self.m.b.mask_and(before, wants);
        let first = self.m.b.mask_andnot(before, wants);
        let deciding = self.m.deciding(first);
        let (then, second, join) = (self.m.b.new_block(), self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(deciding, (then, &[]), (second, &[]));
        self.m.b.seal(then);
        self.m.b.switch_to(then);
        self.m.b.set(self.m.active, first);
        self.open.push(Open::If(If { jump, before, others, join, second, has_else: false, left: false }));
    }

    fn begin_second_part(&mut self, pc: usize, jump: Jump) -> Option<()> {
        let Some(Open::If(open)) = self.open.last_mut() else { return None };
        if open.has_else || open.jump.op != BranchOp::Incr || open.jump.target != pc + 1 {
            return None;
        }
        let (others, second, join) = (open.others, open.second, open.join);
        (open.jump, open.has_else) = (jump, true);
        let deciding = self.m.deciding(others);
        self.m.b.branch_any(deciding, (second, &[]), (join, &[]));
        self.m.b.seal(second);
        self.m.b.switch_to(second);
        self.m.b.set(self.m.active, others);
        Some(())
    }

    /// An ENDIF of the `pops` innermost conditionals. Of these the j-th from outside has lowered counters by j when it
    /// jumped behind the ENDIF.
    fn end_ifs(&mut self, pc: usize, pops: u8) -> Option<()> {
        for inner in (0..pops).rev() {
            let Some(Open::If(open)) = self.open.pop() else { return None };
            let lowers = inner + u8::from(open.has_else);
            let fits = match lowers {
                0 => open.jump.op == BranchOp::None || open.jump.op == BranchOp::Decr && open.jump.pops == 0,
                _ => open.jump.op == BranchOp::Decr && open.jump.pops == lowers,
            };
            if !fits || open.jump.target != pc + 1 {
                return None;
            }
            self.m.b.jump(open.join, &[]);
            if !open.has_else {
                self.m.b.seal(open.second);
                self.m.b.switch_to(open.second);
                self.m.b.jump(open.join, &[]);
            }
            self.m.b.seal(open.join);
            self.m.b.switch_to(open.join);
            self.end_if(open);
        }
        Some(())
    }

    fn end_if(&mut self, open: If) {
        let mut active = open.before;
        if open.left {
            let innermost = self.innermost_loop().map(|(at, _)| &self.open[at]);
            let mask = match innermost {
                Some(Open::Loop(open)) => open.running,
                _ => self.m.live,
            };
            let left = self.m.b.get(mask);
            active = self.m.b.mask_and(active, left);
            if let Some(Open::If(outer)) = self.open.last_mut() {
                outer.left = true;
            }
        }
        self.m.b.set(self.m.active, active);
    }

    fn begin_loop(&mut self, pc: usize, flow: &Flow, target: usize) {
        let count = self.m.int(flow.int_addr, 0);
        let entry = self.m.b.get(self.m.active);
        let (remaining, stay, running) =
            (self.m.b.variable(Type::Uniform), self.m.b.variable(Type::Mask), self.m.b.variable(Type::Mask));
        let al_before = self.m.b.get(self.m.al);
        self.m.b.set(remaining, count);
        self.m.b.set(stay, entry);
        if flow.op == FlowOp::Loop {
            let start = self.m.int(flow.int_addr, 1);
            self.m.b.set(self.m.al, start);
        }
        let (top, exit) = (self.m.b.new_block(), self.m.b.new_block());
        self.open.push(Open::Loop(Loop {
            body: pc + 1,
            head: flow.op,
            int: flow.int_addr,
            skips_to: target,
            break_to: None,
            continue_to: None,
            top,
            exit,
            remaining,
            al_before,
            entry,
            stay,
            running,
            kills: false,
            depth: self.ifs(),
        }));
        let zero = self.m.b.uniform_constant(0);
        self.m.b.branch_if(IntTest::Ne, count, zero, (top, &[]), (exit, &[]));
        self.m.b.switch_to(top);
        let active = self.m.b.get(stay);
        self.m.b.set(self.m.active, active);
        self.m.b.set(running, active);
    }

    /// BREAK and CONTINUE.
    fn leave(&mut self, at: usize, op: FlowOp, target: usize, wants: Wants) -> Option<()> {
        let Open::Loop(open) = &mut self.open[at] else { return None };
        let is_rep = open.head == FlowOp::Rep;
        let expected = if op == FlowOp::Continue { &mut open.continue_to } else { &mut open.break_to };
        if expected.is_some_and(|known| known != target)
            || op == FlowOp::BreakLoop && is_rep
            || op == FlowOp::BreakRep && !is_rep
        {
            return None;
        }
        *expected = Some(target);
        let masks = match op {
            FlowOp::Continue => vec![self.m.active, open.running],
            _ => vec![self.m.active, open.running, open.stay],
        };
        let (stay, exit) = (open.stay, open.exit);
        for open in &mut self.open[at..] {
            if let Open::If(open) = open {
                open.left = true;
            }
        }
        let active = self.m.b.get(self.m.active);
        let wants = self.m.lanes_of(wants);
        let leaving = self.m.b.mask_and(active, wants);
        self.remove(&masks, leaving);
        if op != FlowOp::Continue {
            let stay = self.m.b.get(stay);
            let stay = self.m.deciding(stay);
            let next = self.m.b.new_block();
            self.m.b.branch_any(stay, (next, &[]), (exit, &[]));
            self.m.b.seal(next);
            self.m.b.switch_to(next);
        }
        Some(())
    }

    fn end_loop(&mut self, pc: usize, flow: &Flow, target: usize) -> Walked<()> {
        let unstructured = Err(NotLifted::Unstructured(pc));
        let Some(Open::Loop(open)) = self.open.last() else { return unstructured };
        let fits = open.body == target
            && (open.head == FlowOp::Loop) == (flow.op == FlowOp::EndLoop)
            && open.int == flow.int_addr
            && open.skips_to == pc + 1
            && open.break_to.is_none_or(|to| to == pc + 1)
            && open.continue_to.is_none_or(|to| to == pc)
            && open.depth == self.ifs();
        if !fits {
            return unstructured;
        }
        let Loop { stay, remaining, top, exit, int, head, .. } = *open;
        let stay = self.m.b.get(stay);
        self.count_here(pc, 1, stay);
        let (one, zero) = (self.m.b.uniform_constant(1), self.m.b.uniform_constant(0));
        let left = self.m.b.get(remaining);
        let left = self.m.b.uniform_sub(left, one);
        self.m.b.set(remaining, left);
        let (again, back) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_if(IntTest::Ne, left, zero, (again, &[]), (exit, &[]));
        self.m.b.seal(again);
        self.m.b.switch_to(again);
        let deciding = self.m.deciding(stay);
        self.m.b.branch_any(deciding, (back, &[]), (exit, &[]));
        self.m.b.seal(back);
        self.m.b.switch_to(back);
        if head == FlowOp::Loop {
            let (al, step) = (self.m.b.get(self.m.al), self.m.int(int, 2));
            let al = self.m.b.uniform_add(al, step);
            self.m.b.set(self.m.al, al);
        }
        self.m.b.jump(top, &[]);
        self.m.b.seal(top);
        self.m.b.seal(exit);
        self.m.b.switch_to(exit);
        self.leave_loop();
        Ok(())
    }

    /// Behind a loop the lanes are active that entered it, less those that were killed.
    fn leave_loop(&mut self) {
        let Some(Open::Loop(open)) = self.open.pop() else { return };
        let mut active = open.entry;
        if open.kills {
            let live = self.m.b.get(self.m.live);
            active = self.m.b.mask_and(active, live);
        }
        self.m.b.set(self.m.active, active);
        if open.head == FlowOp::Loop {
            self.m.b.set(self.m.al, open.al_before);
        }
        self.m.clear_alu_result();
    }
}

/// Whether everybody jumps, and no counter changes.
fn plain_jump(flow: &Flow, wants: Wants) -> bool {
    plain(flow) && !flow.jump_any && wants == Wants::Always
}
