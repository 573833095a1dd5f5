//! The texts of a program whose steps are shown.

use ctm_follow::{Address, InstructionPlace, StepPart};
use std::collections::HashMap;

/// The instructions of a program, with those of a program that it calls, as texts.
#[derive(Clone, Debug)]
pub struct Listing {
    /// What the program is: `fragment`, `vertex`, ...
    pub stage: &'static str,
    /// The text of each instruction, with a line for each of its slots.
    pub texts: HashMap<InstructionPlace, String>,
    /// An address in text.
    pub address: fn(Address) -> String,
    /// How wide the column of the texts is.
    pub width: usize,
}

impl PartialEq for Listing {
    fn eq(&self, other: &Self) -> bool {
        (self.stage, self.width, &self.texts) == (other.stage, other.width, &other.texts)
    }
}

impl Listing {
    /// The text of a step.
    pub fn text(&self, at: Address, part: StepPart) -> String {
        let text = self.texts.get(&InstructionPlace { at, in_clause: part == StepPart::Clause }).cloned();
        match part {
            StepPart::End => format!("  end of {}", text.unwrap_or_default()),
            StepPart::Whole | StepPart::Begin | StepPart::Clause => {
                text.unwrap_or_else(|| "an instruction that no path to here shows".into())
            }
        }
    }
}
