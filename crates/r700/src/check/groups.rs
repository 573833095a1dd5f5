//! ALU groups: whether they can be issued, and what in them is odd.

use super::{AluClause, FindingCode, Findings, Location, Subject, instructions, ports};
use crate::alu::{Alu, AluOp, Effect, Number, Op2, Selector, SpecialValue};
use crate::codes::OutputModifier;
use crate::group::{Group, Unit};
use crate::legal::legal_group;

/// Bits of a register; shift counts from there on lose bits.
const WORD_BITS: u32 = 32;

pub(super) fn check(subject: &Subject, findings: &mut Findings) {
    for clause in subject.alu_clauses() {
        for group in &clause.groups {
            let location = clause.location(group);
            if let Err(error) = legal_group(group, &subject.program.info) {
                findings.inside(
                    FindingCode::GroupIllegal,
                    location,
                    error.to_string(),
                    "split the group, or correct the words",
                );
            }
            for slot in &group.slots {
                operation(subject, location, slot, findings);
                operands(subject, &clause, location, slot, group, findings);
            }
            if let Some(units) = subject.units(group) {
                ports::check(&units, subject.program.info.family, location, findings);
                order(location, &units, findings);
            }
        }
    }
}

/// The operation and its modifiers.
fn operation(subject: &Subject, location: Location, slot: &Alu, findings: &mut Findings) {
    let (info, properties) = (&subject.program.info, slot.op.properties());
    let Some(name) = slot.op.name() else {
        findings.inside(FindingCode::ReservedOpcode, location, "the opcode is reserved", "remove the instruction");
        return;
    };
    if !properties.families.has(info.family) {
        let message = format!("{} does not have {name}", info.family.name());
        findings.inside(
            FindingCode::ReservedOpcode,
            location,
            message,
            "choose the family that the program was made for",
        );
    } else if [properties.operands, properties.result].contains(&Number::Double)
        || slot.op == AluOp::Op2(Op2::MovAGprInt)
    {
        let message = format!("{name} is decoded, but traps when it is executed");
        findings.inside(FindingCode::Unsupported, location, message, "compute in single precision");
    }
    let modified_result = slot.omod() != OutputModifier::None || slot.fields.clamp;
    let takes_none = properties.result == Number::Integer || properties.effect != Effect::None;
    let modified_operand =
        properties.operands == Number::Integer && slot.operands().any(|operand| operand.abs || operand.negate);
    if modified_result && takes_none || modified_operand {
        let message = format!("{name} has a modifier that is for floats");
        findings.inside(
            FindingCode::IntegerModifier,
            location,
            message,
            "remove it: results ignore it, operands lose their sign bit",
        );
    }
    let updates = slot.op2().is_some_and(|op2| op2.update_pred || op2.update_execute_mask);
    if updates && properties.effect != Effect::Predicate {
        let message = format!("{name} has UPDATE_PRED or UPDATE_EXECUTE_MASK, which do nothing");
        findings.inside(FindingCode::IgnoredUpdate, location, message, "clear the bits, or use a PRED_SET operation");
    }
}

fn operands(
    subject: &Subject,
    clause: &AluClause,
    location: Location,
    slot: &Alu,
    group: &Group,
    findings: &mut Findings,
) {
    let info = &subject.program.info;
    if slot.writes() && !slot.fields.dst.relative {
        instructions::destination(location, slot.fields.dst.gpr, info, findings);
    }
    for operand in slot.operands() {
        match operand.selector {
            Selector::Gpr(gpr) if !operand.relative => instructions::source(location, gpr, info, findings),
            Selector::Kcache { window, entry } => {
                let locked = clause.cf.fields.kcache[usize::from(window & 1)].mode.constants();
                if entry >= locked {
                    let message = format!("entry {entry} of window {window} is read, the clause locks {locked}");
                    findings.inside(
                        FindingCode::Unlocked,
                        location,
                        message,
                        "lock a line (16 constants) or two for the window",
                    );
                }
            }
            Selector::Special(special) if *special.properties() == SpecialValue::Undocumented => {
                let message = format!("{} is decoded, but traps when it is read", special.name());
                findings.inside(FindingCode::Unsupported, location, message, "use what this family has");
            }
            Selector::Gpr(_)
            | Selector::Special(_)
            | Selector::Literal
            | Selector::PreviousVector
            | Selector::PreviousScalar
            | Selector::Constant(_)
            | Selector::Reserved(_) => {}
        }
    }
    if matches!(slot.op, AluOp::Op2(Op2::LshlInt | Op2::LshrInt | Op2::AshrInt)) {
        let known = slot.operands().nth(1).and_then(|count| match count.selector {
            Selector::Literal => Some(group.literals[count.chan as usize]),
            Selector::Special(special) => match *special.properties() {
                SpecialValue::Constant(bits) => Some(bits),
                SpecialValue::Undocumented => None,
            },
            Selector::Gpr(_)
            | Selector::Kcache { .. }
            | Selector::PreviousVector
            | Selector::PreviousScalar
            | Selector::Constant(_)
            | Selector::Reserved(_) => None,
        });
        let message = match known {
            Some(count) if count < WORD_BITS => return,
            Some(count) => format!("the shift count is {count}"),
            None => "the shift count is computed".into(),
        };
        let help = "only its five low bits count: a count of 32 shifts by 0";
        findings.inside(FindingCode::ShiftCount, location, message, help);
    }
}

/// Instructions stand in the order of their units.
fn order(location: Location, units: &[(Unit, &Alu)], findings: &mut Findings) {
    if !units.is_sorted_by_key(|(unit, _)| *unit) {
        let listed: Vec<_> = units.iter().map(|(unit, _)| unit.name()).collect();
        let message = format!("the units of the group are in the order {}", listed.join(", "));
        findings.inside(FindingCode::SlotOrder, location, message, "list them as x, y, z, w, t");
    }
}
