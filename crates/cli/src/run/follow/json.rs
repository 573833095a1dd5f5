//! Steps for machines: a JSON object for each.

use super::Guest;
use ctm_follow::{
    Address, Change, GroupEnd, LaneView, MemoryAccess, Next, Participation, Pass, Step, StepPart, ValueKind, words,
};
use serde_json::{Value, json};

/// The first object.
pub fn start(guest: &Guest, view: &LaneView) -> Value {
    json!({ "event": "start", "lane": guest.lane, "lanes": view.active, "holds": holds(view) })
}

/// A step.
pub fn step(guest: &Guest, step: &Step, lanes: u32) -> Value {
    let part = match step.event.part {
        StepPart::Whole => "whole",
        StepPart::Begin => "begin",
        StepPart::Clause => "clause",
        StepPart::End => "end",
    };
    let (next, target, trap) = match &step.next {
        Next::Following => ("following", None, None),
        Next::Jump(target) => ("jump", Some(address(*target)), None),
        Next::End => ("end", None, None),
        Next::Trap(kind) => ("trap", None, Some(kind)),
    };
    json!({
        "event": "step",
        "step": step.number,
        "address": address(step.event.at),
        "part": part,
        "text": (guest.text)(step.event.at, step.event.part),
        "executes": step.event.participation == Participation::Executes,
        "why_not": words::absence(step, guest.address),
        "held_back": step.event.held,
        "lanes": lanes,
        "active": step.active[0],
        "active_after": step.active[1],
        "lane_after": step.standing[1].name(),
        "changes": changes(&step.changes),
        "accesses": accesses(&step.accesses),
        "pass": step.pass[1].map(|Pass { depth, number, of }| json!({ "loops": depth, "number": number, "of": of })),
        "next": next,
        "target": target,
        "trap": trap,
    })
}

/// The last object.
pub fn end(end: &GroupEnd, is_cut: bool) -> Value {
    json!({
        "event": "end",
        "steps": end.steps,
        "complete": !is_cut,
        "holds": holds(&end.view),
        "writes": accesses(&end.writes),
        "trap": end.trap,
    })
}

/// An address: a number, or in a called program the number of that and the address there.
pub fn address(Address { program, pc }: Address) -> Value {
    if program == 0 { json!(pc) } else { json!([program, pc]) }
}

/// What the lane holds but zeros.
fn holds(view: &LaneView) -> Value {
    changes(&view.nonzero())
}

/// Registers with what they hold now.
pub fn changes(changes: &[Change]) -> Value {
    let change = |&Change { cell, bits }: &Change| json!({ "register": cell.register(), "channel": cell.channel, "bits": hex(bits), "value": number(cell.kind, bits) });
    changes.iter().map(change).collect()
}

/// What was read and written.
pub fn accesses(accesses: &[MemoryAccess]) -> Value {
    accesses.iter().map(access).collect()
}

fn access(access: &MemoryAccess) -> Value {
    let bits: Vec<_> = access.values.iter().map(|&bits| hex(bits)).collect();
    let values: Vec<_> = access.values.iter().map(|&bits| number(access.kind, bits)).collect();
    let at: Vec<_> = access.at.iter().map(|&bits| hex(bits)).collect();
    json!({ "write": access.write, "place": access.place, "at": at, "bits": bits, "values": values })
}

fn hex(bits: u32) -> String {
    format!("{bits:#010x}")
}

/// The number that bits stand for, if JSON has it.
pub fn number(kind: ValueKind, bits: u32) -> Value {
    match kind {
        ValueKind::Truth => json!(bits != 0),
        ValueKind::Integer => json!(bits.cast_signed()),
        ValueKind::Word if words::is_integer(bits) => json!(bits.cast_signed()),
        ValueKind::Float | ValueKind::Word => json!(f32::from_bits(bits)),
    }
}
