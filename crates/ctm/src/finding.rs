//! What checks find in programs.

use ctm_text::findings::Severity;

/// Something that a check found in a program of any machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
