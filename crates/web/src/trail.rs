//! The way of one lane through a program: its steps, what it holds at each of them, and who wrote that.

use crate::source::ListedInstruction;
use ctm_debug::{Register, Value};
use ctm_follow::{
    Cell, GroupEnd, InstructionPlace, LaneView, MemoryAccess, Next, Observer, Participation, Standing, Step, StepPart,
};

use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Steps that are kept.
const MOST_STEPS: usize = 20_000;

/// What a lane went through. Step 0 is its start.
#[derive(Default)]
pub struct Trail {
    start: Option<LaneView>,
    steps: Vec<Step>,
    end: Option<GroupEnd>,
    /// Instructions of the listing by their places.
    listing: HashMap<InstructionPlace, usize>,
}

/// A step of the timeline.
#[derive(Debug, Serialize)]
pub struct Brief {
    /// The instruction's place in the listing.
    pub at: Option<usize>,
    /// Whether the lane executes it.
    pub executes: bool,
    /// Whether it is only what an instruction does after its clause.
    pub closes: bool,
    /// Lanes of the group that are active.
    pub active: u32,
    /// Registers that it changes.
    pub writes: Vec<String>,
}

/// The timeline.
#[derive(Debug, Serialize)]
pub struct Timeline {
    /// Lanes of the group at its start.
    pub lanes: u32,
    /// The steps, of which the first is step 1.
    pub steps: Vec<Brief>,
    /// Steps that the lane made, also those that are not kept.
    pub total: u64,
    /// What ended the lane before its time.
    pub trap: Option<String>,
}

/// A moment of the lane: after a step.
#[derive(Debug, Serialize)]
pub struct Moment {
    /// How many steps are done.
    pub step: usize,
    /// The instruction that was the last.
    pub at: Option<usize>,
    /// Why the lane did not execute it; empty if it did.
    pub absence: String,
    /// What a predicate held back.
    pub held: String,
    /// Where the group goes, if not to the instruction that follows.
    pub next: String,
    /// Lanes of the group that are active then.
    pub active: u32,
    /// The pass of the innermost loop.
    pub pass: Option<u32>,
    /// Everything that the lane holds but zeros that nobody wrote.
    pub registers: Vec<HeldRegister>,
    /// What was read and written in memory.
    pub accesses: Vec<Accessed>,
    /// What the variables of a shader hold in front of the next instruction; `None` of other programs.
    pub variables: Option<Vec<SourceVariable>>,
}

/// A variable of a shader, or an element, column or member of it.
#[derive(Debug, Serialize)]
pub struct SourceVariable {
    /// Its name.
    pub name: String,
    /// What it holds: one value, or one for each channel.
    pub values: Vec<VariableValue>,
}

/// What a scalar of a variable holds.
#[derive(Debug, Serialize)]
pub struct VariableValue {
    /// The letter of its channel; empty if it has none.
    pub channel: String,
    /// How to read the bits: `float`, `truth`, or `absent` where the program does not have it.
    pub kind: &'static str,
    /// The bits.
    pub bits: u32,
}

impl From<Register> for SourceVariable {
    fn from(Register { name, values }: Register) -> Self {
        let value = |value: Value| VariableValue {
            channel: value.channel.map(String::from).unwrap_or_default(),
            kind: value.kind,
            bits: value.bits,
        };
        SourceVariable { name, values: values.into_iter().map(value).collect() }
    }
}

/// A register.
#[derive(Debug, Serialize)]
pub struct HeldRegister {
    /// Its name.
    pub name: String,
    /// Its channels.
    pub channels: Vec<Channel>,
}

/// A channel of a register.
#[derive(Debug, Serialize)]
pub struct Channel {
    /// Its letter; empty where registers have none.
    pub name: String,
    /// What it holds.
    pub bits: u32,
    /// How to read that: `float`, `integer`, `truth` or `word`.
    pub kind: &'static str,
    /// Whether the last step changed it.
    pub changed: bool,
    /// What it held before the last step.
    pub before: u32,
    /// The step that wrote it, 0 if it has it from the start.
    pub writer: usize,
}

/// A read or write of memory.
#[derive(Debug, Serialize)]
pub struct Accessed {
    /// Whether it was a write.
    pub write: bool,
    /// Where.
    pub place: String,
    /// Coordinates there.
    pub at: Vec<u32>,
    /// How values are to be read.
    pub kind: &'static str,
    /// What was there, or is there now.
    pub bits: Vec<u32>,
}

fn accessed(access: &MemoryAccess) -> Accessed {
    let MemoryAccess { write, place, at, kind, values } = access;
    Accessed { write: *write, place: place.clone(), at: at.clone(), kind: kind.name(), bits: values.clone() }
}

impl Trail {
    /// For a program whose instructions are those of a stage of this listing; programs that are not a pipeline are stage 0.
    pub fn new(listing: &[ListedInstruction], stage: usize) -> Self {
        let of_stage = listing.iter().enumerate().filter(|(_, listed)| listed.stage == stage);
        let listing = of_stage.map(|(number, listed)| (listed.place, number)).collect();
        Trail { listing, ..Trail::default() }
    }

    /// Whether the lane has run.
    pub fn has_run(&self) -> bool {
        self.start.is_some()
    }

    /// How many instructions the group has executed in front of this step, from 1: clauses that close are none.
    pub fn instructions_before(&self, step: usize) -> u64 {
        let before = self.steps.iter().take(step.saturating_sub(1));
        before.filter(|step| step.event.part != StepPart::End).count() as u64
    }

    /// All steps in short.
    pub fn timeline(&self) -> Timeline {
        let brief = |step: &Step| Brief {
            at: self.listing.get(&step.event.place()).copied(),
            executes: step.event.participation == Participation::Executes,
            closes: step.event.part == StepPart::End,
            active: step.active[0],
            writes: names(step),
        };
        Timeline {
            lanes: self.start.as_ref().map_or(0, |view| view.active),
            steps: self.steps.iter().map(brief).collect(),
            total: self.end.as_ref().map_or(self.steps.len() as u64, |end| end.steps),
            trap: self.end.as_ref().and_then(|end| end.trap.clone()),
        }
    }

    /// What there is after so many steps.
    pub fn moment(&self, step: usize) -> Moment {
        let step = step.min(self.steps.len());
        let last = step.checked_sub(1).map(|last| &self.steps[last]);
        let mut accesses: Vec<Accessed> = last.iter().flat_map(|last| &last.accesses).map(accessed).collect();
        if step == self.steps.len()
            && let Some(end) = &self.end
        {
            accesses.extend(end.writes.iter().map(accessed));
        }
        Moment {
            step,
            at: last.and_then(|last| self.listing.get(&last.event.place()).copied()),
            absence: last.map(absence).unwrap_or_default(),
            held: last.map(|last| last.event.held.clone()).unwrap_or_default(),
            next: last.map(next).unwrap_or_default(),
            active: last.map_or(self.start.as_ref().map_or(0, |view| view.active), |last| last.active[1]),
            pass: last.and_then(|last| last.pass[1]).map(|pass| pass.number),
            registers: self.registers(step),
            accesses,
            variables: None,
        }
    }

    fn registers(&self, step: usize) -> Vec<HeldRegister> {
        let Some(start) = &self.start else { return Vec::new() };
        let key = |cell: &Cell| (cell.pattern, cell.number, cell.channel);
        // What was written: bits, those before, and the step.
        let first: BTreeMap<_, u32> = start.cells.iter().map(|(cell, bits)| (key(cell), *bits)).collect();
        let mut written: BTreeMap<_, (u32, u32, usize)> = BTreeMap::new();
        for (number, made) in self.steps[..step].iter().enumerate() {
            for change in &made.changes {
                let key = key(&change.cell);
                let before = written.get(&key).map_or(first.get(&key).copied().unwrap_or(0), |&(bits, ..)| bits);
                written.insert(key, (change.bits, before, number + 1));
            }
        }
        let mut registers: Vec<HeldRegister> = Vec::new();
        for (cell, bits) in &start.cells {
            let entry = written.get(&key(cell)).copied();
            if cell.echoes || (entry.is_none() && *bits == 0) {
                continue;
            }
            let (now, before, writer) = entry.map_or((*bits, *bits, 0), |(now, before, writer)| (now, before, writer));
            let channel = Channel {
                name: cell.channel.map(String::from).unwrap_or_default(),
                bits: now,
                kind: cell.kind.name(),
                changed: writer == step && step > 0,
                before: if writer == step { before } else { now },
                writer,
            };
            let name = cell.register();
            match registers.last_mut() {
                Some(register) if register.name == name => register.channels.push(channel),
                _ => registers.push(HeldRegister { name, channels: vec![channel] }),
            }
        }
        registers
    }
}

/// The names of the registers that a step changes.
fn names(step: &Step) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for change in step.changes.iter().filter(|change| !change.cell.echoes) {
        let name = change.cell.register();
        let channel = change.cell.channel.map(String::from).unwrap_or_default();
        match names.last_mut() {
            Some(last) if last.split('.').next() == Some(&name) => *last += &channel,
            _ if channel.is_empty() => names.push(name),
            _ => names.push(format!("{name}.{channel}")),
        }
    }
    names
}

fn absence(step: &Step) -> String {
    match &step.event.participation {
        Participation::Executes => String::new(),
        Participation::Skips(reason) => format!("skips: {reason}"),
        Participation::Waits(_) => match step.standing[0] {
            Standing::Active => "is active".to_owned(),
            Standing::Branch(_) => "waits in a branch".to_owned(),
            Standing::Continue => "waits for the next pass of the loop".to_owned(),
            Standing::Break => "waits for the end of the loop".to_owned(),
            Standing::Meeting => "waits where lanes meet".to_owned(),
            Standing::Ended => "has ended".to_owned(),
        },
    }
}

fn next(step: &Step) -> String {
    match &step.next {
        Next::Following => String::new(),
        Next::Jump(target) => format!("jumps to {}", target.pc),
        Next::End => "the program ends".to_owned(),
        Next::Trap(kind) => format!("trap: {kind}"),
    }
}

impl Observer for Trail {
    fn starts(&mut self, view: &LaneView) {
        self.start = Some(view.clone());
    }

    fn step(&mut self, step: &Step) {
        self.steps.push(step.clone());
    }

    fn ends(&mut self, end: &GroupEnd) {
        self.end = Some(end.clone());
    }

    fn wants_steps(&self) -> bool {
        self.steps.len() < MOST_STEPS
    }
}
