//! The steps of a lane.

use ctm_gpu::debug::{Position, Session};
use ctm_gpu::follow::{Cell, Change, InstructionPlace, MemoryAccess, Next, Participation, ValueKind};
use ctm_gpu::{Error, Program, Trail};
use std::collections::HashMap;

/// A register's channel with its value: name, bits, and whether it is to be read as a float.
type PyChange = (String, u32, bool);
/// An access: whether it is a write, the place, coordinates there, the values, and whether they are floats.
type PyAccess = (bool, String, Vec<u32>, Vec<u32>, bool);
/// A step: its number, the address, the instruction's text, whether the lane executes it, changes, accesses, active lanes of the group
/// before and after, and what ends the program here, if that is a trap.
type PyStep = (u64, u32, String, bool, Vec<PyChange>, Vec<PyAccess>, (u32, u32), Option<String>);
/// A variable of a shader, or a channel of one, that holds something else than before: its name, its bits, none where the program does not have it any
/// more, and whether it is true or false.
type PyVariable = (String, Option<u32>, bool);
/// Steps, what the lane held at the end, and for each step which variables changed in front of it.
pub type PySteps = (Vec<PyStep>, Vec<PyChange>, Vec<Vec<PyVariable>>);

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

/// For each of the first steps of a session, from its start: which variables changed in front of it.
///
/// # Errors
/// A limit of the run is reached.
pub fn variables(session: &mut Session, steps: usize) -> Result<Vec<Vec<PyVariable>>, Error> {
    let Some(lane) = session.snapshot().lane.filter(|_| session.has_variables()) else { return Ok(Vec::new()) };
    let mut before: HashMap<String, (u32, bool)> = HashMap::new();
    let mut changes = Vec::new();
    for step in 0..steps as u64 {
        session.go_to(Position { step, ..session.position() })?;
        let mut now = HashMap::new();
        for register in session.variables(lane) {
            for value in register.values.into_iter().filter(|value| value.kind != "absent") {
                let name =
                    value.channel.map_or(register.name.clone(), |channel| format!("{}.{channel}", register.name));
                now.insert(name, (value.bits, value.kind == "truth"));
            }
        }
        let gone = before.iter().filter(|(name, _)| !now.contains_key(*name));
        let mut found: Vec<PyVariable> = gone.map(|(name, &(_, truth))| (name.clone(), None, truth)).collect();
        let other = now.iter().filter(|(name, value)| before.get(*name) != Some(value));
        found.extend(other.map(|(name, &(bits, truth))| (name.clone(), Some(bits), truth)));
        found.sort();
        changes.push(found);
        before = now;
    }
    Ok(changes)
}

/// What Python gets of a trail, and of the variables beside it.
pub fn steps(program: &Program, trail: &Trail, variables: Vec<Vec<PyVariable>>) -> PySteps {
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
    (trail.steps.iter().map(step).collect(), end.iter().map(change).collect(), variables)
}
