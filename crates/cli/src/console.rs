//! Where commands print.

use crate::report::Message;
use std::io::{self, Write};

/// Standard output for results, standard error for messages.
pub struct Console<'a> {
    /// Results.
    pub out: &'a mut dyn Write,
    /// Messages, with colours that the writer may take out.
    pub err: &'a mut dyn Write,
    /// Messages go to a person who watches.
    pub interactive: bool,
    /// Results may have colours.
    pub colours: bool,
}

impl Console<'_> {
    /// Prints a message. A standard error that takes nothing is no reason to stop.
    pub fn tell(&mut self, message: &Message) {
        let gap = if message.place.is_some() { "\n" } else { "" };
        let _ = writeln!(self.err, "{}{gap}", message.render());
    }

    /// Prints a JSON value on a line of its own.
    pub fn json(&mut self, value: &serde_json::Value) -> io::Result<()> {
        writeln!(self.out, "{value}")
    }
}
