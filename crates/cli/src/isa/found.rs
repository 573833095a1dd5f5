//! What checks find.

use crate::report::{Message, Place};
use serde_json::{Value, json};

/// What a check of any instruction set found.
pub struct Found {
    /// For people.
    pub message: Message,
    /// The numbers that tell machines the place in the program, by their names.
    pub place: Vec<(&'static str, Value)>,
}

impl Found {
    /// For machines.
    pub fn json(&self) -> Value {
        let Message { severity, code, title, help, place, .. } = &self.message;
        let origin = match place.as_deref() {
            Some(Place::Text(origin)) => Some(origin),
            _ => None,
        };
        let mut form = json!({ "code": code, "severity": severity.name() });
        let text = [
            ("file", json!(origin.map(|origin| &origin.file.name))),
            ("line", json!(origin.map(|origin| origin.file.line_column(origin.span.start).0))),
            ("message", json!(title)),
            ("help", json!(help)),
        ];
        self.place.iter().cloned().chain(text).for_each(|(name, value)| form[name] = value);
        form
    }
}
