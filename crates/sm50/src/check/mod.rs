//! Checks of a program: what the machine would trap on, what its header makes vanish, and likely mistakes.
//!
//! Every finding has a [`FindingCode`] that stays the same for ever: `SM500..` for errors (a strict run ends there), `SM501..` for
//! warnings, `SM502..` for notes. [`FindingCode::explain`] has a page of text about each.
#![deny(clippy::wildcard_enum_match_arm)]

mod code;
mod flow;
mod header;
mod instructions;
#[cfg(test)]
mod tests;

pub use code::FindingCode;
pub use ctm_text::findings::Severity;

use crate::instruction::Instruction;
use crate::program::{Code, Program};

/// Something that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub code: FindingCode,
    /// How bad it is.
    pub severity: Severity,
    /// Number of the instruction; none if the finding is about the header or the program.
    pub index: Option<usize>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// The findings of a check, as they come.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    /// A finding about the program.
    fn program(&mut self, code: FindingCode, message: impl Into<String>, help: impl Into<String>) {
        self.0.push(Finding {
            code,
            severity: code.severity(),
            index: None,
            message: message.into(),
            help: help.into(),
        });
    }

    /// A finding about an instruction.
    fn at(&mut self, code: FindingCode, index: usize, message: impl Into<String>, help: impl Into<String>) {
        let (message, help) = (message.into(), help.into());
        self.0.push(Finding { code, severity: code.severity(), index: Some(index), message, help });
    }
}

/// A program with what the checks want to know about it.
struct Subject<'a> {
    program: &'a Program,
    reachable: Vec<bool>,
}

impl Subject<'_> {
    /// The instructions that can execute, with their numbers and byte addresses.
    fn instructions(&self) -> impl Iterator<Item = (usize, u32, &Instruction)> {
        let all = self.program.code.instructions().iter().enumerate();
        all.filter(|(index, _)| self.reachable[*index])
            .map(|(index, instruction)| (index, Code::address(index), instruction))
    }
}

/// Checks a program. Findings come in the order of instructions, those about the header first.
pub fn check(program: &Program) -> Vec<Finding> {
    let subject = Subject { program, reachable: flow::reachable(&program.code) };
    let mut findings = Findings::default();
    header::check(&subject, &mut findings);
    flow::check(&subject, &mut findings);
    instructions::check(&subject, &mut findings);
    let mut findings = findings.0;
    findings.sort_by_key(|finding| (finding.index, finding.code as usize));
    findings
}
