//! What is wrong with a text, where an editor counts.

use ctm_text::Diagnostic;
use serde::Serialize;
use std::ops::Range;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// There is no program, or it cannot run.
    Error,
    /// It may not be what was meant.
    Warning,
    /// Good to know.
    Info,
}

/// Something that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The first code unit of UTF-16 that it is about.
    pub from: usize,
    /// The one after the last.
    pub to: usize,
    /// How bad it is.
    pub severity: Severity,
    /// The code of a finding, or the kind of an error.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// A text whose places are asked for by bytes or lines, and told in code units of UTF-16, as editors of pages count.
pub struct Places<'t> {
    text: &'t str,
}

impl<'t> Places<'t> {
    /// Of this text.
    pub fn new(text: &'t str) -> Self {
        Places { text }
    }

    /// The code units of a range of bytes, which begins and ends with characters.
    pub fn units(&self, bytes: Range<usize>) -> Range<usize> {
        let unit = |at: usize| self.text.get(..at).unwrap_or(self.text).encode_utf16().count();
        unit(bytes.start)..unit(bytes.end)
    }

    /// The bytes of a line, from 1, without blanks at its ends; of column `column`, from 1, to the end of a word if that is not 0. Line 0
    /// is the first.
    pub fn line(&self, line: u32, column: u32) -> Range<usize> {
        let before = self.text.split_inclusive('\n').take(line.saturating_sub(1) as usize);
        let begin: usize = before.map(str::len).sum();
        let text = self.text[begin..].lines().next().unwrap_or_default();
        let end = begin + text.trim_end().len();
        let indent = (text.len() - text.trim_start().len()).min(end - begin);
        if column == 0 {
            return begin + indent..end;
        }
        let at = text.char_indices().nth(column as usize - 1).map_or(text.len(), |(at, _)| at);
        let is_end = |letter: char| !letter.is_alphanumeric() && letter != '_';
        let length = text[at..].find(is_end).unwrap_or(text.len() - at).max(1);
        begin + at..(begin + at + length).min(end.max(begin + at))
    }

    /// The line of a byte, from 1.
    pub fn line_of(&self, byte: usize) -> u32 {
        let before = &self.text.as_bytes()[..byte.min(self.text.len())];
        before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1
    }

    /// A problem of an assembler or of a front end.
    pub fn problem(&self, diagnostic: &Diagnostic) -> Problem {
        let units = self.units(diagnostic.span.clone());
        Problem {
            from: units.start,
            to: units.end,
            severity: match diagnostic.severity {
                ctm_text::Severity::Error => Severity::Error,
                ctm_text::Severity::Warning => Severity::Warning,
            },
            code: diagnostic.code().to_owned(),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
        }
    }
}

impl From<ctm_text::findings::Severity> for Severity {
    fn from(severity: ctm_text::findings::Severity) -> Self {
        match severity {
            ctm_text::findings::Severity::Error => Severity::Error,
            ctm_text::findings::Severity::Warning => Severity::Warning,
            ctm_text::findings::Severity::Note => Severity::Info,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_count_code_units() {
        let places = Places::new("a\u{1F600}\n  ä b_1 \n");
        assert_eq!(places.units(0..5), 0..3);
        assert_eq!(places.line(2, 0), 8..14);
        assert_eq!(places.line(2, 5), 11..14);
        assert_eq!(places.units(places.line(2, 5)), 8..11);
        assert_eq!((places.line_of(0), places.line_of(6), places.line(9, 3)), (1, 2, 16..16));
    }
}
