//! Hazards of the pipeline: the texture semaphore and presubtract after a write. They change nothing here, where
//! instructions execute one after the other, but do on hardware.

use super::bits::Bits;
use super::worklist::Worklist;
use super::{Finding, FindingCode, Subject};
use crate::effects::{Effects, ReadPath};
use crate::instruction::{Body, Instruction};
use crate::program::WriteMode;

pub fn check(subject: &Subject, findings: &mut Vec<Finding>) {
    let info = &subject.program.info;
    let last = info.last_address();
    for (pc, instruction, effects) in subject.instructions() {
        let waits = instruction.common.tex_sem_wait;
        if pc == last && !waits {
            findings.push(Finding::new(
                FindingCode::EndWithoutWait,
                Some(pc),
                "the last instruction does not wait for the texture semaphore",
                "add TEX_SEM_WAIT to it",
            ));
        }
        if acquires(instruction, info.write_mode) && !waits {
            findings.push(Finding::new(
                FindingCode::AcquireWithoutWait,
                Some(pc),
                "the instruction acquires the texture semaphore without waiting for it",
                "add TEX_SEM_WAIT: the semaphore can be held once only",
            ));
        }
        missing_nop(subject, pc, instruction, effects, findings);
    }
    reads_before_wait(subject, findings);
}

/// True if the instruction takes the texture semaphore: a fetch, or an immediate write of an odd target.
fn acquires(instruction: &Instruction, write_mode: WriteMode) -> bool {
    match &instruction.body {
        Body::Tex(tex) => tex.sem_acquire,
        Body::Out(alu) => write_mode == WriteMode::Umrt && alu.rgb.target & 1 == 1,
        Body::Alu(_) | Body::Flow(_) => false,
    }
}

fn missing_nop(
    subject: &Subject,
    pc: usize,
    instruction: &Instruction,
    effects: &Effects,
    findings: &mut Vec<Finding>,
) {
    if instruction.common.nop || instruction.alu().is_none() {
        return;
    }
    let written = effects.temps.iter().fold(Bits::EMPTY, |set, write| set.or(Bits::written(write)));
    let mut clash = Bits::EMPTY;
    for edge in subject.group.successors(pc) {
        let reads = subject.effects[edge.to].reads.iter();
        for read in reads.filter(|read| matches!(read.path, ReadPath::Presubtract | ReadPath::Quad)) {
            clash = clash.or(written.and(Bits::read(read)));
        }
    }
    if !clash.is_empty() {
        findings.push(Finding::new(
            FindingCode::MissingNop,
            Some(pc),
            format!(
                "the next instruction takes {} into a presubtract or derivative, and this one writes it",
                clash.spell_temps()
            ),
            "add NOP to this instruction, or put another one in between",
        ));
    }
}

/// Destinations of fetches that may still be under way.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Pending {
    /// Of fetches that the semaphore covers: a wait ends them.
    covered: Bits,
    /// Of later fetches: the next acquire covers them.
    uncovered: Bits,
}

impl Pending {
    /// What is pending when the instruction reads its sources.
    fn at_issue(self, instruction: &Instruction) -> Pending {
        Pending { covered: if instruction.common.tex_sem_wait { Bits::EMPTY } else { self.covered }, ..self }
    }

    fn after(self, instruction: &Instruction, effects: &Effects, write_mode: WriteMode) -> Pending {
        let mut pending = self.at_issue(instruction);
        if matches!(instruction.body, Body::Tex(_)) {
            let fetched = effects.temps.iter().fold(Bits::EMPTY, |set, write| set.or(Bits::written(write)));
            pending.uncovered = pending.uncovered.or(fetched);
        }
        if acquires(instruction, write_mode) {
            pending.covered = pending.covered.or(pending.uncovered);
            pending.uncovered = Bits::EMPTY;
        }
        pending
    }

    fn or(self, other: Pending) -> Pending {
        Pending { covered: self.covered.or(other.covered), uncovered: self.uncovered.or(other.uncovered) }
    }
}

fn reads_before_wait(subject: &Subject, findings: &mut Vec<Finding>) {
    let none = Pending { covered: Bits::EMPTY, uncovered: Bits::EMPTY };
    let mut before = vec![none; subject.program.code.len()];
    let write_mode = subject.program.info.write_mode;
    let mut open = Worklist::new(before.len(), subject.instructions().map(|(pc, ..)| pc));
    while let Some(pc) = open.pop() {
        let after = before[pc].after(&subject.program.code[pc], &subject.effects[pc], write_mode);
        for edge in subject.group.successors(pc) {
            let joined = before[edge.to].or(after);
            if joined != before[edge.to] {
                before[edge.to] = joined;
                open.push(edge.to);
            }
        }
    }
    for (pc, instruction, effects) in subject.instructions() {
        let pending = before[pc].at_issue(instruction);
        let read = effects.reads.iter().fold(Bits::EMPTY, |set, read| set.or(Bits::read(read)));
        let (covered, uncovered) = (read.and(pending.covered), read.and(pending.uncovered));
        let early = covered.or(uncovered);
        if !early.is_empty() {
            let help = if uncovered.is_empty() {
                "add TEX_SEM_WAIT to this instruction or to one before it"
            } else {
                "let the fetch, or the last of several, acquire the semaphore (TEX_SEM_ACQUIRE), and add TEX_SEM_WAIT here"
            };
            findings.push(Finding::new(
                FindingCode::FetchReadBeforeWait,
                Some(pc),
                format!("reads {}, which a fetch may not have delivered yet", early.spell_temps()),
                help,
            ));
        }
    }
}
