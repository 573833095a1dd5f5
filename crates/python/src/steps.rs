//! The steps of a lane.

use ctm_gpu::follow::{Cell, Change, InstructionPlace, MemoryAccess, Next, Participation, ValueKind};
use ctm_gpu::{Program, Trail};
use std::collections::HashMap;

/// A register's channel with its value: name, bits, and whether it is to be read as a float.
type PyChange = (String, u32, bool);
/// An access: whether it is a write, the place, coordinates there, the values, and whether they are floats.
type PyAccess = (bool, String, Vec<u32>, Vec<u32>, bool);
/// A step: its number, the address, the instruction's text, whether the lane executes it, changes, accesses, active lanes of the group
/// before and after, and what ends the program here, if that is a trap.
type PyStep = (u64, u32, String, bool, Vec<PyChange>, Vec<PyAccess>, (u32, u32), Option<String>);
/// Steps, and what the lane held at the end.
pub type PySteps = (Vec<PyStep>, Vec<PyChange>);

fn name(cell: Cell) -> String {
    let mut name = cell.register();
    if let Some(channel) = cell.channel {
        name.push('.');
        name.push(channel);
    }
    name
}

fn change(&Change { cell, bits }: &Change) -> PyChange {
    (name(cell), bits, cell.kind == ValueKind::Float)
}

fn access(access: &MemoryAccess) -> PyAccess {
    let MemoryAccess { write, place, at, kind, values } = access.clone();
    (write, place, at, values, kind == ValueKind::Float)
}

/// What Python gets of a trail.
pub fn steps(program: &Program, trail: &Trail) -> PySteps {
    let texts: HashMap<InstructionPlace, String> = program.listing().into_iter().collect();
    let step = |step: &ctm_gpu::follow::Step| {
        let text = texts.get(&step.event.place()).cloned().unwrap_or_default();
        let trap = match &step.next {
            Next::Trap(trap) => Some(trap.clone()),
            Next::Following | Next::Jump(_) | Next::End => None,
        };
        (
            step.number,
            step.event.at.pc,
            text,
            step.event.participation == Participation::Executes,
            step.changes.iter().map(change).collect(),
            step.accesses.iter().map(access).collect(),
            step.active.into(),
            trap,
        )
    };
    let end = trail.end.as_ref().map(|end| end.view.nonzero()).unwrap_or_default();
    (trail.steps.iter().map(step).collect(), end.iter().map(change).collect())
}
