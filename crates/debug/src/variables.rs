//! What the variables of a source hold in a session.

use crate::location::{Location, Origin, Variable};
use crate::snapshot::{Register, Value};
use crate::{Session, find_cell};

impl Session {
    /// Gives the program the variables of its source.
    pub fn set_variables(&mut self, variables: Vec<Variable>) {
        self.variables = variables;
    }

    /// Whether the program has variables of a source.
    pub fn has_variables(&self) -> bool {
        !self.variables.is_empty()
    }

    /// The variables that mean something in front of a row, with their locations there, if they are anywhere: those that hide others of their name
    /// come in their place.
    fn variables_at(&self, row: usize) -> Vec<(&Variable, Option<&Location>)> {
        let line = self.guest().listing().rows.get(row).and_then(|row| row.line).map(|(_, line)| line);
        let mut found: Vec<(&Variable, Option<&Location>)> = Vec::new();
        for variable in self.variables.iter().filter(|variable| line.is_none_or(|line| variable.lines.contains(&line)))
        {
            let location = variable.places.iter().find(|(rows, _)| rows.contains(&row)).map(|(_, location)| location);
            let same = |(other, _): &(&Variable, _)| (&other.name, other.channel) == (&variable.name, variable.channel);
            match found.iter_mut().find(|other| same(other)) {
                Some(other) if other.0.lines.start() <= variable.lines.start() => *other = (variable, location),
                Some(_) => {}
                None => found.push((variable, location)),
            }
        }
        found
    }

    /// What the variables of the source hold in a lane, by its number in the group: those that the program has somewhere. Parts that it does
    /// not have are `absent`.
    pub fn variables(&self, lane: usize) -> Vec<Register> {
        let Some(row) = self.row() else { return Vec::new() };
        let mut registers: Vec<Register> = Vec::new();
        for (variable, location) in self.variables_at(row) {
            let kind = match location {
                None => "absent",
                Some(_) if variable.is_truth => "truth",
                Some(_) => "float",
            };
            let bits = location.map_or(0, |location| location.read(|cell| self.guest().read(lane, cell)));
            let cell = location.and_then(|location| match (location.origin, location.test) {
                (Origin::Cell(cell), None) if !location.absolute && !location.negative => Some(cell),
                _ => None,
            });
            let value = Value { cell, channel: variable.channel, kind, bits };
            match registers.last_mut() {
                Some(last) if last.name == variable.name => last.values.push(value),
                _ => registers.push(Register { name: variable.name.clone(), values: vec![value] }),
            }
        }
        registers.retain(|register| register.values.iter().any(|value| value.kind != "absent"));
        registers
    }

    /// An expression with registers in the place of variables, as they are in front of a row; what is neither stays.
    ///
    /// # Errors
    /// A variable is not in a register there.
    pub fn with_registers(&self, text: &str, row: Option<usize>) -> Result<String, String> {
        let Some(row) = row.filter(|_| self.has_variables()) else { return Ok(text.to_owned()) };
        let (variables, cells) = (self.variables_at(row), self.guest().cells());
        let mut out = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if !(first.is_ascii_alphanumeric() || first == '_') {
                out.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
            let (path, after) = rest.split_at(rest.find(|c| !is_path(c)).unwrap_or(rest.len()));
            rest = after;
            let named = variables.iter().find(|(variable, _)| match variable.channel {
                None => variable.name == path,
                Some(channel) => {
                    path.strip_suffix(channel).and_then(|path| path.strip_suffix('.')) == Some(&variable.name)
                }
            });
            match named.filter(|_| find_cell(cells, path).is_none()) {
                None => out.push_str(path),
                Some((_, location)) => {
                    let text = location.and_then(|location| location.expression(cells));
                    out +=
                        &text.ok_or_else(|| format!("the program does not have '{path}' here any more, or not yet"))?;
                }
            }
        }
        Ok(out)
    }

    /// The row that is next.
    pub fn row(&self) -> Option<usize> {
        self.guest().place().and_then(|place| self.guest().listing().row(place))
    }
}
