//! Messages for people: what is wrong, where, and what to do about it.

use crate::failure;
use crate::files::FileError;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use ctm_text::findings::Severity;
use ctm_text::{Diagnostic, Origin};

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// What a message points at.
#[derive(Clone, Debug)]
pub enum Place {
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

impl From<FileError> for Message {
    fn from(error: FileError) -> Self {
        let message = match &error {
            FileError::Unreadable { cause, .. } => Message::error(format!("{error}: {}", failure::cause(cause))),
            FileError::TooLong { .. } | FileError::Content { .. } => Message::error(error.to_string()),
        };
        error.help().into_iter().fold(message, Message::help)
    }
}

/// A diagnostic of a text as a message.
pub fn diagnostic(diagnostic: &Diagnostic) -> Message {
    let severity = match diagnostic.severity {
        ctm_text::Severity::Error => Severity::Error,
        ctm_text::Severity::Warning => Severity::Warning,
    };
    let place = Place::Text(Origin { file: diagnostic.file.clone(), span: diagnostic.span.clone() });
    let message = Message::new(severity, &diagnostic.message).at(place);
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
    pub place: Option<Box<Place>>,
    /// Facts that help to understand.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Vec<String>,
}

impl Message {
    /// A message without a place.
    pub fn new(severity: Severity, title: impl Into<String>) -> Self {
        Message { severity, code: None, title: title.into(), place: None, notes: Vec::new(), help: Vec::new() }
    }

    /// An error without a place.
    pub fn error(title: impl Into<String>) -> Self {
        Self::new(Severity::Error, title)
    }

    /// A note without a place.
    pub fn note(title: impl Into<String>) -> Self {
        Self::new(Severity::Note, title)
    }

    /// A warning without a place.
    pub fn warning(title: impl Into<String>) -> Self {
        Self::new(Severity::Warning, title)
    }

    /// Adds the code.
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// Adds the place.
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(Box::new(place));
        self
    }

    /// Adds a fact.
    pub fn fact(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a remedy.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// The message as text with colours, without a line end.
    pub fn render(&self) -> String {
        let mut title = level(self.severity).primary_title(&self.title);
        if let Some(code) = self.code {
            title = title.id(code);
        }
        let mut group = Group::with_title(title);
        match self.place.as_deref() {
            None => {}
            Some(Place::File(path)) => group = group.element(annotate_snippets::Origin::path(path)),
            Some(Place::Text(Origin { file, span })) => {
                let marked = AnnotationKind::Primary.span(span.clone());
                group = group.element(Snippet::source(&file.text).path(&file.name).annotation(marked));
            }
            Some(Place::Listing { path, number, line }) => {
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
