//! The texts of a program whose steps are shown.

use ctm_follow::{Address, Part, Place};
use std::collections::HashMap;

/// The instructions of a program, with those of a program that it calls, as texts.
#[derive(Clone, Debug)]
pub struct Listing {
    /// What the program is: `fragment`, `vertex`, ...
    pub stage: &'static str,
    /// The text of each instruction, with a line for each of its slots.
    pub texts: HashMap<Place, String>,
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
    pub fn text(&self, at: Address, part: Part) -> String {
        let text = self.texts.get(&Place { at, in_clause: part == Part::Clause }).cloned();
        match part {
            Part::End => format!("  end of {}", text.unwrap_or_default()),
            Part::Whole | Part::Begin | Part::Clause => {
                text.unwrap_or_else(|| "an instruction that no path to here shows".into())
            }
        }
    }
}
