//! Messages for people: what is wrong, where, and what to do about it.

use crate::wording::one_line;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use ctm_text::findings::Severity;
use ctm_text::{Diagnostic, Origin};
use serde_json::{Value, json};
use std::ops::Range;

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// What is wrong with a command line.
pub fn usage(error: &clap::Error) -> Message {
    let text = error.render().to_string();
    let tips = text.lines().filter_map(|line| line.trim().strip_prefix("tip: "));
    // What is wrong stands before the first empty line.
    let wrong = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    tips.fold(Message::error(one_line(wrong)), Message::help)
}

/// What a message points at.
#[derive(Clone, Debug)]
pub enum Location {
    /// A file as a whole.
    File(String),
    /// A part of a text.
    Text(Origin),
    /// One line of a listing that is not in a file, such as a disassembled instruction.
    Listing {
        /// Name of what was listed.
        path: String,
        /// Number of the line.
        number: usize,
        /// The line.
        line: String,
    },
}

/// A diagnostic of a text as a message.
pub fn diagnostic(diagnostic: &Diagnostic) -> Message {
    let severity = match diagnostic.severity {
        ctm_text::Severity::Error => Severity::Error,
        ctm_text::Severity::Warning => Severity::Warning,
    };
    let location = Location::Text(Origin { file: diagnostic.file.clone(), span: diagnostic.span.clone() });
    let message = Message::new(severity, &diagnostic.message).at(location);
    diagnostic.help.iter().fold(message, |message, help| message.help(help))
}

/// One message.
#[derive(Clone, Debug)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// Code that `ctm explain` explains.
    pub code: Option<&'static str>,
    /// What is wrong, in one line.
    pub title: String,
    /// Where.
    pub location: Option<Box<Location>>,
    /// What helps to understand it.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Vec<String>,
}

impl Message {
    /// A message without a location.
    pub fn new(severity: Severity, title: impl Into<String>) -> Self {
        Message { severity, code: None, title: title.into(), location: None, notes: Vec::new(), help: Vec::new() }
    }

    /// An error without a location.
    pub fn error(title: impl Into<String>) -> Self {
        Self::new(Severity::Error, title)
    }

    /// A note without a location.
    pub fn note(title: impl Into<String>) -> Self {
        Self::new(Severity::Note, title)
    }

    /// A warning without a location.
    pub fn warning(title: impl Into<String>) -> Self {
        Self::new(Severity::Warning, title)
    }

    /// Adds the code.
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// Adds the location.
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(Box::new(location));
        self
    }

    /// Adds a note that helps to understand it.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a remedy.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// The message for machines.
    pub fn json(&self) -> Value {
        let (file, place) = match self.location.as_deref() {
            Some(Location::File(path)) => (Some(path), None),
            Some(Location::Text(origin)) => (Some(&origin.file.name), Some(origin.file.line_column(origin.span.start))),
            Some(Location::Listing { .. }) | None => (None, None),
        };
        json!({
            "severity": self.severity.name(),
            "code": self.code,
            "message": self.title,
            "file": file,
            "line": place.map(|(line, _)| line),
            "column": place.map(|(_, column)| column),
            "notes": self.notes,
            "help": self.help,
        })
    }

    /// The message as text with colours, without a line end.
    pub fn render(&self) -> String {
        let mut title = level(self.severity).primary_title(&self.title);
        if let Some(code) = self.code {
            title = title.id(code);
        }
        let mut group = Group::with_title(title);
        match self.location.as_deref() {
            None => {}
            Some(Location::File(path)) => group = group.element(annotate_snippets::Origin::path(path)),
            Some(Location::Text(origin)) => {
                let Shown { text, line, span } = Shown::of(origin);
                let marked = AnnotationKind::Primary.span(span);
                group =
                    group.element(Snippet::source(text).path(&origin.file.name).line_start(line).annotation(marked));
            }
            Some(Location::Listing { path, number, line }) => {
                let marked = AnnotationKind::Primary.span(0..line.len());
                group = group.element(Snippet::source(line).path(path).line_start(*number).annotation(marked));
            }
        }
        let notes = self.notes.iter().map(|note| Level::NOTE.message(note));
        let help = self.help.iter().map(|help| Level::HELP.message(help));
        let group = group.elements(notes).elements(help);
        Renderer::styled().decor_style(DecorStyle::Ascii).render(&[group])
    }
}

/// Bytes before and after the beginning of a location that a message shows. A line may be as long as a text.
const WIDEST: usize = 2000;

/// The lines of a text that a message shows.
struct Shown<'t> {
    text: &'t str,
    /// Number of the first line, from 1.
    line: usize,
    /// The location, in `text`.
    span: Range<usize>,
}

impl<'t> Shown<'t> {
    /// The lines that `origin` is in, cut where they are very long: what is made of them takes time for each byte.
    fn of(Origin { file, span }: &'t Origin) -> Self {
        let text = file.text.as_str();
        let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let widest = boundary(span.start.saturating_sub(WIDEST))..boundary(span.start.saturating_add(WIDEST));
        let start = text[widest.start..span.start].rfind('\n').map_or(widest.start, |at| widest.start + at + 1);
        let last = span.end.clamp(span.start, widest.end);
        let end = text[last..widest.end].find('\n').map_or(widest.end, |at| last + at);
        let line = text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count() + 1;
        Shown { text: &text[start..end], line, span: span.start - start..last - start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_text::SourceFile;
    use std::sync::Arc;

    fn shown(text: &str, span: Range<usize>) -> (String, usize, Range<usize>) {
        let origin = Origin { file: Arc::new(SourceFile { name: "a".into(), text: text.into() }), span };
        let Shown { text, line, span } = Shown::of(&origin);
        (text.into(), line, span)
    }

    #[test]
    fn the_lines_of_a_location_are_shown() {
        assert_eq!(shown("one\ntwo\nthree\n", 5..6), ("two".into(), 2, 1..2));
        assert_eq!(shown("one\ntwo\nthree\n", 5..10), ("two\nthree".into(), 2, 1..6));
        assert_eq!(shown("one\n", 4..4), (String::new(), 2, 0..0));
        assert_eq!(shown("", 0..0), (String::new(), 1, 0..0));
    }

    #[test]
    fn long_lines_are_cut() {
        let (text, line, span) = shown(&format!("\n{}!{}", "ß".repeat(5000), "ß".repeat(5000)), 10_001..10_002);
        assert_eq!((&text[span], line), ("!", 2));
        assert!(text.len() <= 2 * WIDEST && text.len() > WIDEST);
    }
}
