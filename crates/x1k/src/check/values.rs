//! Values on their way from writes to reads: what is read before it is written, and written but never read.

use super::bits::Bits;
use super::legal::channel_letters;
use super::worklist::Worklist;
use super::{Finding, FindingCode, Subject};
use crate::effects::Effects;
use crate::graph::EdgeKind;
use crate::instruction::{Body, Instruction, Operand};

pub fn check(subject: &Subject, findings: &mut Vec<Finding>) {
    unset_reads(subject, findings);
    unused_writes(subject, findings);
    for (pc, instruction, effects) in subject.instructions() {
        if pc != subject.program.info.last_address() && is_pointless(instruction, effects) {
            findings.push(Finding::new(
                FindingCode::NoEffect,
                Some(pc),
                "the instruction writes nothing and orders nothing",
                "remove it, or give it a write mask",
            ));
        }
    }
}

/// No effect, and no part in the order of instructions either.
fn is_pointless(instruction: &Instruction, effects: &Effects) -> bool {
    let common = &instruction.common;
    let orders = common.tex_sem_wait || common.nop || common.alu_wait || common.last;
    match &instruction.body {
        Body::Flow(_) => false,
        Body::Tex(tex) => effects.is_idle() && !orders && !tex.sem_acquire,
        Body::Alu(_) | Body::Out(_) => effects.is_idle() && !orders,
    }
}

/// What the instruction certainly leaves written. Predicated writes count: programs write the other lanes with the
/// inverse predicate, which no simple analysis sees.
fn settles(effects: &Effects) -> Bits {
    let mut bits = Bits::predicates(effects.predicates_written);
    for write in &effects.temps {
        bits = bits.or(if write.relative { Bits::all_temps() } else { Bits::written(write) });
    }
    if effects.alu_result_written { bits.or(Bits::alu_result()) } else { bits }
}

/// For each address, what is written on every way there. Addresses that no lane gets to have everything.
fn settled(subject: &Subject) -> Vec<Bits> {
    let program = subject.program;
    let info = &program.info;
    let started = info.position.into_iter().chain(info.interpolant_registers().map(|(_, register)| register));
    let mut entry = started.fold(Bits::EMPTY, |set, register| set.or(Bits::temp(register, 0xF)));
    // Writes that also reach sleeping lanes settle their registers for lanes that are elsewhere in the program.
    for (_, instruction, effects) in subject.instructions() {
        if instruction.common.write_inactive {
            entry = effects.temps.iter().fold(entry, |set, write| set.or(Bits::written(write)));
        }
    }
    let after = |pc: usize, before: Bits| {
        let out = before.or(settles(&subject.effects[pc]));
        match program.code[pc].body {
            Body::Flow(_) => out.without(Bits::alu_result()),
            Body::Alu(_) | Body::Out(_) | Body::Tex(_) => out,
        }
    };
    let mut before = vec![Bits::FULL; program.code.len()];
    let mut open = Worklist::new(before.len(), subject.lane.entry());
    if let Some(pc) = subject.lane.entry() {
        before[pc] = entry;
    }
    // What every return leaves written. A subroutine is looked at once for all its callers; but what was written before
    // a call is still written after it.
    let mut returned = Bits::FULL;
    while let Some(pc) = open.pop() {
        let out = after(pc, before[pc]);
        let mut arrive = |to: usize, arriving: Bits, open: &mut Worklist| {
            let joined = before[to].and(arriving);
            if joined != before[to] {
                before[to] = joined;
                open.push(to);
            }
        };
        let mut returns = false;
        for edge in subject.lane.successors(pc) {
            match edge.kind {
                EdgeKind::Stay | EdgeKind::Jump => arrive(edge.to, out, &mut open),
                EdgeKind::Return { .. } => returns = true,
            }
        }
        if returned != Bits::FULL && subject.lane.calls().binary_search(&pc).is_ok() && pc + 1 < program.code.len() {
            arrive(pc + 1, returned.or(out), &mut open);
        }
        if returns && returned.and(out) != returned {
            returned = returned.and(out);
            open.extend(subject.lane.calls().iter().copied().filter(|call| before[*call] != Bits::FULL));
        }
    }
    before
}

fn unset_reads(subject: &Subject, findings: &mut Vec<Finding>) {
    let settled = settled(subject);
    for (pc, _, effects) in subject.instructions() {
        let read = effects.reads.iter().fold(Bits::EMPTY, |set, read| set.or(Bits::read(read)));
        let unset = read.without(settled[pc]);
        if !unset.is_empty() {
            findings.push(Finding::new(
                FindingCode::UninitialisedRead,
                Some(pc),
                format!("reads {}, which is not written on every path", unset.spell_temps()),
                "write it first: ctm reads 0.0, on hardware the value is undefined",
            ));
        }
        let predicates = Bits::predicates(effects.predicates_read).without(settled[pc]);
        if !predicates.is_empty() {
            findings.push(Finding::new(
                FindingCode::UnsetPredicate,
                Some(pc),
                format!(
                    "depends on predicate {}, which is not written on every path",
                    channel_letters(predicates.predicate_channels())
                ),
                "let an ALU instruction write the predicate bit first: ctm reads false, on hardware the value is undefined",
            ));
        }
        if effects.alu_result_read && !settled[pc].has_alu_result() {
            findings.push(Finding::new(
                FindingCode::StaleAluResult,
                Some(pc),
                "the condition is on the ALU result, which nothing has written since the last flow control",
                "write the ALU result directly before: every flow-control instruction uses it up",
            ));
        }
    }
}

/// For each address, the channels of temporaries that something may read later.
fn live_after(subject: &Subject) -> Vec<Bits> {
    let count = subject.program.code.len();
    let before = |pc: usize, after: Bits| {
        let effects = &subject.effects[pc];
        let mut live = after;
        for write in &effects.temps {
            live =
                live.without(Bits::temp(write.index, if write.relative { 0 } else { write.channels & !effects.gated }));
        }
        for read in &effects.reads {
            let relative = matches!(read.operand, Operand::Temp { relative: true, .. });
            live = live.or(if relative { Bits::all_temps() } else { Bits::read(read) });
        }
        live
    };
    let mut predecessors = vec![Vec::new(); count];
    for pc in 0..count {
        for edge in subject.lane.successors(pc) {
            predecessors[edge.to].push(pc);
        }
    }
    let mut after = vec![Bits::EMPTY; count];
    let mut open = Worklist::new(count, (0..count).rev());
    while let Some(pc) = open.pop() {
        let live = before(pc, after[pc]);
        for from in &predecessors[pc] {
            let joined = after[*from].or(live);
            if joined != after[*from] {
                after[*from] = joined;
                open.push(*from);
            }
        }
    }
    after
}

fn unused_writes(subject: &Subject, findings: &mut Vec<Finding>) {
    let live = live_after(subject);
    for (pc, instruction, effects) in subject.instructions() {
        // A write that reaches sleeping lanes is read wherever those are.
        if instruction.common.write_inactive {
            continue;
        }
        let unused = effects.temps.iter().filter(|write| !write.relative);
        let unused = unused.filter(|write| live[pc].and(Bits::written(write)).is_empty());
        let unused = unused.fold(Bits::EMPTY, |set, write| set.or(Bits::written(write)));
        if !unused.is_empty() {
            findings.push(Finding::new(
                FindingCode::UnusedWrite,
                Some(pc),
                format!("nothing reads {} that this writes", unused.spell_temps()),
                "remove the write, or read the result",
            ));
        }
    }
}
