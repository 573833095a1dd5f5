//! What a flow-control instruction is to a reader: the statement that its fields make, and how it nests.

use super::super::condition;
use super::instruction::predicate_text;
use crate::codes::*;
use crate::instruction::*;

/// How an instruction nests, and what to call it.
#[derive(Default)]
pub(super) struct Outline {
    /// Levels that end before the instruction.
    pub dedent: usize,
    /// Levels that begin after the instruction.
    pub indent: usize,
    /// The statement, where the operation is called otherwise.
    pub statement: Option<String>,
}

/// The outline of an instruction.
pub(super) fn outline(instruction: &Instruction) -> Outline {
    let Body::Flow(flow) = &instruction.body else { return Outline::default() };
    let Some((dedent, indent, word, condition)) = statement(flow) else { return Outline::default() };
    if word == flow.op.name() {
        return Outline { dedent, indent, statement: None };
    }
    let mut statement = word.to_owned();
    match condition {
        Some(table) if table != 0xFF || word == "IF" => {
            let (predicate, _) = predicate_text(&instruction.common);
            let boolean = format!("b[{}]", flow.bool_addr);
            let sign = if word == "IF" { "" } else { " IF" };
            statement.push_str(&format!("{sign} {}", condition::spell(table, &predicate, &boolean)));
        }
        _ => {}
    }
    Outline { dedent, indent, statement: Some(statement) }
}

/// Levels that end and begin, the word, and the condition, by the fields of the guide's statements (CTM Guide p.39, 40).
fn statement(flow: &Flow) -> Option<(usize, usize, &'static str, Option<u8>)> {
    let pops = usize::from(flow.b_pop_cnt);
    Some(match (flow.op, flow.a_op, flow.b_op0, flow.b_op1) {
        (FlowOp::Jump, AddressOp::None, BranchOp::None, BranchOp::Decr) if flow.b_else => (1, 1, "ELSE", None),
        (FlowOp::Jump, AddressOp::None, BranchOp::Incr, _) if !flow.b_else => (0, 1, "IF", Some(!flow.jump_func)),
        (FlowOp::Jump, AddressOp::None, BranchOp::Decr, BranchOp::None) if flow.jump_func == 0 => {
            (pops, 0, "ENDIF", None)
        }
        (FlowOp::Jump, AddressOp::Push, BranchOp::None, _) => (0, 0, "CALL", Some(flow.jump_func)),
        (FlowOp::Jump, AddressOp::Pop, ..) => (0, 0, "RETURN", Some(flow.jump_func)),
        (FlowOp::Jump, ..) => return None,
        (FlowOp::Loop, ..) => (0, 1, "LOOP", None),
        (FlowOp::Rep, ..) => (0, 1, "REP", None),
        (FlowOp::EndLoop, ..) => (1, 0, "ENDLOOP", None),
        (FlowOp::EndRep, ..) => (1, 0, "ENDREP", None),
        (FlowOp::BreakLoop | FlowOp::BreakRep, ..) => (0, 0, "BREAK", Some(flow.jump_func)),
        (FlowOp::Continue, ..) => (0, 0, "CONTINUE", Some(flow.jump_func)),
    })
}

/// True if the target of the instruction can matter: it is not a jump that never jumps, and none to a popped address.
pub(super) fn uses_target(instruction: &Instruction) -> bool {
    match &instruction.body {
        Body::Flow(flow) => flow.op != FlowOp::Jump || flow.a_op != AddressOp::Pop,
        _ => false,
    }
}
