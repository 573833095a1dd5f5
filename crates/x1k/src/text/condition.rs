//! Jump conditions: truth tables over the ALU result, a predicate bit and a boolean constant, as expressions.

use crate::codes::PredicateSelect;
use ctm_text::{Cause, Cursor, Reported, Span};

/// Truth tables: bit `alu << 2 | pred << 1 | boolean`.
const ALU: u8 = 0xF0;
const PRED: u8 = 0xCC;
const BOOL: u8 = 0xAA;

/// What a condition is made of, besides its signs.
pub(super) const WORDS: [&str; 6] = ["alu", "pred", "b", "bool", "always", "never"];

/// Parentheses and negations that may enclose each other this deep.
const DEEPEST: usize = 64;

/// A condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Condition {
    /// `JUMP_FUNC` of a jump that is taken when the condition is true.
    pub table: u8,
    /// The boolean constant, if it was named.
    pub boolean: Option<u8>,
    /// The predicate bit, if it was named.
    pub predicate: Option<PredicateSelect>,
}

impl Condition {
    pub const ALWAYS: Condition = Condition { table: 0xFF, boolean: None, predicate: None };

    pub const fn not(self) -> Condition {
        Condition { table: !self.table, ..self }
    }

    /// Reads `!alu & (pred.r | b[3])`, or a truth table as a number.
    pub fn read(cursor: &mut Cursor) -> Result<Self, Reported> {
        let mut condition = Condition::default();
        condition.table = condition.read_either(cursor, DEEPEST)?;
        Ok(condition)
    }

    fn read_either(&mut self, cursor: &mut Cursor, depth: usize) -> Result<u8, Reported> {
        let mut table = self.read_differing(cursor, depth)?;
        while cursor.accept_symbol(b'|') {
            table |= self.read_differing(cursor, depth)?;
        }
        Ok(table)
    }

    fn read_differing(&mut self, cursor: &mut Cursor, depth: usize) -> Result<u8, Reported> {
        let mut table = self.read_both(cursor, depth)?;
        while cursor.accept_symbol(b'^') {
            table ^= self.read_both(cursor, depth)?;
        }
        Ok(table)
    }

    fn read_both(&mut self, cursor: &mut Cursor, depth: usize) -> Result<u8, Reported> {
        let mut table = self.read_term(cursor, depth)?;
        while cursor.accept_symbol(b'&') {
            table &= self.read_term(cursor, depth)?;
        }
        Ok(table)
    }

    fn read_term(&mut self, cursor: &mut Cursor, depth: usize) -> Result<u8, Reported> {
        const HELP: &str = "a condition is made of `alu`, `pred.r`, `b[0]`, `!`, `&`, `^`, `|` and parentheses";
        if depth == 0 {
            return Err(cursor.error(Cause::TooLong, cursor.peek(), "the condition nests too deep", "simplify it"));
        }
        if cursor.accept_symbol(b'!') {
            return Ok(!self.read_term(cursor, depth - 1)?);
        }
        if cursor.accept_symbol(b'(') {
            let table = self.read_either(cursor, depth - 1)?;
            cursor.expect_symbol(b')', "after the condition")?;
            return Ok(table);
        }
        let first = cursor.peek();
        if cursor.word_ahead(0).is_some_and(|word| word.as_bytes()[0].is_ascii_digit()) {
            return Ok(cursor.number("a truth table", 0xFF)? as u8);
        }
        let token = cursor.expect_word("a condition", HELP)?;
        let word = cursor.text(token).to_ascii_lowercase();
        match word.as_str() {
            "always" => Ok(0xFF),
            "never" => Ok(0),
            "alu" => Ok(ALU),
            "bool" => Ok(BOOL),
            "b" => {
                let number = super::operand::bracketed(cursor, "a boolean constant", 31)?;
                if self.boolean.is_some_and(|boolean| boolean != number) {
                    let message = "a condition can only test one boolean constant";
                    let span = Span::from(first).to(cursor.last().into());
                    cursor.error(Cause::Condition, span, message, "use two instructions");
                }
                self.boolean = Some(number);
                Ok(BOOL)
            }
            "pred" => {
                if cursor.accept_symbol(b'.') {
                    let channel = cursor.expect_name("a predicate channel", &["r", "g", "b", "a"])?;
                    let select = PredicateSelect::ALL[PredicateSelect::Red as usize + channel];
                    if self.predicate.is_some_and(|predicate| predicate != select) {
                        let message = "a condition can only test one predicate channel";
                        let span = Span::from(first).to(cursor.last().into());
                        cursor.error(Cause::Condition, span, message, HELP);
                    }
                    self.predicate = Some(select);
                }
                Ok(PRED)
            }
            _ => Err(cursor.unknown_word(token, "a condition", &WORDS)),
        }
    }
}

/// Spells a truth table as an expression over `alu` and the given names, or as a number if that would be long.
pub(super) fn spell(table: u8, pred: &str, boolean: &str) -> String {
    let atoms = [(ALU, "alu"), (PRED, pred), (BOOL, boolean)];
    let literals = || {
        atoms.into_iter().flat_map(|(table, name)| [(table, name.to_owned()), (!table, format!("!{name}"))]).enumerate()
    };
    match table {
        0x00 => return "never".into(),
        0xFF => return "always".into(),
        _ => {}
    }
    for (_, (literal, name)) in literals() {
        if literal == table {
            return name;
        }
    }
    for (left, (a, a_name)) in literals() {
        for (_, (b, b_name)) in literals().filter(|(right, _)| right / 2 > left / 2) {
            for (value, sign) in [(a & b, '&'), (a | b, '|')] {
                if value == table {
                    return format!("{a_name} {sign} {b_name}");
                }
            }
        }
    }
    format!("{table:#04x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelled_tables() {
        for (table, spelled) in [
            (0x0F, "!alu"),
            (0xCC, "pred.g"),
            (0x55, "!b[3]"),
            (0xC0, "alu & pred.g"),
            (0xBB, "!pred.g | b[3]"),
            (0x96, "0x96"),
        ] {
            assert_eq!(spell(table, "pred.g", "b[3]"), spelled);
        }
    }
}
