//! IF, ELSE, ENDIF, LOOP, ENDLOOP, REP, ENDREP, BREAK, CONTINUE, CALL, RETURN: flow control whose targets and branch
//! operations follow from nesting (CTM Guide p.36, 39, 40).

use super::assemble::{Pending, Target};
use super::condition::Condition;
use super::flow::{read_target, set_condition};
use super::header::{Form, Header};
use super::operand;
use crate::codes::{AddressOp, BranchOp, FlowOp};
use crate::instruction::{Body, DWORDS, Flow, Instruction};
use ctm_text::{Cause, Cursor, Reported, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The words that begin a statement.
pub(super) const WORDS: [&str; 11] =
    ["IF", "ELSE", "ENDIF", "LOOP", "ENDLOOP", "REP", "ENDREP", "BREAK", "CONTINUE", "CALL", "RETURN"];

/// What a statement needs once all instructions are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    If,
    Else,
    EndIf,
    Head,
    Tail,
    Break,
    Continue,
    Call { conditional: bool },
    Return { conditional: bool },
}

/// Reads a statement; the header was read already, its first word is here.
pub(super) fn read(cursor: &mut Cursor, header: &Header) -> Result<Pending, Reported> {
    header.check(cursor, Form::Flow);
    let mut common = header.common;
    // The condition may come from the instruction before.
    common.alu_wait = true;
    let mut flow = Flow { ignore_uncovered: header.ignore_uncovered, ..Flow::default() };
    let mut target = None;
    let token = cursor.take();
    let word = cursor.text(token).to_ascii_uppercase();
    let mut condition = Condition::ALWAYS;
    let mut conditional = false;
    if matches!(word.as_str(), "BREAK" | "CONTINUE" | "CALL" | "RETURN") {
        if word == "CALL" {
            target = read_target(cursor)?;
            if target.is_none() {
                return Err(cursor.expected("the label of a subroutine", "such as `CALL shade;`"));
            }
        }
        conditional = cursor.accept_word("IF");
        if conditional {
            condition = Condition::read(cursor)?;
        }
        flow.jump_func = condition.table;
    }
    let statement = match word.as_str() {
        "IF" => {
            condition = Condition::read(cursor)?.not();
            flow.b_op0 = BranchOp::Incr;
            Statement::If
        }
        "ELSE" => {
            (flow.b_else, flow.b_op1, flow.b_pop_cnt) = (true, BranchOp::Decr, 1);
            Statement::Else
        }
        "ENDIF" => {
            (flow.jump_any, flow.b_op0, flow.b_pop_cnt) = (true, BranchOp::Decr, 1);
            Statement::EndIf
        }
        "LOOP" | "REP" => {
            flow.op = if word == "LOOP" { FlowOp::Loop } else { FlowOp::Rep };
            if !cursor.accept_word("i") {
                return Err(cursor.expected("an integer constant", &format!("such as `{word} i[0];`")));
            }
            flow.int_addr = operand::bracketed(cursor, "an integer constant", 31)?;
            Statement::Head
        }
        "ENDLOOP" | "ENDREP" => {
            flow.op = if word == "ENDLOOP" { FlowOp::EndLoop } else { FlowOp::EndRep };
            (flow.jump_func, flow.jump_any) = (0xFF, true);
            Statement::Tail
        }
        "BREAK" => {
            flow.b_op1 = BranchOp::Decr;
            Statement::Break
        }
        "CONTINUE" => {
            (flow.op, flow.b_op1) = (FlowOp::Continue, BranchOp::Decr);
            Statement::Continue
        }
        "CALL" => {
            (flow.a_op, flow.jump_any) = (AddressOp::Push, conditional);
            Statement::Call { conditional }
        }
        _ => {
            flow.a_op = AddressOp::Pop;
            Statement::Return { conditional }
        }
    };
    if statement == Statement::If || conditional {
        set_condition(cursor, &mut common, &mut flow, condition, token);
    }
    cursor.expect_symbol(b';', format_args!("after `{word}`"))?;
    let mut pending = Pending::of(Instruction { common, body: Body::Flow(flow), reserved: [0; DWORDS] });
    pending.statement = Some(statement);
    pending.target = target;
    Ok(pending)
}

/// A statement that waits for its end.
enum Open {
    If { at: usize, else_at: Option<usize> },
    Loop { at: usize, leaving: Vec<usize> },
}

/// Sets the fields of statements that depend on others.
pub(super) fn resolve(cursor: &mut Cursor, code: &mut [Pending], labels: &BTreeMap<String, usize>) {
    resolve_nesting(cursor, code);
    resolve_calls(code, labels);
}

fn resolve_nesting(cursor: &mut Cursor, code: &mut [Pending]) {
    let mut open: Vec<Open> = Vec::new();
    for at in 0..code.len() {
        let Some(statement) = code[at].statement else { continue };
        let span = code[at].span;
        match statement {
            Statement::If => open.push(Open::If { at, else_at: None }),
            Statement::Else => match open.last_mut() {
                Some(Open::If { else_at: else_at @ None, at: if_at }) => {
                    *else_at = Some(at);
                    code[*if_at].jump(at + 1);
                    code[*if_at].flow().b_op1 = BranchOp::Incr;
                }
                _ => unmatched(cursor, span, "ELSE", "IF"),
            },
            Statement::EndIf => match open.last() {
                Some(&Open::If { at: if_at, else_at }) => {
                    open.pop();
                    code[else_at.unwrap_or(if_at)].jump(at + 1);
                    code[at].jump(at + 1);
                }
                _ => unmatched(cursor, span, "ENDIF", "IF"),
            },
            Statement::Head => open.push(Open::Loop { at, leaving: Vec::new() }),
            Statement::Tail => {
                let is_loop = code[at].flow().op == FlowOp::EndLoop;
                let (name, head) = if is_loop { ("ENDLOOP", FlowOp::Loop) } else { ("ENDREP", FlowOp::Rep) };
                match open.pop() {
                    Some(Open::Loop { at: head_at, leaving }) if code[head_at].flow().op == head => {
                        code[at].flow().int_addr = code[head_at].flow().int_addr;
                        code[at].jump(head_at + 1);
                        code[head_at].jump(at + 1);
                        for statement_at in leaving {
                            let continues = code[statement_at].statement == Some(Statement::Continue);
                            code[statement_at].jump(if continues { at } else { at + 1 });
                        }
                    }
                    other => {
                        open.extend(other);
                        unmatched(cursor, span, name, head.name());
                    }
                }
            }
            Statement::Break | Statement::Continue => {
                let ifs = open.iter().rev().take_while(|open| matches!(open, Open::If { .. })).count();
                let loop_index = open.len() - ifs;
                let Some(Open::Loop { at: head_at, leaving }) = open[..loop_index].last_mut() else {
                    let name = if statement == Statement::Break { "BREAK" } else { "CONTINUE" };
                    let help = "it belongs between LOOP and ENDLOOP, or REP and ENDREP";
                    cursor.error(Cause::Nesting, span, format!("`{name}` outside a loop"), help);
                    continue;
                };
                leaving.push(at);
                let is_loop = code[*head_at].flow().op == FlowOp::Loop;
                let flow = code[at].flow();
                if statement == Statement::Break {
                    flow.op = if is_loop { FlowOp::BreakLoop } else { FlowOp::BreakRep };
                }
                match u8::try_from(ifs).ok().filter(|&ifs| ifs < 32) {
                    Some(ifs) => flow.b_pop_cnt = ifs,
                    None => {
                        cursor.error(
                            Cause::Nesting,
                            span,
                            "more than 31 open IFs in the loop",
                            "the pop count has 5 bits",
                        );
                    }
                }
            }
            Statement::Call { .. } | Statement::Return { .. } => {}
        }
    }
    for open in open {
        let (at, name, end) = match open {
            Open::If { at, .. } => (at, "IF", "ENDIF"),
            Open::Loop { at, .. } if code[at].flow().op == FlowOp::Loop => (at, "LOOP", "ENDLOOP"),
            Open::Loop { at, .. } => (at, "REP", "ENDREP"),
        };
        let help = format!("write `{end};` where it ends");
        cursor.error(Cause::Nesting, code[at].span, format!("`{name}` has no `{end}`"), &help);
    }
}

fn unmatched(cursor: &mut Cursor, span: Span, name: &str, head: &str) {
    let message = format!("`{name}` without `{head}`");
    let help = format!("the innermost open statement must be `{head}`");
    cursor.error(Cause::Nesting, span, message, &help);
}

/// Branch operations of CALL and RETURN. A subroutine that some CALL enters conditionally finds one more level of branch
/// counters on entry; so all its CALLs add one, and its RETURNs take it off. Each conditional RETURN that was passed has
/// left one more level.
fn resolve_calls(code: &mut [Pending], labels: &BTreeMap<String, usize>) {
    let mut subroutines = BTreeSet::new();
    let mut conditional_subroutines = BTreeSet::new();
    let entry = |pending: &Pending| match &pending.target {
        Some(Target::Label(label, _)) => labels.get(label).copied(),
        Some(Target::Address(address)) => Some(usize::from(*address)),
        None => None,
    };
    for pending in code.iter() {
        if let (Some(Statement::Call { conditional }), Some(entry)) = (pending.statement, entry(pending)) {
            subroutines.insert(entry);
            if conditional {
                conditional_subroutines.insert(entry);
            }
        }
    }
    let mut levels = 0;
    for (at, pending) in code.iter_mut().enumerate() {
        if subroutines.contains(&at) {
            levels = u8::from(conditional_subroutines.contains(&at));
        }
        match pending.statement {
            Some(Statement::Call { .. })
                if entry(pending).is_some_and(|entry| conditional_subroutines.contains(&entry)) =>
            {
                pending.flow().b_op1 = BranchOp::Incr;
            }
            Some(Statement::Return { conditional }) => {
                let flow = pending.flow();
                if levels > 0 {
                    (flow.b_op1, flow.b_pop_cnt) = (BranchOp::Decr, levels.min(31));
                }
                if conditional {
                    flow.b_op0 = BranchOp::Incr;
                    levels = levels.saturating_add(1);
                }
            }
            _ => {}
        }
    }
}
