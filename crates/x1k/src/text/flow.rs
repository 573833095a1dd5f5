//! FC instructions, field by field.

use super::assemble::{Pending, Target};
use super::condition::Condition;
use super::header::{Form, Header};
use super::operand;
use crate::codes::{AddressOp, BranchOp, FlowOp, PredicateSelect};
use crate::instruction::{Body, Common, DWORDS, Flow, Instruction};
use ctm_text::{Cause, Cursor, Reported, Span, Token};

/// The items after the operation and the target.
pub(super) const ITEMS: [&str; 10] =
    ["when", "any", "stay", "jump", "pop_count", "else", "address", "global", "i", "b"];

/// Reads what follows the word FC; gives the header as well.
pub(super) fn read(cursor: &mut Cursor) -> Result<(Pending, Header), Reported> {
    let header = Header::read(cursor, Some(Form::Flow))?;
    let mut common = header.common;
    let mut flow = Flow { ignore_uncovered: header.ignore_uncovered, ..Flow::default() };
    let token = cursor.expect_word("a flow-control operation", "such as `JUMP`")?;
    let Some(op) = FlowOp::parse(cursor.text(token)) else {
        let mut names: Vec<&str> = FlowOp::ALL.map(FlowOp::name).to_vec();
        names.extend(super::header::flag_names());
        return Err(cursor.unknown_word(token, "a flow-control operation", &names));
    };
    flow.op = op;
    let target = read_target(cursor)?;
    let mut given: Vec<usize> = Vec::new();
    while cursor.accept_symbol(b',') {
        read_item(cursor, &mut common, &mut flow, &mut given)?;
    }
    cursor.expect_symbol(b';', "at the end of the instruction")?;
    let mut pending = Pending::of(Instruction { common, body: Body::Flow(flow), reserved: [0; DWORDS] });
    pending.target = target;
    Ok((pending, header))
}

/// A label or a number, if one is here.
pub(super) fn read_target(cursor: &mut Cursor) -> Result<Option<Target>, Reported> {
    let token = cursor.peek();
    let Some(word) = cursor.word_ahead(0) else { return Ok(None) };
    if word.as_bytes()[0].is_ascii_digit() {
        return Ok(Some(Target::Address(cursor.number("the address of an instruction", 511)? as u16)));
    }
    let label = word.to_owned();
    cursor.take();
    Ok(Some(Target::Label(label, token.into())))
}

fn read_item(
    cursor: &mut Cursor,
    common: &mut Common,
    flow: &mut Flow,
    given: &mut Vec<usize>,
) -> Result<(), Reported> {
    let token = cursor.expect_word("an item such as `when = alu`", "")?;
    let Some(item) = ITEMS.iter().position(|item| item.eq_ignore_ascii_case(cursor.text(token))) else {
        return Err(cursor.unknown_word(token, "an item of a flow-control instruction", &ITEMS));
    };
    let name = ITEMS[item];
    if given.contains(&item) {
        cursor.error(Cause::Duplicate, token, format!("`{name}` is given twice"), "remove one of them");
    }
    given.push(item);
    let takes_value = matches!(name, "when" | "stay" | "jump" | "pop_count" | "address");
    if takes_value {
        cursor.expect_symbol(b'=', format_args!("after `{name}`"))?;
    }
    match name {
        "when" => {
            let first = cursor.peek();
            let condition = Condition::read(cursor)?;
            set_condition(cursor, common, flow, condition, first);
            if condition.boolean.is_some() {
                given.push(ITEMS.len() - 1);
            }
        }
        "any" => flow.jump_any = true,
        "stay" => flow.b_op0 = read_branch_op(cursor)?,
        "jump" => flow.b_op1 = read_branch_op(cursor)?,
        "pop_count" => flow.b_pop_cnt = cursor.number("the pop count", 31)? as u8,
        "else" => flow.b_else = true,
        "address" => {
            let names = AddressOp::ALL.map(AddressOp::name);
            flow.a_op = AddressOp::ALL[cursor.expect_name("an address stack operation", &names)?];
        }
        "global" => flow.jump_global = true,
        "i" => flow.int_addr = operand::bracketed(cursor, "an integer constant", 31)?,
        _ => flow.bool_addr = operand::bracketed(cursor, "a boolean constant", 31)?,
    }
    Ok(())
}

fn read_branch_op(cursor: &mut Cursor) -> Result<BranchOp, Reported> {
    Ok(BranchOp::ALL[cursor.expect_name("a branch operation", &BranchOp::ALL.map(BranchOp::name))?])
}

/// Makes the instruction jump on this condition.
pub(super) fn set_condition(
    cursor: &mut Cursor,
    common: &mut Common,
    flow: &mut Flow,
    condition: Condition,
    at: Token,
) {
    flow.jump_func = condition.table;
    if let Some(boolean) = condition.boolean {
        flow.bool_addr = boolean;
    }
    if let Some(predicate) = condition.predicate {
        if common.rgb.pred_sel != PredicateSelect::None
            && (common.rgb.pred_sel, common.rgb.pred_inv) != (predicate, false)
        {
            let span = Span::from(at).to(cursor.last().into());
            let message = "the condition tests another predicate than `PRED` selects";
            cursor.error(Cause::Condition, span, message, "remove `PRED`, or write `pred` alone");
        }
        common.rgb.pred_sel = predicate;
    }
}
