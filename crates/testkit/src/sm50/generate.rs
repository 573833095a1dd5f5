//! Random SM50 instructions, from the table.

use crate::random::Random;
use ctm_sm50::{Instruction, Op, Pattern, ROWS, Row};

/// A random instruction of a random row that the choice allows: all of its fields have random values, and some of its other
/// bits are set now and then.
///
/// # Panics
/// The choice allows no row, or none of the words that were tried is an instruction.
pub fn instruction(random: &mut Random, allowed: impl Fn(&Row) -> bool) -> Instruction {
    let rows: Vec<&Row> = ROWS.iter().filter(|row| allowed(row)).collect();
    assert!(!rows.is_empty(), "no row is allowed");
    let row = random.pick(&rows);
    instruction_of(random, row, random_pattern(&mut random.clone(), row))
}

fn random_pattern<'r>(random: &mut Random, row: &'r Row) -> &'r Pattern {
    &row.patterns[random.below(row.patterns.len())]
}

/// A random instruction of one form.
///
/// # Panics
/// None of the words that were tried is an instruction.
pub fn instruction_of(random: &mut Random, row: &Row, pattern: &Pattern) -> Instruction {
    for _ in 0..1000 {
        let mut word = u64::from(pattern.base) << 48;
        if random.one_in(8) {
            // Bits that may mean nothing.
            word |= random.bits64() & !(u64::from(pattern.mask) << 48);
        }
        for field in row.fields(pattern.shape) {
            word = field.bits.set(word, random.bits());
        }
        let instruction = Instruction::decode(word);
        if instruction.op() == row.op {
            return instruction;
        }
    }
    panic!("{} has no valid words", row.name);
}

/// The instructions of the table.
pub fn ops() -> impl Iterator<Item = Op> {
    ROWS.iter().map(|row| row.op)
}
