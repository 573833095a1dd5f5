//! The signs that the screen is drawn with: those of Unicode, or of ASCII where the locale has no others.

use ratatui::symbols::border;
use std::borrow::Cow;

/// A set of signs.
#[derive(Debug, PartialEq, Eq)]
pub struct Signs {
    /// In front of the row that is next.
    pub(crate) next: char,
    /// In front of a row with a breakpoint.
    pub(crate) point: char,
    /// At the end of a line that goes on.
    pub(crate) more: &'static str,
    /// Lanes: that execute, wait in a branch, have left a loop, have ended, and do not run.
    pub(crate) lanes: [&'static str; 5],
    /// Two rows of a picture: the colour of the upper one in front of that of the lower one. Without it a cell shows one row.
    pub(crate) halves: Option<&'static str>,
    /// The timeline: what is over, and what is to come.
    pub(crate) time: [&'static str; 2],
    pub(crate) frame: border::Set<'static>,
    is_ascii: bool,
}

/// For terminals that show Unicode.
pub static UNICODE: Signs = Signs {
    next: '▶',
    point: '●',
    more: "…",
    lanes: ["█", "░", "○", "×", "·"],
    halves: Some("▀"),
    time: ["━", "─"],
    frame: border::PLAIN,
    is_ascii: false,
};

/// For those that do not.
pub static ASCII: Signs = Signs {
    next: '>',
    point: '*',
    more: "~",
    lanes: ["#", ".", "o", "x", "-"],
    halves: None,
    time: ["=", "-"],
    frame: border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: "-",
        horizontal_bottom: "-",
    },
    is_ascii: true,
};

impl Signs {
    /// A text with arrows in the signs that there are; others that there are not become question marks.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !self.is_ascii || text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let text = text.replace('→', "->").replace('←', "<-").replace('↑', "up").replace('↓', "down");
        Cow::Owned(text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect())
    }
}
