//! The stacks of flow control: matching heads and ends, and how deep they get.

use super::worklist::Worklist;
use super::{Finding, FindingCode, Subject};
use crate::codes::{AddressOp, BranchOp, FlowOp};
use crate::graph::EdgeKind;
use crate::instruction::{Body, Flow};
use std::collections::BTreeSet;

/// Depth of the loop stack and of the address stack with full flow control; partial flow control has neither (decision C44).
const STACK_DEPTH: usize = 4;
/// Levels of branches: full and partial flow control (decision C44).
const BRANCH_LEVELS: (usize, usize) = (32, 6);

/// What the stacks hold on a way to an instruction.
#[derive(Clone, Default, PartialEq, Eq)]
struct Stacks {
    /// Addresses of the heads of the loops around, innermost last.
    loops: Vec<usize>,
    calls: usize,
    branches: usize,
}

impl Stacks {
    /// Deepens each stack to at least the depth that is known. Known loops stay the ones they are.
    fn join(&mut self, known: Stacks) {
        if known.loops.len() >= self.loops.len() {
            self.loops = known.loops;
        }
        self.calls = self.calls.max(known.calls);
        self.branches = self.branches.max(known.branches);
    }
}

pub fn check(subject: &Subject, findings: &mut Vec<Finding>) {
    let code = &subject.program.code;
    let mut walk = Walk { subject, found: BTreeSet::new(), findings };
    let mut before: Vec<Option<Stacks>> = vec![None; code.len()];
    let mut open = Worklist::new(code.len(), subject.group.entry());
    if let Some(entry) = subject.group.entry() {
        before[entry] = Some(Stacks::default());
    }
    let mut any_returns = false;
    // Every instruction is visited with the first stacks that reach it, and again with deeper ones. Depths only grow, and
    // none goes far beyond its limit, so this ends.
    while let Some(pc) = open.pop() {
        let Some(stacks) = before[pc].clone() else { continue };
        let mut arriving: Vec<(usize, Stacks)> = Vec::new();
        match &code[pc].body {
            Body::Flow(flow) => {
                walk.visit(pc, flow, &stacks);
                for edge in subject.group.successors(pc) {
                    match edge.kind {
                        EdgeKind::Return { .. } if any_returns => {}
                        EdgeKind::Return { .. } => {
                            any_returns = true;
                            open.extend(subject.group.calls().iter().copied());
                        }
                        EdgeKind::Jump if skips_to_a_loop_end(subject, pc, edge.to) => {}
                        kind @ (EdgeKind::Stay | EdgeKind::Jump) => {
                            arriving.push((edge.to, after(pc, flow, &stacks, kind == EdgeKind::Jump)))
                        }
                    }
                }
                // A subroutine leaves the stacks as they were at the call.
                if any_returns && subject.group.calls().binary_search(&pc).is_ok() && pc + 1 < code.len() {
                    arriving.push((pc + 1, stacks));
                }
            }
            Body::Alu(_) | Body::Out(_) | Body::Tex(_) => {
                arriving.extend(subject.group.successors(pc).iter().map(|edge| (edge.to, stacks.clone())))
            }
        }
        for (to, mut arriving) in arriving {
            if let Some(known) = &before[to] {
                arriving.join(known.clone());
            }
            if before[to].as_ref() != Some(&arriving) {
                before[to] = Some(arriving);
                open.push(to);
            }
        }
    }
    unreachable(subject, findings);
}

/// True for a loop head whose address is a loop end. Such a jump traps; where the end is its own it is reported there.
fn skips_to_a_loop_end(subject: &Subject, pc: usize, to: usize) -> bool {
    let op = |pc: usize| match &subject.program.code[pc].body {
        Body::Flow(flow) => Some(flow.op),
        Body::Alu(_) | Body::Out(_) | Body::Tex(_) => None,
    };
    matches!(op(pc), Some(FlowOp::Loop | FlowOp::Rep)) && matches!(op(to), Some(FlowOp::EndLoop | FlowOp::EndRep))
}

/// The stacks on the way on, each depth at most one beyond its limit.
fn after(pc: usize, flow: &Flow, stacks: &Stacks, jumps: bool) -> Stacks {
    let mut stacks = stacks.clone();
    match (flow.op, jumps) {
        (FlowOp::Loop | FlowOp::Rep, false) if stacks.loops.len() <= STACK_DEPTH => stacks.loops.push(pc),
        (FlowOp::EndLoop | FlowOp::EndRep, false) | (FlowOp::BreakLoop | FlowOp::BreakRep, true) => {
            stacks.loops.pop();
        }
        (FlowOp::Jump, true) if flow.a_op == AddressOp::Push => stacks.calls = (stacks.calls + 1).min(STACK_DEPTH + 1),
        _ => {}
    }
    match if jumps { flow.b_op1 } else { flow.b_op0 } {
        BranchOp::Incr => stacks.branches = (stacks.branches + 1).min(BRANCH_LEVELS.0 + 1),
        BranchOp::Decr => stacks.branches = stacks.branches.saturating_sub(flow.b_pop_cnt.into()),
        BranchOp::None | BranchOp::Reserved3 => {}
    }
    stacks
}

struct Walk<'a, 'b> {
    subject: &'a Subject<'a>,
    /// What was reported: an instruction can be visited several times.
    found: BTreeSet<(usize, FindingCode)>,
    findings: &'b mut Vec<Finding>,
}

impl Walk<'_, '_> {
    fn report(&mut self, code: FindingCode, pc: usize, message: String, help: &str) {
        if self.found.insert((pc, code)) {
            self.findings.push(Finding::new(code, Some(pc), message, help));
        }
    }

    fn visit(&mut self, pc: usize, flow: &Flow, stacks: &Stacks) {
        let name = flow.op.name();
        let info = &self.subject.program.info;
        match (flow.op, stacks.loops.last().copied()) {
            (FlowOp::Jump, _) => self.visit_jump(pc, flow, stacks),
            (FlowOp::Loop | FlowOp::Rep, _) => {
                if stacks.loops.len() >= STACK_DEPTH {
                    let message = format!("{name} inside {STACK_DEPTH} other loops");
                    self.report(
                        FindingCode::StackOverflow,
                        pc,
                        message,
                        "the loop stack holds 4: unroll one of the loops",
                    );
                }
                if !self.subject.program.constants.ints.contains_key(&flow.int_addr) {
                    let message = format!("{name} counts with integer constant {}, which has no value", flow.int_addr);
                    let help = "give its value in the program, or to the run (--iconst); without, it is 0 passes";
                    self.report(FindingCode::CountUnknown, pc, message, help);
                }
            }
            (_, None) => {
                let message = format!("{name} outside every loop: it traps");
                self.report(FindingCode::UnmatchedFlow, pc, message, "put it between a loop head and its end");
            }
            (op, Some(head)) => self.visit_in_loop(pc, op, info.target_address(flow), head),
        }
        self.visit_branches(pc, flow, stacks.branches);
    }

    fn visit_jump(&mut self, pc: usize, flow: &Flow, stacks: &Stacks) {
        match flow.a_op {
            AddressOp::Push if stacks.calls >= STACK_DEPTH => {
                let message = format!("a call inside {STACK_DEPTH} other calls");
                self.report(
                    FindingCode::StackOverflow,
                    pc,
                    message,
                    "the address stack holds 4: put the subroutine's code here",
                );
            }
            AddressOp::Pop if stacks.calls == 0 => {
                let message = "a return on a path without a call: it traps".to_owned();
                self.report(
                    FindingCode::UnmatchedFlow,
                    pc,
                    message,
                    "jump over subroutines, and enter them by calls only",
                );
            }
            AddressOp::None | AddressOp::Push | AddressOp::Pop | AddressOp::Reserved3 => {}
        }
    }

    /// An instruction that works on the innermost loop, whose head stands at `head`.
    fn visit_in_loop(&mut self, pc: usize, op: FlowOp, target: usize, head: usize) {
        let Body::Flow(head_flow) = &self.subject.program.code[head].body else { return };
        let for_loop = matches!(op, FlowOp::EndLoop | FlowOp::BreakLoop);
        let for_rep = matches!(op, FlowOp::EndRep | FlowOp::BreakRep);
        if for_loop && head_flow.op == FlowOp::Rep || for_rep && head_flow.op == FlowOp::Loop {
            let message = format!("{} in the {} at {head}: aL goes wrong", op.name(), head_flow.op.name());
            self.report(
                FindingCode::UnmatchedFlow,
                pc,
                message,
                "take the instruction that belongs to the kind of loop",
            );
        }
        if !matches!(op, FlowOp::EndLoop | FlowOp::EndRep) {
            return;
        }
        if target != head + 1 {
            let message = format!("{} goes back to {target}, its loop head stands at {head}", op.name());
            self.report(
                FindingCode::UnmatchedFlow,
                pc,
                message,
                "its address must be that of the instruction after the head",
            );
        }
        if self.subject.program.info.target_address(head_flow) == pc {
            let message = format!(
                "{} names its own {} as the place to skip to; it is taken to name the instruction after it",
                head_flow.op.name(),
                op.name()
            );
            let help = "its address must be that of the instruction after the loop end";
            self.report(FindingCode::LoopTargetsItsEnd, head, message, help);
        }
    }

    fn visit_branches(&mut self, pc: usize, flow: &Flow, depth: usize) {
        let full = self.subject.program.info.full_flow_control;
        let levels = if full { BRANCH_LEVELS.0 } else { BRANCH_LEVELS.1 };
        let goes_deeper = flow.b_op0 == BranchOp::Incr || flow.b_op1 == BranchOp::Incr;
        if goes_deeper && depth >= levels {
            let help = if full {
                "compute both branches and select, or move an inner branch out"
            } else {
                "declare full flow control, which has 32 levels"
            };
            let message = format!("a branch inside {depth} others; this flow control has {levels} levels");
            self.report(FindingCode::BranchNesting, pc, message, help);
        }
    }
}

/// One finding for each run of instructions that nothing reaches.
fn unreachable(subject: &Subject, findings: &mut Vec<Finding>) {
    let reachable = &subject.reachable;
    let mut pc = 0;
    while pc < reachable.len() {
        let run = reachable[pc..].iter().take_while(|reached| !**reached).count();
        if run > 0 {
            let message = match run {
                1 => "nothing reaches this instruction".to_owned(),
                _ => format!("nothing reaches this instruction and the {} after it", run - 1),
            };
            let help = "remove it, or correct the jump, start or end address that should lead here";
            findings.push(Finding::new(FindingCode::Unreachable, Some(pc), message, help));
        }
        pc += run.max(1);
    }
}
