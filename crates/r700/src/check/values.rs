//! Values that live as long as a clause: PV, PS, predicates, the address register; and the loop index.

use super::{AluClause, FindingCode, Findings, Subject};
use crate::alu::{Alu, Effect, Selector};
use crate::cf::{Cf, CfExport};
use crate::codes::{IndexMode, KcacheMode, PredicateSelect};
use crate::fetch::Fetch;
use crate::group::{GROUP_SLOTS, Group, Unit};
use crate::outline::{Clause, ClauseKind, fetches};
use std::collections::HashMap;

pub(super) fn check(subject: &Subject, findings: &mut Findings) {
    for clause in subject.alu_clauses() {
        previous(subject, &clause, findings);
        predicates(&clause, findings);
        addresses(&clause, findings);
    }
    loop_index(subject, findings);
}

/// PV and PS come from the group before.
fn previous(subject: &Subject, clause: &AluClause, findings: &mut Findings) {
    let mut produced = [false; GROUP_SLOTS];
    for group in &clause.groups {
        let location = clause.location(group);
        for operand in group.slots.iter().flat_map(Alu::operands) {
            let (unit, name) = match operand.selector {
                Selector::PreviousVector => (Unit::vector(operand.chan), format!("PV.{}", operand.chan.name())),
                Selector::PreviousScalar => (Unit::T, "PS".to_owned()),
                Selector::Gpr(_)
                | Selector::Kcache { .. }
                | Selector::Special(_)
                | Selector::Literal
                | Selector::Constant(_)
                | Selector::Reserved(_) => continue,
            };
            if !produced[unit as usize] {
                let message = format!("{name} is read, but the group before has nothing in unit {}", unit.name());
                findings.inside(
                    FindingCode::StalePrevious,
                    location,
                    message,
                    "read the register that holds the value",
                );
            }
        }
        produced = [false; GROUP_SLOTS];
        for (unit, _) in subject.units(group).unwrap_or_default() {
            produced[unit as usize] = true;
        }
    }
}

fn sets_predicate(slot: &Alu) -> bool {
    slot.op.properties().effect == Effect::Predicate && slot.op2().is_some_and(|op2| op2.update_pred)
}

fn sets_mask(slot: &Alu) -> bool {
    slot.op.properties().effect == Effect::Predicate && slot.op2().is_some_and(|op2| op2.update_execute_mask)
}

/// Predicates are set before they are used, and the active mask in the last group.
fn predicates(clause: &AluClause, findings: &mut Findings) {
    let mut set = false;
    for (n, group) in clause.groups.iter().enumerate() {
        let location = clause.location(group);
        let uses = |slot: &Alu| matches!(slot.fields.pred_sel, PredicateSelect::Zero | PredicateSelect::One);
        if !set && group.slots.iter().any(uses) {
            let message = "instructions depend on the predicate, which this clause has not set";
            findings.inside(
                FindingCode::StalePredicate,
                location,
                message,
                "set it with UPDATE_PRED in the same clause",
            );
        }
        set |= group.slots.iter().any(sets_predicate);
        if group.slots.iter().any(sets_mask) && n + 1 < clause.groups.len() {
            let message = "the active mask changes here, in the middle of the clause";
            findings.inside(
                FindingCode::EarlyUpdate,
                location,
                message,
                "move the operation to the last group of the clause",
            );
        }
    }
}

/// The operands and destination that are relative, with the component of AR that they add; none for aL.
fn relative_components(slot: &Alu) -> impl Iterator<Item = Option<usize>> {
    let mode = slot.fields.index_mode;
    let of_register = if mode == IndexMode::Loop { None } else { Some(0) };
    let of_constant = if mode == IndexMode::Loop { None } else { Some(mode as usize & 3) };
    let destination = (slot.fields.dst.relative && slot.writes()).then_some(of_register);
    let operands = slot.operands().filter(|operand| operand.relative).map(move |operand| match operand.selector {
        Selector::Constant(_) => of_constant,
        Selector::Gpr(_)
        | Selector::Kcache { .. }
        | Selector::Special(_)
        | Selector::Literal
        | Selector::PreviousVector
        | Selector::PreviousScalar
        | Selector::Reserved(_) => of_register,
    });
    operands.chain(destination)
}

/// The address register is set in a group before.
fn addresses(clause: &AluClause, findings: &mut Findings) {
    let mut set = [false; 4];
    for group in &clause.groups {
        for component in group.slots.iter().flat_map(relative_components).flatten() {
            if !set[component] {
                let name = IndexMode::ALL[component].name();
                let message = format!("{name} is used, but no group before it in the clause sets it");
                findings.inside(
                    FindingCode::StaleAddress,
                    clause.location(group),
                    message,
                    "set it with MOVA in a group before",
                );
            }
        }
        for slot in group.slots.iter().filter(|slot| slot.op.properties().effect == Effect::Address) {
            set[slot.fields.dst.chan as usize] = true;
        }
    }
}

/// aL is that of an open LOOP_START.
fn loop_index(subject: &Subject, findings: &mut Findings) {
    let mut known = HashMap::new();
    for (pc, cf) in subject.instructions().filter(|(pc, _)| subject.walk.may_lack_index(*pc)) {
        let uses = match cf {
            Cf::Export(CfExport { fields, .. }) => fields.relative,
            Cf::Alu(alu) => alu.fields.kcache.iter().any(|window| window.mode == KcacheMode::LockLoopIndex),
            Cf::Plain(_) | Cf::Reserved(_) => false,
        };
        let of_clause = cf.clause(subject.program.info.family);
        let in_clause =
            of_clause.is_some_and(|clause| *known.entry(clause).or_insert_with(|| clause_uses_index(subject, &clause)));
        if uses || in_clause {
            let message = "the loop index aL is used, but on some path no LOOP_START is open";
            findings.at(FindingCode::NoLoopIndex, pc, message, "put it into a LOOP_START; other loops have no index");
        }
    }
}

fn clause_uses_index(subject: &Subject, clause: &Clause) -> bool {
    let (code, family) = (&subject.program.code, subject.program.info.family);
    let Some(range) = clause.range(code.len()) else { return false };
    match clause.kind {
        ClauseKind::Alu => {
            let groups: Vec<Group> = crate::group::groups(&code[range], family);
            let mut relative = groups.iter().flat_map(|group| &group.slots).flat_map(relative_components);
            relative.any(|component| component.is_none())
        }
        ClauseKind::Fetch => fetches(&code[range]).any(|fetch| match fetch {
            Fetch::Vtx(vtx) => vtx.src.relative || vtx.dst.relative && !vtx.semantic,
            Fetch::Tex(tex) => tex.fields.src.relative || tex.fields.dst.relative,
            Fetch::Mem(read) => read.src.relative || read.dst.relative,
            Fetch::MemRaw(..) => false,
        }),
    }
}
