//! Checks of a program: the rules of the machine, hazards, and likely mistakes.
//!
//! Every finding has a [`FindingCode`] that stays the same for ever: `X1K0..` for errors (the device refuses the program),
//! `X1K1..` for warnings, `X1K2..` for notes. [`FindingCode::explain`] has a page of text about each.
#![deny(clippy::wildcard_enum_match_arm)]

mod bits;
mod code;
mod declared;
mod hazards;
mod legal;
mod nesting;
#[cfg(test)]
mod tests;
mod values;
mod worklist;

pub use code::{FindingCode, Severity};
pub use legal::legal;

use crate::effects::Effects;
use crate::graph::{Graph, View};
use crate::instruction::Instruction;
use crate::program::Program;

/// Something that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub code: FindingCode,
    /// How bad it is.
    pub severity: Severity,
    /// Address of the instruction; none if the finding is about the program.
    pub pc: Option<usize>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl Finding {
    fn new(code: FindingCode, pc: Option<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Finding { code, severity: code.severity(), pc, message: message.into(), help: help.into() }
    }
}

/// A program with what the checks want to know about it.
struct Subject<'a> {
    program: &'a Program,
    effects: Vec<Effects>,
    group: Graph,
    lane: Graph,
    reachable: Vec<bool>,
}

impl<'a> Subject<'a> {
    fn new(program: &'a Program) -> Self {
        let Program { code, info, .. } = program;
        let group = Graph::new(code, info, View::Group);
        Subject {
            program,
            effects: code.iter().map(|instruction| Effects::in_program(instruction, info)).collect(),
            lane: Graph::new(code, info, View::Lane),
            reachable: group.reachable(),
            group,
        }
    }

    /// The instructions that can execute, with their addresses and effects.
    fn instructions(&self) -> impl Iterator<Item = (usize, &Instruction, &Effects)> {
        let all = self.program.code.iter().zip(&self.effects).enumerate();
        all.filter(|(pc, _)| self.reachable[*pc]).map(|(pc, (instruction, effects))| (pc, instruction, effects))
    }
}

/// Checks a program. Findings come in the order of addresses, those about the whole program first.
///
/// Takes any program. Where the rules of [`legal`] are broken so that the program has no beginning, only errors are
/// reported.
pub fn check(program: &Program) -> Vec<Finding> {
    let mut findings = legal(program).err().unwrap_or_default();
    let subject = Subject::new(program);
    if subject.group.entry().is_some() {
        hazards::check(&subject, &mut findings);
        values::check(&subject, &mut findings);
        nesting::check(&subject, &mut findings);
        declared::check(&subject, &mut findings);
    }
    findings.sort_by_key(|finding| (finding.pc, finding.code as usize));
    findings
}
