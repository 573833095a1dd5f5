//! The points of an exact function: instructions with what the stacks hold there.

use super::NotLifted;
use crate::codes::{AddressOp, BranchOp, FlowOp, PredicateSelect};
use crate::instruction::{Body, Flow, Instruction};
use crate::program::Program;
use std::collections::HashMap;

/// Places that a function may have.
const MAX_POINTS: usize = 4096;

/// An instruction with the depth of the loop stack and the contents of the address stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ProgramPoint {
    pub pc: usize,
    pub loops: usize,
    pub calls: Vec<usize>,
}

/// What is known of a point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// Branch counters are below this.
    pub counters: usize,
    /// A block begins here.
    pub leads: bool,
    visited: bool,
}

/// Sizes of the stacks.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub stack: usize,
    pub counters: usize,
}

impl Limits {
    pub fn of(program: &Program) -> Self {
        if program.info.full_flow_control {
            Limits { stack: 4, counters: 32 }
        } else {
            Limits { stack: 0, counters: 6 }
        }
    }
}

/// The points that a group can reach.
pub(super) struct Plan {
    pub points: HashMap<ProgramPoint, Known>,
    pub entry: ProgramPoint,
}

impl Plan {
    pub fn new(program: &Program) -> Result<Self, NotLifted> {
        let limits = Limits::of(program);
        let entry = ProgramPoint { pc: program.info.first_address(), loops: 0, calls: Vec::new() };
        let mut points: HashMap<ProgramPoint, Known> = HashMap::new();
        points.insert(entry.clone(), Known { leads: true, ..Known::default() });
        let mut open = vec![entry.clone()];
        while let Some(point) = open.pop() {
            let counters = match points.get_mut(&point) {
                Some(known) => {
                    known.visited = true;
                    known.counters
                }
                None => continue,
            };
            if point.pc == program.info.last_address() {
                continue;
            }
            let Some(instruction) = program.code.get(point.pc) else { continue };
            for (to, counters, leads) in successors(program, instruction, &point, counters, limits) {
                let known = points.entry(to.clone()).or_default();
                known.leads |= leads;
                let grows = counters > known.counters;
                known.counters = known.counters.max(counters);
                if grows || !known.visited {
                    open.push(to);
                }
            }
            if points.len() > MAX_POINTS {
                return Err(NotLifted::TooLarge);
            }
        }
        Ok(Plan { points, entry })
    }
}

/// Where a group can go, with the branch counters there, and whether flow control leads there.
fn successors(
    program: &Program,
    instruction: &Instruction,
    point: &ProgramPoint,
    counters: usize,
    limits: Limits,
) -> Vec<(ProgramPoint, usize, bool)> {
    let flow = match &instruction.body {
        Body::Flow(flow) if instruction.common.rgb.pred_sel != PredicateSelect::PerChannel => flow,
        Body::Flow(_) => return Vec::new(),
        Body::Alu(_) | Body::Out(_) | Body::Tex(_) => {
            return vec![(ProgramPoint { pc: point.pc + 1, ..point.clone() }, counters, false)];
        }
    };
    let mut ways = Vec::new();
    for jump in [false, true] {
        if let Some(to) = follow(program, flow, point, jump, limits) {
            let counters = match if jump { flow.b_op1 } else { flow.b_op0 } {
                BranchOp::Incr => (counters.max(usize::from(flow.b_else)) + 1).min(limits.counters),
                // Of a BREAK, lanes outside the loop alone take part.
                BranchOp::None | BranchOp::Decr | BranchOp::Reserved3 => counters.max(usize::from(flow.b_else)),
            };
            ways.push((to, counters, true));
        }
    }
    ways
}

/// The point after a flow-control instruction; `None` if the group traps.
pub(super) fn follow(
    program: &Program,
    flow: &Flow,
    point: &ProgramPoint,
    jump: bool,
    limits: Limits,
) -> Option<ProgramPoint> {
    let target = program.info.jump_address(&program.code, point.pc, flow);
    let (next, mut loops, mut calls) = (point.pc + 1, point.loops, point.calls.clone());
    if if jump { flow.b_op1 } else { flow.b_op0 } == BranchOp::Reserved3 {
        return None;
    }
    let in_loop = !matches!(flow.op, FlowOp::Jump | FlowOp::Loop | FlowOp::Rep);
    if in_loop && loops == 0 {
        return None;
    }
    let mut pc = if jump { target } else { next };
    match (flow.op, jump) {
        (FlowOp::Jump, true) => match flow.a_op {
            AddressOp::None => {}
            AddressOp::Push if calls.len() == limits.stack => return None,
            AddressOp::Push => calls.push(next),
            AddressOp::Pop => pc = calls.pop()?,
            AddressOp::Reserved3 => return None,
        },
        (FlowOp::Loop | FlowOp::Rep, false) if loops == limits.stack => return None,
        (FlowOp::Loop | FlowOp::Rep, false) => loops += 1,
        (FlowOp::EndLoop | FlowOp::EndRep, false) | (FlowOp::BreakLoop | FlowOp::BreakRep, true) => loops -= 1,
        _ => {}
    }
    Some(ProgramPoint { pc, loops, calls })
}
