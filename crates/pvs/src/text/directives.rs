//! Directives: what belongs to a program beside its instructions.

use crate::program::{FLOW_ENTRIES, FlowEntry, FlowOp, MAX_INSTRUCTIONS, Program};
use ctm_text::{Cause, Cursor, Reported, Token, excerpt, nearest};
use std::collections::BTreeMap;

/// A number in a directive, or a label that stands for one.
#[derive(Clone, Debug)]
enum Address {
    Number(u16),
    Label(String, Token),
}

impl Default for Address {
    fn default() -> Self {
        Address::Number(0)
    }
}

/// A `.flow` directive.
#[derive(Clone, Debug, Default)]
struct Flow {
    entry: FlowEntry,
    act: Address,
    count_or_target: Address,
    last: Address,
    resume: Address,
}

/// What the directives of a text say.
#[derive(Default)]
pub(super) struct Directives {
    first: Option<Address>,
    last: Option<Address>,
    max_constant: Option<u8>,
    constants: BTreeMap<u8, [u32; 4]>,
    flow: BTreeMap<usize, Flow>,
}

/// Every directive.
pub(super) const NAMES: [&str; 5] = ["const", "flow", "first", "last", "max_const"];

/// What a `.flow` directive says of its entry.
pub(super) const FLOW_PARTS: [&str; 8] = ["act", "count", "target", "last", "resume", "index", "step", "inherit"];

impl Directives {
    /// Reads a directive from its point on.
    pub fn read(&mut self, cursor: &mut Cursor) -> Result<(), Reported> {
        cursor.take();
        let token = cursor.peek();
        let is_repeated = match cursor.expect_name("a directive", &NAMES)? {
            0 => self.constant(cursor)?,
            1 => self.flow(cursor)?,
            2 => self.first.replace(address(cursor, "the first instruction")?).is_some(),
            3 => self.last.replace(address(cursor, "the last instruction")?).is_some(),
            _ => self.max_constant.replace(cursor.number("the greatest constant", 255)? as u8).is_some(),
        };
        if is_repeated {
            let message = format!("`.{}` says this a second time", excerpt(cursor.text(token)));
            return Err(cursor.error(Cause::Duplicate, token, message, "leave one of them out"));
        }
        Ok(())
    }

    /// `c0 = 1.0, 2.0, 3.0, 4.0`
    fn constant(&mut self, cursor: &mut Cursor) -> Result<bool, Reported> {
        let help = "write `.const c0 = 1.0, 0.5, 0.0, 1.0`";
        let token = cursor.expect_word("a constant", help)?;
        let digits = cursor.text(token).strip_prefix(['c', 'C']).unwrap_or_default();
        let Ok(number) = digits.parse::<u8>() else {
            let message = format!("`{}` is not a constant; constants are c0 to c255", excerpt(cursor.text(token)));
            return Err(cursor.error(Cause::Operand, token, message, help));
        };
        cursor.expect_symbol(b'=', "after the constant")?;
        let mut values = [0; 4];
        for (at, value) in values.iter_mut().enumerate() {
            if at > 0 {
                cursor.expect_symbol(b',', "and four values in all")?;
            }
            *value = cursor.float("a value")?.0;
        }
        Ok(self.constants.insert(number, values).is_some())
    }

    /// `0 LOOP act=3 count=255 resume=4 last=25 index=0 step=1`
    fn flow(&mut self, cursor: &mut Cursor) -> Result<bool, Reported> {
        let number = cursor.number("a flow-control entry", FLOW_ENTRIES as u32 - 1)? as usize;
        let op = FlowOp::ALL[cursor.expect_name("a flow-control operation", &FlowOp::ALL.map(FlowOp::name))?];
        let mut flow = Flow { entry: FlowEntry { op, ..FlowEntry::default() }, ..Flow::default() };
        while !cursor.at_end() && !cursor.peek().first_of_line {
            let name = cursor.expect_name("a part of the entry", &FLOW_PARTS)?;
            cursor.expect_symbol(b'=', "and a value")?;
            match name {
                0 => flow.act = address(cursor, "an instruction")?,
                1 => flow.count_or_target = Address::Number(cursor.number("a count", u16::MAX.into())? as u16),
                2 => flow.count_or_target = address(cursor, "an instruction")?,
                3 => flow.last = address(cursor, "an instruction")?,
                4 => flow.resume = address(cursor, "an instruction")?,
                5 => flow.entry.index = cursor.number("the first index", 255)? as u8,
                6 => {
                    let is_negative = cursor.accept_symbol(b'-');
                    let most = 127 + u32::from(is_negative);
                    let step = cursor.number("a step", most)? as i32;
                    flow.entry.step = if is_negative { -step } else { step } as i8;
                }
                _ => flow.entry.inherits = cursor.number("whether the index is inherited", 1)? != 0,
            }
        }
        Ok(self.flow.insert(number, flow).is_some())
    }

    /// Gives a program what the directives say of it.
    pub fn apply(self, cursor: &mut Cursor, labels: &BTreeMap<String, usize>, program: &mut Program) {
        let mut resolved = |address: Address| match address {
            Address::Number(number) => number,
            Address::Label(label, token) => match labels.get(&label) {
                Some(&at) => at as u16,
                None => {
                    let help = match nearest(&label, labels.keys().map(String::as_str)) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "a label stands before an instruction, with a colon: `name:`".into(),
                    };
                    cursor.error(Cause::Label, token, format!("unknown label `{}`", excerpt(&label)), &help);
                    0
                }
            },
        };
        if let Some(first) = self.first {
            program.first = resolved(first);
        }
        if let Some(last) = self.last {
            program.last = resolved(last);
        }
        for (number, Flow { entry, act, count_or_target, last, resume }) in self.flow {
            program.flow[number] = FlowEntry {
                act: resolved(act),
                count_or_target: resolved(count_or_target),
                last: resolved(last),
                resume: resolved(resume),
                ..entry
            };
        }
        program.max_constant = self.max_constant.unwrap_or(program.max_constant);
        program.constants = self.constants;
    }
}

/// The number of an instruction, or a label.
fn address(cursor: &mut Cursor, what: &str) -> Result<Address, Reported> {
    let is_label = |word: &str| !word.as_bytes()[0].is_ascii_digit();
    match cursor.word_ahead(0).filter(|word| is_label(word)).map(str::to_owned) {
        Some(label) => Ok(Address::Label(label, cursor.take())),
        None => {
            let most = if what == "an instruction" { u16::MAX.into() } else { MAX_INSTRUCTIONS as u32 - 1 };
            Ok(Address::Number(cursor.number(what, most)? as u16))
        }
    }
}
