//! Checks of a program: the rules of the machine, hazards, and likely mistakes.
//!
//! Every finding has a [`FindingCode`] that stays the same for ever: `R7000..` for errors (the program traps, or hardware cannot
//! execute it), `R7001..` for warnings, `R7002..` for notes. [`FindingCode::explain`] has a page of text about each.
#![deny(clippy::wildcard_enum_match_arm)]

mod code;
mod flow;
mod groups;
mod instructions;
mod ports;
#[cfg(test)]
mod tests;
mod values;

pub use code::FindingCode;
pub use ctm_text::findings::Severity;
pub use flow::{StackNeed, stack_need};

use crate::alu::Alu;
use crate::cf::{Cf, CfAlu};
use crate::group::{Group, Unit};
use crate::legal::legal_group;
use crate::outline::{Clause, ClauseKind, Outline, clause_groups};
use crate::program::Program;
use crate::stack::Wavefront;

/// Something that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub code: FindingCode,
    /// How bad it is.
    pub severity: Severity,
    /// Address of the control-flow instruction; none if the finding is about the program.
    pub pc: Option<u32>,
    /// Address of the group or fetch instruction of its clause.
    pub slot: Option<u32>,
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
        self.add(code, None, None, message.into(), help.into());
    }

    /// A finding about a control-flow instruction.
    fn at(&mut self, code: FindingCode, pc: u32, message: impl Into<String>, help: impl Into<String>) {
        self.add(code, Some(pc), None, message.into(), help.into());
    }

    /// A finding about a part of a clause.
    fn inside(&mut self, code: FindingCode, location: Location, message: impl Into<String>, help: impl Into<String>) {
        self.add(code, Some(location.pc), Some(location.slot), message.into(), help.into());
    }

    fn add(&mut self, code: FindingCode, pc: Option<u32>, slot: Option<u32>, message: String, help: String) {
        self.0.push(Finding { code, severity: code.severity(), pc, slot, message, help });
    }
}

/// A group or fetch instruction of a clause.
#[derive(Clone, Copy)]
struct Location {
    pc: u32,
    slot: u32,
}

/// An ALU clause with the first instruction that runs it.
struct AluClause<'a> {
    pc: u32,
    address: u32,
    cf: &'a CfAlu,
    groups: Vec<Group>,
}

impl AluClause<'_> {
    fn location(&self, group: &Group) -> Location {
        Location { pc: self.pc, slot: self.address + group.start as u32 }
    }
}

/// Qwords of clauses that checks look at, for all instructions that run them together: any number of instructions may name the same one.
const MOST_CLAUSE_QWORDS: usize = 1 << 22;

/// A program with what the checks want to know about it.
struct Subject<'a> {
    program: &'a Program,
    outline: &'a Outline,
    walk: flow::Walk,
}

impl Subject<'_> {
    /// The reachable control-flow instructions.
    fn instructions(&self) -> impl Iterator<Item = (u32, &Cf)> {
        let all = (0..).zip(&self.outline.cf);
        all.filter(|(pc, _)| self.walk.is_reachable(*pc))
    }

    /// The clauses that reachable instructions run, each for each of them.
    fn clauses(&self) -> impl Iterator<Item = (u32, &Cf, Clause)> {
        let family = self.program.info.family;
        let mut left = MOST_CLAUSE_QWORDS;
        let mut is_left = move |clause: &Clause| {
            left = left.saturating_sub(clause.length as usize);
            left > 0
        };
        let clauses = self.instructions().filter_map(move |(pc, cf)| Some((pc, cf, cf.clause(family)?)));
        clauses.take_while(move |(_, _, clause)| is_left(clause))
    }

    /// The ALU clauses that lie in the image.
    fn alu_clauses(&self) -> impl Iterator<Item = AluClause<'_>> {
        self.clauses().filter_map(|(pc, cf, clause)| match cf {
            Cf::Alu(cf) if clause.kind == ClauseKind::Alu => {
                let groups = clause_groups(&self.program.code, &clause, self.program.info.family)?;
                Some(AluClause { pc, address: clause.address, cf, groups })
            }
            Cf::Plain(_) | Cf::Alu(_) | Cf::Export(_) | Cf::Reserved(_) => None,
        })
    }

    /// The units of a group's instructions; none if the group cannot be issued.
    fn units<'g>(&self, group: &'g Group) -> Option<Vec<(Unit, &'g Alu)>> {
        let units = legal_group(group, &self.program.info).ok()?;
        Some(units.into_iter().zip(&group.slots).collect())
    }
}

/// Checks a program as wavefronts of this width would run it. Findings come in the order of addresses, those about the
/// whole program first.
pub fn check(program: &Program, wavefront: Wavefront) -> Vec<Finding> {
    let mut findings = Findings::default();
    if program.code.is_empty() {
        findings.program(FindingCode::Empty, "the program has no instructions", "give it at least `NOP EOP`");
        return findings.0;
    }
    let outline = Outline::of(&program.code, program.info.family);
    let walk = flow::Walk::of(program, &outline, &mut findings);
    let subject = Subject { program, outline: &outline, walk };
    flow::check(&subject, wavefront, &mut findings);
    instructions::check(&subject, &mut findings);
    groups::check(&subject, &mut findings);
    values::check(&subject, &mut findings);
    let mut findings = findings.0;
    findings.sort_by_key(|finding| (finding.pc, finding.slot, finding.code));
    // Several paths, or several instructions of a group, may say the same.
    findings.dedup();
    findings
}
