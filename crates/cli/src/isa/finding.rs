//! Findings of checks, and their codes.

use super::Loaded;
use crate::Failure;
use crate::report::Message;
use ctm_text::findings::Severity;
use serde_json::{Value, json};

/// The code of a finding.
pub struct Code {
    /// How messages name it.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about, in a few words.
    pub title: &'static str,
    /// Its page, as Markdown.
    pub page: &'static str,
}

/// The codes of the enumeration of an instruction set's checks.
macro_rules! codes_of {
    ($codes:ty) => {
        <$codes>::ALL
            .iter()
            .map(|code| $crate::isa::Code {
                id: code.as_str(),
                severity: code.severity(),
                title: code.title(),
                page: code.explain(),
            })
            .collect()
    };
}
pub(super) use codes_of;

/// What a check of any instruction set found.
pub struct Finding {
    /// For people.
    pub message: Message,
    /// The numbers that name the location in the program to machines, by their names.
    pub numbers: Vec<(&'static str, Value)>,
}

impl Finding {
    /// The finding as one of a program of a file that has several, if `program` names it.
    pub fn of_program(mut self, program: Option<&str>) -> Self {
        self.numbers.insert(0, ("program", json!(program)));
        self
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let mut form = self.message.json();
        self.numbers.iter().cloned().for_each(|(name, value)| form[name] = value);
        form
    }
}

/// Refuses to execute a program in which its check finds errors: they mean the same for all commands.
pub fn require_no_errors(program: &dyn Loaded) -> Result<(), Failure> {
    let messages = program.check()?.into_iter().map(|finding| finding.message);
    let errors: Vec<Message> = messages.filter(|message| message.severity == Severity::Error).collect();
    if errors.is_empty() { Ok(()) } else { Err(Failure::Input(errors)) }
}
