//! What checks find in programs.

use crate::Program;
use ctm_r700::Wavefront;
use ctm_text::findings::Severity;

/// Something that a check found in a program of any machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is; `ctm explain` has a page for each.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The address of the instruction, in the machine's units; none if the finding is about the program.
    pub address: Option<u32>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl Program {
    /// Checks the program: findings about the whole program first, then in the order of addresses.
    pub fn check(&self) -> Vec<Finding> {
        match self {
            Program::X1k(program) => ctm_x1k::check::check(program)
                .into_iter()
                .map(|finding| Finding {
                    code: finding.code.as_str(),
                    severity: finding.severity,
                    address: finding.pc.map(|pc| pc as u32),
                    message: finding.message,
                    help: finding.help,
                })
                .collect(),
            Program::R700(program) => ctm_r700::check::check(program, Wavefront::default())
                .into_iter()
                .map(|finding| Finding {
                    code: finding.code.as_str(),
                    severity: finding.severity,
                    address: finding.slot.or(finding.pc),
                    message: finding.message,
                    help: finding.help,
                })
                .collect(),
            Program::Sm50(program) => ctm_sm50::check::check(program)
                .into_iter()
                .map(|finding| Finding {
                    code: finding.code.as_str(),
                    severity: finding.severity,
                    address: finding.index.map(|index| index as u32),
                    message: finding.message,
                    help: finding.help,
                })
                .collect(),
        }
    }
}
