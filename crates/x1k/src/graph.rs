//! The control-flow graph of a program.
//!
//! Flow control works on groups of lanes: at an IF that lanes disagree on, the group goes through both branches and
//! each lane sleeps through one of them. So there are two graphs. [`View::Group`] is what the program counter does;
//! it tells what can execute, and in which order instructions issue. [`View::Lane`] is what one lane sees of it when it
//! skips what it sleeps through; it tells which writes can reach which reads.

use crate::codes::{AddressOp, FlowOp};
use crate::instruction::{Body, Flow, Instruction};
use crate::program::ProgramInfo;

/// Whose way through the program a graph shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The program counter's.
    Group,
    /// A lane's, from one instruction that it executes to the next. Loops make at least one pass.
    Lane,
}

/// Why an instruction follows another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// It comes after it, and any flow control stays.
    Stay,
    /// Flow control jumps there.
    Jump,
    /// A subroutine returns there, to the instruction after this call.
    Return {
        /// Address of the call.
        call: usize,
    },
}

/// A way from one instruction to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// Address of the next instruction.
    pub to: usize,
    /// Why it is the next one.
    pub kind: EdgeKind,
}

/// The control-flow graph of a program: for each address, what can follow.
///
/// It is built for any code, also for code that breaks rules: ways that leave the code are left out.
#[derive(Clone, Debug)]
pub struct Graph {
    successors: Vec<Vec<Edge>>,
    calls: Vec<usize>,
    entry: usize,
}

/// Whether an active lane wants to jump.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BranchOutcome {
    Never,
    Sometimes,
    Always,
}

impl ProgramInfo {
    /// Address of the first instruction, with the code offset.
    pub const fn first_address(&self) -> usize {
        self.start as usize + self.code_offset as usize
    }

    /// Address of the last instruction, with the code offset.
    pub const fn last_address(&self) -> usize {
        self.end as usize + self.code_offset as usize
    }

    /// Address that a flow-control instruction names, with the code offset unless it is global.
    pub const fn target_address(&self, flow: &Flow) -> usize {
        flow.jump_addr as usize + if flow.jump_global { 0 } else { self.code_offset as usize }
    }

    /// Where the flow-control instruction at `pc` goes when it jumps: to the address that it names, but for loop heads that
    /// name their own loop end. Those go to the instruction after it.
    ///
    /// The guide's loop head names that instruction (CTM Guide p.39). Mesa's r300 compiler has all its loop heads name the
    /// loop end; taken literally, a head that no lane is active at would have the loop end find no loop, or end a pass of
    /// the loop around it.
    pub fn jump_address(&self, code: &[Instruction], pc: usize, flow: &Flow) -> usize {
        let target = self.target_address(flow);
        let end = match flow.op {
            FlowOp::Loop => FlowOp::EndLoop,
            FlowOp::Rep => FlowOp::EndRep,
            _ => return target,
        };
        match code.get(target).map(|instruction| &instruction.body) {
            Some(Body::Flow(tail)) if tail.op == end && self.target_address(tail) == pc + 1 => target + 1,
            _ => target,
        }
    }
}

impl Graph {
    /// The graph of this code.
    pub fn new(code: &[Instruction], info: &ProgramInfo, view: View) -> Self {
        let calls: Vec<usize> = code
            .iter()
            .enumerate()
            .filter(|(_, instruction)| jump_with(instruction, AddressOp::Push).is_some())
            .map(|(pc, _)| pc)
            .collect();
        let last = info.last_address();
        let edges = |(pc, instruction): (usize, &Instruction)| {
            let mut edges = Vec::new();
            if pc == last {
                return edges;
            }
            let (stays, jumps) = match &instruction.body {
                Body::Flow(flow) => decisions(instruction, flow, view),
                _ => (true, false),
            };
            if stays {
                edges.push(Edge { to: pc + 1, kind: EdgeKind::Stay });
            }
            if jumps {
                if jump_with(instruction, AddressOp::Pop).is_some() {
                    edges
                        .extend(calls.iter().map(|call| Edge { to: call + 1, kind: EdgeKind::Return { call: *call } }));
                } else if let Body::Flow(flow) = &instruction.body {
                    edges.push(Edge { to: info.jump_address(code, pc, flow), kind: EdgeKind::Jump });
                }
            }
            edges.retain(|edge| edge.to < code.len());
            edges
        };
        let successors = code.iter().enumerate().map(edges).collect();
        Graph { successors, calls, entry: info.first_address() }
    }

    /// What can follow the instruction at this address.
    pub fn successors(&self, pc: usize) -> &[Edge] {
        &self.successors[pc]
    }

    /// Addresses of the calls, ascending.
    pub fn calls(&self) -> &[usize] {
        &self.calls
    }

    /// Address of the first instruction; none if it lies outside the code.
    pub fn entry(&self) -> Option<usize> {
        (self.entry < self.successors.len()).then_some(self.entry)
    }

    /// For each address, whether it can be reached.
    pub fn reachable(&self) -> Vec<bool> {
        let mut reached = vec![false; self.successors.len()];
        let mut open: Vec<usize> = self.entry().into_iter().collect();
        while let Some(pc) = open.pop() {
            if !std::mem::replace(&mut reached[pc], true) {
                open.extend(self.successors[pc].iter().map(|edge| edge.to));
            }
        }
        reached
    }
}

/// The flow-control part, if the instruction is a jump with this address-stack operation.
fn jump_with(instruction: &Instruction, a_op: AddressOp) -> Option<&Flow> {
    match &instruction.body {
        Body::Flow(flow) if flow.op == FlowOp::Jump && flow.a_op == a_op => Some(flow),
        _ => None,
    }
}

/// What an active lane can want. Without a predicate select, the predicate of the truth table is true.
fn branch_outcome(instruction: &Instruction, flow: &Flow) -> BranchOutcome {
    let possible = if matches!(instruction.common.rgb.pred_sel as u8, 1..=5) { 0xFF } else { 0xCC };
    match flow.jump_func & possible {
        0 => BranchOutcome::Never,
        all if all == possible => BranchOutcome::Always,
        _ => BranchOutcome::Sometimes,
    }
}

/// Whether the instruction can stay, and whether it can jump.
fn decisions(instruction: &Instruction, flow: &Flow, view: View) -> (bool, bool) {
    let outcome = branch_outcome(instruction, flow);
    match (view, flow.op) {
        // With no active lane, "all want to" holds and "any wants to" does not.
        (View::Group, FlowOp::Jump) => {
            let (all_or_none, none_or_any) = (!flow.jump_any, flow.jump_any);
            (outcome != BranchOutcome::Always || none_or_any, outcome != BranchOutcome::Never || all_or_none)
        }
        (View::Group, _) => (true, true),
        // Whoever executes an ELSE sleeps until the branch ends.
        (View::Lane, FlowOp::Jump) if flow.b_else => (false, true),
        (View::Lane, FlowOp::Jump | FlowOp::BreakLoop | FlowOp::BreakRep | FlowOp::Continue) => {
            (outcome != BranchOutcome::Always, outcome != BranchOutcome::Never)
        }
        (View::Lane, FlowOp::Loop | FlowOp::Rep) => (true, outcome != BranchOutcome::Never),
        (View::Lane, FlowOp::EndLoop | FlowOp::EndRep) => (true, outcome != BranchOutcome::Never),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::BranchOp;
    use crate::instruction::Common;

    fn flow(flow: Flow) -> Instruction {
        Instruction { common: Common::default(), body: Body::Flow(flow), reserved: [0; 6] }
    }

    fn nop() -> Instruction {
        Instruction::decode(&[0; 6])
    }

    fn jump(jump_func: u8, jump_any: bool, jump_addr: u16) -> Flow {
        Flow { jump_func, jump_any, jump_addr, ..Flow::default() }
    }

    fn graph(code: &[Instruction], view: View) -> Graph {
        let info = ProgramInfo { end: code.len() as u16 - 1, ..ProgramInfo::default() };
        Graph::new(code, &info, view)
    }

    fn next(graph: &Graph, pc: usize) -> Vec<usize> {
        graph.successors(pc).iter().map(|edge| edge.to).collect()
    }

    #[test]
    fn if_else_endif() {
        // 0 IF, 1 then, 2 ELSE, 3 else, 4 ENDIF, 5 end
        let incr = Flow { b_op0: BranchOp::Incr, b_op1: BranchOp::Incr, ..jump(0x0F, false, 3) };
        let code =
            [flow(incr), nop(), flow(Flow { b_else: true, ..jump(0, false, 5) }), nop(), flow(jump(0, true, 5)), nop()];
        let group = graph(&code, View::Group);
        assert_eq!([0, 2, 4, 5].map(|pc| next(&group, pc)), [vec![1, 3], vec![3, 5], vec![5], vec![]]);
        let lane = graph(&code, View::Lane);
        assert_eq!([0, 2, 4].map(|pc| next(&lane, pc)), [vec![1, 3], vec![5], vec![5]]);
    }

    #[test]
    fn calls_return_behind_themselves() {
        // 0 CALL 4, 1 CALL 4, 2 JUMP 5, 3 nothing, 4 RETURN, 5 end
        let call = flow(Flow { a_op: AddressOp::Push, ..jump(0xFF, false, 4) });
        let back = flow(Flow { a_op: AddressOp::Pop, ..jump(0xFF, false, 0) });
        let code = [call, call, flow(jump(0xFF, false, 5)), nop(), back, nop()];
        let group = graph(&code, View::Group);
        assert_eq!(group.successors(0), [Edge { to: 4, kind: EdgeKind::Jump }]);
        let returns = [0, 1].map(|call| Edge { to: call + 1, kind: EdgeKind::Return { call } });
        assert_eq!(group.successors(4), returns);
        assert_eq!(group.reachable(), [true, true, true, false, true, true]);
    }

    #[test]
    fn breaks_leave_for_the_lane() {
        let code = [nop(), flow(Flow { op: FlowOp::BreakLoop, ..jump(0xFF, false, 0) }), nop()];
        assert_eq!(next(&graph(&code, View::Lane), 1), [0]);
        assert_eq!(next(&graph(&code, View::Group), 1), [2, 0]);
    }

    #[test]
    fn ways_out_of_the_code_are_left_out() {
        let code = [flow(jump(0xF0, false, 400)), nop()];
        assert_eq!(next(&graph(&code, View::Group), 0), [1]);
        let info = ProgramInfo { start: 9, end: 9, ..ProgramInfo::default() };
        assert_eq!(Graph::new(&code, &info, View::Lane).entry(), None);
    }
}
