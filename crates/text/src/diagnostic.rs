//! What is wrong with a text, where, and what to do about it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A text and its name: the main one, or one that `#include` brought in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The name that the caller or its loader gave.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl SourceFile {
    /// Line and column of a byte offset, both from 1. The column counts characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
        (line, column)
    }
}

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The text.
    pub file: Arc<SourceFile>,
    /// The place in the text, in bytes; always within the text and on character boundaries.
    pub span: Range<usize>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// There is no program.
    Error,
    /// There is a program, but it may not be the one that was meant.
    Warning,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A character that the language does not use.
    Character,
    /// `#include` of something that cannot be had.
    Include,
    /// Something else was expected here.
    Syntax,
    /// A word that the language does not have at this place.
    UnknownWord,
    /// A number that does not fit.
    Range,
    /// Something is given twice.
    Duplicate,
    /// Something that this kind of instruction does not have.
    Misplaced,
    /// A swizzle or mask of the wrong length or letters, or too many or too few operands.
    Operand,
    /// The units of the operations contradict each other or stay open.
    Unit,
    /// A group of instructions whose operands cannot be read.
    ReadPorts,
    /// Places in the image that contradict each other or lie outside.
    Address,
    /// Words given as they are that belong to another instruction.
    Raw,
    /// A number that no inline constant has.
    InlineConstant,
    /// No float constant is left for a value.
    NoConstantLeft,
    /// Contradicting predicates or booleans in a condition.
    Condition,
    /// A label that is not there, or out of reach.
    Label,
    /// Statements that do not nest.
    Nesting,
    /// More text or instructions than a program can have.
    TooLong,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Cause; 18] = [
        Cause::Character,
        Cause::Include,
        Cause::Syntax,
        Cause::UnknownWord,
        Cause::Range,
        Cause::Duplicate,
        Cause::Misplaced,
        Cause::Operand,
        Cause::Unit,
        Cause::ReadPorts,
        Cause::Address,
        Cause::Raw,
        Cause::InlineConstant,
        Cause::NoConstantLeft,
        Cause::Condition,
        Cause::Label,
        Cause::Nesting,
        Cause::TooLong,
    ];

    /// The short name of the cause, for machines and for documentation.
    pub const fn as_str(self) -> &'static str {
        match self {
            Cause::Character => "character",
            Cause::Include => "include",
            Cause::Syntax => "syntax",
            Cause::UnknownWord => "unknown-word",
            Cause::Range => "range",
            Cause::Duplicate => "duplicate",
            Cause::Misplaced => "misplaced",
            Cause::Operand => "operand",
            Cause::Unit => "unit",
            Cause::ReadPorts => "read-ports",
            Cause::Address => "address",
            Cause::Raw => "raw",
            Cause::InlineConstant => "inline-constant",
            Cause::NoConstantLeft => "no-constant-left",
            Cause::Condition => "condition",
            Cause::Label => "label",
            Cause::Nesting => "nesting",
            Cause::TooLong => "too-long",
        }
    }
}

/// One thing that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of problem.
    pub cause: Cause,
    /// How bad.
    pub severity: Severity,
    /// The text that it is in.
    pub file: Arc<SourceFile>,
    /// The place in the text, in bytes; always within the text and on character boundaries.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// The short name of the cause.
    pub const fn code(&self) -> &'static str {
        self.cause.as_str()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.file.line_column(self.span.start);
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{}:{line}:{column}: {severity}[{}]: {}", self.file.name, self.code(), self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

/// The candidate that `word` most likely was meant to be, if one is near.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    const LONGEST: usize = 32;
    /// A text may have a million labels, and as many that are misspelled.
    const MOST_CANDIDATES: usize = 1000;
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let limit = match word.len() {
        0..=1 => return None,
        2..=5 => 1,
        _ => 2,
    };
    candidates
        .into_iter()
        .take(MOST_CANDIDATES)
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= limit)
        .map(|candidate| (edits(word.as_bytes(), candidate.to_ascii_lowercase().as_bytes()), candidate))
        .filter(|&(edits, _)| edits <= limit)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, candidate)| candidate)
}

/// Least number of insertions, removals, replacements and swaps of neighbours that make `a` into `b`.
fn edits(a: &[u8], b: &[u8]) -> usize {
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The beginning of a text that may be long.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

/// `a`, `b` or `c`, each in quotes.
pub fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => format!("`{word}`"),
        [before @ .., last] => {
            let before: Vec<String> = before.iter().map(|word| format!("`{word}`")).collect();
            format!("{} or `{last}`", before.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions() {
        let words = ["TEX_SEM_WAIT", "MAD", "MAX", "LAST"];
        assert_eq!(nearest("tex_sem_wiat", words), Some("TEX_SEM_WAIT"));
        assert_eq!(nearest("MAXX", words), Some("MAX"));
        assert_eq!(nearest("ENTIRELY", words), None);
        assert_eq!(nearest(&"x".repeat(100_000), words), None);
    }

    #[test]
    fn lines_and_columns() {
        let file = SourceFile { name: String::new(), text: "a\nß b\n".into() };
        assert_eq!(file.line_column(0), (1, 1));
        assert_eq!(file.line_column(5), (2, 3));
        assert_eq!(file.line_column(100), (3, 1));
    }
}
