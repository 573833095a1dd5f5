//! The streams that commands print to.

use crate::Failure;
use crate::host::Host;
use crate::report::Message;
use ctm_text::MOST_DIAGNOSTICS;
use ctm_text::findings::Severity;
use std::io::{self, Write};

/// Most errors of one file that are shown.
const MOST_MESSAGES: usize = 20;

/// Standard output for results, standard error for messages.
pub struct Console<'a> {
    /// Results.
    pub out: &'a mut dyn Write,
    /// Messages, with colours that the writer may take out.
    pub err: &'a mut dyn Write,
    /// Files, and interruption.
    pub host: &'a dyn Host,
    /// Messages go to a person at a terminal.
    pub interactive: bool,
    /// Results may have colours.
    pub colours: bool,
    /// Messages are JSON objects, one on each line.
    pub json: bool,
    /// Warnings are errors, and nothing is written after one.
    pub strict: bool,
    /// Warnings that counted as errors.
    pub refused: usize,
}

impl Console<'_> {
    /// Prints a message; a warning as an error where warnings are errors. A standard error that takes nothing is not a reason to stop.
    pub fn report(&mut self, message: &Message) {
        if self.strict && message.severity == Severity::Warning {
            self.refused += 1;
            return self.print(&Message { severity: Severity::Error, ..message.clone() });
        }
        self.print(message);
    }

    /// Stops before results, and at the end, if there was a warning and warnings are errors.
    ///
    /// # Errors
    /// How many there were.
    pub fn require_no_warnings(&self) -> Result<(), Failure> {
        if self.refused == 0 { Ok(()) } else { Err(Failure::Warnings(self.refused)) }
    }

    fn print(&mut self, message: &Message) {
        if self.json {
            let _ = writeln!(self.err, "{}", message.json());
            return;
        }
        let gap = if message.location.is_some() { "\n" } else { "" };
        let _ = writeln!(self.err, "{}{gap}", message.render());
    }

    /// Reports why a command failed, and gives the exit code.
    pub fn fail(&mut self, failure: Failure) -> u8 {
        let code = failure.exit_code();
        // What was printed so far goes out first; if it cannot, the failure has already been decided.
        let _ = self.out.flush();
        let messages = failure.into_messages();
        messages.iter().take(MOST_MESSAGES).for_each(|message| self.report(message));
        if let Some(more) = messages.len().checked_sub(MOST_MESSAGES).filter(|more| *more > 0) {
            let message = match messages.len() {
                MOST_DIAGNOSTICS => {
                    format!("{more} more like these are not shown, and the text after them was not looked at")
                }
                _ => format!("{more} more like these are not shown"),
            };
            self.report(&Message::note(message));
        }
        code
    }

    /// Prints a JSON value on a line of its own.
    pub fn json(&mut self, value: &serde_json::Value) -> io::Result<()> {
        writeln!(self.out, "{value}")
    }
}
