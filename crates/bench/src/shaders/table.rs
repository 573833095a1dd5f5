//! The table of what Mesa's compiler makes of the sources, as a file.

use super::count::Size;
use ctm_testkit::shaders::folder_of_suite;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use thiserror::Error;

/// What is known of a program that Mesa compiled.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// It has so many instructions, of which a group of lanes executes so many; none if its picture is not the right one.
    Program(Size, Option<f64>),
    /// There is none, and why.
    None(String),
}

/// A line that is not understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "line {line} of {file}: expected a name and six numbers, or a name, `none` and a reason; renew it with `ctm-bench shaders --renew`"
)]
pub struct TableError {
    file: String,
    line: usize,
}

/// The table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Who compiled.
    pub compiler: String,
    /// Programs by the names of their sources.
    pub entries: BTreeMap<String, Entry>,
}

/// The file.
pub fn path() -> PathBuf {
    folder_of_suite().join("mesa-r300.txt")
}

const HEAD: &str = "# name                    alu  tex flow temps  executed by a group of 16 lanes\n";

impl Table {
    /// The table as text.
    pub fn text(&self) -> String {
        let mut text = format!("# compiler: {}\n{HEAD}", self.compiler);
        for (name, entry) in &self.entries {
            let _ = match entry {
                Entry::Program(size, executed) => {
                    let Size { arithmetic, texture, flow, temporaries } = size;
                    let executed = executed.map_or("-".to_owned(), |executed| format!("{executed:.2}"));
                    writeln!(text, "{name:<24} {arithmetic:>4} {texture:>4} {flow:>4} {temporaries:>5} {executed:>9}")
                }
                Entry::None(reason) => writeln!(text, "{name:<24} none {reason}"),
            };
        }
        text
    }

    /// Reads the text.
    ///
    /// # Errors
    /// If a line makes no sense.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let mut table = Table::default();
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(compiler) = line.strip_prefix("# compiler: ") {
                compiler.clone_into(&mut table.compiler);
            }
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            let entry = entry(line).ok_or_else(|| TableError { file: path().display().to_string(), line: number })?;
            table.entries.insert(entry.0, entry.1);
        }
        Ok(table)
    }
}

fn entry(line: &str) -> Option<(String, Entry)> {
    let (name, rest) = line.split_once(char::is_whitespace)?;
    let rest = rest.trim();
    if let Some(reason) = rest.strip_prefix("none") {
        return Some((name.to_owned(), Entry::None(reason.trim().to_owned())));
    }
    let words: Vec<&str> = rest.split_whitespace().collect();
    let [arithmetic, texture, flow, temporaries, executed] = words[..] else { return None };
    let size = Size {
        arithmetic: arithmetic.parse().ok()?,
        texture: texture.parse().ok()?,
        flow: flow.parse().ok()?,
        temporaries: temporaries.parse().ok()?,
    };
    let executed = if executed == "-" { None } else { Some(executed.parse().ok()?) };
    Some((name.to_owned(), Entry::Program(size, executed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_as_they_are_written() {
        let size = Size { arithmetic: 12, texture: 1, flow: 5, temporaries: 3 };
        let entries = [
            ("a".to_owned(), Entry::Program(size, Some(17.25))),
            ("b".to_owned(), Entry::Program(size, None)),
            ("c".to_owned(), Entry::None("too many instructions".to_owned())),
        ];
        let table = Table { compiler: "Mesa".to_owned(), entries: entries.into() };
        assert_eq!(Table::parse(&table.text()), Ok(table));
        assert_eq!(Table::parse("# x\na 1 2\n").unwrap_err().line, 2);
    }
}
