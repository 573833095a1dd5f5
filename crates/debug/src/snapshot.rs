//! What is shown of a session: plain values.

use crate::{Session, StepOutcome, number_of};
use ctm_follow::{Cell, Participation, ValueKind, words};
use serde::Serialize;

/// A moment of a session, with the lane that it looks at.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The machine.
    pub machine: &'static str,
    /// The group.
    pub group: u64,
    /// Number of groups.
    pub groups: u64,
    /// Steps that were made.
    pub step: u64,
    /// The row of the listing that is next.
    pub row: Option<usize>,
    /// What has ended the group, if it has not come to its end.
    pub trap: Option<String>,
    /// The group has ended.
    pub ended: bool,
    /// Somebody changed something by hand.
    pub edited: bool,
    /// Lanes of the group.
    pub lanes: Vec<LaneSnapshot>,
    /// The number of the lane that the session looks at.
    pub lane: Option<usize>,
    /// What that lane holds.
    pub registers: Vec<Register>,
    /// What the variables of the source hold in it, as far as the program has them.
    pub variables: Vec<Register>,
    /// Open loops, passes of the innermost one from 1, and how many it has.
    pub pass: Option<(u32, u32, Option<u32>)>,
    /// Calls, loops and branches, the outermost first.
    pub stack: Vec<String>,
}

/// A lane of the group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LaneSnapshot {
    /// Column.
    pub i: u32,
    /// Row.
    pub j: u32,
    /// It runs the program; otherwise it helps its quad, or is not there.
    pub runs: bool,
    /// Where it stands: `active`, `branch`, `continue`, `break`, `meeting`, `ended`.
    pub standing: &'static str,
    /// It executes the next instruction.
    pub executes: bool,
}

/// A register of a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// What it holds: one value, or one for each channel.
    pub values: Vec<Value>,
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The cell's number; none of what is calculated from cells.
    pub cell: Option<usize>,
    /// The channel, where registers have some.
    pub channel: Option<char>,
    /// `float`, `integer`, `truth` or `word`; `absent` of a variable that the program does not have.
    pub kind: &'static str,
    /// The bits.
    pub bits: u32,
}

impl Value {
    /// Of a cell with these bits.
    pub fn new(number: usize, cell: &Cell, bits: u32) -> Self {
        Value { cell: Some(number), channel: cell.channel, kind: cell.kind.name(), bits }
    }

    /// Whether people read it as a float: it is one, or a word that looks like one.
    pub fn is_float(&self) -> bool {
        self.kind == "float" || self.kind == "word" && words::likely(self.bits) == ValueKind::Float
    }

    /// As people read it: shortest decimal of a float, integers in decimal; words as what they look like, else in hexadecimal.
    pub fn text(&self) -> String {
        match self.kind {
            "absent" => "?".into(),
            _ if self.is_float() => words::float(self.bits),
            "word" if !words::is_integer(self.bits) => format!("{:#010x}", self.bits),
            "integer" | "word" => format!("{}", number_of(ValueKind::Integer, self.bits)),
            _ => format!("{}", self.bits),
        }
    }
}

/// The bits that a text means for what a cell holds: `0x` is bits, everything else a number.
///
/// # Errors
/// It is neither.
pub fn parse_bits(kind: ValueKind, text: &str) -> Result<u32, String> {
    let text = text.trim();
    let wrong = || format!("'{text}' is not a value: expected a number, or bits such as 0x3f800000");
    if let Some(digits) = text.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).map_err(|_| wrong());
    }
    match kind {
        ValueKind::Float => text.parse::<f32>().map(f32::to_bits).map_err(|_| wrong()),
        ValueKind::Truth => match text {
            "0" | "false" => Ok(0),
            "1" | "true" => Ok(1),
            _ => Err(wrong()),
        },
        ValueKind::Integer | ValueKind::Word => {
            let number = text.parse::<i64>().map_err(|_| wrong())?;
            u32::try_from(number).or_else(|_| i32::try_from(number).map(i32::cast_unsigned)).map_err(|_| wrong())
        }
    }
}

impl Session {
    /// This moment.
    pub fn snapshot(&self) -> Snapshot {
        let guest = self.guest();
        let lane = self.lane_number(self.focus());
        let lanes = guest.lanes().iter().enumerate().map(|(number, info)| LaneSnapshot {
            i: info.at.0,
            j: info.at.1,
            runs: info.runs,
            standing: guest.standing(number).name(),
            executes: guest.place().is_some() && guest.participation(number).0 == Participation::Executes,
        });
        Snapshot {
            machine: guest.machine(),
            group: self.position().group,
            groups: guest.groups(),
            step: self.position().step,
            row: self.row(),
            trap: match self.outcome() {
                StepOutcome::Trapped(trap) => Some(trap.clone()),
                StepOutcome::Going | StepOutcome::Ended => None,
            },
            ended: *self.outcome() != StepOutcome::Going,
            edited: self.is_edited(),
            lanes: lanes.collect(),
            lane,
            registers: lane.map_or(Vec::new(), |lane| self.registers(lane)),
            variables: lane.map_or(Vec::new(), |lane| self.variables(lane)),
            pass: guest.pass().map(|pass| (pass.depth, pass.number, pass.of)),
            stack: guest.stack().iter().map(|frame| frame.text.clone()).collect(),
        }
    }

    /// What a lane holds, by its number in the group.
    pub fn registers(&self, lane: usize) -> Vec<Register> {
        let mut registers: Vec<Register> = Vec::new();
        for (number, cell) in self.guest().cells().iter().enumerate() {
            let value = Value::new(number, cell, self.guest().read(lane, number));
            let name = cell.register();
            match registers.last_mut() {
                Some(last) if last.name == name => last.values.push(value),
                _ => registers.push(Register { name, values: vec![value] }),
            }
        }
        registers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_as_what_they_look_like() {
        let text = |bits| Value { cell: None, channel: None, kind: "word", bits }.text();
        let found = [0, 0x3F80_0000, 16, 0xFFFF_FFFF, 0x7FC0_0000, 0x8000_0000].map(text);
        assert_eq!(found, ["0", "1", "16", "-1", "0x7fc00000", "0x80000000"]);
    }

    #[test]
    fn values_are_read_as_they_are_meant() {
        assert_eq!(parse_bits(ValueKind::Float, " 1 "), Ok(0x3F80_0000));
        assert_eq!(parse_bits(ValueKind::Float, "0x7f"), Ok(0x7F));
        assert_eq!(parse_bits(ValueKind::Word, "-1"), Ok(u32::MAX));
        assert_eq!(parse_bits(ValueKind::Word, "4294967295"), Ok(u32::MAX));
        assert_eq!(parse_bits(ValueKind::Truth, "true"), Ok(1));
        for (kind, text) in [
            (ValueKind::Truth, "2"),
            (ValueKind::Word, "1.5"),
            (ValueKind::Float, "x"),
            (ValueKind::Word, "4294967296"),
        ] {
            assert!(parse_bits(kind, text).is_err(), "{text}");
        }
    }
}
