//! Random SM50 instructions, from the table.

use crate::random::Random;
use ctm_sm50::{Instruction, Pattern, ROWS, Row};

/// A random instruction of a random row that the choice allows.
///
/// # Panics
/// The choice allows no row, or a row that has no valid words.
pub fn instruction(random: &mut Random, allowed: impl Fn(&Row) -> bool) -> Instruction {
    let rows: Vec<&Row> = ROWS.iter().filter(|row| allowed(row)).collect();
    assert!(!rows.is_empty(), "no row is allowed");
    let row = random.pick(&rows);
    let pattern = random.pick(row.patterns);
    instruction_of(random, row, pattern)
}

/// A random instruction of one form: all fields have random values, and now and then other bits, too.
///
/// # Panics
/// None of the words that were tried is an instruction.
pub fn instruction_of(random: &mut Random, row: &Row, pattern: Pattern) -> Instruction {
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
